"""Labels of one array, checked where they come in, and their numbers among the classes."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.csr import is_sparse, refuse_masked
from lindy.errors import LabelTypeError, conversion_warning

_AS_STRINGS = "make them strings: [str(label) for label in y], or .decode() for bytes"


def check_labels(y: ArrayLike, n_rows: int | None = None) -> NDArray[Any]:
    """Return one label per row as an array, of ``n_rows`` rows; refuses real numbers that are not classes."""
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
            stacklevel=6,
        )
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
    if n_rows is not None and len(labels) != n_rows:
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
    return np.unique(labels) if labels.dtype.kind != "O" else np.array(sorted(set(labels.tolist())), object)


def encode(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int32]:
    """Return the number of each label's class; classes are sorted."""
    if labels.dtype.kind == "O":
        place = {label: code for code, label in enumerate(classes.tolist())}
        codes = np.array([place.get(label, -1) for label in labels.tolist()], np.int32)
        known = codes >= 0
    else:
        codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        known = classes[codes] == labels
    if not known.all():
        unknown = sorted({str(label) for label in labels[~known]})
        raise ValueError(f"y contains labels that are not among the classes: {unknown[:5]}")
    return codes.astype(np.int32)


def portable_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels as a model file can keep them: strings, whole numbers or booleans.

    Whole numbers in a column of real numbers are integers.
    """
    found = _of_one_type(labels)
    if found.dtype.kind == "f" and (np.abs(found) < 2**53).all():
        found = found.astype(np.int64)
    if found.dtype.kind not in "Obiu":
        raise LabelTypeError(
            f"labels must be strings, whole numbers or booleans; got {found.dtype}", _AS_STRINGS
        )
    return found


def _of_one_type(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels as plain strings, or as an array of the one type that NumPy finds for numbers of several."""
    if labels.dtype.kind not in "UTO":
        return labels
    values = labels.tolist()
    kinds = set(map(type, values))
    if kinds <= {str}:
        return labels.astype(object)
    if all(issubclass(kind, str) for kind in kinds):  # of NumPy, or members of an enumeration of strings
        return np.array([str.__str__(label) for label in values], object)
    if not all(issubclass(kind, Integral | float | np.floating | np.bool_) for kind in kinds):
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise LabelTypeError(f"labels must be strings, whole numbers or booleans; got {names}", _AS_STRINGS)
    return check_labels(values)


def portable_names(classes: list[Any], least: int = 2) -> NDArray[Any]:
    """Return the classes that a model file names, so many at least; ValueError if they cannot be classes."""
    kinds = {type(label) for label in classes}
    if (
        len(classes) < least
        or len(kinds) != 1
        or not kinds <= {str, int, bool}
        or len(set(classes)) != len(classes)
    ):
        raise ValueError(f"the classes must be {least} or more different strings, integers or booleans")
    return np.array(classes, object) if kinds == {str} else np.array(classes)
