"""Partitions in worker processes: the same bytes for any partitioning, equal to one machine, whatever is killed."""

import os
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from tests.partitioned import WANTED, corpus, cut, model_bytes, one_machine

from lindy import SVM, DataError, MaxEnt, TextClassifier
from lindy.distributed.cluster_fit import Checkpoint, fit_partitions
from lindy.distributed.engine import EngineError, perform
from lindy.distributed.processes import Processes


def fitted(model: TextClassifier, parts, workers: int = 1, journal=None, kind=Processes) -> TextClassifier:
    with kind("frame_part", parts, WANTED, workers) as engine:
        fit_partitions(model, engine, journal)
    return model


def test_the_same_bytes_for_any_number_of_partitions_and_workers(tmp_path: Path) -> None:
    table = corpus(classes=3)
    found = {
        model_bytes(fitted(TextClassifier(learner=MaxEnt(tol=1e-6)), cut(table, n), workers), tmp_path)
        for n in (1, 3, 7)
        for workers in (1, 2)
    }
    shuffled = table.take(np.random.default_rng(0).permutation(table.num_rows))
    found.add(model_bytes(fitted(TextClassifier(learner=MaxEnt(tol=1e-6)), cut(shuffled, 4)), tmp_path))
    assert len(found) == 1


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "learner",
    [
        MaxEnt(tol=1e-11),
        MaxEnt(tol=1e-11, multiclass="one-vs-rest", class_weight="balanced"),
        MaxEnt(tol=1e-11, fit_intercept=False),
        SVM(tol=1e-11),
        SVM(tol=1e-11, penalize_intercept=True, C=0.3),
    ],
    ids=repr,
)
def test_the_objective_is_that_of_one_machine(learner, classes, tmp_path: Path) -> None:
    table = corpus(classes)
    options = {"learner": learner, "ngrams": (1, 2), "calibration": "none"}
    many = fitted(TextClassifier(**options), cut(table, 3))
    one = one_machine(TextClassifier(**options), table)
    ours, theirs = many.learner_.certificate_, one.learner_.certificate_
    assert ours.reached
    assert abs(ours.objective - theirs.objective) <= 1e-10
    assert (many.predict(table["text"]) == one.predict(table["text"])).all()
    codes = np.searchsorted(many.classes_, table["label"].to_pylist())
    rows = many.vectorizer_.transform_csr(table["text"])
    assert many.learner_.objective(rows, many.classes_[codes]) == pytest.approx(ours.objective, rel=1e-12)
    assert model_bytes(many, tmp_path) == model_bytes(
        fitted(TextClassifier(**options), cut(table, 5)), tmp_path
    )


def test_weights_are_those_of_scikit_learn() -> None:
    table = corpus(3)
    model = fitted(TextClassifier(learner=MaxEnt(tol=1e-12)), cut(table, 3))
    X = model.vectorizer_.transform(table["text"]).astype(float)
    theirs = LogisticRegression(tol=1e-12, max_iter=10_000).fit(X, table["label"].to_pylist())
    assert np.abs(model.learner_.coef_ - theirs.coef_).max() < 1e-4


@pytest.mark.parametrize(
    "name", ["naive-bayes", "bernoulli-naive-bayes", "complement-naive-bayes", "majority", "word-votes"]
)
def test_counting_models_are_those_of_one_machine(name: str, tmp_path: Path) -> None:
    table = corpus(3)
    many = fitted(TextClassifier(learner=name), cut(table, 3), 2)
    one = one_machine(TextClassifier(learner=name), table)
    assert many.vectorizer_.get_feature_names_out().tolist() == sorted(
        one.vectorizer_.get_feature_names_out()
    )
    assert (many.class_counts_ == one.class_counts_).all()
    assert np.allclose(
        many.predict_proba(table["text"]), one.predict_proba(table["text"]), rtol=1e-12, atol=0
    )
    again = fitted(TextClassifier(learner=name), cut(table, 7))
    assert model_bytes(many, tmp_path) == model_bytes(again, tmp_path)


def test_words_and_characters_have_the_idf_of_one_machine() -> None:
    table = corpus()
    options = {"ngrams": (1, 2), "chars": (2, 3), "min_df": 2, "max_features": 300, "calibration": "none"}
    many = fitted(TextClassifier(learner="maxent", **options), cut(table, 3))
    one = many.vectorizer_.fresh()
    one.fit_csr(table["text"])  # in the order of the alphabet, which decides between equally frequent terms
    assert many.vectorizer_.get_feature_names_out().tolist() == one.get_feature_names_out().tolist()
    ours, theirs = (np.concatenate([part.idf_ for _, part in v.parts]) for v in (many.vectorizer_, one))
    assert ours.tolist() == theirs.tolist()


def test_subwords_are_those_of_one_machine(tmp_path: Path) -> None:
    table = corpus(2)
    options = {"learner": "maxent", "subwords": 60, "ngrams": (1, 2), "calibration": "none"}
    found = [fitted(TextClassifier(**options), cut(table, n), 2) for n in (1, 3)]
    assert len({model_bytes(model, tmp_path) for model in found}) == 1
    one = found[0].vectorizer_.fresh()
    one.fit_csr(table["text"])
    assert found[0].vectorizer_.merges_ == one.merges_
    assert found[0].vectorizer_.get_feature_names_out().tolist() == one.get_feature_names_out().tolist()


def test_bm25_is_that_of_one_machine(tmp_path: Path) -> None:
    table = corpus(3)
    options = {"learner": "maxent", "weighting": "bm25", "ngrams": (1, 2), "min_df": 2}
    found = [fitted(TextClassifier(**options), cut(table, n), 2) for n in (1, 3, 7)]
    assert len({model_bytes(model, tmp_path) for model in found}) == 1
    one = found[0].vectorizer_.fresh()
    rows = one.fit_csr(table["text"])
    ours, theirs = found[0].vectorizer_.to_state(), one.to_state()
    assert ours[0] == theirs[0]
    assert ours[1].keys() == theirs[1].keys()
    assert all((ours[1][name] == theirs[1][name]).all() for name in ours[1])
    assert (found[0].vectorizer_.transform_csr(table["text"]).to_scipy() != rows.to_scipy()).nnz == 0


def test_the_usual_recipe_is_the_svm_with_log_count_ratios(tmp_path: Path) -> None:
    table = corpus(3)
    many = fitted(TextClassifier(), cut(table, 3))
    one = one_machine(TextClassifier(fast=True, calibration="none"), table)
    assert many.recipe_ == one.recipe_
    assert many.learner_.certificate_.objective == pytest.approx(
        one.learner_.certificate_.objective, rel=2e-3
    )
    assert (many.predict(table["text"]) == one.predict(table["text"])).mean() > 0.99
    assert model_bytes(many, tmp_path) == model_bytes(fitted(TextClassifier(), cut(table, 7)), tmp_path)


class Killing(Processes):
    """Kills a worker in the middle of its fifth round."""

    rounds = 0

    def total(self, move, *arguments):
        self.rounds += 1
        if self.rounds == 5:
            os.kill(self.pids[0], signal.SIGKILL)
        return super().total(move, *arguments)


def test_a_killed_process_changes_nothing(tmp_path: Path) -> None:
    parts = cut(corpus(), 3)
    usual = fitted(TextClassifier(learner="maxent"), parts, 2)
    killed = fitted(TextClassifier(learner="maxent"), parts, 2, kind=Killing)
    assert model_bytes(usual, tmp_path) == model_bytes(killed, tmp_path)


def test_ctrl_c_is_not_for_workers() -> None:
    with Processes("frame_part", cut(corpus(), 3), WANTED, 2) as engine:
        names, pids = engine.run("name_of"), engine.pids
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        assert engine.run("name_of") == names
        assert engine.pids == pids


def test_empty_partitions_and_partitions_of_one_class_change_nothing(tmp_path: Path) -> None:
    table = corpus(3)
    sorted_parts = [
        table.filter(pa.compute.equal(table["label"], label))
        for label in sorted(set(table["label"].to_pylist()))
    ]
    parts = list(enumerate([table.slice(0, 0), *sorted_parts, table.slice(0, 0)]))
    for learner in ("naive-bayes", "maxent", "svm", "nb-svm"):
        usual = fitted(TextClassifier(learner=learner), cut(table, 1))
        odd = fitted(TextClassifier(learner=learner), parts)
        assert model_bytes(usual, tmp_path) == model_bytes(odd, tmp_path), learner


GOOD = {"text": ["a good book", "a bad book"], "label": ["good", "bad"]}


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (
            {"text": ["fine", None], "label": ["good", "bad"]},
            "partition 1, row 2: no text: 'text' is null or missing",
        ),
        (
            {"text": ["fine", "bad"], "label": ["good", None]},
            "partition 1, row 2: no label: 'label' is null or missing",
        ),
        (
            {"text": [1, 2], "label": ["good", "bad"]},
            "partition 1: the column 'text' holds int64, expected strings",
        ),
        (
            {"text": ["fine", "bad"], "label": [1, 2]},
            "partition 1 and partition 0: labels must be of one kind",
        ),
        ({"text": ["fine", "bad"], "label": [1.5, 2.5]}, "partition 1: the column 'label': .*continuous"),
        ({"texts": ["fine", "bad"], "label": ["good", "bad"]}, "partition 1: no column 'text'"),
        ({"text": ["fine", "bad"]}, "partition 1: no column 'label'"),
    ],
)
def test_bad_partitions_are_named(columns, says: str) -> None:
    parts = [(0, pa.table(GOOD)), (1, pa.table(columns))]
    with pytest.raises(DataError, match=says):
        fitted(TextClassifier(learner="naive-bayes"), parts)


@pytest.mark.parametrize(
    ("options", "columns", "says"),
    [
        (
            {},
            {"text": ["a", "b"], "label": ["x", "x"]},
            "there is only one class: all 2 examples have the same label, 'x'",
        ),
        (
            {},
            {"text": pa.array([], pa.string()), "label": pa.array([], pa.string())},
            "there are no examples",
        ),
        ({"learner": "naive-bayes"}, {"text": ["!", "?"], "label": ["x", "y"]}, "empty vocabulary"),
        (
            {"learner": "naive-bayes", "weighting": "tfidf"},
            GOOD,
            "counts, and these features are no whole numbers",
        ),
        ({"learner": "kernel-svm"}, GOOD, "KernelSVM cannot be fitted to partitions"),
        ({"learner": MaxEnt(penalty="l1")}, GOOD, "needs the penalty 'l2'; got 'l1'"),
        ({"learner": "maxent", "metric": "macro-f1"}, GOOD, "metric: not for texts in partitions"),
        (
            {"learner": "maxent", "weighting": "log-count-ratio"},
            GOOD,
            "LogCountRatioVectorizer cannot be learned from partitions",
        ),
    ],
)
def test_what_cannot_be_learned_is_refused(options, columns, says: str) -> None:
    with pytest.raises((DataError, ValueError), match=says):
        fitted(TextClassifier(**options), [(0, pa.table(columns))])


def test_a_worker_of_another_version_refuses() -> None:
    with pytest.raises(EngineError, match=r"has lindy .*, and version 0.0.0 asks"):
        perform("0.0.0", "name_of", None, ())


def test_an_interrupted_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    parts, file = cut(corpus(), 2), str(tmp_path / "model.lindy.checkpoint")
    usual = fitted(TextClassifier(learner=MaxEnt(tol=1e-9)), parts)
    with pytest.warns(UserWarning, match="stopped after 3 rounds"):
        fitted(TextClassifier(learner=MaxEnt(tol=1e-9, max_iter=3)), parts, journal=Checkpoint(file))
    with pytest.raises(DataError, match="the checkpoint is of other data or of other options"):
        fitted(TextClassifier(learner=MaxEnt(C=2.0)), parts, journal=Checkpoint(file, resume=True))
    resumed = fitted(TextClassifier(learner=MaxEnt(tol=1e-9)), parts, journal=Checkpoint(file, resume=True))
    assert resumed.learner_.certificate_.reached
    assert resumed.learner_.n_iter_ < usual.learner_.n_iter_
    assert resumed.learner_.certificate_.objective == pytest.approx(
        usual.learner_.certificate_.objective, rel=2e-9
    )
    whole = Path(file).read_bytes()
    for broken in (b"nothing", whole[:-30], whole[:100]):
        (tmp_path / "broken").write_bytes(broken)
        with pytest.raises(DataError, match="not a checkpoint"):
            Checkpoint(str(tmp_path / "broken"), resume=True).start("", 1)
