"""Support vector machines with a kernel.

    min  ½‖w‖² + C·Σ_i weight_i·loss(y_i, w·φ(x_i) + b),      w = Σ_i c_i·φ(x_i)

- ``hinge``, one-vs-rest: one machine per class against all others
- ``hinge``, one-vs-one: one machine per pair of classes, which vote (LIBSVM's form)
- ``multiclass_hinge``: all classes in one machine (Crammer and Singer), without a bias

Two classes are one machine in all forms but the last.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core.targets import Targets, as_targets
from lindy.core.weights import check_weight, class_weights
from lindy.errors import convergence_warning
from lindy.estimators.base import Examples, require_finite
from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import (
    GAP,
    finite,
    fitted,
    named,
    whole,
    with_parameters,
)
from lindy.kernels.kernel_dual import Array, DualSolution, Limits, solve_crammer_singer, solve_hinge
from lindy.kernels.machine import BY_EXAMPLES, KernelClassifier
from lindy.kernels.matrices import dense
from lindy.linear.losses import cost_matrix, get_loss
from lindy.linear.optimizers.online_rows import prepare
from lindy.linear.problem import Certificate, History

LOSSES = ("hinge", "multiclass_hinge")
_COSTLY = 100.0  # nanoseconds of a value from which on half the matrix is cheaper than whole rows
SCHEMES = ("one-vs-rest", "one-vs-one")


@with_parameters
class KernelSVM(KernelClassifier):
    """Support vector machine with a kernel, solved to a proven optimum.

    Parameters
    ----------
    C : float
        Price of the losses against ½‖w‖².
    loss : "hinge" or "multiclass_hinge"
    multiclass : "one-vs-rest" or "one-vs-one"
        How "hinge" treats more than two classes.
    cost : None, "zero-one", "distance" or array (classes, classes)
        ρ[predicted, true] for ``multiclass_hinge``.
    tol : float
        Relative duality gap at which the fit stops: the objective is then at most that share above the optimum.
    max_iter : int
        Most steps of a machine, in rounds of as many steps as it has examples.
    shrinking : bool
        Leave examples that are unlikely to matter out of long fits until the end; it changes the time only.
    dtype : "auto", "float32" or "float64"
        Precision of the rows that are kept (sums are always float64); "auto" is float64 while all rows have room.

    Attributes
    ----------
    support_, dual_coef_, b_, kernel_, support_vectors_ : see KernelClassifier; scores are
        ``κ(x, support) · dual_coef_ᵀ + b_``
    certificate_ : the objective, mean loss + ½‖w‖²/(C·n) summed over the machines, and the gap that was proved
    history_ : objective of a machine and seconds, one entry per proof
    n_iter_ : steps of all machines

    Examples
    --------
    >>> from lindy import KernelSVM
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> KernelSVM(kernel="poly", degree=2, gamma=1.0, C=10).fit(X, y).predict(X)
    array([0, 1, 1, 0])
    """

    spec: ClassVar = LearnerSpec(
        "kernel-svm",
        "kernel SVM",
        strengths={"C": (0.01, 100.0)},
        fixed="its score is a sum over the examples it was trained on",
        not_sums=BY_EXAMPLES,
    )

    certificate_: Certificate = fitted()
    history_: History = fitted()
    n_iter_: int = fitted()

    C: Annotated[float, finite(above=0)] = 1.0
    loss: Annotated[str, named(LOSSES)] = "hinge"
    multiclass: Annotated[str, named(SCHEMES)] = "one-vs-rest"
    cost: str | ArrayLike | None = None
    tol: Annotated[float, GAP] = 1e-4
    max_iter: Annotated[int, whole(1)] = 10_000
    shrinking: bool = True
    dtype: Annotated[str, named(["auto", "float32", "float64"])] = "auto"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.cost is not None and not get_loss(self.loss).has_cost:
            raise ValueError(f"cost needs loss='multiclass_hinge'; got loss={self.loss!r}")

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the coefficients that minimise the objective over the given examples."""
        self._check_parameters()
        data = self._training_data(X, y, sample_weight)
        rows, weight = self._distinct(data)
        source = self._source(data.X, rows, weight)
        with np.errstate(over="ignore"):
            price = self.C * weight[rows]
        if not np.isfinite(price).all():
            raise ValueError(
                f"C={self.C!r} times the weights of the rows is beyond float64; choose a smaller C"
            )
        solution = self._solve(source, data.y.take(rows), price)
        require_finite(self, solution.coefficients, solution.b)
        self._keep(data, rows, solution.coefficients)
        self.b_ = solution.b
        total = self.C * float(weight[rows].sum())
        self.certificate_ = Certificate(solution.objective / total, solution.gap / total, self.tol)
        self.n_iter_ = solution.n_iter
        self._report(stacklevel=3)
        return self

    def _distinct(self, data: Examples) -> tuple[NDArray[np.int64], Array]:
        """Return the examples to learn from and the weights of all: equal ones are one of their total weight."""
        if self.kernel == "precomputed":
            weight = np.ones(len(data.y)) if data.weight is None else data.weight
            return np.flatnonzero(weight > 0), weight
        found = prepare(data.X, data.y.codes, data.weight, shuffle=True, dtype="float64")
        return found.rows.astype(np.int64), np.ones(len(data.y)) if found.weight is None else found.weight

    def _solve(self, source: _native.Kernel, y: Targets, C: Array) -> DualSolution:
        self.history_ = History()
        room = self._cache_bytes()
        dtype = self.dtype
        if dtype == "auto":
            dtype = "float64" if 8 * len(y) ** 2 <= room else "float32"
        limits = Limits(self.tol, self.max_iter, room, dtype, self.shrinking)
        if source.cost > _COSTLY or (len(self.classes_) > 2 and not self._joint()):
            source, limits = self._shared(source, limits)
        K = len(self.classes_)
        if self._joint():
            cost = cost_matrix(self.cost, K)
            cost = 1.0 - np.eye(K) if cost is None else np.ascontiguousarray(cost, np.float64)
            solution = solve_crammer_singer(source, y.codes, C, cost, limits, self.history_)
            return _one_column(solution) if K == 2 else solution
        if K == 2:
            return solve_hinge(source, y.signs(0), C, limits, self.history_, time.perf_counter())
        return self._solve_machines(source, y, C, limits)

    def _shared(self, source: _native.Kernel, limits: Limits) -> tuple[_native.Kernel, Limits]:
        """Compute the kernel's whole matrix, if there is room: several machines use it, or its values are costly."""
        whole = source.n_rows**2 * np.dtype(limits.dtype).itemsize
        if whole > limits.cache_bytes or self.kernel == "precomputed" or self.kernel_ is None:
            return source, limits
        matrix = dense(source, symmetric=True, dtype=limits.dtype, n_jobs=self.n_jobs)
        left = max(limits.cache_bytes - whole, limits.cache_bytes // 4)
        return _native.precomputed_kernel(matrix), replace(limits, cache_bytes=left)

    def _solve_machines(self, source: _native.Kernel, y: Targets, C: Array, limits: Limits) -> DualSolution:
        """Solve one problem after the other."""
        n = len(y)
        problems = list(_machines(y, self.multiclass))
        coefficients, b = np.zeros((n, len(problems))), np.zeros(len(problems))
        objective, gap, steps, started = 0.0, 0.0, 0, time.perf_counter()
        for number, (members, signs) in enumerate(problems):
            if abs(signs.sum()) == len(signs):  # nobody on the other side
                b[number] = signs[0] if len(signs) else 0.0
                continue
            part = source if len(members) == n else _native.subset_kernel(source, members.astype(np.int32))
            solution = solve_hinge(part, signs, C[members], limits, self.history_, started)
            coefficients[members, number], b[number] = solution.coefficients[:, 0], solution.b[0]
            objective, gap = objective + solution.objective, gap + solution.gap
            steps += solution.n_iter
        return DualSolution(coefficients, b, objective, gap, steps)

    def _n_outputs(self) -> int:
        K = len(self.classes_)
        return 1 if K == 2 else (K * (K - 1) // 2 if self._pairs() else K)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores, (rows,) for two classes, otherwise (rows, classes).

        One-vs-one: the number of pairs a class wins, plus its total lead squeezed into (−⅓, ⅓), which decides ties.
        """
        outputs = self._outputs(X)
        K = len(self.classes_)
        if K == 2:
            return outputs[:, 0]
        return _votes(outputs, K) if self._pairs() else outputs

    def _joint(self) -> bool:
        return get_loss(self.loss).joint

    def _pairs(self) -> bool:
        return not self._joint() and self.multiclass == "one-vs-one"

    def _influences(self, X: Any) -> Array:
        added = super()._influences(X)
        if not self._pairs() or len(self.classes_) == 2:
            return added
        # half a pair's lead to the one, half against the other: their difference in that pair is the whole
        K = len(self.classes_)
        by_class = np.zeros((len(added), K))
        for number, (first, second) in enumerate(combinations(range(K), 2)):
            by_class[:, first] += added[:, number] / 2
            by_class[:, second] -= added[:, number] / 2
        return by_class

    def _report(self, stacklevel: int) -> None:
        if self.certificate_.reached:
            return
        warnings.warn(
            convergence_warning(
                f"KernelSVM stopped after {self.n_iter_} steps with a {self.certificate_.missed};"
                f" tol={self.tol:.1e} was asked for. Raise max_iter, accept it with a larger tol, scale the columns"
                " of X, or choose a smaller C; a function that is not a kernel (lindy.kernels.check_kernel) has no"
                " optimum that could be proved."
            ),
            stacklevel=stacklevel + 1,
        )

    def objective(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the sum over the machines of mean loss + ½‖w‖²/(C·n), on the given examples."""
        outputs = self._outputs(X)
        targets = as_targets(y, len(outputs), names=self.classes_, as_given=True)
        weight = class_weights(self.class_weight, targets, check_weight(sample_weight, len(outputs)))
        weight = np.ones(len(outputs)) if weight is None else weight
        total = float(weight.sum())
        squares = self._squared_norms()
        if self._joint():
            return float((weight * self._joint_losses(outputs, targets.codes)).sum() / total) + 0.5 * float(
                squares.sum()
            ) / (self.C * total)
        value = 0.0
        for number, (members, signs) in enumerate(_machines(targets, self.multiclass)):
            losses = np.maximum(0.0, 1.0 - signs * outputs[members, number])
            value += float((weight[members] * losses).sum() / total) + 0.5 * squares[number] / (
                self.C * total
            )
        return value

    def _joint_losses(self, outputs: Array, codes: NDArray[np.int32]) -> Array:
        K = len(self.classes_)
        cost = cost_matrix(self.cost, K)
        cost = 1.0 - np.eye(K) if cost is None else cost
        scores = np.hstack([-0.5 * outputs, 0.5 * outputs]) if K == 2 else outputs
        lead: Array = (scores + cost[:, codes].T).max(axis=1) - scores[np.arange(len(codes)), codes]
        return lead

    def _squared_norms(self) -> Array:
        """Return ‖w‖² of every machine; the one column of a joint machine of two classes stands for ±½."""
        own = self._support
        if own is None:
            raise AttributeError("the objective of a precomputed kernel is in certificate_ only")
        source = (
            self._called(own, own) if self.kernel_ is None else self.kernel_.between(own, own, self.n_jobs)
        )
        fitted = np.empty_like(self._coefficients)
        source.scores(0, source.n_rows, self._coefficients, fitted, 1)
        squares: Array = (self._coefficients * fitted).sum(axis=0)
        return squares / 2 if self._joint() and len(self.classes_) == 2 else squares


def _machines(y: Targets, scheme: str) -> Iterator[tuple[NDArray[np.int64], Array]]:
    """Yield the members of every problem and on which side they are."""
    if y.n_outputs == 1 or scheme == "one-vs-rest":
        for k in range(y.n_outputs):
            yield np.arange(len(y)), y.signs(k)
    else:
        for first, second in combinations(range(y.n_outputs), 2):
            members = np.flatnonzero((y.codes == first) | (y.codes == second))
            yield members, np.where(y.codes[members] == first, 1.0, -1.0)


def _one_column(solution: DualSolution) -> DualSolution:
    """Return a joint solution of two classes as the difference of their scores."""
    difference = solution.coefficients[:, 1:] - solution.coefficients[:, :1]
    return replace(solution, coefficients=difference, b=solution.b[:1])


def _votes(outputs: Array, K: int) -> Array:
    votes, leads = np.zeros((len(outputs), K)), np.zeros((len(outputs), K))
    for number, (first, second) in enumerate(combinations(range(K), 2)):
        wins = outputs[:, number] >= 0
        votes[:, first] += wins
        votes[:, second] += ~wins
        leads[:, first] += outputs[:, number]
        leads[:, second] -= outputs[:, number]
    scores: Array = votes + leads / (3 * (np.abs(leads) + 1))
    return scores
