"""Contributions of features divided among the characters of a text: equal parts at every step.

unit_u = Σ part_i / |units of i|             over the occurrences i that cover unit u
character_c = Σ unit_u / |characters of u|   over the units u that hold character c
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]


def spread_credit(part: Array, first: Index, last: Index, spans: Index, n_characters: int) -> Array:
    """Occurrence i covers the units first_i … last_i − 1, unit u the characters from spans[u, 0] to spans[u, 1].

    A unit without characters gives all to the one at its begin, or to the last of the text.
    """
    units = np.zeros(len(spans))
    for k in range(int((last - first).max(initial=0))):
        covers = first + k < last
        units += np.bincount(first[covers] + k, (part / (last - first))[covers], len(spans))
    credit = np.zeros(n_characters)
    for unit, span in zip(units, spans, strict=True):
        begin = min(span[0], n_characters - 1)
        end = max(span[1], begin + 1)
        credit[begin:end] += unit / (end - begin)
    return credit
