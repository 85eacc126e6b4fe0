"""The processes of the service: a socket, workers that answer on it, and the signals they listen to."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from lindy.errors import LindyError
from lindy.web.guards import SECURITY_HEADERS
from lindy.web.limits import Limits

_BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any that is free."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_BACKLOG)
    except OSError as error:
        raise _unusable(host, port, error) from error
    return made


def _unusable(host: str, port: int, error: OSError) -> LindyError:
    if error.errno == errno.EADDRINUSE:
        return LindyError(f"port {port} of {host} is in use", "choose another one with --port, or 0 for any")
    if error.errno == errno.EACCES:
        return LindyError(f"no permission to use port {port}", "choose a port above 1023 with --port")
    reason = error.strerror or str(error)
    return LindyError(f"cannot listen on {host}, port {port}: {reason}", "check --host and --port")


class Worker(uvicorn.Server):
    """A process that answers: ends on SIGINT and SIGTERM when the last requests are answered, reloads on SIGHUP."""

    def __init__(self, application: Any, limits: Limits, reload: Callable[[], Any]) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                loop="uvloop",
                http="httptools",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                headers=list(SECURITY_HEADERS),
                timeout_keep_alive=limits.keep_alive,
                timeout_graceful_shutdown=limits.shutdown_seconds,
                backlog=_BACKLOG,
            )
        )
        self._reload = reload

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Listen to signals by the loop, which hears them also while it waits."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end)
        loop.add_signal_handler(signal.SIGHUP, self._reload)
        yield

    def _end(self) -> None:
        self.should_exit = True
