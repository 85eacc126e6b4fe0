"""Log loss with L1 and L2 penalties as a cone problem, solved by Clarabel: somebody else's definition."""

from __future__ import annotations

import clarabel
import numpy as np
import scipy.sparse as sp
from tests.oracles import cone_program

from lindy.linear.problem import Problem


def optimum(problem: Problem) -> float:
    """The minimum of the multinomial problem with an unpenalised bias.

    t_i ≥ log Σ_k exp(o_ik − o_iy)  ⟺  Σ_k u_ik ≤ 1 and (o_ik − o_iy − t_i, 1, u_ik) in the exponential cone;
    v ≥ |w| for the L1 penalty, ½·l2·‖w‖² as the quadratic term. Variables: W (with the bias as last row), t, u, v.
    """
    X = problem.X.to_dense().astype(float)
    n, F, K = len(problem.y), X.shape[1], len(problem.y.names)
    wide = np.hstack([X, np.ones((n, 1))])
    width = F + 1
    at_t, at_u, at_v = width * K, width * K + n, width * K + n + n * K
    n_variables = at_v + width * K
    rows, right = [], []
    for i in range(n):  # 1 − Σ u ≥ 0
        row = np.zeros(n_variables)
        row[at_u + i * K : at_u + (i + 1) * K] = 1.0
        rows.append(row)
        right.append(1.0)
    for q in range(width * K):  # v − w ≥ 0, v + w ≥ 0
        for sign in (1.0, -1.0):
            row = np.zeros(n_variables)
            row[q], row[at_v + q] = sign, -1.0
            rows.append(row)
            right.append(0.0)
    cones = [clarabel.NonnegativeConeT(len(rows))]
    for i in range(n):
        for k in range(K):
            first, last = np.zeros(n_variables), np.zeros(n_variables)
            first[k * width : (k + 1) * width] -= wide[i]
            own = problem.y.codes[i]
            first[own * width : (own + 1) * width] += wide[i]
            first[at_t + i] = 1.0
            last[at_u + i * K + k] = -1.0
            rows += [first, np.zeros(n_variables), last]
            right += [0.0, 1.0, 0.0]
            cones.append(clarabel.ExponentialConeT())
    reached = np.tile(np.r_[np.ones(F), 0.0], K)  # the penalty does not reach the bias
    P = sp.diags(np.r_[reached * problem.l2, np.zeros(n_variables - width * K)], format="csc")
    weight = np.ones(n) if problem.weight is None else problem.weight
    q = np.r_[np.zeros(width * K), weight / weight.sum(), np.zeros(n * K), reached * problem.l1]
    return cone_program(P, q, np.array(rows), right, cones)[1]
