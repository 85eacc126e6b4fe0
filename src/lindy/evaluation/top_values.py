"""``TopValues``: the probabilities of the few most probable of thousands of labels, in the place of those of all.

All other labels of a row have the probability 0. Whoever asks for pairs of a row and a label, for the best or for
those that reach a threshold gets them from what is kept; every other use sees the dense array, which is made for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TopValues:
    """``codes`` and ``values`` (rows × kept), in falling order, and how many classes there are; −1 is no class."""

    codes: NDArray[np.int32]
    values: Array
    n_classes: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and classes."""
        return len(self.codes), self.n_classes

    @property
    def dense(self) -> Array:
        """The array, rows × classes, made anew."""
        made = np.zeros(self.shape)
        rows, places = np.nonzero(self.codes >= 0)
        made[rows, self.codes[rows, places]] = self.values[rows, places]
        return made

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.dense if dtype is None else self.dense.astype(dtype)

    def __len__(self) -> int:
        return len(self.codes)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dense, name)

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, tuple):
            codes, values = np.atleast_2d(self.codes[index]), np.atleast_2d(self.values[index])
            some = TopValues(codes, values, self.n_classes).dense
            return some[0] if self.codes[index].ndim == 1 else some
        rows, codes = index
        if isinstance(rows, slice) or isinstance(codes, slice):
            return self.dense[index]
        rows, codes = np.broadcast_arrays(rows, codes)
        found = self.codes[rows] == codes[..., None]
        return np.where(found, self.values[rows], 0.0).sum(axis=-1)

    def argmax(self, axis: int) -> NDArray[np.intp]:  # noqa: ARG002  # that of classes
        """Return the most probable class of each row."""
        best: NDArray[np.intp] = np.maximum(self.codes[:, 0], 0).astype(np.intp)
        return best

    def reaching(self, thresholds: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows and classes, in their order, whose value is at least the threshold of one or every class."""
        least = np.broadcast_to(np.asarray(thresholds, np.float64), (self.n_classes,))
        rows, places = np.nonzero((self.codes >= 0) & (self.values >= least[self.codes]))
        codes = self.codes[rows, places].astype(np.intp)
        order = np.lexsort((codes, rows))
        return rows[order], codes[order]

    def ranked(self, best: NDArray[np.intp], k: int) -> NDArray[np.intp]:
        """Return the first k classes of each row: the best one, and the others by their values, those of 0 in order."""
        wanted = min(k, self.n_classes)
        if wanted > self.codes.shape[1] or (self.codes[:, :wanted] < 0).any():
            values = self.dense
            values[np.arange(len(self)), best] = np.inf
            return np.argsort(-values, axis=1, kind="stable")[:, :k]
        place = np.where(self.codes == best[:, None], -1, np.arange(self.codes.shape[1]))
        order = np.argsort(place, axis=1, kind="stable")[:, :wanted]
        return np.take_along_axis(self.codes, order, axis=1).astype(np.intp)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the values of all parts, one after the other."""
        most = max(part.codes.shape[1] for part in parts)
        widened = [(most - part.codes.shape[1], part) for part in parts]
        codes = [np.pad(part.codes, ((0, 0), (0, more)), constant_values=-1) for more, part in widened]
        values = [np.pad(part.values, ((0, 0), (0, more))) for more, part in widened]
        return cls(np.concatenate(codes), np.concatenate(values), parts[0].n_classes)
