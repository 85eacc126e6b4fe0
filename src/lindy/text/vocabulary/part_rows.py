"""Rows of texts that are larger than memory, for terms whose columns are known: hashed ones, and a given vocabulary.

Each part's rows go to files as they are: ``sizes`` of the rows, ``indices`` and ``values``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.stream.stages import Stage
from lindy.stream.workspace import Workspace, room
from lindy.text.vocabulary.parted import Parted, row_ends


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
