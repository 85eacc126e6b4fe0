"""Inspection of a model: sizes, recipe, certificate, training data, and the features that tell classes apart.

linear models    W_jy, the weight of feature j for class y; of two classes' single column, −W for the first
naive Bayes      P(w | y) / mean P(w | y') over the other classes y': the odds ratio, for two classes the usual one;
                 of categories, P(f ≠ 0 | y) in the place of P(w | y)
Gaussian         (μ_y − mean μ_y') / σ: the separation, where variances are per class and there are no weights
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import is_sparse
from lindy.errors import DataError
from lindy.estimators.notebook import listed
from lindy.estimators.serialization import pack_parameters, training_facts

Array = NDArray[np.float64]
Ranked = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """One class: its label, its training examples and their share, and P(y) where the model has one."""

    label: Any
    examples: int
    share: float
    prior: float | None


@dataclass(frozen=True, slots=True)
class FeatureSummary:
    """One feature: its weight for each class, and for counting models how often each class had it."""

    name: str
    weights: dict[Any, float]
    counts: dict[Any, float] | None
    odds: dict[Any, float] | None


@dataclass(frozen=True)
class Inspection:
    """The contents of a model; ``measure`` names the numbers of ``top``: "weight", "odds ratio" or "separation"."""

    recipe: str
    learner: str
    parameters: dict[str, Any]
    vectorizer: str
    vectorizer_parameters: dict[str, Any]
    made_of_parts: bool
    classes: list[ClassSummary]
    n_features: int
    n_weights: int
    nonzero: int
    columns: dict[str, str]
    training: dict[str, Any]
    calibration: str | None
    metric: str
    rule: dict[Any, float] | None
    measure: str
    top: dict[Any, Ranked] = field(default_factory=dict)
    features: list[FeatureSummary] = field(default_factory=list)
    support: int | None = None
    kept_rows: int = 0
    small: str = ""
    several_labels: bool = False
    hierarchy: str = ""
    tree: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, str]:
        """Return in words what is known of the training: rounds, certificate and calibration."""
        facts = training_facts(self.training)
        if self.calibration:
            facts["probabilities"] = f"by {self.calibration} calibration"
        if self.metric != "accuracy":
            facts["metric"] = self.metric
        if self.rule is not None:
            sign = "" if self.several_labels else "+"
            numbers = [f"{label} {number:{sign}.4g}" for label, number in self.rule.items()]
            how = "every label from a threshold on:" if self.several_labels else "highest score after adding"
            facts["rule"] = f"{how} {listed(numbers)}"
            if self.several_labels and len(set(self.rule.values())) == 1:
                facts["rule"] = f"every label from {next(iter(self.rule.values())):.4g} on"
        facts |= zip(("label tree", "weights"), self.tree, strict=False)
        if self.hierarchy:
            facts["hierarchy"] = self.hierarchy
        if self.small:
            facts["small"] = self.small
        if self.kept_rows:
            facts["kept rows"] = f"{self.kept_rows:,} texts and labels, which can be read from the file"
        return facts

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON; infinities become None."""
        return {
            "recipe": self.recipe,
            "learner": {"name": self.learner, "parameters": self.parameters},
            "vectorizer": {"name": self.vectorizer, "parameters": self.vectorizer_parameters},
            "classes": [
                {"label": str(c.label), "examples": c.examples, "share": c.share, "prior": c.prior}
                for c in self.classes
            ],
            "features": self.n_features,
            "weights": {"all": self.n_weights, "nonzero": self.nonzero},
            **({"support examples": self.support} if self.support is not None else {}),
            **({"small": self.small} if self.small else {}),
            **({"kept rows": self.kept_rows} if self.kept_rows else {}),
            **({"hierarchy": self.hierarchy} if self.hierarchy else {}),
            **({"label tree": self.tree} if self.tree else {}),
            "columns": self.columns,
            "training": self.training,
            "calibration": self.calibration,
            "metric": self.metric,
            "rule": None if self.rule is None else _plain(self.rule),
            "measure": self.measure,
            "top": {
                str(label): [{"feature": name, self.measure: _finite(value)} for name, value in ranked]
                for label, ranked in self.top.items()
            },
            "inspected": [
                {
                    "feature": feature.name,
                    "weights": _plain(feature.weights),
                    **({"counts": _plain(feature.counts)} if feature.counts is not None else {}),
                    **({"odds ratios": _plain(feature.odds)} if feature.odds is not None else {}),
                }
                for feature in self.features
            ],
        }


def inspect(model: Any, *, top: int = 10, label: Any = None, feature: str | None = None) -> Inspection:
    """Look into a fitted ``TextClassifier``.

    Parameters
    ----------
    top : int
        Features listed for each class.
    label : label or None
        Only this class's.
    feature : str or None
        A word or phrase, whose features are shown as well.
    """
    learner, vectorizer = model.learner_, model.vectorizer_
    W = _weights(learner)
    told = _figures(learner) if W is None else W
    return Inspection(
        recipe=model.recipe_,
        learner=type(learner).__name__,
        parameters=_parameters(learner),
        vectorizer=type(vectorizer).__name__,
        vectorizer_parameters=_parameters(vectorizer),
        made_of_parts=vectorizer.made_of_parts,
        classes=_classes(model),
        n_features=vectorizer.n_columns,
        n_weights=0 if W is None else int(np.prod(W.shape)),
        nonzero=0 if W is None else int(W.nnz if is_sparse(W) else np.count_nonzero(W)),
        columns={**_table_columns(vectorizer), **model.columns_},
        training=dict(getattr(model, "training_", {})),
        calibration=None if model.calibrator_ is None else str(model.calibrator_.method),
        metric=model.metric_,
        rule=None
        if model.rule_ is None
        else dict(
            zip(
                model.classes_.tolist(),
                map(float, np.broadcast_to(model.rule_.to_state(), len(model.classes_))),
                strict=True,
            )
        ),
        several_labels=model.several_labels,
        hierarchy="" if model.hierarchy_ is None else model.hierarchy_.said(),
        tree=list(model.why_[:2]) if learner.finds_top else [],
        measure="odds ratio" if learner.has_odds else "weight" if W is not None else "separation",
        top={} if told is None else _top(model, told, top, label),
        features=[] if told is None or feature is None else _features(model, told, feature),
        support=len(learner.support_) if learner.has_influences else None,
        kept_rows=0 if getattr(model, "kept_", None) is None else len(model.kept_),
        small="" if getattr(model, "small_", None) is None else str(model.small_),
    )


def weight_pieces(model: Any, at_once: int = 1 << 16) -> Iterator[dict[str, Any]]:
    """Yield all weights of a fitted ``TextClassifier`` as pieces of a table (``lindy.data.write.table_writer``).

    Its columns are feature, class, weight and count: how often the class had the feature, of learners that count. A
    model of two classes with one score has its weights for the second class. Weights that are 0 in a sparse model are
    left out.

    Raises
    ------
    DataError
        If the learner has no weights.
    """
    learner, classes = model.learner_, model.classes_.tolist()
    W = _figures(learner) if (own := _weights(learner)) is None and learner.has_odds else own
    if W is None:
        raise DataError(
            f"{learner.class_name} has no weights of features", "inspect a linear model or naive Bayes"
        )
    first = 1 if W.shape[1] == 1 and len(classes) == 2 else 0
    names = [str(label) for label in classes[first:]]
    for begin in range(0, W.shape[0], at_once):
        features = np.arange(begin, min(begin + at_once, W.shape[0]))
        block = W[features]
        if is_sparse(block):
            stored = block.tocsr()
            stored.sort_indices()
            rows, columns = np.repeat(np.arange(len(features)), np.diff(stored.indptr)), stored.indices
            weights = np.asarray(stored.data, np.float64)
        else:
            weights = np.asarray(block, np.float64)
            rows, columns = (places.ravel() for places in np.indices(weights.shape))
        counts = np.full(len(rows), np.nan)
        if learner.has_counts:
            counts = learner.counts_.take(features).to_dense()[rows, columns + first].astype(np.float64)
        yield {
            "feature": (_names(model, features), rows.astype(np.int64)),
            "class": (names, columns.astype(np.int64)),
            "weight": weights.ravel(),
            "count": counts,
        }


def called_with(name: str, parameters: dict[str, Any]) -> str:
    """Return ``name(key=value, …)``; long values are cut."""
    return f"{name}({', '.join(f'{key}={_short(value)}' for key, value in parameters.items())})"


def _short(value: Any, most: int = 80) -> str:
    said = repr(value)
    return said if len(said) <= most else f"{said[:most]}…"


def _table_columns(vectorizer: Any) -> dict[str, str]:
    """Return the columns of a table that are features, by what they are."""
    roles = vectorizer.columns or {}
    return {role: ", ".join(names) for role, names in roles.items() if names}


def _weights(learner: Any) -> Any:
    """Return W, features × columns, sparse where it is kept so; None for a learner that has none."""
    sparse = getattr(learner, "sparse_weights", None)
    if sparse is not None:
        return sparse
    try:
        return learner.W_
    except AttributeError:
        return None


def _figures(learner: Any) -> Any:
    """Return what features say for the classes, of learners without weights; None for those that look at none.

    Of categories the log odds of being there at all, of a quadratic model the separation of the means.
    """
    if learner.has_odds:
        p = learner.feature_proba_
        with np.errstate(divide="ignore"):
            return np.log(p) - np.log1p(-p)
    return getattr(learner, "separation_", None)


def _column(model: Any, W: Any, c: int) -> tuple[NDArray[np.intp], Array]:
    """Return features (of a sparse W those with a weight) and their weights or log odds ratios for class c."""
    learner = model.learner_
    if not is_sparse(W) and learner.has_odds:
        return np.arange(len(W)), _log_odds(_log_proba(learner), c)
    of_two = W.shape[1] == 1 and len(model.classes_) == 2
    column = W[:, [0 if of_two else c]]
    if is_sparse(column):
        stored = column.tocoo()
        features, weights = stored.row.astype(np.intp), np.asarray(stored.data, np.float64)
    else:
        features, weights = np.arange(len(W)), np.asarray(column, np.float64).ravel()
    return features, -weights if of_two and c == 0 else weights


def _log_proba(learner: Any) -> Array:
    """Return log P(w | y), features × classes."""
    if hasattr(learner, "feature_proba_"):
        with np.errstate(divide="ignore"):
            logarithm: Array = np.log(learner.feature_proba_)
        return logarithm
    return np.asarray(learner.feature_log_prob_).T


def _log_odds(log_p: Array, c: int) -> Array:
    others = np.delete(log_p, c, axis=1)
    largest = np.maximum(others.max(axis=1, keepdims=True), np.finfo(float).min)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = largest[:, 0] + np.log(np.exp(others - largest).mean(axis=1))
        odds: Array = np.where(np.isneginf(log_p[:, c]) & np.isneginf(mean), 0.0, log_p[:, c] - mean)
    return odds


def _top(model: Any, W: Any, top: int, label: Any) -> dict[Any, Ranked]:
    ranked: dict[Any, Ranked] = {}
    for c, own in enumerate(model.classes_.tolist()):
        if label is not None and own != label:
            continue
        features, values = _column(model, W, c)
        best = np.argsort(-values, kind="stable")[:top]
        best = best[values[best] > 0]
        shown = np.exp(values[best]) if model.learner_.has_odds else values[best]
        ranked[own] = list(zip(_names(model, features[best]), shown.tolist(), strict=True))
    return ranked


def _names(model: Any, columns: NDArray[np.intp]) -> list[str]:
    vectorizer = model.vectorizer_
    names, terms = vectorizer.names_of(columns), vectorizer.recorded_terms(columns)
    return [
        " | ".join(terms[c]) if c in terms else name for c, name in zip(columns.tolist(), names, strict=True)
    ]


def _features(model: Any, W: Any, word: str) -> list[FeatureSummary]:
    learner, classes = model.learner_, model.classes_.tolist()
    columns = model.vectorizer_.features_of(word)
    rows = np.asarray(learner.weights_of(columns) if is_sparse(W) else W[columns], np.float64)
    labels = classes[1:] if rows.shape[1] == 1 and len(classes) == 2 else classes
    found = []
    for name, column, row in zip(_names(model, columns.astype(np.intp)), columns.tolist(), rows, strict=True):
        counts = odds = None
        if learner.has_counts:
            own = learner.counts_.take(np.array([column])).to_dense()[0]
            counts = dict(zip(classes, own.tolist(), strict=True))
        if learner.has_odds:
            log_p = _log_proba(learner)[[column]]
            odds = {label: float(np.exp(_log_odds(log_p, c)[0])) for c, label in enumerate(classes)}
        found.append(FeatureSummary(name, dict(zip(labels, row.tolist(), strict=False)), counts, odds))
    return found


def _classes(model: Any) -> list[ClassSummary]:
    learner, counts = model.learner_, model.class_counts_
    priors: list[float | None] = [None] * len(counts)
    if learner.has_joint_scores:
        priors = np.exp(learner.log_prior_).tolist()
    whole = max(int(counts.sum()), 1)
    return [
        ClassSummary(label, int(n), int(n) / whole, prior)
        for label, n, prior in zip(model.classes_.tolist(), counts.tolist(), priors, strict=True)
    ]


def _parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that differ from their defaults."""
    import inspect as python

    if not hasattr(estimator, "get_params"):
        return {}
    defaults = python.signature(type(estimator)).parameters
    changed = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name != "n_jobs" and repr(value) != repr(defaults[name].default)
    }
    plain: dict[str, Any] = {}
    for name, value in changed.items():
        if name == "dtype" or (isinstance(value, float) and value == np.inf):
            plain[name] = np.dtype(value).name if name == "dtype" else "inf"
            continue
        try:
            plain |= pack_parameters({name: value})[0] or {name: f"array of {np.shape(value)}"}
        except TypeError:
            plain[name] = str(value)
    return plain


def _plain(values: dict[Any, float]) -> dict[str, float | None]:
    return {str(label): _finite(value) for label, value in values.items()}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
