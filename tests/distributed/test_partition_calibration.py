"""Learners without probabilities of their own are calibrated on partitions, in the same way for any partitioning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.partitioned import WANTED, corpus, cut, model_bytes

from lindy import SVM, TextClassifier
from lindy.core.csr import Csr
from lindy.core.targets import OneLabel
from lindy.distributed.cluster_fit import fit_partitions
from lindy.distributed.processes import Processes
from lindy.distributed.smooth_tasks import Rows
from lindy.distributed.tasks import class_sizes, held_out_scores, without_fold
from lindy.evaluation import calibration_error


def fitted(model: TextClassifier, parts, workers: int = 1) -> TextClassifier:
    with Processes("frame_part", parts, WANTED, workers) as engine:
        fit_partitions(model, engine)
    return model


@pytest.mark.parametrize("learner", ["svm", "nb-svm", "auto"])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_the_same_for_any_partitioning(learner: str, classes: int, tmp_path: Path) -> None:
    table = corpus(classes)
    shuffled = table.take(np.random.default_rng(0).permutation(table.num_rows))
    models = [fitted(TextClassifier(learner=learner), cut(table, n), n % 2 + 1) for n in (1, 4)]
    models.append(fitted(TextClassifier(learner=learner), cut(shuffled, 3)))
    assert models[0].calibrator_ is not None
    assert models[0].outcomes_ is not None
    assert len({model_bytes(model, tmp_path) for model in models}) == 1
    p = models[0].predict_proba(table["text"])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


def test_held_out_rows_make_the_probabilities_honest() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 600)
    words = np.where(rng.random((600, 6)) < 0.35, 1 - y[:, None], y[:, None])
    texts = [" ".join(f"{'ab'[w]}{rng.integers(40)}" for w in row) for row in words]
    table = pa.table({"text": texts, "label": [f"l{k}" for k in y]})
    model = fitted(TextClassifier(learner=SVM(C=10)), cut(table.slice(0, 400), 3))
    assert calibration_error(model.predict_proba(texts[400:]), y[400:]) < 0.15


def test_a_learner_with_probabilities_is_left_alone_and_none_means_none() -> None:
    table = corpus()
    assert fitted(TextClassifier(learner="maxent"), cut(table, 2)).calibrator_ is None
    assert fitted(TextClassifier(learner="svm", calibration="none"), cut(table, 2)).calibrator_ is None


def test_a_method_that_is_asked_for_is_taken() -> None:
    model = fitted(TextClassifier(learner="maxent", calibration="temperature"), cut(corpus(3), 2))
    assert model.calibrator_ is not None
    assert model.calibrator_.method == "temperature"


def test_rows_that_are_all_alike_or_rare_can_be_calibrated() -> None:
    alike = pa.table({"text": ["same words"] * 8, "label": ["a", "b"] * 4})
    assert fitted(TextClassifier(learner="svm"), cut(alike, 2)).has_probabilities
    rare = pa.table(
        {"text": [f"word{i % 3} more{i}" for i in range(30)], "label": ["a", "b", "c"] * 9 + ["d"] * 3}
    )
    assert fitted(TextClassifier(learner="svm"), cut(rare, 3)).has_probabilities


def test_every_row_is_held_out_once_and_equal_rows_together() -> None:
    X = Csr(
        np.array([0, 2, 4, 4, 5]),
        np.array([0, 3, 3, 0, 1], np.int32),
        np.array([1, 2, 2, 1, 1], np.float32),
        4,
    )
    rows = Rows("part", X, OneLabel.of([0, 1, 1, 0]))
    parts = [without_fold(rows, fold, 5) for fold in range(5)]
    held = np.array([part.held_out for part in parts])
    assert (held.sum(axis=0) == 1).all()
    assert (held[:, 0] == held[:, 1]).all()  # the same columns and values in another order
    again = without_fold(parts[0], 3, 5)
    np.testing.assert_array_equal(again.held_out, parts[3].held_out)
    assert class_sizes(again).counts.sum() == 4 - held[3].sum()
    learner = SVM().fit(X.to_dense(), rows.y)
    found = held_out_scores(again, learner, np.ones(2, bool))
    expected = learner.decision_function(X.to_dense())[held[3]]
    np.testing.assert_allclose(found.scores[:, 0], expected, rtol=1e-6)
