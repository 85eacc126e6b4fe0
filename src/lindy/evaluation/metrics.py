"""Accuracy, precision, recall, F1 and the confusion matrix.

    precision_y = right_y / predicted_y       recall_y = right_y / actual_y
    F1_y = 2·right_y / (predicted_y + actual_y)

A ratio whose denominator is 0 counts as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ClassMetrics:
    """One class: precision, recall, F1, and how many examples have it."""

    label: Any
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came out of comparing predictions with the truth.

    ``confusion[i, j]`` counts examples of class i that were called class j; ``labels`` names both axes.
    ``interval`` is Wilson's 95 % interval of the accuracy.
    """

    accuracy: float
    interval: tuple[float, float]
    examples: int
    labels: list[Any]
    classes: list[ClassMetrics]
    confusion: NDArray[np.int64]

    @property
    def macro_f1(self) -> float:
        """The unweighted mean of the classes' F1."""
        return float(np.mean([entry.f1 for entry in self.classes]))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "accuracy": self.accuracy,
            "accuracy_interval": list(self.interval),
            "macro_f1": self.macro_f1,
            "examples": self.examples,
            "classes": {
                str(entry.label): {
                    "precision": entry.precision,
                    "recall": entry.recall,
                    "f1": entry.f1,
                    "support": entry.support,
                }
                for entry in self.classes
            },
            "confusion": {"labels": [str(label) for label in self.labels], "counts": self.confusion.tolist()},
        }


def evaluate(truth: Any, predicted: Any) -> Evaluation:
    """Compare true with predicted labels; a label that only one side has still gets its row and column."""
    actual, guess = np.asarray(truth), np.asarray(predicted)
    if actual.shape != guess.shape or actual.ndim != 1:
        raise ValueError(
            f"truth and predictions must be equally long lists; got {actual.shape} and {guess.shape}"
        )
    if len(actual) == 0:
        raise ValueError("there is nothing to evaluate: no examples")
    labels, codes = np.unique(np.concatenate([actual, guess]), return_inverse=True)
    n, K = len(actual), len(labels)
    confusion = np.bincount(codes[:n] * K + codes[n:], minlength=K * K).reshape(K, K).astype(np.int64)
    right = confusion.diagonal().astype(float)
    called, support = confusion.sum(axis=0), confusion.sum(axis=1)
    precision, recall = _ratio(right, called), _ratio(right, support)
    f1 = _ratio(2 * right, called + support)
    classes = [
        ClassMetrics(label, float(p), float(r), float(f), int(s))
        for label, p, r, f, s in zip(labels.tolist(), precision, recall, f1, support, strict=True)
    ]
    accuracy = float(right.sum() / n)
    return Evaluation(accuracy, wilson(accuracy, n), n, labels.tolist(), classes, confusion)


def wilson(share: float, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return Wilson's interval for a share seen in n trials (E. B. Wilson, 1927); 95 % by default."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return max(0.0, centre - half), min(1.0, centre + half)


def _ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> NDArray[np.float64]:
    ratio = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    return ratio
