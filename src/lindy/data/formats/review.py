"""``.review`` lines: ``word:count two_words:count … #label#:positive``, a feature row of words per line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TextIO

import numpy as np

from lindy.core.feature_rows import number
from lindy.data.chunks.source import Source
from lindy.data.formats.feature_lines import Collected, FeatureLine, lost_weights, parsed_number, summed
from lindy.data.formats.line_words import WHITE_SPACE, Words, feature_rows_of
from lindy.data.formats.lines import whole_lines
from lindy.errors import DataError

LABEL = "#label#"
_EXAMPLE = f"Expected a line such as 'fine:2 fine_book:1 {LABEL}:positive'."


def rows(source: Source, _threads: int | None = None, *, spaces: bool = True) -> Collected:  # noqa: ARG001
    """Read the lines as feature rows."""
    words = Words.of(whole_lines(source), WHITE_SPACE)
    before, behind, _ = words.cut(":", last=True)
    codes, names = before.numbered()
    is_label = codes == names.index(LABEL) if LABEL in names else np.zeros(len(codes), bool)
    lines, row = np.unique(words.line, return_inverse=True)
    labels: list[str | None] = [None] * len(lines)
    for i in np.flatnonzero(is_label).tolist():
        label = behind.text(i)
        if not label or labels[row[i]] is not None:
            what = "there are two labels" if label else "the label is empty"
            raise source.error(f"{words.text(i)!r}: {what}", _EXAMPLE, int(words.line[i]) + 1)
        labels[row[i]] = label
    own = np.flatnonzero(~is_label)
    values = behind.take(own).parsed(parsed_number)
    wrong = np.flatnonzero(np.isnan(values) | (before.start[own] == before.end[own]))
    if len(wrong):
        i = int(own[wrong[0]])
        raise source.error(f"{words.text(i)!r} is not word:count", _EXAMPLE, int(words.line[i]) + 1)
    return Collected(
        feature_rows_of(row[own], codes[own], values, names, len(lines)), labels, (lines + 1).tolist()
    )


def write(file: TextIO, examples: Sequence[FeatureLine], place: str, _columns: Any = None) -> list[str]:
    """Write a line for each feature row; returns remarks on what is not as it was."""
    for row, example in enumerate(examples, start=1):
        total = summed(example)
        if isinstance(example.label, list):
            raise DataError(
                f"{place}, row {row}: several labels, a .review line has one", "Choose another format."
            )
        label = example.label or ""
        wrong = label if not _fits(label) or ":" in label else next((n for n in total if not _fits(n)), None)
        if wrong is not None:
            raise DataError(
                f"{place}, row {row}: {wrong!r} cannot be written in a .review line",
                "Rename it: features and labels have no white space, and labels no colon.",
            )
        words = [f"{name}:{number(value)}" for name, value in total.items()]
        words += [f"{LABEL}:{example.label}"] if example.label is not None else []
        file.write(" ".join(words) + "\n")
    return lost_weights(examples)


@lru_cache(1 << 18)
def _fits(word: str) -> bool:
    return word != LABEL and not re.search(r"\s", word)
