"""Dual coordinate ascent with a duality-gap certificate.

Problem, with C_i = weight_i / (l2·Σ weight):

    min_{W,b}  ½‖W‖² + Σ_i C_i·loss(xᵢᵀW + b; y_i)            (= objective / l2)

One pass solves for the dual variables of one row after the other, all outputs at once, in random order (the steps and
the papers: ``native/linear/dual/dual.hpp``, ``native/linear/losses.inl``; the bias: ``dual_variables``). An audit
computes every row's term of the duality gap from the present weights; their sum is the gap, and it alone decides when
to stop. Audits are made when the terms met on the way promise success. Three things save visits:

Shrinking (Hsieh et al. 2008). A row of the hinges whose variables sit at a bound, with a margin further on the right
side of it than margins still move, is left out until the next audit.

Looking ahead, for the log losses. W is a sum over the rows: after k of n rows, n/k·W is what it will be when the others
have added their parts, give or take the noise of k rows. So the first pass starts from W = 0 with

    o_i = b + f_k·x_iᵀW,     f_k = (n + m) / (k + m),     m = √n + 0.1·Σ_i C_i·‖x_i‖²

m holding back where rows are few or one step moves much: an epoch of stochastic gradient descent with steps C·f_k that
keeps the coefficients it meets. (Shalev-Shwartz and Zhang, Stochastic dual coordinate ascent methods for regularized
loss minimization, 2013, begin in such a way too.) What each of them saves: ``benchmarks/DUAL_ABLATION.md``.

Picking, for the log losses. A row's own term tells what a visit can gain. For large C a few rows have nearly all of the
gap, and most passes visit only those.

The method is made for texts: rows with few values in many columns, each of which says little about the others.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from lindy.linear.optimizers.dual_variables import DualVariables
from lindy.linear.problem import Certificate, History, Options, Problem, Solution
from lindy.progress import round_done
from lindy.stream.checkpoints import Checkpoint, checkpoint

HELD_BACK = 0.1
"""How much of Σ C·‖x‖², the rows that one step moves, counts as rows seen when a first pass looks ahead."""

REACH = 5.0
"""How many times what margins were off by on the last pass, on average, they may yet move."""

AUDIT = 50
"""Passes after which an audit is made in any case."""

SLOW = 0.3
"""The share of the gap terms met that a pass leaves where most of its visits gain nothing."""

ALIKE = 0.25
"""The share of their squared length that rows have in common, above which a visit changes the terms of all others, so
that old terms tell nothing; texts have below 0.2, images of digits 0.4."""

PICKED = 8
"""After a pass over all rows, so many less one visit only rows with more than this part of the mean gap term."""

STALLED = 10
"""Passes in which float32 has to halve the gap."""


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise until the relative duality gap is at most ``options.tol``."""
    variables = DualVariables(problem, options)
    rows = ActiveRows(variables, options.seed)
    forecast = Forecast(variables)
    if variables.resumed and options.start is not None:
        forecast.scale = options.start.details.get("mean loss", 0.0) * rows.mass
    run = Run(variables, rows, forecast, due=variables.proved and options.prove)
    if not run.resume(options) and not variables.resumed and problem.definition.has_log_odds:
        rows.look_ahead()
        run.passes, run.due = 1, True
    while not run.ended:
        run.keep()
        if run.due:
            proved = run.audit()
            if proved.reached or run.passes >= options.max_iter:
                break
            if forecast.stalled(run.passes, proved):
                variables.widen()
            rows.restore()
        met = rows.visit()
        run.passes += 1
        promised = forecast.after(met)
        round_done(run.passes, promised, options.tol)
        enough = promised <= options.tol and not rows.picked
        if enough and not options.prove:
            variables.settle()
            break
        run.due = enough or run.passes >= options.max_iter
        run.due = run.due or run.passes % AUDIT == 0 or rows.left == 0
    run.end()
    passes, history, certificate = run.passes, run.history, run.certificate
    if certificate is not None and not certificate.reached:
        variables, certificate = at_least_zero(variables, certificate, options)
        history.objective[-1] = certificate.objective
    W, b = variables.weights()
    details = {
        "dual": variables.dual[:, : problem.n_outputs],
        "C": variables.c,
        "rows": (problem.X, problem.y, None if problem.scales is None else problem.scales.key),
        "mean loss": (variables.objective or forecast.scale) / rows.mass,
    }
    if variables.output_gaps is not None:
        details["output gaps"] = variables.output_gaps
    return Solution(W, b, passes, history, certificate, details)


@dataclass(slots=True)
class Run:
    """How far a run has come, with all that it goes on from; where a workspace is in use, checkpoints hold it."""

    variables: DualVariables
    rows: ActiveRows
    forecast: Forecast
    due: bool  # an audit
    passes: int = 0
    ended: bool = False
    certificate: Certificate | None = None
    history: History = field(default_factory=History)
    began: float = field(default_factory=time.perf_counter)
    saved: Checkpoint = field(init=False)

    def resume(self, options: Options) -> bool:
        """Go on from the checkpoint of a run that was interrupted; returns whether there is one."""
        X, loss = self.variables.problem.X, self.variables.problem.loss
        key = {"shape": X.shape, "loss": loss, "l2": self.variables.problem.l2, "tol": options.tol}
        self.saved = checkpoint("dual", key | {"proves": options.prove})
        if (found := self.saved.load()) is None:
            return False
        facts, arrays = found
        if arrays["W"].dtype != self.variables.W.dtype:
            self.variables.widen()
        for name, array in self._arrays().items():
            array[...] = arrays[name]
        self.variables.objective = facts["objective"]
        for name in ("left", "seed", "reach", "met", "picked"):
            setattr(self.rows, name, facts["rows"][name])
        for name in ("scale", "met", "remaining"):
            setattr(self.forecast, name, facts["forecast"][name])
        self.forecast.audited = tuple(facts["forecast"]["audited"])
        self.passes, self.due, self.ended = facts["passes"], facts["due"], facts["ended"]
        self.history = History(**facts["history"])
        self.certificate = None if facts["proof"] is None else Certificate(**facts["proof"])
        self.began -= self.history.seconds[-1] if self.history.seconds else 0.0
        return True

    def _arrays(self) -> dict[str, Any]:
        v = self.variables
        return {"W": v.W, "b": v.b, "dual": v.dual, "gap": v.gap, "order": self.rows.order}

    def keep(self) -> None:
        """Write a checkpoint if it is time for one, or at the end of a run that took so long."""
        if not (self.saved.is_due or (self.ended and self.saved.is_used)):
            return
        rows, forecast = self.rows, self.forecast
        facts = {
            "objective": self.variables.objective,
            "rows": {name: getattr(rows, name) for name in ("left", "seed", "reach", "met", "picked")},
            "forecast": {name: getattr(forecast, name) for name in ("scale", "met", "remaining", "audited")},
            "passes": self.passes,
            "due": bool(self.due),
            "ended": self.ended,
            "history": asdict(self.history),
            "proof": None if self.certificate is None else asdict(self.certificate),
        }
        self.saved.save(facts, self._arrays())

    def audit(self) -> Certificate:
        """Prove how far the present weights are from the optimum."""
        self.certificate = self.variables.audit()
        self.history.objective.append(self.certificate.objective)
        self.history.seconds.append(time.perf_counter() - self.began)
        return self.certificate

    def end(self) -> None:
        """Keep the end of a long run, so that it is not run again when what follows is interrupted."""
        if not self.ended:
            self.ended = True
            self.keep()


def at_least_zero(
    variables: DualVariables, found: Certificate, options: Options
) -> tuple[DualVariables, Certificate]:
    """Return W = 0 where it is better than what was found: ascent of the dual can end far above it on the other side.

    The best bound from below is valid for every W.
    """
    zero = DualVariables(variables.problem, replace(options, start=None))
    if zero.problem.joint and not zero.problem.definition.has_log_odds:
        zero.b[:] = 0  # the shares of competing classes call for no bias that is better than none
    begun = zero.audit()
    if not begun.objective < found.objective:
        return variables, found
    bound = max(found.objective - found.gap, begun.objective - begun.gap)
    return zero, Certificate(begun.objective, begun.objective - bound, options.tol)


class ActiveRows:
    """The rows that the next pass visits: the first ``left`` of ``order``."""

    def __init__(self, variables: DualVariables, seed: int) -> None:
        self.variables, self.seed = variables, int(seed)
        self.order = variables.rows.copy()
        self.left, self.reach = len(self.order), np.inf
        self.mass = float(variables.c.sum())
        alike = variables.mean_square > ALIKE * float(np.average(variables.q, weights=variables.c))
        self.picks = variables.problem.definition.has_log_odds and not alike
        self.met: list[float] = []  # sums of the gap terms after the last passes
        self.picked = 0  # passes since the last one over all rows

    def look_ahead(self) -> None:
        """Visit all rows once, from W = 0, with scores that look ahead."""
        v = self.variables
        before = len(self.order) ** 0.5 + HELD_BACK * float((v.c * v.q).sum())
        v.native.look_ahead(self.order, seed=self.seed, bias_step=v.bias_step, before=before)
        if not v.free_bias:  # where b may be anything, what is left of its equation is noise: left to a pass
            v.move_bias()

    def visit(self) -> float:
        """Visit the active rows once; returns the sum of the gap terms met, for picked rows that of all rows."""
        v = self.variables
        if self.picks:
            self._pick()
        self.seed += 1
        met: float
        met, self.left = v.native.run(
            self.order, self.left, seed=self.seed, bias_step=v.bias_step, reach=self.reach
        )
        if self.picked:  # the bias is moved when all rows have answered to its last move
            met = float(v.gap.sum())
        else:
            v.move_bias()
        self.met = [*self.met[-1:], met]
        term = met / self.mass  # C·(slack) for the hinge, C·(slack)² for the squared hinge
        self.reach = REACH * (term**0.5 if v.problem.definition.smooth else term)
        return met

    def _pick(self) -> None:
        """Choose the rows of the next pass: all, or where passes gain little those with most of the gap."""
        v, rows = self.variables, self.variables.rows
        slow = len(self.met) > 1 and self.met[1] > SLOW * self.met[0]
        self.picked = (self.picked + 1) % PICKED if slow else 0
        if self.picked:
            large = rows[v.gap[rows] > v.gap.sum() / (PICKED * len(rows))]
            rows, self.picked = (large, self.picked) if len(large) < len(rows) / 2 else (rows, 0)
        self.left = len(rows)
        self.order[: self.left] = rows

    def restore(self) -> None:
        """Take all rows back."""
        self.order[:] = self.variables.rows
        self.left, self.reach = len(self.order), np.inf


@dataclass(slots=True)
class Forecast:
    """The gap that the terms met let expect: as they shrink from pass to pass, so does it."""

    variables: DualVariables
    #: the objective; before the first audit that of an earlier solution, or about half of what the first pass met
    scale: float = 0.0
    met: float = 0.0
    remaining: float = 1.0  # the share of the terms met that an audit still found
    audited: tuple[int, float] = field(default=(0, np.inf))  # passes and gap to which later ones are compared

    def after(self, met: float) -> float:
        """Return the relative gap to expect after a pass that met these terms."""
        ratio = min(met / self.met, 1.0) if self.met > 0 else 1.0
        self.met = met
        self.scale = self.variables.objective or self.scale or met / 2
        rows = met * min(ratio, self.remaining)
        return (rows + float(self.variables.bias_gaps().sum())) / self.scale if self.scale > 0 else 0.0

    def stalled(self, passes: int, found: Certificate) -> bool:
        """Learn from an audit; returns whether float32 has come to its end."""
        gap = found.gap / self.variables.problem.l2
        if self.met > 0:
            self.remaining = gap / self.met
        since, before = self.audited
        if passes < since + STALLED and np.isfinite(before):
            return False
        self.audited = passes, gap
        return self.variables.W.dtype == np.float32 and gap > 0.5 * before
