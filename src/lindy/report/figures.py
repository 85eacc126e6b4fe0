"""Figures of a report: SVG inside the page as data, where it is a picture and nothing else."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from lindy.plots.style import draw
from lindy.visible import inert

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def figure(ax: Axes, caption: str) -> str:
    """Return a figure element; the caption is also what those hear who do not see the picture."""
    buffer = io.BytesIO()
    draw(ax.get_figure(), buffer, format="svg", metadata={"Date": None})
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return (
        f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{inert(caption)}">'
        f"<figcaption>{inert(caption)}</figcaption></figure>"
    )
