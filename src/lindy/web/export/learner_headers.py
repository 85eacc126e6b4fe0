"""Learners as the header of an exported model describes them; js/learners.mjs and js/scores.mjs read it.

A learner says itself how its scores are sums of weights (``Classifier.weight_sums``), or why they are not. Weights
keep the precision in which the model has them, and the core's way of adding them up: 32 bits where it adds in 32, 64
where it adds in 64. So the scores of the JavaScript are those of the library to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.errors import ExportError
from lindy.estimators.learners import REGISTRY, learner_class
from lindy.linear.shared import SharedWeights
from lindy.web.export.packing import Header, numbers


def learner_header(learner: Any) -> Header:
    """Return the description of a fitted learner.

    Raises
    ------
    ExportError
        For a learner whose scores are no sums of weights, with the reason.
    """
    sums = learner.weight_sums() if _is_ours(learner) else None
    if sums is None:
        raise _refusal(learner)
    more = {
        name: _weighted(*value) if isinstance(value, tuple) else value for name, value in sums.more.items()
    }
    return {"kind": sums.kind, **_weighted(sums.weights, sums.bias), **more}


def _is_ours(learner: Any) -> bool:
    """Whether a learner is of a class of lindy, not of one that inherits from it and may score in another way."""
    name = getattr(getattr(learner, "spec", None), "name", "")
    return name in REGISTRY and learner_class(name) is type(learner)


def _refusal(learner: Any) -> ExportError:
    why = (learner.spec.not_sums if _is_ours(learner) else "") or "it is not one of lindy's linear learners"
    return ExportError(
        f"a model of {getattr(learner, 'class_name', type(learner).__name__)} cannot be exported: {why}",
        "train a linear one, such as svm, maxent, perceptron, mira or naive-bayes",
    )


def _weighted(weights: Any, bias: NDArray[Any] | None) -> Header:
    """Return weights and bias: of all features, of few rows that many features share, or of those that have any."""
    if weights is None or bias is None:
        return {}
    if isinstance(weights, SharedWeights):
        few = weights.row_of.astype(np.min_scalar_type(len(weights.rows)))
        return {"rows": numbers(weights.rows), "rowOf": few, "bias": bias}
    if isinstance(weights, np.ndarray):
        return {"weights": numbers(weights), "bias": bias.astype(weights.dtype)}
    sparse = weights.tocsr()
    features = np.flatnonzero(np.diff(sparse.indptr)).astype(np.int32)
    rows: NDArray[Any] = sparse[features].toarray()
    return {
        "rows": numbers(rows),
        "features": features,
        "bias": bias.astype(np.float64),
        "single": rows.dtype == np.float32,
    }
