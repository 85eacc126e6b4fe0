"""A text classifier as the header and the arrays of a model file, and back.

Each part (vectorizer, learner, calibrator) checks its own state; here the parts are checked against each other, so
that a file whose parts do not belong together is refused when it is loaded, not when it predicts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import lindy.features  # whose vectorizers a model file may hold
import lindy.images  # noqa: F401  # and whose
from lindy.core.csr import Csr
from lindy.core.hierarchy import Taxonomy
from lindy.core.labels import portable_names
from lindy.estimators.learners import READ_ONLY, REGISTRY, learner_class, learner_name, set_threads
from lindy.estimators.serialization import check_training
from lindy.evaluation.calibration.calibrators import calibrator_from_state
from lindy.evaluation.calibration.label_calibration import LabelSigmoids
from lindy.evaluation.decisions import predictions_of, rule_of_state
from lindy.linear.label_tree import LabelTree
from lindy.linear.one_vs_rest import OneVsRest
from lindy.modelfile.earlier import present_parameters
from lindy.modelfile.packing import pack_arrays, unpack_arrays
from lindy.modelfile.small import Small
from lindy.text.vectorizer_registry import vectorizer_from_state

_KIND = "text classifier"
_TRIED = 64  # columns that are tried out together
_ROUNDING = 1e-6  # of a sum of probabilities
ROLES = ("training", "tuning")
"""The uses that examples can have had when a model was made."""


def pack(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the arrays of a fitted `TextClassifier`."""
    vectorizer, vectorizer_arrays = model.vectorizer_.to_state()
    params, learner_arrays = model.learner_.to_state()
    header = {
        "kind": _KIND,
        "vectorizer": vectorizer,
        "learner": {
            "name": learner_name(model.learner_),
            "params": params,
        },
        "classes": model.classes_.tolist(),
        "class_counts": model.class_counts_.tolist(),
        "columns": model.columns_,
        "recipe": model.recipe_,
        "why": model.why_,
        "seen": model.seen_,
    }
    if model.training_:
        header["training"] = model.training_
    arrays = {f"vectorizer.{name}": array for name, array in vectorizer_arrays.items()}
    arrays |= {f"learner.{name}": array for name, array in learner_arrays.items()}
    if model.rule_ is not None:
        header[model.rule_.stored_as] = model.rule_.to_state()
    if model.taxonomy_ is not None:
        header["hierarchy"] = model.taxonomy_.to_state()
    if model.several_labels:
        header["examples"] = model.n_examples
    if model.calibrator_ is not None:
        header["calibration"], calibrator_arrays = model.calibrator_.to_state()
        arrays |= {f"calibration.{name}": array for name, array in calibrator_arrays.items()}
    if model.outcomes_ is not None:
        header["held_out"], outcome_arrays = model.outcomes_.to_state()
        arrays |= {f"held_out.{name}": array for name, array in outcome_arrays.items()}
    if model.true_probabilities_ is not None:
        header["true_probabilities"], true_arrays = model.true_probabilities_.to_state()
        arrays |= {f"true_probabilities.{name}": array for name, array in true_arrays.items()}
    for name, (write, _) in OPTIONS.items():
        if (given := getattr(model, name)) != getattr(type(model), name):
            header[name] = write(given)
    if model.kept_ is not None:
        header["kept"], kept_arrays = model.kept_.to_state()
        arrays |= {f"kept.{name}": array for name, array in kept_arrays.items()}
    if model.small_ is not None:
        header["small"] = model.small_.to_state()
        header["packed"], arrays = pack_arrays(arrays)
    return header, arrays


def unpack(model: Any, header: dict[str, Any], arrays: dict[str, Any], n_jobs: int | None) -> None:
    """Make an unfitted `TextClassifier` the one that was packed; any exception says that it was none."""
    if header["kind"] != _KIND:
        raise ValueError(f"it holds a {header['kind']}")
    if "packed" in header:
        arrays = unpack_arrays(header["packed"], arrays)

    def part(prefix: str) -> dict[str, Any]:
        return {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}

    name = header["learner"]["name"]
    model.set_params(learner=name, n_jobs=n_jobs)
    model.classes_ = portable_names(header["classes"], 1 if "several_labels" in header else 2)
    model.class_counts_ = _counts(header["class_counts"], len(model.classes_))
    model.columns_ = {str(key): str(value) for key, value in header["columns"].items()}
    model.vectorizer_ = vectorizer_from_state(header["vectorizer"], part("vectorizer."))
    model.columns = model.vectorizer_.columns
    if name not in REGISTRY | READ_ONLY:  # files have the names themselves, no aliases
        raise ValueError(f"no learner is called {name!r}")
    kind: Any = learner_class(name)
    state = present_parameters(header["learner"]["params"]), part("learner."), model.classes_
    model.rule_ = rule_of_state(header, len(model.classes_))
    model.learner_ = _learner_of(
        kind, *state, several=model.several_labels, n_features=model.vectorizer_.n_columns
    )
    _check_together(model.vectorizer_, model.learner_)
    model.calibrator_ = None
    if "calibration" in header:
        K, kept = len(model.classes_), part("calibration.")
        model.calibrator_ = (
            LabelSigmoids.from_state(kept, K)
            if model.several_labels
            else calibrator_from_state(header["calibration"], kept, K)
        )
    if model.several_labels:
        model.n_examples_ = float(header["examples"])
    if "hierarchy" in header:
        model.taxonomy_ = model.hierarchy = Taxonomy.from_state(header["hierarchy"])
        _ = model.hierarchy_  # found out here if it is none
    _set_held_out(model, header, part)
    _try_out(model)
    model.concerns_ = []
    for option, (_, read) in OPTIONS.items():
        if option in header:
            model.set_params(**{option: read(header[option])})
    model.small_ = Small.from_state(header["small"]) if "small" in header else None
    model.kept_ = None
    if "kept" in header:
        from lindy.modelfile.kept import Kept

        own = header["kept"], part("kept."), len(model.classes_)
        model.kept_ = Kept.from_state(*own, several=model.several_labels)
        model.keep_rows = True
    seen = header.get("seen", {})
    model.recipe_ = str(header.get("recipe") or "")
    model.why_ = [str(line) for line in header.get("why", [])]
    model.seen_ = {role: [str(mark) for mark in seen[role]] for role in ROLES if role in seen}
    model.training_ = check_training(header.get("training", {}))
    model.vectorizer_.n_jobs = n_jobs
    set_threads(model.learner_, n_jobs)


def _set_held_out(model: Any, header: dict[str, Any], part: Callable[[str], dict[str, Any]]) -> None:
    """Set what the file keeps of examples that were held out."""
    model.outcomes_ = model.true_probabilities_ = None
    if "held_out" in header:
        from lindy.evaluation.outcomes import Outcomes

        model.outcomes_ = Outcomes.from_state(
            header["held_out"], part("held_out."), len(model.classes_), several=model.several_labels
        )
    if "true_probabilities" in header:
        from lindy.evaluation.coverage import TrueProbabilities

        model.true_probabilities_ = TrueProbabilities.from_state(
            header["true_probabilities"], part("true_probabilities."), len(model.classes_)
        )


def _learner_of(kind: Any, params: Any, *state: Any, several: bool, n_features: int) -> Any:
    """Return the learner that was packed: a label tree, one-vs-rest of several labels, or the learner itself."""
    if "tree" in params:
        return LabelTree.of_state(kind, params, *state, several=several, n_features=n_features)
    return OneVsRest.of_state(kind, params, *state) if several else kind.from_state(params, *state)


def _metric(named: Any) -> str:
    """Return the name of a metric in its one spelling; the usual one is known without the others."""
    if named == "accuracy":
        return "accuracy"
    from lindy.evaluation.criterion import Metric

    return str(Metric.of(named))


def _weights_stored(given: Any) -> Any:
    return given if isinstance(given, str) else [[label, float(weight)] for label, weight in given.items()]


def _class_weight(stored: Any) -> Any:
    """Return the weights of classes that a model was trained with, which only an update asks for."""
    if stored == "balanced":
        return stored
    weights = dict(stored)
    if not all(isinstance(weight, float) and weight >= 0 for weight in weights.values()):
        raise ValueError("the stored weights of classes must be numbers of at least 0")
    return weights


OPTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "metric": (_metric, _metric),
    "class_weight": (_weights_stored, _class_weight),
}
"""The options of a fit that a model file keeps where they are not as usual, and how each is written and read."""


def _counts(stored: Any, n_classes: int) -> Any:
    counts = np.array(stored)
    if counts.dtype.kind != "f" or not isinstance(stored, list):  # weights that are not whole have other sums
        counts = np.array(stored, np.int64)
    if counts.shape != (n_classes,) or not ((counts >= 0) & (counts < np.inf)).all():
        raise ValueError(f"class_counts are not {n_classes} numbers from 0 on")
    return counts


def _check_together(vectorizer: Any, learner: Any) -> None:
    """Refuse a learner of other columns than the vectorizer makes; texts and trees have no columns."""
    vectorizer.check_learner(learner)
    columns = getattr(learner, "n_features_in_", None)
    if learner.input_kind.has_columns and columns != vectorizer.n_columns:
        raise ValueError(f"the learner has {columns} features, the vectorizer {vectorizer.n_columns}")


def _try_out(model: Any) -> None:
    """Let the parts answer for a row of no value and for one of some: what cannot is found out here."""
    n_columns = model.vectorizer_.n_columns
    if not n_columns:  # texts and trees stay as they are
        return
    some = np.arange(min(n_columns, _TRIED), dtype=np.int32)
    rows = Csr(np.array([0, 0, len(some)]), some, np.ones(len(some), np.float32), n_columns)
    with np.errstate(all="ignore"):
        answers = predictions_of(model.learner_, rows, model.calibrator_, model.rule_)
    if np.isnan(answers.values).any():
        raise ValueError("its scores are not numbers")
    if model.several_labels or not answers.are_probabilities or not model.learner_.sums_to_one:
        return
    if not np.allclose(answers.values.sum(axis=1), 1, rtol=0, atol=_ROUNDING):
        raise ValueError("its probabilities do not sum to 1")
