"""The protocol of engines, which hold partitions where they are, and run tasks on them.

A task is a function of `lindy.distributed.tasks` whose first argument is what a partition holds. An engine can

    derive   put the result of a task in the place of what every partition holds; it stays where it is
    run      return the results of a task, in the order of the partitions
    total    return the results of a task, merged (``a.merged(b)``) as near to the partitions as the engine can

The results of exact tasks do not depend on the order in which they are merged. An engine keeps no state that it cannot
make again: when a worker is lost, what its partitions held is read and derived anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self

from lindy.errors import DataError, LindyError


class EngineError(LindyError):
    """Workers, a scheduler or a driver that are gone, or that cannot be used."""


class Engine(ABC):
    """Holds partitions and runs tasks on them; leave with ``close`` or use it in a ``with`` statement."""

    n_partitions: int
    _ending: Callable[[], None] | None = None

    @abstractmethod
    def derive(self, task: str, *arguments: Any) -> None:
        """Replace what every partition holds by the result of a task."""

    @abstractmethod
    def run(self, task: str, *arguments: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Return the results of a task in the order of the partitions.

        ``each`` has one more argument for every partition, which is its last.
        """

    def total(self, task: str, *arguments: Any) -> Any:
        """Return the merged results of a task."""
        return opened(merged(self.run(task, *arguments)))

    def let_go(self) -> None:  # noqa: B027 (nothing, unless the engine would keep them)
        """Let go of the partitions."""

    def close(self) -> None:
        """Let go of the partitions, and end what was begun for this engine."""
        try:
            self.let_go()
        finally:
            end, self._ending = self._ending, None
            if end is not None:
                end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def begun(make: Callable[[], Engine], end: Callable[[], None] | None) -> Engine:
    """Return an engine; ``end`` ends what it runs on: with the engine, or now, if the engine cannot be made."""
    try:
        engine = make()
    except BaseException:
        if end is not None:
            end()
        raise
    engine._ending = end
    return engine


@dataclass(frozen=True, slots=True)
class Failed:
    """The error of a task, in the place of its result: it travels to who asked, as it is."""

    error: Exception

    def merged(self, other: Any) -> Failed:  # noqa: ARG002
        """Stay what it is."""
        return self


def merged(results: Sequence[Any]) -> Any:
    """Return results as one, or why they cannot be merged."""
    try:
        return reduce(lambda a, b: b if isinstance(b, Failed) else a.merged(b), results)
    except Exception as error:  # such as labels of two types
        return Failed(error)


def opened(result: Any) -> Any:
    """Return a result, or raise the error that stands in its place."""
    if isinstance(result, Failed):
        raise result.error
    return result


def attempt(version: str, task: str, held: Any, arguments: Sequence[Any]) -> Any:
    """Return the result of a task or why there is none; engines would print errors, or lose what they say."""
    if isinstance(held, Failed):
        return held
    try:
        return perform(version, task, held, arguments)
    except Exception as error:
        return Failed(error)


def own_version() -> str:
    """Return the version of lindy that runs here."""
    import lindy

    return lindy.__version__


def perform(version: str, task: str, held: Any, arguments: Sequence[Any]) -> Any:
    """Do a task where the partition is; refuses to work for another version of lindy."""
    from lindy.distributed import tasks

    if version != own_version():
        import socket

        raise EngineError(
            f"the worker on {socket.gethostname()} has lindy {own_version()}, and version {version} asks it to work",
            "install the same version of lindy everywhere",
        )
    try:
        return getattr(tasks, task)(held, *arguments)
    except LindyError:
        raise
    except (TypeError, ValueError) as error:
        name = getattr(held, "name", None)
        raise DataError(f"{name}: {error}" if name else str(error)) from error
