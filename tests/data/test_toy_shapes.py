"""Toy shapes: no line separates them, kernels do."""

from __future__ import annotations

import numpy as np
import pytest

from lindy import SVM, KernelPerceptron, KernelSVM, plots
from lindy.data import toy_shape


@pytest.mark.parametrize("shape", ["xor", "rings", "moons"])
def test_kernels_solve_what_a_line_cannot(shape: str) -> None:
    toy = toy_shape(shape, 200, random_state=2)
    linear = SVM().fit(toy.X_train, toy.y_train).score(toy.X_test, toy.y_test)
    assert linear < 0.92
    for model in (KernelSVM(gamma=2.0, C=10), KernelPerceptron(kernel="rbf", gamma=2.0)):
        assert model.fit(toy.X_train, toy.y_train).score(toy.X_test, toy.y_test) >= 0.95


def test_shapes_depend_on_the_seed_alone() -> None:
    a, b, c = (toy_shape("moons", 50, test_share=0.2, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a.X_train, b.X_train)
    assert not np.array_equal(a.X_train, c.X_train)
    assert a.X_train.shape == (40, 2)
    assert a.X_test.shape == (10, 2)
    assert set(a.y_train) == {0, 1}


def test_the_boundary_is_drawn_around_the_ring() -> None:
    toy = toy_shape("rings", 60)
    model = KernelSVM(gamma=2.0).fit(toy.X_train, toy.y_train)
    ax = plots.decision_boundary({"RBF": model}, toy)
    curve = max((path for c in ax.collections for path in c.get_paths()), key=len)
    radius = np.linalg.norm(curve.vertices, axis=1)
    assert 0.6 < radius.min() <= radius.max() < 1.6


@pytest.mark.parametrize(
    "options", [{"shape": "star"}, {"shape": "xor", "n": 3}, {"shape": "xor", "noise": -1.0}], ids=str
)
def test_mistakes_are_named(options: dict) -> None:
    with pytest.raises(ValueError, match=r"must be"):
        toy_shape(**options)
