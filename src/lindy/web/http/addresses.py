"""The table of the service's addresses, and the OpenAPI document that is made of it: it says what the code does."""

from __future__ import annotations

import http
import re
from typing import Any

import msgspec

from lindy import __version__
from lindy.web import messages as m
from lindy.web.http.routes import Route, Routes
from lindy.web.messages import ErrorReply
from lindy.web.service import Service
from lindy.web.table_endpoint import PARAMETERS
from lindy.web.uploads import FORMATS

_REFUSALS = (400, 404, 408, 413, 415)
_PAGES = ("/", "/compare", "/table", "/sure", "/docs")
_MODEL = (("model", "The name of a model; without it, the default one."),)
_TEXT = (("text", "A text, about which the answer then is."), *_MODEL)
_TABLE_TYPES = tuple(name.decode() for name in FORMATS)
_REF = "#/components/schemas/{name}"
_OF_EVERY_ROUTE = (403, 421)  # another site, another host


def routes_of(service: Service) -> Routes:
    """Return the routes of a service, whose document it then has."""
    s = service
    made = Routes(
        [
            Route(
                "POST",
                "/v1/predict",
                s.predict,
                "Predict labels.",
                m.PredictRequest,
                m.PredictReply,
                _REFUSALS,
            ),
            Route(
                "POST",
                "/v1/explain",
                s.explain,
                "Explain a label.",
                m.ExplainRequest,
                m.ExplainReply,
                _REFUSALS,
            ),
            Route(
                "POST",
                "/v1/compare",
                s.compare,
                "Ask several models.",
                m.CompareRequest,
                m.CompareReply,
                _REFUSALS,
            ),
            Route(
                "POST",
                "/v1/table",
                s.table,
                "Predict a table: the same rows come back with predictions, while the table is still being sent.",
                problems=(*_REFUSALS, 429, 503),
                parameters=PARAMETERS,
                media=_TABLE_TYPES,
            ),
            Route(
                "POST",
                "/v1/feedback",
                s.correct,
                "Correct a label.",
                m.FeedbackRequest,
                m.FeedbackReply,
                _REFUSALS,
            ),
            Route("GET", "/v1/models", s.models, "List the models.", gives=m.ModelsReply),
            Route("GET", "/v1/models/{name}", s.card, "Show a model's card.", gives=m.Card, problems=(404,)),
            Route(
                "GET",
                "/v1/models/{name}/decisions",
                s.decisions,
                "Show how sure a model was of held-out examples, and how often right.",
                gives=m.DecisionsReply,
                problems=(404,),
            ),
            Route("GET", "/v1/examples", s.examples, "List texts to try.", gives=m.ExamplesReply),
            Route("GET", "/health", s.health, "Whether the service runs.", gives=m.StateReply, is_free=True),
            Route("GET", "/ready", s.ready, "Whether models are loaded.", gives=m.StateReply, is_free=True),
            Route("GET", "/metrics", s.monitor.respond, "Figures for Prometheus.", media=("text/plain",)),
            Route("GET", "/openapi.json", s.openapi, "This document.", gives=dict[str, Any], is_free=True),
            *_views(s),
        ]
    )
    s.document = document_bytes(made.routes)
    return made


def _views(s: Service) -> list[Route]:
    """Return the pages, and what each shows as JSON."""
    wrong = (400, 404, 413)
    first = [
        Route("GET", path, s.try_view, "The data of /.", None, m.TryView, wrong, parameters=_TEXT)
        for path in ("/index.json", "/.json")
    ]
    return [
        *first,
        Route(
            "GET",
            "/compare.json",
            s.compare_view,
            "The data of /compare.",
            gives=m.CompareView,
            problems=wrong,
            parameters=(*_TEXT, ("other", "The second model; without it, the last one.")),
        ),
        Route("GET", "/table.json", s.models, "The data of /table.", gives=m.ModelsReply),
        Route(
            "GET",
            "/sure.json",
            s.sure_view,
            "The data of /sure.",
            None,
            m.DecisionsReply,
            wrong,
            parameters=_MODEL,
        ),
        Route("GET", "/docs.json", s.openapi, "The data of /docs.", gives=dict[str, Any], is_free=True),
        Route(
            "GET", "/models/{name}.json", s.card, "The data of /models/{name}.", gives=m.Card, problems=(404,)
        ),
        *(Route("GET", path, s.page, "A page.", is_free=True, is_shown=False) for path in _PAGES),
        Route("GET", "/models/{name}", s.page, "A page.", is_free=True, is_shown=False),
        Route("GET", "/static/{file}", s.static, "A file of the pages.", is_free=True, is_shown=False),
    ]


def document_bytes(routes: list[Route]) -> bytes:
    """Return the document as it is sent."""
    return msgspec.json.encode(document(routes))


def document(routes: list[Route]) -> dict[str, Any]:
    """Return the document of the routes that are part of the API."""
    shown = [route for route in routes if route.is_shown]
    types = [kind for route in shown for kind in (route.reads, route.gives) if kind is not None]
    refs, components = msgspec.json.schema_components([*types, ErrorReply], ref_template=_REF)
    schemas = dict(zip(map(_key, [*types, ErrorReply]), refs, strict=True))
    paths: dict[str, Any] = {}
    for route in shown:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lindy",
            "version": __version__,
            "description": "Text classifiers as a service. Every answer with a status of 400 or more has the shape"
            " of ErrorReply. With a token, send 'Authorization: Bearer TOKEN'.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _key(kind: Any) -> str:
    return repr(kind)


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    refusals = {*_OF_EVERY_ROUTE, *route.problems}
    if not route.is_free:
        refusals |= {401, 503}
    made: dict[str, Any] = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "responses": {
            "200": {"description": "The answer.", "content": _content(route, schemas)},
            **{str(status): _refusal(status, schemas) for status in sorted(refusals)},
        },
    }
    if route.method == "POST":
        schema = {"type": "string"} if route.reads is None else schemas[_key(route.reads)]
        made["requestBody"] = {
            "required": True,
            "content": {name: {"schema": schema} for name in route.media},
        }
    parameters = [_parameter(name, "path", "") for name in _names(route.path)]
    parameters += [_parameter(name, "query", meaning) for name, meaning in route.parameters]
    if parameters:
        made["parameters"] = parameters
    if not route.is_free:
        made["security"] = [{"token": []}, {}]
    return made


def _operation_id(route: Route) -> str:
    return route.method.lower() + re.sub(r"[^a-z0-9]+", "_", route.path).rstrip("_")


def _content(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "string"} if route.gives is None else schemas[_key(route.gives)]
    return {name: {"schema": schema} for name in route.media}


def _refusal(status: int, schemas: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schemas[_key(ErrorReply)]}}
    return {"description": http.HTTPStatus(status).phrase, "content": content}


def _parameter(name: str, where: str, meaning: str) -> dict[str, Any]:
    made = {"name": name, "in": where, "required": where == "path", "schema": {"type": "string"}}
    return made | ({"description": meaning} if meaning else {})


def _names(path: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", path)
