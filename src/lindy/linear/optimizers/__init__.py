"""The optimisers by name, what each of them needs, and the choice that ``solver="auto"`` makes.

A module of this package has one function ``solve(problem: Problem, options: Options) -> Solution`` (``stochastic``
has ``solve_online`` for three solvers) and is imported when it is first used. A combination that cannot work is
refused before any work is done, with the name of what is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import NamedTuple

import numpy as np

from lindy.linear.losses import get_loss
from lindy.linear.problem import Certificate, Options, Problem, Solution

Solve = Callable[[Problem, Options], Solution]


# Those that learn example by example, and so from streams: the schedule of each.
STREAMS: dict[str, str] = {"sgd": "auto", "pegasos": "pegasos", "subgradient": "auto"}


class Solver(NamedTuple):
    """An optimiser: where it lives, what it asks of a loss, which penalties it can handle.

    ``certifies`` says that it stops on a proven relative gap of ``tol`` (the others stop after their epochs or
    on a gradient norm). ``weight_bytes`` is the memory that it takes for every weight.
    """

    name: str
    module: str
    needs: frozenset[str]
    penalties: frozenset[str]
    certifies: bool = True
    weight_bytes: int = 8

    def _missing(self, loss: str) -> list[str]:
        return sorted(self.needs - get_loss(loss).capabilities)

    def handles(self, loss: str, penalty: str) -> bool:
        """Whether this optimiser can minimise loss + penalty."""
        return penalty in self.penalties and not self._missing(loss)

    def check(self, loss: str, penalty: str) -> None:
        """Raise a ValueError that names what is missing if this optimiser cannot minimise loss + penalty."""
        missing = self._missing(loss)
        if missing:
            raise ValueError(
                f"solver={self.name!r} needs the {' and the '.join(missing)} of the loss, which"
                f" loss={loss!r} does not have; {_suggest(loss, penalty)}"
            )
        if penalty not in self.penalties:
            raise ValueError(
                f"solver={self.name!r} handles the penalties {sorted(self.penalties)}, not"
                f" penalty={penalty!r}; {_suggest(loss, penalty)}"
            )

    def _can_begin(self, problem: Problem, start: Solution) -> bool:
        """Whether an earlier solution is a beginning: weights of the same columns, or dual variables of rows."""
        return self.name == "dual" or start.W.shape == (problem.X.n_columns, problem.n_outputs)

    def load(self) -> Solve:
        """Import the optimiser."""
        module = import_module(self.module)
        solve: Solve = (
            partial(module.solve_online, solver=self.name) if self.name in STREAMS else module.solve
        )
        return solve

    def run(self, problem: Problem, options: Options) -> Solution:
        """Minimise; one that certifies gets columns far from zero moved to it, where that is the same problem."""
        from lindy.linear.centering import centred

        if problem.y.label_ends is not None and self.name != "dual":
            return side_by_side([self.run(own, options) for own in problem.outputs()])
        if options.start is not None and not self._can_begin(problem, options.start):
            options = replace(options, start=None)
        # what overflows is no solution, and refused by whoever asked for one
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            near = centred(problem) if self.certifies else None
            if near is None:
                return self.load()(problem, options)
            return near.solution(self.load()(near.problem, near.start(options)))


def side_by_side(parts: list[Solution]) -> Solution:
    """Return the solutions of one output each as one."""
    longest = max(parts, key=lambda part: part.n_iter)
    W, b = np.hstack([part.W for part in parts]), np.concatenate([part.b for part in parts])
    return Solution(
        W, b, longest.n_iter, longest.history, Certificate.of_all([part.certificate for part in parts])
    )


def _solver(
    name: str, needs: str, penalties: str, *, weight_bytes: int = 8, certifies: bool = True
) -> Solver:
    module = f"{__name__}.{'stochastic' if name in STREAMS else name.replace('-', '_')}"
    return Solver(
        name, module, frozenset(needs.split()), frozenset(penalties.split()), certifies, weight_bytes
    )


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        _solver("dual", "dual", "l2"),
        _solver("proximal-newton", "curvature", "l1 elasticnet", weight_bytes=28),
        _solver("augmented-lagrangian", "dual pieces", "l2", weight_bytes=56),
        _solver("linear-program", "dual pieces", "l1 none", weight_bytes=56),
        _solver("lbfgs", "gradient", "l2 none", weight_bytes=112),
        _solver("newton", "gradient curvature", "l2 none", weight_bytes=100),
        _solver("conjugate-gradient", "gradient", "l2 none", weight_bytes=56),
        _solver("gradient-descent", "gradient", "l2 none", weight_bytes=56),
        _solver("sgd", "subgradient", "l2 l1 elasticnet none", certifies=False),
        _solver("pegasos", "subgradient", "l2", certifies=False),
        _solver("subgradient", "subgradient", "l2 none", certifies=False),
    )
}

# What "auto" tries in turn: the first that can handle loss and penalty, of those that prove their answer.
_PREFERENCE = ("dual", "proximal-newton", "linear-program", "lbfgs")
_FEW_COLUMNS = ("newton", "augmented-lagrangian", *_PREFERENCE)

PASSES = 100.0  # that dual coordinate ascent takes over tables, whose columns are correlated, at the least
SMALL = 1e6  # operations that take no time worth counting


def few_columns(problem: Problem) -> bool:
    """Whether Newton's method is the right one: its matrices cost less than the passes of dual coordinate ascent.

    There must be at least as many rows as columns, else the dual has fewer unknowns. Forming XᵀDX takes the products
    of the pairs of values in a row, or d² multiplications in vectors of eight; factoring it d³/6 of them.
    """
    n, d = problem.X.shape
    stored = np.diff(problem.X.indptr).astype(np.float64)
    pairs = float(np.minimum(stored * stored / 2, d * d / 16).sum())
    cost = pairs + d**3 / 48
    return cost * problem.n_outputs <= SMALL or (n >= d and cost <= PASSES * float(stored.sum()))


def _can(name: str, loss: str, penalty: str) -> bool:
    return SOLVERS[name].handles(loss, penalty)


def _suggest(loss: str, penalty: str) -> str:
    able = [name for name in SOLVERS if _can(name, loss, penalty)]
    if not able:
        return f"no solver handles loss={loss!r} with penalty={penalty!r}"
    if not any(SOLVERS[name].certifies for name in able):
        return (
            f"no solver proves the optimum of loss={loss!r} with penalty={penalty!r}: use loss='squared_hinge',"
            f" or one of the solvers {able}, which prove nothing"
        )
    return f"use solver='auto' or one of {able}"


def penalty_name(l2: float, l1: float) -> str:
    """Return "l2", "l1", "elasticnet" or "none", as the two strengths say."""
    if l1 > 0:
        return "elasticnet" if l2 > 0 else "l1"
    return "l2" if l2 > 0 else "none"


def choose(solver: str, loss: str, penalty: str, asked: str | None = None, *, few: bool = False) -> Solver:
    """Return the optimiser of that name, or for "auto" the fastest one that can handle loss and penalty.

    ``few`` says that the problem has few columns (`few_columns`). ``asked`` is the penalty by name, of which
    ``penalty`` may be a special case (the elastic net without its L1 part); an optimiser that handles only the general
    one leaves that to "auto".

    Raises
    ------
    ValueError
        For an unknown name, or for a combination that cannot work; the message says what is missing.
    """
    if not isinstance(solver, str) or (solver != "auto" and solver not in SOLVERS):
        raise ValueError(f"solver must be 'auto' or one of {list(SOLVERS)}; got {solver!r}")
    special = (
        solver != "auto"
        and asked is not None
        and _can(solver, loss, asked)
        and not _can(solver, loss, penalty)
    )
    if solver == "auto" or special:
        for name in _FEW_COLUMNS if few else _PREFERENCE:
            if _can(name, loss, penalty):
                return SOLVERS[name]
        raise ValueError(_suggest(loss, penalty))
    chosen = SOLVERS[solver]
    chosen.check(loss, penalty)
    return chosen


def minimise(problem: Problem, options: Options, solver: str = "auto") -> Solution:
    """Choose an optimiser for the problem and run it."""
    chosen = choose(solver, problem.loss, penalty_name(problem.l2, problem.l1), few=few_columns(problem))
    return chosen.run(problem, options)
