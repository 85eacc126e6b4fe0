"""Kernel machines and string kernels: ``python -m benchmarks.kernels [a9a mnist degree-2 strings]``.

CPU seconds of one fit on one thread. SVC's own stop is a violation of 1e-3; the relative duality gap that it reaches is
measured, and lindy is asked for the same. Both keep 400 MB of kernel rows. SVC is given dense and sparse rows where it
accepts both, and the better time counts.
"""

from __future__ import annotations

import gzip
import sys
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.harness import corpus_folder, cpu_seconds
from lindy import KernelSVM
from lindy.kernels import RBF, Polynomial, Subsequence
from lindy.kernels.kernel_dual import proof
from lindy.textbook.string_kernels import subsequence_kernel


def data(name: str) -> Any:
    folder = corpus_folder(name)
    if folder is None:
        sys.exit(f"the corpus {name} is not there: set LINDY_DATA to the folder of the corpora")
    return folder


def a9a(rows: int | None = None) -> tuple[Any, Any]:
    from sklearn.datasets import load_svmlight_file

    with gzip.open(data("a9a") / "train.svm.gz") as file:
        X, y = load_svmlight_file(file, n_features=123)
    return X[:rows], y[:rows]


def mnist() -> tuple[Any, Any, Any, Any]:
    """Return the first 10,000 digits of the training part, and the test part, with pixels from 0 to 1."""
    with np.load(data("mnist") / "mnist.npz") as file:
        X, T = file["X_train"][:10_000] / 255.0, file["X_test"] / 255.0
        return X, file["y_train"][:10_000], T, file["y_test"]


def pairs(y: Any, beta: Any, K: int) -> Any:
    """Yield members, signs and coefficients of every machine of an SVC; ``beta`` is its dual_coef_ over all rows."""
    for i, j in combinations(range(K), 2):
        members = np.flatnonzero((y == i) | (y == j))
        own = np.where(y[members] == i, j - 1, i)
        # of two classes, SVC's positive side is the second; of more, the first of the pair
        signs = np.where(y[members] == i, 1.0, -1.0) * (1 if K > 2 else -1)
        yield members, signs, beta[own, members]


def relative_gap(model: Any, X: Any, y: Any, C: float) -> float:
    """Return the gap of an SVC as a share of its objective, summed over its machines."""
    kernel = RBF(model._gamma)
    coef = model.dual_coef_
    beta = np.zeros((coef.shape[0], len(y)))
    beta[:, model.support_] = coef.toarray() if hasattr(coef, "toarray") else coef
    K = len(model.classes_)
    codes = np.searchsorted(model.classes_, y)
    objective = gap = 0.0
    for members, signs, own in pairs(codes, beta, K):
        used = np.flatnonzero(own)
        fitted = np.zeros(len(members))
        source = kernel.between(kernel.prepared(X[members]), kernel.prepared(X[members[used]]), 1)
        source.scores(0, len(members), np.ascontiguousarray(own[used][:, None]), fitted[:, None], 1)
        _, primal, difference = proof(signs, signs - fitted, own, np.full(len(members), C))
        objective, gap = objective + primal, gap + difference
    return gap / objective


def against_svc(name: str, X: Any, y: Any, C: float, gamma: float | str, forms: dict[str, Any]) -> None:
    from sklearn.svm import SVC

    times, gaps = {}, {}
    for form, rows in forms.items():
        seconds, model = cpu_seconds(lambda rows=rows: SVC(C=C, gamma=gamma, cache_size=400).fit(rows, y))
        times[form], gaps[form] = seconds, relative_gap(model, X, y, C)
        print(f"{name}: SVC, {form} rows: {seconds:.2f} s to a relative gap of {gaps[form]:.1e}", flush=True)
    best = min(times, key=lambda form: times[form])
    options = {"C": C, "gamma": gamma, "multiclass": "one-vs-one", "cache_size": 400, "n_jobs": 1}
    seconds, ours = cpu_seconds(lambda: KernelSVM(tol=gaps[best], **options).fit(X, y))
    reached = ours.certificate_.relative_gap
    print(
        f"{name}: KernelSVM: {seconds:.2f} s to {reached:.1e}; {times[best] / seconds:.1f} times faster",
        flush=True,
    )


def upright(A: Any) -> Any:
    """Shear every digit until its pixels' x and y are uncorrelated, and scale it to length 1."""
    images, r = A.reshape(-1, 28, 28), np.arange(28)
    mass = images.sum(axis=(1, 2))
    middle_y, middle_x = (
        (images.sum(axis=2) * r).sum(axis=1) / mass,
        (images.sum(axis=1) * r).sum(axis=1) / mass,
    )
    dy, dx = r - middle_y[:, None], r - middle_x[:, None]
    slant = np.einsum("nij,ni,nj->n", images, dy, dx) / (images.sum(axis=2) * dy**2).sum(axis=1)
    at = np.clip(r + slant[:, None, None] * dy[:, :, None], 0, 26.999)
    left = np.floor(at).astype(int)
    share = at - left
    rows = np.take_along_axis(images, left, 2) * (1 - share) + np.take_along_axis(images, left + 1, 2) * share
    rows = rows.reshape(len(A), -1)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def degree_2() -> None:
    X, y, T, t = mnist()
    for name, change in (("pixels", lambda A: A), ("upright digits of length 1", upright)):
        gamma = 0.05 if name == "pixels" else 2.0
        options = {"kernel": Polynomial(2, gamma), "C": 10.0, "tol": 1e-3, "n_jobs": 1}
        seconds, model = cpu_seconds(lambda c=change, o=options: KernelSVM(**o).fit(c(X), y))
        accuracy = model.score(change(T), t)
        print(
            f"mnist, 10,000 rows, degree 2, {name}: {accuracy:.2%} on the test part, {seconds:.1f} s",
            flush=True,
        )


def strings(n: int = 1000, sample: int = 40) -> None:
    import pyarrow.csv

    table = pyarrow.csv.read_csv(data("sms-spam") / "train.csv.gz")
    texts = table["text"].to_pylist()[:n]
    kernel = Subsequence(3, 0.5)
    kernel(texts[:50], n_jobs=1)
    ours, K = cpu_seconds(lambda: kernel(texts, n_jobs=1))
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, n, (sample, 2))
    theirs, values = cpu_seconds(lambda: [subsequence_kernel(texts[i], texts[j], 3, 0.5) for i, j in chosen])
    np.testing.assert_allclose(values, K[chosen[:, 0], chosen[:, 1]], rtol=1e-10)
    theirs *= n * n / sample
    print(
        f"strings: subsequences of 3, {n} × {n} messages: {ours:.1f} s; Python/NumPy {theirs:.0f} s (extrapolated from"
        f" {sample} pairs): {theirs / ours:.0f} times",
        flush=True,
    )


def main() -> None:
    wanted = sys.argv[1:] or ["a9a", "mnist", "degree-2", "strings"]
    if "a9a" in wanted:
        X, y = a9a()
        against_svc("a9a, 32,561 rows, RBF, C=1", X, y, 1.0, 1 / 123, {"sparse": X})
    if "a9a-small" in wanted:
        X, y = a9a(8000)
        against_svc("a9a, 8,000 rows, RBF, C=1", X, y, 1.0, 1 / 123, {"sparse": X, "dense": X.toarray()})
    if "mnist" in wanted:
        X, y, _, _ = mnist()
        against_svc("mnist, 10,000 rows, RBF, C=10", X, y, 10.0, "scale", {"dense": X})
    if "degree-2" in wanted:
        degree_2()
    if "strings" in wanted:
        strings()


if __name__ == "__main__":
    main()
