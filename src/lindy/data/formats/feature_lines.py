"""Lines of features with values, one by one, and what they have in common with texts.

A row is a `Bag`: its label and (feature, value) pairs in the order of the line. Vowpal Wabbit, ``.review`` and svmlight
files hold bags, from which models are made as they are (``bag_rows``). Where a table of texts is written, a bag is its
features between spaces, each as often as its value says; a text is the bag of its words between white space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import isfinite

import numpy as np

from lindy.core.csr import Csr
from lindy.core.feature_rows import FeatureRows, number
from lindy.data.chunks.source import Source
from lindy.data.columns.table import Table
from lindy.errors import DataError

_MOST = 10_000  # a word stands no more often in a text


@dataclass(frozen=True, slots=True)
class Bag:
    """One row: where it begins, its label (None if it has none), its features and their values, how much it counts."""

    line: int | None
    label: str | None
    pairs: Sequence[tuple[str, float]]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Collected:
    """The bags of a file with their labels and lines; a feature that a bag names twice is in it twice.

    ``remarks`` say what of the file is not used.
    """

    bags: FeatureRows
    labels: Sequence[str | None]
    lines: Sequence[int | None] | None
    remarks: tuple[str, ...] = ()

    def each(self) -> Iterator[Bag]:
        """Yield the bags one by one."""
        weights = repeat(1.0) if self.bags.weight is None else self.bags.weight.tolist()
        lines = self.lines or repeat(None)
        for line, label, pairs, weight in zip(lines, self.labels, self.bags.pairs(), weights, strict=False):
            yield Bag(line, label, pairs, weight)


def lost_weights(bags: Sequence[Bag]) -> list[str]:
    """Return the remark of a format that has no weights."""
    weighted = sum(bag.weight != 1 for bag in bags)
    return [f"the weights of {weighted:,} lines were left out"] if weighted else []


def summed(bag: Bag) -> dict[str, float]:
    """Return the features in their order, values of the same feature added up."""
    total: dict[str, float] = {}
    for name, value in bag.pairs:
        total[name] = total.get(name, 0.0) + value
    return total


def parsed_number(word: str) -> float | None:
    """Return a finite number; None for anything else (also for ``1_000``, which Python would take)."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if isfinite(value) and "_" not in word else None


def bag_table(source: Source, bags: Iterable[Bag]) -> Table:
    """Return bags as a table of texts; the label column is left out if no row has a label."""
    texts: list[str] = []
    labels: list[str | None] = []
    lines: list[int | None] = []
    for bag in bags:
        texts.append(" ".join(_repeated(source, bag)))
        labels.append(bag.label)
        lines.append(bag.line)
    return Table.of_texts(source.path, texts, labels, lines.__getitem__)


def no_row(source: Source) -> DataError:
    """Return the error for a file of blank lines."""
    return source.no_rows("there is no row", "Expected at least one row.")


def _repeated(source: Source, bag: Bag) -> Iterator[str]:
    for name, value in bag.pairs:
        if value == 1:
            yield name
        elif value == int(value) and 0 <= value <= _MOST:
            yield from [name] * int(value)
        else:
            raise source.error(
                f"{name!r} has the value {number(value)}, expected a whole number up to {_MOST:,}: how often it occurs",
                "Only counts can be written as texts; 'lindy train' learns from such values as they are.",
                bag.line,
            )


def text_bags(texts: Sequence[str], labels: Sequence[str] | None) -> Iterator[Bag]:
    """Yield the words of each text, split at white space."""
    for text, label in zip(texts, labels or repeat(None), strict=False):
        yield Bag(None, label, list(zip(text.split(), repeat(1.0))))


def sparse_rows(bags: Sequence[Bag], names: Sequence[str] | None = None) -> tuple[Csr, list[str], int]:
    """Return the rows of bags, the names of their columns, and how many pairs no column was there for.

    Without ``names``, the columns are the features in alphabetical order.
    """
    totals = [summed(bag) for bag in bags]
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
