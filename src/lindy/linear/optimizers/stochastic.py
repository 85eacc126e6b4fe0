"""The online loop as an optimiser of a convex problem: what ``sgd``, ``pegasos`` and ``subgradient`` share.

Options of their own (``Options.extra``), besides those of the problem:

=================== ====================================================================================
``epochs``          passes over the data; None (default) means 10, or on small data 10,000 visits
``schedule``        "constant" η0, "power" η0·t^−power, "pegasos" 1/(l2·t), or "adagrad"
``eta0, power``     the first step and how fast the steps shrink
``average``         return the mean of the weights after every step (True), of those of a last share of the epochs
                    (a number such as 0.5), or the last ones (False, the default). The first steps of Pegasos are
                    huge; a mean over the last half forgets them (Rakhlin et al., 2012)
``batch_size``      examples per step
``projection``      after every step back into the ball that holds the optimum (Pegasos); the squared hinge needs it
                    unless l2 is large, for its gradients grow with the weights
``l1_method``       "cumulative" (Tsuruoka et al., 2009) or "truncate" (every step shrinks every weight)
``shuffle``         a new permutation per epoch (True), the order as given (False), or "random" draws
``held_out, patience, callback, trace, dtype``   as for ``lindy.Perceptron``
=================== ====================================================================================

The normalisation is the project's, mean loss + ½·l2·‖W‖²: every step takes (1 − η_t·l2)·W. Nothing is proved about
the answer, so there is no certificate; the history has the mean loss met before each update, plus the penalty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.linear.optimizers.online import Course, prepare, train
from lindy.linear.optimizers.online_state import Rule, State
from lindy.linear.problem import Options, Problem, Solution
from lindy.parameters import check_whole

_RULE = ("eta0", "power", "average", "projection", "dtype")
_COURSE = ("epochs", "shuffle", "held_out", "patience", "callback", "trace")
_NAMES = (*_RULE, *_COURSE, "batch_size", "schedule", "l1_method")


# The solvers that learn example by example, and so from streams: the options in which each differs.
STREAMS: dict[str, dict[str, Any]] = {
    "sgd": {"schedule": "power", "power": 0.5},
    "pegasos": {"schedule": "pegasos"},
    "subgradient": {"schedule": "power", "power": 0.5},
}


def solve_online(problem: Problem, options: Options, solver: str) -> Solution:
    """Minimise by steps along one example's subgradient (or a small batch's)."""
    rule, course = rule_of(problem, options, solver), course_of(options, solver)
    data = prepare(problem.X, problem.y, problem.weight, shuffle=course.shuffle, dtype=rule.dtype)
    state = State(rule, problem.X.n_columns, problem.n_classes)
    if options.start is not None:
        state.start(options.start.W, options.start.b)
    outcome = train(state, data, course)
    details = {"updates": outcome.updates, "trace": outcome.trace, "t": state.time}
    return Solution(outcome.W, outcome.b, outcome.n_iter, outcome.history, details=details)


def _chosen(options: Options, solver: str) -> dict[str, Any]:
    chosen = {"average": False} | STREAMS[solver] | options.extra
    if unknown := sorted(set(chosen) - set(_NAMES)):
        raise ValueError(f"unknown solver options {unknown}; there are {sorted(_NAMES)}")
    return chosen


def rule_of(problem: Problem, options: Options, solver: str) -> Rule:
    """Return the rule of a stochastic solver for a problem."""
    chosen = _chosen(options, solver)
    schedule = chosen.get("schedule", "constant")
    l1_method = chosen.get("l1_method", "cumulative")
    if schedule not in ("constant", "power", "pegasos", "adagrad"):
        raise ValueError(f"schedule must be 'constant', 'power', 'pegasos' or 'adagrad'; got {schedule!r}")
    if l1_method not in ("cumulative", "truncate"):
        raise ValueError(f"l1_method must be 'cumulative' or 'truncate'; got {l1_method!r}")
    own = {name: chosen[name] for name in _RULE if name in chosen} | {"average": bool(chosen["average"])}
    check_whole("batch_size", chosen.get("batch_size", 1), 1)
    return Rule(
        problem.loss,
        step="adagrad" if schedule == "adagrad" else "gradient",
        schedule="constant" if schedule == "adagrad" else schedule,
        l2=problem.l2,
        l1=problem.l1,
        cumulative=l1_method == "cumulative",
        batch=chosen.get("batch_size", 1),
        bias=problem.bias,
        penalize_bias=problem.penalize_bias,
        cost=None if problem.cost is None else np.ascontiguousarray(problem.cost, np.float64),
        **own,
    )


def course_of(options: Options, solver: str) -> Course:
    """Return how long a stochastic solver trains, and what it watches."""
    chosen = _chosen(options, solver)
    own = {"epochs": None} | {name: chosen[name] for name in _COURSE if name in chosen}
    share = float(chosen["average"] or 1.0)
    return Course(
        seed=options.seed, average_last=share, n_jobs=options.n_jobs, max_epochs=options.max_iter, **own
    )
