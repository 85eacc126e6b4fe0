"""Updates and merges of one-vs-rest models: label by label, each as its learner does for two classes.

A new label begins with the weights 0 and, where old weights are a prior, with the bias of its share of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column_remap import ColumnRemap, UpdateBatch, mixed
from lindy.core.weights import total_weight
from lindy.estimators.output_weights import OutputWeights, label_model, second_class
from lindy.linear.losses import get_loss
from lindy.linear.one_vs_rest import OneVsRest
from lindy.linear.prior import Earlier
from lindy.linear.problem import Certificate
from lindy.progress import step


def updated_by_label(model: OneVsRest, further: UpdateBatch) -> OutputWeights:
    """Return the weights of all labels, old and new, after further rows."""
    labels = further.y.names
    W, b, visits = _spread(model, further.move, labels)
    columns = np.arange(len(W))
    if model.updates == "prior":
        columns = np.unique(further.X.indices)  # the weights of the others stay as they are
        b = np.where(np.isin(labels, model.classes_), b, _first_bias(model.learner, further))
    documents = Earlier.of(W, b, further).documents[columns]
    X = further.X if len(columns) == len(W) else further.X.keep_columns(columns)
    own = replace(further, X=X, move=ColumnRemap(np.arange(len(columns)), len(columns), None, documents))
    proofs: list[Certificate | None] = []
    for k in range(len(labels)):
        before = label_model(model.learner, W[columns, k], b[k], None if visits is None else visits[k])
        with step(k / len(labels), (k + 1) / len(labels), f"label {k + 1} of {len(labels)}"):
            after = before.updated(replace(own, y=further.y.one_vs_rest(k)))
        W[columns, k], b[k] = second_class(after)
        proofs.append(getattr(after, "certificate_", None))
        if visits is not None:
            visits[k] = after.t_
    proof = Certificate.of_all(proofs)
    gaps = None if proof is None else np.array([own.gap for own in proofs if own is not None])
    return OutputWeights(W, b.astype(W.dtype), proof, gaps, visits)


def merged_by_label(
    parts: Sequence[tuple[OneVsRest, ColumnRemap, float]], labels: NDArray[Any]
) -> OutputWeights:
    """Return the mean of the weights, weighted by the rows; of a label, over the models that know it."""
    knows = np.array([np.isin(labels, model.classes_) for model, _, _ in parts]).astype(np.float64)
    shares = knows * np.array([[n] for _, _, n in parts])
    shares /= shares.sum(axis=0)
    own = [_spread(model, move, labels) for model, move, _ in parts]
    W = mixed([w for w, _, _ in own], shares).astype(parts[0][0].W_.dtype)
    b = mixed([b for _, b, _ in own], shares).astype(W.dtype)
    visits = [t for _, _, t in own if t is not None]
    return OutputWeights(np.ascontiguousarray(W), b, visits=np.sum(visits, axis=0) if visits else None)


def _spread(
    model: OneVsRest, move: ColumnRemap, labels: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64] | None]:
    """Return W, b and visits over other columns and more labels."""
    place = np.searchsorted(labels, model.classes_)
    W, b = np.zeros((move.n_columns, len(labels)), model.W_.dtype), np.zeros(len(labels))
    W[:, place], b[place] = move.of_weights(model.W_), model.b_
    if model.t_ is None:
        return W, b, None
    visits = np.full(len(labels), model.t_.max())
    visits[place] = model.t_
    return W, b, visits


def _first_bias(learner: Any, further: UpdateBatch) -> NDArray[np.float64]:
    """Return the bias that the share of each label calls for, were it only in the further rows."""
    if not learner.fit_intercept:
        return np.zeros(len(further.y.names))
    n = further.n_before + total_weight(further.row_weight, len(further.y))
    shares = further.y.weighted_counts(further.row_weight) / n
    loss = get_loss(learner._loss())
    return np.array([loss.best_bias(np.array([1 - share, share]))[0] for share in shares])
