"""The engine of Spark: partitions are rows of a frame that the executors keep, and moves run through ``mapInArrow``.

What a partition holds is pickled into binary rows, which Spark keeps (``persist``) and makes again when an executor is
lost. A round is a job over that frame; arguments travel with the function, which works over Spark Connect too, and the
driver merges the results.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lindy.distributed.engine import Engine, EngineError, attempt, opened, own_version
from lindy.errors import MissingPackageError

PIECE = 1 << 26  # bytes of a pickled partition in one row
_HELD = "partition int, held binary"


class Spark(Engine):
    """Partitions that the executors of Spark keep.

    Parameters
    ----------
    session : SparkSession
        A classic one, or one of Spark Connect.
    begin : str
        The move that makes a partition of its source.
    sources : sequence, or a Spark frame
        Names of files, one for each partition; or a frame, whose partitions are taken as they are.
    arguments : tuple
        Further arguments of that move.
    """

    def __init__(self, session: Any, begin: str, sources: Any, arguments: tuple[Any, ...] = ()) -> None:
        self.session = session
        self._own: Callable[[], None] = lambda: None
        if hasattr(sources, "mapInArrow"):
            made = sources.mapInArrow(_from_frame(own_version(), begin, arguments), _HELD)
        else:
            listed = list(sources)
            ids = session.range(0, len(listed), 1, len(listed))
            made = ids.mapInArrow(_from_sources(own_version(), begin, listed, arguments), _HELD)
        self._held = made.persist()
        try:
            self.n_partitions = len(self.run("name_of"))
        except BaseException:
            self._held.unpersist()
            raise

    def derive(self, move: str, *arguments: Any) -> None:
        """Replace what every partition holds by the result of a move."""
        before, task = self._held, _deriving(own_version(), move, arguments)
        self._held = _heard(lambda: before.mapInArrow(task, _HELD).persist())
        try:
            self.run("name_of")
        finally:
            before.unpersist()

    def run(self, move: str, *arguments: Any, each: Sequence[Any] | None = None) -> list[Any]:
        """Return the results of a move in the order of the partitions."""
        task = _running(own_version(), move, arguments, each)
        found = _heard(lambda: self._held.mapInArrow(task, "partition int, result binary").collect())
        rows = sorted(found, key=lambda row: int(row[0]))
        return [opened(pickle.loads(bytes(row[1]))) for row in rows]

    def on_close(self, end: Callable[[], None] | None) -> None:
        """Say what ends the session, if it was begun for this engine."""
        self._own = end or self._own

    def close(self) -> None:
        """Let go of the partitions; a session that `connect` began is ended."""
        try:
            self._held.unpersist()
        finally:
            self._own()


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
            "if the driver or the server is gone, start it again and train with --resume",
        ) from error


def _packed(number: int, result: Any) -> Iterator[Any]:
    """Yield a value as rows of bytes."""
    import pyarrow as pa

    data = pickle.dumps(result, protocol=5)
    for start in range(0, len(data), PIECE):
        piece = pa.array([data[start : start + PIECE]], pa.binary())
        yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), piece], ["partition", "held"])


def _unpacked(batches: Iterator[Any]) -> tuple[int, Any] | None:
    """Return the number of a partition and what it holds; None for a task without rows."""
    pieces, number = [], -1
    for batch in batches:
        for row in range(batch.num_rows):
            number = batch.column(0)[row].as_py()
            pieces.append(batch.column(1)[row].as_buffer())
    if not pieces:
        return None
    data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    return number, pickle.loads(data)


def _from_frame(version: str, begin: str, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        number = 0 if context is None else context.partitionId()
        found = [batch for batch in batches if batch.num_rows]
        table: Any = pa.Table.from_batches(found) if found else []
        yield from _packed(number, attempt(version, begin, (number, table), arguments))

    return task


def _from_sources(
    version: str, begin: str, sources: list[Any], arguments: tuple[Any, ...]
) -> Callable[..., Any]:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from _packed(number, attempt(version, begin, sources[number], arguments))

    return task


def _deriving(version: str, move: str, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        if (found := _unpacked(batches)) is not None:
            number, held = found
            yield from _packed(number, attempt(version, move, held, arguments))

    return task


def _running(
    version: str, move: str, arguments: tuple[Any, ...], each: Sequence[Any] | None
) -> Callable[..., Any]:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        if (found := _unpacked(batches)) is not None:
            number, held = found
            own = arguments if each is None else (*arguments, each[number])
            result = pickle.dumps(attempt(version, move, held, own), protocol=5)
            arrays = [pa.array([number], pa.int32()), pa.array([result], pa.binary())]
            yield pa.RecordBatch.from_arrays(arrays, ["partition", "result"])

    return task


def connect(address: str | None, workers: int | None = None) -> tuple[Any, Callable[[], None]]:
    """Return a session and what ends it: of Spark Connect for ``sc://…``, of a master, or local for None.

    A local one listens on loopback only. What Ctrl-C does is left as it was.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingPackageError("PySpark is not installed", "pip install 'lindy[spark]'") from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("lindy")
    if address is not None and address.startswith("sc://"):
        builder = builder.remote(address)
    else:
        local = f"local[{workers or '*'}]"
        builder = builder.master(address or local).config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1") if address is None else builder
        builder = builder.config("spark.driver.host", "127.0.0.1") if address is None else builder
    try:
        with _own_interrupts():
            session = builder.getOrCreate()
    except Exception as error:  # of Py4J, gRPC or Spark
        raise EngineError(
            f"no Spark session{f' at {address}' if address else ''}: {type(error).__name__}: {str(error)[:300]}",
            "Spark needs Java 17 or newer; for sc://host:port a Spark Connect server must run there",
        ) from error
    return session, session.stop


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Put back what SIGINT does, which a new session changes for the whole process, in its main thread."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is not before:
            signal.signal(signal.SIGINT, before)
