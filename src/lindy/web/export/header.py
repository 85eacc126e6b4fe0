"""A whole model and its learner as the header that js/model.mjs, js/learners.mjs and js/scores.mjs read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import lindy
from lindy.errors import ExportError
from lindy.estimators.learners import REGISTRY, learner_class
from lindy.evaluation.decisions import Decision, LabelLimits
from lindy.linear.sparse_weights import SharedWeights
from lindy.textclassifier import TextClassifier
from lindy.web.export.packing import Header, numbers
from lindy.web.export.vectorizers import Characters, inputs_of, vectorizer_header

NO_LIMITS = LabelLimits()
_EXACT = 2**53  # beyond it JavaScript's numbers have gaps


def model_header(model: TextClassifier, decision: Decision, limits: LabelLimits = NO_LIMITS) -> Header:
    """Return the description of a fitted model and of how it decides; ExportError for one that cannot be exported."""
    if model.columns_.get("text_is") == "mail":
        raise ExportError(
            "the model reads raw mail, whose headers become words in Python; JavaScript has only the text",
            "train it on the texts of the messages",
        )
    if decision.needs_probabilities and not model.has_probabilities:
        raise ExportError(
            "costs and rejection need probabilities, and the model has only scores",
            "train it with a calibration, or leave them out",
        )
    characters = Characters()
    vectorizer = vectorizer_header(model.vectorizer_, characters)
    return {
        "labels": [_label(label) for label in model.classes_.tolist()],
        "names": [str(label) for label in model.classes_.tolist()],
        "inputs": inputs_of(model.vectorizer_),
        "about": _about(model),
        "characters": characters.packed(),
        "vectorizer": vectorizer,
        "learner": learner_header(model.learner_),
        "decision": _decision(model, decision, limits),
    }


def _label(label: Any) -> Any:
    return str(label) if isinstance(label, int) and abs(label) > _EXACT else label


def _about(model: TextClassifier) -> Header:
    calibration = None if model.calibrator_ is None else model.calibrator_.method
    return {
        "recipe": model.recipe_,
        "features": int(model.vectorizer_.n_columns),
        "examples": model.n_examples,
        "calibration": calibration,
        "thresholds": None
        if model.label_thresholds is None
        else dict(zip(map(str, model.classes_.tolist()), model.label_thresholds.tolist(), strict=True)),
        "lindy": lindy.__version__,
    }


def _decision(model: TextClassifier, decision: Decision, limits: LabelLimits) -> Header:
    """Return how scores become probabilities, and these a label, several or none."""
    calibration, rule, K = model.calibrator_, model.rule_, len(model.classes_)
    thresholds, several = decision.thresholds, None
    if model.label_thresholds is not None:
        several = {
            "thresholds": model.label_thresholds.tolist(),
            "atLeastOne": limits.at_least_one,
            "atMost": limits.at_most,
        }
    return {
        "calibration": None if calibration is None else {"method": calibration.method, **calibration.arrays},
        "several": several,
        "offsets": None if rule is None or several is not None else rule.to_state(),
        "cost": None if decision.cost is None else np.asarray(decision.cost, np.float64).tolist(),
        "thresholds": None
        if thresholds is None
        else np.broadcast_to(np.asarray(thresholds, np.float64), (K,)).tolist(),
    }


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
    kind = getattr(learner, "saved_kind", type(learner))  # of several labels, that of the learner of each
    return name in REGISTRY and learner_class(name) is kind


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
