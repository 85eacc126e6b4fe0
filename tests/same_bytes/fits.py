"""Fits of every kind on small data; prints one line per fit: its name and a digest of everything that was fitted.

Run as a script, under whatever CPU, BLAS, instruction-set level and C library the caller has chosen by environment
variables. Lines must not depend on any of them, nor on the number of threads, which is the only argument.
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
from lindy.csr import as_csr
from lindy.data import samples
from lindy.evaluation import fit_calibrator
from lindy.joint import Candidates, JointMaxEnt, JointMira, JointPerceptron, JointSVM
from lindy.kernels import Nystroem, RandomFourier, TensorSketch


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
            yield f"svm {loss} {penalize}", lindy.SVM(loss=loss, penalize_bias=penalize, **many)
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
    yield "bernoulli", bayes.BernoulliNaiveBayes()
    yield "complement", bayes.ComplementNaiveBayes(norm=True)
    yield "categorical", bayes.CategoricalNaiveBayes()
    yield "word votes", baselines.WordVotes()


def fits(threads: int) -> Iterator[tuple[str, str]]:
    """Yield the name and the digest of one fit after the other."""
    for table, X, y in tables():
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
    yield from joint_fits()
    yield from text_fits(threads)


def joint_fits() -> Iterator[tuple[str, str]]:
    """Yield fits of one weight vector over candidates."""
    rng = np.random.default_rng(1)
    rows = as_csr(rng.normal(size=(60, 6)))
    candidates = Candidates(
        rows, np.arange(0, 61, 3), list(range(60)), rng.integers(0, 3, 20) + np.arange(0, 60, 3)
    )
    for learner in (JointMaxEnt(), JointSVM(), JointPerceptron(), JointMira()):
        yield f"joint: {type(learner).__name__}", digest(learner.fit(candidates).w_)


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
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, chosen in options.items():
            path = Path(folder) / "model.lindy"
            lindy.TextClassifier(n_jobs=threads, **chosen).fit(texts, labels).save(path)
            yield f"texts: {name}", hashlib.sha256(path.read_bytes()).hexdigest()[:16]


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # some of these end at max_iter
    for name, value in fits(int(sys.argv[1])):
        sys.stdout.write(f"{name}\t{value}\n")
