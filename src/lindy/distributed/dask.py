"""The engine of Dask: partitions are futures on the workers of a cluster.

A partition is made by a task, so that Dask makes it again when its worker is lost. Arguments go to all workers once
per round. What Dask cannot make again, because the only copy of an argument is gone too, the engine does: it begins
with the sources, derives, and repeats the round.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

from lindy.base import thread_count
from lindy.distributed.engine import Engine, EngineError, attempt, merged, opened, own_version
from lindy.errors import MissingPackageError

TRIES = 3  # of a round
FAN_IN = 8  # results that are merged by one task


class Dask(Engine):
    """Partitions on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    begin : str
        The move that makes a partition of its source, such as ``"read_part"``.
    sources : sequence
        What each partition is made of: names of files, or delayed parts of a frame.
    arguments : tuple
        Further arguments of that move.
    """

    def __init__(
        self, client: Any, begin: str, sources: Sequence[Any], arguments: tuple[Any, ...] = ()
    ) -> None:
        self.client, self.n_partitions = client, len(sources)
        self._sources, self._begin = sources, (begin, arguments)
        self._derived: list[tuple[str, tuple[Any, ...]]] = []
        self._kept: list[Any] = []  # what partitions were derived with, so that Dask can do it again
        self._sent: list[Any] = []  # arguments of the last rounds
        self._held: list[Any] = []
        self._own: Callable[[], None] = lambda: None
        self._again(self._make)
        self.run("name_of")

    def derive(self, move: str, *arguments: Any) -> None:
        """Replace what every partition holds by the result of a move."""
        self._again(lambda: self._derive(move, arguments))
        self._derived.append((move, arguments))  # not before: `_make` derives all of them
        self.run("name_of")

    def run(self, move: str, *arguments: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Return the results of a move in the order of the partitions."""
        results = self._again(lambda: self.client.gather(self._submit(move, arguments, each)))
        return [opened(result) for result in results]

    def total(self, move: str, *arguments: Any) -> Any:
        """Return the merged results of a move; the workers merge, some at a time."""

        def once() -> Any:
            results = self._submit(move, arguments)
            while len(results) > 1:
                groups = [results[i : i + FAN_IN] for i in range(0, len(results), FAN_IN)]
                results = [self.client.submit(merged, group, pure=False) for group in groups]
            return self.client.gather(results[0])

        return opened(self._again(once))

    def _make(self) -> None:
        """Begin with the sources, and derive what was derived."""
        import dask

        begin, arguments = self._begin
        task = dask.delayed(attempt, pure=False)
        self._kept, self._sent = [], []
        self._held = self.client.compute(
            [task(own_version(), begin, source, arguments) for source in self._sources]
        )
        for move, own in self._derived:
            self._derive(move, own)
        self._wait()

    def _derive(self, move: str, arguments: tuple[Any, ...]) -> None:
        self._held = self._submit(move, arguments)
        self._kept.append(self._sent[-1])
        self._wait()

    def _wait(self) -> None:
        import distributed

        distributed.wait(self._held)
        for future in self._held:
            if future.status != "finished":
                future.result()  # raises what went wrong

    def _submit(self, move: str, arguments: tuple[Any, ...], each: Sequence[Any] | None = None) -> list[Any]:
        shared = self.client.scatter(_Sent(arguments), broadcast=True, hash=False)
        self._sent = [*self._sent[-1:], shared]  # those of the last round may still be in use
        last = [()] * self.n_partitions if each is None else [(own,) for own in each]
        return self.client.map(  # type: ignore[no-any-return]
            _perform,
            [own_version()] * self.n_partitions,
            [move] * self.n_partitions,
            self._held,
            last,
            sent=shared,
            pure=False,
        )

    def _again(self, once: Callable[[], Any]) -> Any:
        """Do something; where workers are lost, put the partitions back and do it again."""
        import asyncio
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        lost = (
            KilledWorker,
            CancelledError,
            asyncio.CancelledError,
            OSError,
        )  # moves raise nothing: see `attempt`
        for trial in range(1, TRIES + 1):
            try:
                if trial > 1 and once != self._make:
                    self._make()
                return once()
            except lost as error:
                if self.client.status not in ("running", "connecting") or not self._has_workers():
                    raise EngineError(
                        f"the Dask scheduler is gone: {type(error).__name__}: {error}",
                        "start it again, and train with --resume to go on from the last checkpoint",
                    ) from error
                if trial == TRIES:
                    raise EngineError(
                        f"workers were lost {TRIES} times in the same round: {error}",
                        "they may need more memory: use more and smaller partitions",
                    ) from error
        raise AssertionError

    def _has_workers(self) -> bool:
        """Whether the scheduler answers and has workers, or gets some soon."""
        try:
            self.client.wait_for_workers(1, timeout=30)
        except OSError:  # of which errors of time and of connections are kinds
            return False
        return True

    def on_close(self, end: Callable[[], None] | None) -> None:
        """Say what ends the cluster, if it was begun for this engine."""
        self._own = end or self._own

    def close(self) -> None:
        """Let go of the partitions; a cluster that `connect` began is ended."""
        self._held, self._kept, self._sent = [], [], []
        self._own()


def numbered(parts: Sequence[Any]) -> list[Any]:
    """Return delayed parts, each with its number."""
    import dask

    pair = dask.delayed(lambda number, part: (number, part), pure=False)
    return [pair(number, part) for number, part in enumerate(parts)]


class _Sent:
    """Arguments of a move: Dask would look for futures in a tuple, and its arrays would lie at any address."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (pickle.dumps(self.arguments, protocol=5),)


def _opened(arguments: bytes) -> _Sent:
    return _Sent(pickle.loads(arguments))


def _perform(version: str, move: str, held: Any, last: tuple[Any, ...], sent: _Sent) -> Any:
    return attempt(version, move, held, (*sent.arguments, *last))


def begun(
    client: Any, end: Callable[[], None] | None, begin: str, sources: Sequence[Any], arguments: Any
) -> Dask:
    """Return the engine of a client; what ends the client is done with the engine, also where there will be none."""
    try:
        engine = Dask(client, begin, sources, arguments)
    except BaseException:
        if end is not None:
            end()
        raise
    engine.on_close(end)
    return engine


def current() -> tuple[Any, Callable[[], None] | None]:
    """Return the client that is in use, which nobody here ends, or one of a cluster that is begun."""
    try:
        from distributed import Client

        return Client.current(), None
    except (ImportError, ValueError):  # `connect` says what is missing
        return connect(None)


def connect(address: str | None, workers: int | None = None) -> tuple[Any, Callable[[], None]]:
    """Return a client of the scheduler at an address and what ends it; None starts a cluster on loopback.

    Nothing listens beyond loopback unless somebody else has started it.
    """
    try:
        import distributed
    except ImportError as error:
        raise MissingPackageError("Dask is not installed", "pip install 'lindy[dask]'") from error
    if address is None:
        cluster = distributed.LocalCluster(
            n_workers=workers or thread_count(None),
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # None would still listen, on all addresses
            worker_dashboard_address="127.0.0.1:0",
        )
        client = distributed.Client(cluster)
    else:
        cluster = None
        try:
            client = distributed.Client(address)
        except OSError as error:
            raise EngineError(
                f"no Dask scheduler answers at {address}: {error}",
                "check the address; dask scheduler prints it",
            ) from error

    def end() -> None:
        client.close()
        if cluster is not None:
            cluster.close()

    return client, end
