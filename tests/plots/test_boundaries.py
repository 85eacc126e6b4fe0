"""Several learners on one toy data set: boundaries and accuracies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lindy import SVM, Perceptron, plots, regularization_path
from lindy.data import toy_gaussians, toy_shape
from lindy.errors import DataError


def test_all_methods_with_their_accuracies() -> None:
    found = plots.boundaries(points=200, variance=0.2, balance=0.7, seed=2)
    assert len(found.models) == 5
    assert list(found.accuracies) == ["Bayes optimal", *found.models]
    toy = found.data
    assert [len(toy.y_train), len(toy.y_dev), len(toy.y_test)] == [100, 50, 50]
    assert np.mean(toy.y_train == 0) == pytest.approx(0.7)
    for name, model in found.models.items():
        for part in ("train", "dev", "test"):
            share = np.mean(model.predict(getattr(toy, f"X_{part}")) == getattr(toy, f"y_{part}"))
            assert found.accuracies[name][part] == share
            assert share > 0.9  # the classes hardly overlap
    labels = [text.get_text() for text in found.ax.get_legend().get_texts()]
    assert any(label.startswith("svm: ") and label.count("/") == 2 for label in labels)
    assert str(found).splitlines()[0].split() == ["train", "dev", "test"]
    assert "<table" in found._repr_html_()


def test_learners_and_data_that_are_given() -> None:
    toy = toy_shape("rings", 80)
    found = plots.boundaries({"mine": SVM(), "other": Perceptron()}, toy)
    assert list(found.accuracies) == ["mine", "other"]
    assert list(found.accuracies["mine"]) == ["train", "test"]  # there are no points for development
    assert list(plots.boundaries("svm", points=40).models) == ["svm"]
    assert "kernel-svm" in plots.boundaries(["kernel-svm"], shape="xor").accuracies


def test_the_same_seed_gives_the_same_points_and_others_others() -> None:
    first, same, other = (plots.boundaries(["svm"], seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.data.X_dev, same.data.X_dev)
    assert first.accuracies == same.accuracies
    assert (first.data.X_dev != other.data.X_dev).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"points": 3}, "points must be a whole number of at least 8"),
        ({"points": "many"}, "points must be a whole number"),
        ({"variance": 0}, "variance must be a finite number above 0"),
        ({"variance": "1"}, "variance must be a finite number"),
        ({"balance": 0}, "balance must lie between 0 and 1"),
        ({"balance": 1.0}, "balance must lie between 0 and 1"),
        ({"balance": None}, "balance must lie between 0 and 1"),
        ({"shape": "heart"}, "shape must be one of"),
        ({"shape": "xor", "variance": 2.0}, "leave out shape"),
        ({"learners": []}, "at least one learner"),
        ({"learners": ["nope"]}, "nope"),
    ],
)
def test_options_that_cannot_be(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plots.boundaries(**options)


def test_one_class_and_no_classifier() -> None:
    with pytest.raises(DataError, match="training points are of one class"):
        plots.boundaries(points=8, balance=0.99)
    with pytest.raises(TypeError, match="'x' must be an unfitted classifier"):
        plots.boundaries({"x": SVM})


def test_development_points_take_nothing_from_others() -> None:
    plain, with_dev = toy_gaussians(100, random_state=1), toy_gaussians(100, dev_share=0.2, random_state=1)
    assert len(plain.y_dev) == 0
    assert [len(with_dev.y_train), len(with_dev.y_dev), len(with_dev.y_test)] == [30, 20, 50]
    np.testing.assert_array_equal(plain.X_test, with_dev.X_test)
    shape = toy_shape("moons", 100, dev_share=0.2)
    assert [len(shape.y_train), len(shape.y_dev), len(shape.y_test)] == [30, 20, 50]
    np.testing.assert_array_equal(toy_shape("moons", 100).X_test, shape.X_test)
    for wrong in (-0.1, 0.5, 1.0):
        with pytest.raises(ValueError, match="dev_share"):
            toy_gaussians(100, dev_share=wrong)


def test_a_regularisation_path_is_drawn_with_held_out_accuracies() -> None:
    texts, labels = ["good book", "fine read", "bad book", "awful read"] * 5, ["+", "+", "-", "-"] * 5
    path = regularization_path(texts, labels, n_values=5)
    ax = plots.regularization_path(path, path.score(texts, labels))
    drawn = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_allclose(drawn["right held out, %"].get_ydata(), 100 * path.training)
    assert ax.get_title(loc="left").startswith("first to get a weight: ")
    assert ax.xaxis_inverted()
