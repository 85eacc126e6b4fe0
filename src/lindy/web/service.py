"""What the service answers: the table of its addresses, and a short handler for each."""

from __future__ import annotations

from typing import Any

import msgspec

from lindy.web import messages as m
from lindy.web.application import QUICK, Workbench
from lindy.web.cards import card, decisions
from lindy.web.explaining import explain
from lindy.web.limits import Limits
from lindy.web.openapi import document
from lindy.web.pages import SHELL, StaticFiles
from lindy.web.predicting import compare, inputs_of, predict, size_of
from lindy.web.requests import JSON, Request, Response, json_response
from lindy.web.routes import Route, Routes
from lindy.web.shelf import Shelf

_MODEL = (("model", "The name of a model; without it, the default one."),)


class Service:
    """Handlers and what they share: the models, the limits, and the threads for what takes longer."""

    def __init__(self, shelf: Shelf, limits: Limits) -> None:
        self.shelf, self.limits = shelf, limits
        self.work = Workbench()
        self.files = StaticFiles()
        self.routes = Routes(self._table())
        self.document = msgspec.json.encode(document(self.routes.routes))

    def _table(self) -> list[Route]:
        pages = [
            Route("GET", path, self.page, "A page.", is_free=True, is_shown=False)
            for path in ("/", "/compare", "/table", "/sure", "/docs")
        ]
        return [
            Route(
                "POST",
                "/v1/predict",
                self.predict,
                "Predict the labels of texts or records.",
                m.PredictRequest,
                m.PredictReply,
                problems=(400, 404, 408, 413, 415),
            ),
            Route(
                "POST",
                "/v1/explain",
                self.explain,
                "Explain the label of a text or record.",
                m.ExplainRequest,
                m.ExplainReply,
                problems=(400, 404, 408, 413, 415),
            ),
            Route(
                "POST",
                "/v1/compare",
                self.compare,
                "Predict with several models.",
                m.CompareRequest,
                m.CompareReply,
                problems=(400, 404, 408, 413, 415),
            ),
            Route("GET", "/v1/models", self.models, "List the models.", gives=m.ModelsReply),
            Route(
                "GET", "/v1/models/{name}", self.card, "Show a model's card.", gives=m.Card, problems=(404,)
            ),
            Route(
                "GET",
                "/v1/models/{name}/decisions",
                self.decisions,
                "Show how sure a model is, and how often right.",
                gives=m.DecisionsReply,
                problems=(404,),
            ),
            Route("GET", "/v1/examples", self.examples, "List texts to try.", gives=m.ExamplesReply),
            Route(
                "GET", "/health", self.health, "Whether the service runs.", gives=m.StateReply, is_free=True
            ),
            Route(
                "GET", "/ready", self.health, "Whether models are loaded.", gives=m.StateReply, is_free=True
            ),
            Route("GET", "/openapi.json", self.openapi, "This document.", gives=dict[str, Any], is_free=True),
            *pages,
            Route("GET", "/models/{name}", self.page_of, "A page.", is_free=True, is_shown=False),
            Route("GET", "/static/{file}", self.static, "A file of the page.", is_free=True, is_shown=False),
        ]

    async def predict(self, _request: Request, asked: m.PredictRequest) -> Response:
        """Answer a short request at once, a long one in a thread."""
        served, inputs = self.shelf(asked.model), inputs_of(asked)
        if size_of(inputs) <= QUICK:
            return json_response(predict(served, inputs, asked))
        return await self.work(lambda: json_response(predict(served, inputs, asked)))

    async def explain(self, _request: Request, asked: m.ExplainRequest) -> Response:
        """Explain one label's lead."""
        served = self.shelf(asked.model)
        return await self.work(lambda: json_response(explain(served, asked, self.limits.explained)))

    async def compare(self, _request: Request, asked: m.CompareRequest) -> Response:
        """Predict with several models."""
        models, inputs = [self.shelf(name) for name in asked.models], inputs_of(asked)
        return await self.work(lambda: json_response(compare(models, inputs)))

    async def models(self, _request: Request) -> Response:
        """List the models."""
        return json_response(m.ModelsReply(self.shelf.entries()))

    async def card(self, _request: Request, name: str) -> Response:
        """Show what is known of a model."""
        served = self.shelf(name)
        return await self.work(lambda: json_response(card(served)))

    async def decisions(self, _request: Request, name: str) -> Response:
        """Show what the slider needs."""
        return json_response(decisions(self.shelf(name)))

    async def examples(self, _request: Request) -> Response:
        """List texts to try."""
        return json_response(m.ExamplesReply([]))

    async def health(self, _request: Request) -> Response:
        """Say that the service runs."""
        return json_response(m.StateReply("ok"))

    async def openapi(self, _request: Request) -> Response:
        """Return the OpenAPI document."""
        return Response(200, JSON, self.document)

    async def page(self, request: Request) -> Response:
        """Return the shell of all pages."""
        return self.files.respond(request, SHELL)

    async def page_of(self, request: Request, _name: str) -> Response:
        """Return the shell for the card of a model."""
        return self.files.respond(request, SHELL)

    async def static(self, request: Request, name: str) -> Response:
        """Return a file of the page."""
        return self.files.respond(request, name)
