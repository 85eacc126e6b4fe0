"""Which terms are features: neither too rare nor too common, and the most frequent of those."""

from __future__ import annotations

from math import ceil, floor
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

NOTHING = "empty vocabulary; perhaps the documents only contain stop words"


class Limits(NamedTuple):
    """The parameters min_df, max_df, max_features and min_count; ``dtype`` is that of the counts."""

    min_df: float = 1
    max_df: float = 1.0
    max_features: int | None = None
    dtype: DTypeLike = np.int64
    min_count: int = 1

    def documents(self, n_documents: float, *, more_to_come: bool = False) -> tuple[float, float]:
        """Return min_df and max_df as numbers of documents; more may come that make sense of them.

        They are whole unless documents have weights that are not.
        """
        most = self.max_df if isinstance(self.max_df, Integral) else self.max_df * n_documents
        least = self.min_df if isinstance(self.min_df, Integral) else self.min_df * n_documents
        if most < least and not more_to_come and (least > 1 or isinstance(n_documents, Integral)):
            raise ValueError("max_df corresponds to < documents than min_df")
        if not isinstance(n_documents, Integral):
            return float(least), float(most)
        ceiling = np.iinfo(np.uint32).max
        return min(ceil(least), ceiling), min(floor(most), ceiling)

    def most_frequent(self, totals: NDArray[Any]) -> NDArray[np.uint8] | None:
        """Return which of the terms are the ``max_features`` most frequent; ties fall as NumPy's argsort lets them."""
        if self.max_features is None or len(totals) <= self.max_features:
            return None
        counted = totals.astype(self.dtype) if np.dtype(self.dtype).kind == "f" else totals
        mask = np.zeros(len(totals), np.uint8)
        mask[(-counted).argsort()[: self.max_features]] = 1
        return mask

    def kept(
        self,
        documents: NDArray[Any],
        totals: NDArray[Any],
        n_documents: float,
        *,
        more_to_come: bool = False,
    ) -> NDArray[np.bool_]:
        """Return which of all terms, in the order of the alphabet, are features."""
        low, high = self.documents(n_documents, more_to_come=more_to_come)
        kept = reaches(documents, low) & (documents <= high) & reaches(totals, self.min_count)
        mask = self.most_frequent(totals[kept])
        if mask is not None:
            kept[np.flatnonzero(kept)[mask == 0]] = False
        return kept


def reaches(counts: NDArray[Any], least: float) -> NDArray[np.bool_]:
    """Return which counts are large enough; a limit of 1 asks that there is anything, whatever it weighs."""
    there: NDArray[np.bool_] = counts >= least if least > 1 else counts > 0
    return there
