"""Support vector machines: the widest margin, with a price for what lies inside it.

    min  ½‖W‖² + C·Σ_i weight_i·loss(xᵢᵀW + b; y_i)          (divided by C·Σ weight: mean loss + ½·l2·‖W‖²)

- ``squared_hinge``     Σ_k max(0, 1 − s_k·o_k)², one-vs-rest (the L2-loss SVM of LIBLINEAR)
- ``hinge``             Σ_k max(0, 1 − s_k·o_k), one-vs-rest
- ``multiclass_hinge``  max_k (ρ(k, y) + o_k) − o_y, Crammer and Singer, with the cost ρ of each confusion
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.base import Examples, check_labels, encode
from lindy.learners import Declaration
from lindy.linear.convex import ConvexClassifier
from lindy.linear.costs import cost_matrix
from lindy.linear.losses import LOSSES as ALL_LOSSES
from lindy.linear.losses import get_loss, loss_values, margins
from lindy.linear.problem import Problem, Solution

LOSSES = tuple(
    name for name, loss in ALL_LOSSES.items() if "dual" in loss.offers and "probabilities" not in loss.offers
)


class SVM(ConvexClassifier):
    """Linear support vector machine, solved to a proven optimum.

    Parameters
    ----------
    loss : "squared_hinge", "hinge" or "multiclass_hinge"
    C : float
        Price of the losses against ½‖W‖²; infinity asks for the hard margin (hinge losses only).
    lam : float or None
        If given, the weight of ½‖W‖² against the mean loss, instead of C (lam = 1/(C·n)).
    penalty : "l2", "l1", "elasticnet" or None
    l1_ratio : float
        Share of the L1 norm in the elastic net; 0 is the L2 penalty, which solvers for L1 leave to those of "auto".
    cost : None, "zero-one", "distance" or array (classes, classes)
        ρ[predicted, true] for ``multiclass_hinge``, zero on the diagonal; None means 1 for every mistake, "distance"
        the distance of the class numbers.
    fit_intercept, penalize_bias : bool
        Whether there is a bias, and whether the penalty reaches it (LIBLINEAR's form).
    solver : str
        An optimiser by name, or "auto" for the fastest that can prove its answer. With the L2 penalty: "dual", or for
        tables of few columns "newton" (squared hinge) and "augmented-lagrangian" (hinges). With L1, the elastic net or
        none: "proximal-newton", "newton" or "lbfgs" for the squared hinge, "linear-program" for the hinges, if small.
    solver_options : dict or None
        Options of the solvers "sgd", "pegasos" and "subgradient": epochs, schedule, eta0, power, average, batch_size,
        projection, l1_method, shuffle, held_out, patience, callback, trace, dtype
        (``lindy.linear.optimizers.stochastic`` explains them).
    tol : float
        Relative gap at which the fit stops: the objective is then at most that share above the optimum.
    max_iter : int
        Most rounds of the solver (for "dual": passes over the rows).
    class_weight : "balanced", dict or None
    warm_start : bool
        Begin the next fit where the last one ended.
    random_state : int or None
        Seed of the order of the rows; None is 0.
    n_jobs : int or None
        Threads; None means all cores. Results do not depend on it.

    Attributes
    ----------
    support_ : array, numbers of the rows with a non-zero dual variable (L2 penalty)
    dual_coef_ : array (outputs, support vectors): ``coef_ = dual_coef_ · X[support_]``
    certificate_, history_, n_iter_, solver_ : see ConvexClassifier
    """

    declaration: ClassVar = Declaration(
        "svm",
        "SVM",
        offers=frozenset({"addends"}),
        strengths={"C": (0.01, 100.0)},
        automatic=(0.5, 2.0, 8.0),
        usual=("compare", "tune", "plot"),
    )

    support_: NDArray[np.int64]
    dual_coef_: NDArray[Any]

    def __init__(
        self,
        *,
        loss: str = "squared_hinge",
        C: float = 1.0,
        lam: float | None = None,
        penalty: str | None = "l2",
        l1_ratio: float = 0.5,
        cost: str | ArrayLike | None = None,
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
        self.loss = loss
        self.C = C
        self.lam = lam
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.cost = cost
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
        return self.loss

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {list(LOSSES)}; got {self.loss!r}")
        if self.cost is not None and "cost" not in get_loss(self.loss).offers:
            raise ValueError(f"cost needs loss='multiclass_hinge'; got loss={self.loss!r}")
        if self._hard() and (get_loss(self.loss).smooth or self.penalty != "l2"):
            raise ValueError("C=inf, the hard margin, needs a hinge loss and the L2 penalty")

    def _hard(self) -> bool:
        return self.lam is None and math.isinf(self.C)

    def _cost(self) -> NDArray[np.float64] | None:
        return cost_matrix(self.cost, len(self.classes_))

    def _solve(self, problem: Problem, start: Solution | None) -> Solution:
        if not self._hard():
            return super()._solve(problem, start)
        return self._solve_hard(problem)

    def _solve_hard(self, problem: Problem) -> Solution:
        """Raise C until no slack is left: the hinge is an exact penalty, so that is the hard margin."""
        C = 1.0
        for _ in range(12):
            n = problem.X.shape[0] if problem.weight is None else float(problem.weight.sum())
            soft = _with_l2(problem, 1 / (C * n))
            solution = super()._solve(soft, None)
            proof = solution.certificate
            assert proof is not None  # the L2 penalty always has one
            loss = proof.objective - 0.5 * soft.l2 * float(np.square(solution.W, dtype=np.float64).sum())
            if proof.reached and loss <= 2 * proof.tol * proof.objective:
                return solution
            C *= 10
        raise ValueError(
            "C=inf asks for the hard margin, but the classes cannot be separated by a linear model (or only with"
            " a margin too small to find): give a finite C"
        )

    def _keep(self, solution: Solution, data: Examples) -> None:
        super()._keep(solution, data)
        dual = solution.details.get("dual")
        if dual is None:
            return
        coefficients = get_loss(self.loss).coefficients(dual, data.y, solution.details["C"])
        self.support_ = np.flatnonzero(coefficients.any(axis=1))
        self.dual_coef_ = np.ascontiguousarray(coefficients[self.support_].T)

    def _forget_fit(self) -> None:
        super()._forget_fit()
        for name in ("support_", "dual_coef_"):
            vars(self).pop(name, None)

    def margins(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Return the functional margins, rows × outputs (or one column): what the hinge compares with 1.

        One-vs-rest: s_k·o_k. Crammer–Singer with more than two classes: o_y − max_{k≠y} o_k.
        """
        scores = np.atleast_2d(self.decision_function(X).T).T.astype(np.float64)
        codes = encode(check_labels(y, len(scores)), self.classes_)
        if not get_loss(self.loss).joint or scores.shape[1] == 1:
            return margins(scores, codes)
        rows = np.arange(len(codes))
        own = scores[rows, codes]
        scores[rows, codes] = -np.inf
        lead: NDArray[np.float64] = (own - scores.max(axis=1))[:, None]
        return lead

    def slacks(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Return ξ, rows × outputs (or one column): how far each row lies inside the margin of its class.

        One-vs-rest: max(0, 1 − s_k·o_k). Crammer–Singer: max_k (ρ(k, y) + o_k) − o_y, the loss itself.
        """
        if not get_loss(self.loss).joint:
            return np.maximum(0.0, 1.0 - self.margins(X, y))
        scores = np.atleast_2d(self.decision_function(X).T).T.astype(np.float64)
        codes = encode(check_labels(y, len(scores)), self.classes_)
        return loss_values(self.loss, scores, codes, self._cost())[:, None]

    @property
    def margin_width_(self) -> NDArray[np.float64]:
        """The geometric margin 1/‖w_k‖ of each output."""
        self._check_fitted()
        with np.errstate(divide="ignore"):
            width: NDArray[np.float64] = 1.0 / np.sqrt(np.square(self.W_, dtype=np.float64).sum(axis=0))
        return width


def _with_l2(problem: Problem, l2: float) -> Problem:
    from dataclasses import replace

    return replace(problem, l2=l2)
