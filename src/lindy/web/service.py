"""The handlers of the service, a short one for each of its addresses (``addresses``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import msgspec

from lindy.scoring import FEW
from lindy.web import messages as m
from lindy.web.application import QUICK, Workbench
from lindy.web.cards import card, decisions
from lindy.web.explaining import explain
from lindy.web.feedback import Feedback
from lindy.web.http.guards import client_of
from lindy.web.http.problems import Problem
from lindy.web.http.request_limits import Limits
from lindy.web.http.requests import JSON, Request, Response, json_response, too_large
from lindy.web.model_registry import LoadedModel, ModelRegistry
from lindy.web.monitoring import Monitor
from lindy.web.pages import SHELL, StaticFiles
from lindy.web.predicting import MicroBatcher, compare, inputs_of, predict, size_of, text_alone
from lindy.web.table_endpoint import Wish, answer_table
from lindy.web.testing import TestFile

_TABLES = 8  # answered at the same time, each by a thread


@dataclass
class Service:
    """The handlers and what they share.

    Attributes
    ----------
    shelf : the models; replaced as a whole when they are loaded again
    limits : what one client can ask
    texts : texts to try
    test : labelled texts, of which cards and decisions then speak
    feedback : where corrections go
    monitor : counts what happens
    document : the OpenAPI document
    """

    shelf: ModelRegistry
    limits: Limits
    texts: list[str] = field(default_factory=list)
    test: TestFile | None = None
    feedback: Feedback | None = None
    monitor: Monitor = field(default_factory=Monitor)
    document: bytes = b""
    work: Workbench = field(default_factory=Workbench)
    files: StaticFiles = field(default_factory=StaticFiles)

    def __post_init__(self) -> None:
        self._together = MicroBatcher(self._one_by_one, FEW)
        self._pool = ThreadPoolExecutor(_TABLES, thread_name_prefix="table")
        self._tables: Counter[str] = Counter()

    async def predict(self, _request: Request, asked: m.PredictRequest) -> Response:
        """Answer a short text with all others that are waiting, other short requests at once, long ones in a thread."""
        served, text = self.shelf(asked.model), text_alone(asked)
        if text is not None and len(text) <= QUICK:
            return await self._together(served, text)
        inputs = inputs_of(asked)
        if size_of(inputs) <= QUICK:
            return self._predicted(served, inputs, asked)
        return await self.work(self._predicted, served, inputs, asked)

    def _one_by_one(self, served: LoadedModel, texts: list[str]) -> list[Response]:
        """Return an answer for each text, of which each is a request of its own."""
        reply = predict(served, texts)
        self.monitor.count(reply)
        return [
            json_response(m.PredictReply(served.name, served.version, [result])) for result in reply.results
        ]

    def _predicted(self, served: LoadedModel, inputs: list[Any], asked: m.PredictRequest) -> Response:
        reply = predict(served, inputs, asked)
        self.monitor.count(reply)
        return json_response(reply)

    async def explain(self, _request: Request, asked: m.ExplainRequest) -> Response:
        """Explain one label's lead."""
        return await self.work(lambda: json_response(self._explained(asked)))

    def _explained(self, asked: m.ExplainRequest) -> m.ExplainReply:
        return explain(self.shelf(asked.model), asked, self.limits.explained)

    async def compare(self, _request: Request, asked: m.CompareRequest) -> Response:
        """Predict with several models."""
        models, inputs = [self.shelf(name) for name in asked.models], inputs_of(asked)
        return await self.work(lambda: json_response(compare(models, inputs)))

    def models_now(self) -> Iterable[LoadedModel]:
        """Return the models of the moment."""
        return self.shelf.models.values()

    async def models(self, _request: Request) -> Response:
        """List the models."""
        return json_response(self._models())

    def _models(self) -> m.ModelsReply:
        return m.ModelsReply(
            self.shelf.entries(), self.feedback is not None, bool(self.feedback and self.feedback.new_labels)
        )

    async def card(self, _request: Request, name: str) -> Response:
        """Show what is known of a model."""
        served = self.shelf(name)
        return await self.work(lambda: json_response(card(served, self.test)))

    async def decisions(self, _request: Request, name: str) -> Response:
        """Show how sure a model is, and how often right."""
        return await self._decisions(self.shelf(name))

    async def _decisions(self, served: LoadedModel) -> Response:
        return await self.work(lambda: json_response(decisions(served, self.test)))

    async def table(self, request: Request) -> Response:
        """Predict a table, piece by piece."""
        wish = Wish.of(request, self.shelf)
        if request.content_length is not None and request.content_length > self.limits.table:
            raise too_large(self.limits.table)  # before it is counted: nobody would say that it is done
        client = client_of(request)
        if self._tables[client] >= self.limits.tables:
            raise Problem(
                429,
                "too-many-tables",
                f"{self.limits.tables} tables of yours are being answered; send the next when one is done",
                headers=((b"retry-after", b"5"),),
            )
        if self._tables.total() >= _TABLES:
            raise Problem(
                503, "busy", "the service answers as many tables as it can", headers=((b"retry-after", b"5"),)
            )
        self._tables[client] += 1

        def done() -> None:
            self._tables[client] -= 1
            self._tables += Counter()  # forgets clients that have none left

        return await answer_table(request, wish, self.limits, self._pool, done)

    async def correct(self, _request: Request, asked: m.FeedbackRequest) -> Response:
        """Keep a correction."""
        feedback, served = self.feedback, self.shelf(asked.model)
        if feedback is None:
            raise Problem(
                404, "no-feedback", "this service keeps no corrections; whoever runs it can change that"
            )
        await self.work(feedback, served, asked)
        return json_response(m.FeedbackReply(served.version, True))

    async def examples(self, _request: Request) -> Response:
        """List texts to try."""
        return json_response(m.ExamplesReply(self.texts))

    async def health(self, _request: Request) -> Response:
        """Say that the service runs."""
        return json_response(m.StateReply("ok"))

    async def ready(self, _request: Request) -> Response:
        """Say that models are loaded, which they are from the start on."""
        return json_response(m.StateReply("ready"))

    async def openapi(self, _request: Request) -> Response:
        """Return the OpenAPI document."""
        return Response(200, JSON, self.document)

    async def try_view(self, request: Request) -> Response:
        """Return the data of the first page; with a text in the address, also why it gets its label."""
        query = request.query()
        view = m.TryView(self._models().models, self.texts, None)
        if "text" not in query:
            return json_response(view)
        asked = m.ExplainRequest(text=query["text"], model=query.get("model", msgspec.UNSET))
        view.explanation = await self.work(self._explained, asked)
        return json_response(view)

    async def compare_view(self, request: Request) -> Response:
        """Return the data of the page that compares; with a text in the address, also what both models say of it."""
        query = request.query()
        view = m.CompareView(self._models().models, self.texts, None)
        if "text" not in query:
            return json_response(view)
        names = [query.get("model"), query.get("other") or list(self.shelf.models)[-1]]
        models = [self.shelf(name) for name in names]
        view.comparison = await self.work(compare, models, [query["text"]])
        return json_response(view)

    async def sure_view(self, request: Request) -> Response:
        """Return the data of the page with the slider."""
        return await self._decisions(self.shelf(request.query().get("model")))

    async def page(self, request: Request, *_parts: str) -> Response:
        """Return the shell of all pages."""
        return self.files.respond(request, SHELL)

    async def static(self, request: Request, name: str) -> Response:
        """Return a file of the page."""
        return self.files.respond(request, name)
