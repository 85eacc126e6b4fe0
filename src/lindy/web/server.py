"""The processes of the service: a socket, workers that answer on it, and the signals they listen to.

One worker is the process itself. More of them are forked when the models are loaded, so that all share the mapped
files; the first process then only waits: it passes signals on and replaces a worker that has died.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from lindy.errors import LindyError
from lindy.files.system import IS_POSIX
from lindy.sanitize import sanitize
from lindy.web.http.guards import SECURITY_HEADERS
from lindy.web.http.protocol import limited_protocol, watch_connections
from lindy.web.http.request_limits import Limits

_BACKLOG = 2048
_PAUSE = 1.0  # seconds before a worker that died at once is replaced
_ENDING = (signal.SIGINT, signal.SIGTERM)


def say(message: str) -> None:
    """Write a line for who runs the service."""
    sys.stderr.write(f"{sanitize(message)}\n")
    sys.stderr.flush()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any that is free."""
    made = None
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, socket.SOCK_STREAM)
        # on Windows, SO_REUSEADDR would let others answer on the same port
        option = socket.SO_REUSEADDR if IS_POSIX else getattr(socket, "SO_EXCLUSIVEADDRUSE", None)
        if option is not None:
            made.setsockopt(socket.SOL_SOCKET, option, 1)
        made.bind(address)
        made.listen(_BACKLOG)
    except (OSError, UnicodeError) as error:
        if made is not None:
            made.close()
        raise _unusable(host, port, error) from error
    return made


def check_workers(count: int) -> None:
    """Refuse several processes where a process cannot be forked."""
    if count > 1 and not hasattr(os, "fork"):
        raise LindyError(
            f"--workers {count}: this system has no fork, with which several processes share the models",
            "leave out --workers; on Windows, several processes work in WSL",
        )


def _unusable(host: str, port: int, error: OSError | UnicodeError) -> LindyError:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return LindyError(f"port {port} of {host} is in use", "choose another one with --port; 0 takes any")
    if number in (errno.EACCES, getattr(errno, "WSAEACCES", errno.EACCES)):
        return LindyError(f"no permission to use port {port}", "choose a port above 1023 with --port")
    reason = getattr(error, "strerror", None) or "it is no address"
    return LindyError(f"cannot listen on {host}, port {port}: {reason}", "check --host and --port")


class Worker(uvicorn.Server):
    """A process that answers: ends on SIGINT and SIGTERM when the last requests are answered, reloads on SIGHUP.

    Windows has no SIGHUP, and its loops hear no signals: a handler tells them.

    ``begun`` is called when it listens to them. It also ends when the other end of the pipe ``lifeline`` is gone, and
    with it the process that watches over it.
    """

    def __init__(
        self,
        application: Any,
        limits: Limits,
        reload: Callable[[], Any],
        begun: Callable[[], None],
        lifeline: int | None = None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                loop="uvloop" if IS_POSIX else "asyncio",
                http=limited_protocol(limits),
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # ``guards.client_of`` reads them where they matter
                headers=list(SECURITY_HEADERS),
                timeout_keep_alive=limits.keep_alive,
                timeout_graceful_shutdown=limits.shutdown_seconds,
                backlog=_BACKLOG,
            )
        )
        logging.getLogger("uvicorn").setLevel(
            logging.CRITICAL
        )  # the service has its own words for everything
        self._reload, self._begun, self._lifeline = reload, begun, lifeline
        self._reloading: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Listen to signals by the loop, which hears them also while it waits."""
        loop = asyncio.get_running_loop()
        if IS_POSIX:
            for number in _ENDING:
                loop.add_signal_handler(number, self._end)
            loop.add_signal_handler(signal.SIGHUP, self._load_again)
        else:
            for number in (*_ENDING, getattr(signal, "SIGBREAK", signal.SIGINT)):  # Ctrl-Break, on Windows
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(self._end))
        if self._lifeline is not None:
            loop.add_reader(self._lifeline, self._end)
        watch_connections(self.server_state.connections)
        self._begun()
        yield

    def _end(self) -> None:
        self.should_exit = True
        if self._lifeline is not None:
            asyncio.get_running_loop().remove_reader(self._lifeline)

    def _load_again(self) -> None:
        if self._reloading is None or self._reloading.done():
            self._reloading = asyncio.ensure_future(asyncio.to_thread(self._reload))


class Supervisor:
    """Keeps a number of workers running.

    Parameters
    ----------
    count : int
    begin : function of a worker's number and its lifeline, which answers until it is told to end; runs in the worker
    reload : function, whether new models could be loaded; workers are told only then
    listening : what the workers answer on, which is closed when they are told to end
    """

    def __init__(
        self,
        count: int,
        begin: Callable[[int, int], None],
        reload: Callable[[], bool],
        listening: socket.socket,
    ) -> None:
        self._count, self._begin, self._reload, self._listening = count, begin, reload, listening
        self._numbers: dict[int, int] = {}  # of the workers, by their processes
        self._ending = False
        self._lifeline, self._held = os.pipe()

    def run(self, begun: Callable[[], None]) -> None:
        """Start the workers, say so, and return when all have ended because they were told to."""
        signals = {*_ENDING, signal.SIGHUP, signal.SIGCHLD}
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        for number in range(self._count):
            self._start(number)
        begun()
        while self._numbers:
            came = signal.sigwait(signals)
            if came == signal.SIGHUP:
                if self._reload():
                    self._tell(signal.SIGHUP)
            elif came in _ENDING:
                self._ending = True
                self._listening.close()
                self._tell(signal.SIGTERM)
            self._bury()

    def _start(self, number: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process:
            self._numbers[process] = number
            return
        code = 1
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, set())
            os.close(self._held)
            self._begin(number, self._lifeline)
            code = 0
        except Exception:  # the exit below would end the process without a word
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(code)

    def _tell(self, number: signal.Signals) -> None:
        for process in self._numbers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def _bury(self) -> None:
        """Replace workers that have died."""
        while self._numbers:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            number = self._numbers.pop(process, None)
            if number is None or self._ending:
                continue
            say(f"worker {number + 1} has died ({_cause(status)}); another takes its place")
            time.sleep(_PAUSE)
            self._start(number)


def _cause(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else f"exit code {code}"
