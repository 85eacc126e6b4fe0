"""Primal optimisers against LIBLINEAR and scikit-learn on the same tf-idf matrix: CPU seconds to a relative distance.

lindy stops when it has *proved* the relative gap; a rival is run with its own stopping rule tightened step by step
until its objective is within the same distance of the best one known, and only that last run counts. One thread, no
bias, runs alternate, medians.

    python -m benchmarks.primal [--corpus imdb] [--gap 1e-4] [--runs 3] [--slow]

``--slow`` adds scikit-learn's saga for L1, and its lbfgs and newton-cg for more than ten classes. A second table gives
the wall seconds of lindy's solvers with one and two threads.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.csv

from benchmarks.harness import corpus_folder
from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options, Problem, Solution
from lindy.textbook.objectives import losses

CORPORA = ("ag-news-10k", "imdb", "20news-bydate")


@dataclass
class Task:
    """A problem, and rivals that return W when asked for tightness 0, 1, 2 and so on."""

    name: str
    problem: Problem
    solvers: tuple[str, ...]
    rivals: dict[str, Callable[[int], Any]]

    def value(self, W: Any) -> float:
        """Return the objective by its definition."""
        K = self.problem.n_outputs
        scores = self.problem.X.to_scipy() @ np.asarray(W, np.float64).reshape(-1, K)
        kind = "softmax" if K > 1 and self.problem.loss == "log" else "logistic"
        mean = float(losses(scores, self.problem.y.codes, kind).mean())
        return mean + self.problem.l1 * float(np.abs(W).sum()) + 0.5 * self.problem.l2 * float((W**2).sum())


def matrix(name: str) -> tuple[Any, Any] | None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    folder = corpus_folder(name)
    if folder is None:
        return None
    parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
    table = pyarrow.csv.read_csv(next(folder.glob("train.csv*")), parse_options=parse)
    X = TfidfVectorizer(ngram_range=(1, 2), min_df=2, dtype=np.float32).fit_transform(
        table["text"].to_pylist()
    )
    labels = np.array([str(label) for label in table["label"].to_pylist()])
    return X, np.unique(labels, return_inverse=True)[1].astype(np.int32)


def l1_task(X: Any, y: Any, C: float, slow: bool) -> Task:
    from liblinear.liblinearutil import parameter, problem, train
    from sklearn.linear_model import LogisticRegression

    n = X.shape[0]
    theirs = problem(np.where(y == 1, 1.0, -1.0), X.astype(np.float64))

    def liblinear(step: int) -> Any:
        model = train(theirs, parameter(f"-s 6 -c {C} -e {10.0 ** -(1 + step / 2)} -q"))
        w = np.array(model.w[: X.shape[1]])
        return w if model.get_labels()[0] == 1 else -w

    def saga(step: int) -> Any:
        model = LogisticRegression(
            C=C, l1_ratio=1.0, solver="saga", fit_intercept=False, tol=0, max_iter=20 * 2**step
        )
        return model.fit(X, y).coef_.ravel()

    rivals: dict[str, Any] = {"LIBLINEAR -s 6": liblinear} | ({"scikit-learn saga": saga} if slow else {})
    mine = Problem(as_csr(X), OneLabel(np.arange(2), y), "log", l1=1 / (C * n), bias=False)
    return Task(f"L1 logistic, C={C:g}", mine, ("proximal-newton",), rivals)


def l2_task(X: Any, y: Any, C: float, slow: bool) -> Task:
    from sklearn.linear_model import LogisticRegression

    K = int(y.max()) + 1

    def sklearn(solver: str) -> Callable[[int], Any]:
        def run(step: int) -> Any:
            tol = 10.0 ** -(1 + step / 2)
            model = LogisticRegression(C=C, solver=solver, fit_intercept=False, tol=tol, max_iter=10_000)
            return model.fit(X, y).coef_.T

        return run

    names = ("lbfgs", "newton-cg") if slow or K <= 10 else ()
    mine = Problem(as_csr(X), OneLabel(np.arange(K), y), "log", l2=1 / (C * X.shape[0]), bias=False)
    rivals = {f"scikit-learn {name}": sklearn(name) for name in names}
    return Task(f"L2 log loss, {K} classes, C={C:g}", mine, ("lbfgs", "newton", "conjugate-gradient"), rivals)


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def tightness(task: Task, rival: Callable[[int], Any], best: float, gap: float) -> int | None:
    """Return the first setting that reaches the distance."""
    for step in range(12):
        if task.value(rival(step)) - best <= gap * best:
            return step
    return None


def compare(task: Task, gap: float, runs: int) -> None:
    print(f"\n{task.name}")

    def ours(solver: str, tol: float = gap) -> Solution:
        return minimise(task.problem, Options(tol=tol, n_jobs=1), solver)

    certificate = ours(task.solvers[0], gap / 100).certificate
    assert certificate is not None
    best = certificate.objective
    steps = {name: tightness(task, rival, best, gap) for name, rival in task.rivals.items()}
    seconds: dict[str, list[float]] = {}
    for _ in range(runs):
        for solver in task.solvers:
            seconds.setdefault(f"lindy {solver}", []).append(cpu(lambda s=solver: ours(s))[0])
        for name, step in steps.items():
            if step is not None:
                took, _ = cpu(lambda r=task.rivals[name], s=step: r(s))
                seconds.setdefault(name, []).append(took)
    fastest = min(statistics.median(v) for k, v in seconds.items() if k.startswith("lindy"))
    for name, values in seconds.items():
        middle = statistics.median(values)
        print(f"  {name:28} {middle:8.3f} s   {middle / fastest:6.2f} × the best of lindy")
    for name, step in steps.items():
        if step is None:
            print(f"  {name:28} never came within {gap:g}")


def threads(task: Task, gap: float) -> None:
    for solver in task.solvers:
        wall = []
        for n_jobs in (1, 2):
            began = time.perf_counter()
            minimise(task.problem, Options(tol=gap, n_jobs=n_jobs), solver)
            wall.append(time.perf_counter() - began)
        print(f"  lindy {solver:22} wall {wall[0]:7.3f} s alone, {wall[1]:7.3f} s with two threads")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--corpus", choices=CORPORA)
    parser.add_argument("--gap", type=float, default=1e-4)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--slow", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in [arguments.corpus] if arguments.corpus else CORPORA:
        loaded = matrix(name)
        if loaded is None:
            print(f"{name}: not there; set LINDY_DATA to the folder of the corpora")
            continue
        X, y = loaded
        print(f"\n{name}: {X.shape[0]} rows, {X.shape[1]} features, {X.nnz} values")
        tasks = [l2_task(X, y, arguments.C, arguments.slow)]
        tasks.append(l1_task(X, (y == y.max()).astype(np.int32), arguments.C, arguments.slow))
        for task in tasks:
            compare(task, arguments.gap, arguments.runs)
            threads(task, arguments.gap)


if __name__ == "__main__":
    main()
