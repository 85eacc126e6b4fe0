"""Labels made of numeric scores: stars 1 and 2 become "neg", 4 and 5 "pos", and rows between are left out.

``1-2:neg,4-5:pos`` has a range and a label for each bin; ``..2:neg`` and ``4..:pos`` are open to one side, and
``3:so-so`` is a single number.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from lindy.core.column import distinct
from lindy.data.columns.table import Table
from lindy.errors import DataError

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_BIN = re.compile(
    rf"\s*(?:(?P<one>{_NUMBER})|(?P<low>{_NUMBER})?\s*(?:-|\.\.)\s*(?P<high>{_NUMBER})?)\s*:(?P<label>.*)"
)


@dataclass(frozen=True, slots=True)
class LabelBins:
    """Ranges of numbers, both ends included, and the label of each."""

    ranges: tuple[tuple[float, float, str], ...]
    text: str

    @classmethod
    def of(cls, text: str) -> LabelBins:
        """Return the bins of a text such as ``1-2:neg,4-5:pos``; ValueError if it is none, or bins overlap."""
        ranges = []
        for part in text.split(","):
            found = _BIN.fullmatch(part)
            label = found["label"].strip() if found else ""
            if found is None or not label or (found["one"] or found["low"] or found["high"]) is None:
                raise ValueError(
                    f"{part!r} is not LOW-HIGH:LABEL, as in 1-2:neg,4-5:pos (also ..2:neg, 4..:pos, 3:mid)"
                )
            low = float(found["one"] or found["low"] or -math.inf)
            high = float(found["one"] or found["high"] or math.inf)
            if low > high:
                raise ValueError(f"{part!r}: the range is empty, write {high:g}-{low:g}")
            ranges.append((low, high, label))
        ordered = sorted(ranges)
        for (_, high, label), (low, _, other) in pairwise(ordered):
            if low <= high:
                raise ValueError(f"the ranges of {label!r} and {other!r} have {low:g} in common")
        return cls(tuple(ranges), text)

    def label(self, score: float) -> str:
        """Return the label of a number; "" if it is in no range."""
        return next((label for low, high, label in self.ranges if low <= score <= high), "")

    def applied(self, table: Table, column: str) -> Table:
        """Return a table whose labels are those of its scores, empty where a score is in no range or missing.

        Raises
        ------
        DataError
            For a label that is neither a number nor one of the bins' own.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        labels = table.texts(column)
        values, codes = distinct(pc.fill_null(labels, "") if labels.null_count else labels)
        own = {label for _, _, label in self.ranges}
        made = []
        for number, value in enumerate(values):
            score = _score(value)
            if value.strip() in own or not value.strip():
                made.append(value.strip())
            elif score is None:
                row = int(np.flatnonzero(codes == number)[0])
                raise DataError(
                    f"{table.place(row)}: the label {value!r} is no number, expected a score for the bins {self.text}",
                    "Correct it, leave the row out, or name another column with `label=`.",
                )
            else:
                made.append(self.label(score))
        binned = pa.chunked_array([pa.array(made, pa.large_string()).take(pa.array(codes))])
        return replace(table.with_column(column, binned), source={**table.source, "label_bins": self.text})


def _score(value: str) -> float | None:
    try:
        score = float(value)
    except ValueError:
        return None
    return score if math.isfinite(score) else None
