"""Several labels per text from partitions: the same bytes for any partitioning, and what one machine learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.distributed.test_partition_calibration import fitted
from tests.partitioned import cut, model_bytes, tagged

from lindy import MaxEnt, TextClassifier
from lindy.errors import DataError
from lindy.linear import SVM

EXACT = {"svm": SVM(tol=1e-9), "maxent": MaxEnt(tol=1e-9)}


@pytest.mark.parametrize("learner", ["svm", "maxent", "naive-bayes"])
def test_the_same_bytes_for_any_partitioning(learner: str, tmp_path: Path) -> None:
    table = tagged()
    shuffled = table.take(np.random.default_rng(0).permutation(table.num_rows))
    models = [fitted(TextClassifier(learner=learner), cut(table, n), n % 2 + 1) for n in (1, 4)]
    models.append(fitted(TextClassifier(learner=learner), [*cut(shuffled, 3), (3, table.slice(0, 0))]))
    assert models[0].several_labels
    assert models[0].n_examples == table.num_rows
    assert models[0].class_counts_.tolist() == models[2].class_counts_.tolist()
    assert len({model_bytes(model, tmp_path) for model in models}) == 1


@pytest.mark.parametrize(
    "learner", ["svm", "maxent", "naive-bayes", "bernoulli-naive-bayes", "complement-naive-bayes"]
)
def test_scores_are_those_of_one_machine(learner: str) -> None:
    table, given = tagged(), EXACT.get(learner, learner)
    ours = fitted(TextClassifier(learner=given), cut(table, 3))
    theirs = TextClassifier(learner=given).fit(table["text"], table["label"])
    texts = table["text"].to_pylist()
    np.testing.assert_allclose(ours.decision_function(texts), theirs.decision_function(texts), atol=2e-4)
    if ours.learner_.certificate_ is not None:
        assert ours.learner_.certificate_.reached
        assert theirs.learner_.certificate_.objective == pytest.approx(
            ours.learner_.certificate_.objective, rel=1e-6
        )


def test_thresholds_are_for_the_metric_and_found_on_held_out_texts() -> None:
    table = tagged()
    model = fitted(TextClassifier(learner="svm", metric="macro-f1"), cut(table, 2))
    assert "macro-f1" in model.why_[-1]
    assert f"on {table.num_rows} held-out texts" in model.why_[-1]
    assert model.label_thresholds is not None
    with pytest.raises(DataError, match="no label is called 'nope'"):
        fitted(TextClassifier(learner="svm", metric="f1:nope"), cut(table, 2))


def test_rows_of_one_label_and_of_several_are_lists() -> None:
    single = pa.table({"text": ["a good book", "a bad book"] * 4, "label": ["good", "bad"] * 4})
    several = pa.table({"text": ["a new good book", "a book"] * 4, "label": [["good", "new"], []] * 4})
    model = fitted(TextClassifier(learner="naive-bayes"), [(0, single), (1, several)])
    assert model.classes_.tolist() == ["bad", "good", "new"]
    assert model.class_counts_.tolist() == [4, 8, 4]
    assert model.n_examples == 16


def test_one_label_in_all_is_enough() -> None:
    table = pa.table(
        {"text": ["urgent now", "later", "now urgent", "some day"] * 5, "label": [["urgent"], []] * 10}
    )
    model = fitted(TextClassifier(learner="svm"), cut(table, 2))
    assert model.predict(["urgent now", "some day"]).tolist() == [("urgent",), ()]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"learner": "nb-svm"}, "cannot learn several labels from partitions"),
        ({"learner": "perceptron"}, "cannot learn several labels from partitions"),
        ({"learner": SVM(loss="hinge")}, "cannot be fitted exactly over partitions"),
        ({"learner": "svm", "class_weight": "balanced"}, "class_weight is for one label"),
        ({"learner": "svm", "metric": "log-loss"}, "log-loss is for one label"),
    ],
)
def test_what_partitions_cannot_do_is_said(options: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        fitted(TextClassifier(**options), cut(tagged(60), 2))


def test_texts_without_any_label_teach_nothing() -> None:
    table = pa.table({"text": ["a", "b"], "label": pa.array([[], None], pa.list_(pa.string()))})
    with pytest.raises(DataError, match="no text has a label"):
        fitted(TextClassifier(learner="svm"), [(0, table)])
