"""Labels: from a column of them to classes and their numbers."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import holds_strings, is_column
from lindy.core.labels import Labels, check_labels
from lindy.data.columns.distinct import distinct
from lindy.errors import LabelTypeError

_AS_STRINGS = "make them strings: [str(label) for label in y], or .decode() for bytes"


def encode_labels(labels: Any) -> Labels:
    """Return the sorted classes and each example's class number; columns of text stay such on the way.

    Whole numbers in a column of real numbers are integers.
    """
    if isinstance(labels, Labels):
        return labels
    if is_column(labels) and holds_strings(labels):
        if labels.null_count:
            raise ValueError("labels contain null: every example needs a label")
        values, numbers = distinct(labels)
        order = sorted(range(len(values)), key=values.__getitem__)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return Labels(np.array([values[i] for i in order], object), rank[numbers])
    array = np.array(labels, object) if isinstance(labels, list | tuple) else np.asarray(labels)
    array = _of_one_type(check_labels(array, len(array) if array.ndim else 1))
    if array.dtype.kind == "f" and (np.abs(array) < 2**53).all():
        array = array.astype(np.int64)
    if array.dtype.kind not in "Obiu":
        raise LabelTypeError(
            f"labels must be strings, whole numbers or booleans; got {array.dtype}", _AS_STRINGS
        )
    classes, codes = np.unique(array, return_inverse=True)
    return Labels(classes, codes.astype(np.int32))


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
    return check_labels(values, len(values))


def check_classes(classes: list[Any]) -> NDArray[Any]:
    """Return the classes that a model file names; ValueError if they cannot be classes."""
    kinds = {type(label) for label in classes}
    if (
        len(classes) < 2
        or len(kinds) != 1
        or not kinds <= {str, int, bool}
        or len(set(classes)) != len(classes)
    ):
        raise ValueError("the classes must be two or more different strings, integers or booleans")
    return np.array(classes, object) if kinds == {str} else np.array(classes)
