"""The explanation of an image as a picture: its pixels, and what each adds to the label's lead.

Large images are shown smaller: a square of pixels becomes one, with their mean value and the sum of what they add.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.explain.explanation import Explanation
from lindy.explain.terminal import marks
from lindy.sanitize import html_name
from lindy.text.analysis.occurrences import Array

_WIDEST_PAGE, _WIDEST_TERMINAL = 64, 38  # pixels each way
_PIXEL = 16  # screen pixels of one
_GREYS = 9


class Picture(NamedTuple):
    """Grey values from 0, paper, to 1; and what the pixels add, as shares of the largest, where they add anything."""

    grey: Array
    share: Array | None


def picture(e: Explanation, most: int, label: Any, other: Any) -> Picture:
    """Return the explanation of an image, with at most so many pixels each way."""
    image = np.asarray(e.image)
    heat = e.heat(label, other)
    if heat is None:
        return Picture(_shrunk(image, most), None)
    heat = _blocks(heat, _side(image.shape, most))
    return Picture(_shrunk(image, most), heat / (float(np.abs(heat).max()) or 1.0))


def _side(shape: tuple[int, ...], most: int) -> int:
    """Return the side of the squares that become one pixel."""
    return -(-max(shape) // most)


def _shrunk(image: NDArray[Any], most: int) -> Array:
    """Return grey values from 0 to 1, with at most so many pixels each way."""
    values = image.astype(np.float64)
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    grey = (values - low) / ((high - low) or 1.0)
    side = _side(image.shape, most)
    means: Array = _blocks(grey, side) / _blocks(np.ones_like(grey), side)
    return means


def _blocks(values: Array, side: int) -> Array:
    """Return the sums of squares of values, those at the edges as far as they go."""
    starts = [np.arange(0, size, side) for size in values.shape]
    lines: Array = np.add.reduceat(values, starts[0], axis=0)
    sums: Array = np.add.reduceat(lines, starts[1], axis=1)
    return sums


def drawing(e: Explanation, label: Any, other: Any) -> str:
    """Return the picture in characters, two for each pixel: signs for what they add, · for ink that adds little."""
    grey, share = picture(e, _WIDEST_TERMINAL, label, other)
    ink = np.where(grey > 0.3, "· ", "  ").astype(object)
    if share is not None:
        ink = np.array(
            [
                [marks(s).ljust(2) if marks(s) else own for s, own in zip(*line, strict=True)]
                for line in zip(share.tolist(), ink.tolist(), strict=True)
            ],
            object,
        )
    return "\n".join("".join(line).rstrip() for line in ink.tolist())


def svg(e: Explanation, label: Any, other: Any) -> str:
    """Return the picture, and beside it the same under what its pixels add, as figures of a page."""
    grey, share = picture(e, _WIDEST_PAGE, label, other)
    figures = [_figure(_greys(grey), grey.shape, "the image")]
    if share is not None:
        added = [_greys(grey * 0.35)]
        for (i, j), s in np.ndenumerate(share):
            if s:
                kind = "for" if s > 0 else "against"
                added.append(_square(i, j, f'class="{kind}" fill-opacity="{max(abs(s), 0.05):.2f}"'))
        said = f"what its pixels add to the lead of {html_name(label, 24)} over {html_name(other, 24)}"
        figures.append(_figure("".join(added), share.shape, said))
    return f'<div class="pictures">{"".join(figures)}</div>'


def thumbnail(image: NDArray[Any]) -> str:
    """Return a small picture of an image, as a piece of a page."""
    grey = _shrunk(image, _WIDEST_TERMINAL)
    return (
        f'<svg class="pixels" viewBox="0 0 {grey.shape[1]} {grey.shape[0]}" width="40">{_greys(grey)}</svg>'
    )


def _figure(squares: str, shape: tuple[int, ...], caption: str) -> str:
    rows, columns = shape
    size = max(min(_PIXEL, 640 // max(rows, columns)), 4)
    return (
        f'<figure><svg class="pixels" viewBox="0 0 {columns} {rows}" width="{columns * size}" height="{rows * size}"'
        f' role="img">{squares}</svg><figcaption>{caption}</figcaption></figure>'
    )


def _greys(grey: Array) -> str:
    """Return squares for what is not paper, in a few greys."""
    steps = np.rint(grey * _GREYS).astype(int)
    return "".join(
        _square(i, j, f'fill-opacity="{step / _GREYS:.2f}"')
        for (i, j), step in np.ndenumerate(steps)
        if step > 0
    )


def _square(row: int, column: int, look: str) -> str:
    return f'<rect x="{column}" y="{row}" width="1" height="1" {look}/>'
