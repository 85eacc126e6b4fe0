"""Engines whose workers keep partitions in their memory: what is the same for processes, Dask, and whatever else.

A `Keeper` lives in a worker. It holds some partitions and answers messages about them: a move for each, whose results
take the place of what is held ("derive"), are sent back ("run"), or are merged first ("total"). `Keepers` is the engine
on the other side; a subclass says only how keepers are begun and how they are asked. All that goes to a keeper and
comes back is bytes, so that W is pickled once for all of them.

A lost keeper changes nothing: its partitions are given to new ones, which do all that was derived again, and only what
it has not answered is asked for once more.
"""

from __future__ import annotations

import pickle
from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from lindy.distributed.engine import Engine, EngineError, attempt, merged, opened, own_version

TRIES = 3  # times that keepers may be lost in the same round
Question = tuple[Any, bytes, bytes]
"""A keeper, what it and all others are asked, and the numbers of its partitions with what only they get."""


class Keeper:
    """Holds partitions and answers messages about them.

    Parameters
    ----------
    sources : dict
        What each partition is made of, by its number; the first move that is derived makes it.
    threads : int
        How many partitions are worked on at once.
    """

    def __init__(self, sources: dict[int, Any], threads: int = 1) -> None:
        self._held = dict(sources)
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def answer(self, message: bytes, own: bytes) -> bytes:
        """Do a move for some partitions; return None, their results by number, or the merged result."""
        version, how, move, arguments = pickle.loads(message)
        asked: dict[int, tuple[Any, ...]] = pickle.loads(own)

        def work(numbers: Sequence[int]) -> Any:
            found = {
                number: attempt(version, move, self._held[number], (*arguments, *asked[number]))
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


class Keepers(Engine):
    """An engine of keepers; subclasses have ``settle``, ``ask`` and perhaps ``let_go``.

    Parameters
    ----------
    begin : str
        The move that makes a partition of its source, such as ``"read_part"``.
    sources : sequence
        What each partition is made of, such as the name of a file.
    arguments : tuple
        Further arguments of that move.
    """

    def __init__(self, begin: str, sources: Sequence[Any], arguments: tuple[Any, ...] = ()) -> None:
        self.n_partitions, self.sources = len(sources), sources
        self.homes: list[tuple[Any, list[int]]] = []  # keepers with the numbers of their partitions
        self._homeless = list(range(self.n_partitions))
        self._derived: list[bytes] = []
        try:
            self.derive(begin, *arguments)
            self.run("name_of")
        except BaseException:  # nobody else could end what was begun
            self.close()
            raise

    @abstractmethod
    def settle(self, numbers: Sequence[int]) -> list[tuple[Any, list[int]]]:
        """Begin a `Keeper` or several for some partitions; return them with the numbers of theirs.

        What could not be begun is left out, and tried again.
        """

    @abstractmethod
    def ask(self, questions: Sequence[Question]) -> list[bytes | None]:
        """Let keepers answer, all at the same time; None stands for the answer of one that is lost."""

    def derive(self, move: str, *arguments: Any) -> None:
        """Replace what every partition holds by the result of a move."""
        message = message_of("derive", move, arguments)
        self._answers(message)
        self._derived.append(message)  # not before: who begins anew derives all of them

    def run(self, move: str, *arguments: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Return the results of a move in the order of the partitions."""
        found: dict[int, Any] = {}
        for results in self._answers(message_of("run", move, arguments), each):
            found |= results
        return [opened(found[number]) for number in range(self.n_partitions)]

    def total(self, move: str, *arguments: Any) -> Any:
        """Return the merged results of a move; every keeper merges its own."""
        return opened(merged(self._answers(message_of("total", move, arguments))))

    def _answers(self, message: bytes, each: Sequence[Any] | None = None) -> list[Any]:
        """Return what the keepers answer, in any order; each partition is in one of the answers."""
        waiting, answers = set(range(self.n_partitions)), []
        for _ in range(TRIES):
            self.house()
            homes = [(keeper, [one for one in own if one in waiting]) for keeper, own in self.homes]
            for own, answer in self._ask(message, [home for home in homes if home[1]], each):
                waiting.difference_update(own)
                answers.append(answer)
            if not waiting:
                return answers
        raise EngineError(
            f"workers were lost {TRIES} times in the same round",
            "they may need more memory: use fewer workers on a machine, or more and smaller partitions",
        )

    def house(self) -> None:
        """Give partitions without a keeper to new ones, which derive what was derived."""
        if self._homeless:
            new = self.settle(self._homeless)
            self.homes += new
            settled = {number for _, own in new for number in own}
            self._homeless = [number for number in self._homeless if number not in settled]
            for message in self._derived:
                self._ask(message, [home for home in new if home in self.homes])

    def _ask(
        self, message: bytes, homes: Sequence[tuple[Any, list[int]]], each: Sequence[Any] | None = None
    ) -> list[tuple[list[int], Any]]:
        """Return what keepers answer, with the numbers of the partitions; those that are lost are forgotten."""
        if not homes:
            return []
        questions = [(keeper, message, own_part(own, each)) for keeper, own in homes]
        found = []
        for (keeper, own), reply in zip(homes, self.ask(questions), strict=True):
            if reply is not None:
                found.append((own, pickle.loads(reply)))
                continue
            self._homeless += next(numbers for other, numbers in self.homes if other is keeper)
            self.homes = [home for home in self.homes if home[0] is not keeper]
        return found


def message_of(how: str, move: str, arguments: tuple[Any, ...]) -> bytes:
    """Return what all keepers are asked: "derive", "run" or "total" of a move."""
    return pickle.dumps((own_version(), how, move, arguments), protocol=5)


def own_part(numbers: Sequence[int], each: Sequence[Any] | None = None) -> bytes:
    """Return the numbers of a keeper's partitions with what only they get, as a keeper takes them."""
    return pickle.dumps({number: () if each is None else (each[number],) for number in numbers}, protocol=5)
