"""Learners as the header of an exported model describes them; js/learners.mjs and js/scores.mjs read it.

Weights keep the precision in which the model has them, and the core's way of adding them up: 32 bits where it adds in
32, 64 where it adds in 64. So the scores of the JavaScript are those of the library to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.baselines import LeastSquares, Lexicon, MajorityClass
from lindy.baselines.votes import WordVoting
from lindy.bayes import BernoulliNaiveBayes, ComplementNaiveBayes, MultinomialNaiveBayes
from lindy.errors import ExportError
from lindy.learners import HOMES, learner_class
from lindy.linear import MaxEnt
from lindy.linear.model import LinearClassifier
from lindy.linear.shared import SharedWeights
from lindy.web.export.packing import Header, numbers

_REASONS = {
    "kernel-svm": "it compares a text with its training examples, and a page would have to carry them",
    "kernel-perceptron": "it compares a text with its training examples, and a page would have to carry them",
    "gaussian-naive-bayes": "its score is a density over all columns, not a sum over those that a text has",
    "categorical-naive-bayes": "its score is a product over all columns, not a sum over those that a text has",
    "perceptron": "a vote of all its weight vectors is no sum of weights",
    "random": "its labels are drawn by chance",
}


def learner_header(learner: Any) -> Header:
    """Return the description of a fitted learner.

    Raises
    ------
    ExportError
        For a learner whose scores are no sums of weights, with the reason.
    """
    if not _is_ours(learner):
        raise _refusal(learner)
    if isinstance(learner, BernoulliNaiveBayes):
        return _bernoulli(learner)
    if isinstance(learner, MultinomialNaiveBayes | ComplementNaiveBayes):
        return {"kind": "joint", **_shared(learner.shared_weights, learner.b_), "prior": learner.log_prior_}
    if isinstance(learner, WordVoting):
        weights = _shared(learner.shared_weights, learner.b_)
        return {"kind": "votes", **weights, "counts": learner.class_count_}
    if isinstance(learner, Lexicon) and hasattr(learner, "W_"):
        bias = np.zeros(learner.W_.shape[1])
        return {"kind": "votes", "weights": numbers(learner.W_), "bias": bias, "counts": learner.class_count_}
    if isinstance(learner, MajorityClass):
        return {"kind": "majority", "counts": learner.class_count_}
    if isinstance(learner, LinearClassifier) and "addends" in learner.offers:
        return _linear(learner)
    raise _refusal(learner)


def _is_ours(learner: Any) -> bool:
    """Whether a learner is of a class of lindy, not of one that inherits from it and may score in another way."""
    name = getattr(getattr(learner, "declaration", None), "name", "")
    return name in HOMES and learner_class(name) is type(learner)


def _refusal(learner: Any) -> ExportError:
    why = "it is not one of lindy's linear learners"
    if _is_ours(learner):
        why = _REASONS.get(learner.declaration.name, why)
    return ExportError(
        f"a model of {getattr(learner, 'class_name', type(learner).__name__)} cannot be exported: {why}",
        "train a linear one, such as svm, maxent, perceptron, mira or naive-bayes",
    )


def _linear(learner: LinearClassifier) -> Header:
    kind: Header = {"kind": "linear"}
    if isinstance(learner, MaxEnt):
        kind = {"kind": "maxent", "oneVsRest": learner.multiclass == "one-vs-rest"}
    elif isinstance(learner, LeastSquares):
        kind = {"kind": "least-squares"}
    elif "probabilities" in learner.offers:
        raise _refusal(learner)  # whose formula js/learners.mjs would need
    weights = learner.dense_weights()
    if weights is not None:
        return {**kind, "weights": numbers(weights), "bias": learner.b_.astype(weights.dtype)}
    sparse = learner.sparse_weights.tocsr()
    features = np.flatnonzero(np.diff(sparse.indptr)).astype(np.int32)
    rows: NDArray[Any] = sparse[features].toarray()
    return {
        **kind,
        "rows": numbers(rows),
        "features": features,
        "bias": learner.b_.astype(np.float64),
        "single": rows.dtype == np.float32,
    }


def _shared(weights: SharedWeights, bias: NDArray[Any]) -> Header:
    """Return weights of which many rows are the same."""
    few = weights.row_of.astype(np.min_scalar_type(len(weights.rows)))
    return {"rows": numbers(weights.rows), "rowOf": few, "bias": bias}


def _bernoulli(learner: BernoulliNaiveBayes) -> Header:
    odds, bias, contradictions, always = learner.linear_form()
    return {
        "kind": "bernoulli",
        **_shared(odds, bias),
        "prior": learner.log_prior_,
        "above": float(learner.binarize),
        "contradictions": None if contradictions is None else _shared(contradictions, always),
    }
