"""Support vector machines: the widest margin, with a price for what lies inside it.

    min  ½‖W‖² + C·Σ_i weight_i·loss(xᵢᵀW + b; y_i)          (divided by C·Σ weight: mean loss + ½·l2·‖W‖²)

- ``squared_hinge``     Σ_k max(0, 1 − s_k·o_k)², one-vs-rest (the L2-loss SVM of LIBLINEAR)
- ``hinge``             Σ_k max(0, 1 − s_k·o_k), one-vs-rest
- ``multiclass_hinge``  max_k (ρ(k, y) + o_k) − o_y, Crammer and Singer, with the cost ρ of each confusion
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.targets import as_targets
from lindy.estimators.base import Examples
from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import fitted, named, with_parameters
from lindy.linear.convex import ConvexClassifier
from lindy.linear.losses import LOSSES as ALL_LOSSES
from lindy.linear.losses import cost_matrix, get_loss, loss_values, margins
from lindy.linear.problem import Problem, Solution

LOSSES = tuple(
    name for name, loss in ALL_LOSSES.items() if "dual" in loss.capabilities and not loss.has_log_odds
)


@with_parameters
class SVM(ConvexClassifier):
    """Linear support vector machine, solved to a proven optimum.

    Parameters
    ----------
    loss : "squared_hinge", "hinge" or "multiclass_hinge"
    C : float
        Price of the losses against ½‖W‖²; infinity asks for the hard margin (hinge losses only).
    cost : None, "zero-one", "distance" or array (classes, classes)
        ρ[predicted, true] for ``multiclass_hinge``, zero on the diagonal; None means 1 for every mistake, "distance"
        the distance of the class numbers.
    solver : str
        An optimiser by name, or "auto" for the fastest that can prove its answer. With the L2 penalty: "dual", or for
        tables of few columns "newton" (squared hinge) and "augmented-lagrangian" (hinges). With L1, the elastic net or
        none: "proximal-newton", "newton" or "lbfgs" for the squared hinge, "linear-program" for the hinges, if small.

    Attributes
    ----------
    support_ : array, numbers of the rows with a non-zero dual variable (L2 penalty)
    dual_coef_ : array (outputs, support vectors): ``coef_ = dual_coef_ · X[support_]``
    certificate_, history_, n_iter_, solver_ : see ConvexClassifier
    """

    spec: ClassVar = LearnerSpec(
        "svm",
        "SVM",
        strengths={"C": (0.01, 100.0)},
        automatic=(0.5, 2.0, 8.0),
        usual=("compare", "tune", "plot"),
        weight_bytes=8,
    )

    _reads_zeros = True
    support_: NDArray[np.int64] = fitted()
    dual_coef_: NDArray[Any] = fitted()

    loss: Annotated[str, named(LOSSES)] = "squared_hinge"
    cost: str | ArrayLike | None = None

    def _loss(self) -> str:
        return self.loss

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.cost is not None and not get_loss(self.loss).has_cost:
            raise ValueError(f"cost needs loss='multiclass_hinge'; got loss={self.loss!r}")
        if self._hard() and (get_loss(self.loss).smooth or self.penalty != "l2"):
            raise ValueError("C=inf, the hard margin, needs a hinge loss and the L2 penalty")

    def _hard(self) -> bool:
        return self.lam is None and math.isinf(self.C)

    def _cost(self) -> NDArray[np.float64] | None:
        return cost_matrix(self.cost, len(self.classes_))

    def _solve(self, problem: Problem, start: Solution | None, *, prove: bool = True) -> Solution:
        if not self._hard():
            return super()._solve(problem, start, prove=prove)
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
        coefficients = get_loss(self.loss).coefficients(dual, data.y.codes, solution.details["C"])
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
        codes = as_targets(y, len(scores), names=self.classes_, as_given=True).codes
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
        codes = as_targets(y, len(scores), names=self.classes_, as_given=True).codes
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
