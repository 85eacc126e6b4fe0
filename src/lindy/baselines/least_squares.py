"""The least-squares classifier (May §10): a linear model of the labels as numbers.

    minimise  1/Σw Σ_i w_i·½‖xᵢᵀW + b − tᵢ‖² + ½·l2·‖W‖²       t = ±1, one column per class (one for two classes)

The bias is not penalised: with columns centred on their means x̄, W solves the normal equations

    (XᵀX/Σw + l2·I) W = Xᵀt/Σw,     b = t̄ − x̄ᵀW

in closed form when there are few features, and otherwise by conjugate gradient on the sparse rows, which never
forms XᵀX (CGLS: Hestenes and Stiefel 1952; Björck 1996, §7.4).
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.base import Examples
from lindy.errors import convergence_warning
from lindy.linear.model import LinearClassifier

Array = NDArray[np.float64]
FEW_FEATURES = 1000


class LeastSquares(LinearClassifier):
    """Least squares on ±1 targets, one class against the rest.

    Parameters
    ----------
    l2 : float
        Strength of ½·l2·‖W‖² against the mean of the squared errors' halves; 0 gives the shortest W of all best ones.
    solver : "auto", "closed form" or "conjugate gradient"
        "auto" takes the closed form up to 1000 features.
    tol : float
        Conjugate gradient stops when the gradient is this small, relative to where it began.
    max_iter : int
        The most steps of conjugate gradient.
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes), or (features, 1) for two classes
    b_ : array (classes,), or (1,)
    n_iter_ : int, steps of conjugate gradient; 1 for the closed form
    """

    def __init__(
        self,
        *,
        l2: float = 1e-3,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.l2 = l2
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        if not 0 <= self.l2 < np.inf:
            raise ValueError(f"l2 must be a number ≥ 0; got {self.l2}")
        if self.solver not in ("auto", "closed form", "conjugate gradient"):
            raise ValueError(
                f"solver must be 'auto', 'closed form' or 'conjugate gradient'; got {self.solver!r}"
            )
        if self.max_iter < 1 or not self.tol > 0:
            raise ValueError(f"max_iter must be at least 1 and tol positive; got {self.max_iter}, {self.tol}")

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Solve the normal equations."""
        self._check_parameters()
        data = self._examples(X, y, sample_weight)
        K = len(self.classes_)
        if K < 2:
            raise ValueError(
                f"LeastSquares needs two classes to tell apart; y has 1 class, {self.classes_[0]!r}"
            )
        targets = np.where(data.y[:, None] == np.arange(K), 1.0, -1.0)
        system = _Centred(data, targets[:, 1:2] if K == 2 else targets)
        few = data.X.n_columns <= FEW_FEATURES
        if self.solver == "closed form" or (self.solver == "auto" and few):
            self.W_, self.n_iter_ = system.closed_form(self.l2), 1
        else:
            self.W_, self.n_iter_ = self._by_steps(system)
        self.W_ = np.ascontiguousarray(self.W_)
        self.b_ = system.target_mean - system.column_mean @ self.W_
        if not (np.isfinite(self.W_).all() and np.isfinite(self.b_).all()):
            raise ValueError("the values of X are too large to be squared; scale the columns")
        return self

    def _by_steps(self, system: _Centred) -> tuple[Array, int]:
        columns, steps = [], 0
        for t in system.targets.T:
            w, taken, reached = system.conjugate_gradient(t, self.l2, self.tol, self.max_iter)
            columns.append(w)
            steps = max(steps, taken)
            if not reached:
                warnings.warn(
                    convergence_warning(
                        f"conjugate gradient did not reach tol={self.tol} in {self.max_iter} steps"
                    ),
                    stacklevel=3,
                )
        return np.stack(columns, axis=1), max(steps, 1)


class _Centred:
    """Rows and targets centred on their weighted means and scaled by √(wᵢ/Σw); X is only ever multiplied."""

    def __init__(self, data: Examples, targets: Array) -> None:
        weight = np.ones(len(targets)) if data.weight is None else data.weight
        share = weight / weight.sum()
        self.X = data.X.to_scipy().astype(np.float64)
        self.column_mean: Array = np.asarray(self.X.T @ share)
        self.target_mean: Array = share @ targets
        self.scale = np.sqrt(share)
        self.targets: Array = self.scale[:, None] * (targets - self.target_mean)

    def times(self, w: Array) -> Array:
        product: Array = self.scale * (self.X @ w - self.column_mean @ w)
        return product

    def transposed_times(self, r: Array) -> Array:
        r = self.scale * r
        product: Array = self.X.T @ r - self.column_mean * r.sum()
        return product

    def closed_form(self, l2: float) -> Array:
        A = self.scale[:, None] * (self.X.toarray() - self.column_mean)
        n_rows, n_columns = A.shape
        if l2 == 0:
            return np.asarray(np.linalg.lstsq(A, self.targets, rcond=None)[0])
        if n_columns <= n_rows:
            return np.linalg.solve(A.T @ A + l2 * np.eye(n_columns), A.T @ self.targets)
        return np.asarray(A.T @ np.linalg.solve(A @ A.T + l2 * np.eye(n_rows), self.targets))

    def conjugate_gradient(self, t: Array, l2: float, tol: float, max_iter: int) -> tuple[Array, int, bool]:
        """Minimise ½‖Aw − t‖² + ½·l2·‖w‖²; return w, the steps taken, and whether the gradient became small."""
        w = np.zeros(self.X.shape[1])
        residual = t.copy()
        gradient = self.transposed_times(residual)
        direction = gradient.copy()
        norm = start = float(gradient @ gradient)
        for step in range(max_iter):
            if norm <= tol**2 * start:
                return w, step, True
            forward = self.times(direction)
            curvature = float(forward @ forward + l2 * (direction @ direction))
            eta = norm / curvature
            w += eta * direction
            residual -= eta * forward
            gradient = self.transposed_times(residual) - l2 * w
            previous, norm = norm, float(gradient @ gradient)
            direction = gradient + (norm / previous) * direction
        return w, max_iter, norm <= tol**2 * start
