"""Regularisation paths: the same problem for a grid of penalties, each fit begun where the last one ended.

From strong to weak, because the strong end is known: from ``largest_l1`` on, every L1 solution is W = 0. Neighbouring
solutions are close, so that a path costs a few times one fit. ``regularization_path`` takes data and labels,
``problem_path`` what optimisers take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.estimators.parameters import check_number
from lindy.features.selected import NamedRows, named_rows
from lindy.linear.convex import ConvexClassifier
from lindy.linear.losses import get_loss
from lindy.linear.maxent import MaxEnt
from lindy.linear.objective import Array, Objective
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options, Problem, Solution


@dataclass(frozen=True, slots=True)
class PathPoint:
    """One solution of a path, with the penalties it belongs to; its certificate is in the solution."""

    l1: float
    l2: float
    solution: Solution

    @property
    def nonzero(self) -> int:
        """The number of weights that are not zero."""
        return int(np.count_nonzero(self.solution.W))


def slopes_at_zero(problem: Problem, n_jobs: int | None = None) -> Array:
    """Return ∂(mean loss)/∂W at W = 0 and the best bias (with the bias's own slope if it is penalised)."""
    objective = Objective(replace(problem, l1=1.0, l2=0.0), n_jobs)
    at = objective.buffers()
    at.S[:] = 0.0
    objective.best_bias(np.zeros(objective.size), at)
    z = objective.dual_point(at)
    return z if problem.penalize_bias else z[: objective.n_weights]


def largest_l1(problem: Problem, n_jobs: int | None = None) -> float:
    """Return the smallest l1 for which W = 0 is optimal: max |∂loss/∂W| at W = 0 (any l2)."""
    return float(np.abs(slopes_at_zero(problem, n_jobs)).max(initial=0.0))


def penalty_grid(
    problem: Problem, penalty: str, n_values: int = 20, ratio: float = 1e-3, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return penalties from large to small, evenly spaced in the logarithm, over a factor ``ratio``.

    The largest is ``largest_l1`` for "l1"; for "l2" it is ‖∂loss/∂W‖ at W = 0, where about ‖W‖ = 1.
    """
    if n_values < 1 or not 0 < ratio <= 1:
        raise ValueError(f"n_values must be at least 1 and ratio in (0, 1]; got {n_values} and {ratio}")
    z = slopes_at_zero(problem, n_jobs)
    top = float(np.abs(z).max(initial=0.0)) if penalty == "l1" else float(np.sqrt((z**2).sum()))
    if top == 0:
        raise ValueError("the features say nothing about the classes: every penalty gives W = 0")
    return np.geomspace(top, ratio * top, n_values)


def problem_path(
    problem: Problem,
    penalty: str,
    values: Iterable[float] | None = None,
    options: Options | None = None,
    solver: str = "auto",
) -> Iterator[PathPoint]:
    """Yield the solutions for l1 or l2 = each of ``values`` (default: ``penalty_grid``), from large to small.

    The other penalty stays as the problem has it. Every point is proved as a single fit would be.
    """
    _check_penalty(penalty)
    options = options or Options()
    grid = penalty_grid(problem, penalty, n_jobs=options.n_jobs) if values is None else values
    last = options.start
    for value in sorted((float(v) for v in grid), reverse=True):
        each = replace(problem, l1=value) if penalty == "l1" else replace(problem, l2=value)
        last = minimise(each, replace(options, start=last), solver)
        yield PathPoint(each.l1, each.l2, last)


def _check_penalty(penalty: str) -> None:
    if penalty not in ("l1", "l2"):
        raise ValueError(f"penalty must be 'l1' or 'l2'; got {penalty!r}")


@dataclass(frozen=True, slots=True)
class RegularizationPath:
    """Fitted models from the strongest penalty to the weakest.

    Attributes
    ----------
    penalty : "l1" or "l2"
    strengths : array (points,)
        The weight of the penalty against the mean loss, ``lam`` of the learners, from large to small.
    models : list of fitted classifiers
    training : array (points,)
        The share of the examples that each model gets right.
    names : list of str
        What the features are called: words of texts, columns of a matrix.
    """

    penalty: str
    strengths: Array
    models: list[Any]
    training: Array
    names: list[str]
    _made: NamedRows

    def __len__(self) -> int:
        return len(self.models)

    @property
    def nonzero(self) -> NDArray[np.int64]:
        """How many features have a weight that is not zero, at each point."""
        return np.array([np.count_nonzero(model.W_.any(axis=1)) for model in self.models], np.int64)

    @property
    def weights(self) -> Array:
        """The largest absolute weight of every feature, points × features."""
        return np.array([np.abs(model.W_).max(axis=1) for model in self.models], np.float64)

    def score(self, X: Any, y: ArrayLike) -> Array:
        """Return the share of other examples that each model gets right."""
        rows = self._made.of_others(X)
        return np.array([model.score(rows, y) for model in self.models])

    def entering(self, most: int = 10) -> list[tuple[str, float]]:
        """Return the features in the order in which they get a weight, each with the strength where that happens.

        Of features that get theirs at the same point, the one with the larger weight comes first.
        """
        weights = self.weights
        first = np.where(weights.any(axis=0), (weights > 0).argmax(axis=0), len(self))
        there = weights[np.minimum(first, len(self) - 1), np.arange(weights.shape[1])]
        order = [j for j in np.lexsort((-there, first)).tolist() if first[j] < len(self)][:most]
        return [(self.names[j], float(self.strengths[first[j]])) for j in order]

    def __str__(self) -> str:
        lines = [f"{self.penalty:>10}  {'features':>9}  training accuracy"]
        points = zip(self.strengths, self.nonzero, self.training, strict=True)
        return "\n".join(lines + [f"{s:10.3g}  {n:9,}  {100 * right:6.2f} %" for s, n, right in points])


def regularization_path(
    X: Any,
    y: ArrayLike,
    *,
    penalty: str = "l1",
    learner: Any = None,
    values: Sequence[float] | None = None,
    n_values: int = 20,
    ratio: float = 1e-3,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
) -> RegularizationPath:
    """Fit a learner with stronger and weaker penalties, each fit begun where the last one ended.

    Parameters
    ----------
    X : texts, feature rows or matrix
        Of texts, words with tf-idf; feature rows and matrices as they are.
    y : labels, one for each example
    penalty : "l1" or "l2"
        With L1 most weights are zero: from weak to strong, features leave one by one.
    learner : unfitted MaxEnt or SVM, or None
        Whose loss and other options are taken; None is ``MaxEnt()``.
    values : list of float or None
        The strengths (``lam`` of the learner); None takes ``n_values`` of them, evenly spaced in the logarithm, from
        the smallest for which all L1 weights are zero (for "l2": about ‖W‖ = 1) down to ``ratio`` times that.
    names : list of str or None
        Of a matrix's columns.
    sample_weight : array or None
        How much each example counts.

    Examples
    --------
    >>> from lindy import regularization_path
    >>> texts, labels = ["good book", "good read", "bad book", "bad read"], ["+", "+", "-", "-"]
    >>> path = regularization_path(texts, labels, n_values=3)
    >>> path.nonzero.tolist(), path.entering(2)[0][0] in ("good", "bad")
    ([0, 2, 2], True)
    """
    _check_penalty(penalty)
    model = MaxEnt() if learner is None else learner
    if not isinstance(model, ConvexClassifier):
        raise TypeError(f"learner must be an unfitted MaxEnt or SVM; got {model!r}")
    made = named_rows(X, names, weighting="tfidf", n_jobs=model.n_jobs)
    model = type(model)(**model.get_params(deep=False) | {"penalty": penalty, "C": 1.0, "lam": None})
    model._check_parameters()
    problem = model._problem(model._training_data(made.rows, y, sample_weight))
    # of the l2 on W, which is what C says
    share = get_loss(problem.loss).l2_of(1.0, len(problem.y.names)) if penalty == "l2" else 1.0
    if values is None:
        values = (penalty_grid(problem, penalty, n_values, ratio, model.n_jobs) / share).tolist()
    if not len(values):
        raise ValueError("values must be at least one number above 0; got none")
    for value in values:
        check_number("values", value, above=0)
    strengths = np.array(sorted(map(float, values), reverse=True))
    n = made.rows.shape[0] if problem.weight is None else float(problem.weight.sum())
    models = list(model.path(made.rows, y, 1 / (share * strengths * n), sample_weight))
    training = np.array([fitted.score(made.rows, y, sample_weight) for fitted in models])
    return RegularizationPath(penalty, strengths, models, training, made.names, made)
