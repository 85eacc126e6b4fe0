"""Labels and weights of examples, checked where they come in.

Labels are encoded once: learners, folds and calibrators pass them on as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.csr import is_sparse, refuse_masked
from lindy.errors import LabelTypeError, conversion_warning, invalid_parameter


@dataclass(frozen=True, slots=True)
class Labels:
    """The sorted classes, and the number of each example's class among them."""

    classes: NDArray[Any]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many examples each class has."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def weighted_counts(self, weight: NDArray[np.float64] | None) -> NDArray[Any]:
        """Return how many examples each class has, each as often as its weight says; see ``weighted_counts``."""
        return weighted_counts(self.codes, weight, len(self.classes))

    def take(self, rows: NDArray[np.integer[Any]]) -> Labels:
        """Return the labels of some examples; the classes stay the same."""
        return Labels(self.classes, self.codes[rows])

    def seen(self) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return the classes that have examples, and each example's number among these."""
        present = self.counts > 0
        if present.all():
            return self.classes, self.codes
        return self.classes[present], (np.cumsum(present) - 1)[self.codes].astype(np.int32)


def as_labels(y: Labels | NDArray[np.integer[Any]]) -> Labels:
    """Return encoded labels; class numbers are their own labels."""
    if isinstance(y, Labels):
        return y
    return Labels(np.arange(int(y.max()) + 1), y.astype(np.int32))


def check_labels(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    """Return labels as a one-dimensional array of ``n_rows``; refuses real numbers that are not classes."""
    if is_sparse(y):
        raise TypeError("Sparse targets are not supported: y must be a one-dimensional array of labels")
    refuse_masked(y, "y")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            conversion_warning(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to"
                " (n_samples, ), for example using ravel()."
            ),
            stacklevel=4,
        )
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if len(labels) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(labels)]}"
        )
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            what = "NaN" if np.isnan(labels).any() else "infinity"
            raise ValueError(f"Input y contains {what}.")
        if (labels != np.trunc(labels)).any():
            raise LabelTypeError(
                "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects"
                " discrete classes (strings, integers or booleans) on a regression target with continuous values."
            )
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported as labels")
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        raise ValueError("Input y contains NaT: every example needs a label.")
    if labels.dtype.kind == "V":
        raise ValueError(f"labels must be words, numbers or truth values; got {labels.dtype}")
    if labels.dtype.kind == "O":
        _check_objects(labels)
    return labels


def _check_objects(labels: NDArray[Any]) -> None:
    """Refuse labels that are missing, or that cannot be told from each other; words are not looked at one by one."""
    kinds = set(map(type, labels))
    if kinds == {str}:
        return
    if mutable := sorted(kind.__name__ for kind in kinds if kind.__hash__ is None):
        raise LabelTypeError(f"labels must be words, numbers or truth values; got {', '.join(mutable)}")
    if any(map(is_missing, labels)):
        raise ValueError("Input y contains NaN or None: every example needs a label.")
    if any(issubclass(kind, str) for kind in kinds) and not all(issubclass(kind, str) for kind in kinds):
        names = sorted(kind.__name__ for kind in kinds)
        raise LabelTypeError(
            f"labels must all have one type; got {' and '.join(names)}",
            "Make them words: [str(label) for label in y].",
        )


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, or the NA of pandas, which cannot be compared."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)  # noqa: PLR0124


def distinct_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the different labels, sorted; small whole numbers without NumPy's unique, which is slow to start."""
    if labels.dtype.kind == "i" and labels.size and labels.min() >= 0 and labels.max() < 1 << 16:
        return np.flatnonzero(np.bincount(labels)).astype(labels.dtype)
    return np.unique(labels)


def encode(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int32]:
    """Return the number of each label's class; classes are sorted."""
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    known = classes[codes] == labels
    if not known.all():
        unknown = sorted({str(label) for label in labels[~known]})
        raise ValueError(f"y contains labels that are not among the classes: {unknown[:5]}")
    return codes.astype(np.int32)


def present_rows(weight: NDArray[np.float64] | None) -> NDArray[np.intp] | None:
    """Return the numbers of the rows that are there, those of a weight above 0; None if all are."""
    if weight is None or (weight > 0).all():
        return None
    return np.flatnonzero(weight > 0)


def are_whole(weight: NDArray[np.float64] | None) -> bool:
    """Whether weights are numbers of rows, whose sums are exact."""
    return weight is None or bool((weight == np.trunc(weight)).all() and weight.sum() < 2.0**53)


def total_weight(weight: NDArray[np.float64] | None, n_rows: int) -> int | float:
    """Return how many rows there are, each as often as its weight says; a whole number if all weights are."""
    if weight is None:
        return n_rows
    return int(weight.sum()) if are_whole(weight) else float(weight.sum())


def weighted_counts(
    codes: NDArray[np.integer[Any]], weight: NDArray[np.float64] | None, n: int
) -> NDArray[Any]:
    """Return how many rows have each number below n, each as often as its weight says.

    Whole numbers if all weights are, so that a row of weight 2 and two rows give the same to the last bit.
    """
    counts = np.bincount(codes, weight, n)
    return counts.astype(np.int64) if are_whole(weight) else counts


def check_weight(
    sample_weight: ArrayLike | None, n_rows: int, *, may_be_zero: bool = False
) -> NDArray[np.float64] | None:
    """Return one finite, non-negative weight per row, or None when all weights are 1.

    Not all may be 0, since such rows are left out; those of one batch of many ``may_be_zero``.
    """
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, "sample_weight")
    given = np.asarray(sample_weight)
    if given.dtype.kind not in "fiubO":
        raise ValueError(f"sample_weight must hold numbers; got {given.dtype}")
    try:
        weight = np.require(given, np.float64, ["C", "A"])
    except OverflowError:
        raise ValueError("Input sample_weight contains a number that is too large for float64.") from None
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array.")
    if len(weight) != n_rows:
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}!")
    if not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if (weight < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not weight.any():
        if may_be_zero:
            return weight
        raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.finfo(np.float64).tiny <= total < np.inf:
        size = "large" if total > 1 else "small"
        raise ValueError(
            f"the sum of sample_weight is too {size} for float64: divide the weights by their largest"
        )
    return weight


def class_weights(
    class_weight: str | dict[Any, float] | None,
    classes: NDArray[Any],
    y: NDArray[np.int32],
    weight: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Multiply the rows' weights by their class's: ``"balanced"`` is n / (K · n_y), a dict gives them by label.

    n and n_y count a row as often as its weight says, so that a weight of k is k copies of the row.
    """
    if class_weight is None:
        return weight
    base = np.ones(len(y)) if weight is None else weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight must be 'balanced', a dict or None; got {class_weight!r}")
        mass = np.bincount(y, base, minlength=len(classes))
        per_class = np.divide(mass.sum(), len(classes) * mass, out=np.ones(len(classes)), where=mass > 0)
    else:
        per_class = _weights_by_label(class_weight, classes.tolist())
    weighted: NDArray[np.float64] = base * per_class[y]
    return weighted


def _weights_by_label(class_weight: Any, labels: list[Any]) -> NDArray[np.float64]:
    """Return the weights in the order of the labels; as in scikit-learn a dict may leave out labels or have others."""
    if not isinstance(class_weight, Mapping):
        raise invalid_parameter(f"class_weight must be 'balanced', a dict or None; got {class_weight!r}")
    for label, value in class_weight.items():
        if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
            raise invalid_parameter(
                f"class_weight must give finite numbers of at least 0; got {value!r} for the label {label!r}"
            )
    known = set(labels)
    unknown = [label for label in class_weight if label not in known]
    if unknown and any(label not in class_weight for label in labels):  # rather a mistake than a wider dict
        raise ValueError(f"class_weight has labels that no example has: {unknown}; there are {labels[:20]}")
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])
