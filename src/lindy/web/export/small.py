"""A smaller model: weights of eight bits, without the features whose weights are then 0.

    w' = s·round(w / s),   s = the largest |w| of a class / 127

A feature whose weights are all below half a step says next to nothing and goes out of the vocabulary. That is not
harmless: where rows are scaled to length 1, the others then count for more. So the smaller model is a model of the
library, whose loss is measured on examples (``lost``), and the export of it is as exact as any other. Models that
choose features and learn their weights anew are made by ``lindy.updating.shrinking``.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.errors import ExportError
from lindy.linear.sparse_weights import SharedWeights
from lindy.modelfile.packing import rounded
from lindy.textclassifier import TextClassifier
from lindy.updating.reduced_features import reduced
from lindy.web.export.header import learner_header


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
    vectorizer, order = reduced(model.vectorizer_, kept)
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
    return rounded(W) if are_shared else rounded(W).astype(np.float32)
