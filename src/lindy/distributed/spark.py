"""The engine of Spark: partitions are rows of a frame that the executors keep, and tasks run through ``mapInArrow``.

What a partition holds is pickled into binary rows, which Spark keeps (``persist``) and makes again when an executor is
lost. A round is a job over that frame. Arguments travel with the function, which works over Spark Connect too; classic
Spark broadcasts functions of more than 1 MB, once to every executor. Tasks merge the results of their partitions, and
the driver those of the tasks.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from lindy.distributed.engine import Engine, EngineError, attempt, merged, opened, own_version

FEW = 8  # results that the driver merges itself
_HELD = "partition int, held binary"
PIECE = 1 << 26  # bytes of a pickled value in one row


class Spark(Engine):
    """Partitions that the executors of Spark keep.

    Parameters
    ----------
    session : SparkSession
        A classic one, or one of Spark Connect.
    begin : str
        The task that makes a partition of its source.
    sources : sequence, or a Spark frame
        Names of files, one for each partition; or a frame, whose partitions are taken as they are.
    arguments : tuple
        Further arguments of that task.
    """

    def __init__(self, session: Any, begin: str, sources: Any, arguments: tuple[Any, ...] = ()) -> None:
        self.session, version = session, own_version()
        if hasattr(sources, "mapInArrow"):
            names = list(sources.columns)  # mapInArrow would take dots in them for fields of a column
            plain = sources.toDF(*(f"column{number}" for number in range(len(names))))
            made = plain.mapInArrow(_from_frame(version, begin, names, arguments), _HELD)
        else:
            listed = list(sources)
            ids = session.range(0, len(listed), 1, len(listed))
            made = ids.mapInArrow(_from_sources(version, begin, listed, arguments), _HELD)
        self._held = made.persist()
        self._cores: int | None = None
        try:
            self.n_partitions = len(self.run("name_of"))
        except BaseException:
            self._held.unpersist()
            raise

    def derive(self, task: str, *arguments: Any) -> None:
        """Replace what every partition holds by the result of a task."""
        version = own_version()

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            for number, held in unpacked(batches):
                yield from packed(number, attempt(version, task, held, arguments))

        before = self._held
        self._held = _heard(lambda: before.mapInArrow(work, _HELD).persist())
        try:
            self.run("name_of")
        finally:
            before.unpersist()

    def run(self, task: str, *arguments: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Return the results of a task in the order of the partitions."""
        version = own_version()

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            for number, held in unpacked(batches):
                own = arguments if each is None else (*arguments, each[number])
                yield from packed(number, attempt(version, task, held, own))

        found = dict(self._results(self._held, work))
        return [opened(found[number]) for number in sorted(found)]

    def total(self, task: str, *arguments: Any) -> Any:
        """Return the merged results of a task; of many partitions, tasks merge those that they work on."""
        if self.n_partitions <= FEW:
            return super().total(task, *arguments)
        version = own_version()

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            numbers, results = [], []
            for number, held in unpacked(batches):
                numbers.append(number)
                results.append(attempt(version, task, held, arguments))
            if results:
                yield from packed(numbers[0], merged(results))

        together = self._held.coalesce(min(self.n_partitions, self._parallel()))
        return opened(merged([result for _, result in self._results(together, work)]))

    def _results(self, frame: Any, work: Callable[..., Any]) -> Iterator[tuple[int, Any]]:
        rows = _heard(lambda: frame.mapInArrow(work, _HELD).collect())
        return joined((int(row[0]), bytes(row[1])) for row in rows)

    def _parallel(self) -> int:
        """Return how many tasks run at once: as many as Spark cuts a range into that nobody says how to cut."""
        if self._cores is None:

            def work(batches: Iterator[Any]) -> Iterator[Any]:
                if [batch for batch in batches if batch.num_rows]:
                    yield from packed(0, None)

            frame = self.session.range(1 << 12)
            self._cores = max(1, len(_heard(lambda: frame.mapInArrow(work, _HELD).collect())))
        return self._cores

    def let_go(self) -> None:
        """Let go of the partitions."""
        with suppress(EngineError):  # a session that is gone keeps nothing
            _heard(self._held.unpersist)


def column_of(frame: Any, name: str) -> Any:
    """Return a column by its name, in which dots have no meaning."""
    quoted = name.replace("`", "``")
    return frame[f"`{quoted}`"]


def _heard(job: Callable[[], Any]) -> Any:
    """Return the result of a job; whatever Spark says of a lost driver or executor becomes an EngineError."""
    try:
        return job()
    except (
        Exception
    ) as error:  # Py4J, gRPC and Spark have errors of their own, in packages that may not be there
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise EngineError(
            f"Spark could not finish a round: {type(error).__name__}: {said[0][:300]}",
            "if the driver or the server is gone, start it again and train again; maxent, svm and nb-svm go on from"
            " their last round with `resume=True`",
        ) from error


def _from_frame(version: str, begin: str, names: list[str], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        number = 0 if context is None else context.partitionId()
        found = [batch for batch in batches if batch.num_rows]
        table: Any = pa.Table.from_batches(found).rename_columns(names) if found else []
        yield from packed(number, attempt(version, begin, (number, table), arguments))

    return work


def _from_sources(
    version: str, begin: str, sources: list[Any], arguments: tuple[Any, ...]
) -> Callable[..., Any]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from packed(number, attempt(version, begin, sources[number], arguments))

    return work


def packed(number: int, result: Any) -> Iterator[Any]:
    """Yield a value as rows of bytes."""
    import pyarrow as pa

    data = pickle.dumps(result, protocol=5)
    for start in range(0, len(data), PIECE):
        piece = pa.array([data[start : start + PIECE]], pa.binary())
        yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), piece], ["partition", "held"])


def unpacked(batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the numbers of partitions and what they hold."""
    return joined(
        (batch.column(0)[row].as_py(), batch.column(1)[row].as_buffer())
        for batch in batches
        for row in range(batch.num_rows)
    )


def joined(pieces: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yield values whose pieces follow one another, with their numbers."""
    for number, own in groupby(pieces, key=lambda piece: piece[0]):
        parts = [data for _, data in own]
        yield number, pickle.loads(parts[0] if len(parts) == 1 else b"".join(parts))
