"""Pictures inside of a page: as wide as a telephone, in the colours of the page, with nothing that is fetched."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from lindy.plots.style import COLOURS, GREY, axes, draw
from lindy.sanitize import inert

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VARIABLES = {colour.lower(): f"var(--c{i})" for i, colour in enumerate(COLOURS)}
_VARIABLES |= {GREY: "var(--muted)", "#000000": "currentColor"}


def canvas(height: float = 3.1) -> Axes:
    """Return axes for a figure as wide as a telephone: letters have the size of the captions there."""
    return axes(None, (4.6, height))


def figure(ax: Axes, caption: str) -> str:
    """Return a figure element; the caption is also what those hear who do not see the picture.

    Nothing in the figure is clipped, so its data must lie within the limits of the axes.
    """
    drawn: Any = ax.get_figure()
    if (own := ax.get_legend()) is not None:
        own.remove()
        below = {"loc": "outside lower center", "ncols": 2, "frameon": False}
        drawn.legend(*ax.get_legend_handles_labels(), markerscale=own.markerscale, **below)
    for artist in drawn.findobj():
        artist.set_clip_on(
            False
        )  # a clip path is a url(…), which has no place in a page that fetches nothing
    buffer = io.BytesIO()
    draw(drawn, buffer, text="none", format="svg", transparent=True, metadata={"Date": None})
    said = inert(caption)
    return (
        f"<figure>{_inline(buffer.getvalue().decode('utf-8'), said)}<figcaption>{said}</figcaption></figure>"
    )


def _inline(svg: str, said: str) -> str:
    """Return Matplotlib's file as an element of a page, with variables of the page for its colours."""
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    view, body = re.findall(r'<svg[^>]*viewBox="([\d. ]+)"[^>]*>(.*)</svg>', svg, re.DOTALL)[0]
    body = re.sub(r'<g id="[^"]*">', "<g>", body.replace("xlink:href", "href"))
    body = re.sub(r"#[0-9a-f]{6}(?=[;\"])", lambda found: _VARIABLES.get(found[0], found[0]), body)
    body = re.sub(r">\s+<", "><", body.strip())
    return f'<svg viewBox="{view}" role="img" aria-label="{said}">{body}</svg>'
