"""What each character of a text gets of what its features add.

    part of a unit        Σ over occurrences that cover it: part of the occurrence / number of units that it covers
    part of a character   Σ over units that hold it: part of the unit / number of its characters
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
    for unit, (begin, end) in zip(units, spans, strict=True):
        begin = min(begin, n_characters - 1)
        end = max(end, begin + 1)
        credit[begin:end] += unit / (end - begin)
    return credit
