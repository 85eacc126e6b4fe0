"""From the options of ``lindy serve`` to a service that answers."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from lindy.errors import LindyError
from lindy.web.application import Application
from lindy.web.feedback import Feedback
from lindy.web.http.addresses import routes_of
from lindy.web.http.guards import SHORTEST_TOKEN, Guard, is_loopback
from lindy.web.http.request_limits import Limits
from lindy.web.model_registry import ModelRegistry
from lindy.web.monitoring import Monitor
from lindy.web.server import Supervisor, Worker, check_workers, listen, say
from lindy.web.service import Service
from lindy.web.testing import TestFile, example_texts


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a service: see ``lindy serve --help``."""

    models: Sequence[str]
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    token: str | None = None
    names: Sequence[str] = ()
    examples: str | None = None
    test: str | None = None
    feedback: str | None = None
    new_labels: bool = False
    access_log: bool = False
    threads: int | None = 1
    limits: Limits = field(default_factory=Limits)


def read_token(path: str | None, host: str) -> str | None:
    """Return the token of a file; without one, nobody but this machine may reach the service."""
    if path is None:
        if is_loopback(host):
            return None
        raise LindyError(
            f"--host {host} lets other machines ask, so a token is needed",
            "write a secret into a file, e.g. with 'openssl rand -hex 32 > token', and give it with --token-file",
        )
    try:
        with open(path, encoding="ascii") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not plain ASCII"
        raise LindyError(f"cannot read the token from {path}: {reason}", "check --token-file") from error
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or " " in token:
        raise LindyError(
            f"{path}: a token must have at least {SHORTEST_TOKEN} characters, without spaces",
            "make one with 'openssl rand -hex 32'",
        )
    return token


class Running:
    """A service with its parts, before it answers."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        check_workers(settings.workers)
        self.monitor = Monitor(settings.workers, access_log=settings.access_log)
        shelf = ModelRegistry.load(settings.models, threads=settings.threads)
        test = None if settings.test is None else TestFile(settings.test)
        _check_test(test, shelf)
        source = settings.examples or settings.test
        self.service = Service(
            shelf,
            settings.limits,
            [] if source is None else example_texts(shelf.models.values(), source),
            test,
            _feedback(settings, shelf),
            self.monitor,
        )
        routes = routes_of(self.service)
        self.monitor.begin(routes.routes, shelf.models, self.service.models_now)
        guard = Guard(settings.host, settings.names, settings.token)
        self.application = Application(routes, guard, settings.limits, self.monitor.watch)

    def reload(self, *, quietly: bool = False) -> bool:
        """Load the models again; those that are served stay unless all files are good."""
        try:
            shelf = ModelRegistry.load(self.settings.models, threads=self.settings.threads)
            _check_test(self.service.test, shelf, quietly=quietly)
            feedback = _feedback(self.settings, shelf)  # the new models may have other columns
        except (LindyError, OSError, MemoryError) as error:
            say(f"kept the old models: {error or type(error).__name__}")
            return False
        self.service.shelf, self.service.feedback = shelf, feedback
        if not quietly:
            say(f"loaded again: {', '.join(shelf.models)}")
        return True

    def run(self, listening: socket.socket, begun: Callable[[], None]) -> None:
        """Answer until a signal ends it; ``begun`` is called when it listens to signals."""
        settings = self.settings
        if settings.workers == 1:
            Worker(self.application, settings.limits, self.reload, begun).run([listening])
            return

        def begin(number: int, lifeline: int) -> None:
            self.monitor.worker = number
            reload = partial(self.reload, quietly=True)
            Worker(self.application, settings.limits, reload, lambda: None, lifeline).run([listening])

        Supervisor(settings.workers, begin, self.reload, listening).run(begun)


def _check_test(test: TestFile | None, shelf: ModelRegistry, *, quietly: bool = False) -> None:
    """Refuse a test table that fits no model, and say which models it does not fit."""
    unfit = [] if test is None else test.check(shelf.models.values())
    for reason in unfit if not quietly else ():
        say(f"--test is not shown for {reason}")


def _feedback(settings: Settings, shelf: ModelRegistry) -> Feedback | None:
    """Return where corrections of these models go, if they are kept."""
    if settings.feedback is None:
        return None
    return Feedback(settings.feedback, shelf.models.values(), new_labels=settings.new_labels)


def check(settings: Settings) -> None:
    """Load everything and listen for a moment: whether ``serve`` would work."""
    running = Running(settings)
    listen(settings.host, settings.port).close()
    say(f"all is well: {', '.join(running.service.shelf.models)} could be served")


def serve(settings: Settings) -> None:
    """Check everything, listen, say where, and answer."""
    running = Running(settings)
    listening = listen(settings.host, settings.port)
    name = f"[{settings.host}]" if ":" in settings.host else settings.host
    models, port = ", ".join(running.service.shelf.models), listening.getsockname()[1]
    with listening:
        running.run(listening, lambda: say(f"serving {models} at http://{name}:{port}/ (Ctrl-C ends)"))
    say("ended")
