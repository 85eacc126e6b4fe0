"""Online learners against scikit-learn's and against the lecture's NumPy loops: one thread, CPU time per epoch.

Run with ``python -m benchmarks.online``; ``--large`` adds the growth up to 100 million nonzeros.

Settings: for each row and corpus, both sides have the same number of candidates (``rivals``), and the one that is best
on a fifth of the training rows, held out with a fixed seed, is then trained on all of them and timed. The
candidates themselves were put together after trying others on that same fifth, never on the test file.
"""

from __future__ import annotations

import sys
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.harness import alternate, cpu_seconds, tfidf
from lindy import SVM, MaxEnt, Mira, Perceptron
from lindy.core.csr import as_csr
from lindy.textbook.perceptron import averaged_perceptron, sparse_perceptron

EPOCHS = 5


def rivals() -> dict[str, tuple[list[Any], list[Any]]]:
    """Both sides of each row, as many settings on the one as on the other; see ``chosen``."""
    from sklearn.linear_model import Perceptron as TheirPerceptron
    from sklearn.linear_model import SGDClassifier

    same = {"max_iter": EPOCHS, "tol": None, "random_state": 0}
    caps, averaged, biased = (0.1, 0.3, 1.0), (False, True), (True, False)
    penalties = (1e-5, 3e-5, 1e-4)
    logistic = [
        SGDClassifier(loss="log_loss", alpha=alpha, fit_intercept=bias, **same)
        for alpha in (1e-6, 1e-5, 1e-4)
        for bias in biased
    ]

    def softmax(schedule: str, eta0: float, bias: bool) -> MaxEnt:
        options = {"epochs": EPOCHS, "schedule": schedule, "eta0": eta0}
        return MaxEnt(lam=1e-6, fit_intercept=bias, solver="sgd", solver_options=options, n_jobs=1)

    return {
        "averaged perceptron": ([Perceptron(epochs=EPOCHS, n_jobs=1)], [TheirPerceptron(**same)]),
        "MIRA / PA-I": (
            [
                Mira(
                    epochs=EPOCHS, C=C, average=average, constraints="max-loss", fit_intercept=False, n_jobs=1
                )
                for C in caps
                for average in averaged
            ],
            [
                SGDClassifier(
                    loss="hinge", penalty=None, learning_rate="pa1", eta0=C, average=average, **same
                )
                for C in caps
                for average in averaged
            ],
        ),
        "Pegasos / SGD hinge": (
            [
                SVM(
                    loss="hinge",
                    lam=lam,
                    fit_intercept=bias,
                    solver="pegasos",
                    solver_options={"epochs": EPOCHS, "average": average},
                    n_jobs=1,
                )
                for lam in penalties
                for bias in biased
                for average in (False, 0.5)
            ],
            [
                SGDClassifier(loss="hinge", alpha=lam, fit_intercept=bias, average=average, **same)
                for lam in penalties
                for bias in biased
                for average in averaged
            ],
        ),
        "softmax SGD / SGD log": (
            [softmax("constant", eta0, bias) for eta0 in (1.0, 3.0, 10.0) for bias in biased],
            logistic,
        ),
        "AdaGrad / SGD log": (
            [softmax("adagrad", eta0, bias) for eta0 in (0.1, 0.3, 1.0) for bias in biased],
            logistic,
        ),
    }


def chosen(models: list[Any], X: Any, y: Any, known: dict[int, Any]) -> Any:
    """Return the model that is best on a fifth of the training rows held out; the first of equals."""
    if len(models) == 1:
        return models[0]
    if id(models) not in known:
        shuffled = np.random.default_rng(7).permutation(len(y))
        held, learn = shuffled[: len(y) // 5], shuffled[len(y) // 5 :]
        found = [model.fit(X[learn], y[learn]).score(X[held], y[held]) for model in models]
        known[id(models)] = models[int(np.argmax(found))]
    return known[id(models)]


def against_scikit_learn(name: str) -> None:
    X, y, T, t = tfidf(name)
    print(
        f"\n{name}: {X.shape[0]} rows, {X.shape[1]} features, {X.nnz} nonzeros, {len(np.unique(y))} classes"
    )
    print(f"{'':24}{'lindy ms/epoch':>16}{'M nnz/s':>9}{'scikit-learn':>14}{'ratio':>7}{'accuracy':>18}")
    known: dict[int, Any] = {}
    for label, sides in rivals().items():
        ours, theirs = (chosen(models, X, y, known) for models in sides)
        best = alternate({"ours": lambda m=ours: m.fit(X, y), "theirs": lambda m=theirs: m.fit(X, y)})
        mine, other = best["ours"] / EPOCHS, best["theirs"] / EPOCHS
        accuracy = f"{100 * ours.score(T, t):.2f} : {100 * theirs.score(T, t):.2f}"
        print(
            f"{label:24}{mine * 1e3:16.1f}{X.nnz / mine / 1e6:9.0f}{other * 1e3:14.1f}{other / mine:7.1f}{accuracy:>18}"
        )
        for model in (ours, theirs):
            print(f"{'':8}{' '.join(str(model).split())}", flush=True)


def against_the_lecture(name: str) -> None:
    X, y, _, _ = tfidf(name)
    codes = np.unique(y, return_inverse=True)[1]
    K = int(codes.max()) + 1
    csr = as_csr(X)
    rows = [
        (csr.indices[a:b], csr.values[a:b].astype(float))
        for a, b in zip(csr.indptr, csr.indptr[1:], strict=False)
    ]
    order = np.random.default_rng(0).permutation(len(y))
    few = order[: 60 if K > 2 else 300]
    dense = X[few].toarray().astype(float)
    model = Perceptron(epochs=EPOCHS, n_jobs=1)
    best = alternate(
        {
            "lindy": lambda: model.fit(X, y),
            "sparse NumPy": lambda: sparse_perceptron(rows, codes, (X.shape[1], 1 if K == 2 else K), order),
            "dense NumPy": lambda: averaged_perceptron(dense, codes[few], K, range(len(few))),
        },
        repeats=2,
    )
    work = {"lindy": X.nnz * EPOCHS, "sparse NumPy": X.nnz, "dense NumPy": X[few].nnz}
    speed = {rival: work[rival] / seconds for rival, seconds in best.items()}
    for rival in ("sparse NumPy", "dense NumPy"):
        print(
            f"{name}: lindy {speed['lindy'] / 1e6:.0f} M nonzeros/s, {rival} loop {speed[rival] / 1e6:.2f},"
            f" ratio {speed['lindy'] / speed[rival]:.0f}"
        )


def peak_of(run: Callable[[], Any]) -> tuple[float, int]:
    """Return the CPU seconds of a call and the most memory it had allocated at a time."""
    tracemalloc.start()
    seconds, _ = cpu_seconds(run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak


def memory(name: str) -> None:
    X, y, _, _ = tfidf(name)
    K = len(np.unique(y))
    matrix = X.shape[1] * (1 if K == 2 else K) * 4
    _, peak = peak_of(lambda: Perceptron(epochs=2, n_jobs=1).fit(X, y))
    print(
        f"{name}: peak beside the data {peak / 1e6:.1f} MB, {peak / matrix:.2f} × the {matrix / 1e6:.1f} MB of W"
    )


def synthetic(nonzeros: int) -> tuple[Any, Any]:
    """Return rows of 100 nonzeros, features of falling frequency, and random labels of 20 classes."""
    rng = np.random.default_rng(0)
    per_row, n_features = 100, 1 << 18
    band = np.arange(per_row + 1)  # a row has one feature of each band; the bands widen
    first = band + ((band / per_row) ** 3 * (n_features - per_row)).astype(np.int32)
    indices = np.empty((nonzeros // per_row, per_row), np.int32)
    for part in np.array_split(indices, max(1, nonzeros // 1_000_000)):
        part[:] = first[:-1] + (rng.random(part.shape, np.float32) * np.diff(first)).astype(np.int32)
    starts = np.arange(0, indices.size + 1, per_row)
    values = np.full(indices.size, 0.1, np.float32)
    X = scipy.sparse.csr_matrix((values, indices.ravel(), starts), shape=(len(indices), n_features))
    return X, rng.integers(20, size=len(indices))


def growth(largest: int) -> None:
    base = 0.0
    for nonzeros in (largest // 8, largest // 4, largest // 2, largest):
        X, y = synthetic(nonzeros)
        seconds, peak = peak_of(lambda X=X, y=y: Perceptron(epochs=2, n_jobs=1).fit(X, y))
        base = base or seconds / nonzeros
        matrix = X.shape[1] * 20 * 4
        print(
            f"{nonzeros / 1e6:6.1f} M nonzeros: {seconds / 2:6.2f} s/epoch, per nonzero"
            f" {seconds / nonzeros / base:.2f} × the first; peak beside the data {peak / matrix:.2f} × W",
            flush=True,
        )


def main() -> None:
    warnings.simplefilter("ignore")
    for name in ("20news-bydate", "imdb"):
        against_scikit_learn(name)
    for name in ("20news-bydate", "imdb"):
        against_the_lecture(name)
        memory(name)
    growth(100_000_000 if "--large" in sys.argv else 12_000_000)


if __name__ == "__main__":
    main()
