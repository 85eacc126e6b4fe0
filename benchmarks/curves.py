"""Solvers as curves: how near the optimum each is after how many CPU seconds, on the same tf-idf matrix, one thread.

    python -m benchmarks.curves [corpus …] [--runs 3] [--seconds 2]

Every solver is run from zero with ever smaller tolerances of its own; a point is the CPU seconds of such a run (median
of alternating runs) and the relative gap of its weights: objective / lower bound − 1, computed alike for all, where
the bound is the dual value that lindy proves at a far smaller gap. A solver's curve ends at a gap of 1e-6 or when a run
takes longer than ``--seconds``. Objectives are those of ``convex``, without a bias: LIBLINEAR's dual and primal methods
for the squared hinge and for one-vs-rest logistic regression, scikit-learn's lbfgs, newton-cg and saga for softmax. The
picture ``pictures/curves.svg`` is drawn from the record.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from typing import Any

from benchmarks.convex import Run, Task, liblinear_runs, lower_bound, matrix, ours, sklearn_runs
from benchmarks.harness import cpu_seconds, record

CORPORA = ("ag-news-10k",)
TOLERANCES = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6)
SKIP = 2  # of scikit-learn's fine grid of tolerances, every second one is taken
SMALLEST = 1e-6
AT = 1e-4  # the gap that the table names
RIVALS: dict[str, dict[str, Any]] = {
    "squared_hinge": {"LIBLINEAR, dual (-s 1)": 1, "LIBLINEAR, primal (-s 2)": 2},
    "log_ovr": {"LIBLINEAR, dual (-s 7)": 7, "LIBLINEAR, primal (-s 0)": 0},
    "log": {
        "scikit-learn, lbfgs": "lbfgs",
        "scikit-learn, newton-cg": "newton-cg",
        "scikit-learn, saga": "saga",
    },
}


def solvers(task: Task) -> dict[str, list[Run]]:
    """Return the runs of every solver, from the loosest tolerance on."""
    found = {"lindy": [ours(task, tolerance) for tolerance in TOLERANCES]}
    for name, method in RIVALS[task.loss].items():
        if task.loss == "log":
            found[name] = list(sklearn_runs(task, method))[::SKIP]
        else:
            found[name] = list(liblinear_runs(task, method))
    return found


def curve(task: Task, runs: list[Run], bound: float, longest: float) -> list[tuple[Run, float]]:
    """Return the runs that come nearer than all before them, with their gaps."""
    points: list[tuple[Run, float]] = []
    for run in runs:
        seconds, found = cpu_seconds(run.solve)
        gap = task.objective(run.read(found)[0]) / bound - 1
        if not points or gap < points[-1][1]:
            points.append((run, gap))
        if gap < SMALLEST or seconds > longest:
            break
    return points


def compare(corpus: str, task: Task, repeats: int, longest: float) -> dict[str, Any]:
    """Return the curves of one problem."""
    bound = lower_bound(task)
    found = {name: curve(task, runs, bound, longest) for name, runs in solvers(task).items()}
    seconds: dict[tuple[str, int], list[float]] = {}
    for _ in range(repeats):
        for name, points in found.items():
            for i, (run, _gap) in enumerate(points):
                seconds.setdefault((name, i), []).append(cpu_seconds(run.solve)[0])
    curves = {
        name: [
            {"gap": gap, "cpu": statistics.median(seconds[name, i]), "tolerance": run.name}
            for i, (run, gap) in enumerate(points)
        ]
        for name, points in found.items()
    }
    show(corpus, task.loss, curves)
    return {"corpus": corpus, "loss": task.loss, "runs": repeats, "curves": curves}


def time_to(points: list[dict[str, Any]], gap: float) -> float | None:
    """Return the CPU seconds of the first run that came within a gap."""
    return min((point["cpu"] for point in points if point["gap"] <= gap), default=None)


def show(corpus: str, loss: str, curves: dict[str, list[dict[str, Any]]]) -> None:
    mine = time_to(curves["lindy"], AT)
    for name, points in curves.items():
        there = time_to(points, AT)
        told = f"never within {AT:g}" if there is None else f"{there:8.4f} s to {AT:g}"
        if name != "lindy" and there is not None and mine is not None:
            told += f"{there / mine:8.1f}×{'  LOST' if there < mine else ''}"
        last = points[-1]
        print(
            f"{corpus:14}{loss:15}{name:28}{told:36}  last {last['gap']:8.1e} after {last['cpu']:.4f} s",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--loss", action="append", choices=RIVALS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="after which no smaller tolerance is tried"
    )
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for corpus in asked.corpora:
        data = matrix(corpus)
        if data is None:
            print(f"{corpus}: not found; set LINDY_DATA to the folder of the corpora")
            return
        tasks = (Task(*data, loss) for loss in asked.loss or RIVALS)
        rows += [compare(corpus, task, asked.runs, asked.seconds) for task in tasks]
    if not asked.loss:
        record("curves", rows)


if __name__ == "__main__":
    main()
