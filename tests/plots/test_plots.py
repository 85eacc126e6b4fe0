"""Pictures by their structure: what is drawn, how it is named, and that nothing covers the data."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import lindy
from lindy import plots
from lindy.data import toy_gaussians
from lindy.linear.problem import History
from lindy.plots.style import COLOURS

TOY = toy_gaussians(60, random_state=1)
THREE = toy_gaussians(90, means=[(-2, -1), (2, -1), (0, 2)], variances=0.8, random_state=1)


def drawn(ax: Axes) -> Any:
    """Draw the figure, and return what measures it."""
    canvas = FigureCanvasAgg(ax.get_figure())  # type: ignore[arg-type]
    canvas.draw()
    return canvas.get_renderer()


def legend_is_outside(ax: Axes) -> bool:
    renderer = drawn(ax)
    legend = ax.get_legend()
    assert legend is not None
    return bool(legend.get_window_extent(renderer).x0 >= ax.get_window_extent(renderer).x1 - 1)


def named(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]


def pictures() -> Iterator[tuple[str, Axes]]:
    fitted = {
        name: kind().fit(TOY.X_train, TOY.y_train)
        for name, kind in (("svm", lindy.SVM), ("mira", lindy.Mira))
    }
    path = lindy.Perceptron(trace=1, epochs=5).fit(TOY.X_train, TOY.y_train).trace_
    histories = {
        "a": History([3.0, 2.0, 1.5], seconds=[0.1, 0.2, 0.3]),
        "b": History([2.0, 1.0], seconds=[0.2, 0.4]),
    }
    yield "toy data", plots.toy_data(TOY)
    yield "boundary", plots.decision_boundary(fitted, TOY)
    yield "regions", plots.decision_regions(lindy.MaxEnt().fit(THREE.X_train, THREE.y_train), THREE)
    yield "path", plots.weight_path(path)
    yield "objective", plots.objective_by_time(histories)
    yield "epochs", plots.accuracy_by_epoch([0.7, 0.9, 1.0], [0.6, 0.8, 0.7])
    yield "learning curve", plots.learning_curve([10, 20], {"x": [0.5, 0.7]}, {"x": [(0.4, 0.6), (0.6, 0.8)]})
    yield "reliability", plots.reliability([1, 0, 1, 1], [0.9, 0.6, 0.7, 0.95])


@pytest.mark.parametrize(("name", "ax"), [pytest.param(*picture, id=picture[0]) for picture in pictures()])
def test_axes_are_labelled_and_legends_cover_nothing(name: str, ax: Axes) -> None:
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert legend_is_outside(ax)
    assert all(named(ax))


def test_training_points_are_squares_and_test_points_circles() -> None:
    lines = {line.get_label(): line for line in plots.toy_data(TOY).get_lines()}
    assert [lines[f"train, class {c}"].get_marker() for c in (0, 1)] == ["s", "s"]
    assert [lines[f"test, class {c}"].get_marker() for c in (0, 1)] == ["o", "o"]
    assert lines["train, class 0"].get_fillstyle() != lines["train, class 1"].get_fillstyle()
    points = sum(len(lines[f"{part}, class {c}"].get_xdata()) for part in ("train", "test") for c in (0, 1))
    assert points == 60
    assert {to_hex(line.get_color()).upper() for line in lines.values()} <= set(COLOURS)


def test_a_boundary_is_where_the_score_is_zero_across_the_whole_plane() -> None:
    model = lindy.SVM().fit(TOY.X_train, TOY.y_train)
    ax = plots.decision_boundary({"svm": model}, TOY)
    assert named(ax)[-2:] == ["Bayes optimal", "svm"]
    *_, optimal, own = ax.collections
    points = np.concatenate([path.vertices for path in own.get_paths()])
    np.testing.assert_allclose(model.decision_function(points), 0.0, atol=1e-2)
    best = np.concatenate([path.vertices for path in optimal.get_paths()])
    np.testing.assert_allclose(best.sum(axis=1), 0.0, atol=1e-6)  # means ±(1, 1): the line x + y = 0
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert best[:, 0].max() - best[:, 0].min() > 0.8 * min(right - left, high - low)


def test_boundaries_and_regions_of_several_classes() -> None:
    model = lindy.MaxEnt().fit(THREE.X_train, THREE.y_train)
    ax = plots.decision_boundary({"maxent": model}, THREE)
    assert len(ax.collections) == 6  # a line around each class, for the optimum and for the model
    regions = plots.decision_regions(model, THREE)
    assert [f"predicted {c}" in named(regions) for c in range(3)] == [True] * 3
    hatches = [patch.get_hatch() for patch in regions.patches]
    assert len(set(hatches)) == 3


def test_the_path_begins_at_zero_and_ends_at_the_last_weights() -> None:
    model = lindy.Perceptron(trace=2, average=False, epochs=4).fit(TOY.X_train, TOY.y_train)
    ax = plots.weight_path(model.trace_)
    x, y = (np.asarray(part, float) for part in ax.get_lines()[0].get_data())
    assert (x[0], y[0]) == (0.0, 0.0)
    assert len(x) == len(model.trace_) + 1
    np.testing.assert_allclose([x[-1], y[-1]], model.trace_[-1][1][:, 0])
    with pytest.raises(ValueError, match="trace=k"):
        plots.weight_path([])


def test_objectives_are_shown_above_the_lowest_of_all() -> None:
    histories = {"a": History([3.0, 1.5], seconds=[0.1, 0.2]), "b": History([2.0, 1.0], seconds=[0.2, 0.4])}
    ax = plots.objective_by_time(histories)
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), [2.0, 0.5])
    np.testing.assert_allclose(ax.get_lines()[1].get_ydata(), [1.0])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert len({line.get_linestyle() for line in ax.get_lines()}) == 2
    with pytest.raises(ValueError, match="histories"):
        plots.objective_by_time({})


def test_a_confusion_matrix_carries_its_numbers() -> None:
    ax = plots.confusion([[5, 1], [2, 1002]], ["no", "$yes$"])
    assert [text.get_text() for text in ax.texts] == ["5", "1", "2", "1,002"]
    assert ax.get_xlabel() == "predicted"
    assert ax.get_ylabel() == "true"
    drawn(ax)
    assert not plots.confusion(np.eye(25), list(range(25))).texts


def test_reliability_is_the_share_that_was_right_by_what_was_said() -> None:
    ax = plots.reliability([1, 1, 1, 0, 1, 0], [0.91, 0.93, 0.95, 0.97, 0.55, 0.55], bins=10)
    (points,) = [c for c in ax.collections if c.get_label() == "share that was right"]
    np.testing.assert_allclose(points.get_offsets(), [[0.55, 0.5], [0.94, 0.75]])
    with pytest.raises(ValueError, match="equally long"):
        plots.reliability([1], [0.5, 0.5])


def test_weights_of_digits_are_pictures_around_zero() -> None:
    digits = load_digits()
    model = lindy.MaxEnt(tol=1e-2).fit(digits.data / 16, digits.target)
    ax = plots.weight_pictures(model.W_, (8, 8), model.classes_)
    (image,) = ax.images
    assert image.norm.vmin == -image.norm.vmax  # type: ignore[operator]
    assert [text.get_text() for text in ax.texts] == [str(d) for d in range(10)]
    sheet = np.asarray(image.get_array().filled(np.nan))  # type: ignore[union-attr]
    np.testing.assert_allclose(sheet[3:11, 9:17], model.W_[:, 1].reshape(8, 8))
    with pytest.raises(ValueError, match="do not make a picture"):
        plots.weight_pictures(model.W_, (7, 7), model.classes_)


def test_features_are_bars_with_the_first_on_top() -> None:
    ax = plots.top_features([("good", 2.0), ("fine", 1.0), ("_x$", np.inf)], label="yes")
    assert next(label.get_text() for label in ax.get_yticklabels()) == "good"
    assert ax.yaxis_inverted()
    drawn(ax)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_equal_pictures_give_equal_bytes(ending: str, tmp_path: Path) -> None:
    files = [plots.save(plots.toy_data(TOY), tmp_path / f"{i}.{ending}") for i in range(2)]
    assert files[0].read_bytes() == files[1].read_bytes()
    with pytest.raises(ValueError, match="cannot save"):
        plots.save(plots.toy_data(TOY), tmp_path / "picture.nonsense")


def test_given_axes_are_drawn_into() -> None:
    ax = Figure().subplots()
    assert plots.toy_data(TOY, ax=ax) is ax
    assert plots.confusion(np.eye(2), ["a", "b"], ax=Figure().subplots()).images


def test_matplotlib_is_not_imported_before_it_is_used() -> None:
    code = "import sys, lindy, lindy.plots, lindy.plots.results; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'matplotlib' else find(name, *rest)\n"
        "from lindy import plots\n"
        "try: plots.confusion([[1]], ['a'])\n"
        "except ImportError as error: assert 'lindy[plots]' in error.hint\n"
        "else: raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
