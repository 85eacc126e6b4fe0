"""Calibration of fitted models on texts that they have not learned from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pytest

from lindy import SVM, MultinomialNaiveBayes, TextClassifier, load
from lindy.data import samples
from lindy.errors import DataError
from lindy.evaluation.calibration.calibrators import fit_calibrator, log_losses
from lindy.updating import recalibrate
from tests.test_several_labels import recipes

TRAIN, TEST = samples.load("reviews-train"), samples.load("reviews-test")
WORDS = ["fine", "dull", "warm", "long", "wise", "grey"]


def drawn(n: int, seed: int, labels: str = "abc") -> tuple[list[str], list[str]]:
    """Return texts whose words say mostly, but not always, which label they have."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, len(labels), n)
    said = np.where(random.random(n) < 0.2, random.integers(0, len(labels), n), truth)
    words = (2 * said[:, None] + random.integers(0, 3, (n, 4))) % 6
    return [" ".join(WORDS[w] for w in row) for row in words], [labels[k] for k in truth]


def losses(model: Any, texts: Any, labels: Any) -> float:
    codes = np.searchsorted(model.classes_, np.asarray(labels, object))
    return float(log_losses(model.predict_proba(texts), codes).mean())


def test_probabilities_are_those_of_the_calibrator_of_the_scores() -> None:
    """The weights stay; the calibrator is what ``fit_calibrator`` makes of the scores of these texts."""
    texts, labels = drawn(400, 0)
    model = TextClassifier(learner=SVM(), calibration="none").fit(texts, labels)
    other, truth = drawn(300, 1)
    scores = model.decision_function(other)
    model.calibrate(other, truth, method="vector")
    assert (model.decision_function(other) == scores).all()
    codes = np.searchsorted(model.classes_, np.asarray(truth, object)).astype(np.int32)
    wanted = fit_calibrator(scores, codes, 3, "vector")(scores)
    np.testing.assert_allclose(model.predict_proba(other), wanted, rtol=1e-12)


def test_a_model_that_was_too_sure_is_calibrated_for_further_texts() -> None:
    texts, labels = drawn(600, 0)
    model = TextClassifier(learner=MultinomialNaiveBayes(), calibration="none").fit(texts, labels)
    held_out, new = drawn(500, 1), drawn(500, 2)
    before, said = losses(model, *new), model.predict(new[0]).tolist()
    done = recalibrate(model, *held_out, method="temperature")
    assert losses(model, *new) < before
    assert model.predict(new[0]).tolist() == said, "a temperature changes no label"
    assert done.after["log_loss"] < done.before["log_loss"]
    assert done.n == 500
    assert (done.unknown, done.absent) == ({}, [])


def test_figures_are_of_texts_that_the_calibrator_has_not_seen() -> None:
    """Labels drawn at random: isotonic steps that fit them are worth less on other texts."""
    texts, labels = drawn(300, 0, "ab")
    model = TextClassifier(learner=SVM(), calibration="none").fit(texts, labels)
    random = np.random.default_rng(1)
    other, truth = drawn(400, 2, "ab")[0], random.choice(["a", "b"], 400).tolist()
    done = recalibrate(model, other, truth, method="isotonic")
    assert losses(model, other, truth) < done.after["log_loss"]


def test_thresholds_are_set_for_a_metric(tmp_path: Path) -> None:
    model = TextClassifier(learner="svm").fit(TRAIN.texts, TRAIN.labels)
    model.calibrate(TEST.texts, TEST.labels, metric="recall@precision:0.9:positive")
    model.save(tmp_path / "model.lindy")
    again = load(tmp_path / "model.lindy")
    assert again.metric == "recall@precision:0.9:positive"
    predicted = again.predict(TEST.texts)
    called = predicted == "positive"
    assert (np.asarray(TEST.labels.to_pylist(), object)[called] == "positive").mean() >= 0.9
    assert any(line.startswith("rule: positive from a probability of") for line in again.why_)
    assert again.predict_proba(TEST.texts).tolist() == model.predict_proba(TEST.texts).tolist()


def test_labels_that_are_missing_from_either_side() -> None:
    texts, labels = drawn(300, 0)
    model = TextClassifier(learner=SVM()).fit(texts, labels)
    some, truth = drawn(200, 1, "ab")
    done = recalibrate(model, [*some, "fine"], [*truth, "d"])
    assert done.unknown == {"d": 1}
    assert done.absent == ["c"]
    assert (done.method, done.n) == ("temperature", 200)
    with pytest.raises(DataError, match="no text has the label 'c', and isotonic calibration"):
        recalibrate(model, some, truth, method="isotonic")
    for wrong in (["d"] * 200, ["a"] * 200):
        before = model.predict_proba(some).tolist()
        with pytest.raises(DataError, match="at least two of the model's labels"):
            recalibrate(model, some, wrong)
        assert model.predict_proba(some).tolist() == before


def test_weights_are_numbers_of_texts() -> None:
    texts, labels = drawn(300, 0, "ab")
    other, truth = drawn(100, 1, "ab")
    weight = np.random.default_rng(0).integers(0, 3, 100)
    twice = [np.repeat(np.asarray(column, object), weight).tolist() for column in (other, truth)]
    one, two = (TextClassifier(learner=SVM()).fit(texts, labels) for _ in range(2))
    one.calibrate(other, truth, weight, method="sigmoid")
    two.calibrate(*twice, method="sigmoid")
    np.testing.assert_allclose(one.predict_proba(other), two.predict_proba(other), atol=0.02)


def test_several_labels_per_text_get_thresholds(tmp_path: Path) -> None:
    texts, labels = recipes(200, 0)
    model = TextClassifier(learner="svm").fit(texts, labels)
    other, truth = recipes(160, 1)
    done = recalibrate(model, other, [[*own, "unheard"] for own in truth], metric="macro-f1")
    assert done.unknown == {"unheard": 160}
    assert set(done.after) == {"micro_f1", "macro_f1", "example_f1"}
    assert model.metric == "macro-f1"
    model.save(tmp_path / "model.lindy")
    assert load(tmp_path / "model.lindy").predict(other).tolist() == model.predict(other).tolist()


@pytest.mark.parametrize(("labels", "loss"), [("ab", "softmax"), ("ab", "ova"), ("ab", "hs"), ("abc", "ns")])
def test_a_model_of_fasttext_is_calibrated(labels: str, loss: str, tmp_path: Path) -> None:
    texts, truth = drawn(500, 0, labels)
    lines = [f"__label__{label} {text}\n" for text, label in zip(texts, truth, strict=True)]
    (tmp_path / "train.ft").write_text("".join(lines), encoding="utf-8")
    common = {"dim": 6, "epoch": 60, "lr": 1.0, "bucket": 5000, "thread": 1, "verbose": 0}
    oracle = fasttext.train_supervised(str(tmp_path / "train.ft"), **common, wordNgrams=3, loss=loss)
    oracle.save_model(str(tmp_path / "model.bin"))
    model = load(tmp_path / "model.bin")
    held_out, new = drawn(500, 1, labels), drawn(500, 2, labels)
    before = losses(model, *new)
    model.calibrate(*held_out)
    after = losses(model, *new)
    assert after < before
    np.testing.assert_allclose(model.predict_proba(new[0]).sum(axis=1), 1)
    model.save(tmp_path / "model.lindy")
    again = load(tmp_path / "model.lindy")
    assert again.predict_proba(new[0]).tolist() == model.predict_proba(new[0]).tolist()
    few = [again.predict_proba([text])[0].tolist() for text in new[0][:5]]
    np.testing.assert_allclose(few, again.predict_proba(new[0])[:5], rtol=1e-6)
    assert again.explain(new[0][0]).label == again.predict(new[0][:1])[0]
