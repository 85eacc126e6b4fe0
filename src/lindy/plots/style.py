"""The style of all plots: figures, colours, lines, legends, files."""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lindy.errors import MissingPackageError
from lindy.files.atomic import atomic_write
from lindy.files.output_guard import PICTURE
from lindy.sanitize import sanitize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito (2008): blue, vermilion, green, purple, orange, sky, black
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#595959"


def require_matplotlib() -> None:
    """Raise, with what to do about it, if matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingPackageError("plots need matplotlib", "pip install 'lindy[plots]'")


def axes(ax: Axes | None, size: tuple[float, float] = (6.4, 4.4)) -> Axes:
    """Return ``ax``, or the axes of a new figure: pyplot's, shown in notebooks, if pyplot is in use."""
    if ax is not None:
        return ax
    require_matplotlib()
    from matplotlib.figure import Figure

    if "matplotlib.pyplot" in sys.modules:
        figure = sys.modules["matplotlib.pyplot"].figure(figsize=size, layout="constrained")
    else:
        figure = Figure(figsize=size, layout="constrained")
    made: Axes = figure.subplots()
    tidy(made)
    return made


def tidy(ax: Axes) -> None:
    """Leave out the frame's upper and right side, and draw a light grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#0001", linewidth=0.8)
    ax.set_axisbelow(True)


def look(i: int) -> dict[str, Any]:
    """Return colour, line style and marker of the i-th of several lines; with more lines than colours no two agree."""
    again = i // len(COLOURS)
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": LINES[(i + again) % len(LINES)],
        "marker": MARKERS[(i + 2 * again) % len(MARKERS)],
    }


def legend(ax: Axes, **settings: Any) -> None:
    """Put the legend to the right of the axes, where it covers nothing."""
    if ax.get_legend_handles_labels()[1]:
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "frameon": False}
        ax.legend(**(place | settings))


def plain(text: object, most: int = 40) -> str:
    """Return a label or word as matplotlib shall show it: as it is, never as a formula, and not too long."""
    shown = sanitize(text)
    shown = shown if len(shown) <= most else shown[: most - 1] + "…"
    # a legend leaves out what begins with _
    return (" " if shown.startswith("_") else "") + shown.replace("$", r"\$")


def save(ax: Axes, path: str | os.PathLike[str], *, dpi: int = 150) -> Path:
    """Write the figure of ``ax`` to a file, whose ending (png, svg, pdf) says how; equal pictures give equal bytes."""
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    figure: Any = ax.get_figure()
    known = figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise ValueError(f"cannot save a picture as {target.name!r}; use one of .png, .svg, .pdf")
    with atomic_write(target, kind=PICTURE) as file:
        draw(figure, file, format=kind, dpi=dpi, metadata=dates.get(kind))
    return target


def draw(figure: Any, target: Any, *, text: str = "path", **settings: Any) -> None:
    """Draw a figure into a file so that equal pictures give equal bytes.

    ``text`` says how SVG has it: "path" as outlines, "none" as text in a font of the one who looks at it.
    """
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "lindy", "svg.fonttype": text}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # a box is drawn in its place
        figure.savefig(target, bbox_inches="tight", **settings)
