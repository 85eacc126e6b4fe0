"""One-vs-rest: any number of labels per row, each told apart from its absence by a linear model of its own.

    score of label k    o_k = x·w_k + b_k,  w_k the answer of the learner for s_ik = +1 where row i has label k, else −1

Learners that minimise a loss of margins do so for many labels in one pass over the rows (``solve_in_blocks``), the
others for one label after the other (``one_by_one``). Either way the answer is one matrix of weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import copy_context
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.targets import ManyLabels
from lindy.core.weights import check_weight
from lindy.errors import DataError, invalid_parameter
from lindy.estimators.base import Classifier, Examples, thread_count
from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import fitted, with_parameters
from lindy.estimators.serialization import Arrays, Shape, check_classes, own_arrays, pack_parameters
from lindy.linear.linear_model import LinearClassifier
from lindy.linear.losses import get_loss
from lindy.linear.problem import Certificate, Solution
from lindy.progress import step

if TYPE_CHECKING:
    from lindy.linear.convex import ConvexClassifier

BLOCK = 128
"""Labels whose weights are found in one pass over a row: those of a block are about equally frequent."""


class OutputWeights(NamedTuple):
    """The weights of a linear model for each of several labels, and what was proved about them.

    Attributes
    ----------
    W : array (features, labels)
    b : array (labels,)
    certificate : of all labels together, or None
    gaps : array (labels,) or None, how far each label's objective can be above its optimum at most
    """

    W: NDArray[Any]
    b: NDArray[Any]
    certificate: Any = None
    gaps: NDArray[np.float64] | None = None


@with_parameters
class OneVsRest(LinearClassifier):
    """Any number of labels per row, by a learner of two classes for each of them.

    Parameters
    ----------
    learner : classifier
        Unfitted; its scores of two classes are sums of weights, as those of SVM, MaxEnt, perceptron or naive Bayes.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    W_ : array (features, labels)
    b_ : array (labels,)
    classes_ : the labels, sorted
    certificate_ : what was proved about all labels together, where the learner proves it
    gap_bounds_ : array (labels,) or None, by how much each label's objective can be above its optimum at most

    Examples
    --------
    >>> from lindy.linear import SVM, OneVsRest
    >>> model = OneVsRest(learner=SVM()).fit([[1, 0], [0, 1], [1, 1]], [{"a"}, {"b"}, {"a", "b"}])
    >>> model.predict([[1, 0]])
    array([[1, 0]])
    """

    learner: Any
    n_jobs: int | None = None

    certificate_: Certificate | None = fitted()
    gap_bounds_: NDArray[np.float64] | None = fitted()
    _state_arrays: ClassVar[dict[str, Shape]] = {"W": ("F", "K"), "b": ("K",)}

    @property
    def spec(self) -> LearnerSpec:  # type: ignore[override]
        """The declaration of the learner, whose strengths are options of the learner itself."""
        return self.learner.spec._replace(strengths={})  # type: ignore[no-any-return]

    @property
    def saved_kind(self) -> type:
        """The class of the learner, by whose name a model file knows it."""
        return type(self.learner)

    @property
    def input_kind(self) -> Any:
        """The rows that the learner is made for."""
        return self.learner.input_kind

    @property
    def class_name(self) -> str:
        """The name of the learner, as sentences call it."""
        return f"one-vs-rest {self.learner.class_name}"

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the labels of rows: lists or sets of them, or a matrix that is 1 where a row has a label."""
        if not isinstance(self.learner, Classifier):
            raise invalid_parameter(
                f"learner must be a classifier of lindy, such as SVM(); got {self.learner!r}"
            )
        data = Examples.of(self._rows(X, reset=True), y, sample_weight, several=True)
        if not isinstance(data.y, ManyLabels):
            raise ValueError("y has one label per row: fit the learner itself, or give lists of labels")
        if not len(data.y.names):
            raise ValueError("no row has a label: there is nothing to learn")
        self.classes_ = data.y.names
        single: Any = self.learner
        together = single.solves_together
        made = solve_in_blocks(single, data, self.n_jobs) if together else one_by_one(single, data)
        self.W_, self.b_ = made.W, made.b
        self.certificate_, self.gap_bounds_ = made.certificate, made.gaps
        return self

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores, (rows, labels)."""
        scores = super().decision_function(X)
        return scores.reshape(-1, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a matrix that is 1 where a row has a label: where its score is positive."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the (weighted) share of rows that get exactly their labels."""
        rows = self._rows(X)
        wanted = Examples.of(rows, y, None, several=True).y.among(self.classes_)
        right = (self.predict(rows) == wanted.indicator()).all(axis=1)
        return float(np.average(right, weights=check_weight(sample_weight, len(right))))

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters of the learner and the arrays."""
        self._check_fitted()
        parameters, arrays = pack_parameters(self.learner.get_params(deep=False))
        return parameters, arrays | self._pack()

    @classmethod
    def of_state(
        cls, kind: Any, params: Mapping[str, Any], arrays: Mapping[str, Any], classes: ArrayLike
    ) -> Self:
        """Return the model of learners of a kind whose ``to_state`` this was; raises ValueError for anything else."""
        model = cls(learner=kind._with_stored_parameters(params, arrays))
        model.classes_ = check_classes(classes)
        model._unpack(own_arrays(arrays))
        model.certificate_ = model.gap_bounds_ = None
        return model


def one_by_one(learner: Classifier, data: Examples) -> OutputWeights:
    """Return the weights of every label, one learned after the other."""
    K = len(data.y.names)
    W, b = np.zeros((data.X.n_columns, K), np.float32), np.zeros(K)
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
    return OutputWeights(W, b.astype(W.dtype))


def second_class(model: Any) -> tuple[NDArray[Any], float]:
    """Return w and b of a model of two classes, such that x·w + b is the score of the second."""
    sums = model.weight_sums()
    if sums is None or sums.kind not in ("linear", "maxent", "joint", "least-squares"):
        raise DataError(
            f"{model.class_name} cannot learn several labels per text: its scores are no sums of weights",
            "choose svm, maxent, nb-svm, naive-bayes, perceptron, mira or least-squares",
        )
    weights, bias = model.W_, np.asarray(sums.bias, np.float64)
    if weights.shape[1] == 1:
        return weights[:, 0], float(bias[0])
    return weights[:, 1] - weights[:, 0], float(bias[1] - bias[0])


def solve_in_blocks(learner: ConvexClassifier, data: Examples, n_jobs: int | None) -> OutputWeights:
    """Return the weights of all labels, found for a block of them at a time, each with a proof.

    Labels are taken by their frequency, so that those of a block need about as many passes.
    """
    targets = data.y
    assert isinstance(targets, ManyLabels)
    learner._check_parameters()
    learner = copy(learner)
    learner.classes_ = np.arange(2)  # every label is told apart from its absence
    loss = get_loss(learner._loss()).per_output
    if not loss:
        raise ValueError(
            f"loss={learner._loss()!r} lets labels compete, of which a text has one: choose another loss"
        )
    order = np.argsort(-data.y.counts, kind="stable")
    blocks = [np.sort(order[first : first + BLOCK]) for first in range(0, len(order), BLOCK)]

    def solve(number: int) -> Solution:
        own = targets.only(blocks[number])
        problem = replace(
            learner._problem(data), loss=loss, y=own if len(own.names) > 1 else own.one_vs_rest(0)
        )
        with step(
            number / len(blocks), (number + 1) / len(blocks), f"labels {number + 1} of {len(blocks)} blocks"
        ):
            return learner._solve(problem, None).without_rows()

    threads = min(thread_count(n_jobs), len(blocks))
    if threads == 1:
        parts = [solve(number) for number in range(len(blocks))]
    else:
        from concurrent.futures import ThreadPoolExecutor

        contexts = [copy_context() for _ in blocks]  # so that threads know who listens
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(lambda number: contexts[number].run(solve, number), range(len(blocks))))
    return _joined(parts, blocks)


def _joined(parts: list[Solution], blocks: list[NDArray[np.intp]]) -> OutputWeights:
    K = sum(map(len, blocks))
    W = np.empty((len(parts[0].W), K), np.result_type(*(part.W for part in parts)))
    b, gaps = np.empty(K, W.dtype), np.full(K, np.nan)
    for part, block in zip(parts, blocks, strict=True):
        W[:, block], b[block] = part.W, part.b
        if part.certificate is not None:
            gaps[block] = part.certificate.gap  # no term of it is negative
    total = Certificate.of_all([part.certificate for part in parts])
    return OutputWeights(W, b, total, None if total is None else gaps)
