"""A column of texts in the files of a stage, which becomes longer part by part and is mapped from there."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.core.column import TextColumn, string_arrays
from lindy.stream.stages import Stage


class StoredTexts:
    """Texts in the files ``offsets`` and ``data`` of a stage: Arrow's layout, with 64-bit offsets.

    ``end`` is how many bytes of text the files have, those of an earlier run included.
    """

    def __init__(self, stage: Stage, prefix: str = "", end: int | None = None) -> None:
        self._stage, self._prefix, self.end = stage, prefix, end or 0
        if end is None:
            stage.append(f"{prefix}offsets", np.zeros(1, np.int64))

    def append(self, column: Any) -> None:
        """Write the texts of a column, none of which is missing."""
        for offsets, data in string_arrays(column):
            begin, end = int(offsets[0]), int(offsets[-1])
            self._stage.append(f"{self._prefix}offsets", offsets[1:].astype(np.int64) - begin + self.end)
            self._stage.append(f"{self._prefix}data", data[begin:end])
            self.end += end - begin


def stored_texts(stage: Stage, prefix: str = "") -> TextColumn:
    """Return the column that was written to a stage."""
    return TextColumn(stage.array(f"{prefix}offsets", np.int64), stage.array(f"{prefix}data", np.uint8))
