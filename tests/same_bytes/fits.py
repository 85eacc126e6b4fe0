"""Fits of every kind on small data; prints one line per fit: its name and a digest of everything that was fitted.

Run as a script, under whatever CPU, BLAS, instruction-set level and C library the caller has chosen by environment
variables. Lines must not depend on any of them, nor on the number of threads, which is the first argument. Further
arguments choose groups of fits: the names of tables, `joint`, `texts`, `dual` and `rest`.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import lindy
from lindy import baselines, bayes
from lindy.core.csr import Csr, as_csr
from lindy.data import samples
from lindy.evaluation import fit_calibrator
from lindy.joint import Candidates, JointMaxEnt, JointMira, JointPerceptron, JointSVM
from lindy.kernels import Nystroem, RandomFourier, TensorSketch
from lindy.text import HashingVectorizer


def digest(*parts: Any) -> str:
    """Return a digest of arrays, numbers, strings, and of the attributes of objects that hold them."""
    total = hashlib.sha256()
    for part in parts:
        _add(total, part, set())
    return total.hexdigest()[:16]


def _add(total: Any, part: Any, seen: set[int]) -> None:
    if id(part) in seen:
        return
    if isinstance(part, np.ndarray) and part.dtype != object:
        total.update(str(part.dtype).encode() + np.ascontiguousarray(part).tobytes())
    elif isinstance(part, bool | int | float | str | bytes | np.generic | None):
        total.update(repr(part).encode())
    elif isinstance(part, dict):
        for key in sorted(part, key=str):
            if key not in ("seconds", "n_jobs"):  # when and with how many threads it was fitted
                _add(total, [str(key), part[key]], seen)
    elif isinstance(part, list | tuple | np.ndarray):
        for item in part:
            _add(total, item, seen)
    elif hasattr(part, "__dict__"):
        _add(total, vars(part), seen | {id(part)})


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Small dense tables: two and four classes, columns of one size and of very different sizes, few and many rows."""
    rng = np.random.default_rng(0)
    for name, rows, columns, classes in (("two", 60, 5, 2), ("four", 150, 12, 4), ("wide", 40, 90, 3)):
        centres = rng.normal(size=(classes, columns))
        y = rng.integers(0, classes, rows)
        X = centres[y] + 1.5 * rng.normal(size=(rows, columns))
        yield name, X, y
        yield f"{name}, raw", np.abs(X) * 10.0 ** rng.integers(-2, 3, columns), y


def learners(threads: int) -> Iterator[tuple[str, Any]]:
    """Every learner of rows, with the options that choose its arithmetic."""
    many: dict[str, Any] = {"n_jobs": threads}
    for loss in ("hinge", "squared_hinge", "multiclass_hinge"):
        for penalize in (False, True):
            yield f"svm {loss} {penalize}", lindy.SVM(loss=loss, penalize_intercept=penalize, **many)
    yield "svm l1", lindy.SVM(penalty="l1", **many)
    for multiclass in ("multinomial", "one-vs-rest"):
        yield f"maxent {multiclass}", lindy.MaxEnt(multiclass=multiclass, **many)
    for penalty in ("l1", None):
        yield f"maxent {penalty}", lindy.MaxEnt(penalty=penalty, **many)
    for solver in ("lbfgs", "newton", "conjugate-gradient", "gradient-descent", "sgd"):
        yield f"maxent {solver}", lindy.MaxEnt(solver=solver, max_iter=50, **many)
    yield "svm pegasos", lindy.SVM(solver="pegasos", loss="hinge", max_iter=5, **many)
    yield "perceptron", lindy.Perceptron()
    yield "mira", lindy.Mira()
    yield "mira k-best", lindy.Mira(constraints="k-best", k=2)
    yield "nb-svm", lindy.NaiveBayesSVM(**many)
    yield "kernel svm", lindy.KernelSVM(**many)
    yield "kernel perceptron", lindy.KernelPerceptron(**many)
    for solver in ("closed-form", "conjugate-gradient"):
        yield f"least squares {solver}", baselines.LeastSquares(solver=solver, **many)
    yield "least squares without a penalty", baselines.LeastSquares(l2=0.0, **many)
    yield "gaussian", bayes.GaussianNaiveBayes()
    yield "gaussian shared", bayes.GaussianNaiveBayes(variance="shared")


def counting(threads: int) -> Iterator[tuple[str, Any]]:
    """The learners of counts."""
    yield "multinomial", bayes.MultinomialNaiveBayes(n_jobs=threads)
    yield "multinomial lengths", bayes.MultinomialNaiveBayes(length="poisson", n_jobs=threads)
    yield "bernoulli", bayes.BernoulliNaiveBayes()
    yield "complement", bayes.ComplementNaiveBayes(norm=True)
    yield "categorical", bayes.CategoricalNaiveBayes()
    yield "word votes", baselines.WordVotes()


def fits(threads: int, groups: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the digest of one fit after the other, of the groups or, without any, of all."""
    for table, X, y in tables():
        if groups and table not in groups:
            continue
        for name, learner in learners(threads):
            learner.fit(X, y)
            yield f"{table}: {name}", digest(learner, learner.decision_function(X))
        for feature_map in (
            RandomFourier(n_components=8),
            Nystroem(n_components=8),
            TensorSketch(n_components=8),
        ):
            yield (
                f"{table}: {type(feature_map).__name__}",
                digest(feature_map.fit_transform(X / np.abs(X).max())),
            )
        counts = np.floor(np.abs(X)).clip(0, 9)
        for name, learner in counting(threads):
            learner.fit(counts, y)
            yield f"{table}: {name}", digest(learner, learner.predict_proba(counts))
        scores = lindy.SVM(n_jobs=threads).fit(X, y).decision_function(X)
        for method in (
            ("temperature", "sigmoid", "isotonic") if scores.ndim == 1 else ("temperature", "vector")
        ):
            yield f"{table}: calibration {method}", digest(fit_calibrator(scores, y, y.max() + 1, method))
    if not groups or "joint" in groups:
        yield from joint_fits()
    if not groups or "texts" in groups:
        yield from text_fits(threads)
    if not groups or "dual" in groups:
        yield from dual_fits(threads)
    if not groups or "rest" in groups:
        yield from rest_of_kernels(threads)


def joint_fits() -> Iterator[tuple[str, str]]:
    """Yield fits of one weight vector over candidates."""
    rng = np.random.default_rng(1)
    rows = as_csr(rng.normal(size=(60, 6)))
    candidates = Candidates(
        rows, np.arange(0, 61, 3), list(range(60)), rng.integers(0, 3, 20) + np.arange(0, 60, 3)
    )
    for learner in (JointMaxEnt(), JointSVM(), JointPerceptron(), JointMira()):
        yield f"joint: {type(learner).__name__}", digest(learner.fit(candidates).w_)
    yield "joint: JointMira k-best", digest(JointMira(constraints="k-best", k=2).fit(candidates).w_)


def text_fits(threads: int) -> Iterator[tuple[str, str]]:
    """Yield the bytes of model files."""
    data = samples.load("reviews-train")
    texts, labels = data.texts.arrow.to_pylist()[:150], data.labels[:150]
    options: dict[str, dict[str, Any]] = {
        "auto": {},
        "svm": {"learner": "svm", "calibration": "sigmoid"},
        "maxent bm25": {"learner": "maxent", "weighting": "bm25"},
        "naive bayes": {"learner": "naive-bayes"},
        "mira": {"learner": "mira"},
        "nb-svm": {"learner": "nb-svm"},
        "subwords": {"learner": "svm", "subwords": 500, "ngrams": (1, 2), "calibration": "none"},
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, chosen in options.items():
            path = Path(folder) / "model.lindy"
            lindy.TextClassifier(n_jobs=threads, **chosen).fit(texts, labels).save(path)
            yield f"texts: {name}", hashlib.sha256(path.read_bytes()).hexdigest()[:16]
            model = lindy.load(path, n_jobs=threads).partial_fit(texts[:60], labels[:60], forget=40)
            model.save(path)
            yield f"texts, updated: {name}", hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def dual_fits(threads: int) -> Iterator[tuple[str, str]]:
    """Yield fits by dual ascent, which small tables would not choose, with as many classes as need all block widths."""
    rng = np.random.default_rng(3)
    for classes in (2, 3, 5, 7, 11, 22):
        y = np.arange(2 * classes + 10) % classes
        X = rng.normal(size=(classes, 9))[y] + rng.normal(size=(len(y), 9))
        for kind in (np.float32, np.float64):
            many: dict[str, Any] = {"solver": "dual", "max_iter": 5, "n_jobs": threads}
            learners = [
                *(lindy.SVM(loss=loss, **many) for loss in ("hinge", "squared_hinge", "multiclass_hinge")),
                *(
                    lindy.MaxEnt(multiclass=multiclass, **many)
                    for multiclass in ("multinomial", "one-vs-rest")
                ),
            ]
            for number, learner in enumerate(learners):
                yield (
                    f"dual, {classes} classes, {kind.__name__}: {number}",
                    digest(learner.fit(X.astype(kind), y)),
                )


def rest_of_kernels(threads: int) -> Iterator[tuple[str, str]]:
    """Yield fits that reach the compiled kernels which the others leave out: many classes, float32, batches."""
    rng = np.random.default_rng(2)
    for classes, kind in ((2, np.float32), (5, np.float64), (14, np.float32), (23, np.float64)):
        y = np.arange(3 * classes + 20) % classes
        X = (rng.normal(size=(classes, 9))[y] + rng.normal(size=(len(y), 9))).astype(kind)
        X[rng.random(X.shape) < 0.3] = 0
        for name, learner in various(threads):
            learner.fit(X, y)
            yield f"rest, {classes} classes: {name}", digest(learner, learner.decision_function(X))
        for kernel, rows in (("intersection", np.abs(X)), ("poly", (X > 0).astype(kind))):
            machine = lindy.KernelSVM(kernel=kernel, loss="multiclass_hinge", n_jobs=threads).fit(rows, y)
            yield f"rest, {classes} classes: {kernel}", digest(machine, machine.decision_function(rows))
    for classes in (2, 5):  # so many columns that weights have four bytes
        y = np.arange(40) % classes
        near = as_csr(rng.normal(size=(classes, 9))[y] + rng.normal(size=(40, 9)))
        far = Csr(near.indptr, near.indices * 7000, near.values, 66_000)
        for loss in ("hinge", "squared_hinge", "multiclass_hinge"):
            yield (
                f"rest, {classes} classes, far: {loss}",
                digest(lindy.SVM(loss=loss, n_jobs=threads).fit(far, y)),
            )
        yield f"rest, {classes} classes, far: maxent", digest(lindy.MaxEnt(n_jobs=threads).fit(far, y))
        single = lindy.KernelSVM(dtype="float32", n_jobs=threads)
        yield f"rest, {classes} classes, far: kernel svm", digest(single.fit(far, y).decision_function(far))
    several = (rng.random((300, 30)) < rng.random(30) ** 2).astype(int)
    rows = np.abs(several @ rng.normal(size=(30, 40)) + rng.normal(size=(300, 40))).astype(np.float32)
    for learner in label_learners():
        model = lindy.linear.OneVsRest(learner=learner, n_jobs=threads).fit(rows, several)
        yield f"rest, 30 labels: {learner!r}", digest(model.W_, model.b_)
    for learner in (lindy.SVM(), lindy.MaxEnt()):
        tree = lindy.linear.LabelTree(learner=learner, trees=2, branches=4, n_jobs=threads).fit(rows, several)
        weights = [array for _, array in sorted(tree.to_state()[1].items())]
        yield f"rest, tree of 30 labels: {learner!r}", digest(*weights, tree.predict_proba(rows))
    texts = samples.load("reviews-train").texts.arrow.to_pylist()[:12]
    yield "rest: hashed words", digest(HashingVectorizer(ngram_range=(1, 3)).fit_csr(texts).arrays)
    short = lindy.KernelSVM(kernel="subsequence", length=2).fit(
        [text[:40] for text in texts], np.arange(12) % 2
    )
    yield "rest: subsequences", digest(short.decision_function([text[40:80] for text in texts]))


def label_learners() -> list[Any]:
    """Learners that find the weights of several labels together, each in its own way."""
    return [
        lindy.SVM(tol=0.01),
        lindy.NaiveBayesSVM(tol=0.01),
        *(
            kind(labels=labels)
            for kind in (lindy.Perceptron, lindy.Mira)
            for labels in ("one-vs-rest", "ranking")
        ),
        bayes.MultinomialNaiveBayes(),
        bayes.BernoulliNaiveBayes(binarize=0.5),
        baselines.LeastSquares(),
    ]


def various(threads: int) -> Iterator[tuple[str, Any]]:
    """Learners whose loops have kernels of their own for many outputs, batches, single steps and kinds of numbers."""
    for loss in ("hinge", "squared_hinge", "multiclass_hinge"):
        yield f"svm {loss}", lindy.SVM(loss=loss, penalize_intercept=True, C=0.01, tol=0.01, n_jobs=threads)
    for multiclass in ("multinomial", "one-vs-rest"):
        yield f"maxent {multiclass}", lindy.MaxEnt(multiclass=multiclass, C=0.1, tol=0.01, n_jobs=threads)
    yield "maxent lbfgs", lindy.MaxEnt(solver="lbfgs", max_iter=5, n_jobs=threads)
    yield "maxent l1", lindy.MaxEnt(penalty="l1", max_iter=5, n_jobs=threads)
    yield "mira", lindy.Mira()
    for kind in ("float32", "float64"):
        for name, options in (
            ("one", {}),
            ("adagrad", {"schedule": "adagrad"}),
            ("batch", {"batch_size": 7}),
            ("average", {"average": True}),
        ):
            chosen = {"epochs": 2, "dtype": kind, **options}
            yield f"sgd {name} {kind}", lindy.MaxEnt(solver="sgd", solver_options=chosen)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # some of these end at max_iter
    for name, value in fits(int(sys.argv[1]), sys.argv[2:]):
        sys.stdout.write(f"{name}\t{value}\n")
