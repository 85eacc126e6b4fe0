"""The weights of several labels, as learners find them: all at once, or one label after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.errors import DataError
from lindy.progress import step

if TYPE_CHECKING:
    from lindy.estimators.base import Classifier, Examples


class OutputWeights(NamedTuple):
    """The weights of a linear model for each of several labels, and what was proved about them.

    Attributes
    ----------
    W : array (features, labels)
    b : array (labels,)
    certificate : of all labels together, or None
    gaps : array (labels,) or None, how far each label's objective can be above its optimum at most
    visits : array (labels,) or None, of learners that go example by example
    counts : LabelCounts or None, of learners that count
    solutions : what a fit of the same rows begins from, for each block of labels; empty if it is not kept
    """

    W: NDArray[Any]
    b: NDArray[Any]
    certificate: Any = None
    gaps: NDArray[np.float64] | None = None
    visits: NDArray[np.float64] | None = None
    counts: Any = None
    solutions: tuple[Any, ...] = ()


def one_by_one(learner: Classifier, data: Examples) -> OutputWeights:
    """Return the weights of every label, one learned after the other."""
    K = len(data.y.names)
    W, b = np.zeros((data.X.n_columns, K), np.float32), np.zeros(K)
    visits = np.zeros(K) if learner.updates == "goes on" else None
    given = {} if data.weight is None else {"sample_weight": data.weight}
    for k in range(K):
        own = data.y.one_vs_rest(k)
        if len(own.seen().names) < 2:  # a label that all rows have, or none
            b[k] = 1.0 if own.codes.any() else -1.0
            continue
        model: Any = type(learner)(**learner.get_params(deep=False))
        with step(k / K, (k + 1) / K, f"label {k + 1} of {K}"):
            model.fit(data.X, own, **given)
        W[:, k], b[k] = second_class(model)
        if visits is not None:
            visits[k] = model.t_
    return OutputWeights(W, b.astype(W.dtype), visits=visits)


def label_model(learner: Any, w: NDArray[Any], b: float, visits: float | None) -> Any:
    """Return the model of two classes whose second one has these weights."""
    model = type(learner)(**learner.get_params(deep=False))
    model.classes_, model.n_features_in_ = np.arange(2), len(w)
    model.W_, model.b_ = w[:, None], np.array([b], w.dtype)
    if visits is not None:
        model.t_ = visits
    return model


def second_class(model: Any) -> tuple[NDArray[Any], float]:
    """Return w and b of a model of two classes, such that x·w + b is the score of the second."""
    sums = model.weight_sums()
    if sums is None or sums.kind not in ("linear", "maxent", "joint", "least-squares"):
        raise one_label_only(model)
    weights, bias = model.W_, np.asarray(sums.bias, np.float64)
    if weights.shape[1] == 1:
        return weights[:, 0], float(bias[0])
    return weights[:, 1] - weights[:, 0], float(bias[1] - bias[0])


def one_label_only(learner: Classifier) -> DataError:
    """Return the error of a learner that several labels are too many for."""
    return DataError(
        f"{learner.class_name} cannot learn several labels per text: its scores are no sums of weights",
        "choose svm, maxent, nb-svm, naive-bayes, bernoulli-naive-bayes, complement-naive-bayes, perceptron, mira,"
        " least-squares or majority",
    )


def no_single_classes() -> DataError:
    """Return the error of weights or a selection of words by the class of each text, where those have several."""
    return DataError(
        "the weighting or selection looks at the classes of texts, and these have several labels each",
        "choose another `weighting=`, such as tfidf, and another `select=`, such as df:10000",
    )
