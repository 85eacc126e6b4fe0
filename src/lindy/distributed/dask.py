"""The engine of Dask: on every worker of a cluster an actor keeps partitions, and is asked directly.

A round of tasks costs Dask some 20 ms for what the scheduler, the client and the workers tell one another; a call of an
actor is one message there and one back, 1 to 2 ms. Up to `Dask.few` workers the client merges what they answer. Of
more, the question goes to all workers in Dask's own way, and tasks merge the answers, some at a time.

Sources that are parts of a frame are computed by Dask, and kept by the workers that have computed them.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, ClassVar

from lindy.distributed.clusters import PATIENCE, dask_workers
from lindy.distributed.engine import merged, opened
from lindy.distributed.partition_workers import (
    TRIES,
    PartitionWorker,
    Question,
    WorkerEngine,
    message_of,
    own_part,
)

FAN_IN = 8  # answers that a task merges
GONE = ("error", "lost", "cancelled")  # states of a future whose value is no longer there
LOST = "Worker holding Actor was lost"  # what Dask says then, in a RuntimeError


@dataclass(frozen=True, eq=False, slots=True)
class _Desk:
    """An actor, the future that keeps it, and the address of its worker."""

    actor: Any
    future: Any
    worker: str


class Dask(WorkerEngine):
    """Partitions on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    begin : str
        The task that makes a partition of its source, such as ``"read_part"``.
    sources : sequence
        What each partition is made of: names of files, or delayed parts of a frame.
    arguments : tuple
        Further arguments of that task.
    """

    few: ClassVar[int] = 8  # workers whose answers the client merges
    look: ClassVar[float] = 2.0  # seconds of waiting after which it is looked whether there are workers
    patience: ClassVar[float] = PATIENCE  # seconds in which a lost worker must come back

    def __init__(
        self, client: Any, begin: str, sources: Sequence[Any], arguments: tuple[Any, ...] = ()
    ) -> None:
        self.client = client
        super().__init__(begin, sources, arguments)

    def settle(self, numbers: Sequence[int]) -> list[tuple[Any, list[int]]]:
        """Begin an actor on every worker that gets partitions."""
        threads = dask_workers(self.client, self.patience)
        groups: dict[str, list[tuple[int, Any]]] = {}
        for number, (source, worker) in zip(numbers, self._placed(numbers, threads), strict=True):
            groups.setdefault(worker, []).append((number, source))
        begun = []
        for worker, sources in groups.items():
            options = {"actor": True, "workers": [worker]}
            begun.append(self.client.submit(_PartitionWorker, sources, threads.get(worker, 1), **options))
        assigned = []
        for future, (worker, sources) in zip(begun, groups.items(), strict=True):
            actor = self._heard(future.result, [_Desk(None, future, worker)])
            if actor is not None:
                assigned.append((_Desk(actor, future, worker), [number for number, _ in sources]))
        return assigned

    def _placed(self, numbers: Sequence[int], threads: dict[str, int]) -> list[tuple[Any, str]]:
        """Return sources as Dask takes them, and the worker for each: where it is, or as many for each thread."""
        import dask
        import distributed

        sources = [self.sources[number] for number in numbers]
        turns = [worker for worker, n in sorted(threads.items()) for _ in range(n)]
        turn = [turns[k % len(turns)] for k in range(len(sources))]
        if not any(dask.is_dask_collection(source) for source in sources):
            packed = [pickle.dumps(source, protocol=5) for source in sources]  # Dask would search them
            return list(zip(packed, turn, strict=True))
        futures = self.client.compute(sources)
        self._heard(lambda seconds: distributed.wait(futures, seconds), ())
        known = self.client.who_has(futures)
        return [
            (future, next(iter(known.get(future.key, ())), worker))
            for future, worker in zip(futures, turn, strict=True)
        ]

    def ask(self, questions: Sequence[Question]) -> list[bytes | None]:
        """Let actors answer, all at the same time."""
        asked: list[Any] = []
        for desk, message, own in questions:
            try:
                asked.append(desk.actor.answer(message, own))
            except RuntimeError:  # the client knows already that the worker is lost
                asked.append(None)
        return [
            None if answer is None else self._heard(answer.result, (desk,))
            for answer, (desk, _, _) in zip(asked, questions, strict=True)
        ]

    def total(self, task: str, *arguments: Any) -> Any:
        """Return the merged results of a task; many workers merge among themselves, some at a time."""
        message = message_of("total", task, arguments)
        for _ in range(TRIES):
            self.house()
            if len(self.assigned) <= self.few:
                break
            shared = self.client.scatter(message, broadcast=True, hash=False)
            results = [
                self.client.submit(
                    _told, desk.future, shared, own_part(own), workers=[desk.worker], pure=False
                )
                for desk, own in self.assigned
            ]
            while len(results) > 1:
                some = [results[i : i + FAN_IN] for i in range(0, len(results), FAN_IN)]
                results = [self.client.submit(_merged, group, pure=False) for group in some]
            reply = self._heard(results[0].result, [desk for desk, _ in self.assigned])
            if reply is not None:
                return opened(pickle.loads(reply))
            self.run("name_of")  # finds out who is lost
        return super().total(task, *arguments)

    def _heard(self, result: Callable[[float], Any], desks: Collection[_Desk]) -> Any:
        """Return a result of Dask, however long it takes; None if a worker is lost without which it does not come."""
        from distributed import KilledWorker

        while True:
            try:
                return result(self.look)
            except TimeoutError:  # a kind of OSError
                there = dask_workers(self.client, self.patience)
                if any(desk.worker not in there or desk.future.status in GONE for desk in desks):
                    return None
            except (KilledWorker, CancelledError, asyncio.CancelledError, OSError, RuntimeError) as error:
                if isinstance(error, RuntimeError) and LOST not in str(error):
                    raise
                dask_workers(self.client, self.patience, error)
                return None

    def let_go(self) -> None:
        """Let go of the partitions."""
        self.assigned = []


class _PartitionWorker(PartitionWorker):
    """A worker as an actor."""

    def __init__(self, sources: Sequence[tuple[int, Any]], threads: int) -> None:
        found = {number: pickle.loads(own) if isinstance(own, bytes) else own for number, own in sources}
        super().__init__(found, threads)


def _told(actor: Any, message: bytes, own: bytes) -> bytes:
    answer: bytes = actor.answer(message, own).result()
    return answer


def _merged(answers: Sequence[bytes]) -> bytes:
    return pickle.dumps(merged([pickle.loads(answer) for answer in answers]), protocol=5)
