"""Optima found by somebody else's solver, each certified, so that no test measures how far that solver came."""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

Array = NDArray[np.float64]


def radius(gap: float, l2: float) -> float:
    """Return how far weights can be from the optimum: ½·l2·‖W − W*‖² ≤ P(W) − P(W*) ≤ gap."""
    return float(np.sqrt(2 * max(gap, 0.0) / l2))


def cone_program(P: Any, q: Any, A: Any, b: Any, cones: list[Any]) -> tuple[Array, float]:
    """Return argmin and min of ½·xᵀPx + qᵀx subject to b − Ax in the cones, by Clarabel.

    Certified by the dual point z that it returns: where Px + q + Aᵀz = 0, the gap is xᵀPx + qᵀx + bᵀz.
    """
    P, A, q, b = sp.csc_matrix(P), sp.csc_matrix(A), np.asarray(q, float), np.asarray(b, float)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(sp.triu(P).tocsc(), q, A, b, cones, settings).solve()
    x, z, s = np.array(solution.x), np.array(solution.z), np.array(solution.s)
    value = float(0.5 * x @ (P @ x) + q @ x)
    error = 1e-9 * max(1.0, abs(value))
    assert np.abs(A @ x + s - b).max() <= error, solution.status
    assert np.abs(P @ x + q + A.T @ z).max() <= error, solution.status
    assert abs(x @ (P @ x) + q @ x + b @ z) <= error, solution.status
    return x, value


def linear_constraints(P: Any, q: Any, A: Any, b: Any) -> tuple[Array, float]:
    """Return argmin and min of ½·xᵀPx + qᵀx subject to Ax ≤ b."""
    return cone_program(P, q, A, b, [clarabel.NonnegativeConeT(len(b))])


def logistic_regression(X: Any, y: Any, weight: Any = None, **options: Any) -> LogisticRegression:
    """Return scikit-learn's optimum of C·Σ weight_i·loss_i + ½·‖coef‖², by Newton's method.

    Certified to 1e-6 by its gradient, coef + C·Σ weight_i·(p_i − [y_i])·x_i: the function has at least curvature 1 in
    every weight, so the weights are no farther from the optimum than the gradient is long.
    """
    X, y = sp.csr_matrix(X, dtype=float), np.asarray(y)
    share = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    model = LogisticRegression(solver="newton-cg", max_iter=10_000, **options)
    C, pull = (model.C, 1.0) if np.isfinite(model.C) else (1.0, 0.0)
    model.set_params(tol=1e-8 / (C * share.sum())).fit(
        X, y, weight
    )  # its own function is the mean, not the sum
    own = y[:, None] == model.classes_
    if model.class_weight == "balanced":
        share = share * (own @ (share.sum() / (len(model.classes_) * (share @ own))))
    elif model.class_weight:
        share = share * [model.class_weight.get(label, 1.0) for label in y.tolist()]
    steps = (C * share[:, None] * (model.predict_proba(X) - own))[:, -len(model.coef_) :]
    gradient = (X.T @ steps).T + pull * model.coef_
    assert np.linalg.norm(gradient) <= 1e-6
    assert not model.fit_intercept or np.linalg.norm(steps.sum(axis=0)) <= 1e-6
    return model
