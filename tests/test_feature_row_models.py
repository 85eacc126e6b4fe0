"""Models of features with values: exactly these features, in every learner, saved and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from lindy import TextClassifier, load
from lindy.data import read_examples
from lindy.errors import DataError
from lindy.estimators.learners import REGISTRY, learner_class
from lindy.features import BagVectorizer, DictVectorizer
from lindy.features.row_vectorizer import as_feature_rows
from lindy.linear import SVM
from lindy.tuning import tune
from lindy.tuning.feature_row_recipes import FeatureRowRecipes
from lindy.tuning.recipe import Space

COUNTS = [{"fine": 2, "book": 1}, {"dull": 1, "book": 3}, {"fine": 1, "a b": 1}, {"dull": 2}] * 4
LABELS = ["positive", "negative"] * 8


def numbers(n: int, seed: int = 0) -> tuple[list[dict[str, float]], list[str]]:
    """Return feature rows of real values, some negative, that a line divides nearly."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = np.where(X[:, 0] - 2 * X[:, 3] + 0.1 * rng.normal(size=n) > 0, "yes", "no")
    return [{f"f{j}": float(v) for j, v in enumerate(row)} for row in X], y.tolist()


def test_no_column_is_dropped(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [
        f"{rng.choice([-1, 1])} " + " ".join(f"{j + 1}:1" for j in np.flatnonzero(rng.random(300) < 0.05))
        for _ in range(200)
    ]
    (tmp_path / "w.svm").write_text("\n".join(lines))
    data = read_examples(tmp_path / "w.svm")
    for options in ({}, {"learner": "svm"}, {"fast": True}):
        model = TextClassifier(**options).fit_examples(data)
        assert set(model.vectorizer_.feature_names_) == {str(j) for j in range(1, 301)}


def test_the_model_of_a_matrix_is_that_of_its_features() -> None:
    features, y = numbers(60)
    X = np.array([list(row.values()) for row in features])
    model = TextClassifier(learner=SVM(C=0.5), calibration="none").fit(features, y)
    plain = SVM(C=0.5).fit(X, y)
    assert np.array_equal(model.decision_function(features), plain.decision_function(X))
    other = TextClassifier(learner=SVM(C=0.5), calibration="none").fit(scipy.sparse.csr_matrix(X), y)
    assert np.array_equal(other.decision_function(scipy.sparse.csr_matrix(X)), plain.decision_function(X))
    assert other.vectorizer_.feature_names_ == ["x0", "x1", "x2", "x3", "x4"]


@pytest.mark.parametrize("name", REGISTRY)
def test_every_learner_takes_counts(name: str, tmp_path: Path) -> None:
    model = TextClassifier(learner=name).fit(COUNTS, LABELS)
    model.save(tmp_path / "m.lindy")
    back = load(tmp_path / "m.lindy")
    assert isinstance(back.vectorizer_, BagVectorizer)
    assert back.predict(COUNTS).tolist() == model.predict(COUNTS).tolist()
    if name not in ("majority", "random"):
        assert model.score(COUNTS, LABELS) == 1
    if "contributions" in back.learner_.capabilities:
        explained = back.explain({"fine": 2, "new": 1})
        assert explained.text == "fine:2 new:1"
        assert explained.unknown == ["new:1"]
        assert [(f.name, f.value) for f in explained.features()] == [("fine", 2.0)]


@pytest.mark.parametrize("name", REGISTRY)
def test_negative_values_by_what_learners_declare(name: str) -> None:
    features = [{"a": -1.0, "b": 0.5}, {"a": 1.0, "b": -0.5}] * 4
    spec = learner_class(name).spec
    model = TextClassifier(learner=name)
    if name in ("naive-bayes", "complement-naive-bayes", "categorical-naive-bayes"):
        with pytest.raises(ValueError, match=r"[Nn]egative|whole"):
            model.fit(features, ["x", "y"] * 4)
    elif spec.input_kind == "weights":
        assert model.fit(features, ["x", "y"] * 4).score(features, ["x", "y"] * 4) == 1


def test_the_automatic_recipe_chooses_no_words() -> None:
    features, y = numbers(200)
    model = TextClassifier().fit(features, y)
    assert model.recipe_.startswith("features as given; ")
    assert model.score(*numbers(200, 1)) > 0.9
    assert "held-out rows" in model.why_[0]
    counts = TextClassifier().fit(COUNTS * 4, LABELS * 4)
    assert counts.recipe_.startswith("features")
    assert counts.score(COUNTS, LABELS) == 1


def test_scaled_values_give_the_same_choice() -> None:
    features, y = numbers(120)
    large = [{name: 1024.0 * value for name, value in row.items()} for row in features]
    first, second = TextClassifier().fit(features, y), TextClassifier().fit(large, y)
    assert type(first.learner_) is type(second.learner_)
    ratio = first.learner_.C / second.learner_.C
    assert ratio == pytest.approx(1024**2, rel=0.1)


@pytest.mark.parametrize("options", [{"ngrams": (1, 2)}, {"extra": [DictVectorizer()]}])
def test_options_about_texts_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))} applies to texts"):
        TextClassifier(learner="svm", **options).fit(COUNTS, LABELS)


def test_weighting_of_other_numbers_is_refused() -> None:
    for learner in ("auto", "svm"):
        with pytest.raises(DataError, match="not a count"):
            TextClassifier(learner=learner, weighting="tfidf").fit(*numbers(40))


def test_texts_and_bags_do_not_mix() -> None:
    texts = TextClassifier(learner="svm").fit(["a joy", "dull"], ["x", "y"])
    features = TextClassifier(learner="svm").fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match="expected str"):
        texts.predict([{"fine": 1}])
    with pytest.raises(DataError, match="expected a dictionary of features"):
        features.predict(["fine"])
    with pytest.raises(TypeError, match="one feature row is explained at a time"):
        features.explain("fine")


def test_a_model_can_be_fitted_anew_to_the_other_kind() -> None:
    model = TextClassifier(learner="svm").fit(COUNTS, LABELS)
    assert model.fit(["a joy", "dull"], ["x", "y"]).predict(["joy"]).tolist() == ["x"]
    assert model.fit(COUNTS, LABELS).predict([{"dull": 1}]).tolist() == ["negative"]


def test_importance_weights_are_sample_weights(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("a 3 | x y\nb | x\nb | y:2\na 0.5 | y\n")
    data = read_examples(tmp_path / "a.vw")
    features, y = data.texts.to_pylist(), data.labels.to_pylist()
    read = TextClassifier(learner="svm").fit_examples(data)
    given = TextClassifier(learner="svm").fit(features, y, sample_weight=[3, 1, 1, 0.5])
    without = TextClassifier(learner="svm").fit(features, y)
    assert np.array_equal(read.decision_function(features), given.decision_function(features))
    assert not np.array_equal(read.decision_function(features), without.decision_function(features))
    with pytest.raises(ValueError, match="cannot weigh examples"):
        TextClassifier(learner="kernel-perceptron").fit_examples(data)


def test_explanations_add_up_and_find_what_decides() -> None:
    model = TextClassifier(learner="svm").fit(*numbers(60))
    row = {"f0": -0.5, "f3": -2.0, "f9": 1.0}
    explained = model.explain(row)
    assert explained.scores == pytest.approx(model.decision_function([row]))
    weights = dict(zip(model.vectorizer_.feature_names_, model.learner_.coef_[0].tolist(), strict=True))
    for feature in explained.features():
        assert feature.value == row[feature.name]
        assert feature.added[0] == pytest.approx(weights[feature.name] * feature.value)
    assert [flip.word for flip in explained.flips] == ["f3:-2"]
    assert explained.unknown == ["f9:1"]


def test_tuning() -> None:
    features, y = numbers(80)
    own = as_feature_rows(features)
    space = Space(
        features=[FeatureRowRecipes(own).given()],
        weightings=["counts"],
        learners={"svm": [{"C": 0.1}, {"C": 1.0}]},
    )
    found = tune(own, y, space=space, strategy="grid")
    assert found.best.accuracy > 0.8
    model = TextClassifier(recipe=found.choice).fit(features, y)
    assert model.recipe_ == str(found.best.recipe)
