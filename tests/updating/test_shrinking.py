"""Small models: their size, what they lose, that they are models as any other, and what cannot be made small."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lindy
from lindy import TextClassifier
from lindy.errors import DataError, ModelFileError, UpdateError
from lindy.estimators.learners import make_learner
from lindy.modelfile import read_model, write_model
from lindy.modelfile.packing import rounded
from lindy.text import HashingVectorizer
from lindy.updating import merge_models
from tests.updating.examples import made

TEXTS, LABELS = made(600, ["x", "y", "z"], 31)
TEST = made(200, ["x", "y", "z"], 32)


@pytest.fixture(scope="module")
def whole() -> TextClassifier:
    return TextClassifier(fast=True).fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def small(whole: TextClassifier) -> TextClassifier:
    return whole.shrink(TEXTS, LABELS, size=6000)


def saved(model: TextClassifier, folder: Path) -> tuple[Path, TextClassifier]:
    path = folder / "model.lindy"
    model.save(path)
    return path, lindy.load(path)


@pytest.mark.parametrize("size", [7000, 9000, 12_000, 50_000])
@pytest.mark.parametrize("texts", [(), (TEXTS, LABELS)], ids=["weights of the model", "learned anew"])
def test_a_file_has_at_most_the_size_and_is_filled(
    whole: TextClassifier, texts: Any, size: int, tmp_path: Path
) -> None:
    made_small = whole.shrink(*texts, size=size)
    path, _ = saved(made_small, tmp_path)
    n_bytes, n = os.stat(path).st_size, made_small.vectorizer_.n_columns
    assert n_bytes <= size
    assert n_bytes > 0.88 * size or n == whole.vectorizer_.n_columns
    assert (made_small.small_.loss is None) == (not texts)  # type: ignore[union-attr]


def test_it_loses_little_and_says_how_much(whole: TextClassifier, small: TextClassifier) -> None:
    record = small.small_
    assert record is not None
    assert record.loss is not None
    assert record.features == whole.vectorizer_.n_columns > small.vectorizer_.n_columns
    assert record.loss.examples == pytest.approx(len(TEXTS) / 5, abs=3)
    assert abs(record.loss.points) < 5
    assert small.score(*TEST) > whole.score(*TEST) - 0.05
    assert "8 bits" in str(record)


def test_the_loss_on_a_test_table_is_the_difference_of_the_two_scores(whole: TextClassifier) -> None:
    small = whole.shrink(size=5000, test=TEST)
    loss = small.small_.loss  # type: ignore[union-attr]
    assert loss is not None
    assert loss.accuracy == whole.score(*TEST)
    assert loss.smaller_accuracy == small.score(*TEST)
    assert loss.points == pytest.approx(100 * (whole.score(*TEST) - small.score(*TEST)))
    assert loss.different == (whole.predict(TEST[0]) != small.predict(TEST[0])).sum()


def test_a_loss_takes_the_fewest_features_that_lose_no_more(whole: TextClassifier) -> None:
    sizes = []
    for points in (1.0, 10.0, 30.0):
        small = whole.shrink(loss=points, test=TEST)
        sizes.append(small.vectorizer_.n_columns)
        assert small.small_.loss.points <= points  # type: ignore[union-attr]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0]
    assert whole.shrink(TEXTS, LABELS, loss=5.0).vectorizer_.n_columns < whole.vectorizer_.n_columns


def test_the_most_important_features_are_kept_with_the_weights_of_the_model(whole: TextClassifier) -> None:
    small = whole.shrink(size=5000)
    names, kept = (
        whole.vectorizer_.get_feature_names_out().tolist(),
        small.vectorizer_.get_feature_names_out(),
    )
    places = [names.index(name) for name in kept.tolist()]
    W = whole.learner_.W_.astype(np.float64)
    importance = np.square(W - W.mean(axis=1, keepdims=True)).sum(axis=1)
    left_out = np.setdiff1d(np.arange(len(names)), places)
    first_of_each = {0, *np.flatnonzero(np.char.startswith(names, "chars__"))[:1].tolist()}
    ranked = [j for j in places if j not in first_of_each]
    assert importance[ranked].min() >= importance[left_out].max()
    np.testing.assert_array_equal(small.learner_.W_, rounded(whole.learner_.W_[places]))


def test_learned_anew_it_is_the_learner_on_the_kept_features(small: TextClassifier) -> None:
    anew = make_learner(small.learner_).fit(small.vectorizer_.transform_csr(TEXTS), LABELS)
    np.testing.assert_array_equal(small.learner_.W_, rounded(anew.W_))
    assert small.calibrator_ is not None
    assert small.outcomes_ is not None


def test_the_file_is_one_of_a_model_as_any_other(small: TextClassifier, tmp_path: Path) -> None:
    path, again = saved(small, tmp_path)
    np.testing.assert_array_equal(again.predict_proba(TEST[0]), small.predict_proba(TEST[0]))
    assert again.small_ == small.small_
    other = tmp_path / "other.lindy"
    again.save(other)
    assert other.read_bytes() == path.read_bytes()
    text = TEST[0][3]
    assert again.explain(text).to_dict() == small.explain(text).to_dict()
    assert "small" in again._facts()


def test_the_same_bytes_with_any_number_of_threads(tmp_path: Path) -> None:
    contents = set()
    for n_jobs in (1, 3):
        model = TextClassifier(fast=True, n_jobs=n_jobs).fit(TEXTS, LABELS).shrink(TEXTS, LABELS, size=5000)
        contents.add(saved(model, tmp_path)[0].read_bytes())
    assert len(contents) == 1


def test_it_can_be_exported(small: TextClassifier) -> None:
    from lindy.web.export import module_text

    assert "predict" in module_text(small)


def test_it_cannot_learn_more_or_be_made_small_again(small: TextClassifier, whole: TextClassifier) -> None:
    with pytest.raises(UpdateError, match="small one"):
        small._as_now().partial_fit(*TEST)
    with pytest.raises(UpdateError, match="small one"):
        merge_models([whole, small])
    with pytest.raises(DataError, match="small one already"):
        small.shrink()
    fitted = small._as_now().fit(*TEST)
    assert fitted.small_ is None


@pytest.mark.parametrize("learner", ["svm", "maxent", "perceptron", "mira", "nb-svm"])
@pytest.mark.parametrize("options", [{"ngrams": (1, 2)}, {"chars": (2, 3), "weighting": "counts"}])
def test_linear_learners(learner: str, options: dict[str, Any], tmp_path: Path) -> None:
    labels = ["y" if label == "z" else label for label in LABELS]
    whole = TextClassifier(learner=learner, **options).fit(TEXTS, labels)
    for texts in ((), (TEXTS, labels)):
        small = whole.shrink(*texts, size=8000)
        path, again = saved(small, tmp_path)
        assert os.stat(path).st_size <= 8000
        np.testing.assert_array_equal(again.decision_function(TEST[0]), small.decision_function(TEST[0]))


def test_sparse_weights_and_hashed_columns(tmp_path: Path) -> None:
    sparse = TextClassifier(learner=lindy.MaxEnt(penalty="l1", C=10.0)).fit(TEXTS, LABELS)
    hashed = TextClassifier(vectorizer=HashingVectorizer(n_features=512), learner="svm").fit(TEXTS, LABELS)
    for whole in (sparse, hashed):
        small = whole.shrink(TEXTS, LABELS, size=6000)
        path, again = saved(small, tmp_path)
        assert os.stat(path).st_size <= 6000
        assert again.score(*TEST) > whole.score(*TEST) - 0.05


def test_kept_rows_are_learned_from_and_not_kept(tmp_path: Path) -> None:
    kept = TextClassifier(learner="svm", keep_rows=True).fit(TEXTS, LABELS)
    saved(kept, tmp_path)[1].shrink(size=9000).save(tmp_path / "small.lindy")
    given = TextClassifier(learner="svm").fit(TEXTS, LABELS).shrink(TEXTS, LABELS, size=9000)
    small = lindy.load(tmp_path / "small.lindy")
    assert small.kept_ is None
    np.testing.assert_array_equal(small.learner_.W_, given.learner_.W_)
    assert small.small_ == given.small_


def test_several_labels_per_text(tmp_path: Path) -> None:
    labels = [
        {label, "long"} if len(text) > 20 else {label} for text, label in zip(TEXTS, LABELS, strict=True)
    ]
    whole = TextClassifier(fast=True).fit(TEXTS, labels)
    small = whole.shrink(TEXTS, labels, size=12_000)
    path, again = saved(small, tmp_path)
    assert os.stat(path).st_size <= 12_000
    assert again.predict(TEST[0]).tolist() == small.predict(TEST[0]).tolist()
    assert small.several_labels
    assert np.isfinite(small.small_.loss.points)  # type: ignore[union-attr]


def test_what_cannot_be_made_small(whole: TextClassifier) -> None:
    counting = TextClassifier(learner="naive-bayes").fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="no weights of features"):
        counting.shrink()
    with pytest.raises(DataError, match=r"at least .* bytes"):
        whole.shrink(size=500)
    with pytest.raises(DataError, match="labelled texts"):
        whole.shrink(loss=1.0)
    with pytest.raises(ValueError, match="leave one out"):
        whole.shrink(loss=1.0, size=1000)
    with pytest.raises(DataError, match="other labels than the model, such as 'z'"):
        whole.shrink(TEXTS[:2], ["x", "y"])


@pytest.mark.parametrize(
    "change",
    [
        {"small": {}},
        {"small": {"features": 0}},
        {"small": {"features": "9"}},
        {"small": {"features": 9, "loss": {}}},
        {
            "small": {
                "features": 9,
                "loss": {"examples": 1, "accuracy": 1, "smaller_accuracy": 1.0, "different": 0},
            }
        },
        {"small": {"features": 9, "more": 1}},
        {"packed": {}},
        {"packed": 3},
    ],
)
def test_forged_files_are_refused(small: TextClassifier, change: dict[str, Any], tmp_path: Path) -> None:
    path, _ = saved(small, tmp_path)
    file = read_model(path)
    write_model(path, file.header | change, file.arrays)
    with pytest.raises(ModelFileError):
        lindy.load(path)


def test_forged_arrays_are_refused_or_answer(small: TextClassifier, tmp_path: Path) -> None:
    path, _ = saved(small, tmp_path)
    file, rng = read_model(path), np.random.default_rng(0)
    packed = sorted(file.header["packed"])
    for number in range(60):
        name = packed[number % len(packed)]
        array = file.arrays[name].copy()
        array[rng.integers(len(array))] ^= rng.integers(1, 256)
        forged = tmp_path / f"{number}.lindy"
        write_model(forged, file.header, file.arrays | {name: array})
        try:
            model = lindy.load(forged)
        except ModelFileError:
            continue
        assert np.isfinite(model.predict_proba(TEST[0])).all()
