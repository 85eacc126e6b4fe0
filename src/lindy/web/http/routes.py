"""Which handler answers which address; the OpenAPI document is made of the same table."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from lindy.web.http.problems import Problem
from lindy.web.http.requests import Request, Response

Handler = Callable[..., Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Route:
    """An address and what it does.

    Attributes
    ----------
    method, path : as in OpenAPI: ``{name}`` is any part of an address without a slash
    handler : takes the request, what was decoded of its body if it ``reads`` one, and the parts of the address
    reads, gives : types of ``messages``, or None
    problems : statuses with which it may refuse, beside those of every route
    is_free : whether no token is needed
    parameters : the names of what may stand behind the question mark, with what each means
    media : types of what it reads and gives, where it is not JSON
    is_shown : whether it is part of the API, and so of the OpenAPI document
    """

    method: str
    path: str
    handler: Handler
    summary: str
    reads: Any = None
    gives: Any = None
    problems: tuple[int, ...] = ()
    is_free: bool = False
    parameters: tuple[tuple[str, str], ...] = ()
    media: tuple[str, ...] = ("application/json",)
    is_shown: bool = True
    decoder: Any = None


def _with_decoder(route: Route) -> Route:
    return route if route.reads is None else replace(route, decoder=msgspec.json.Decoder(route.reads))


class Routes:
    """Finds the route of a request."""

    def __init__(self, routes: list[Route]) -> None:
        self.routes = [_with_decoder(route) for route in routes]
        self._fixed = {(r.method, r.path): r for r in self.routes if "{" not in r.path}
        self._patterns = [(_pattern(r.path), r) for r in self.routes if "{" in r.path]

    def find(self, request: Request) -> tuple[Route | None, tuple[str, ...]]:
        """Return the route of a request and the parts of its address; None if there is none."""
        method = "GET" if request.method == "HEAD" else request.method
        route = self._fixed.get((method, request.path))
        if route is not None:
            return route, ()
        for pattern, other in self._patterns:
            if other.method == method and (match := pattern.fullmatch(request.path)):
                return other, match.groups()
        return None, ()

    def missing(self, request: Request) -> Problem:
        """Return what is wrong with a request that has no route: its method or its address."""
        methods = sorted(
            {r.method for (_, path), r in self._fixed.items() if path == request.path}
            | {r.method for pattern, r in self._patterns if pattern.fullmatch(request.path)}
        )
        if methods:
            allowed = ", ".join(methods)
            return Problem(
                405,
                "wrong-method",
                f"{request.method[:20]} is not a method of {request.path[:100]!r}; use {allowed}",
                headers=((b"allow", allowed.encode()),),
            )
        return Problem(
            404, "not-found", f"there is nothing at {request.path[:100]!r}; /docs lists what there is"
        )


def _pattern(path: str) -> re.Pattern[str]:
    """Return what matches a path; ``{name}`` is any part without a slash, and ``{file}`` one with slashes."""
    parts = re.split(r"(\{\w+\})", path)
    kinds = {"{file}": "(.+)"}
    return re.compile("".join(kinds.get(p, "([^/]+)") if p.startswith("{") else re.escape(p) for p in parts))
