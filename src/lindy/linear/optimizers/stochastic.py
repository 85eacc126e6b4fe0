"""The online loop as an optimiser of a convex problem: ``sgd``, ``pegasos`` and ``subgradient``.

``sgd``, stochastic gradient descent (LxMLS, Algorithm 5), for the log loss; other losses by their subgradient:

    W ← (1 − η_t·l2)·W + η_t·x (e_y − P(· | x))ᵀ

``pegasos`` (Shalev-Shwartz, Singer, Srebro and Cotter, 2011); g is the hinge's (one-vs-rest), or any other loss's. The
weights are kept as a scale times a matrix, so that the factor 1 − 1/t costs nothing and a step O(nonzeros):

    η_t = 1/(l2·t);   W ← (1 − 1/t)·W + η_t·(mean over a batch of x gᵀ);   optionally W ← min(1, r/‖W‖)·W

``subgradient``, stochastic subgradient descent (LxMLS, Algorithm 6), for the multiclass hinge; η_t = η0/√t:

    ỹ = argmax_y' (o_y' + ρ(y', y));   W ← (1 − η_t·l2)·W;   W[·,y] += η_t·x,  W[·,ỹ] −= η_t·x

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

    η_t = min(η0/√(1 + t/1000), 1/(l2·t))·(1 − (t − 1)/T)
    η0 = 1/R²  (squared hinge: 1/(2·R²)),  times a power of 4.

That is 1/√t for what is convex, 1/(l2·t) once the penalty makes it strongly convex, and a linear end, after which the
last weights are as good as an average (Zamani and Glineur, 2023; streams have no T and no such end). With η0 = 1/R² a
slope of 1 moves no score by more than 1; the slope of the squared hinge grows with the weights, and steps above
2/(2·R²) could make it grow without bound. Rows that share little, or of which few are as long as R, allow longer steps:
two passes over a sample of a thousand rows choose the factor with the least objective, as in Bottou's SGD (2012), of ¼,
1, 4, 16, and on as long as each is better than those before; streams take 1. A bias that is not
penalised has the steps 0.5/√t, whatever the rows' lengths. If all that ends above the objective of W = 0, because the
labels have hardly anything to do with the rows, training begins again with a sixteenth of η0; after the third attempt
the answer is W = 0.

Steps along single rows prove nothing about the answer, so there is no certificate; the history has the mean loss met
before each update, plus the penalty. ``details["failed"]`` says so if no weights better than 0 were found. Where steps
and epochs were left to the solver, a few rounds of the solver "auto" bound the optimum from below, and
``details["failed"]`` says how far above it the answer is if that is more than 5 %: long rows and a small λ need many
more epochs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lindy.core.csr import Float
from lindy.estimators.base import thread_count
from lindy.estimators.parameters import check_number, check_real, check_whole
from lindy.linear.losses import loss_values
from lindy.linear.optimizers import STREAMS, minimise
from lindy.linear.optimizers.online_epochs import DivergedError, Outcome, train
from lindy.linear.optimizers.online_rows import Rows, prepare
from lindy.linear.optimizers.online_state import Rule, State, one_of
from lindy.linear.optimizers.training_schedule import TrainingSchedule
from lindy.linear.problem import Options, Problem, Solution, penalty_of
from lindy.progress import step

_RULE = ("power", "projection", "dtype")
_COURSE = ("epochs", "shuffle", "held_out", "patience", "callback", "trace")
_NAMES = (*_RULE, *_COURSE, "eta0", "average", "batch_size", "schedule", "l1_method")
_UNWATCHED = {
    "average",
    "batch_size",
    "dtype",
    "shuffle",
}  # options that leave steps and epochs to the solver
_SCHEDULES = ("auto", "constant", "power", "pegasos", "adagrad")

TRIED = (0.25, 1.0, 4.0, 16.0)  # times the step that is safe for all rows; the best on a sample is taken
LONGER = 4.0  # what the last of them is multiplied by, as long as it is the best
SAMPLE, TRIAL_EPOCHS = 1000, 2
BIAS_STEP = 0.5
SMALLER = 1 / 16  # the next η0 after one that ended above the objective of W = 0
ATTEMPTS = 3
CLEARLY = 0.9  # share of the objective of W = 0
CLOSE, ROUNDS = 0.05, 20  # how far above the optimum needs no word, and the rounds of "auto" that bound it

_SHORTER = (
    "Leave out eta0 and schedule, so that they are derived from the data; or take a smaller eta0, or scale the"
    " features."
)
_PEGASOS = (
    "Take solver='sgd' without a schedule, so that the steps are derived from the data; or a larger lam (a smaller C),"
    " or scale the features."
)


def solve_online(problem: Problem, options: Options, solver: str) -> Solution:
    """Minimise by steps along one example's subgradient (or a small batch's)."""
    rule, training = rule_of(problem, options, solver), training_schedule_of(options, solver)
    data = prepare(problem.X, problem.y.codes, problem.weight, shuffle=training.shuffle, dtype=rule.dtype)
    run = _with_derived_steps if rule.schedule == "auto" else _run
    state, outcome = run(problem, rule, data, training, options.start)
    details = {"updates": outcome.updates, "trace": outcome.trace, "t": state.time}
    if rule.schedule == "auto" and not outcome.W.any() and not outcome.b.any():
        details["failed"] = (
            f"found no weights better than 0 by solver {solver!r}, and has these: the labels may have nothing to do"
            " with the features. Look at the data, raise epochs, or take solver='auto', which finds the optimum."
        )
    elif rule.schedule == "auto" and options.prove and options.extra.keys() <= _UNWATCHED:
        reached = objective_of(problem, outcome.W, outcome.b, options.n_jobs)
        if (least := _bound(problem, options.n_jobs)) is not None and reached > (1 + CLOSE) * least:
            details["failed"] = _too_far(reached, least, outcome.n_iter, solver)
    elif rule.schedule != "auto" and (reached := _reached(problem, outcome, options.n_jobs)) > at_zero(
        problem
    ):
        details["failed"] = (
            f"ended at the objective {reached:.3g}, above the {at_zero(problem):.3g} of all weights 0: the steps of"
            f" solver {solver!r} are too long for this data. {_PEGASOS if rule.schedule == 'pegasos' else _SHORTER}"
        )
    return Solution(outcome.W, outcome.b, outcome.n_iter, outcome.history, details=details)


def _bound(problem: Problem, n_jobs: int | None) -> float | None:
    """Return what the optimum is at least, from some rounds of "auto"; None without an L2 penalty, which bounds it."""
    with np.errstate(over="ignore"):
        steepest = len(problem.y) * _longest_square(problem) / problem.l2 if problem.l2 > 0 else np.inf
    if problem.l1 > 0 or not np.isfinite(steepest):
        return None
    with step(0.0, 0.0):
        found = minimise(problem, Options(tol=CLOSE / 2, max_iter=ROUNDS, n_jobs=n_jobs)).certificate
    return None if found is None else found.objective - found.gap


def _too_far(reached: float, least: float, epochs: int, solver: str) -> str:
    """Say how far above the optimum an answer is, and what to do."""
    above = f"up to {reached / least - 1:.0%} above the optimum" if least > 0 else "far above the optimum"
    return (
        f"ended at the objective {reached:.3g}, {above}, which is at least {least:.3g}: {epochs} epochs are not enough"
        f" for solver {solver!r} here. Take solver='auto', which finds the optimum; or more epochs"
        f" (solver_options={{'epochs': {10 * epochs}}}), a larger lam (a smaller C), or rows of length 1 (tf-idf)."
    )


def _with_derived_steps(
    problem: Problem, rule: Rule, data: Rows, training: TrainingSchedule, start: Solution | None
) -> tuple[State, Outcome]:
    """Train with the best first step; with shorter ones where that ends above W = 0."""
    eta0 = _best_first_step(problem, rule, data, training, start)
    rule = replace(rule, eta0=eta0, horizon=_visits(data, training))
    for left in reversed(range(ATTEMPTS)):
        try:
            state, outcome = _run(problem, rule, data, training, start)
        except DivergedError:
            if not left:
                raise
        else:
            if _reached(problem, outcome, training.n_jobs) <= at_zero(problem):
                return state, outcome
        rule = replace(rule, eta0=rule.eta0 * SMALLER, bias_eta0=rule.bias_eta0 * SMALLER)
    outcome.W[:], outcome.b[:] = 0, 0
    return state, outcome


def _reached(problem: Problem, outcome: Outcome, n_jobs: int | None) -> float:
    """Return the objective; where it is clearly below that of W = 0, the last epoch's own account will do."""
    met = outcome.history.objective[-1]
    return met if met <= CLEARLY * at_zero(problem) else objective_of(problem, outcome.W, outcome.b, n_jobs)


def _run(
    problem: Problem, rule: Rule, data: Rows, training: TrainingSchedule, start: Solution | None
) -> tuple[State, Outcome]:
    state = State(rule, problem.X.n_columns, len(problem.y.names))
    if start is not None:
        state.start(start.W, start.b)
    return state, train(state, replace(data, rows=data.rows.copy()), training)


def _best_first_step(
    problem: Problem, rule: Rule, data: Rows, training: TrainingSchedule, start: Solution | None
) -> float:
    """Return the η0 with the least mean loss and penalty in the last of a few passes over a sample of the rows."""
    sample = replace(data, rows=data.rows[:: -(-len(data.rows) // SAMPLE)])
    trial = TrainingSchedule(
        epochs=TRIAL_EPOCHS, shuffle=training.shuffle, seed=training.seed, n_jobs=training.n_jobs
    )
    rule = replace(rule, horizon=_visits(sample, trial), average=False)
    reached: dict[float, float] = {}
    best, times = TRIED[0], list(TRIED)
    with step(0.0, 0.0):
        for factor in times:
            tried = replace(rule, eta0=factor * rule.eta0)
            try:
                reached[factor] = _run(problem, tried, sample, trial, start)[1].history.objective[-1]
            except DivergedError:
                continue
            best = min(reached, key=lambda own: reached[own])
            if factor == times[-1] == best and 0.0 < LONGER * tried.eta0 < np.inf:
                times.append(LONGER * factor)
    return best * rule.eta0


def _visits(data: Rows, training: TrainingSchedule) -> float:
    """Return how many visits all epochs make."""
    learned = 1 - training.held_out
    total = len(data.rows) if data.weight is None else float(data.weight[data.rows].sum())
    return learned * total * training.epochs_for(max(1, round(learned * len(data.rows))))


def at_zero(problem: Problem) -> float:
    """Return the objective of W = 0 and no bias."""
    K = len(problem.y.names)
    of_class = loss_values(
        problem.loss, np.zeros((K, problem.n_outputs)), np.arange(K, dtype=np.int32), problem.cost
    )
    return float(np.average(of_class[problem.y.codes], weights=problem.weight))


def objective_of(problem: Problem, W: Float, b: Float, n_jobs: int | None = None) -> float:
    """Return the objective of given weights and bias."""
    W, b = W.astype(np.float64), b.astype(np.float64)
    losses = loss_values(
        problem.loss, problem.X.dot(W, b, thread_count(n_jobs)), problem.y.codes, problem.cost
    )
    return float(np.average(losses, weights=problem.weight)) + penalty_of(problem, W, b)


def _chosen(options: Options, solver: str) -> dict[str, Any]:
    given = options.extra
    if unknown := [name for name in given if name not in _NAMES]:
        raise ValueError(f"unknown solver options {unknown}; there are {sorted(_NAMES)}")
    if not isinstance(average := given.get("average", False), bool | np.bool_):
        check_real("average", average)
    schedule = STREAMS[solver]
    if schedule == "auto" and (given.get("eta0") is not None or "power" in given):
        schedule = "power"
    return {"average": False, "schedule": schedule, "power": 0.5, "eta0": None} | given


def rule_of(problem: Problem, options: Options, solver: str) -> Rule:
    """Return the rule of a stochastic solver for a problem."""
    chosen = _chosen(options, solver)
    schedule = chosen["schedule"]
    l1_method = chosen.get("l1_method", "cumulative")
    one_of("schedule", schedule, _SCHEDULES)
    if schedule == "auto" and chosen["eta0"] is not None:
        raise ValueError(
            "schedule='auto' derives its steps from the data: leave out eta0, or take schedule='power'"
        )
    one_of("l1_method", l1_method, ("cumulative", "truncate"))
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
    longest = _longest_square(problem)
    if longest == 0:
        return 1.0
    longest = min(longest, np.finfo(float).max)  # rows that are too long are refused elsewhere
    if schedule == "adagrad":  # every weight moves by η0 at first, a score by η0·Σ|x|
        return float(1 / np.sqrt(longest))
    loss = problem.definition
    eta0 = 1 / (longest if loss.bounded else loss.curvature * longest)
    return eta0 if schedule == "auto" else 1 / (1 / eta0 + 2 * problem.l2)


def _longest_square(problem: Problem) -> float:
    """Return R², with the 1 of a penalised bias."""
    squares = problem.X.norms()
    if problem.weight is not None:
        squares = squares[problem.weight > 0]
    return float(squares.max(initial=0.0)) + (1.0 if problem.bias and problem.penalize_bias else 0.0)


def training_schedule_of(options: Options, solver: str) -> TrainingSchedule:
    """Return how long a stochastic solver trains, and what it watches."""
    chosen = _chosen(options, solver)
    own = {"epochs": None} | {name: chosen[name] for name in _COURSE if name in chosen}
    share = float(chosen["average"] or 1.0)
    return TrainingSchedule(
        seed=options.seed, average_last=share, n_jobs=options.n_jobs, max_epochs=options.max_iter, **own
    )
