"""Progressive validation: every row is predicted by a model that has learned only from the rows before it.

Rows come in batches; each is first predicted, then learned. The figures are those of a model that is used from the
first new row on and updated after every batch: no row has been seen when it is predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.inputs import as_inputs
from lindy.core.targets import ManyLabels, Targets
from lindy.errors import UpdateError
from lindy.evaluation.decisions import predictions_of
from lindy.evaluation.metrics.intervals import Interval, of_mean
from lindy.evaluation.metrics.label_metrics import label_gains
from lindy.evaluation.predictions import Predictions
from lindy.progress import step
from lindy.updating.label_decisions import with_new_labels
from lindy.updating.model_parts import Parts, Rows

Array = NDArray[np.float64]
Scored = tuple[NDArray[np.int64], Array]  # rows by number, and their scores

BATCHES = 10
"""Batches that an update is validated in, unless it is said."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The predictions for rows, made before the rows were learned.

    Attributes
    ----------
    right : array (rows,), whether the label was predicted; of several labels the F1 of each row
    ends : array (batches,), after how many rows the model learned
    best, confidence : arrays (rows,), the predicted class number among ``classes``, and its probability (0 without
        one); of several labels those of the surest
    classes : all labels, the new ones included
    scored : the rows whose model knew all classes, and their scores
    learned : whether the model learned between the batches, or stayed what it was
    measure : the name of the mean of ``right``
    """

    right: NDArray[Any]
    ends: NDArray[np.int64]
    best: NDArray[np.int64]
    confidence: Array
    classes: NDArray[Any]
    scored: Scored
    learned: bool
    measure: str = "accuracy"

    @property
    def accuracy(self) -> tuple[float, Interval]:
        """The mean of ``right``, and between what it lies with 95 % confidence."""
        return float(self.right.mean()), of_mean(self.right)

    @property
    def windows(self) -> Array:
        """The mean of each batch."""
        begins = np.concatenate([[0], self.ends[:-1]])
        shares = [float(self.right[begin:end].mean()) for begin, end in zip(begins, self.ends, strict=True)]
        return np.array(shares)

    @property
    def cumulative(self) -> Array:
        """The mean of all rows up to the end of each batch."""
        shares: Array = np.cumsum(self.right)[self.ends - 1] / self.ends
        return shares

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON can hold them."""
        share, interval = self.accuracy
        return {
            "rows": len(self.right),
            self.measure.replace(" ", "_").lower(): share,
            "interval": list(interval),
            "ends": self.ends.tolist(),
            "windowed": self.windows.tolist(),
            "cumulative": self.cumulative.tolist(),
            "learned between batches": self.learned,
        }


def validate_progressively(
    model: Any, rows: Rows, classes: NDArray[Any], n_batches: int = BATCHES, class_weight: Any = None
) -> Progress:
    """Predict, then learn, batch by batch, with copies of the parts of a model.

    A model that cannot go on without its earlier rows predicts all rows as it is.
    """
    ends = np.unique(np.linspace(0, len(rows), min(n_batches, len(rows)) + 1).astype(np.int64)[1:])
    parts = Parts.of(model)
    learned = not parts.refusal
    truth = rows.labels.among(classes)
    best, confidence = np.zeros(len(rows), np.int64), np.zeros(len(rows))
    right = np.zeros(len(rows), float if model.several_labels else bool)
    scored: list[Scored] = []
    begin = 0
    for number, end in enumerate(ends.tolist()):
        batch = rows.part(begin, end)
        how = _decisions(model, parts)
        with step(number / len(ends), (number + 1) / len(ends), f"predict, then learn: {end:,} rows"):
            for X, place in _rows_of(parts, batch, begin):
                predicted = predictions_of(parts.learner, X, *how)
                right[place] = _right(truth.take(place), predicted, parts.classes)
                best[place] = np.searchsorted(classes, parts.classes[predicted.best])
                if predicted.are_probabilities:
                    confidence[place] = predicted.confidence
                if len(parts.classes) == len(classes):
                    scored.append((place, np.asarray(parts.learner.decision_function(X), np.float64)))
            if learned and end < len(rows):
                try:
                    parts, _ = parts.after(batch, None, class_weight)
                except UpdateError:
                    learned = False
        begin = end
    places = np.concatenate([np.zeros(0, np.int64), *(place for place, _ in scored)])
    scores = np.concatenate([own for _, own in scored]) if scored else np.zeros(0)
    measure = "example F1" if model.several_labels else "accuracy"
    return Progress(right, ends, best, confidence, classes, (places, scores), learned, measure)


def _decisions(model: Any, parts: Parts) -> tuple[Any, Any]:
    """Return the model's calibrator and rule, as far as they are for the classes that there are now."""
    if model.several_labels:
        return with_new_labels(model, parts.classes, parts.counts)
    same = len(parts.classes) == len(model.classes_)
    return (model.calibrator_, model.rule_) if same else (None, None)


def _right(truth: Targets, predicted: Predictions, classes: NDArray[Any]) -> NDArray[Any]:
    """Return whether each row got its label; of several labels, the F1 of its labels."""
    if isinstance(truth, ManyLabels):
        return label_gains("example-f1", truth, predicted, classes)
    right: NDArray[np.bool_] = classes[predicted.best] == truth.labels
    return right


def _rows_of(parts: Parts, batch: Rows, begin: int) -> Any:
    """Yield the vectors of a batch, with the numbers of their rows."""
    for texts in as_inputs(batch.texts).chunks():
        X = parts.vectorizer.transform_csr(texts)
        yield X, np.arange(begin, begin + X.shape[0])
        begin += X.shape[0]
