"""Files of the extreme classification repository: the numbers of rows, columns and labels, then svmlight lines from 0.

3 10 5
1,4 3:1 7:0.5
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TextIO

from lindy.data.formats.feature_lines import FeatureLine, lost_weights
from lindy.data.formats.svmlight import write_svmlight
from lindy.data.formats.svmlight_feature_rows import WHOLE_NUMBER, rows, rows_by_number
from lindy.errors import DataError

__all__ = ["begins", "rows", "write"]

_SIZES = re.compile(rb"[0-9]+ [0-9]+ [0-9]+\s*")
_ROW = re.compile(rb"(?:[0-9]+(?:,[0-9]+)*)?[ \t]*[0-9]+:[^ \t:]+(?:\s.*)?")


def begins(lines: Sequence[bytes]) -> bool:
    """Whether the first line is three numbers, and the second one labels and columns with their values."""
    return len(lines) > 1 and bool(_SIZES.fullmatch(lines[0]) and _ROW.fullmatch(lines[1]))


def write(
    file: TextIO,
    examples: Sequence[FeatureLine],
    place: str = "",
    columns: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Write feature rows; their features and labels are numbers, as the format has no names."""
    labels = [_labels_of(line) for line in examples]
    names = {name for line in examples for name, _ in line.pairs}
    known = {label for own in labels for label in own}
    if columns is not None or not all(WHOLE_NUMBER.fullmatch(name) for name in names | known):
        raise DataError(
            f"{place}: the format has numbers for columns and labels, and no names",
            "Convert to a file .svm, whose comments tell the names.",
        )
    made = rows_by_number(examples, names)
    width = int(made.indices.max(initial=-1)) + 1
    file.write(f"{len(examples)} {width} {max((int(label) for label in known), default=-1) + 1}\n")
    write_svmlight(file, made, labels, zero_based=True)
    return lost_weights(examples)


def _labels_of(line: FeatureLine) -> list[str]:
    if isinstance(line.label, list):
        return line.label
    return [] if line.label is None else [line.label]
