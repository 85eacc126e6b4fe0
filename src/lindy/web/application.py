"""The service as an ASGI application: every request through the guard to its handler, every answer from here."""

from __future__ import annotations

import asyncio
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from lindy.sanitize import sanitize
from lindy.web.http.guards import Guard
from lindy.web.http.problems import ClientGoneError, Problem, full_disk
from lindy.web.http.request_limits import Limits
from lindy.web.http.requests import Request, Response, problem_response
from lindy.web.http.routes import Route, Routes

T = TypeVar("T")
Send = Callable[[dict[str, Any]], Awaitable[None]]
Watcher = Callable[[Request, Route | None, int, float], None]

QUICK = 1 << 14
"""Characters that are predicted at once, faster than another thread would begin; more must not keep others waiting."""
_THREADS = 4
_DRAINED = 64 << 20  # bytes of a refused body that are read, so that the client gets to the answer
_DRAIN_SECONDS = 2.0


class Application:
    """Answers requests by a table of routes.

    Parameters
    ----------
    routes : Routes
    guard : Guard
    limits : Limits
    watch : function or None
        Called after every answer with the request, its route, the status and the seconds that it took.
    """

    def __init__(self, routes: Routes, guard: Guard, limits: Limits, watch: Watcher | None = None) -> None:
        self.routes, self.guard, self.limits, self._watch = routes, guard, limits, watch
        self.in_flight = 0

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Send) -> None:
        """Answer one request."""
        begun = time.perf_counter()
        request, route = None, None
        self.in_flight += 1
        try:
            try:
                request = Request.of(scope, receive)
                route, parts = self.routes.find(request)
                self.guard.check(request, is_free=route is not None and route.is_free)
                if route is None:
                    raise self.routes.missing(request)
                if self.in_flight > self.limits.requests and not route.is_free:
                    raise _busy()
                if route.decoder is None:
                    response = await route.handler(request, *parts)
                else:
                    asked: Any = await request.json(route.decoder, self.limits)
                    response = await route.handler(request, asked, *parts)
            except Problem as problem:
                response = problem_response(problem)
            except ClientGoneError:
                return
            except Exception as error:
                response = problem_response(_ours(error))
            await _send(request, response, send)
            if self._watch is not None and request is not None:
                self._watch(request, route, response.status, time.perf_counter() - begun)
        except (Problem, ClientGoneError) as broken:
            # the answer ends before its end, which the server makes the client notice
            if isinstance(broken, Problem):
                sys.stderr.write(f"an answer broke off: {sanitize(broken.message)}\n")
        except Exception:
            # a mistake of ours after the answer has begun: the server, which says nothing about it, ends the answer
            traceback.print_exc(file=sys.stderr)
            raise
        finally:
            self.in_flight -= 1


def _ours(error: Exception) -> Problem:
    """Return what a client learns of something that is not its fault; the log has the rest."""
    full = full_disk(error) if isinstance(error, OSError) else None
    if full is not None:
        sys.stderr.write(f"no room: {sanitize(str(error))}\n")
        return full
    traceback.print_exception(error, file=sys.stderr)
    return Problem(500, "internal", "the service made a mistake; its log says which")


async def _send(request: Request | None, response: Response, give: Send) -> None:
    async def send(message: dict[str, Any]) -> None:
        try:
            await give(message)
        except RuntimeError:  # of a connection that was closed before the server noticed
            if request is not None and request.is_gone:
                raise ClientGoneError from None
            raise

    if response.pieces is not None:
        await send({"type": "http.response.start", "status": response.status, "headers": response.headers})
        async for piece in response.pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        return
    unread = request is not None and not request.body_is_read and _has_body(request)
    headers = [*response.headers, (b"content-length", b"%d" % len(response.body))]
    if unread:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    if unread and request is not None:
        await send({"type": "http.response.body", "body": response.body, "more_body": True})
        await _drain(request)
        await send({"type": "http.response.body", "body": b""})
        return
    await send({"type": "http.response.body", "body": response.body})


def _has_body(request: Request) -> bool:
    return request.method in ("POST", "PUT", "PATCH") and request.content_length != 0


async def _drain(request: Request) -> None:
    """Read on for a while: a connection that is closed while the client still sends takes the answer with it."""
    left = _DRAINED
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for part in request.parts():
                left -= len(part)
                if left < 0:
                    return
    except (TimeoutError, ClientGoneError):
        return


def _busy() -> Problem:
    return Problem(
        503,
        "busy",
        "the service answers as many requests as it can; ask again in a second",
        headers=((b"retry-after", b"1"),),
    )


class Workbench:
    """Where work is done that takes longer than a wait: a few threads, beside the loop that answers."""

    def __init__(self, threads: int = _THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="work")

    async def __call__(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return what a function returns, without keeping others waiting."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)

    def close(self) -> None:
        """End the threads when their work is done."""
        self._pool.shutdown()
