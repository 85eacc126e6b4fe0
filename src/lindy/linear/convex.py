"""The base of convex learners: the objective from its parameters, the fit, its certificate, the path."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.targets import Targets, as_targets
from lindy.core.weights import check_weight, class_weights
from lindy.errors import convergence_warning, invalid_parameter
from lindy.estimators.base import Examples, require_finite
from lindy.estimators.parameters import (
    FROM_0_TO_1,
    GAP,
    fitted,
    must,
    named,
    whole,
    with_parameters,
)
from lindy.estimators.serialization import is_generator
from lindy.linear.linear_model import LinearClassifier, weigh_classes
from lindy.linear.losses import get_loss, loss_values
from lindy.linear.optimizers import SOLVERS, STREAMS, choose, few_columns, penalty_name
from lindy.linear.problem import Certificate, Options, Problem, Solution, penalty_of
from lindy.linear.stream import StreamClassifier

if TYPE_CHECKING:  # what only streams and further rows need
    from lindy.core.column_remap import UpdateBatch
    from lindy.estimators.output_weights import OutputWeights
    from lindy.linear.label_blocks import GoingOn
    from lindy.linear.optimizers.online_epochs import Outcome
    from lindy.linear.optimizers.online_rows import Rows
    from lindy.linear.optimizers.online_state import Rule, State
    from lindy.linear.optimizers.training_schedule import TrainingSchedule

PENALTIES = ("l2", "l1", "elasticnet", None)


@with_parameters
class ConvexClassifier(StreamClassifier):
    """Minimises mean loss + penalty to a proven relative gap.

    Parameters
    ----------
    C : float
        Price of the losses against the penalty.
    lam : float or None
        If given, the lectures' λ, the weight of the penalty against the mean loss, instead of C: with n rows
        lam = 1/(C·n); for two classes and a loss in which they compete ("log", "multiclass_hinge") lam = 2/(C·n),
        because the lectures have two weight vectors there, of which W holds the difference.
    penalty : "l2", "l1", "elasticnet" or None
        ½‖W‖², ‖W‖₁, the mixture (1 − l1_ratio)·½‖W‖² + l1_ratio·‖W‖₁, or nothing.
    l1_ratio : float
        Share of the L1 norm in the elastic net; 0 is the L2 penalty, which solvers for L1 leave to those of "auto".
    fit_intercept, penalize_intercept : bool
        Whether there is a bias, and whether the penalty reaches it (LIBLINEAR's form).
    solver : str
        An optimiser by name, or "auto" for the fastest that can prove its answer.
    solver_options : dict or None
        Options of the solvers "sgd", "pegasos" and "subgradient": epochs, schedule, eta0, power, average, batch_size,
        projection, l1_method, shuffle, held_out, patience, callback, trace, dtype
        (``lindy.linear.optimizers.stochastic`` explains them). Without eta0 and schedule, "sgd" and "subgradient"
        derive their steps from the data.
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
    certificate_ : what was proved: the objective and the gap within which the optimum lies
    history_ : objective and seconds, one entry per proof (or per round) of the optimiser
    n_iter_ : passes or iterations of the optimiser
    solver_ : the optimiser that was used
    t_, trace_ : visits so far and traced weights, of the stochastic solvers
    """

    C: float = 1.0
    lam: Annotated[float | None, must("be a number of at least 0", lambda value: 0 <= value < math.inf)] = (
        None
    )
    penalty: Annotated[str | None, named(PENALTIES)] = "l2"
    l1_ratio: Annotated[float, FROM_0_TO_1] = 0.5
    fit_intercept: bool = True
    penalize_intercept: bool = False
    solver: str = "auto"
    solver_options: Annotated[
        dict[str, Any] | None,
        must("be a dictionary of options by name, or None", lambda value: isinstance(value, dict)),
    ] = None
    tol: Annotated[float, GAP] = 1e-4
    max_iter: Annotated[int, whole(1)] = 1000
    class_weight: str | dict[Any, float] | None = None
    warm_start: bool = False
    random_state: int | None = None
    n_jobs: int | None = None

    certificate_: Certificate | None = fitted()
    solver_: str = fitted()

    @property
    def idle_options(self) -> frozenset[str]:
        """C beside lam, both without a penalty, and the share of L1 unless the penalty is a mixture."""
        idle = {"l1_ratio"} if self.penalty != "elasticnet" else set()
        if self.penalty is None:
            idle |= {"C", "lam"}
        return super().idle_options | idle | ({"C"} if self.lam is not None else set())

    def _loss(self) -> str:
        raise NotImplementedError

    def _cost(self) -> NDArray[np.float64] | None:
        return None

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise the objective over the given rows."""
        self._check_parameters()
        data = self._training_data(X, y, sample_weight)
        start = getattr(self, "_solution", None) if self.warm_start else None
        solution = self._solve(self._problem(data), start)
        self._keep(solution, data)
        self._report(solution, stacklevel=3)
        return self

    def fit_from(
        self,
        other: ConvexClassifier | None,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        prove: bool = True,
    ) -> Self:
        """Fit, beginning where another model of the same rows ended; it may have had other columns, weights and C.

        Both have to keep their solutions: models fitted so do, until ``drop_solution``, and those with ``warm_start``.
        Rows of weight 0 are still rows here, so that both have the same. Without ``prove`` the solver may stop where it
        expects ``tol`` to be reached: enough for held-out scores.
        """
        self._check_parameters()
        data = self._training_data(X, y, sample_weight, masked=True)
        solution = self._solve(self._problem(data), getattr(other, "_solution", None), prove=prove)
        self._keep(solution, data)
        self._solution = solution
        self._report(solution, stacklevel=3)
        return self

    @property
    def solves_together(self) -> bool:  # type: ignore[override]
        """Whether the labels of rows that have several share the rows' weights and columns, and so passes over them."""
        return self.class_weight is None and not self.spec.per_class

    def fit_labels(
        self, data: Examples, n_jobs: int | None = None, going_on: GoingOn | None = None
    ) -> OutputWeights:
        """Return the weights of several labels, which share passes over the rows if they share the rows' weights."""
        if self.class_weight is not None:
            return super().fit_labels(data, n_jobs)
        from lindy.linear.label_blocks import solve_in_blocks

        return solve_in_blocks(self, data, n_jobs, going_on)

    @property
    def weight_bytes(self) -> int:
        """Bytes that a fit takes for every feature of every class: what the solver says, if that is more."""
        usual = "proximal-newton" if self.penalty in ("l1", "elasticnet") else "dual"
        solver = SOLVERS.get(usual if self.solver == "auto" else self.solver, SOLVERS[usual])
        return max(self.spec.weight_bytes, solver.weight_bytes)

    @property
    def keeps_solution(self) -> bool:
        """Whether ``fit_from`` begins where a fit of the same rows ended: always."""
        return True

    def rough(self, tol: float) -> Self:
        """Return an unfitted copy whose scores are good enough for held-out rows."""
        return type(self)(**self.get_params(deep=False) | {"tol": max(self.tol, tol)})

    @property
    def can_go_on(self) -> bool:
        """Whether ``fit_from`` this model saves work: it has kept the dual variables of its rows."""
        details = self._solution.details if "_solution" in vars(self) else {}
        return all("dual" in part.details for part in details.get("parts", ())) and bool(
            {"dual", "parts"} & details.keys()
        )

    def drop_weights(self) -> None:
        """Keep only what ``fit_from`` makes the weights of again, where that is all it needs: the dual variables."""
        if "_solution" in vars(self) and "dual" in self._solution.details:
            self._solution = replace(self._solution.without_rows(), W=self._solution.W[:0].copy())
            self.W_ = self._solution.W

    def drop_solution(self) -> None:
        """Forget what only ``fit_from`` needs."""
        if not self.warm_start:
            vars(self).pop("_solution", None)

    def path(
        self, X: Any, y: ArrayLike | Targets, Cs: Iterable[float], sample_weight: ArrayLike | None = None
    ) -> Iterator[Self]:
        """Yield a fitted copy for every C, from the smallest (strongest penalty) to the largest.

        Every fit begins where the one before it ended, so that the path costs a few times one fit.
        """
        data: Examples | None = None
        solution: Solution | None = None
        for C in sorted(float(C) for C in Cs):
            model = copy.copy(self).set_params(C=C, lam=None)
            model._check_parameters()
            if data is None:
                data = model._training_data(X, y, sample_weight)
                fitted = {name: value for name, value in vars(model).items() if name.endswith("_")}
            vars(model).update(fitted)
            solution = model._solve(model._problem(data), solution)
            model._keep(solution, data)
            model._report(solution, stacklevel=3)
            yield model

    @property
    def partial_fit(self) -> Callable[..., Self]:
        """Learn from one more batch of a stream, ``partial_fit(X, y, classes=None, sample_weight=None)``.

        With the solvers "sgd", "pegasos" and "subgradient", in one pass over the batch. New labels become new
        classes and new columns (to the right of the known ones) new features; ``classes`` may announce labels.
        The penalty has to be given by ``lam``, because C counts on the number of rows.
        """
        if self.solver not in STREAMS:
            raise AttributeError(
                f"partial_fit needs one of the solvers {sorted(STREAMS)}; solver={self.solver!r} cannot"
                " continue without all rows"
            )
        return self._go_on

    def _training_schedule(self) -> TrainingSchedule:
        from lindy.linear.optimizers.stochastic import training_schedule_of

        return training_schedule_of(self._options(None), self.solver)

    def _rule_of(self, data: Examples) -> Rule:
        from lindy.linear.optimizers.stochastic import rule_of

        if self.lam is None and self.penalty is not None:
            raise ValueError(
                "partial_fit needs the penalty as lam, not C: the total number of rows is not known in advance"
            )
        problem = self._problem(data)
        choose(self.solver, problem.loss, penalty_name(problem.l2, problem.l1))
        return rule_of(problem, self._options(None), self.solver)

    def _after(self, outcome: Outcome, rows: Rows, state: State) -> None:  # noqa: ARG002
        self._forget_fit()
        self.certificate_, self.solver_ = None, self.solver

    def _forget_fit(self) -> None:
        """Drop what only a fit knows and a further batch makes untrue."""
        for name in ("_solution", "_stream"):
            vars(self).pop(name, None)

    def distribute(self, partitions: Any) -> None:
        """Minimise the sum over all partitions; the hinge by its dual, Pegasos by mixing weights."""
        loss = get_loss(self._loss())
        if self.solver == "pegasos":
            partitions.mix_weights(self)
        elif "pieces" in loss.capabilities and not loss.joint:
            partitions.ascend_dual(self)
        else:
            partitions.minimise_sum(self)

    def distribute_labels(self, partitions: Any) -> OutputWeights:
        """Minimise the sum of all labels' objectives over all partitions."""
        if self.class_weight is not None or not self.solves_together:
            return super().distribute_labels(partitions)
        from lindy.estimators.output_weights import OutputWeights

        partitions.minimise_sum(self)
        return OutputWeights(self.W_, self.b_, self.certificate_)

    @property
    def updates(self) -> str:
        """How it learns from further rows: the stochastic solvers go on, others take the old weights for a prior."""
        if self._goes_on():
            return "goes on"
        return "prior" if self._is_held() and get_loss(self._loss()).smooth else ""

    def _goes_on(self) -> bool:
        return self.solver in STREAMS and self.lam is not None

    def _is_held(self) -> bool:
        """Whether the penalty is ½‖W‖², and not of strength 0."""
        return self.penalty == "l2" and (math.inf > self.C if self.lam is None else self.lam > 0)

    @property
    def fixed(self) -> str:
        """Why it cannot learn from further rows."""
        if self.updates:
            return ""
        what = f"with the loss {self._loss()!r}, which has a kink"
        if not self._is_held():
            what = (
                "without a penalty" if self.penalty in (None, "l2") else f"with the penalty {self.penalty!r}"
            )
        return f"{what}, nothing can stand for the rows that are gone"

    def _outputs_compete(self) -> bool:
        return get_loss(self._loss()).joint

    def updated(self, further: UpdateBatch) -> Self:
        """Return the model after further rows: by the solver's own steps, or with the old weights as a prior."""
        if self._goes_on():
            return super().updated(further)
        if not self.updates:
            return LinearClassifier.updated(self, further)
        from lindy.linear.prior import updated_from_weights

        made: Self = updated_from_weights(self, further)
        return made

    def _training_data(
        self, X: Any, y: ArrayLike | Targets, sample_weight: ArrayLike | None, *, masked: bool = False
    ) -> Examples:
        return weigh_classes(self, self._examples(X, y, sample_weight, masked=masked))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_seed()
        if self.lam is None and not self.C > 0:
            raise ValueError(f"C must be positive; got {self.C!r}")

    def _check_seed(self) -> None:
        seed = self.random_state
        if is_generator(seed) and self.solver in STREAMS:
            return  # they draw from it
        if seed is not None and (not isinstance(seed, Integral) or not 0 <= seed < 2**63):
            raise invalid_parameter(
                f"random_state must be None or a whole number from 0 to 2**63 - 1; got {seed!r}"
            )

    def _problem(self, data: Examples) -> Problem:
        total = data.X.shape[0] if data.weight is None else float(data.weight.sum())
        # a float32 among the parameters would make the proof one of float32
        ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": float(self.l1_ratio), None: 0.0}[self.penalty]
        l1 = self._strength(total) if self.lam is None else float(self.lam)
        l2 = self.l2_of(total)
        if self.penalty is None:
            l1 = l2 = 0.0
        return Problem(
            data.X,
            data.y,
            self._loss(),
            l2=l2 * (1 - ratio),
            l1=l1 * ratio,
            weight=data.weight,
            bias=bool(self.fit_intercept),
            penalize_bias=bool(self.penalize_intercept),
            cost=self._cost(),
        )

    def l2_of(self, total: float) -> float:
        """Return the weight of ½‖W‖² beside the mean loss of rows whose weights sum to ``total``."""
        if self.lam is None:
            return self._strength(total)
        return get_loss(self._loss()).l2_of(float(self.lam), len(self.classes_))

    def _strength(self, total: float) -> float:
        """Return 1/(C·n)."""
        price = float(self.C) * total
        if price < 1 / np.finfo(np.float64).max:
            raise ValueError(
                f"C={self.C!r} is too small: the penalty 1/(C·n) is beyond float64; choose a larger C"
            )
        return 1 / price

    def _solve(self, problem: Problem, start: Solution | None, *, prove: bool = True) -> Solution:
        asked = "elasticnet" if self.penalty == "elasticnet" else None  # a grid over l1_ratio may begin at 0
        penalty = penalty_name(problem.l2, problem.l1)
        chosen = choose(self.solver, problem.loss, penalty, asked, few=few_columns(problem))
        self.solver_ = chosen.name
        known = {"lbfgs": {"memory"}}.get(chosen.name, set())
        if chosen.certifies and (foreign := sorted(set(self.solver_options or {}) - known)):
            raise ValueError(
                f"solver={chosen.name!r} has no options {foreign}; most options belong to 'sgd', 'pegasos' and"
                " 'subgradient'"
            )
        return chosen.run(problem, self._options(start, prove=prove))

    def _options(self, start: Solution | None, *, prove: bool = True) -> Options:
        return Options(
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            seed=self.random_state or 0,
            n_jobs=self.n_jobs,
            start=start,
            prove=prove,
            extra=dict(self.solver_options or {}),
        )

    def _keep(self, solution: Solution, data: Examples) -> None:  # noqa: ARG002
        with np.errstate(over="ignore", invalid="ignore"):
            total = solution.W.sum()  # is finite, as a rule, if all are
        require_finite(self, solution.b, total if np.isfinite(total) else solution.W)
        self._forget_fit()
        self.W_, self.b_ = solution.W, solution.b
        for name in ("t", "trace"):  # of the stochastic solvers
            vars(self).pop(f"{name}_", None)
            if name in solution.details:
                setattr(self, f"{name}_", solution.details[name])
        if self.penalty in ("l1", "elasticnet"):
            self._sparsify_if_smaller()
        self.certificate_ = solution.certificate
        self.history_ = solution.history
        self.n_iter_ = solution.n_iter
        if self.warm_start:
            self._solution = solution.without_rows()

    def _report(self, solution: Solution, stacklevel: int) -> None:
        if failed := solution.details.get("failed"):
            warnings.warn(convergence_warning(f"{type(self).__name__} {failed}"), stacklevel=stacklevel + 1)
        proof = self.certificate_
        if proof is None or proof.reached:
            return
        warnings.warn(
            convergence_warning(
                f"{type(self).__name__} stopped after {self.n_iter_} rounds of solver {self.solver_!r} with a"
                f" {proof.missed}; tol={self.tol:.1e} was asked for. Raise max_iter, accept it with a larger tol, or"
                " scale the columns of X to a similar size; a smaller C makes the problem easier."
            ),
            stacklevel=stacklevel + 1,
        )

    def _penalised_weights(self, problem: Problem) -> NDArray[np.float64]:  # noqa: ARG002
        return self.W_.astype(np.float64)

    def objective(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the objective of the fitted weights on the given rows (mean loss + penalty)."""
        self._check_fitted()
        csr = self._rows(X)
        targets = as_targets(y, csr.shape[0], names=self.classes_, as_given=True)
        weight = class_weights(self.class_weight, targets, check_weight(sample_weight, csr.shape[0]))
        problem = self._problem(Examples(csr, targets, weight))
        scores = np.atleast_2d(self.decision_function(X).T).T.astype(np.float64)
        losses = loss_values(problem.loss, scores, targets.codes, problem.cost)
        penalty = penalty_of(problem, self._penalised_weights(problem), self.b_.astype(np.float64))
        return float(np.average(losses, weights=weight)) + penalty
