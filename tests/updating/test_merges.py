"""Models of parts become one: exactly where they count, by the mean of their weights otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lindy
from lindy import SVM, Lexicon, Perceptron, TextClassifier, UpdateError, load
from lindy.estimators.learners import REGISTRY, learner_class
from lindy.text import CountVectorizer, TfidfVectorizer
from lindy.updating import merge_models
from tests.updating.examples import Examples, made
from tests.updating.test_updates import EXACT, LISTS, both, saved

A = made(70, ["x", "y"], 11, 0, 60)
B = made(40, ["y", "z"], 12, 30, 90)
C = made(30, ["x", "q"], 13, 10, 70)


@pytest.mark.parametrize("name", list(REGISTRY))
def test_every_learner_is_merged_or_says_why_not(name: str, tmp_path: Path) -> None:
    models = []
    for i, part in enumerate((A, B, C)):
        lists = {**LISTS, "q": ["q1"]} if name == "lexicon" else None
        own = Lexicon(words={k: lists[k] for k in lists if k in part[1]}) if lists else learner_class(name)()
        TextClassifier(learner=own, n_jobs=1).fit(*part).save(tmp_path / f"{i}.lindy")
        models.append(load(tmp_path / f"{i}.lindy", n_jobs=1))
    if name == "lexicon":
        with pytest.raises(UpdateError, match="different lists of words"):
            lindy.merge(models)
        return
    if not models[0].learner_.updates:
        with pytest.raises(UpdateError, match="cannot become one: ") as refused:
            lindy.merge(models)
        assert models[0].learner_.fixed in str(refused.value)
        return
    model = lindy.merge(models)
    assert model.classes_.tolist() == ["q", "x", "y", "z"]
    assert model.class_counts_.sum() == 140
    words = set().union(*(part.vectorizer_.vocabulary_ for part in models))
    assert set(model.vectorizer_.vocabulary_) == words
    model.save(tmp_path / "all.lindy")
    again = load(tmp_path / "all.lindy", n_jobs=1)
    np.testing.assert_array_equal(again.predict_proba(B[0]), model.predict_proba(B[0]))
    if name not in ("majority", "random"):
        assert again.score(A[0] + B[0] + C[0], A[1] + B[1] + C[1]) > 0.6


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", EXACT)
def test_counting_models_of_parts_are_the_model_of_the_whole(name: str, seed: int, tmp_path: Path) -> None:
    parts = [
        made(12 + seed, ["x", "y"], seed, 0, 40),
        made(9, [*["y", "z"][: 1 + seed % 2], "x"], 100 + seed, 20, 70),
        made(8, ["x", "u"], 200 + seed, 60, 99),
    ]

    def new(part: Any) -> TextClassifier:
        return TextClassifier(learner=name, ngrams=(1, 1 + seed % 2), n_jobs=1).fit(*part)

    whole = new(both(both(parts[0], parts[1]), parts[2]))
    merged = lindy.merge([new(part) for part in parts])
    assert saved(merged, tmp_path / "merged") == saved(whole, tmp_path / "whole")


def test_kept_rows_make_any_merge_exact(tmp_path: Path) -> None:
    def new(part: Any) -> TextClassifier:
        return TextClassifier(learner="svm", min_df=2, keep_rows=True, n_jobs=1).fit(*part)

    done = merge_models([new(A), new(B), new(C)])
    assert done.how == "rows"
    whole = new(both(both(A, B), C))
    assert saved(done.model, tmp_path / "merged") == saved(whole, tmp_path / "whole")


def test_what_only_some_models_have_is_told() -> None:
    def fitted(part: Examples, **options: Any) -> TextClassifier:
        return TextClassifier(learner="svm", n_jobs=1, **options).fit(*part)

    large, small = made(160, ["x", "y"], 1), made(80, ["x", "y"], 2)
    found = merge_models([fitted(large, keep_rows=True), fitted(small)], ["a", "b"])
    assert found.how == "mean"
    assert "the rows that a has kept are left out: b has none" in found.said
    found = merge_models([fitted(large, calibration="none"), fitted(small)], ["a", "b"])
    assert found.model.calibrator_ is None
    assert "probabilities: no calibration, since a, the largest, has none" in found.said


def test_weights_are_averaged_by_rows_over_the_models_that_know_a_class() -> None:
    vectorizer = CountVectorizer(vocabulary=["x1", "y1", "z1", "w40"])
    models = [
        TextClassifier(learner=SVM(), vectorizer=vectorizer, calibration="none", n_jobs=1).fit(*part)
        for part in (made(60, ["x", "y", "z"], 1), made(20, ["x", "y", "q"], 2))
    ]
    merged = lindy.merge(models)
    assert merged.classes_.tolist() == ["q", "x", "y", "z"]
    W = [model.learner_.W_.astype(np.float64) for model in models]
    expected = np.stack(
        [
            W[1][:, 0],
            0.75 * W[0][:, 0] + 0.25 * W[1][:, 1],
            0.75 * W[0][:, 1] + 0.25 * W[1][:, 2],
            W[0][:, 2],
        ],
        axis=1,
    )
    np.testing.assert_allclose(merged.learner_.W_, expected, rtol=1e-6)


def test_tf_idf_of_all_texts_and_weights_that_allow_for_it() -> None:
    models = [TextClassifier(learner="svm", n_jobs=1).fit(*part) for part in (A, B)]
    merged = lindy.merge(models)
    whole = TfidfVectorizer(analyzer="unicode_words", sublinear_tf=True, dtype=np.float32)
    whole.fit_csr(A[0] + B[0], order="seen")
    np.testing.assert_array_equal(merged.vectorizer_.idf_, whole.idf_)
    alone = [
        word for word in models[0].vectorizer_.vocabulary_ if word not in models[1].vectorizer_.vocabulary_
    ]
    word, share = alone[0], len(A[0]) / (len(A[0]) + len(B[0]))

    def part(model: TextClassifier, label: str, sign: float = 1.0) -> float:
        column = model.vectorizer_.vocabulary_[word]
        k = 0 if len(model.classes_) == 2 else model.classes_.tolist().index(label)
        return float(sign * model.learner_.W_[column, k] * model.vectorizer_.idf_[column])

    assert part(merged, "x") == pytest.approx(part(models[0], "x", -1.0), rel=1e-5)  # only the first knows x
    assert part(merged, "y") == pytest.approx(share * part(models[0], "y"), rel=1e-5)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"learner": "naive-bayes", "ngrams": (1, 2)}, "ngram_range"),
        ({"learner": "bernoulli-naive-bayes"}, "learner"),
        ({"learner": lindy.MultinomialNaiveBayes(alpha=0.5)}, "alpha"),
        ({"learner": "naive-bayes", "weighting": "tfidf"}, "kind"),
        ({"learner": "naive-bayes", "min_df": 2}, "limits"),
        ({"learner": "naive-bayes", "chars": (2, 3), "ngrams": (1, 1)}, "kind"),
        ({"learner": "naive-bayes", "class_weight": "balanced"}, "class_weight"),
        ({"learner": "naive-bayes", "metric": "macro-f1"}, "metric"),
    ],
    ids=str,
)
def test_models_of_different_kinds_are_refused_by_name(other: dict[str, Any], named: str) -> None:
    first = TextClassifier(learner="naive-bayes").fit(*A)
    with pytest.raises(UpdateError, match=f"different kinds: .*{named}"):
        lindy.merge([first, TextClassifier(**other).fit(*B)])


def test_what_cannot_be_merged_says_so() -> None:
    model = TextClassifier(learner="naive-bayes").fit(*A)
    with pytest.raises(UpdateError, match="at least two"):
        lindy.merge([model])
    with pytest.raises(ValueError, match="labels must be of one kind"):
        lindy.merge([model, TextClassifier(learner="naive-bayes").fit(["one two", "three"], [1, 2])])
    votes = [TextClassifier(learner=Perceptron(average="vote")).fit(*part) for part in (A, A)]
    with pytest.raises(UpdateError, match="vote"):
        lindy.merge(votes)
    with pytest.raises(UpdateError, match="all texts and labels"):
        lindy.merge(
            [TextClassifier(learner="svm", weighting="log-count-ratio").fit(*part) for part in (A, B)]
        )


def test_a_model_merged_with_itself_is_told() -> None:
    model = TextClassifier(learner="naive-bayes").fit(*A)
    done = merge_models([model, model], ["a.lindy", "a.lindy"])
    assert any("count twice" in line for line in done.said)
    assert done.model.class_counts_.sum() == 2 * len(A[0])
    assert model.class_counts_.sum() == len(A[0])
