"""Texts that are read part by part into files, because what is made of them is larger than memory.

Batches of texts go to a reader in memory until they are a part (``Workspace.part`` bytes); what was made of it then
goes to the files of a stage. Texts that are no more than a part never leave memory. After an interruption, batches
whose parts are in the files are passed over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.progress import rows_done
from lindy.stream import room
from lindy.stream.stages import Stage
from lindy.stream.workspace import Workspace


class Parted:
    """Takes batches of texts; a subclass reads them, and puts what it made of a part into files."""

    def __init__(self, workspace: Workspace, name: str, key: dict[str, Any]) -> None:
        self._workspace, self._name, self._key = workspace, name, key
        self._stage: Stage | None = None
        self._n_batches = self._n_bytes = 0  # of the present part
        self._passed_over = 0
        self._done = (0, 0)  # bytes and rows
        self._began = time.monotonic()

    def _read(self, texts: _native.Texts, threads: int) -> None:
        """Read a batch into memory."""
        raise NotImplementedError

    def _write(self, stage: Stage, threads: int) -> dict[str, Any]:
        """Put what was read into the files and forget it; returns what the journal keeps about the part."""
        raise NotImplementedError

    def _go_on(self, stage: Stage) -> None:
        """Take over the parts that an earlier run has completed; what is in memory is the first of them."""
        raise NotImplementedError

    def add(self, texts: _native.Texts, threads: int) -> None:
        """Take more texts."""
        self._tell(texts)
        if self._passed_over:
            self._passed_over -= 1
            return
        self._read(texts, threads)
        self._n_batches, self._n_bytes = self._n_batches + 1, self._n_bytes + texts.n_bytes
        if self._n_bytes >= self._workspace.part:
            self._end_part(threads)

    def _end_part(self, threads: int) -> None:
        if self._stage is None:
            self._stage = self._workspace.stage(self._name, self._key | {"part": self._workspace.part})
            if self._stage.parts:
                self._passed_over = sum(part["batches"] for part in self._stage.parts) - self._n_batches
                self._go_on(self._stage)
                self._n_batches = self._n_bytes = 0
                return
        facts = self._write(self._stage, threads)
        self._stage.commit(batches=self._n_batches, **facts)
        self._n_batches = self._n_bytes = 0

    def _complete(self, threads: int) -> Stage | None:
        """End the last part; returns the stage, or None if everything is in memory."""
        if self._stage is None:
            return None
        if self._n_batches:
            self._end_part(threads)
        if self._stage.facts is None:
            self._stage.finish()
        return self._stage

    def _tell(self, texts: _native.Texts) -> None:
        """Tell how far the reading has come."""
        n_bytes, rows = self._done[0] + texts.n_bytes, self._done[1] + len(texts)
        self._done = n_bytes, rows
        rows_done(rows, n_bytes, self._workspace.text_bytes, time.monotonic() - self._began)


def row_ends(sizes: NDArray[np.integer[Any]], out: NDArray[np.int64]) -> None:
    """Write where rows of these sizes begin, and the last one ends, into ``out``."""
    out[0] = 0
    np.cumsum(sizes, out=out[1:])


class PartRows(Parted):
    """The rows that ``read`` appends to a matrix of the core, in files as soon as it is more than a part."""

    def __init__(
        self,
        rows: Any,
        read: Callable[[_native.Texts, int], None],
        workspace: Workspace,
        dtype: np.dtype[Any],
    ) -> None:
        self._dtype = dtype if dtype.kind == "f" else np.dtype(np.int64)
        super().__init__(workspace, "rows", {"dtype": self._dtype.str})
        self._rows, self._read_batch = rows, read

    def _read(self, texts: _native.Texts, threads: int) -> None:
        self._read_batch(texts, threads)

    def _write(self, stage: Stage, threads: int) -> dict[str, Any]:  # noqa: ARG002
        indptr, indices, values = self._rows.take()
        stage.append("sizes", np.diff(indptr).astype(np.int32))
        stage.append("indices", indices)
        stage.append("values", values)
        return {"rows": len(indptr) - 1}

    def _go_on(self, stage: Stage) -> None:  # noqa: ARG002
        self._rows.take()

    def take(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
        """Return the rows of all texts."""
        stage = self._complete(1)
        if stage is None:
            rows: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]] = self._rows.take()
            return rows
        sizes = stage.array("sizes", np.int32)
        indptr = room(len(sizes) + 1, np.int64)
        row_ends(sizes, indptr)
        return indptr, stage.array("indices", np.int32), stage.array("values", self._dtype)
