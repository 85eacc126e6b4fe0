"""The engine of Dask: partitions are futures on the workers of a cluster.

A partition is made by a task, so that Dask makes it again when its worker is lost. A round is one task for every thread
of a worker that holds partitions, and some more that merge: Dask takes about a millisecond of the client, the scheduler
and a worker for each. Arguments go to all workers once per round. What Dask cannot make again, because the only copy of
an argument is gone too, the engine does: it begins with the sources, derives, and repeats the round.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from typing import Any

from lindy.distributed.clusters import RETURN
from lindy.distributed.engine import Engine, EngineError, attempt, merged, opened, own_version

TRIES = 3  # of a round
FAN_IN = 8  # results that are merged by one task
LOOK = 5.0  # seconds of waiting after which it is looked whether there are workers


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
        self._groups: list[list[int]] = []  # the partitions that one thread works on
        self._again(self._make)
        self.run("name_of")

    def derive(self, move: str, *arguments: Any) -> None:
        """Replace what every partition holds by the result of a move."""
        self._again(lambda: self._derive(move, arguments))
        self._derived.append((move, arguments))  # not before: `_make` derives all of them
        self.run("name_of")

    def run(self, move: str, *arguments: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Return the results of a move in the order of the partitions."""
        results = self._again(lambda: self._results(self._submit(move, arguments, each)))
        return [opened(result) for result in results]

    def total(self, move: str, *arguments: Any) -> Any:
        """Return the merged results of a move; the workers merge, some at a time."""

        def once() -> Any:
            results = self._submit(move, arguments, groups=self._groups)
            while len(results) > 1:
                some = [results[i : i + FAN_IN] for i in range(0, len(results), FAN_IN)]
                results = [self.client.submit(merged, group, pure=False) for group in some]
            return self._results(results)[0]

        return opened(self._again(once))

    def _make(self) -> None:
        """Begin with the sources, and derive what was derived."""
        import dask

        begin, arguments = self._begin
        task = dask.delayed(attempt, pure=False)
        tasks = [task(own_version(), begin, source, arguments) for source in self._sources]
        self._kept, self._sent = [], []
        if any(dask.is_dask_collection(source) for source in self._sources):
            self._held = self.client.compute(tasks)  # where the frame is
        else:  # as many for each thread, which Dask promises only if all are equally fast
            threads = [worker for worker, n in sorted(self.client.nthreads().items()) for _ in range(n)]
            places = [threads[k % len(threads)] if threads else [] for k in range(len(tasks))]
            self._held = [
                self.client.compute(one, workers=place or None, allow_other_workers=bool(place))
                for one, place in zip(tasks, places, strict=True)
            ]
        for move, own in self._derived:
            self._derive(move, own)
        self._wait()

    def _derive(self, move: str, arguments: tuple[Any, ...]) -> None:
        self._held = self._submit(move, arguments)
        self._kept.append(self._sent[-1])
        self._wait()

    def _wait(self) -> None:
        """Wait for the partitions, and see which worker holds which."""
        self._finish(self._held)
        for future in self._held:
            if future.status != "finished":
                future.result()  # raises what went wrong
        threads, places = self.client.nthreads(), self.client.who_has(self._held)
        of_worker: dict[str, list[int]] = {}
        for number, future in enumerate(self._held):
            of_worker.setdefault(next(iter(places.get(future.key, ())), ""), []).append(number)
        self._groups = [
            own[i :: threads.get(worker, 1)]
            for worker, own in of_worker.items()
            for i in range(min(threads.get(worker, 1), len(own)))
        ]

    def _results(self, futures: Sequence[Any]) -> list[Any]:
        self._finish(futures)
        results: list[Any] = self.client.gather(futures)
        return results

    def _finish(self, futures: Sequence[Any]) -> None:
        """Wait for tasks as long as there are workers; Dask itself would wait for ever for others."""
        import distributed

        while True:
            try:
                distributed.wait(futures, timeout=LOOK)
            except TimeoutError as error:
                self._await_workers(error)
            else:
                return

    def _submit(
        self,
        move: str,
        arguments: tuple[Any, ...],
        each: Sequence[Any] | None = None,
        groups: Sequence[Sequence[int]] | None = None,
    ) -> list[Any]:
        """Return futures of a move: of every partition, or, merged, of every group."""
        shared = self.client.scatter(_Sent(arguments), broadcast=True, hash=False)
        self._sent = [*self._sent[-1:], shared]  # those of the last round may still be in use
        if groups is not None:
            of_groups = [[self._held[number] for number in group] for group in groups]
            return [
                self.client.submit(_total, own_version(), move, held, shared, pure=False)
                for held in of_groups
            ]
        last = [()] * self.n_partitions if each is None else [(own,) for own in each]
        return [
            self.client.submit(_perform, own_version(), move, held, own, shared, pure=False)
            for held, own in zip(self._held, last, strict=True)
        ]

    def _again(self, once: Callable[[], Any]) -> Any:
        """Do something; where workers are lost, put the partitions back and do it again."""
        import asyncio
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        # moves raise nothing (see `attempt`), so that these are about workers and the scheduler
        lost = (KilledWorker, CancelledError, asyncio.CancelledError, OSError)
        for trial in range(1, TRIES + 1):
            try:
                if trial > 1 and once != self._make:
                    self._make()
                return once()
            except lost as error:
                self._await_workers(error)
                if trial == TRIES:
                    raise EngineError(
                        f"workers were lost {TRIES} times in the same round: {error}",
                        "they may need more memory: use more and smaller partitions",
                    ) from error
        raise AssertionError

    def _await_workers(self, lost: BaseException) -> None:
        """Return when there are workers; EngineError if the scheduler does not answer, or if no worker comes back."""
        latest = time.monotonic() + RETURN
        try:
            while self.client.status in ("running", "connecting"):
                if self.client.nthreads():
                    return
                if time.monotonic() > latest:
                    raise EngineError(
                        f"all workers of the Dask cluster are gone, and none came back within {RETURN} s",
                        "see why they end: they may need more memory",
                    ) from lost
                time.sleep(0.1)
        except OSError:  # of which errors of time and of connections are kinds
            pass
        raise EngineError(
            f"the Dask scheduler is gone: {type(lost).__name__}: {lost}",
            "start it again, and train again; maxent, svm and nb-svm go on from their last round with --resume",
        ) from lost

    def let_go(self) -> None:
        """Let go of the partitions."""
        self._held, self._kept, self._sent = [], [], []


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


def _total(version: str, move: str, held: list[Any], sent: _Sent) -> Any:
    return merged([attempt(version, move, one, sent.arguments) for one in held])
