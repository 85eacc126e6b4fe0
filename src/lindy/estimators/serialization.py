"""Serialization: the state that a fitted estimator hands to a model file, and its checks on the way back.

A state is a pair: parameters that JSON can hold, and named arrays. Everything that comes in is untrusted:
a wrong name, shape, type or number is a ``ValueError``, never a crash and never a model that half works.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native

Shape = tuple[str | int, ...]
"""The axes of an array: "F" features, "K" classes, "O" columns of W (1 for two classes), or a fixed length."""

Arrays = dict[str, NDArray[Any]]

_INFINITY = {"number": "inf"}
_PARAMETER = "parameter."  # arrays given as constructor arguments travel among the arrays, under this prefix
_CERTIFICATE = {"objective": float, "gap": float, "relative gap": float, "tolerance": float, "reached": bool}


def narrowest(values: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return non-negative integers in the smallest unsigned type that holds them and that a model file can hold."""
    largest = int(values.max(initial=0))
    return values.astype(np.uint8 if largest < 1 << 8 else np.uint32 if largest < 1 << 32 else np.uint64)


def pack_parameters(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], Arrays]:
    """Split constructor arguments into what JSON can hold and arrays.

    A dict becomes {"pairs": [[key, value], …]}, because JSON keys are only strings, and infinity {"number": "inf"},
    because JSON has none; a random generator becomes None, because a fitted model no longer needs it. ``n_jobs`` is
    left out: it says how a model was made, not what it is.
    """
    plain: dict[str, Any] = {}
    arrays: Arrays = {}
    for name, value in parameters.items():
        if name == "n_jobs":
            continue
        if isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.kind in "biuf":
            arrays[_PARAMETER + name] = np.ascontiguousarray(value)
        else:
            plain[name] = _plain(name, value)
    return plain, arrays


def is_generator(value: Any) -> bool:
    """Whether a value is a Generator or RandomState of NumPy; where their module is not imported, none is."""
    module = sys.modules.get("numpy.random")
    return module is not None and isinstance(value, module.Generator | module.RandomState)


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value == np.inf:
        return dict(_INFINITY)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"pairs": [[_plain(name, key), _plain(name, item)] for key, item in value.items()]}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(name, item) for item in value]
    if is_generator(value):
        return None
    raise TypeError(f"parameter {name}={value!r} cannot be stored: a {type(value).__name__} has no JSON form")


def unpack_parameters(plain: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constructor arguments that ``pack_parameters`` was given."""
    parameters = {name: _unplain(value) for name, value in plain.items()}
    for name, array in arrays.items():
        if name.startswith(_PARAMETER):
            parameters[name.removeprefix(_PARAMETER)] = np.asarray(array)
    return parameters


def _unplain(value: Any) -> Any:
    if value == _INFINITY:
        return np.inf
    if isinstance(value, Mapping):
        if set(value) != {"pairs"} or not all(isinstance(p, list) and len(p) == 2 for p in value["pairs"]):
            raise ValueError(f"a stored parameter must be plain or a list of pairs; got {value!r}")
        return {key: _unplain(item) for key, item in value["pairs"]}
    return [_unplain(item) for item in value] if isinstance(value, list) else value


def own_arrays(arrays: Mapping[str, Any]) -> Arrays:
    """Return the arrays that are not parameters."""
    return {name: np.asarray(array) for name, array in arrays.items() if not name.startswith(_PARAMETER)}


def check_classes(classes: ArrayLike) -> NDArray[Any]:
    """Return the labels, which must be sorted and different."""
    labels = np.asarray(classes)
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError(f"classes must be a list of at least one label; got shape {labels.shape}")
    try:
        in_order = bool((labels[1:] > labels[:-1]).all())
    except TypeError as error:
        raise ValueError(f"classes must be labels of one type: {error}") from None
    if not in_order:
        raise ValueError("classes must be sorted, each label once")
    return labels


def check_arrays(arrays: Mapping[str, Any], shapes: Mapping[str, Shape], n_classes: int) -> dict[str, int]:
    """Check names, dtypes, shapes and finiteness; return the length of every axis, "F" among them.

    Raises
    ------
    ValueError
        If arrays are missing or unknown, are not finite C-contiguous float32, float64 or integers, or if their
        shapes contradict each other or the number of classes.
    """
    if set(arrays) != set(shapes):
        raise ValueError(f"expected the arrays {sorted(shapes)}; got {sorted(arrays)}")
    axes = {"K": n_classes, "O": 1 if n_classes <= 2 else n_classes}
    for name, shape in shapes.items():
        array = np.asarray(arrays[name])
        if array.dtype not in (np.float32, np.float64) and array.dtype.kind not in "iu":
            raise ValueError(f"array {name} must hold numbers; got {array.dtype}")
        if array.ndim != len(shape) or not array.flags.c_contiguous:
            raise ValueError(f"array {name} must be C-contiguous with {len(shape)} axes; got {array.shape}")
        for axis, length in zip(shape, array.shape, strict=True):
            expected = axis if isinstance(axis, int) else axes.setdefault(axis, length)
            if length != expected:
                raise ValueError(
                    f"array {name} has shape {array.shape}; axis {axis} must have length {expected}"
                )
        if array.dtype.kind == "f" and _native.first_non_finite(array.reshape(-1)) >= 0:
            raise ValueError(f"array {name} must hold finite numbers")
    return axes


def training_summary(learner: Any) -> dict[str, Any]:
    """Return what a learner says about its training that is worth keeping with the model: solver, rounds, proof."""
    summary: dict[str, Any] = {}
    if isinstance(solver := getattr(learner, "solver_", None), str):
        summary["solver"] = solver
    if (rounds := getattr(learner, "n_iter_", None)) is not None:
        summary["rounds"] = int(rounds)
    if (mistakes := getattr(learner, "mistakes_", None)) is not None:
        summary["mistakes"] = int(mistakes)
    proof = getattr(learner, "certificate_", None)
    if proof is not None and math.isfinite(proof.gap):  # without a penalty there may be none to prove
        summary["certificate"] = {
            "objective": float(proof.objective),
            "gap": float(proof.gap),
            "relative gap": float(proof.relative_gap),
            "tolerance": float(proof.tol),
            "reached": bool(proof.reached),
        }
    return summary


def training_facts(training: dict[str, Any]) -> dict[str, str]:
    """Return such a summary in words."""
    facts = {}
    if "rounds" in training:
        by = f" by {training['solver']}" if "solver" in training else ""
        facts["training"] = f"{training['rounds']:,} rounds{by}"
    if proof := training.get("certificate"):
        kept = "within" if proof["reached"] else "NOT within"
        facts["certificate"] = (
            f"objective {proof['objective']:.6g}, at most {proof['relative gap']:.1e} of it above the optimum"
            f" ({kept} the tolerance {proof['tolerance']:.0e})"
        )
    return facts


def check_training(stored: Any) -> dict[str, Any]:
    """Return a summary that came from a file, which must be one."""
    known = {"solver": str, "rounds": int, "mistakes": int, "certificate": dict}
    sound = isinstance(stored, dict) and all(type(stored[name]) is known.get(name) for name in stored)
    proof = stored.get("certificate", {}) if sound else {}
    if not sound or (proof and {name: type(value) for name, value in proof.items()} != _CERTIFICATE):
        raise ValueError("the stored summary of the training is malformed")
    return dict(stored)
