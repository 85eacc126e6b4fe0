"""``Predictions``: a table of what a model answered, and ``PredictionColumns``, which writes it wherever it goes.

A learner's scores become predictions, and decisions choose the labels (``lindy.evaluation.decisions``). The command
line, tables of the service, data frames and the partitions of clusters have the same columns, made here.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.errors import MissingPackageError
from lindy.evaluation.top_values import TopValues

if TYPE_CHECKING:
    from lindy.data.write.table_writer import Column

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

REJECTED = -1
"""The class number of a row that gets no label."""


FIELDS = {
    "label": "The label; null where the model is not sure enough to give one; a list where a text may have several.",
    "probability": "P(label | example) of the best label; null for a model without probabilities.",
    "probabilities": "P(label | example) by label; null for a model without probabilities.",
    "rejected": "Whether the model is not sure enough to give a label.",
    "known": "How many features of the example the model knows; 0 says that it can only guess.",
    "best": "The label that it gives, or would give if it were sure enough.",
    "scores": "The scores by label; of two labels −s and s.",
}
"""The parts of a single prediction in JSON and in JavaScript, and what they are."""


class LabelLists(NamedTuple):
    """Any number of class numbers for each row: row i has ``codes[indptr[i]:indptr[i + 1]]``, the surest first."""

    indptr: NDArray[np.int64]
    codes: Codes

    def rows(self) -> list[list[int]]:
        """Return the class numbers of each row."""
        ends, codes = self.indptr.tolist(), self.codes.tolist()
        return [codes[begin:end] for begin, end in pairwise(ends)]

    @classmethod
    def joined(cls, parts: Sequence[LabelLists]) -> LabelLists:
        """Return the lists of all parts, one after the other."""
        counts = np.concatenate([np.diff(part.indptr) for part in parts])
        return cls(np.append(0, np.cumsum(counts)), np.concatenate([part.codes for part in parts]))


def labels_of(given: Sequence[Sequence[int]], classes: NDArray[Any]) -> NDArray[Any]:
    """Return a tuple of labels for each list of class numbers."""
    labels = np.empty(len(given), object)
    labels[:] = [tuple(classes[k] for k in row) for row in given]
    return labels


@dataclass(frozen=True, slots=True)
class Predictions:
    """The answers of a model to some rows: the measure of every class, and the label or labels that follow from it.

    Attributes
    ----------
    best : array (rows,), the class number that comes first: the label, or what it would be if the row got one
    values : array (rows, classes), probabilities or scores; scores of two classes are −s and s. Of thousands of labels
        the ``TopValues`` of the most probable ones
    are_probabilities : bool
    known : array (rows,) or None, how many features of each row the model knows; None where it has no features
    given : array (rows,) or LabelLists or None, what a decision gave instead of the best class; in a hierarchy,
        numbers from that of the classes on are the nodes above them
    given_values : array (rows,) or None, the probability of what was given, where it is not that of the best class
    """

    best: Codes
    values: Any
    are_probabilities: bool
    known: NDArray[np.int64] | None = None
    given: Codes | LabelLists | None = None
    given_values: Array | None = None

    def __len__(self) -> int:
        return len(self.best)

    @property
    def chosen(self) -> Codes | LabelLists:
        """The class number of each row, ``REJECTED`` for none; lists of them where a row may have several labels."""
        return self.best if self.given is None else self.given

    def labels(self, classes: NDArray[Any], broader: Sequence[str] = ()) -> NDArray[Any]:
        """Return the label of each row, None for none; where a row may have several, a tuple of those it was given.

        ``broader`` names what stands above the classes.
        """
        if self.given is None:
            return classes[self.best]
        if isinstance(self.given, LabelLists) and not len(broader):
            return labels_of(self.given.rows(), classes)
        names = np.array([*classes.tolist(), *broader, None], object)
        return (
            labels_of(self.given.rows(), names) if isinstance(self.given, LabelLists) else names[self.given]
        )

    @property
    def rejected(self) -> NDArray[np.bool_]:
        """Which rows get no label."""
        chosen = self.chosen
        none: NDArray[np.bool_] = (
            np.diff(chosen.indptr) == 0 if isinstance(chosen, LabelLists) else chosen == REJECTED
        )
        return none

    @property
    def measure(self) -> Literal["probability", "score"]:
        """The name of the values."""
        return "probability" if self.are_probabilities else "score"

    @property
    def confidence(self) -> Array:
        """The probability or score of each row's best class, or of what it was given instead."""
        if self.given_values is not None:
            return self.given_values
        own: Array = self.values[np.arange(len(self)), self.best].astype(np.float64)
        return own

    def ranked(self, k: int) -> Codes:
        """Return the first k classes of each row, rows × k: the best one, and the others by their values."""
        if isinstance(self.values, TopValues):
            return self.values.ranked(self.best, k)
        values: Array = self.values.astype(np.float64)
        values[np.arange(len(self)), self.best] = np.inf
        return np.argsort(-values, axis=1, kind="stable")[:, :k]

    @classmethod
    def joined(cls, parts: Sequence[Predictions]) -> Predictions:
        """Return the predictions of all parts, one after the other; of all or of none of them it is decided."""
        if len(parts) == 1:
            return parts[0]
        known = None if parts[0].known is None else np.concatenate([part.known for part in parts])
        best: Codes = np.concatenate([part.best for part in parts])
        own: list[Any] = [part.values for part in parts]
        values = TopValues.joined(own) if isinstance(own[0], TopValues) else np.concatenate(own)
        given: Any = None
        if isinstance(parts[0].given, LabelLists):
            given = LabelLists.joined([part.given for part in parts])  # type: ignore[misc]
        elif parts[0].given is not None:
            given = np.concatenate([part.given for part in parts])
        own = [part.given_values for part in parts if part.given_values is not None]
        return cls(
            best, values, parts[0].are_probabilities, known, given, np.concatenate(own) if own else None
        )


Answers = Predictions  # the name of 0.2


def unused_name(name: str, *taken: Container[str]) -> str:
    """Return the name of a column of predictions: ``predicted_…`` where there is a column of that name."""
    while any(name in names for names in taken):
        name = f"predicted_{name}"
    return name


class PredictionColumns(NamedTuple):
    """The columns of predictions. Which they are follows from these options, never from rows.

        label, probability         the label and its probability, or its score
        label_1, probability_1     with ``guess``: the best one, also of rows that get none
        label_2, probability_2 …   with ``top``: the labels behind it
        CLASS …                    with ``every``: the probability of each class
        next, probabilities        in the place of the last two if ``nested``: a list of labels, values by class

    Rows without a label have the probability of their best one. Where rows have several labels, these are a list, and
    everything else is as before. A column whose name is taken is called ``predicted_…``.
    """

    classes: Sequence[Any] | NDArray[Any]
    top: int = 1  # labels that are written, the best first
    every: bool = False
    guess: bool = False
    nested: bool = False  # several values may be one column, as in JSON
    prefix: str = ""  # of the names of all columns
    broader: Sequence[str] = ()  # the names of what stands above the classes, in a hierarchy

    def __call__(self, predictions: Predictions, taken: Container[str] = ()) -> dict[str, Column]:
        """Return the columns of some rows, as ``lindy.data.write.table_writer`` takes them; ``taken`` are names."""
        values, measure, rows = predictions.values, predictions.measure, np.arange(len(predictions))
        made: dict[str, Column] = {}

        def add(name: str, column: Column) -> None:
            made[unused_name(name, taken, made)] = column

        def add_label(end: str, column: Column, measured: Array) -> None:
            add(f"{self.prefix}label{end}", column)
            add(f"{self.prefix}{measure}{end}", measured.astype(np.float64))

        add_label("", self._labels(predictions.chosen), predictions.confidence)
        if self.guess:
            add_label("_1", self._labels(predictions.best), values[rows, predictions.best])
        behind = predictions.ranked(self.top)[:, 1:] if self.top > 1 else np.zeros((len(rows), 0), np.intp)
        if not self.nested:
            for place, codes in enumerate(behind.T, start=2):
                add_label(f"_{place}", self._labels(codes), values[rows, codes])
            for name, column in zip(self.classes, values.T if self.every else (), strict=False):
                add(name, np.ascontiguousarray(column, np.float64))
            return made
        if self.top > 1:
            add(
                "next",
                [
                    [{"label": self.classes[k], measure: round(float(row[k]), 6)} for k in own]
                    for row, own in zip(values, behind.tolist(), strict=True)
                ],
            )
        if self.every:
            plural = {"probability": "probabilities", "score": "scores"}[measure]
            rounded = ([round(value, 6) for value in row] for row in values.tolist())
            add(plural, [dict(zip(self.classes, row, strict=True)) for row in rounded])
        return made

    def _labels(self, chosen: Codes | LabelLists) -> Column:
        names = [*self.classes, *self.broader] if len(self.broader) else self.classes
        if isinstance(chosen, LabelLists):
            return [[names[k] for k in row] for row in chosen.rows()]
        return names, chosen.astype(np.int64)  # type: ignore[return-value]

    def frame(self, predictions: Predictions, index: Any = None) -> Any:
        """Return the columns as a pandas data frame; a row without a label has None."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingPackageError("as_frame=True needs pandas", "pip install pandas") from None

        def plain(column: Any) -> Any:
            if isinstance(column, list):  # of lists, also where all are of one length, or there is none
                return np.fromiter(column, object, len(column))
            if not isinstance(column, tuple):
                return column
            words, codes = np.asarray(column[0]), column[1]
            return words[codes] if (codes >= 0).all() else np.array([*words, None], object)[codes]

        columns = {name: plain(column) for name, column in self(predictions).items()}
        return pd.DataFrame(columns, index=index)
