"""Figures of a report: SVG inside the page as data, where it is a picture and nothing else."""

from __future__ import annotations

import base64
import io
import warnings
from typing import TYPE_CHECKING, Any

from lindy.visible import inert

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def figure(ax: Axes, caption: str) -> str:
    """Return a figure element; the caption is also what those hear who do not see the picture."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    drawn: Any = ax.get_figure()
    with mpl.rc_context({"svg.hashsalt": "lindy", "svg.fonttype": "path"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        drawn.savefig(buffer, format="svg", metadata={"Date": None}, bbox_inches="tight")
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return (
        f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{inert(caption)}">'
        f"<figcaption>{inert(caption)}</figcaption></figure>"
    )
