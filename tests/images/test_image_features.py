"""Pixels and shapes: the kernel agrees with the textbook, and learners tell digits apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from lindy import BernoulliNaiveBayes, MaxEnt, Mira, NotFittedError, Perceptron, _native
from lindy.images import PixelFeatures, ShapeFeatures, image_shapes, side_by_side
from lindy.textbook.image_shapes import image_shape

PICTURES = {
    "nothing": (["...", "..."], (0, 0, 0, 0)),
    "a dot": (["...", ".#."], (1, 0, 1, 1)),
    "all ink": (["##", "##"], (1, 0, 2, 2)),
    "corners hold ink together": (["#.", ".#"], (1, 0, 2, 2)),
    "zero": (["####", "#..#", "####"], (1, 1, 3, 4)),
    "eight": (["###", "#.#", "###", "#.#", "###"], (1, 2, 5, 3)),
    "corners do not let paper out": ([".#.", "#.#", ".#."], (1, 1, 3, 3)),
    "paper at the edge is no loop": (["##", "#.", "##"], (1, 0, 3, 2)),
    "i": (["#", ".", "#", "#"], (2, 0, 4, 1)),
    "a dot in a ring": (["#####", "#...#", "#.#.#", "#...#", "#####"], (2, 1, 5, 5)),
    "paper within a loop in two pieces": (["#####", "#.#.#", "#####"], (1, 2, 3, 5)),
}


def drawn(lines: list[str]) -> Any:
    return np.array([[mark == "#" for mark in line] for line in lines])


@pytest.mark.parametrize("name", PICTURES)
def test_shapes_of_pictures(name: str) -> None:
    lines, expected = PICTURES[name]
    assert tuple(image_shapes(drawn(lines)[None])[0].tolist()) == expected
    assert image_shape(drawn(lines)) == expected


@given(
    st.integers(1, 7),
    st.integers(1, 7),
    st.lists(st.lists(st.booleans(), min_size=49, max_size=49), min_size=1, max_size=4),
)
def test_the_kernel_is_the_textbook(rows: int, columns: int, cells: list[list[bool]]) -> None:
    ink = np.array(cells)[:, : rows * columns].reshape(-1, rows, columns)
    expected = [image_shape(picture) for picture in ink]
    for threads in (1, 3):
        assert [tuple(shape) for shape in image_shapes(ink, n_jobs=threads).tolist()] == expected


def test_many_images_on_many_threads() -> None:
    ink = np.random.default_rng(0).random((1000, 9, 11)) < 0.5
    assert np.array_equal(image_shapes(ink, n_jobs=1), image_shapes(ink, n_jobs=4))


def test_the_kernel_checks_its_arrays() -> None:
    ink = np.zeros((2, 3, 3), np.uint8)
    for shapes in (np.zeros((1, 4), np.int32), np.zeros((2, 3), np.int32)):
        with pytest.raises(ValueError, match="row of 4 per image"):
            _native.image_shapes(ink, shapes, 1)
    with pytest.raises(ValueError, match="65535"):
        _native.image_shapes(np.zeros((1, 0, 3), np.uint8), np.zeros((1, 4), np.int32), 1)
    with pytest.raises(TypeError):
        _native.image_shapes(ink, np.zeros((2, 4), np.int64), 1)


def test_pixels() -> None:
    images = np.array([[[0, 255], [80, 70]], [[255, 0], [0, 0]]])
    pixels = PixelFeatures(threshold=0.3)
    assert pixels.fit_csr(images).to_dense().tolist() == [[0, 1, 1, 0], [1, 0, 0, 0]]
    assert pixels.get_feature_names_out().tolist() == ["pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1"]
    assert pixels.transform(images / 10).toarray().tolist() == [[0, 0, 0, 0], [0, 0, 0, 0]]
    assert PixelFeatures().fit_transform(images / 255).toarray().tolist() == [[0, 1, 1, 0], [1, 0, 0, 0]]


def test_shapes_as_features() -> None:
    pictures = [
        drawn(["####", "#..#", "####"]),
        drawn(["#...", ".###", "...#"]),
        drawn(["....", "....", "...."]),
    ]
    shapes = ShapeFeatures()
    rows = shapes.fit_csr(np.stack(pictures))
    names = shapes.get_feature_names_out()
    found = [names[rows.indices[rows.indptr[i] : rows.indptr[i + 1]]].tolist() for i in range(3)]
    assert found[0] == ["components_1", "loops_1", "aspect_below_0.8"]
    assert found[1] == ["components_1", "loops_0", "aspect_below_0.8"]
    assert found[2] == ["components_0", "loops_0"]
    assert rows.shape[1] == len(names) == 14


BAD_IMAGES: dict[str, tuple[Any, str]] = {
    "rows of pixels": (np.zeros((2, 9)), "expected images × rows × columns, got 2 × 9"),
    "a number": (3, "got a number"),
    "no pixels": (np.zeros((2, 0, 3)), "2 × 0 × 3"),
    "words": (np.array([[["a"]]]), "numbers"),
    "NaN": (np.array([[[0.0]], [[np.nan]]]), "image 1 has a pixel that is not a finite number"),
    "no image": (np.zeros((0, 3, 3)), "no image"),
}


@pytest.mark.parametrize("case", BAD_IMAGES)
@pytest.mark.parametrize("kind", [PixelFeatures, ShapeFeatures])
def test_bad_images(case: str, kind: Any) -> None:
    images, message = BAD_IMAGES[case]
    with pytest.raises(ValueError, match=message):
        kind().fit(images)


def test_bad_use() -> None:
    with pytest.raises(ValueError, match=r"the images are 3 × 3 pixels, expected 2 × 2"):
        PixelFeatures().fit(np.ones((1, 2, 2))).transform_csr(np.ones((1, 3, 3)))
    with pytest.raises(ValueError, match="threshold"):
        PixelFeatures(threshold=1).fit(np.ones((1, 2, 2)))
    with pytest.raises(NotFittedError):
        ShapeFeatures().transform_csr(np.ones((1, 2, 2)))


@pytest.mark.parametrize("learner", [BernoulliNaiveBayes(), Perceptron(), Mira(), MaxEnt(C=0.1)], ids=repr)
def test_learners_tell_digits_apart(learner: Any) -> None:
    digits = load_digits()
    pixels, shapes = PixelFeatures().fit(digits.images), ShapeFeatures().fit(digits.images)
    X = side_by_side([pixels.transform_csr(digits.images), shapes.transform_csr(digits.images)])
    learner.fit(X.take(np.arange(1200)), digits.target[:1200])
    assert learner.score(X.take(np.arange(1200, 1797)), digits.target[1200:]) > 0.8
