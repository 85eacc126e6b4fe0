"""Time to a relative gap: SVM and MaxEnt against LIBLINEAR and scikit-learn, on the same tf-idf matrix, one thread.

    python -m benchmarks.convex [corpus …] [--gap 1e-4] [--bias] [--loss hinge …]

Every row states one objective, the same on both sides: without a bias, or with --bias the penalised one of LIBLINEAR.
Both sides are measured alike: the gap is objective at the solution / lower bound − 1, the bound being the dual value
that lindy proves at a far smaller gap. Both are run with a grid of their own tolerances and charged the first whose
solution is near enough, in CPU seconds, alternating, least of several runs. "proved" is lindy with tol = gap, its
certificate included: what a user gets who asks for the gap; "reached" the grid's first. Passes are lindy's (proved) /
LIBLINEAR's iterations, the mean over its one-vs-rest problems. Against LIBLINEAR the clock runs while the solvers do:
what each makes of X before (lindy checks it, LIBLINEAR's binding copies it) is told apart, in the first line. Against
scikit-learn both sides check X by the clock. The last lines: the price of a bias that is not penalised, and of a path.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import alternate, corpus_folder, cpu_seconds

CORPORA = ("ag-news-10k", "20news-bydate", "imdb")
# LIBLINEAR's -s by lindy's name of the loss; softmax is scikit-learn's
LIBLINEAR = {"squared_hinge": (1,), "hinge": (3,), "log_ovr": (7, 0), "multiclass_hinge": (4,)}
SKLEARN = (
    "lbfgs",
    "newton-cg",
    "sag",
    "saga",
)  # newton-cholesky would form a Hessian of (columns × classes)²
GRID = (10, 5, 2, 1, 0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 3e-4, 1e-4, 1e-5)
# scikit-learn's: fine enough that no solver makes many more iterations than it needs
SKLEARN_GRID = (
    1, 0.3, 0.1, 0.03, 0.01, 3e-3, 2e-3, 1e-3, 7e-4, 5e-4, 3e-4, 2e-4, 1e-4,
    7e-5, 5e-5, 3e-5, 2e-5, 1e-5, 5e-6, 3e-6, 2e-6, 1e-6, 3e-7, 1e-7,
)  # fmt: skip
REPEATS = 5
PATIENCE = 40.0  # seconds of one rival's run after which smaller tolerances are not tried
# what is aimed at: times faster at a gap of 1e-4, by corpus and loss
BARS = {
    "ag-news-10k": {"squared_hinge": 5, "hinge": 5, "log_ovr": 5, "multiclass_hinge": 3, "log": 5},
    "20news-bydate": {"squared_hinge": 10, "log_ovr": 10, "hinge": None, "multiclass_hinge": 3, "log": 5},
    "imdb": {"squared_hinge": 2.5, "hinge": 2.5, "log_ovr": 2},
}
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)  # of softmax; the others are measured at C = 1


@dataclass(frozen=True, slots=True)
class Task:
    """½‖W‖² (+ ½‖b‖²) + C·Σ loss on one corpus."""

    X: Any
    y: Any
    loss: str
    C: float = 1.0
    bias: bool = False

    @property
    def n_classes(self) -> int:
        """One more than the largest class number."""
        return int(self.y.max()) + 1

    def objective(self, W: Any) -> float:
        """Return the value of W in float64; with a bias that is its last row."""
        from lindy.linear.losses import loss_values

        W = np.asarray(W, np.float64)
        scores = self.X @ W[:-1] + W[-1] if self.bias else self.X @ W
        return float(0.5 * np.square(W).sum() + self.C * loss_values(self.loss, scores, self.y).sum())


@dataclass(frozen=True, slots=True)
class Run:
    """A side with one tolerance: how to run it, and how to read W and the passes from what it returns."""

    name: str
    solve: Callable[[], Any]
    read: Callable[[Any], tuple[Any, float]]


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


def solution(task: Task, tol: float, *, X: Any = None, penalize_bias: bool = True) -> Any:
    """Solve with lindy to a proved gap; X may have been checked already."""
    from lindy.core.csr import as_csr
    from lindy.core.targets import OneLabel
    from lindy.linear.optimizers import minimise
    from lindy.linear.problem import Options, Problem

    problem = Problem(
        as_csr(task.X) if X is None else X,
        OneLabel(np.arange(task.n_classes), task.y),
        task.loss,
        l2=1 / (task.C * len(task.y)),
        bias=task.bias,
        penalize_bias=penalize_bias,
    )
    return minimise(problem, Options(tol=tol, max_iter=20_000, n_jobs=1))


def ours(task: Task, tol: float) -> Run:
    from lindy.core.csr import as_csr

    def read(found: Any) -> tuple[Any, float]:
        return np.vstack([found.W, found.b[None]]) if task.bias else found.W, found.n_iter

    X = as_csr(task.X) if task.loss in LIBLINEAR else None
    return Run(f"tol {tol:.0e}", lambda: solution(task, tol, X=X), read)


def lower_bound(task: Task) -> float:
    """Return the dual value that lindy proves at a small gap, in the units of the objective."""
    from lindy.linear.losses import get_loss

    proof = solution(task, 1e-8 if get_loss(task.loss).smooth else 1e-7).certificate
    return float((proof.objective - proof.gap) * task.C * len(task.y))


def liblinear_runs(task: Task, solver: int) -> Iterator[Run]:
    """LIBLINEAR with ever smaller tolerances."""
    from liblinear.liblinear import PRINT_STRING_FUN, liblinear, parameter, toPyModel

    data = liblinear_data(task)
    rows = task.X.shape[1] + task.bias

    def solve(tolerance: float) -> tuple[Any, list[bytes]]:
        printed: list[bytes] = []
        hear = PRINT_STRING_FUN(printed.append)
        options = parameter(f"-s {solver} -c {task.C} -e {tolerance}")
        options.print_func = hear
        liblinear.set_print_string_function(hear)
        return toPyModel(liblinear.train(data, options)), printed

    def read(found: tuple[Any, list[bytes]]) -> tuple[Any, float]:
        model, printed = found
        said = b"".join(printed).decode()
        counts = [int(part.split()[0]) for part in said.split("#iter = ")[1:]]
        return _weights(model, rows, task.n_classes), float(np.mean(counts)) if counts else np.nan

    for tolerance in GRID:
        yield Run(f"-s {solver} -e {tolerance}", lambda e=tolerance: solve(e), read)


def liblinear_data(task: Task) -> Any:
    """Return LIBLINEAR's copy of X."""
    from liblinear.liblinear import problem

    return problem(task.y.astype(float), task.X.astype(np.float64), bias=1 if task.bias else -1)


def _weights(model: Any, rows: int, n_classes: int) -> Any:
    columns = 1 if n_classes == 2 and model.param.solver_type != 4 else n_classes
    flat = np.ctypeslib.as_array(model.w, (rows * columns,)).reshape(rows, columns).copy()
    order = model.get_labels()
    if columns == 1:
        return flat if order[0] == 1 else -flat
    W = np.empty_like(flat)
    W[:, order] = flat
    return W


def sklearn_runs(task: Task, solver: str) -> Iterator[Run]:
    """LogisticRegression with ever smaller tolerances."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    def solve(tolerance: float) -> Any:
        model = LogisticRegression(C=task.C, solver=solver, tol=tolerance, max_iter=2000, fit_intercept=False)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(task.X, task.y)

    def read(model: Any) -> tuple[Any, float]:
        return model.coef_.T, float(np.max(model.n_iter_))

    for tolerance in SKLEARN_GRID:
        yield Run(f"{solver} tol {tolerance}", lambda e=tolerance: solve(e), read)


def first_within(task: Task, runs: Iterator[Run], bound: float, gap: float) -> tuple[Run, float] | None:
    """Return the first run (from the loosest tolerance) whose solution lies within the gap, and its passes."""
    for run in runs:
        seconds, found = cpu_seconds(run.solve)
        W, passes = run.read(found)
        if task.objective(W) / bound - 1 <= gap:
            return run, passes
        if seconds > PATIENCE:
            break
    return None


def compare(task: Task, gap: float) -> str:
    """Return the columns of one row: seconds, ratios, passes."""
    bound = lower_bound(task)
    solvers = {f"-s {s}": liblinear_runs(task, s) for s in LIBLINEAR.get(task.loss, ())}
    if task.loss == "log":
        solvers = {name: sklearn_runs(task, name) for name in SKLEARN}
    found = {name: first_within(task, runs, bound, gap) for name, runs in solvers.items()}
    reached = first_within(task, iter([ours(task, gap * k) for k in (30, 10, 5, 3, 2, 1)]), bound, gap)
    proved = ours(task, gap)
    passes = proved.read(proved.solve())[1]
    sides: dict[str, Any] = {"proved": proved.solve, "reached": reached[0].solve if reached else proved.solve}
    sides |= {name: hit[0].solve for name, hit in found.items() if hit}
    seconds = alternate(sides, REPEATS)
    rivals = {name: seconds[name] for name in found if name in seconds}
    if not rivals:
        return f"{seconds['proved']:8.4f} s proved; no rival got there"
    best = min(rivals, key=lambda name: rivals[name])
    run, iterations = found[best]  # type: ignore[misc]
    text = (
        f"{seconds['proved']:8.4f} s {rivals[best]:8.4f} s  proved {rivals[best] / seconds['proved']:5.1f}×"
        f"  reached {rivals[best] / seconds['reached']:5.1f}×  passes {passes:3.0f} / {iterations:3.0f}  {run.name}"
    )
    if "lbfgs" in rivals and best != "lbfgs":
        text += f"  (lbfgs: {rivals['lbfgs'] / seconds['proved']:.1f}×)"
    return text


def preparations(X: Any, y: Any) -> None:
    """Print what each side does with X before its solver runs."""
    from lindy.core.csr import as_csr

    task = Task(X, y, "squared_hinge")
    cost = alternate({"lindy": lambda: as_csr(X), "LIBLINEAR": lambda: liblinear_data(task)}, 2)
    print(f"  preparing X: {cost['lindy']:.4f} s, LIBLINEAR's binding {cost['LIBLINEAR']:.4f} s", flush=True)


def bias_and_path(X: Any, y: Any, gap: float) -> None:
    """Print what a bias without penalty costs, and a path of five C, in fits with a penalised bias."""
    from lindy import SVM

    for loss in ("squared_hinge", "hinge", "log_ovr", "log", "multiclass_hinge"):
        task = Task(X, y, loss, bias=True)
        cost = alternate(
            {
                "penalised": lambda t=task: solution(t, gap),
                "free": lambda t=task: solution(t, gap, penalize_bias=False),
            },
            REPEATS,
        )
        print(f"  {loss:17} bias not penalised: {cost['free'] / cost['penalised']:.2f}× the penalised one")
    model = SVM(loss="squared_hinge", tol=gap, n_jobs=1)
    cost = alternate(
        {
            "path": lambda: list(model.path(X, y, STRENGTHS)),
            "one": lambda: model.set_params(C=STRENGTHS[-1]).fit(X, y),
            "all": lambda: [model.set_params(C=C).fit(X, y) for C in STRENGTHS],
        },
        2,
    )
    print(f"  path of {len(STRENGTHS)} C: {cost['path'] / cost['one']:.1f} fits at the largest C,", end=" ")
    print(f"{cost['path'] / cost['all']:.2f}× of fitting each anew", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--gap", type=float, default=1e-4)
    parser.add_argument("--loss", action="append", help="only this one; may be repeated")
    parser.add_argument("--bias", action="store_true", help="with LIBLINEAR's penalised bias")
    arguments = parser.parse_args()
    for corpus in arguments.corpora:
        data = matrix(corpus)
        if data is None:
            print(f"{corpus}: not found; set LINDY_DATA to the folder of the corpora")
            continue
        begin = time.perf_counter()
        preparations(*data)
        for loss, bar in BARS.get(corpus, dict.fromkeys(LIBLINEAR)).items():
            if (arguments.bias and loss == "log") or (arguments.loss and loss not in arguments.loss):
                continue
            for C in STRENGTHS if loss == "log" else (1.0,):
                row = compare(Task(*data, loss, C, arguments.bias), arguments.gap)
                aim = "" if bar is None or arguments.gap != 1e-4 else f"  [aim {bar}×]"
                print(f"{corpus:14} {loss:17} C {C:<6g} gap {arguments.gap:.0e}{row}{aim}", flush=True)
        if not arguments.loss:
            bias_and_path(*data, arguments.gap)
        print(f"  ({time.perf_counter() - begin:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
