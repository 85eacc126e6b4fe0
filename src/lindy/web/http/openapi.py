"""The OpenAPI document, made of the table of routes and the types that decode requests: it says what the code does."""

from __future__ import annotations

import http
import re
from typing import Any

import msgspec

from lindy import __version__
from lindy.web.http.routes import Route
from lindy.web.messages import ErrorReply

_REF = "#/components/schemas/{name}"
_OF_EVERY_ROUTE = (403, 421)  # another site, another host


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
