"""The optimum of a small problem by an interior-point cone solver (Clarabel): somebody else's code."""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp
from tests.oracles import cone_program

from lindy.linear.problem import Problem


def optimum(problem: Problem) -> float:
    """Return min mean loss + ½·l2·‖W‖² (and ½·l2·‖b‖² if penalised), an L2 penalty alone."""
    X = problem.X.to_dense().astype(np.float64)
    n, d = X.shape
    K = problem.n_outputs
    weight = np.ones(n) if problem.weight is None else problem.weight
    c = weight / weight.sum()
    if problem.bias:
        X = np.hstack([X, np.ones((n, 1))])
    width = X.shape[1]
    quadratic = np.full((width, K), problem.l2)
    if problem.bias and not problem.penalize_bias:
        quadratic[d] = 0
    # scores of row i are S_i · vec(W), vec by feature
    S = [sp.kron(sp.csr_matrix(X[i : i + 1]), sp.eye(K)).tocsr() for i in range(n)]
    cones = _Cones(width * K)
    P = list(quadratic.ravel())
    q = [0.0] * (width * K)
    for i in range(n):
        _row(problem, cones, (P, q), S[i], (int(problem.y.codes[i]), float(c[i])))
    A, b, kinds = cones.build(len(q))
    return cone_program(sp.diags(P), q, A, b, kinds)[1]


def _row(
    problem: Problem, cones: _Cones, terms: tuple[list[float], list[float]], S: Any, row: tuple[int, float]
) -> None:
    (P, q), (y, c) = terms, row
    K = problem.n_outputs
    new = len(q)
    joint = problem.loss in ("log", "multiclass_hinge") and K > 1
    if joint:
        differences = [S[k] - S[y] for k in range(K)]  # o_k − o_y
        rho = 1.0 - np.eye(K) if problem.cost is None else problem.cost
        margin = rho[:, y]
    else:
        signs = [1 if y == 1 else -1] if K == 1 else [1 if k == y else -1 for k in range(K)]
        differences = [-sign * S[k] for k, sign in enumerate(signs)]
        margin = np.ones(len(differences))
        if problem.loss == "multiclass_hinge" and problem.cost is not None:
            margin[:] = problem.cost[1 - y, y]
    if problem.loss in ("log", "log_ovr"):
        groups = [differences] if joint else [[None, difference] for difference in differences]
        for group in groups:
            P.append(0.0)
            q.append(c)
            t = len(q) - 1
            units = []
            for difference in group:
                P.append(0.0)
                q.append(0.0)
                units.append(len(q) - 1)
                cones.exponential(difference, t, units[-1])
            cones.at_most(units, 1.0)
        return
    slacks = [new] if joint else [new + k for k in range(len(differences))]
    squared = problem.loss == "squared_hinge"
    for _ in slacks:
        P.append(2 * c if squared else 0.0)
        q.append(0.0 if squared else c)
    for k, difference in enumerate(differences):
        cones.above(difference, float(margin[k]), slacks[0] if joint else slacks[k])
    for slack in slacks:
        cones.non_negative(slack)


class _Cones:
    """Rows of A x + s = b with s in a product of cones."""

    def __init__(self, n_weights: int) -> None:
        self.n_weights = n_weights
        self.linear: list[tuple[dict[int, float], float]] = []
        self.exponentials: list[list[tuple[dict[int, float], float]]] = []

    def _entries(self, row: Any, scale: float) -> dict[int, float]:
        if row is None:
            return {}
        row = row.tocoo()
        return {int(j): scale * float(v) for j, v in zip(row.col, row.data, strict=True)}

    def above(self, difference: Any, margin: float, slack: int) -> None:
        """ξ ≥ margin + difference · w."""
        self.linear.append(({**self._entries(difference, 1.0), slack: -1.0}, -margin))

    def non_negative(self, variable: int) -> None:
        """Hold a variable at or above 0."""
        self.linear.append(({variable: -1.0}, 0.0))

    def at_most(self, variables: list[int], bound: float) -> None:
        """Hold a sum at or below the bound."""
        self.linear.append((dict.fromkeys(variables, 1.0), bound))

    def exponential(self, difference: Any, t: int, unit: int) -> None:
        """exp(difference · w − t) ≤ unit."""
        first = self._entries(difference, -1.0)
        first[t] = first.get(t, 0.0) + 1.0
        self.exponentials.append([(first, 0.0), ({}, 1.0), ({unit: -1.0}, 0.0)])

    def build(self, n_variables: int) -> tuple[Any, Any, list[Any]]:
        """Return A, b and the cones, as Clarabel takes them."""
        rows = self.linear + [row for cone in self.exponentials for row in cone]
        A = sp.lil_matrix((len(rows), n_variables))
        for i, (entries, _) in enumerate(rows):
            for j, value in entries.items():
                A[i, j] = value
        kinds: list[Any] = [clarabel.NonnegativeConeT(len(self.linear))] if self.linear else []
        kinds += [clarabel.ExponentialConeT() for _ in self.exponentials]
        return A.tocsc(), np.array([bound for _, bound in rows]), kinds
