"""TextClassifier: labels of any kind, texts of any origin, save and load."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import DataError, ModelFileError, MultinomialNaiveBayes, NotFittedError, TextClassifier, load
from lindy.core.targets import as_targets
from lindy.estimators.learners import learner_class
from lindy.modelfile import read_model, write_model
from lindy.text import CountVectorizer
from lindy.text.weighting.weighting_registry import WEIGHTINGS

TEXTS = ["a wonderful warm book", "wonderful and wise", "a dull long book", "dull and empty"]
LABELS = ["good", "good", "bad", "bad"]


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier().fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        np.array,
        lambda values: np.array(values, object),
        pd.Series,
        pl.Series,
        pa.array,
        lambda values: pa.chunked_array([values[:1], values[1:]]),
        lambda values: pa.array(values).dictionary_encode(),
        lambda values: pa.array(values, pa.large_string()),
        lambda values: pa.array(["x", *values]).slice(1),
    ],
)
def test_columns_of_every_kind_give_the_same_model(wrap: Any, model: TextClassifier) -> None:
    other = TextClassifier().fit(wrap(TEXTS), wrap(LABELS))
    assert other.classes_.tolist() == ["bad", "good"]
    np.testing.assert_array_equal(other.predict_proba(wrap(TEXTS)), model.predict_proba(TEXTS))


@pytest.mark.parametrize("labels", [[1, 1, 0, 0], [True, True, False, False], ["1", "1", "0", "0"]])
def test_labels_keep_their_type(labels: list[Any], tmp_path: Path) -> None:
    TextClassifier().fit(TEXTS, labels).save(tmp_path / "m.lindy")
    loaded = load(tmp_path / "m.lindy")
    assert loaded.predict(TEXTS).tolist() == labels
    assert type(loaded.predict(TEXTS).tolist()[0]) is type(labels[0])


@given(st.lists(st.text(max_size=3), min_size=1, max_size=30))
def test_arrow_labels_are_encoded_as_numpy_would(labels: list[str]) -> None:
    encoded = as_targets(pa.array(labels, pa.string()))
    expected, numbers = np.unique(np.array(labels, object), return_inverse=True)
    assert encoded.names.tolist() == expected.tolist()
    assert encoded.codes.tolist() == numbers.tolist()


def test_a_loaded_model_predicts_the_same_bits(model: TextClassifier, tmp_path: Path) -> None:
    model.save(tmp_path / "m.lindy")
    loaded = load(tmp_path / "m.lindy")
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), model.predict_proba(TEXTS))
    np.testing.assert_array_equal(loaded.decision_function(TEXTS), model.decision_function(TEXTS))
    loaded.save(tmp_path / "again.lindy")
    assert (tmp_path / "again.lindy").read_bytes() == (tmp_path / "m.lindy").read_bytes()


def test_rare_words_are_not_in_the_file(tmp_path: Path) -> None:
    model = TextClassifier(min_df=2).fit([*TEXTS, "secretword book"], [*LABELS, "good"])
    model.save(tmp_path / "m.lindy")
    contents = (tmp_path / "m.lindy").read_bytes()
    assert b"wonderful" in contents
    assert b"secretword" not in contents


def test_a_learner_object_is_copied_not_changed() -> None:
    learner = MultinomialNaiveBayes(alpha=0.5)
    model = TextClassifier(learner=learner).fit(TEXTS, LABELS)
    assert model.learner_ is not learner
    assert model.learner_.alpha == 0.5
    assert not hasattr(learner, "classes_")


def test_empty_input_predicts_nothing(model: TextClassifier) -> None:
    assert model.predict([]).shape == (0,)
    assert model.predict_proba([]).shape == (0, 2)


def test_no_example_is_refused() -> None:
    with pytest.raises(DataError, match="there are no examples to learn from"):
        TextClassifier().fit([], [])


def test_one_class_is_refused() -> None:
    with pytest.raises(DataError, match="same label, 'good'"):
        TextClassifier().fit(TEXTS, ["good"] * 4)


@pytest.mark.parametrize(
    ("labels", "error", "piece"),
    [
        (LABELS[:3], ValueError, "4 texts but 3 labels"),
        ([0.5, 1.5, 0.5, 1.5], TypeError, "strings, integers or booleans"),
        (["a", 1, "a", 1], TypeError, "one type"),
        (pa.array(["a", None, "a", "b"]), ValueError, "null"),
    ],
)
def test_bad_labels_are_refused(labels: Any, error: type[Exception], piece: str) -> None:
    with pytest.raises(error, match=piece):
        TextClassifier().fit(TEXTS, labels)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("weighting", "counts"),
        ("ngrams", (1, 2)),
        ("chars", (2, 3)),
        ("min_df", 2),
        ("min_count", 2),
        ("max_features", 5),
        ("select", "df:1"),
    ],
)
@pytest.mark.parametrize("learner", ["auto", "svm"])
def test_an_option_of_features_beside_a_vectorizer_is_refused(option: str, value: Any, learner: str) -> None:
    model = TextClassifier(learner=learner, vectorizer=CountVectorizer(), **{option: value})
    with pytest.raises(ValueError, match=rf"^{option} applies to terms .* give it to the vectorizer"):
        model.fit(TEXTS, LABELS)


def test_an_unfitted_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        TextClassifier().predict(TEXTS)
    with pytest.raises(NotFittedError):
        TextClassifier().save(tmp_path / "m.lindy")


@pytest.mark.parametrize(
    "damage",
    [
        lambda header: header.update(kind="something else"),
        lambda header: header.pop("classes"),
        lambda header: header.update(classes=["good"]),
        lambda header: header.update(classes=["good", "good"]),
        lambda header: header.update(classes=["good", 1]),
        lambda header: header["learner"].update(name="nonsense"),
        lambda header: header["learner"].update(params={"nonsense": 1}),
        lambda header: header.update(vectorizer={"kind": "nonsense"}),
        lambda header: header.update(columns=[]),
        lambda header: header.update(class_counts="many"),
    ],
)
def test_a_sound_file_with_a_senseless_header_is_a_model_file_error(
    damage: Any, model: TextClassifier, tmp_path: Path
) -> None:
    path = tmp_path / "m.lindy"
    model.save(path)
    file = read_model(path)
    header, arrays = dict(file.header), {name: np.array(a) for name, a in file.arrays.items()}
    damage(header)
    write_model(path, header, arrays)
    with pytest.raises(ModelFileError, match=r"m\.lindy"):
        load(path)


def test_a_weight_of_two_is_a_text_twice() -> None:
    texts, labels = [*TEXTS, *TEXTS], [*LABELS, *LABELS]
    weight = [2.0 if i < 2 else 1.0 for i in range(len(texts))]
    repeated = [0, 1, *range(len(texts))]
    for learner in ("naive-bayes", "maxent", "perceptron"):
        weighted = TextClassifier(learner=learner, weighting="counts").fit(texts, labels, weight)
        twice = TextClassifier(learner=learner, weighting="counts").fit(
            [texts[i] for i in repeated], [labels[i] for i in repeated]
        )
        np.testing.assert_allclose(
            weighted.decision_function(TEXTS), twice.decision_function(TEXTS), rtol=1e-3
        )


def test_weights_reach_the_search_and_the_calibration() -> None:
    texts, labels = TEXTS * 20, LABELS * 20
    weight = np.where(np.array(labels) == LABELS[0], 5.0, 1.0)
    model = TextClassifier().fit(texts, labels, weight)
    assert model.calibrator_ is not None
    assert model.predict(TEXTS).tolist() == LABELS


def test_a_learner_that_cannot_weigh_examples_says_so() -> None:
    with pytest.raises(ValueError, match="KernelPerceptron cannot weigh examples"):
        TextClassifier(learner="kernel-perceptron").fit(TEXTS, LABELS, np.ones(len(TEXTS)))
    with pytest.raises(ValueError, match="expected"):
        TextClassifier(learner="svm").fit(TEXTS, LABELS, [1.0])


def test_models_of_earlier_versions_are_read_under_todays_names(tmp_path: Path) -> None:
    learners = {
        "perceptron": ({"average": "averaging", "fit_intercept": "bias", "eta0": "learning_rate"}, {}),
        "maxent": ({"fit_intercept": "bias"}, {"penalty": "none"}),
        "naive-bayes": ({"class_prior": "prior"}, {"prior": "empirical"}),
    }
    for name, (names, values) in learners.items():
        params = {"penalty": None} if name == "maxent" else {}
        model = TextClassifier(learner=learner_class(name)(**params)).fit(TEXTS, LABELS)
        model.save(tmp_path / "m.lindy")
        file = read_model(tmp_path / "m.lindy", mapped=False)
        stored = file.header["learner"]["params"]
        old = {names.get(key, key): value for key, value in stored.items()} | values
        if "averaging" in old:
            old["averaging"] = "average"
        header = file.header | {"learner": {"name": name, "params": old}}
        write_model(tmp_path / "old.lindy", header, file.arrays)
        loaded = load(tmp_path / "old.lindy")
        assert loaded.learner_.get_params() == model.learner_.get_params()
        assert loaded.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("learner", ["svm", "auto"])
def test_every_weighting_can_be_asked_for(weighting: str, learner: str, tmp_path) -> None:
    texts = ["good film", "fine good story", "bad film", "dull bad story"] * 8
    labels = ["pos", "pos", "neg", "neg"] * 8
    model = TextClassifier(learner=learner, weighting=weighting, calibration="none").fit(texts, labels)
    assert model.score(texts, labels) == 1
    model.save(tmp_path / "m.lindy")
    loaded = TextClassifier.load(tmp_path / "m.lindy")
    np.testing.assert_array_equal(loaded.decision_function(texts), model.decision_function(texts))
    assert loaded.explain("a good film").label == "pos"


def test_a_weighting_that_there_is_not() -> None:
    with pytest.raises(
        ValueError, match=re.escape(f"weighting must be one of {list(WEIGHTINGS)}; got 'idf'")
    ):
        TextClassifier(learner="svm", weighting="idf").fit(["a b", "c d"], [0, 1])
