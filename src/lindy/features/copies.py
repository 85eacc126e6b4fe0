"""Copies: how many training texts are nearly the same as this one, as mass mail is.

Texts are compared by MinHash sketches of words and word pairs (``lindy.text.vocabulary.sketches``): they are copies
if they agree in one of 16 bands of 8 entries, which texts that share 80 % of them do with probability 0.95, 60 % with
0.24, and 40 % with 0.01. What is kept is how many training texts had each band, of bands that at least two had: 65,536
numbers at the most, however many texts there were, and no text itself.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.estimators.parameters import fitted, with_parameters
from lindy.features.spans import SpanVectorizer
from lindy.text.vectorizer import State
from lindy.text.vocabulary.sketches import BINS, band_keys, sketches, word_sets

BAND = 8
FEWEST = 10
"""Words and word pairs of a text that is compared at all: short ones are the same by chance."""
MOST = 1 << 16
_FROM = 2  # training texts that are nearly the same
_BATCH = 4096  # texts whose sketches are in memory


@with_parameters
class CopyVectorizer(SpanVectorizer):
    """Convert texts to columns for how many training texts are nearly the same: copies=2, copies=3-4, ….

    Words with an underscore, as the reader of mail makes of headers, are not compared.

    Parameters
    ----------
    length : float
        The value of the column.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    bands_, times_ : arrays, bands that several training texts have, in ascending order, and how many have them

    Examples
    --------
    >>> from lindy.features import CopyVectorizer
    >>> mass = "dear {}, you have won a prize of a thousand pounds, call us now"
    >>> vectorizer = CopyVectorizer().fit([mass.format(name) for name in ("ann", "bob", "eve")])
    >>> vectorizer.copies([mass.format("joe")])
    array([3])
    """

    kind = "copies"
    not_exported = "it compares a text with the training texts, whose sketches a page would have to carry"
    title = "copies"
    bands_: NDArray[np.uint64] = fitted()
    times_: NDArray[np.int64] = fitted()

    def _learn(self, texts: list[str], weight: NDArray[np.float64] | None) -> NDArray[np.int64]:
        keys, compared = self._keys(texts)
        bands, times = np.unique(keys[compared], return_counts=True)
        if weight is not None:
            band = np.searchsorted(bands, keys[compared].ravel())
            each = np.repeat(weight[compared], keys.shape[1])
            times = np.rint(np.bincount(band, each, len(bands))).astype(np.int64)
        several = np.flatnonzero(times >= _FROM)
        several = np.sort(several[np.argsort(-times[several], kind="stable")][:MOST])
        self.bands_, self.times_ = bands[several], times[several].astype(np.int64)
        others = self._found(keys, compared) - 1
        return np.where(others >= _FROM, others, 0)

    def copies(self, texts: Any) -> NDArray[np.int64]:
        """Return how many training texts are nearly the same as each text; 0 for fewer than two."""
        self._check_fitted()
        return self._counts(list(texts))

    def _counts(self, texts: list[str]) -> NDArray[np.int64]:
        return self._found(*self._keys(texts))

    def _keys(self, texts: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Return the keys of the texts' bands, and which texts are long enough to be compared."""
        keys, compared = [np.zeros((0, BINS // BAND), np.uint64)], [np.zeros(0, bool)]
        for begin in range(0, len(texts), _BATCH):
            rows = word_sets([_plain(text) for text in texts[begin : begin + _BATCH]], self.n_jobs)
            keys.append(band_keys(sketches(rows, self.n_jobs), BAND))
            compared.append(np.diff(rows.indptr) >= FEWEST)
        return np.concatenate(keys), np.concatenate(compared)

    def _found(self, keys: NDArray[np.uint64], compared: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the largest number of training texts that share a band with each text."""
        if not len(self.bands_):
            return np.zeros(len(keys), np.int64)
        place = np.minimum(np.searchsorted(self.bands_, keys), len(self.bands_) - 1)
        times = np.where(self.bands_[place] == keys, self.times_[place], 0)
        return np.where(compared, times.max(axis=1, initial=0), 0)

    def describe(self) -> str:
        """Return in a few words what the columns are."""
        return "copies"

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        self._check_fitted()
        return {"kind": self.kind, "length": float(self.length)}, {"bands": self.bands_, "times": self.times_}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        made = cls(length=config.get("length", 0))
        made._check_parameters()
        for name, dtype in (("bands", np.uint64), ("times", np.int64)):
            array = arrays.get(name)
            if array is None or array.dtype != dtype or array.ndim != 1 or len(array) > MOST:
                raise ValueError(f"the saved {name} must be at most {MOST:,} whole numbers")
        bands, times = arrays["bands"], arrays["times"]
        if len(bands) != len(times) or (bands[1:] <= bands[:-1]).any() or (times < _FROM).any():
            raise ValueError("the saved bands must ascend, each with its number of texts")
        made.bands_, made.times_ = bands, times
        return made


def _plain(text: str) -> str:
    """Return a text without words that have an underscore."""
    return " ".join(word for word in text.split() if "_" not in word) if "_" in text else text
