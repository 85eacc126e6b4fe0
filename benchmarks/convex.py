"""Time to a relative gap: SVM and MaxEnt against LIBLINEAR and scikit-learn, on the same tf-idf matrix, one thread.

    python -m benchmarks.convex [corpus …]

lindy is timed until its own certificate proves the gap. A rival is run with a grid of its tolerances and charged the
fastest run whose objective is that near to the best one known: its own stopping rule costs it nothing.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder

CORPORA = ("ag-news-10k", "20news-bydate", "imdb")
GAPS = (1e-2, 1e-4, 1e-6)
# name, loss of lindy, rival solvers: LIBLINEAR's -s or scikit-learn's name
PROBLEMS = (
    ("squared hinge", "squared_hinge", (1,)),
    ("hinge", "hinge", (3,)),
    ("logistic, one-vs-rest", "log_ovr", (7, 0)),
    ("softmax", "log", ("lbfgs", "newton-cg", "saga")),
    ("Crammer–Singer", "multiclass_hinge", (4,)),
)


def matrix(name: str) -> tuple[Any, Any] | None:
    """Return tf-idf of words and pairs (min_df 2, float32) and class numbers; made once, kept in the temp folder."""
    import scipy.sparse

    cache = Path(tempfile.gettempdir()) / f"lindy-bench-{name}.npz"
    labels = cache.with_suffix(".y.npy")
    if not cache.exists():
        folder = corpus_folder(name)
        if folder is None:
            return None
        import pandas as pd
        from sklearn.feature_extraction.text import TfidfVectorizer

        (source,) = folder.glob("train.csv*")
        table = pd.read_csv(source, keep_default_na=False)
        X = TfidfVectorizer(ngram_range=(1, 2), min_df=2, dtype=np.float32).fit_transform(table["text"])
        np.save(labels, np.unique(table["label"].astype(str), return_inverse=True)[1].astype(np.int32))
        scipy.sparse.save_npz(cache, X, compressed=False)
    return scipy.sparse.load_npz(cache), np.load(labels)


def objective(loss: str, X: Any, y: Any, C: float, W: Any) -> float:
    """½‖W‖² + C·Σ loss, without bias, in float64."""
    from lindy.linear.losses import loss_values

    return float(0.5 * np.square(W).sum() + C * loss_values(loss, np.asarray(X @ W, np.float64), y).sum())


def ours(loss: str, X: Any, y: Any, C: float, gap: float) -> tuple[float, float]:
    """CPU seconds to the certified gap, and the objective."""
    from lindy.csr import as_csr
    from lindy.linear.optimizers import minimise
    from lindy.linear.problem import Options, Problem

    n = len(y)
    problem = Problem(as_csr(X), y, int(y.max()) + 1, loss, l2=1 / (C * n), bias=False)
    begin = time.process_time()
    solution = minimise(problem, Options(tol=gap, max_iter=5000, n_jobs=1))
    return time.process_time() - begin, solution.certificate.objective * C * n


def liblinear_runs(solver: int, X: Any, y: Any, C: float) -> Iterable[tuple[float, Any]]:
    """(CPU seconds, W) for ever smaller tolerances of one LIBLINEAR solver."""
    from liblinear.liblinear import liblinear, parameter, problem, toPyModel

    data = problem(y.astype(float), X.astype(np.float64), bias=-1)
    for tolerance in (1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5):
        options = parameter(f"-s {solver} -c {C} -e {tolerance} -q")
        begin = time.process_time()
        model = toPyModel(liblinear.train(data, options))
        seconds = time.process_time() - begin
        yield seconds, _weights(model, X.shape[1], int(y.max()) + 1)


def _weights(model: Any, n_columns: int, n_classes: int) -> Any:
    rows = 1 if n_classes == 2 and model.param.solver_type != 4 else n_classes
    flat = np.ctypeslib.as_array(model.w, (n_columns * rows,)).reshape(n_columns, rows).copy()
    order = model.get_labels()
    if rows == 1:
        return flat if order[0] == 1 else -flat
    W = np.empty_like(flat)
    W[:, order] = flat
    return W


def sklearn_runs(solver: str, X: Any, y: Any, C: float) -> Iterable[tuple[float, Any]]:
    """(CPU seconds, W) for ever smaller tolerances of one scikit-learn solver."""
    import warnings

    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    for tolerance in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        model = LogisticRegression(C=C, solver=solver, tol=tolerance, max_iter=2000, fit_intercept=False)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begin = time.process_time()
            model.fit(X, y)
        yield time.process_time() - begin, np.ascontiguousarray(model.coef_.T, np.float64)


def fastest(
    runs: Iterable[tuple[float, Any]], value: Callable[[Any], float], best: float
) -> dict[float, float]:
    """For every gap the fewest seconds of a run that is that near to the best objective."""
    found: dict[float, float] = {}
    for seconds, W in runs:
        away = value(W) / best - 1
        for gap in GAPS:
            if away <= gap:
                found[gap] = min(seconds, found.get(gap, np.inf))
        if away <= GAPS[-1] or seconds > 60:
            break
    return found


def compare(corpus: str, C: float = 1.0) -> None:
    """Print a row per problem: lindy's seconds, and how many times longer the best rival takes."""
    data = matrix(corpus)
    if data is None:
        print(f"{corpus}: not found; set LINDY_DATA to the folder of the corpora")
        return
    X, y = data
    binary = int(y.max()) == 1
    for name, loss, solvers in PROBLEMS:
        if binary and loss in ("log", "multiclass_hinge"):
            continue
        best = ours(loss, X, y, C, 1e-8)[1] / (1 + 1e-8)
        rivals: dict[float, float] = {}
        for solver in solvers:
            runs = (
                liblinear_runs(solver, X, y, C) if isinstance(solver, int) else sklearn_runs(solver, X, y, C)
            )
            for gap, seconds in fastest(runs, partial(objective, loss, X, y, C), best).items():
                rivals[gap] = min(seconds, rivals.get(gap, np.inf))
        cells = []
        for gap in GAPS:
            seconds = min(ours(loss, X, y, C, gap)[0] for _ in range(3))
            cells.append(f"{gap:.0e}: {seconds:.3f} s, {rivals.get(gap, np.nan) / seconds:5.1f}×")
        print(f"{corpus:14} {name:22} " + "   ".join(cells), flush=True)


def main() -> None:
    for corpus in sys.argv[1:] or CORPORA:
        compare(corpus)


if __name__ == "__main__":
    main()
