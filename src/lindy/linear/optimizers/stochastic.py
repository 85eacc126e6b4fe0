"""The online loop as an optimiser of a convex problem: what ``sgd``, ``pegasos`` and ``subgradient`` share.

Options of their own (``Options.extra``), besides those of the problem:

=================== ====================================================================================
``epochs``          passes over the data; None (default) means 10, or on small data 10,000 visits
``schedule``        "auto", "constant" η0, "power" η0·t^−power, "pegasos" 1/(l2·t), or "adagrad"
``eta0, power``     the first step and how fast the steps shrink (by default 0.5); an eta0 of None is derived from the
                    data, and an eta0 that is given, without a schedule, means "power"
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

The normalisation is the project's, mean loss + ½·l2·‖W‖²: every step takes (1 − η_t·l2)·W. A step η_t is one of W as it
is stored: two competing classes have one column w = w₁ − w₀, which moves by η_t where Algorithms 5 and 6 with their two
vectors and the step η_t/2 move w₁ and w₀ by half of that each.

The schedule "auto"
-------------------
With R the length of the longest row and T the number of visits,

    η_t = min(η0/√t, 1/(l2·t))·(1 − (t − 1)/T),      η0 = 16/R²  (squared hinge: 2/R²),

1/√t for what is convex, 1/(l2·t) once the penalty makes it strongly convex, and a linear end, after which the last
weights are as good as an average (Zamani and Glineur, 2023; streams have no T and no such end). A slope of at most 1
moves no score by more than 16 at first; that of the squared hinge grows with the weights, so η0 is near 2/(2·R²), the
longest step that cannot make the weights grow without bound (Bach and Moulines, 2011). A bias that is not penalised has
the steps 0.5/√t, whatever the rows' lengths. If all that ends above the objective of W = 0, because the labels have
hardly anything to do with the rows, training begins again with a tenth of η0.

Nothing is proved about the answer, so there is no certificate; the history has the mean loss met before each update,
plus the penalty. ``details["too_long"]`` says so if the answer is worse than W = 0, because the steps were too long.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lindy import _native
from lindy.csr import Float
from lindy.linear.losses import loss_values
from lindy.linear.model import linear_scores
from lindy.linear.optimizers.online import Course, Outcome, Rows, prepare, train
from lindy.linear.optimizers.online_state import Rule, State
from lindy.linear.problem import Options, Problem, Solution, penalty_of
from lindy.parameters import check_number, check_whole

_RULE = ("power", "projection", "dtype")
_COURSE = ("epochs", "shuffle", "held_out", "patience", "callback", "trace")
_NAMES = (*_RULE, *_COURSE, "eta0", "average", "batch_size", "schedule", "l1_method")
_SCHEDULES = ("auto", "constant", "power", "pegasos", "adagrad")

FIRST_SCORE = 16.0  # how far the first automatic step may move the score of its row
STABLE = 4.0  # over curvature·R²: the first step for a loss of unbounded slope
BIAS_STEP = 0.5
SMALLER = 0.1  # the next η0 after one that ended above the objective of W = 0
ATTEMPTS = 5
SUSPICIOUS = 0.9  # share of the objective of W = 0 from which on the last weights are looked at

_SHORTER = (
    "Leave out eta0 and schedule, so that they are derived from the data; or take a smaller eta0, or scale the features."
)
_REMEDIES = {
    "pegasos": (
        "Take solver='sgd' without a schedule, so that the steps are derived from the data; or a larger lam (a smaller"
        " C), or scale the features."
    ),
    "auto": "Raise epochs, take a larger lam (a smaller C), or scale the columns of X to a similar size.",
}

# The solvers that learn example by example, and so from streams: the schedule of each.
STREAMS: dict[str, str] = {"sgd": "auto", "pegasos": "pegasos", "subgradient": "auto"}


def solve_online(problem: Problem, options: Options, solver: str) -> Solution:
    """Minimise by steps along one example's subgradient (or a small batch's)."""
    rule, course = rule_of(problem, options, solver), course_of(options, solver)
    data = prepare(problem.X, problem.y, problem.weight, shuffle=course.shuffle, dtype=rule.dtype)
    rule = replace(rule, horizon=_visits(data, course))
    zero = at_zero(problem)
    for attempt in range(ATTEMPTS):
        state, outcome = _run(problem, rule, data, course, options.start)
        reached = outcome.history.objective[-1]
        if reached > SUSPICIOUS * zero:
            reached = objective_of(problem, outcome.W, outcome.b, options.n_jobs)
        if reached <= zero or rule.schedule != "auto" or attempt + 1 == ATTEMPTS:
            break
        rule = replace(rule, eta0=rule.eta0 * SMALLER, bias_eta0=rule.bias_eta0 * SMALLER)
    details = {"updates": outcome.updates, "trace": outcome.trace, "t": state.time}
    if reached > zero:
        details["too_long"] = (
            f"ended at the objective {reached:.3g}, above the {zero:.3g} of all weights 0: the steps of solver"
            f" {solver!r} are too long for this data. {_REMEDIES.get(rule.schedule, _SHORTER)}"
        )
    return Solution(outcome.W, outcome.b, outcome.n_iter, outcome.history, details=details)


def _run(
    problem: Problem, rule: Rule, data: Rows, course: Course, start: Solution | None
) -> tuple[State, Outcome]:
    state = State(rule, problem.X.n_columns, problem.n_classes)
    if start is not None:
        state.start(start.W, start.b)
    return state, train(state, replace(data, rows=data.rows.copy()), course)


def _visits(data: Rows, course: Course) -> float:
    """Return how many visits all epochs make."""
    learned = 1 - course.held_out
    total = len(data.rows) if data.weight is None else float(data.weight[data.rows].sum())
    return learned * total * course.epochs_for(max(1, round(learned * len(data.rows))))


def at_zero(problem: Problem) -> float:
    """Return the objective of W = 0 and no bias."""
    K = problem.n_classes
    of_class = loss_values(problem.loss, np.zeros((K, problem.n_outputs)), np.arange(K, dtype=np.int32), problem.cost)
    return float(np.average(of_class[problem.y], weights=problem.weight))


def objective_of(problem: Problem, W: Float, b: Float, n_jobs: int | None = None) -> float:
    """Return the objective of given weights and bias."""
    W, b = W.astype(np.float64), b.astype(np.float64)
    losses = loss_values(problem.loss, linear_scores(problem.X, W, b, n_jobs), problem.y, problem.cost)
    return float(np.average(losses, weights=problem.weight)) + penalty_of(problem, W, b)


def _chosen(options: Options, solver: str) -> dict[str, Any]:
    given = options.extra
    if unknown := sorted(set(given) - set(_NAMES)):
        raise ValueError(f"unknown solver options {unknown}; there are {sorted(_NAMES)}")
    schedule = STREAMS[solver]
    if schedule == "auto" and (given.get("eta0") is not None or "power" in given):
        schedule = "power"
    return {"average": False, "schedule": schedule, "power": 0.5, "eta0": None} | given


def rule_of(problem: Problem, options: Options, solver: str) -> Rule:
    """Return the rule of a stochastic solver for a problem."""
    chosen = _chosen(options, solver)
    schedule = chosen["schedule"]
    l1_method = chosen.get("l1_method", "cumulative")
    if schedule not in _SCHEDULES:
        raise ValueError(f"schedule must be one of {list(_SCHEDULES)}; got {schedule!r}")
    if schedule == "auto" and chosen["eta0"] is not None:
        raise ValueError("schedule='auto' derives its steps from the data: leave out eta0, or take schedule='power'")
    if l1_method not in ("cumulative", "truncate"):
        raise ValueError(f"l1_method must be 'cumulative' or 'truncate'; got {l1_method!r}")
    if chosen["eta0"] is not None:
        check_number("eta0", chosen["eta0"], above=0)
    check_whole("batch_size", chosen.get("batch_size", 1), 1)
    return Rule(
        problem.loss,
        step="adagrad" if schedule == "adagrad" else "gradient",
        schedule="constant" if schedule == "adagrad" else schedule,
        eta0=first_step(problem, schedule) if chosen["eta0"] is None else chosen["eta0"],
        bias_eta0=BIAS_STEP,
        l2=problem.l2,
        l1=problem.l1,
        cumulative=l1_method == "cumulative",
        batch=chosen.get("batch_size", 1),
        average=bool(chosen["average"]),
        bias=problem.bias,
        penalize_bias=problem.penalize_bias,
        cost=None if problem.cost is None else np.ascontiguousarray(problem.cost, np.float64),
        **{name: chosen[name] for name in _RULE if name in chosen},
    )


def first_step(problem: Problem, schedule: str) -> float:
    """Return the η0 that the longest row allows."""
    if schedule == "pegasos":
        return 1.0  # which has no η0
    squares = np.empty(problem.X.shape[0])
    _native.row_norms(*problem.X.arrays, squares)
    if problem.weight is not None:
        squares = squares[problem.weight > 0]
    longest = float(squares.max(initial=0.0)) + (1.0 if problem.bias and problem.penalize_bias else 0.0)
    if longest == 0:
        return 1.0
    if schedule == "adagrad":  # every weight moves by η0 at first, a score by η0·Σ|x|
        return float(1 / np.sqrt(longest))
    loss = problem.definition
    eta0 = FIRST_SCORE / longest if loss.bounded else STABLE / (loss.curvature * longest)
    return eta0 if schedule == "auto" else 1 / (1 / eta0 + 2 * problem.l2)


def course_of(options: Options, solver: str) -> Course:
    """Return how long a stochastic solver trains, and what it watches."""
    chosen = _chosen(options, solver)
    own = {"epochs": None} | {name: chosen[name] for name in _COURSE if name in chosen}
    share = float(chosen["average"] or 1.0)
    return Course(
        seed=options.seed, average_last=share, n_jobs=options.n_jobs, max_epochs=options.max_iter, **own
    )
