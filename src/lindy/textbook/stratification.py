"""Iterative stratification: parts in which every label of rows with several labels has its share.

Sechidis, Tsoumakas and Vlahavas, On the Stratification of Multi-Label Data (2011), algorithm 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def iterative_stratification(
    Y: NDArray[np.bool_], shares: Array, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the part of each row: Y (rows × labels) says which labels it has, ``order`` who is asked first.

        c_j = n·r_j                     how many rows part j still wants, of share r_j
        c_jl = n_l·r_j                  how many of label l
        l = the label with the fewest rows left, of those with any
        each row left of label l goes to the part of the largest c_jl, of these to that of the largest c_j

    Rows without any label are those of one more label.
    """
    Y = np.column_stack([Y, ~Y.any(axis=1)])
    c, c_l = len(Y) * shares, np.outer(shares, Y.sum(axis=0))
    part = np.full(len(Y), -1)
    while (part < 0).any():
        left = Y[part < 0].sum(axis=0)
        label = int(np.where(left > 0, left, len(Y) + 1).argmin())
        for row in order[Y[order, label] & (part[order] < 0)]:
            best = np.flatnonzero(c_l[:, label] == c_l[:, label].max())
            part[row] = j = best[c[best].argmax()]
            c[j] -= 1
            c_l[j, Y[row]] -= 1
    return part
