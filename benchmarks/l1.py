"""L1 logistic regression against LIBLINEAR -s 6 on the same tf-idf matrix: CPU seconds to a relative distance.

    python -m benchmarks.l1 [--C 1 10] [--gap 1e-4] [--all-classes] [--runs 3] [--path] [corpus …]

One class against the rest, or with ``--all-classes`` every class against the rest; no bias, one thread. Runs
alternate; the least seconds count. Two criteria, the same on both sides:

- *reached*: each side is run with a grid of its own tolerances and charged the fastest run whose objective is that
  near to the best one known, so that no stopping rule costs anything;
- *proved*: lindy is run with tol = gap; LIBLINEAR is charged the fastest run whose weights prove the gap, if any does
  (its own certificate is not charged; not tried for all classes).

The third ratio sets lindy's *proved* time against LIBLINEAR's *reached* one. ``--path`` adds the price of a warm path
of 20 penalties from the largest to 1/(C·n), in fits of its last point.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.convex import CORPORA, matrix
from benchmarks.harness import alternate, cpu_seconds
from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.objective import Objective
from lindy.linear.optimizers import minimise
from lindy.linear.penalty_path import largest_l1, problem_path
from lindy.linear.problem import Options, Problem, Solution

GAPS = (1e-2, 1e-4, 1e-6)
# LIBLINEAR's, and lindy's in gaps
TOLERANCES = (
    0.3, 0.1, 0.05, 0.03, 0.02, 0.01, 5e-3, 3e-3, 2e-3, 1e-3, 5e-4, 3e-4, 2e-4, 1e-4, 5e-5, 3e-5, 1e-5, 1e-6,
)  # fmt: skip
LOOSER = (1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6)
PATIENCE = 3.0  # times the run that was near enough: how long smaller tolerances are tried for a proof


def fit(problem: Problem, gap: float) -> Solution:
    return minimise(problem, Options(tol=gap, n_jobs=1))


def value(solution: Solution) -> float:
    assert solution.certificate is not None
    return solution.certificate.objective


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of LIBLINEAR: seconds, objective, and the relative gap that its weights prove."""

    tolerance: float
    seconds: float
    objective: float
    gap: float


class Liblinear:
    """LIBLINEAR -s 6 on the same problem."""

    def __init__(self, X: Any, problem: Problem) -> None:
        import liblinear.liblinear

        self.objective = Objective(problem, 1)
        self.C = 1 / (problem.l1 * len(problem.y))
        self.data = liblinear.liblinear.problem(problem.y.astype(float), X.astype(np.float64), bias=-1)

    def train(self, tolerance: float) -> Any:
        """Return LIBLINEAR's model."""
        from liblinear.liblinear import liblinear, parameter

        return liblinear.train(self.data, parameter(f"-s 6 -c {self.C} -e {tolerance} -q"))

    def run(self, tolerance: float) -> Trial:
        """Train, and say what the weights are worth."""
        from liblinear.liblinear import toPyModel

        seconds, raw = cpu_seconds(lambda: self.train(tolerance))
        model = toPyModel(raw)
        K = self.objective.n_outputs
        W = np.ctypeslib.as_array(model.w, (self.objective.size,)).reshape(-1, K).copy()
        labels = model.get_labels()
        W = W[:, np.argsort(labels)] if K > 1 else W * (1.0 if labels[0] == 1 else -1.0)
        x, at = W.ravel(), self.objective.buffers()
        at.S = self.objective.scores(W)
        certificate = self.objective.certify(x, at, tolerance)
        return Trial(tolerance, seconds, certificate.objective, certificate.relative_gap)

    def trials(self, best: float, gap: float) -> tuple[float | None, float | None]:
        """Return the tolerance of the fastest run within the gap of the best objective, and of the fastest proof."""
        near: Trial | None = None
        proved: Trial | None = None
        for tolerance in TOLERANCES:
            trial = self.run(tolerance)
            if trial.objective / best - 1 <= gap and (near is None or trial.seconds < near.seconds):
                near = trial
            if trial.gap <= gap:
                proved = trial
                break
            hopeless = self.objective.n_outputs > 1 or (near and trial.seconds > PATIENCE * near.seconds)
            if near and hopeless:
                break
        return near and near.tolerance, proved and proved.tolerance


def reached(problem: Problem, best: float, gap: float) -> float:
    """Return lindy's loosest tolerance whose objective is within the gap of the best."""
    return next(tol for tol in (*LOOSER, gap) if tol <= gap or value(fit(problem, tol)) / best - 1 <= gap)


def compare(problem: Problem, rival: Liblinear, gaps: list[float], runs: int) -> str:
    """Return a row: lindy's seconds for every gap, and how many times longer LIBLINEAR takes."""
    best = value(fit(problem, min(gaps) * 1e-3))
    cells = []
    for gap in gaps:
        near, proof = rival.trials(best, gap)
        loose = reached(problem, best, gap)
        sides: dict[str, Callable[[], Any]] = {
            "proved": lambda gap=gap: fit(problem, gap),
            "reached": lambda tol=loose: fit(problem, tol),
        }
        if near is not None:
            sides["theirs reached"] = lambda tol=near: rival.train(tol)
        if proof is not None:
            sides["theirs proved"] = lambda tol=proof: rival.train(tol)
        seconds = alternate(sides, runs)
        theirs = seconds.get("theirs reached", np.inf)
        proofs = f"{seconds['theirs proved'] / seconds['proved']:5.2f}×" if proof is not None else "(none)"
        cells.append(
            f"{gap:.0e}: proved {seconds['proved']:.4f} s, reached {seconds['reached']:.4f} s, "
            f"LIBLINEAR {theirs:.4f} s: reached {theirs / seconds['reached']:5.2f}×  proved {proofs}  "
            f"proved against reached {theirs / seconds['proved']:5.2f}×"
        )
    return "   ".join(cells)


def path_price(problem: Problem) -> float:
    """Return CPU seconds of a warm path of 20 penalties, divided by those of its last point alone."""
    grid = np.geomspace(largest_l1(problem, 1), problem.l1, 20)
    options = Options(tol=1e-4, n_jobs=1)
    whole, _ = cpu_seconds(lambda: list(problem_path(problem, "l1", grid, options)))
    alone, _ = cpu_seconds(lambda: minimise(replace(problem, l1=float(grid[-1])), options))
    return whole / alone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", nargs="*", default=list(CORPORA))
    parser.add_argument("--C", type=float, nargs="+", default=[0.1, 1.0, 10.0, 100.0])
    parser.add_argument("--gap", type=float, nargs="+", default=list(GAPS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--all-classes", action="store_true")
    parser.add_argument("--path", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.corpora:
        data = matrix(name)
        if data is None:
            print(f"{name}: not found; set LINDY_DATA to the folder of the corpora")
            continue
        X, y = data
        if not arguments.all_classes:
            y = (y == y.max()).astype(np.int32)
        n_classes = int(y.max()) + 1
        for C in arguments.C:
            l1 = 1 / (C * len(y))
            problem = Problem(as_csr(X), OneLabel(np.arange(n_classes), y), "log_ovr", l1=l1, bias=False)
            row = compare(problem, Liblinear(X, problem), arguments.gap, arguments.runs)
            path = f"   path of 20: {path_price(problem):.1f} fits" if arguments.path else ""
            classes = f"{n_classes} classes" if n_classes > 2 else "one class"
            print(f"{name:14} {classes:10} C={C:<5g} {row}{path}", flush=True)


if __name__ == "__main__":
    main()
