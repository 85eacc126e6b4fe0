"""Tables that are not texts: the default ``SVM()`` and ``MaxEnt()`` against LinearSVC and LogisticRegression.

    python -m benchmarks.tables [--only NAME] [--loss svm|maxent|hinge]          (without --loss: svm and maxent)

Both sides minimise the same objective (against LinearSVC the bias is penalised, as LIBLINEAR does it) on one thread.
lindy stops at its default tolerance: the relative gap of 1e-4 is proved. The rival runs with ever smaller tolerances,
and the loosest one that comes within 1e-4 of the optimum counts. CPU seconds, the least of a few alternating runs;
"×" is the rival's time divided by ours, so that a row below 1 is lost. "looser" is our time at tol=1e-2.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import alternate, corpus_folder, cpu_seconds

GAP = 1e-4
GRID = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
PATIENCE = 8.0  # seconds after which no smaller tolerance of a rival is tried

Table = tuple[Any, Any]


def a9a() -> Table | None:
    """Census records, sparse, 32,561 × 123."""
    from sklearn.datasets import load_svmlight_file

    folder = corpus_folder("a9a")
    if folder is None:
        return None
    X, y = load_svmlight_file(str(folder / "train.svm.gz"))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y.astype(int)


def mnist(rows: int, *, raw: bool = False, pooled: bool = False, even: bool = False) -> Table | None:
    """Return digits of 28 × 28 pixels (16 × 16 if pooled), as they are or divided by 255."""
    folder = corpus_folder("mnist")
    if folder is None:
        return None
    data = np.load(next(folder.glob("*.npz")))
    X, y = data["X_train"][:rows].astype(float), data["y_train"][:rows].astype(int)
    if pooled:
        X = (
            np.pad(X.reshape(rows, 28, 28), ((0, 0), (2, 2), (2, 2)))
            .reshape(rows, 16, 2, 16, 2)
            .mean(axis=(2, 4))
        )
    X = X.reshape(rows, -1) / (1.0 if raw else 255.0)
    return X, y % 2 if even else y


def bundled(name: str, *, scaled: bool = False) -> Table:
    """One of scikit-learn's own tables."""
    import sklearn.datasets
    from sklearn.preprocessing import StandardScaler

    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    return (StandardScaler().fit_transform(X) if scaled else X), y


def generated(rows: int, columns: int, classes: int, *, informative: int = 10, scales: bool = False) -> Table:
    """Return scikit-learn's make_classification, with ``scales`` columns of sizes from 0.01 to 1,000."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        rows, columns, n_informative=informative, n_redundant=min(5, columns - informative),
        n_classes=classes, n_clusters_per_class=1, flip_y=0.05, random_state=0,
    )  # fmt: skip
    if scales:
        X = X * 10.0 ** np.random.default_rng(0).uniform(-2, 3, columns)
    return X, y


def blobs(rows: int, columns: int, classes: int) -> Table:
    """Gaussian clouds."""
    from sklearn.datasets import make_blobs

    X, y = make_blobs(rows, columns, centers=classes, cluster_std=4.0, random_state=0)[:2]
    return X, y


def sparse_table(rows: int, columns: int, density: float, classes: int, *, binary: bool = True) -> Table:
    """Sparse rows whose columns are of very different frequency, with labels from hidden weights and noise.

    The first of two classes is the frequent one, as in w7a.
    """
    rng = np.random.default_rng(0)
    frequency = rng.pareto(1.0, columns) + 0.1
    frequency = np.minimum(frequency * (density * columns / frequency.sum()), 0.9)
    X = sp.csr_matrix((rng.random((rows, columns)) < frequency).astype(float))
    if not binary:
        X.data = 1.0 + rng.poisson(1.0, X.nnz)
    scores = X @ rng.normal(size=(columns, classes)) + rng.normal(size=(rows, classes))
    if classes == 2:
        margin = scores[:, 1] - scores[:, 0]
        return X, (margin > np.quantile(margin, 0.9)).astype(int)
    return X, scores.argmax(axis=1)


def powers() -> Table:
    """Two moons with all products of the coordinates up to degree 5, as they are."""
    from sklearn.datasets import make_moons
    from sklearn.preprocessing import PolynomialFeatures

    X, y = make_moons(5000, noise=0.25, random_state=0)
    return PolynomialFeatures(5, include_bias=False).fit_transform(3 * X), y


def noise() -> Table:
    """Labels that have nothing to do with the columns."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(5000, 100)), rng.integers(0, 2, 5000)


TABLES: dict[str, Callable[[], Table | None]] = {
    "a9a": a9a,
    "like w7a": lambda: sparse_table(24_692, 300, 0.039, 2),
    "mnist 5,000": lambda: mnist(5000),
    "mnist 5,000 raw": lambda: mnist(5000, raw=True),
    "mnist 5,000 16 × 16": lambda: mnist(5000, pooled=True),
    "mnist 10,000 even": lambda: mnist(10_000, even=True),
    "digits raw": lambda: bundled("digits"),
    "digits scaled": lambda: bundled("digits", scaled=True),
    "breast cancer raw": lambda: bundled("breast_cancer"),
    "breast cancer scaled": lambda: bundled("breast_cancer", scaled=True),
    "wine raw": lambda: bundled("wine"),
    "wine scaled": lambda: bundled("wine", scaled=True),
    "iris raw": lambda: bundled("iris"),
    "generated 2": lambda: generated(10_000, 20, 2),
    "generated 5": lambda: generated(20_000, 100, 5),
    "generated many columns": lambda: generated(2000, 500, 3),
    "generated wide": lambda: generated(500, 2000, 2),
    "generated sizes": lambda: generated(3000, 30, 3, scales=True),
    "blobs 10": lambda: blobs(5000, 10, 10),
    "blobs 3": lambda: blobs(1000, 2, 3),
    "sparse 3": lambda: sparse_table(30_000, 500, 0.02, 3),
    "sparse counts 4": lambda: sparse_table(5000, 2000, 0.02, 4, binary=False),
    "powers": powers,
    "noise": noise,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Our learner and the rival that minimises the same objective."""

    ours: Callable[[float], Any]
    theirs: Callable[[float], Any]
    objective: Callable[[Any, Any, Any, Any], float]  # of X, y, W (columns × outputs) and b


def _svm(tol: float) -> Any:
    from lindy import SVM

    return SVM(penalize_intercept=True, tol=tol, n_jobs=1)


def _hinge(tol: float) -> Any:
    from lindy import SVM

    return SVM(loss="hinge", penalize_intercept=True, tol=tol, n_jobs=1)


def _maxent(tol: float) -> Any:
    from lindy import MaxEnt

    return MaxEnt(tol=tol, n_jobs=1)


def _linear_svc(tol: float) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(tol=tol, max_iter=20_000, random_state=0)


def _linear_svc_hinge(tol: float) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(loss="hinge", tol=tol, max_iter=20_000, random_state=0)


def _logistic_regression(tol: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(tol=tol, max_iter=20_000)


def _ovr_margins(X: Any, y: Any, W: Any, b: Any) -> Any:
    codes = np.unique(y, return_inverse=True)[1]
    S = X @ W + b
    sign = np.where(codes[:, None] == np.arange(S.shape[1])[None] + (S.shape[1] == 1), 1.0, -1.0)
    return sign * S


def _svm_objective(power: int) -> Callable[[Any, Any, Any, Any], float]:
    def value(X: Any, y: Any, W: Any, b: Any) -> float:
        loss = np.maximum(0, 1 - _ovr_margins(X, y, W, b)) ** power
        return float(0.5 * ((W**2).sum() + (b**2).sum()) + loss.sum())

    return value


def _log_objective(X: Any, y: Any, W: Any, b: Any) -> float:
    codes = np.unique(y, return_inverse=True)[1]
    S = X @ W + b
    if S.shape[1] == 1:
        loss = np.logaddexp(0, -_ovr_margins(X, y, W, b)).sum()
    else:
        top = S.max(axis=1)
        loss = (top + np.log(np.exp(S - top[:, None]).sum(axis=1)) - S[np.arange(len(S)), codes]).sum()
    return float(0.5 * (W**2).sum() + loss)


PAIRS = {
    "svm": Pair(_svm, _linear_svc, _svm_objective(2)),
    "maxent": Pair(_maxent, _logistic_regression, _log_objective),
    "hinge": Pair(_hinge, _linear_svc_hinge, _svm_objective(1)),
}


def weights(model: Any) -> tuple[Any, Any]:
    """Return W (columns × outputs) and b of a fitted model of either side."""
    return np.atleast_2d(model.coef_).T.astype(float), np.ravel(model.intercept_).astype(float)


def first_within(pair: Pair, X: Any, y: Any, bound: float) -> tuple[float, Callable[[], Any]] | None:
    """Return the rival's loosest tolerance that comes within GAP of the optimum."""
    for tol in GRID:

        def run(tol: float = tol) -> Any:
            return pair.theirs(tol).fit(X, y)

        seconds, model = cpu_seconds(run)
        if pair.objective(X, y, *weights(model)) <= bound * (1 + GAP):
            return tol, run
        if seconds > PATIENCE:
            break
    return None


def compare(name: str, kind: str, X: Any, y: Any) -> float | None:
    """Print one row; return by which factor we are faster, if the rival got there."""
    pair = PAIRS[kind]
    exact = pair.ours(1e-9).fit(X, y)
    proof = exact.certificate_
    bound = pair.objective(X, y, *weights(exact)) * (1 - proof.gap / proof.objective)
    seconds, model = cpu_seconds(lambda: pair.ours(GAP).fit(X, y))
    found = first_within(pair, X, y, bound)
    repeats = 2 if seconds > 2 else 3 if seconds > 0.1 else 7
    sides = {"ours": lambda: pair.ours(GAP).fit(X, y), "loose": lambda: pair.ours(1e-2).fit(X, y)}
    if found is not None:
        sides["theirs"] = found[1]
    time = alternate(sides, repeats)
    off = pair.objective(X, y, *weights(model)) / bound - 1
    state = "proved" if model.certificate_.reached else "UNPROVED"
    text = (
        f"{name:22} {kind:6} {X.shape[0]:6} × {X.shape[1]:<5} {len(np.unique(y)):2} classes  {model.solver_:10}"
        f" {state} {off:8.1e}  {time['ours']:8.4f} s  looser {time['loose']:8.4f} s"
    )
    if found is None:
        print(f"{text}  the rival did not get there", flush=True)
        return None
    ratio = time["theirs"] / time["ours"]
    lost = "  LOST" if ratio < 1 else ""
    print(f"{text}  rival {time['theirs']:8.4f} s (tol {found[0]:.0e})  {ratio:6.2f}×{lost}", flush=True)
    return ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", help="tables whose name begins so; may be repeated")
    parser.add_argument("--loss", action="append", choices=sorted(PAIRS), help="may be repeated")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for kind in arguments.loss or ("svm", "maxent"):
        ratios = []
        for name, make in TABLES.items():
            if arguments.only and not any(name.startswith(only) for only in arguments.only):
                continue
            table = make()
            if table is None:
                print(f"{name}: not found; set LINDY_DATA to the folder of the corpora")
                continue
            ratios.append(compare(name, kind, *table))
        got = np.array([ratio for ratio in ratios if ratio is not None])
        if len(got):
            print(
                f"{kind}: {np.exp(np.log(got).mean()):.1f}× in the geometric mean of {len(got)} tables,"
                f" {int((got < 1).sum())} lost",
                flush=True,
            )


if __name__ == "__main__":
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        main()
