"""Lines of features with values, one by one, and what they have in common with texts.

A row is a `FeatureLine`: its label and (feature, value) pairs in the order of the line. Models are made of them as they
are (``feature_row_tables``). Where a table of texts is written, a row is its features between spaces, each as often as
its value says; a text is the row of its words between white space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import isfinite
from typing import Any

import numpy as np

from lindy.core.csr import Csr
from lindy.core.feature_rows import FeatureRows, number
from lindy.data.chunks.source import Source
from lindy.data.columns.table import Table
from lindy.errors import DataError

_MOST = 10_000  # a word stands no more often in a text


@dataclass(frozen=True, slots=True)
class FeatureLine:
    """One row: where it begins, its label (a list of several; None), its features and their values, its weight."""

    line: int | None
    label: str | list[str] | None
    pairs: Sequence[tuple[str, float]]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Collected:
    """The feature rows of a file with their labels and lines; a feature that a feature row names twice is in it twice.

    ``remarks`` say what of the file is not used; ``separator`` stands between the labels of rows that have several.
    """

    features: FeatureRows
    labels: Sequence[str | None]
    lines: Sequence[int | None] | None
    remarks: tuple[str, ...] = ()
    separator: str | None = None

    def each(self) -> Iterator[FeatureLine]:
        """Yield the feature rows one by one."""
        weights = repeat(1.0) if self.features.weight is None else self.features.weight.tolist()
        lines = self.lines or repeat(None)
        for line, label, pairs, weight in zip(
            lines, self.labels, self.features.pairs(), weights, strict=False
        ):
            own = (
                [word for word in label.split(self.separator) if word] if label and self.separator else label
            )
            yield FeatureLine(line, own, pairs, weight)


def lost_weights(examples: Sequence[FeatureLine]) -> list[str]:
    """Return the remark of a format that has no weights."""
    weighted = sum(example.weight != 1 for example in examples)
    return [f"the weights of {weighted:,} lines were left out"] if weighted else []


def summed(example: FeatureLine) -> dict[str, float]:
    """Return the features in their order, values of the same feature added up."""
    total: dict[str, float] = {}
    for name, value in example.pairs:
        total[name] = total.get(name, 0.0) + value
    return total


def parsed_number(word: str) -> float | None:
    """Return a finite number; None for anything else (also for ``1_000``, which Python would take)."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if isfinite(value) and "_" not in word else None


def text_table(source: Source, examples: Iterable[FeatureLine]) -> Table:
    """Return feature rows as a table of texts; the label column is left out if no row has a label."""
    texts: list[str] = []
    labels: list[str | None] = []
    lines: list[int | None] = []
    several = False
    for example in examples:
        texts.append(" ".join(_repeated(source, example)))
        several = several or isinstance(example.label, list)
        labels.append(",".join(example.label) if isinstance(example.label, list) else example.label)
        lines.append(example.line)
    return Table.of_texts(source.path, texts, labels, lines.__getitem__, "," if several else None)


def no_row(source: Source) -> DataError:
    """Return the error for a file of blank lines."""
    return source.no_rows("there is no row", "Expected at least one row.")


def _repeated(source: Source, example: FeatureLine) -> Iterator[str]:
    for name, value in example.pairs:
        if value == 1:
            yield name
        elif value == int(value) and 0 <= value <= _MOST:
            yield from [name] * int(value)
        else:
            raise source.error(
                f"{name!r} has the value {number(value)}, expected a whole number up to {_MOST:,}: how often it occurs",
                "Only counts can be written as texts; 'lindy train' learns from such values as they are.",
                example.line,
            )


def text_feature_lines(texts: Sequence[str], labels: Sequence[Any] | None) -> Iterator[FeatureLine]:
    """Yield the words of each text, split at white space."""
    for text, label in zip(texts, labels or repeat(None), strict=False):
        yield FeatureLine(None, label, list(zip(text.split(), repeat(1.0))))


def sparse_rows(
    examples: Sequence[FeatureLine], names: Sequence[str] | None = None
) -> tuple[Csr, list[str], int]:
    """Return the rows of feature rows, the names of their columns, and how many pairs no column was there for.

    Without ``names``, the columns are the features in alphabetical order.
    """
    totals = [summed(example) for example in examples]
    ordered = sorted({name for total in totals for name in total}) if names is None else list(names)
    column = {name: j for j, name in enumerate(ordered)}
    if len(column) != len(ordered):
        raise DataError("two columns have the same name", "Give every column its own name.")
    indptr, indices, values = [0], [], []
    for total in totals:
        known = sorted((column[name], value) for name, value in total.items() if name in column)
        indices += [j for j, _ in known]
        values += [value for _, value in known]
        indptr.append(len(indices))
    rows = Csr(
        np.array(indptr, np.int64), np.array(indices, np.int32), np.array(values, np.float64), len(ordered)
    )
    return rows, ordered, sum(map(len, totals)) - len(indices)
