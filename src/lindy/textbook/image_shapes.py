"""Shapes of digits (Amato): how many pieces, how many loops, how tall.

components = pieces of ink that hold together over edges and corners
loops      = pieces of paper, holding together over edges, that do not reach the border
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

EDGES = [(0, 1), (0, -1), (1, 0), (-1, 0)]
CORNERS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def count_pieces(on: NDArray[np.bool_], steps: list[tuple[int, int]]) -> int:
    """Return into how many pieces the cells that are on fall, neighbours being ``steps`` away."""
    left = {(int(i), int(j)) for i, j in np.argwhere(on)}
    pieces = 0
    while left:
        waiting = [left.pop()]
        pieces += 1
        while waiting:
            i, j = waiting.pop()
            near = {(i + di, j + dj) for di, dj in steps} & left
            left -= near
            waiting += near
    return pieces


def image_shape(ink: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Return components, loops, and height and width of the box around the ink."""
    if not ink.any():
        return 0, 0, 0, 0
    paper = ~np.pad(ink, 1)  # with a frame of paper, so that all outside is one piece
    rows, columns = np.nonzero(ink.any(axis=1))[0], np.nonzero(ink.any(axis=0))[0]
    return (
        count_pieces(ink, EDGES + CORNERS),
        count_pieces(paper, EDGES) - 1,
        int(rows[-1] - rows[0] + 1),
        int(columns[-1] - columns[0] + 1),
    )
