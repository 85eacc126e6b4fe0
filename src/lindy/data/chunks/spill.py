"""Out-of-core tables, larger than memory: their columns go to files as they are read, and are mapped from there.

The files of a column are Arrow's layout: ``offsets`` and ``data``, and where a format has missing values ``missing``, a
byte for each row. ``rows`` has the number of each row in its own input. What is returned is a `Table` as any other.
"""

from __future__ import annotations

import functools
import inspect
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import TextColumn, as_arrow
from lindy.data.chunks.chunks import Chunks, ahead
from lindy.data.chunks.file_guard import FileState, changed, file_state
from lindy.data.chunks.stored_texts import StoredTexts, stored_texts
from lindy.data.columns.table import Table, joined
from lindy.errors import DataError
from lindy.progress import rows_done
from lindy.stream.mapped_arrays import NoRoomError, no_room
from lindy.stream.stages import Stage
from lindy.stream.workspace import Workspace

Wanted = Callable[[Table], tuple[Sequence[str], list[str]]]


@dataclass(slots=True)
class Inputs:
    """The inputs of a table, each of which is read chunk by chunk, with what is known of how far that has come."""

    chunks: Chunks
    states: list[FileState | None] = field(init=False)
    _begun: Generator[tuple[int, Table], None, None] = field(init=False)
    _gathered: list[tuple[int, Table]] = field(init=False, default_factory=list)
    _ended: bool = field(init=False, default=False)
    _from: tuple[int, tuple[int, ...] | None] = field(init=False, default=(0, None))

    def __post_init__(self) -> None:
        self.states = [file_state(path) for path in self.paths]
        self._begun = self._read()

    @property
    def paths(self) -> Sequence[str]:
        """The inputs."""
        return self.chunks.paths

    def begin(self, path: str, after: tuple[int, ...] | None = None) -> Iterator[Table]:
        """Begin to read one of them, or behind a chunk that has an ``end``."""
        parts = self.chunks.of(path, after, self.chunks.bad)
        return parts if path == "-" else ahead(parts)

    @property
    def unread(self) -> bool:
        """Whether nothing has been read of them."""
        return inspect.getgeneratorstate(self._begun) == inspect.GEN_CREATED

    @property
    def half_read(self) -> bool:
        """Whether standard input, which nobody can read again, is among them and was not read to its end."""
        return "-" in self.paths and not self.unread and not self._ended

    @property
    def size(self) -> int:
        """How many bytes they have; 0 if one of them is standard input, of which nobody knows."""
        return 0 if "-" in self.paths else sum(state.size for state in self.states if state)

    def gathered(self, most: int) -> list[Table] | None:
        """Return all parts if they have no more than so many bytes together; None if there is more to come."""
        n_bytes = 0
        for number, part in self._begun:
            self._gathered.append((number, part))
            n_bytes += _bytes_of(part)
            if n_bytes > most:
                return None
        return [part for _, part in self._gathered]

    def parts(self) -> Iterator[tuple[int, Table]]:
        """Yield the number of the input and a part of it, once; an input that changes meanwhile is an error."""
        while item := self._gathered.pop(0) if self._gathered else next(self._begun, None):
            yield item

    def go_on(self, number: int, end: tuple[int, ...]) -> None:
        """Begin behind a part of an input, instead of at the beginning of the first one."""
        self._from = number, end

    def beginning(self, part: Table, n_rows: int, most: int) -> Table:
        """Return a part with those that follow, as many as so many rows or bytes take, which are still to be read."""
        ahead = [part, *(own for _, own in self._gathered)]
        while sum(own.num_rows for own in ahead) < n_rows and sum(map(_bytes_of, ahead)) < most:
            if (item := next(self._begun, None)) is None:
                break
            self._gathered.append(item)
            ahead.append(item[1])
        return joined(ahead)

    def _read(self) -> Generator[tuple[int, Table], None, None]:
        first, end = self._from
        for number, path in enumerate(self.paths[first:], first):
            for part in self.begin(path, end if number == first else None):
                yield number, part
            if file_state(path) != self.states[number]:
                raise changed(path)
        self._ended = True


def spilled(
    inputs: Inputs, workspace: Workspace, wanted: Wanted, key: dict[str, Any]
) -> tuple[Table, list[str]]:
    """Read all parts into files; returns the table of them, and what ``wanted`` has said about its columns.

    ``wanted`` is called with the first part and returns the columns that are kept, and what is to be known about them.
    ``key`` says how the inputs are read: what an earlier run has read in the same way is not read again.
    """
    stage = workspace.stage("table", key)
    if stage.facts is None and "-" in inputs.paths:  # its parts are what had arrived: others than before
        stage.begin_anew()
    if stage.facts is None:
        try:
            _Spill(stage, inputs, wanted).run()
        except NoRoomError:
            if "-" not in inputs.paths:
                raise
            raise no_room(workspace.folder, is_kept=False) from None
    facts = stage.facts or {}
    columns = {name: _column(stage, k, facts["missing"][k]) for k, name in enumerate(facts["columns"])}
    workspace.text_bytes = max((_size(column) for column in columns.values()), default=0)
    return _table(stage, inputs, columns), facts["about"]


class _Spill:
    """Writes parts to the files of a stage."""

    def __init__(self, stage: Stage, inputs: Inputs, wanted: Wanted) -> None:
        self.stage, self.inputs, self.wanted = stage, inputs, wanted
        self.names: list[str] = []
        self.about: list[str] = []
        self.first: Table | None = None
        self.columns: list[StoredTexts] = []
        self.missing: list[bool] = []

    def run(self) -> None:
        """Read what an earlier run has not read, and complete the stage."""
        known, rows, n_bytes, began = len(self.stage.parts), 0, 0, time.monotonic()
        done = self._go_on()
        for number, (input_number, part) in enumerate(self.inputs.parts(), start=done):
            self._check(part)
            if number >= known:
                self._write(part, input_number)
            rows, n_bytes = (
                rows + part.num_rows,
                n_bytes + sum(_size(part.texts(name)) for name in self.names),
            )
            rows_done(rows, n_bytes, self.inputs.size, time.monotonic() - began)
        if self.first is None:
            raise DataError(f"{self.inputs.paths[0]}: no row can be read", "Check the input and its format.")
        self.stage.finish(
            columns=self.names,
            about=self.about,
            missing=self.missing,
            names=self.first.column_names,
            n_nameless=self.first.n_nameless,
            remarks=[*self.first.remarks, *self.inputs.chunks.left_out],
        )

    def _go_on(self) -> int:
        """Begin to read behind the parts of an earlier run, where that is possible; returns how many are not read."""
        parts = self.stage.parts
        if not parts or parts[-1].get("end") is None or not self.inputs.unread:
            return 0
        about = parts[0]["first"]
        self.names, self.about = about["names"], about["about"]
        self._continue_columns(parts)
        self.first = Table(
            about["path"],
            about["column_names"],
            0,
            _forgotten,
            lambda _row: None,
            remarks=tuple(about["remarks"]),
            n_nameless=about["n_nameless"],
        )
        self.inputs.go_on(parts[-1]["input"], tuple(parts[-1]["end"]))
        return len(parts)

    def _check(self, part: Table) -> None:
        """Take the columns of the first part, which all others must have."""
        if self.first is None:
            names, self.about = self.wanted(part)
            self.names = [*dict.fromkeys(names)]
            self._continue_columns(self.stage.parts)
            # of the first part only its names and remarks are needed later
            self.first = replace(part, fetch=_forgotten, locate=lambda _row: None, rows=None)
        elif set(part.column_names) != set(self.first.column_names):
            differing = sorted(set(part.column_names) ^ set(self.first.column_names))
            raise DataError(
                f"{part.name}: other columns than {self.first.name}: only one of them has"
                f" {', '.join(map(repr, differing[:100]))}",
                "Tables that are read together need the same columns.",
            )

    def _continue_columns(self, parts: Sequence[dict[str, Any]]) -> None:
        """Go on behind the parts that are there, or begin."""
        n = len(self.names)
        ends, self.missing = (
            (parts[-1]["ends"], list(parts[-1]["missing"])) if parts else ([None] * n, [False] * n)
        )
        self.columns = [StoredTexts(self.stage, f"{k}.", end) for k, end in enumerate(ends)]

    def _write(self, part: Table, input_number: int) -> None:
        for k, name in enumerate(self.names):
            column = part.texts(name)
            if column.null_count:
                self._write_missing(k, column, part.num_rows)
                import pyarrow.compute as pc

                column = pc.fill_null(as_arrow(column), "")
            elif self.missing[k]:
                self.stage.append(f"{k}.missing", np.zeros(part.num_rows, np.uint8))
            self.columns[k].append(column)
        rows = np.arange(part.num_rows) if part.rows is None else part.rows
        self.stage.append("rows", np.asarray(rows, np.int64))
        facts: dict[str, Any] = {} if self.stage.parts else {"first": self._about_first()}
        self.stage.commit(
            input=input_number,
            rows=part.num_rows,
            ends=[column.end for column in self.columns],
            missing=list(self.missing),
            end=part.end,
            **facts,
        )

    def _about_first(self) -> dict[str, Any]:
        """Return what is to be known of the first part when it is not read again."""
        assert self.first is not None
        return {
            "path": self.first.path,
            "names": self.names,
            "about": self.about,
            "column_names": self.first.column_names,
            "remarks": list(self.first.remarks),
            "n_nameless": self.first.n_nameless,
        }

    def _write_missing(self, k: int, column: Any, n_rows: int) -> None:
        """Note which values are missing; of the rows before, none was."""
        if not self.missing[k]:
            self.missing[k] = True
            for part in self.stage.parts:
                self.stage.append(f"{k}.missing", np.zeros(part["rows"], np.uint8))
        flags = as_arrow(column).is_null().to_numpy()
        self.stage.append(f"{k}.missing", np.asarray(flags, np.uint8).reshape(n_rows))


def _forgotten(name: str) -> Any:
    raise KeyError(name)


def _bytes_of(part: Table) -> int:
    return sum(_size(part.fetch(name)) for name in part.column_names)


def _size(column: Any) -> int:
    """Return how many bytes a column has."""
    if isinstance(column, TextColumn):
        return int(column.offsets[-1] - column.offsets[0])
    return int(column.nbytes)


def _column(stage: Stage, k: int, missing: bool) -> Any:
    texts = stored_texts(stage, f"{k}.")
    if not missing:
        return texts
    import pyarrow as pa

    there = np.packbits(stage.array(f"{k}.missing", np.uint8) == 0, bitorder="little")
    buffers = [pa.py_buffer(there), pa.py_buffer(texts.offsets), pa.py_buffer(texts.data)]
    return pa.chunked_array([pa.Array.from_buffers(pa.large_string(), len(texts), buffers)])


def _table(stage: Stage, inputs: Inputs, columns: dict[str, Any]) -> Table:
    """Return the table; which line a row is on is found by reading its input again."""
    facts = stage.facts or {}
    rows: NDArray[np.int64] = stage.array("rows", np.int64)
    ends = np.cumsum([part["rows"] for part in stage.parts])
    whole = Table(
        os.fspath(inputs.paths[0]),
        facts["names"],
        len(rows),
        columns.__getitem__,
        lambda row: located(row)[0].locate(located(row)[1]),
        remarks=tuple(facts["remarks"]),
        rows=rows,
        n_nameless=facts["n_nameless"],
        begins=tuple(
            int(end)
            for end, (part, after) in zip(ends, pairwise(stage.parts), strict=False)
            if part["input"] != after["input"]
        ),
    )

    @functools.lru_cache(maxsize=64)
    def located(row: int) -> tuple[Table, int]:
        """Return the part of its input that a row is in, and its place there."""
        number = stage.parts[int(np.searchsorted(ends, row, side="right"))]["input"]
        path, wanted = inputs.paths[number], int(rows[row])
        alone = Table(path, facts["names"], len(rows), columns.__getitem__, lambda _row: None, rows=rows)
        if path == "-":
            return alone, row
        for part in inputs.chunks.of(path):
            numbers = np.arange(part.num_rows) if part.rows is None else part.rows
            if wanted <= numbers[-1]:
                found = int(np.searchsorted(numbers, wanted))
                return replace(part, rows=numbers), found
        return alone, row

    return replace(whole, within=located)
