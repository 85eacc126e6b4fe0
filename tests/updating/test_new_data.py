"""Progressive validation, what becomes of probabilities and rules, and whether new rows look different."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from lindy import TextClassifier
from lindy.evaluation.calibration.calibrators import Temperature
from lindy.evaluation.decisions import ScoreRule
from lindy.evaluation.outcomes import Outcomes
from lindy.text import HashingVectorizer
from lindy.updating import compare_data, update, validate_progressively
from lindy.updating.drift import changed_words, label_shift
from lindy.updating.updates import rows_for
from tests.updating.examples import made

A = made(200, ["x", "y"], 31, 0, 60)
B = made(240, ["x", "y"], 32, 0, 60)
NEW = made(240, ["x", "y", "z"], 33, 40, 120)


def test_every_row_is_predicted_by_a_model_of_the_rows_before_it() -> None:
    model = TextClassifier(learner="naive-bayes", n_jobs=1).fit(*A)
    rows = rows_for(model, *NEW)
    progress = validate_progressively(model, rows, np.array(["x", "y", "z"], object), 6)
    assert progress.learned
    begin, right = 0, []
    for end in progress.ends.tolist():
        alone = TextClassifier(learner="naive-bayes", n_jobs=1)
        alone.fit(A[0] + NEW[0][:begin], A[1] + NEW[1][:begin])
        right += (alone.predict(NEW[0][begin:end]) == np.array(NEW[1][begin:end], object)).tolist()
        begin = end
    assert progress.right.tolist() == right
    assert progress.accuracy[0] == pytest.approx(np.mean(right))
    assert progress.cumulative[-1] == pytest.approx(np.mean(right))
    assert progress.windows[0] == pytest.approx(np.mean(right[: progress.ends[0]]))
    assert model.classes_.tolist() == ["x", "y"]


def test_a_model_that_cannot_go_on_is_only_tried() -> None:
    model = TextClassifier(learner="kernel-svm", keep_rows=True, n_jobs=1).fit(*A)
    before = model.predict(B[0])
    done = update(model, *B, batches=3)
    assert done.progress is not None
    assert not done.progress.learned
    assert done.progress.right.tolist() == (before == np.array(B[1], object)).tolist()


def test_probabilities_after_an_update_say_where_they_are_from() -> None:
    few = TextClassifier(learner="svm", n_jobs=1).fit(*A)
    old = few.calibrator_
    done = update(few, B[0][:20], B[1][:20], batches=2)
    assert few.calibrator_ is old
    assert any("calibration of before the update" in line for line in done.said)
    for wrong in (1e-3, 1e3):
        many = TextClassifier(learner="svm", n_jobs=1).fit(*A)
        many.calibrator_ = Temperature({"temperature": np.array([wrong])})
        done = update(many, *B, batches=10)
        assert any("240 new rows, predicted before they were learned" in line for line in done.said)
    grown = TextClassifier(learner="svm", n_jobs=1).fit(*A)
    done = update(grown, NEW[0][:30], NEW[1][:30], batches=3)
    assert any("guesses" in line or "calibration" in line for line in done.said)
    np.testing.assert_allclose(grown.predict_proba(NEW[0][:9]).sum(axis=1), 1)


def test_a_rule_is_kept_or_found_again() -> None:
    labels = ["x" if i % 4 else "y" for i in range(200)]
    texts = [f"{label}{i % 7} w{i % 13}" for i, label in enumerate(labels)]
    model = TextClassifier(learner="svm", metric="macro-f1", n_jobs=1).fit(texts, labels)
    model.rule_ = ScoreRule(np.array([0.0, 0.1]))
    done = update(model, texts[:50], labels[:50], batches=2)
    assert "rule: that of before the update" in done.said
    done = update(model, NEW[0], NEW[1], batches=6)
    assert any(line.startswith("rule: found again on") for line in done.said)
    model.rule_ = ScoreRule(np.array([0.0, 0.1, 0.0]))
    done = update(model, ["other words"], ["new"])
    assert any("the highest score, since there are new classes" in line for line in done.said)
    assert model.rule_ is None


def test_outcomes_are_extended() -> None:
    model = TextClassifier(learner="svm", n_jobs=1).fit(*A)
    assert model.outcomes_ is not None
    n = model.outcomes_.n
    update(model, *B, batches=4)
    assert isinstance(model.outcomes_, Outcomes)
    assert model.outcomes_.n == n + len(B[0])
    Outcomes.from_state(*model.outcomes_.to_state(), len(model.classes_))
    update(model, *NEW, batches=4)
    assert model.outcomes_ is not None
    Outcomes.from_state(*model.outcomes_.to_state(), 3)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("learner", ["naive-bayes", "bernoulli-naive-bayes", "svm"])
def test_new_rows_of_the_same_kind_raise_no_warning(learner: str, keep: bool) -> None:
    model = TextClassifier(learner=learner, keep_rows=keep, n_jobs=1).fit(*A)
    drift = compare_data(model, rows_for(model, *B))
    assert drift.warnings == []
    assert drift.recognised is not None
    assert drift.recognised < 0.65
    assert drift.unknown is not None
    assert drift.unknown < 0.05
    assert drift.to_dict()["warnings"] == []


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("learner", ["naive-bayes", "bernoulli-naive-bayes", "svm", "word-votes"])
def test_other_texts_and_labels_are_noticed(learner: str, keep: bool) -> None:
    model = TextClassifier(learner=learner, keep_rows=keep, n_jobs=1).fit(*A)
    other = made(120, ["x", "y"], 5, 200, 260)
    drift = compare_data(model, rows_for(model, other[0], ["y"] * 119 + ["x"]))
    assert len(drift.warnings) == 3
    assert drift.recognised is not None
    assert drift.recognised > 0.9
    assert drift.recognised_of == ("rows" if keep else "new rows")
    assert drift.label_effect > 0.5
    assert all(word.startswith("w") for word, _ in drift.words)
    assert {z > 0 for word, z in drift.words if int(word[1:]) >= 200} == {True}


def test_kept_rows_of_hashed_words_are_compared_without_their_signs() -> None:
    model = TextClassifier(
        learner="svm", vectorizer=HashingVectorizer(n_features=256), keep_rows=True, n_jobs=1
    )
    model.fit(*A)
    same, other = (
        compare_data(model, rows_for(model, *new)) for new in (B, made(120, ["x", "y"], 5, 200, 260))
    )
    assert same.recognised is not None
    assert other.recognised is not None
    assert same.recognised < 0.65
    assert other.recognised > 0.8


def test_the_test_of_labels_is_the_chi_squared_one() -> None:
    model = TextClassifier(learner="majority").fit(["aa bb"] * 60, ["x"] * 40 + ["y"] * 20)
    rows = rows_for(model, ["aa bb"] * 30, ["x"] * 10 + ["y"] * 20)
    effect, p = label_shift(model.classes_, model.class_counts_, rows)
    expected = stats.chi2_contingency(np.array([[40, 20], [10, 20]]), correction=False)
    assert p == pytest.approx(expected.pvalue)
    q = np.array([40.5, 20.5]) / 61
    assert effect == pytest.approx(np.sqrt((np.square(np.array([1 / 3, 2 / 3]) - q) / q).sum()))


def test_words_are_ranked_by_the_change_of_their_odds() -> None:
    class Named:
        def names_of(self, columns: Any) -> list[str]:
            return [f"c{column}" for column in columns]

    old, new = np.array([100.0, 100.0, 100.0, 0.0]), np.array([10.0, 50.0, 0.0, 5.0])
    words = dict(changed_words(Named(), old, new, 4))
    assert words["c1"] > 0 > words["c2"]
    assert words["c3"] > 0
    a, b = new[0] + 1, old[0] + 1
    lead = np.log(a / (new.sum() - new[0] + 1)) - np.log(b / (old.sum() - old[0] + 1))
    assert words["c0"] == pytest.approx(lead / np.sqrt(1 / a + 1 / b))
