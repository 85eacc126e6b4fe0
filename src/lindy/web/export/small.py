"""A smaller model: weights of eight bits, without the features whose weights are then 0.

    w' = s·round(w / s),   s = the largest |w| of a class / 127

A feature whose weights are all below half a step says next to nothing and goes out of the vocabulary. That is not
harmless: where rows are scaled to length 1, the others then count for more. So the smaller model is a model of the
library, whose loss is measured on examples (``lost``), and the export of it is as exact as any other.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from operator import eq, ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.errors import ExportError
from lindy.features import TableVectorizer
from lindy.linear.sparse_weights import SharedWeights
from lindy.text import CountVectorizer, UnionVectorizer
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.text.vocabulary.encoding import encode_terms
from lindy.textclassifier import TextClassifier
from lindy.web.export.header import learner_header

_STEPS = 127  # of eight bits with a sign
_VOCABULARY = (
    "words",
    "word_offsets",
    "word_columns",
    "starts",
    "phrases",
    "terms",
    "offsets",
)  # as files hold it

Mask = NDArray[np.bool_]


def smaller(model: TextClassifier) -> TextClassifier:
    """Return a model of eight-bit weights, over the features that then have one."""
    learner: Any = model.learner_
    learner_header(learner)  # says why if it cannot be exported at all
    if not hasattr(learner, "with_weights"):
        raise ExportError(
            f"a model of {learner.class_name} has no weights that could be smaller", "leave out `small=`"
        )
    W = _weights(learner)
    kept = np.zeros(len(W), bool)
    kept[(W != 0).any(axis=1)] = True
    vectorizer, order = _reduced(model.vectorizer_, kept)
    made = copy(model)
    made.vectorizer_, made.learner_ = vectorizer, learner.with_weights(W[order])
    return made


def _weights(learner: Any) -> NDArray[Any]:
    """Return the weights rounded to eight bits; of log probabilities, what sets the classes apart."""
    weights = learner.weight_sums().weights
    are_shared = isinstance(weights, SharedWeights)
    dense = weights.dense if are_shared else weights
    W: NDArray[Any] = dense if isinstance(dense, np.ndarray) else dense.toarray()
    if not np.isfinite(W).all():
        raise ExportError(
            "the model has infinite weights, because some words are impossible in some classes",
            "train it with smoothing, or leave out `small=`",
        )
    W = W.astype(np.float64)
    if learner.has_joint_scores:
        W = W - W.mean(axis=1, keepdims=True)  # what is added to the scores of all classes changes nothing
    step = np.abs(W).max(axis=0) / _STEPS
    steps = np.where(step > 0, step, 1.0)
    rounded = np.rint(W / steps) * steps
    return rounded if are_shared else rounded.astype(np.float32)


def _reduced(vectorizer: Any, kept: Mask) -> tuple[Any, NDArray[np.int64]]:
    """Return a vectorizer without the terms that are not kept, and which of the columns it has, in their order."""
    if isinstance(vectorizer, UnionVectorizer):
        parts, order = _reduced_parts(vectorizer.parts, kept)
        return UnionVectorizer(vectorizers=parts), order
    if isinstance(vectorizer, TableVectorizer):
        texts, order = _reduced_parts(list(vectorizer.texts_.items()), kept)
        made = copy(vectorizer)
        made.texts_ = dict(texts)
        first = sum(own.n_columns for own in vectorizer.texts_.values())
        return made, np.concatenate([order, np.arange(first, len(kept))])
    if isinstance(vectorizer, CountVectorizer) and not vectorizer.has_unknown and len(kept) > 1:
        return _without_terms(vectorizer, kept)
    return vectorizer, np.arange(len(kept))


def _reduced_parts(parts: list[tuple[str, Any]], kept: Mask) -> tuple[list[tuple[str, Any]], Any]:
    made, orders, begin = [], [np.zeros(0, np.int64)], 0
    for name, part in parts:
        reduced, own = _reduced(part, kept[begin : begin + part.n_columns])
        made.append((name, reduced))
        orders.append(own + begin)
        begin += part.n_columns
    return made, np.concatenate(orders)


def _without_terms(vectorizer: CountVectorizer, kept: Mask) -> tuple[Any, NDArray[np.int64]]:
    """Return a vectorizer of the kept terms in the order of the alphabet, in which they take least room."""
    names = vectorizer.get_feature_names_out().tolist()
    chosen = np.flatnonzero(kept).tolist() or [0]  # a vocabulary is never empty
    order = np.array(sorted(chosen, key=names.__getitem__), np.int64)
    config, arrays = vectorizer.to_state()
    data, offsets = encode_terms([names[j] for j in order.tolist()])
    rest = {name: array for name, array in arrays.items() if name not in _VOCABULARY}
    per_term = {name: array[order] for name, array in rest.items() if len(array) == len(names)}
    return vectorizer_from_state(config, rest | per_term | {"terms": data, "offsets": offsets}), order


@dataclass(frozen=True, slots=True)
class Loss:
    """The cost of making a model smaller, on labelled examples."""

    examples: int
    accuracy: float
    smaller_accuracy: float
    different: int

    def __str__(self) -> str:
        points = 100 * (self.smaller_accuracy - self.accuracy)
        return (
            f"accuracy {self.accuracy:.2%} before, {self.smaller_accuracy:.2%} after ({points:+.2f} points) on"
            f" {self.examples:,} examples; {self.different:,} of them get another label"
        ).replace("%", " %")


def lost(model: TextClassifier, small: TextClassifier, examples: Any, labels: Any) -> Loss:
    """Return what a smaller model has lost against the model that it was made of, on labelled examples."""
    truth, before, after = map(_comparable, (labels, model.predict(examples), small.predict(examples)))
    right, still_right = (
        sum(map(eq, own, truth)) / len(truth) for own in (before, after)
    )  # of several labels: all of a text's
    return Loss(len(truth), right, still_right, sum(map(ne, before, after)))


def _comparable(labels: Any) -> list[Any]:
    """Return labels as text; several of a row as a set."""
    return [frozenset(map(str, label)) if isinstance(label, tuple | list) else str(label) for label in labels]
