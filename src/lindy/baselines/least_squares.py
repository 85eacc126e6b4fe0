"""The least-squares classifier (May 10): a linear model of the labels as numbers.

    minimise  1/Σw Σ_i w_i·½‖xᵢᵀW + b − tᵢ‖² + ½·l2·‖W‖²       t = ±1, one column per class (one for two classes)

The bias is not penalised: with columns centred on their means x̄, W solves the normal equations

    (XᵀX/Σw + l2·I) W = Xᵀt/Σw,     b = t̄ − x̄ᵀW

in closed form when there are few features, and otherwise by conjugate gradient on the sparse rows, which never
forms XᵀX (CGLS: Hestenes and Stiefel 1952; Björck 1996, 7.4).

The closed form needs only sums over the rows, so it can also be learned in batches and from parts that are merged.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.bayes.class_statistics import Statistics, rows_per_class
from lindy.bayes.counting import AdditiveClassifier
from lindy.core import numerics
from lindy.core.column_remap import ColumnRemap
from lindy.errors import convergence_warning
from lindy.estimators.base import Classifier, Examples, require_finite, thread_count
from lindy.estimators.class_counts import class_counts
from lindy.estimators.learners import LearnerSpec, WeightSums
from lindy.estimators.output_weights import OutputWeights
from lindy.estimators.parameters import NOT_NEGATIVE, fitted, listed, must, whole, with_parameters
from lindy.linear.linear_model import LinearClassifier
from lindy.linear.objective import Products

Array = NDArray[np.float64]
FEW_FEATURES = 1000


@dataclass(frozen=True)
class Sums(Statistics):
    """XᵀX of the centred columns, and the mean of each class, features × classes."""

    gram: Array
    mean: Array
    axes: ClassVar = Statistics.axes | {"gram": ("F", "F"), "mean": ("F", "K")}

    def scaled(self, share: float) -> Sums:
        """Return the sums of rows that count only this share."""
        return Sums(self.class_count * share, self.gram * share, self.mean)

    def pooled(self, other: Sums) -> Sums:
        """Return the sums of both parts: those of centred columns, and that of their means' distance."""
        n = self.class_count + other.class_count
        mean = self.mean + (other.mean - self.mean) * (other.class_count / np.where(n > 0, n, 1.0))
        first, second = self.class_count.sum(), other.class_count.sum()
        apart = other.centre() - self.centre()
        gram = self.gram + other.gram + np.outer(apart, apart) * (first * second / (first + second))
        return Sums(n, gram, mean)

    def centre(self) -> Array:
        """Return the mean of all rows."""
        centre: Array = numerics.matmul(self.mean, self.class_count) / self.class_count.sum()
        return centre


@with_parameters
class LeastSquares(AdditiveClassifier, LinearClassifier):
    """Least squares on ±1 targets, one class against the rest.

    Parameters
    ----------
    l2 : float
        Strength of ½·l2·‖W‖² against the mean of the squared errors' halves; 0 gives the shortest W of all best ones.
    solver : "auto", "closed-form" or "conjugate-gradient"
        "auto" takes the closed form up to 1000 features. Only the closed form has ``partial_fit`` and ``a + b``.
    tol : float
        Conjugate gradient stops when the gradient is this small, relative to where it began.
    max_iter : int
        The most steps of conjugate gradient.
    n_jobs : int or None
        Threads; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes), or (features, 1) for two classes
    b_ : array (classes,), or (1,)
    n_iter_ : int, steps of conjugate gradient; 1 for the closed form
    """

    spec: ClassVar = LearnerSpec(
        "least-squares",
        "least squares",
        strengths={"l2": (1e-5, 1.0)},
        weight_bytes=40,
    )

    _sums: Sums = fitted()
    l2: Annotated[float, NOT_NEGATIVE] = 1e-3
    solver: Annotated[str, listed("auto", "closed-form", "conjugate-gradient")] = "auto"
    tol: Annotated[float, must("be positive", lambda value: value > 0)] = 1e-8
    max_iter: Annotated[int, whole(1)] = 1000
    n_jobs: int | None = None

    def weight_sums(self) -> WeightSums:
        """Return the weights and the bias."""
        return self._as_sums("least-squares")

    @property
    def updates(self) -> str:
        """How it learns from further rows: by its sums, which only the closed form has, and no model file."""
        return "" if self.__sklearn_is_fitted__() and "_sums" not in vars(self) else super().updates

    def merged(self, others: Sequence[tuple[Self, ColumnRemap, int]], move: ColumnRemap, n_rows: int) -> Self:
        """Return the model of all rows, by the sums of all parts."""
        if not all(part.updates for part in (self, *(other for other, _, _ in others))):
            return Classifier.merged(self, others, move, n_rows)
        return super().merged(others, move, n_rows)

    @property
    def fixed(self) -> str:
        """Why it cannot learn from further rows."""
        return "" if self.updates else "the products of its columns are not kept in a model file"

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Solve the normal equations."""
        data = self._examples(X, y, sample_weight)
        if len(self.classes_) < 2:
            raise ValueError(
                f"LeastSquares needs two classes to tell apart; y has 1 class, {self.classes_[0]!r}"
            )
        if self._has_closed_form():
            self._learn(self._measure(data))
            return self
        vars(self).pop("_sums", None)
        self._set(*self._descended(data))
        return self

    def fit_labels(self, data: Examples, n_jobs: int | None = None) -> OutputWeights:  # noqa: ARG002
        """Solve the normal equations of all labels at once: they share XᵀX."""
        self.n_features_in_ = data.X.n_columns
        if self._has_closed_form():
            every = data._replace(y=data.y.with_all_rows())
            n, totals = rows_per_class(every), class_counts(every).to_dense()
            centre = totals[:, -1] / n[-1]
            means = Sums(n[:-1], self._gram(data, centre), totals[:, :-1] / np.maximum(n[:-1], 1e-300))
            W, b = self._solved(means, centre, n[-1], slice(None))
        else:
            W, b = self._descended(data)
        self._set(W, b)
        return OutputWeights(self.W_, self.b_)

    def _descended(self, data: Examples) -> tuple[Array, Array]:
        """Return W and b by conjugate gradient."""
        system = _Centred(data, self.n_jobs)
        W, self.n_iter_, reached = system.conjugate_gradient(self.l2, self.tol, self.max_iter)
        if not reached:
            warnings.warn(
                convergence_warning(
                    f"conjugate gradient did not reach tol={self.tol} in {self.max_iter} steps"
                ),
                stacklevel=3,
            )
        return W, system.target_mean - numerics.matmul(system.column_mean, W)

    def predict_proba(self, X: Any) -> Array:
        """Return the linear probability model: (1 + score) / 2 cut to [0, 1], made to sum to 1."""
        scores = self.decision_function(X)
        columns = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
        shares: Array = np.clip((1.0 + columns[:, : len(self.classes_)]) / 2, 0.0, 1.0)
        shares[~shares.any(axis=1)] = 1.0
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithm of ``predict_proba``."""
        P = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return numerics.log(P)

    @staticmethod
    def _columns(K: int) -> NDArray[np.intp]:
        """Return the classes that have a column of W: the second of two, or all."""
        return np.array([1]) if K == 2 else np.arange(K)

    def _set(self, W: Array, b: Array) -> None:
        if not (np.isfinite(W).all() and np.isfinite(b).all()):
            raise ValueError("the values of X are too large to be squared; scale the columns")
        require_finite(self, W, b)
        self.W_, self.b_ = np.ascontiguousarray(W), b

    def _has_closed_form(self) -> bool:
        return self.solver == "closed-form" or (self.solver == "auto" and self.n_features_in_ <= FEW_FEATURES)

    def _measure(self, data: Examples) -> Sums:
        if not self._has_closed_form():
            raise ValueError(
                f"conjugate gradient has to see all rows at once; for batches choose solver='closed-form', which stores"
                f" {self.n_features_in_} × {self.n_features_in_} numbers"
            )
        n = rows_per_class(data)
        totals = class_counts(data).to_dense()
        gram = self._gram(data, totals.sum(axis=1) / n.sum())
        return Sums(n, gram, totals / np.where(n > 0, n, 1.0))

    def _gram(self, data: Examples, centre: Array) -> Array:
        """Return XᵀX of the centred columns."""
        weight = np.ones(data.X.shape[0]) if data.weight is None else data.weight
        with np.errstate(over="ignore", invalid="ignore"):
            return data.X.gram(weight, centre, thread_count(self.n_jobs))

    def _statistics(self) -> Sums:
        if "_sums" not in vars(self):
            raise ValueError(
                "a model that was fitted by conjugate gradient, or loaded from a file, keeps no sums to add new rows"
                " to; fit it with solver='closed-form'"
            )
        return self._sums

    def _learn(self, statistics: Sums) -> None:
        n, K = statistics.class_count, self._columns(len(self.classes_))
        self._sums, self.class_count_, self.n_iter_ = statistics, n, 1
        self._set(*self._solved(statistics, statistics.centre(), n.sum(), K))

    def _solved(self, sums: Sums, centre: Array, total: float, columns: Any) -> tuple[Array, Array]:
        """Return W and b of some classes, from the mean of all rows and their weight."""
        gram, mean, n = sums.gram, sums.mean, sums.class_count
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            # Xᵀt/Σw: t is 1 for the class and −1 for the others
            right = 2.0 * (mean - centre[:, None]) * (n / total)
        left = gram / total + self.l2 * np.eye(len(gram))
        if not (np.isfinite(left).all() and np.isfinite(right).all()):
            raise ValueError("the values of X are too large to be squared; scale the columns")
        W = numerics.solve_positive(left, right[:, columns]) if self.l2 > 0 else None
        if W is None:
            W = numerics.shortest_solution(left, right[:, columns])
        return W, 2.0 * n[columns] / total - 1.0 - numerics.matmul(centre, W)


class _Centred:
    """Rows and targets centred on their weighted means and scaled by √(wᵢ/Σw); X is only ever multiplied."""

    def __init__(self, data: Examples, n_jobs: int | None) -> None:
        weight = np.ones(len(data.y)) if data.weight is None else data.weight
        share = weight / weight.sum()
        targets = np.column_stack([data.y.signs(k) for k in range(data.y.n_outputs)])
        self.column_mean: Array = data.X.gradient(share[:, None], thread_count(n_jobs))[:, 0]
        self.target_mean: Array = numerics.matmul(share, targets)
        self.scale = np.sqrt(share)[:, None]
        self.targets: Array = self.scale * (targets - self.target_mean)
        self.products = Products(data.X, data.y.n_outputs, n_jobs)

    def times(self, W: Array) -> Array:
        product: Array = self.scale * (self.products.times(W) - numerics.matmul(self.column_mean, W))
        return product

    def transposed_times(self, R: Array) -> Array:
        R = self.scale * R
        return self.products.transposed_times(R) - np.outer(self.column_mean, R.sum(axis=0))

    def conjugate_gradient(self, l2: float, tol: float, max_iter: int) -> tuple[Array, int, bool]:
        """Minimise ½‖AW − T‖² + ½·l2·‖W‖², all columns side by side.

        Returns W, the steps taken, and whether the gradient of every column became small.
        """
        residual = self.targets.copy()
        gradient = self.transposed_times(residual)
        W = np.zeros_like(gradient)
        direction = gradient.copy()
        norm = start = _squares(gradient)
        for step in range(max_iter):
            going = norm > tol**2 * start
            if not going.any():
                return W, max(step, 1), True
            forward = self.times(direction)
            curvature = _squares(forward) + l2 * _squares(direction)
            eta = np.divide(norm, curvature, out=np.zeros_like(norm), where=going)
            W += eta * direction
            residual -= eta * forward
            gradient = self.transposed_times(residual) - l2 * W
            previous, norm = norm, np.where(going, _squares(gradient), norm)
            direction = gradient + np.divide(norm, previous, out=np.zeros_like(norm), where=going) * direction
        return W, max_iter, bool((norm <= tol**2 * start).all())


def _squares(columns: Array) -> Array:
    """Return ‖·‖² of each column."""
    squares: Array = (columns * columns).sum(axis=0)
    return squares
