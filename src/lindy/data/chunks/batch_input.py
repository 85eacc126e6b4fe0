"""Examples that come in batches: tuples of texts and labels, Arrow record batches, data frames.

They are gathered in memory as long as there is room, and in files from then on; learning goes over them several times.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import TextColumn, holds_strings, is_column, join_columns, string_arrays, text_column
from lindy.core.targets import Targets, as_lists, as_targets
from lindy.core.weights import check_weight
from lindy.data.chunks.stored_texts import StoredTexts, stored_texts
from lindy.data.columns.choose import find_columns
from lindy.data.columns.table import Table
from lindy.errors import MISSING, DataError
from lindy.files.system import IS_POSIX, remove_unused
from lindy.progress import rows_done
from lindy.stream import current
from lindy.stream.memory import default_memory
from lindy.stream.stages import Stage
from lindy.stream.workspace import Workspace

PER_BYTE = 4
"""Bytes of memory that learning takes for each byte of texts."""


class Gathered(NamedTuple):
    """All examples: texts, labels and, if the batches had some, weights; ``source`` names the columns of frames."""

    texts: TextColumn
    labels: NDArray[Any] | Targets
    weight: NDArray[np.float64] | None
    source: dict[str, str]


def batches_in(X: Any) -> Iterator[Any] | None:
    """Return the batches that X consists of; None if it is something else: texts, a table, images."""
    if isinstance(X, str | bytes | Mapping) or hasattr(X, "dtype") or is_column(X) or _is_frame(X):
        return None
    if not isinstance(X, Iterable):
        return None
    one_by_one = iter(X)
    first = next(one_by_one, None)
    if not (_is_frame(first) or (isinstance(first, tuple) and len(first) in (2, 3))):
        return None
    return itertools.chain([first], one_by_one)


def _is_frame(batch: Any) -> bool:
    """Whether this is a data frame, an Arrow table or a record batch."""
    return hasattr(batch, "columns") and hasattr(batch, "__getitem__") and not isinstance(batch, np.ndarray)


@contextmanager
def gathered(batches: Iterable[Any], source: Mapping[str, str] | None = None) -> Iterator[Gathered]:
    """Gather batches, and let large arrays be in files while they are used, if they did not fit into memory.

    ``source`` names the columns "text" and "label" of frames; otherwise they are found by their names.
    """
    with ExitStack() as stack:
        examples = _Examples(stack, dict(source or {}))
        for number, batch in enumerate(batches):
            examples.add(batch, number)
        yield examples.finish()


class _Texts:
    """The texts that were gathered so far, in memory or in the files of a stage."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._stage: Stage | None = None
        self._columns: list[TextColumn] = []
        self._stored: StoredTexts
        self.n_bytes = 0

    def add(self, column: TextColumn) -> None:
        """Take more texts."""
        self.n_bytes += int(column.offsets[-1] - column.offsets[0])
        self._columns.append(column)
        if self._stage is None:
            workspace = current()
            if PER_BYTE * self.n_bytes <= (default_memory() if workspace is None else workspace.memory):
                return
            if workspace is None:
                made = tempfile.TemporaryDirectory(prefix="lindy-", ignore_cleanup_errors=not IS_POSIX)
                if not IS_POSIX:
                    left = partial(shutil.rmtree, made.name, ignore_errors=True)
                    self._stack.callback(remove_unused, made.name, left)
                folder = self._stack.enter_context(made)
                workspace = self._stack.enter_context(Workspace(folder))
                self._stack.enter_context(workspace.in_use())
            self._stage = workspace.stage("texts", {})
            self._stored = StoredTexts(self._stage)
        for own in self._columns:
            self._stored.append(own)
        self._columns = []

    def finish(self) -> TextColumn:
        """Return all texts."""
        if self._stage is None:
            column: TextColumn = join_columns(self._columns)
            return column
        return stored_texts(self._stage)


class _Examples:
    """The columns gathered so far."""

    def __init__(self, stack: ExitStack, source: dict[str, str]) -> None:
        self._source, self._texts = source, _Texts(stack)
        self._labels: list[Targets] = []
        self._weights: list[NDArray[np.float64]] = []
        self._began, self._n_rows = time.monotonic(), 0

    def add(self, batch: Any, number: int) -> None:
        """Take one more batch."""
        texts, labels, *weight = self._parts_of(batch, number)
        column, encoded = _as_column(texts, number), as_targets(labels, several=True)
        if len(column) != len(encoded):
            raise ValueError(f"batch {number} has {len(column)} texts but {len(encoded)} labels")
        if bool(weight) != bool(self._weights) and self._labels:
            raise ValueError(f"batch {number}: some batches have weights, and others have none")
        self._weights += [check_weight(weight[0], len(column), may_be_zero=True)] if weight else []  # type: ignore[list-item]
        self._labels.append(encoded)
        self._texts.add(column)
        self._n_rows += len(column)
        rows_done(self._n_rows, self._texts.n_bytes, 0, time.monotonic() - self._began)

    def _parts_of(self, batch: Any, number: int) -> tuple[Any, ...]:
        if isinstance(batch, tuple):
            return batch
        if not _is_frame(batch):
            raise TypeError(
                f"batch {number} is {type(batch).__name__}: expected (texts, labels), a data frame or an Arrow record"
                " batch"
            )
        if not {"text", "label"} <= self._source.keys():
            self._source = _found(batch, self._source)
        names = getattr(batch, "column_names", None) or list(batch.columns)
        if missing := [self._source[role] for role in ("text", "label") if self._source[role] not in names]:
            raise DataError(
                f"batch {number} has no column {missing[0]!r}; there are: {', '.join(map(str, names))}",
                "All batches need the columns of the first one.",
            )
        return tuple(batch[self._source[role]] for role in ("text", "label"))

    def finish(self) -> Gathered:
        """Return all examples."""
        labels: Any
        if any(own.label_ends is not None for own in self._labels):  # a batch may have lists of one alone
            first, *others = map(as_lists, self._labels)
            labels = first.joined(others)
        else:
            labels = np.concatenate([own.labels for own in self._labels])
        weight = np.concatenate(self._weights) if self._weights else None
        return Gathered(self._texts.finish(), labels, weight, self._source)


def _found(frame: Any, given: dict[str, str]) -> dict[str, str]:
    """Return the columns of texts and labels of a frame, by their names and contents."""
    import pyarrow as pa

    names = getattr(frame, "column_names", None) or [str(name) for name in frame.columns]
    columns = {
        name: [None if v is None else str(v) for v in pa.array(frame[name]).to_pylist()] for name in names
    }
    found = find_columns(Table.of("the batches", columns), given.get("text"), given.get("label"))
    return {"text": found.text, "label": str(found.label)}


def _as_column(texts: Any, number: int) -> TextColumn:
    """Return texts of a batch as the core takes them."""
    if isinstance(texts, TextColumn):
        return texts
    if not is_column(texts) and not hasattr(texts, "__arrow_c_stream__"):
        given = texts.tolist() if hasattr(texts, "tolist") else list(texts)
        if not all(isinstance(text, str) for text in given):
            wrong = next(i for i, text in enumerate(given) if not isinstance(text, str))
            raise DataError(
                f"batch {number}, document {wrong} is {type(given[wrong]).__name__}, expected str",
                MISSING,
            )
        return text_column([text.encode("utf-8", "surrogatepass") for text in given])
    import pyarrow as pa

    column = texts if is_column(texts) else pa.chunked_array(texts)
    if column.null_count:
        raise DataError(
            f"batch {number} has {column.null_count:,} missing documents",
            MISSING,
        )
    if not holds_strings(column):
        raise DataError(f"batch {number}: the texts are of type {column.type}, expected strings", None)
    arrays = [TextColumn(offsets.astype(np.int64), data) for offsets, data in string_arrays(column)]
    return arrays[0] if len(arrays) == 1 else join_columns([text_column([]), *arrays])
