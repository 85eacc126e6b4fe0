"""A model is made for its metric: recipes, thresholds, class weights; few and very few examples."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy import TextClassifier, load
from lindy.errors import RareClassWarning
from lindy.evaluation import evaluate
from lindy.tuning import tune


def messages(n: int, share: float, seed: int) -> tuple[list[str], list[str]]:
    """Return messages of which a share is spam, which has more money words than others, but not always."""
    rng = np.random.default_rng(seed)
    usual = [f"word{i}" for i in range(60)]
    money = ["cash", "prize", "win", "free", "claim", "bonus"]
    texts, labels = [], []
    for _ in range(n):
        spam = rng.random() < share
        words = rng.choice(usual, 8).tolist() + rng.choice(money, rng.poisson(1.2 if spam else 0.15)).tolist()
        rng.shuffle(words)
        texts.append(" ".join(words))
        labels.append("spam" if spam else "ham")
    return texts, labels


@pytest.fixture(scope="module")
def rare() -> Any:
    return messages(1500, 0.05, 1), messages(3000, 0.05, 2)


def fitted(data: Any, **options: Any) -> TextClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RareClassWarning)
        return TextClassifier(**options).fit(*data)


def test_f1_of_a_rare_class_is_higher_where_it_is_asked_for(rare: Any, tmp_path: Path) -> None:
    train, (texts, labels) = rare
    plain, model = fitted(train), fitted(train, metric="f1:spam")
    f1, before = (evaluate(labels, m.predict(texts)).classes[1].f1 for m in (model, plain))
    assert f1 > before + 0.03
    assert model.rule_ is not None
    assert "by F1 of spam" in model.why_[0]
    assert model.why_[-1].startswith("rule: spam from a probability of 0.")
    model.save(tmp_path / "model.lindy")
    loaded = load(tmp_path / "model.lindy")
    assert (loaded.metric, loaded.why_) == ("f1:spam", model.why_)
    assert loaded.predict(texts).tolist() == model.predict(texts).tolist()
    spam = model.predict(texts) == "spam"
    p = model.predict_proba(texts)[:, 1]
    assert p[spam].min() > p[~spam].max()  # it is a threshold
    frame = model.predict(texts, as_frame=True)
    assert frame["label"].tolist() == model.predict(texts).tolist()
    assert model.explain(texts[int(np.argmax(spam))]).label == "spam"


def test_a_wanted_precision_is_kept() -> None:
    train, (texts, labels) = messages(1500, 0.2, 5), messages(3000, 0.2, 6)
    found = {}
    for wanted in (0.5, 0.8):
        model = fitted(train, metric=f"recall@precision:{wanted}")
        found[wanted] = evaluate(labels, model.predict(texts)).classes[1]
        assert found[wanted].precision > wanted - 0.1
    assert found[0.5].recall > found[0.8].recall
    texts, labels = ["same text"] * 60, ["spam"] * 20 + ["ham"] * 40
    unreachable = fitted((texts, labels), metric="recall@precision:0.9", learner="naive-bayes")
    few = fitted(messages(300, 0.1, 3), metric="recall@precision:0.9", learner="naive-bayes")
    assert "was found on" in few.concerns_[0]
    assert "no threshold for spam has a precision of 0.9" in unreachable.concerns_[0]


def test_rare_classes_do_not_pass_without_a_word() -> None:
    train = messages(1500, 0.03, 4)
    with pytest.warns(RareClassWarning, match=r"spam.*`metric='f1:spam'`.*`class_weight='balanced'`"):
        model = TextClassifier().fit(*train)
    assert model.concerns_
    assert "note" in model._facts()


def test_balanced_classes_go_through_search_refit_and_calibration(rare: Any, tmp_path: Path) -> None:
    train, (texts, labels) = rare
    plain, model = fitted(train), fitted(train, class_weight="balanced")
    recall, before = (evaluate(labels, m.predict(texts)).classes[1].recall for m in (model, plain))
    assert recall > before + 0.2
    assert "classes weighted" in model.why_[1]
    assert model.recipe_.endswith("; balanced classes")
    mean = model.predict_proba(texts)[np.array(labels) == "spam", 1].mean()
    assert mean > plain.predict_proba(texts)[np.array(labels) == "spam", 1].mean()
    by_hand = fitted(train, class_weight={"spam": 19.0}, fast=True)
    assert by_hand.recipe_.endswith("; class weights spam=19")
    assert evaluate(labels, by_hand.predict(texts)).classes[1].recall > before
    with pytest.raises(ValueError, match="labels that no example has"):
        TextClassifier(class_weight={"spma": 2.0}).fit(*train)


@pytest.mark.parametrize("learner", ["naive-bayes", "maxent", "perceptron", "svm"])
def test_named_learners_get_a_threshold_too(learner: str, rare: Any) -> None:
    train, (texts, labels) = rare
    plain, model = fitted(train, learner=learner), fitted(train, learner=learner, metric="f1:spam")
    f1, before = (evaluate(labels, m.predict(texts)).classes[1].f1 for m in (model, plain))
    assert f1 >= before - 0.02
    scores = fitted(train, learner=learner, metric="f1:spam", calibration="none")
    assert evaluate(labels, scores.predict(texts)).classes[1].f1 == pytest.approx(f1, abs=0.02)


def test_log_loss_calibrates_every_learner(rare: Any) -> None:
    (learn, known), (texts, labels) = (([f"{t} {t}" for t in texts], labels) for texts, labels in rare)
    plain, model = (fitted((learn, known), learner="naive-bayes", metric=m) for m in ("accuracy", "log-loss"))
    assert plain.calibrator_ is None
    assert model.calibrator_ is not None
    losses = [
        evaluate(labels, m.predict(texts), m.predict_proba(texts), m.classes_).probabilities.log_loss  # type: ignore[union-attr]
        for m in (model, plain)
    ]
    assert losses[0] < losses[1]


def test_the_default_metric_is_not_in_the_model_file(rare: Any, tmp_path: Path) -> None:
    train, _ = rare
    model = fitted(train, learner="svm")
    model.save(tmp_path / "model.lindy")
    assert b'"metric"' not in (tmp_path / "model.lindy").read_bytes()
    assert load(tmp_path / "model.lindy").metric == "accuracy"


def test_a_bad_metric_is_refused_before_anything_is_read(rare: Any) -> None:
    with pytest.raises(ValueError, match="no metric is called 'auc'"):
        TextClassifier(metric="auc").fit(*rare[0])
    with pytest.raises(ValueError, match="no class is called 'junk'"):
        TextClassifier(metric="f1:junk").fit(*rare[0])


def test_tune_searches_by_the_metric(rare: Any, tmp_path: Path) -> None:
    texts, labels = rare[0]
    from lindy.tuning import Features, Space

    space = Space(
        features=[Features((1, 1))], weightings=["tfidf"], learners={"svm": [{"C": 0.1}, {"C": 10.0}]}
    )
    found = tune(
        texts, labels, space=space, strategy="grid", metric="f1:spam", journal=tmp_path / "journal.json"
    )
    assert "F1 of spam" in found.choice.why[0]
    assert 0 < found.figure(found.best) <= 1
    losses = tune(texts, labels, space=space, strategy="grid", metric="log-loss")
    assert losses.figure(losses.best) == min(losses.figure(r) for r in losses.results) > 0
    with pytest.raises(ValueError, match="other settings"):
        tune(texts, labels, space=space, strategy="grid", journal=tmp_path / "journal.json")


TINY = {
    "eight rows of eight classes": (
        [f"text number{i} of some" for i in range(8)],
        [f"c{i}" for i in range(8)],
    ),
    "two rows": (["a good book", "a bad film"], ["x", "y"]),
    "three rows of two classes": (["a good book", "a bad film", "a nice book"], ["x", "y", "x"]),
}


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize(
    "options", [{}, {"metric": "macro-f1"}, {"class_weight": "balanced"}, {"learner": "svm"}]
)
def test_very_few_examples_give_probabilities(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    texts, labels = TINY[name]
    model = TextClassifier(**options).fit(texts, labels)
    p = model.predict_proba(texts)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.predict(texts).tolist() == labels
    model.save(tmp_path / "model.lindy")
    assert (load(tmp_path / "model.lindy").predict_proba(texts) == p).all()
    if len(set(labels)) == len(labels):
        assert any("probabilities are guesses" in line for line in model.why_)
        assert p.max() < 0.9  # nothing was tested, so nothing is sure
    assert not TextClassifier(calibration="none", learner="svm").fit(texts, labels).has_probabilities


def test_texts_in_the_place_of_labels_do_not_pass_without_a_word() -> None:
    texts = [f"word{i} and more" for i in range(200)]
    with pytest.warns(RareClassWarning, match="200 of 200 examples have a label that no other example has"):
        TextClassifier(learner="naive-bayes").fit(["good", "bad"] * 100, texts)
