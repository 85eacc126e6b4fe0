"""A whole model as the header that js/model.mjs reads."""

from __future__ import annotations

from typing import Any

import numpy as np

import lindy
from lindy.errors import ExportError
from lindy.evaluation.decisions import Decision, SeveralLabels
from lindy.textclassifier import TextClassifier
from lindy.web.export.characters import Characters
from lindy.web.export.learner_headers import learner_header
from lindy.web.export.packing import Header
from lindy.web.export.vectorizers import inputs_of, vectorizer_header

_EXACT = 2**53  # beyond it JavaScript's numbers have gaps


def model_header(model: TextClassifier, decision: Decision) -> Header:
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
        "decision": _decision(model, decision),
    }


def _label(label: Any) -> Any:
    return str(label) if isinstance(label, int) and abs(label) > _EXACT else label


def _about(model: TextClassifier) -> Header:
    calibration = None if model.calibrator_ is None else model.calibrator_.method
    return {
        "recipe": model.recipe_,
        "features": int(model.vectorizer_.n_columns),
        "examples": model.class_counts_.sum().item(),
        "calibration": calibration,
        "lindy": lindy.__version__,
    }


def _decision(model: TextClassifier, decision: Decision) -> Header:
    """Return how scores become probabilities, and these a label or none."""
    calibration, rule, K = model.calibrator_, model.rule_, len(model.classes_)
    if isinstance(rule, SeveralLabels):
        raise ExportError(
            "a model of several labels per text cannot be exported yet: predict with it where lindy runs"
        )
    thresholds = decision.thresholds
    return {
        "calibration": None if calibration is None else {"method": calibration.method, **calibration.arrays},
        "offsets": None if rule is None else rule.offsets.tolist(),
        "cost": None if decision.cost is None else np.asarray(decision.cost, np.float64).tolist(),
        "thresholds": None
        if thresholds is None
        else np.broadcast_to(np.asarray(thresholds, np.float64), (K,)).tolist(),
    }
