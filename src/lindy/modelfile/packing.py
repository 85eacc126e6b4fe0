"""Arrays of a small model in few bytes, as its file holds them; what is unpacked are the same arrays again.

======  ==========================================  ================================================================
form    of what                                     what the file has
======  ==========================================  ================================================================
terms   ``terms`` and ``offsets``, sorted           each term without the beginning of the one before, coded
steps   W, features × outputs: w = c·s_k            the whole numbers c, coded, output by output; s
levels  numbers of at most 256 different values     the number of each value, coded; the values
whole   other whole numbers                         their bytes, the lowest of all numbers first, coded
======  ==========================================  ================================================================

Coded are bytes by an adaptive range coder (``lindy.textbook.small_files``). A file can make at most 16 bytes, or 64
bytes of terms, of each of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.modelfile.layout import DTYPE_NAMES, DTYPES

Arrays = dict[str, NDArray[Any]]

_MOST = 127
_FEWEST = 64  # numbers that are worth a table
_BITS = 1 << 16


def steps_of(W: NDArray[Any]) -> NDArray[Any]:
    """Return s_k = max_j |W_jk| / 127, rounded up to 16 bits, so that every multiple is exact."""
    largest = np.abs(W).max(axis=0, initial=0).astype(np.float64)
    mantissa, exponent = np.frexp(largest / _MOST)
    steps: NDArray[Any] = np.ldexp(np.ceil(mantissa * _BITS) / _BITS, exponent).astype(W.dtype)
    return steps


def rounded(W: NDArray[Any]) -> NDArray[Any]:
    """Return weights in eight bits: c·s_k, c = W_jk / s_k rounded."""
    steps = steps_of(W)
    made: NDArray[Any] = (_codes(W, steps) * steps).astype(W.dtype)
    return made


def _codes(W: NDArray[Any], steps: NDArray[Any]) -> NDArray[Any]:
    return np.rint(W / np.where(steps > 0, steps, 1))


def pack_arrays(arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Return how arrays are packed, by name, and the arrays of the file; what would not become smaller stays."""
    forms: dict[str, Any] = {}
    stored = dict(arrays)
    for name, array in arrays.items():
        if name.endswith("terms") and (ends := f"{name[:-5]}offsets") in arrays:
            forms[name] = {"terms": len(arrays[ends]) - 1}
            stored[name] = _native.encode_terms(array, arrays[ends])
            del stored[ends]
        elif array.dtype.kind == "f" and array.ndim == 2 and name.endswith("W"):
            steps = steps_of(array)
            codes = _codes(array, steps)
            if ((codes * steps).astype(array.dtype) == array).all():
                forms[name] = {"steps": list(array.shape)}
                flat = codes.T.reshape(-1)
                stored[name] = _native.encode_bytes(
                    np.where(flat < 0, -2 * flat - 1, 2 * flat).astype(np.uint8)
                )
                stored[f"{name}.steps"] = steps
        elif array.dtype.kind == "f" and array.ndim == 1 and len(array) >= _FEWEST:
            values, numbers = np.unique(array, return_inverse=True)
            if len(values) <= 1 << 8:
                forms[name] = {"levels": len(array)}
                stored[name] = _native.encode_bytes(numbers.astype(np.uint8))
                stored[f"{name}.levels"] = values
        elif array.dtype.kind in "iu" and name in stored:
            planes = np.ascontiguousarray(array).reshape(-1, 1).view(np.uint8).T
            if len(code := _native.encode_bytes(np.ascontiguousarray(planes).reshape(-1))) < array.nbytes:
                forms[name] = {"whole": [DTYPE_NAMES[array.dtype], *array.shape]}
                stored[name] = code
    return forms, stored


def unpack_arrays(forms: Any, stored: Mapping[str, Any]) -> Arrays:
    """Return the arrays that were packed; ValueError for whatever `pack_arrays` does not make."""
    if not isinstance(forms, dict):
        raise ValueError("how the arrays are packed is not said by name")
    arrays = dict(stored)
    for name, form in forms.items():
        kind, about = next(iter(form.items())) if isinstance(form, dict) and len(form) == 1 else ("", None)
        code = arrays.pop(name, None)
        if code is None or code.dtype != np.uint8 or code.ndim != 1:
            raise ValueError(f"the packed array {name!r} is not there as bytes")
        if kind == "terms":
            arrays[name], arrays[f"{name[:-5]}offsets"] = _native.decode_terms(code, _length(about))
        elif kind == "levels":
            values = _table(arrays.pop(f"{name}.levels", None))
            numbers = _native.decode_bytes(code, _length(about))
            if numbers.max(initial=0) >= len(values):
                raise ValueError(f"the packed array {name!r} has values that are not listed")
            arrays[name] = values[numbers]
        elif kind == "whole" and isinstance(about, list) and about and isinstance(about[0], str):
            dtype, shape = DTYPES[about[0]], [*map(_length, about[1:])]
            data = _native.decode_bytes(code, math.prod(shape) * dtype.itemsize)
            arrays[name] = np.ascontiguousarray(data.reshape(dtype.itemsize, -1).T).view(dtype).reshape(shape)
        elif kind == "steps" and isinstance(about, list) and len(about) == 2:
            n, K = map(_length, about)
            steps = _table(arrays.pop(f"{name}.steps", None))
            if len(steps) != K:
                raise ValueError(f"the packed array {name!r} has {len(steps)} steps for {K} columns")
            z = _native.decode_bytes(code, n * K).reshape(K, n).T.astype(np.int32)
            arrays[name] = np.ascontiguousarray(np.where(z & 1, -(z + 1) // 2, z // 2) * steps, steps.dtype)
        else:
            raise ValueError(f"the array {name!r} is packed in no known form")
    return arrays


def _length(stored: Any) -> int:
    if type(stored) is not int or not 0 <= stored < 1 << 40:
        raise ValueError(f"a packed array cannot have the length {stored!r}")
    return stored


def _table(values: Any) -> NDArray[Any]:
    if values is None or values.ndim != 1 or values.dtype.kind != "f":
        raise ValueError("the numbers of a packed array are not there")
    return np.asarray(values)
