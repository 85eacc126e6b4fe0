"""L1 logistic regression against LIBLINEAR -s 6 on the same tf-idf matrix: CPU seconds to a relative distance.

    python -m benchmarks.l1 [--C 1 10] [--runs 3] [--path] [corpus …]

One class against the rest, no bias, one thread. lindy is timed until it has *proved* the relative gap; LIBLINEAR is
run with a grid of its own tolerances and charged the fastest run whose objective is that near to the best one known,
so that its stopping rule costs it nothing, and in brackets the fastest run whose weights prove the same gap. Runs
alternate; the least seconds count. ``--path`` adds the price of a
warm path of 20 penalties from the largest to 1/(C·n), in fits of its last point.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.convex import CORPORA, matrix
from lindy.csr import as_csr
from lindy.linear.objective import Objective
from lindy.linear.optimizers import minimise
from lindy.linear.path import largest_l1, regularization_path
from lindy.linear.problem import Certificate, Options, Problem, Solution

GAPS = (1e-2, 1e-4, 1e-6)
TOLERANCES = (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6)


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a call, and what it returned."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def fit(problem: Problem, gap: float) -> Solution:
    return minimise(problem, Options(tol=gap, n_jobs=1))


def proved(problem: Problem, gap: float) -> float:
    """Return an objective that is proved to be that near to the optimum."""
    certificate = fit(problem, gap).certificate
    assert certificate is not None
    return certificate.objective


class Liblinear:
    """LIBLINEAR -s 6 on the same problem."""

    def __init__(self, X: Any, problem: Problem) -> None:
        import liblinear.liblinear

        self.objective = Objective(problem, 1)
        self.C = 1 / (problem.l1 * len(problem.y))
        self.data = liblinear.liblinear.problem(
            np.where(problem.y == 1, 1.0, -1.0), X.astype(np.float64), bias=-1
        )

    def run(self, tolerance: float) -> tuple[float, Certificate]:
        """Return CPU seconds, and what the weights prove."""
        from liblinear.liblinear import liblinear, parameter, toPyModel

        options = parameter(f"-s 6 -c {self.C} -e {tolerance} -q")
        seconds, raw = cpu(lambda: liblinear.train(self.data, options))
        model = toPyModel(raw)
        w = np.ctypeslib.as_array(model.w, (self.objective.size,)).copy()
        w *= 1.0 if model.get_labels()[0] == 1 else -1.0
        at = self.objective.buffers()
        at.S = self.objective.scores(w[:, None])
        return seconds, self.objective.certify(w, at, tolerance)


def tolerances(rival: Liblinear, best: float) -> tuple[dict[float, float], dict[float, float]]:
    """For every gap the tolerance of the fastest run that is that near, and of the fastest that proves it."""
    near: dict[float, tuple[float, float]] = {}
    proved: dict[float, tuple[float, float]] = {}
    for tolerance in TOLERANCES:
        seconds, certificate = rival.run(tolerance)
        distances = certificate.objective / best - 1, certificate.relative_gap
        for found, distance in zip((near, proved), distances, strict=True):
            for gap in GAPS:
                if distance <= gap and seconds < found.get(gap, (np.inf, 0.0))[0]:
                    found[gap] = seconds, tolerance
        if distances[1] <= GAPS[-1] or seconds > 60:
            break
    return {gap: found[1] for gap, found in near.items()}, {gap: found[1] for gap, found in proved.items()}


def compare(name: str, C: float, runs: int, path: bool) -> None:
    """Print a row: lindy's seconds for every gap, and how many times longer LIBLINEAR takes."""
    data = matrix(name)
    if data is None:
        print(f"{name}: not found; set LINDY_DATA to the folder of the corpora")
        return
    X, labels = data
    y = (labels == labels.max()).astype(np.int32)
    problem = Problem(as_csr(X), y, 2, "log", l1=1 / (C * len(y)), bias=False)
    rival = Liblinear(X, problem)
    settings = tolerances(rival, proved(problem, 1e-8))
    cells = []
    for gap in GAPS:
        ours, theirs = np.inf, [np.inf, np.inf]
        for _ in range(runs):
            ours = min(ours, cpu(lambda gap=gap: fit(problem, gap))[0])
            for which, setting in enumerate(settings):
                if gap in setting:
                    theirs[which] = min(theirs[which], rival.run(setting[gap])[0])
        cells.append(f"{gap:.0e}: {ours:.3f} s, {theirs[0] / ours:5.2f}× ({theirs[1] / ours:.1f}×)")
    if path:
        cells.append(f"path of 20: {path_price(problem):.1f} fits")
    print(f"{name:14} C={C:<5g} " + "   ".join(cells), flush=True)


def path_price(problem: Problem) -> float:
    """Return CPU seconds of a warm path of 20 penalties, divided by those of its last point alone."""
    grid = np.geomspace(largest_l1(problem, 1), problem.l1, 20)
    options = Options(tol=1e-4, n_jobs=1)
    whole, _ = cpu(lambda: list(regularization_path(problem, "l1", grid, options)))
    alone, _ = cpu(lambda: minimise(replace(problem, l1=float(grid[-1])), options))
    return whole / alone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", nargs="*", default=list(CORPORA))
    parser.add_argument("--C", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--path", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.corpora:
        for C in arguments.C:
            compare(name, C, arguments.runs, arguments.path)


if __name__ == "__main__":
    main()
