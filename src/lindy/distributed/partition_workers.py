"""Engines whose workers keep partitions in their memory: what is the same for processes, Dask, and whatever else.

A `PartitionWorker` holds some partitions and answers messages about them: a task for each, whose results take the place
of what is held ("derive"), are sent back ("run"), or are merged first ("total"). `WorkerEngine` is the engine on the
other side; a subclass says only how workers are begun and how they are asked. All that goes to a worker and comes back
is bytes, so that W is pickled once for all of them.

A lost worker changes nothing: its partitions are given to new ones, which do all that was derived again, and only what
it has not answered is asked for once more.
"""

from __future__ import annotations

import pickle
from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from lindy.distributed.engine import Engine, EngineError, attempt, merged, opened, own_version

TRIES = 3  # times that workers may be lost in the same round
Question = tuple[Any, bytes, bytes]
"""A worker, what it and all others are asked, and the numbers of its partitions with what only they get."""


class PartitionWorker:
    """Holds partitions and answers messages about them.

    Parameters
    ----------
    sources : dict
        What each partition is made of, by its number; the first task that is derived makes it.
    threads : int
        How many partitions are worked on at once.
    """

    def __init__(self, sources: dict[int, Any], threads: int = 1) -> None:
        self._held = dict(sources)
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def answer(self, message: bytes, own: bytes) -> bytes:
        """Do a task for some partitions; return None, their results by number, or the merged result."""
        version, how, task, arguments = pickle.loads(message)
        asked: dict[int, tuple[Any, ...]] = pickle.loads(own)

        def work(numbers: Sequence[int]) -> Any:
            found = {
                number: attempt(version, task, self._held[number], (*arguments, *asked[number]))
                for number in numbers
            }
            if how == "derive":
                self._held.update(found)
            return merged(list(found.values())) if how == "total" else found

        numbers = list(asked)
        groups = [numbers[i :: self._threads] for i in range(min(self._threads, len(numbers)))]
        results = list(self._pool.map(work, groups)) if self._pool else [work(group) for group in groups]
        answer: Any = None
        if how == "total":
            answer = merged(results)
        elif how == "run":
            answer = {number: result for found in results for number, result in found.items()}
        return pickle.dumps(answer, protocol=5)


class WorkerEngine(Engine):
    """An engine of workers; subclasses have ``settle``, ``ask`` and perhaps ``let_go``.

    Parameters
    ----------
    begin : str
        The task that makes a partition of its source, such as ``"read_part"``.
    sources : sequence
        What each partition is made of, such as the name of a file.
    arguments : tuple
        Further arguments of that task.
    """

    def __init__(self, begin: str, sources: Sequence[Any], arguments: tuple[Any, ...] = ()) -> None:
        self.n_partitions, self.sources = len(sources), sources
        self.assigned: list[tuple[Any, list[int]]] = []  # workers with the numbers of their partitions
        self._unassigned = list(range(self.n_partitions))
        self._derived: list[bytes] = []
        try:
            self.derive(begin, *arguments)
            self.run("name_of")
        except BaseException:  # nobody else could end what was begun
            self.close()
            raise

    @abstractmethod
    def settle(self, numbers: Sequence[int]) -> list[tuple[Any, list[int]]]:
        """Begin a `PartitionWorker` or several for some partitions; return them with the numbers of theirs.

        What could not be begun is left out, and tried again.
        """

    @abstractmethod
    def ask(self, questions: Sequence[Question]) -> list[bytes | None]:
        """Let workers answer, all at the same time; None stands for the answer of one that is lost."""

    def derive(self, task: str, *arguments: Any) -> None:
        """Replace what every partition holds by the result of a task."""
        message = message_of("derive", task, arguments)
        self._answers(message)
        self._derived.append(message)  # not before: who begins anew derives all of them

    def run(self, task: str, *arguments: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Return the results of a task in the order of the partitions."""
        found: dict[int, Any] = {}
        for results in self._answers(message_of("run", task, arguments), each):
            found |= results
        return [opened(found[number]) for number in range(self.n_partitions)]

    def total(self, task: str, *arguments: Any) -> Any:
        """Return the merged results of a task; every worker merges its own."""
        return opened(merged(self._answers(message_of("total", task, arguments))))

    def _answers(self, message: bytes, each: Sequence[Any] | None = None) -> list[Any]:
        """Return what the workers answer, in any order; each partition is in one of the answers."""
        waiting, answers = set(range(self.n_partitions)), []
        for _ in range(TRIES):
            self.house()
            assigned = [(worker, [one for one in own if one in waiting]) for worker, own in self.assigned]
            for own, answer in self._ask(message, [home for home in assigned if home[1]], each):
                waiting.difference_update(own)
                answers.append(answer)
            if not waiting:
                return answers
        raise EngineError(
            f"workers were lost {TRIES} times in the same round",
            "they may need more memory: use fewer workers on a machine, or more and smaller partitions",
        )

    def house(self) -> None:
        """Give partitions without a worker to new ones, which derive what was derived."""
        if self._unassigned:
            new = self.settle(self._unassigned)
            self.assigned += new
            settled = {number for _, own in new for number in own}
            self._unassigned = [number for number in self._unassigned if number not in settled]
            for message in self._derived:
                self._ask(message, [home for home in new if home in self.assigned])

    def _ask(
        self, message: bytes, assigned: Sequence[tuple[Any, list[int]]], each: Sequence[Any] | None = None
    ) -> list[tuple[list[int], Any]]:
        """Return what workers answer, with the numbers of the partitions; those that are lost are forgotten."""
        if not assigned:
            return []
        questions = [(worker, message, own_part(own, each)) for worker, own in assigned]
        found = []
        for (worker, own), reply in zip(assigned, self.ask(questions), strict=True):
            if reply is not None:
                found.append((own, pickle.loads(reply)))
                continue
            self._unassigned += next(numbers for other, numbers in self.assigned if other is worker)
            self.assigned = [home for home in self.assigned if home[0] is not worker]
        return found


def message_of(how: str, task: str, arguments: tuple[Any, ...]) -> bytes:
    """Return what all workers are asked: "derive", "run" or "total" of a task."""
    return pickle.dumps((own_version(), how, task, arguments), protocol=5)


def own_part(numbers: Sequence[int], each: Sequence[Any] | None = None) -> bytes:
    """Return the numbers of a worker's partitions with what only they get, as a worker takes them."""
    return pickle.dumps({number: () if each is None else (each[number],) for number in numbers}, protocol=5)


Keeper, Keepers = PartitionWorker, WorkerEngine  # their names in 0.2
