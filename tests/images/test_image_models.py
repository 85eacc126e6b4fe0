"""Images in the place of texts: models, explanations as images, files of every kind, bad input."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy import DataError, ModelFileError, TextClassifier, load
from lindy.core.image_column import ImageColumn, are_images, as_images
from lindy.explain import inspect
from lindy.explain.explanation_html import fragment
from lindy.explain.terminal import render
from lindy.images import PixelFeatures, ShapeFeatures, write_idx
from lindy.images.image_files import holds_images
from lindy.modelfile import read_model, write_model
from lindy.text import CountVectorizer, UnionVectorizer
from tests.images.bars import bars


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fast": True},
        {"vectorizer": PixelFeatures(threshold=0.5)},
        {"learner": "naive-bayes", "vectorizer": ShapeFeatures()},
        {"learner": "bernoulli-naive-bayes", "extra": [PixelFeatures(threshold=0.9)]},
        {"learner": "kernel-svm"},
    ],
    ids=str,
)
def test_fit_save_load_predict(options: dict[str, Any], tmp_path: Path) -> None:
    images, labels = bars()
    others, truth = bars(seed=1)
    model = TextClassifier(**options, n_jobs=1).fit(images, labels)
    assert model.score(others, truth) >= 0.8
    model.save(tmp_path / "m.lindy")
    again = load(tmp_path / "m.lindy")
    np.testing.assert_array_equal(again.predict_proba(others), model.predict_proba(others))
    np.testing.assert_array_equal(again.predict(list(others)), model.predict(ImageColumn(others)))
    assert again.recipe_ == model.recipe_
    assert again.explain(others[0]).to_dict() == model.explain(others[0]).to_dict()
    again.save(tmp_path / "again.lindy")
    assert (tmp_path / "again.lindy").read_bytes() == (tmp_path / "m.lindy").read_bytes()
    assert inspect(again, top=3).n_features == model.vectorizer_.n_columns


def test_a_model_may_be_fitted_again_to_something_else() -> None:
    images, labels = bars()
    model = TextClassifier(learner="naive-bayes").fit(images, labels)
    assert model.fit(["a lie", "a stand"], ["x", "y"]).predict(["a stand"]).tolist() == ["y"]
    assert model.fit(images, labels).score(images, labels) > 0.8


def test_the_heat_of_a_linear_model_is_the_sum_of_its_weights() -> None:
    images, labels = bars()
    model = TextClassifier(learner="svm", vectorizer=PixelFeatures(), calibration="none").fit(images, labels)
    explanation = model.explain(images[1])
    heat = explanation.heat("stands", "lies")
    on = images[1] > 0.3 * 255
    expected = np.where(on, model.learner_.W_[:, 0].reshape(6, 7), 0.0)
    np.testing.assert_allclose(heat, expected)
    np.testing.assert_array_equal(explanation.heat("lies", "stands"), -heat)
    assert heat.sum() + explanation.against("stands", "lies")[1] == pytest.approx(explanation.decision[0])
    assert explanation.to_dict()["pixels"] == explanation.heat().tolist()


def test_features_that_are_no_pixels_have_no_heat() -> None:
    images, labels = bars()
    explanation = (
        TextClassifier(learner="svm", vectorizer=ShapeFeatures()).fit(images, labels).explain(images[0])
    )
    assert explanation.heat() is None
    assert "pixels" not in explanation.to_dict()
    assert fragment(explanation).count("<svg") == 1


def test_pictures_of_explanations() -> None:
    images, labels = bars()
    model = TextClassifier(learner="naive-bayes").fit(images, labels)
    explanation = model.explain(images[1])
    drawn = render(explanation)
    assert "P(label | image)" in drawn
    lines = drawn.split("\n\n")[0].split("\n")
    assert len(lines) == 6
    heat = explanation.heat()
    for i, j in np.argwhere(np.abs(heat) > 0.5 * np.abs(heat).max()):
        assert lines[i][2 * j] == ("+" if heat[i, j] > 0 else "-")
    page = fragment(explanation)
    svg = page[page.index("<svg") : page.rindex("</svg>") + 6].split("</figcaption></figure><figure>")
    marked = ET.fromstring(svg[1])
    by_place = {(int(r.get("y")), int(r.get("x"))): r.get("class") for r in marked if r.get("class")}
    assert by_place == {(i, j): "for" if heat[i, j] > 0 else "against" for i, j in np.argwhere(heat).tolist()}


def test_large_images_are_shown_smaller() -> None:
    rng = np.random.default_rng(0)
    images = (rng.random((6, 200, 130)) > 0.5).astype(np.uint8)
    images[:3, :100] = 0
    model = TextClassifier(learner="naive-bayes", vectorizer=PixelFeatures()).fit(images, list("aaabbb"))
    explanation = model.explain(images[0])
    assert max(map(len, render(explanation).split("\n\n")[0].split("\n"))) <= 80
    assert fragment(explanation).count("<rect") < 2 * 64 * 64 + 1


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (np.zeros((4, 3)), "got 4 × 3: reshape pixels"),
        (np.full((4, 2, 2), np.nan), "image 0 has a pixel that is not a finite number"),
        (np.zeros((4, 0, 3)), "got 4 × 0 × 3"),
        (np.full((4, 2, 2), "a"), "pixels must be numbers"),
        ([np.zeros((2, 2)), np.zeros((2, 3)), np.zeros((2, 2)), np.zeros((2, 2))], "different sizes"),
        (["a", "b", "c", "d"], "expected images"),
    ],
    ids=["rows", "nan", "empty", "texts", "sizes", "strings"],
)
def test_what_is_no_image_is_refused(X: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        TextClassifier(learner="svm", vectorizer=PixelFeatures()).fit(X, list("abab"))


def test_images_that_a_model_does_not_take_are_refused() -> None:
    images, labels = bars()
    model = TextClassifier(learner="naive-bayes").fit(images, labels)
    with pytest.raises(ValueError, match="the images are 5 × 5 pixels, expected 6 × 7"):
        model.predict(np.zeros((1, 5, 5)))
    with pytest.raises(ValueError, match="expected images"):
        model.predict(["a text"])
    with pytest.raises(TypeError, match="one image is explained at a time"):
        model.explain(images)
    with pytest.raises(TypeError, match="one image is explained at a time"):
        model.explain("a text")
    texts = TextClassifier(learner="naive-bayes").fit(["aa bb", "cc dd"], ["x", "y"])
    with pytest.raises(ValueError, match="Expected texts, got images"):
        texts.predict(images)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ngrams": (1, 2)}, "ngrams applies to texts"),
        ({"chars": (1, 2)}, "chars applies to texts"),
        ({"weighting": "tfidf"}, "weighting applies to texts"),
        ({"min_df": 2}, "min_df applies to texts"),
        ({"max_features": 2}, "max_features applies to texts"),
        ({"extra": [CountVectorizer()]}, "CountVectorizer in extra makes features of texts"),
        ({"learner": "lexicon"}, "Lexicon takes texts|counts the words"),
        ({"vectorizer": CountVectorizer()}, "Expected texts, got images"),
        (
            {"vectorizer": UnionVectorizer(vectorizers=[("a", PixelFeatures()), ("b", CountVectorizer())])},
            "Expected texts, got images",
        ),
    ],
    ids=str,
)
def test_options_of_texts_are_refused(options: dict[str, Any], says: str) -> None:
    images, labels = bars()
    with pytest.raises(ValueError, match=says):
        TextClassifier(**{"learner": "svm", **options}).fit(images, labels)


def test_one_class_and_no_image() -> None:
    images, _ = bars(4)
    with pytest.raises(DataError, match="only one class"):
        TextClassifier().fit(images, ["a"] * 4)
    with pytest.raises((DataError, ValueError)):
        TextClassifier().fit(images[:0], [])


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [6, 8]},
        {"shape": [6]},
        {"shape": ["6", 7]},
        {"cutoff": None},
        {"threshold": "x"},
        {"kind": "pix"},
    ],
    ids=str,
)
def test_forged_models_of_images_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    images, labels = bars(10)
    path = tmp_path / "m.lindy"
    TextClassifier(learner="naive-bayes", vectorizer=PixelFeatures()).fit(images, labels).save(path)
    file = read_model(path)
    header = file.header
    header["vectorizer"].update(change)
    write_model(path, header, {name: np.array(array) for name, array in file.arrays.items()})
    with pytest.raises(ModelFileError):
        load(path)


def test_a_column_of_pictures() -> None:
    images, _ = bars(6)
    column = as_images(images)
    assert as_images(column) is column
    assert len(column[1:4]) == 3
    np.testing.assert_array_equal(column[2], images[2])
    np.testing.assert_array_equal(np.asarray(column.take([5, 0])), images[[5, 0]])
    assert column.arrow[0].as_py() == as_images(images.astype(np.float64)).arrow[0].as_py()
    assert len(set(column.arrow.to_pylist())) == len({image.tobytes() for image in images})
    assert column == as_images(images)
    assert repr(column) == "ImageColumn(6 images of 6 × 7 pixels)"
    assert [are_images(x) for x in (column, images, list(images), images[0], ["a"], [])] == [True] * 3 + [
        False
    ] * 3


def test_which_files_hold_images(tmp_path: Path) -> None:
    write_idx(tmp_path / "some-images-idx3-ubyte", bars(4)[0])
    (tmp_path / "plain").write_bytes((tmp_path / "some-images-idx3-ubyte").read_bytes())
    np.savez(tmp_path / "a.npz", images=bars(4)[0])
    (tmp_path / "t.csv").write_text("text,label\na,b\n")
    (tmp_path / "texts" / "a").mkdir(parents=True)
    (tmp_path / "texts" / "a" / "1.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    held = {
        name: holds_images([str(tmp_path / name)]) for name in ("some-images-idx3-ubyte", "plain", "a.npz")
    }
    assert all(held.values()), held
    for name in ("t.csv", "texts", "empty", "missing"):
        assert not holds_images([str(tmp_path / name)])
    assert not holds_images([])
