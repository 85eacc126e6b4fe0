"""Model files that are small and claim to be large: refused, or no dearer than small ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lindy
from lindy.errors import DataError, ModelFileError
from lindy.kernels import RBF, Linear
from lindy.kernels.kernel import MOST_KERNELS, Kernel
from lindy.linear.sparse_weights import SparseWeights
from lindy.modelfile import read_model, write_model

TEXTS = ["a fine warm book", "dull and long", "wonderful wise book", "empty dull pages"] * 5
LABELS = ["good", "bad"] * 10
FOUR = ["a", "b", "c", "d"] * 5
USE = """
import sys
import lindy
from lindy.cli.app import run
path = sys.argv[1]
print(lindy.load(path).predict(["a fine book", "dull pages"]).tolist())
for options in ([], ["--feature", "fine"], ["--json"]) if sys.argv[2:] else []:
    assert run(["inspect", path, *options]) == 0
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def forge(path: Path, header: dict[str, Any] | None = None, **arrays: Any) -> None:
    """Write the model again with another header, and other arrays in the places of some."""
    file = read_model(path)
    changed = {name.replace("__", "."): array for name, array in arrays.items()}
    write_model(path, header or file.header, {**file.arrays, **changed})


def kernel_tree(leaves: int) -> dict[str, Any]:
    if leaves == 1:
        return Linear().to_dict()
    half = kernel_tree(leaves // 2)
    return {"name": "product", "first": half, "second": half}


@pytest.mark.parametrize("leaves", [MOST_KERNELS, 1 << 14])
def test_a_kernel_of_very_many_kernels_is_refused(leaves: int, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner=lindy.KernelSVM(kernel=Linear() + RBF())).fit(TEXTS, LABELS).save(path)
    header = read_model(path).header
    header["learner"]["params"]["kernel"] = json.dumps(kernel_tree(leaves))
    forge(path, header)
    with pytest.raises(ModelFileError, match=f"at most {MOST_KERNELS} kernels"):
        lindy.load(path)


def test_what_can_be_saved_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    kernel: Kernel = Linear()
    for _ in range((MOST_KERNELS - 2) // 2):
        kernel = kernel + Linear()
    model = lindy.TextClassifier(learner=lindy.KernelSVM(kernel=kernel)).fit(TEXTS, LABELS)
    model.save(path)
    np.testing.assert_array_equal(lindy.load(path).predict(TEXTS), model.predict(TEXTS))
    model.learner_.kernel = kernel + Linear() + Linear()
    with pytest.raises(ValueError, match=f"at most {MOST_KERNELS} kernels"):
        model.save(path)


@pytest.mark.limits_memory
def test_columns_that_are_only_claimed_cost_nothing(tmp_path: Path) -> None:
    """A hashed model of 2^28 columns, of which a few have a weight: once 2.2 GB in ``lindy inspect``."""
    path = tmp_path / "model.lindy"
    vectorizer = lindy.text.HashingVectorizer(n_features=1 << 12)
    learner = lindy.MaxEnt(penalty="l1", C=100)
    lindy.TextClassifier(learner=learner, vectorizer=vectorizer).fit(TEXTS, LABELS).save(path)
    columns = 1 << 28
    header = read_model(path).header
    header["vectorizer"]["n_features"] = columns
    forge(path, header, learner__W_rows=np.array([columns]))
    done = subprocess.run(
        [sys.executable, "-c", USE, str(path), "inspect"], capture_output=True, text=True, check=True
    )
    assert f"{columns:,} features" in done.stdout
    assert int(done.stdout.splitlines()[-1]) < 400_000, "a table of all columns was made"


def test_sparse_weights_of_very_many_columns_score_as_those_of_few() -> None:
    rng = np.random.default_rng(0)
    X = np.zeros((60, 4))
    X[:, :3] = rng.normal(size=(60, 3))
    model = lindy.MaxEnt(penalty="l1", C=10).fit(X, np.arange(60) % 3).sparsify()
    params, arrays = model.to_state()
    scores = []
    for columns in (1 << 22, 1 << 23):  # the larger one has no table of all columns
        arrays["W_rows"] = np.array([columns])
        wide = type(model).from_state(params, arrays, model.classes_)
        rows = lindy.core.csr.Csr(
            np.arange(61) * 4, np.tile(np.array([0, 1, 2, columns - 1], np.int32), 60), X.ravel(), columns
        )
        np.testing.assert_allclose(wide.decision_function(rows), model.decision_function(X))
        np.testing.assert_array_equal(wide.weights_of(np.array([2, columns - 1]))[0], model.W_[2])
        scores.append(wide.decision_function(rows))
    np.testing.assert_array_equal(*scores)


def with_classes(header: dict[str, Any], n_classes: int) -> dict[str, Any]:
    classes = sorted(f"{number:x}" for number in range(n_classes))
    return header | {"classes": classes, "class_counts": [1] * n_classes}


@pytest.mark.limits_memory
def test_many_features_times_many_classes_cost_what_the_file_holds(tmp_path: Path) -> None:
    """60,000 features, each with a weight for one of 20,000 classes: a table of them all would take 10 GB."""
    path, columns, classes = tmp_path / "model.lindy", 60_000, 20_000
    vectorizer = lindy.text.HashingVectorizer(n_features=1 << 12)
    learner = lindy.MaxEnt(penalty="l1", C=100)
    lindy.TextClassifier(learner=learner, vectorizer=vectorizer).fit(TEXTS, FOUR).save(path)
    header = with_classes(read_model(path).header, classes)
    header["vectorizer"]["n_features"] = columns
    forge(
        path,
        header,
        learner__W_rows=np.array([columns]),
        learner__W_values=np.ones(columns),
        learner__W_features=np.arange(columns, dtype=np.int32),
        learner__W_starts=np.linspace(0, columns, classes + 1).astype(np.int64),
        learner__b=np.zeros(classes),
    )
    done = subprocess.run([sys.executable, "-c", USE, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) < 400_000, "a table of all features and classes was made"


def test_weights_that_are_scored_in_parts_score_as_whole_ones() -> None:
    columns = 3000
    rng = np.random.default_rng(0)
    W = np.diag(rng.normal(size=columns))
    W[:, 7] = rng.normal(size=columns)  # more than a part's share in one class
    sparse = SparseWeights.of(W)
    assert len(sparse._cuts) > 3
    indices = np.sort(rng.integers(0, columns, (20, 8)).astype(np.int32), axis=1)
    rows = lindy.core.csr.Csr(np.arange(21) * 8, indices.ravel(), rng.normal(size=160), columns)
    b = rng.normal(size=columns)
    np.testing.assert_allclose(sparse.scores(rows, b), rows.to_dense() @ W + b, atol=1e-12)
    np.testing.assert_array_equal(sparse.rows_of(np.array([5, 7])), W[[5, 7]])


def test_counts_of_very_many_features_and_classes_take_what_the_file_holds(tmp_path: Path) -> None:
    path, columns, classes = tmp_path / "model.lindy", 20_000, 20_000
    vectorizer = lindy.text.HashingVectorizer(n_features=1 << 12, alternate_sign=False)
    lindy.TextClassifier(learner="naive-bayes", vectorizer=vectorizer).fit(TEXTS, FOUR).save(path)
    header = with_classes(read_model(path).header, classes)
    header["vectorizer"]["n_features"] = columns
    forge(
        path,
        header,
        learner__classes_per_feature=np.ones(columns, np.uint8),
        learner__class=np.arange(columns, dtype=np.uint32),
        learner__count=np.ones(columns, np.uint8),
        learner__class_count=np.ones(classes),
    )
    assert (
        len(lindy.load(path).classes_) == classes
    )  # weights that differ from their background: no dense table
    X = lindy.core.csr.Csr(
        np.arange(columns + 1), np.arange(columns, dtype=np.int32), np.ones(columns), columns
    )
    counted = lindy.MultinomialNaiveBayes().fit(X, np.arange(columns))
    np.testing.assert_array_equal(counted.predict(X.take(np.arange(5))), np.arange(5))


@pytest.mark.parametrize("labels", [LABELS, FOUR], ids=["two classes", "four classes"])
@pytest.mark.parametrize("learner", ["maxent", "svm", "perceptron"])
@pytest.mark.parametrize("name", ["learner__W", "learner__b"])
def test_huge_weights_are_refused_or_give_probabilities(
    name: str, learner: str, labels: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner=learner).fit(TEXTS, labels).save(path)
    stored = read_model(path).arrays[name.replace("__", ".")]
    for size in (1e30, 1e38, np.finfo(stored.dtype).max):
        for sign in (1, -1):
            forge(path, **{name: np.full_like(stored, sign * size)})
            try:
                model = lindy.load(path)
                p = np.concatenate([model.predict_proba(TEXTS[:2]), model.predict_proba(TEXTS)])
            except (ModelFileError, DataError):
                continue
            assert (p >= 0).all()
            np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize(
    "prior", [[1, 1, 1, 1], [0.5, 0.5, 0.5, -0.5], [0.5, 0.5], "often", [[1], [0], [0], [0]]]
)
def test_a_prior_that_is_none_is_refused(prior: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner="naive-bayes").fit(TEXTS, FOUR).save(path)
    header = read_model(path).header
    header["learner"]["params"]["class_prior"] = prior
    forge(path, header)
    with pytest.raises(ModelFileError, match="class_prior"):
        lindy.load(path)
