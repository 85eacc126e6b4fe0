"""Maximum entropy classification, also known as logistic regression.

    P(y | x) = exp(o_y) / Σ_k exp(o_k),   o = xᵀW + b
    min  ½‖W‖² − C·Σ_i weight_i·log P(y_i | x_i)             (divided by C·Σ weight: mean loss + ½·l2·‖W‖²)

Among all distributions whose expected feature counts agree with the data's, this one has the greatest entropy.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy import numerics
from lindy.learners import Declaration
from lindy.linear.convex import ConvexClassifier

MULTICLASS = {"multinomial": "log", "one-vs-rest": "log_ovr"}


class MaxEnt(ConvexClassifier):
    """Logistic regression, multinomial or one-vs-rest, solved to a proven optimum.

    Parameters
    ----------
    multiclass : "multinomial" or "one-vs-rest"
        One distribution over all classes, or one logistic model per class; the same for two classes.
    C : float
        Price of the losses against ½‖W‖².
    lam : float or None
        If given, the weight of ½‖W‖² against the mean loss, instead of C (lam = 1/(C·n)).
    penalty : "l2", "l1", "elasticnet" or None
    l1_ratio : float
        Share of the L1 norm in the elastic net; 0 is the L2 penalty, which solvers for L1 leave to those of "auto".
    fit_intercept, penalize_bias : bool
        Whether there is a bias, and whether the penalty reaches it (LIBLINEAR's form).
    solver : str
        An optimiser by name, or "auto" for the fastest that can prove its answer: "dual" for the L2 penalty,
        "proximal-newton" for L1 and the elastic net, "lbfgs" for none; for tables of few columns "newton" (L2, none).
    solver_options : dict or None
        Options of the solvers "sgd", "pegasos" and "subgradient": epochs, schedule, eta0, power, average, batch_size,
        projection, l1_method, shuffle, held_out, patience, callback, trace, dtype
        (``lindy.linear.optimizers.stochastic`` explains them).
    tol : float
        Relative gap at which the fit stops: the objective is then at most that share above the optimum.
    max_iter : int
        Most passes or iterations.
    class_weight : "balanced", dict or None
    warm_start : bool
        Begin the next fit where the last one ended.
    random_state : int or None
        Seed of the order of the rows; None is 0.
    n_jobs : int or None
        Threads; None means all cores. Results do not depend on it.

    Attributes
    ----------
    certificate_, history_, n_iter_, solver_ : see ConvexClassifier
    """

    declaration: ClassVar = Declaration(
        "maxent",
        "MaxEnt",
        offers=frozenset({"probabilities", "addends"}),
        strengths={"C": (0.01, 100.0)},
        usual=("compare", "tune", "plot"),
    )

    def __init__(
        self,
        *,
        multiclass: str = "multinomial",
        C: float = 1.0,
        lam: float | None = None,
        penalty: str | None = "l2",
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        penalize_bias: bool = False,
        solver: str = "auto",
        solver_options: dict[str, Any] | None = None,
        tol: float = 1e-4,
        max_iter: int = 1000,
        class_weight: str | dict[Any, float] | None = None,
        warm_start: bool = False,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.multiclass = multiclass
        self.C = C
        self.lam = lam
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.penalize_bias = penalize_bias
        self.solver = solver
        self.solver_options = solver_options
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _loss(self) -> str:
        return MULTICLASS[self.multiclass]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.multiclass not in MULTICLASS:
            raise ValueError(f"multiclass must be one of {list(MULTICLASS)}; got {self.multiclass!r}")

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(y | x), rows × classes."""
        scores = self.decision_function(X).astype(np.float64)
        if scores.ndim == 1:
            return -numerics.softplus(np.column_stack([scores, -scores]))
        if self.multiclass == "one-vs-rest":
            scores = -numerics.softplus(-scores)
        normalised: NDArray[np.float64] = scores - numerics.log_sum_exp(scores)[:, None]
        return normalised

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y | x), rows × classes; every row sums to 1.

        One-vs-rest: the classes' own probabilities, divided by their sum.
        """
        return numerics.exp(self.predict_log_proba(X))
