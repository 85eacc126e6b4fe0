"""Weights of which most are zero (as an L1 penalty or feature selection leaves), or of which many rows are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr, Float
from lindy.core.rows import Rows
from lindy.errors import DataError
from lindy.estimators.base import thread_count
from lindy.estimators.serialization import Arrays, Shape, check_arrays

_MANY_FEATURES = 1 << 22  # beyond that, what a model file claims to have and no table is made for
_PER_WEIGHT = (
    64  # entries of a dense table for each weight: a larger table is made in parts, one after the other,
)
_PART = 1 << 20  # … each of about so many entries
Array = NDArray[np.float64]
MOST_WEIGHTS = 1 << 28
"""Weights in a table (2 GB) that is far larger than the counts it is made of."""
COUNTED = 64  # a table of at most so many weights per count is always made


@dataclass(frozen=True)
class SparseWeights:
    """W by columns: column k has ``values`` at ``features``, from ``starts[k]`` to ``starts[k + 1]``."""

    values: Float
    features: NDArray[np.int32]
    starts: NDArray[np.int64]
    n_features: int

    state: ClassVar[dict[str, Shape]] = {
        "W_values": ("N",),
        "W_features": ("N",),
        "W_starts": ("P",),
        "W_rows": (1,),
        "b": ("O",),
    }

    @classmethod
    def of(cls, W: Float) -> SparseWeights:
        """Take the weights that are not zero."""
        outputs, features = np.nonzero(W.T)
        starts = np.concatenate([[0], np.cumsum(np.bincount(outputs, minlength=W.shape[1]))])
        return cls(W[features, outputs], features.astype(np.int32), starts.astype(np.int64), W.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """Features and outputs."""
        return self.n_features, len(self.starts) - 1

    @property
    def _outputs(self) -> NDArray[np.intp]:
        return np.repeat(np.arange(self.shape[1]), np.diff(self.starts))

    @property
    def dense(self) -> Float:
        """W as an array, made anew."""
        W = np.zeros(self.shape, self.values.dtype)
        W[self.features, self._outputs] = self.values
        return W

    @cached_property
    def _used(self) -> NDArray[np.int32]:
        """The features with a weight, ascending."""
        return np.unique(self.features)

    @cached_property
    def _shared(self) -> SharedWeights:
        """The form that rows are scored in: the rows of W that are not zero, and one that is.

        Of very many features, those without a weight are left out, see ``_places``.
        """
        used = self._used
        rows = np.zeros((len(used) + 1, self.shape[1]))
        rows[np.searchsorted(used, self.features) + 1, self._outputs] = self.values
        if self.n_features > _MANY_FEATURES:
            return SharedWeights(rows, np.arange(len(rows), dtype=np.int32))
        row_of = np.zeros(self.n_features, np.int32)
        row_of[used] = np.arange(1, len(used) + 1, dtype=np.int32)
        return SharedWeights(rows, row_of)

    def _places(self, features: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
        """Return where features are in ``_shared``."""
        if self.n_features <= _MANY_FEATURES:
            return features
        place = np.searchsorted(self._used, features)
        found = np.append(self._used, -1)[place] == features
        return np.where(found, place + 1, 0).astype(np.int32)

    @cached_property
    def _cuts(self) -> NDArray[np.intp]:
        """Where to cut the outputs so that the table of each part takes memory in proportion to all weights.

        The features with a weight times the outputs can be any amount: a feature may count for a single one of many
        thousand classes.
        """
        K, most = self.shape[1], max(_PART, 4 * len(self.values))
        if (len(self._used) + 1) * K <= max(_PART, _PER_WEIGHT * len(self.values)):
            return np.array([0, K])
        cuts = [0]
        while (begin := cuts[-1]) < K:
            sizes = (self.starts[begin + 1 :] - self.starts[begin] + 1) * np.arange(1, K - begin + 1)
            cuts.append(begin + max(1, int(np.searchsorted(sizes, most, side="right"))))
        return np.array(cuts)

    def _part(self, begin: int, end: int) -> SparseWeights:
        """Return the weights of some outputs."""
        first, last = self.starts[begin], self.starts[end]
        return SparseWeights(
            self.values[first:last],
            self.features[first:last],
            self.starts[begin : end + 1] - first,
            self.n_features,
        )

    def _parts(self) -> Iterator[SparseWeights]:
        """Yield the weights, whose table is kept, or parts of them, whose tables are not."""
        if len(self._cuts) == 2:
            yield self
        else:
            yield from (self._part(begin, end) for begin, end in pairwise(self._cuts.tolist()))

    def scores(self, X: Csr, b: Float, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return XW + b, rows × outputs."""
        biases = np.split(b, self._cuts[1:-1])
        return _beside(
            part._own_scores(X, bias, n_jobs) for part, bias in zip(self._parts(), biases, strict=True)
        )

    def _own_scores(self, X: Csr, b: Float, n_jobs: int | None) -> NDArray[np.float64]:
        shared = self._shared
        rows = Csr(
            X.indptr, self._places(X.indices).astype(np.int32, copy=False), X.values, len(shared.row_of)
        )
        return shared.scores(rows, b.astype(np.float64), n_jobs)

    def rows_of(self, features: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return the weights of some features, dense."""
        return _beside(part._shared.of(part._places(features)) for part in self._parts())

    def to_scipy(self) -> Any:
        """Return a SciPy CSC array."""
        from scipy.sparse import csc_array

        return csc_array((self.values, self.features, self.starts), shape=self.shape)

    def pack(self) -> Arrays:
        """Return the arrays of a model's state, without the bias."""
        return {
            "W_values": np.ascontiguousarray(self.values),
            "W_features": self.features,
            "W_starts": self.starts,
            "W_rows": np.array([self.n_features], np.int64),
        }

    @classmethod
    def unpack(cls, arrays: Arrays, n_classes: int) -> SparseWeights:
        """Check arrays that ``pack`` may have made, and a bias ``b`` beside them; raises ValueError."""
        axes = check_arrays(arrays, cls.state, n_classes)
        rows, starts, features = int(arrays["W_rows"][0]), arrays["W_starts"], arrays["W_features"]
        sound = (
            axes["P"] == axes["O"] + 1
            and 0 < rows <= np.iinfo(np.int32).max
            and starts.dtype == np.int64
            and features.dtype == np.int32
            and starts[0] == 0
            and starts[-1] == axes["N"]
            and (np.diff(starts) >= 0).all()
            and (axes["N"] == 0 or (features.min() >= 0 and features.max() < rows))
        )
        inner = np.ones(axes["N"], bool)  # features ascend within each column
        inner[starts[:-1][np.diff(starts) > 0] if sound else slice(0)] = False
        if not sound or (np.diff(features, prepend=-1)[inner] <= 0).any():
            raise ValueError(
                "the sparse weights are malformed: their columns, features and lengths contradict each other"
            )
        return cls(arrays["W_values"], features, starts, rows)


def _beside(blocks: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return blocks of columns as one array; a single one as it is."""
    all_blocks = list(blocks)
    return all_blocks[0] if len(all_blocks) == 1 else np.hstack(all_blocks)


def too_many(n_rows: int, counts: Csr) -> bool:
    """Whether a table of so many rows is more than a model should hold of these counts (features, classes)."""
    return n_rows * counts.n_columns > max(MOST_WEIGHTS, COUNTED * len(counts.values))


@dataclass(frozen=True)
class SharedWeights:
    """``rows`` (different rows, classes) and ``row_of`` (features,), the number of each feature's row.

        W_j = rows[row_of_j]

    Most words of a large vocabulary were seen once or twice, with one class: a counting model gives all of them the
    same weights. A million features then share some ten thousand rows, which fit the caches where W does not.
    """

    rows: Array
    row_of: NDArray[np.int32]

    @classmethod
    def of_counts(cls, counts: Csr, weigh: Callable[[Array], Array]) -> SharedWeights:
        """Return ``weigh`` of the dense counts (features, classes), computed once for features counted alike.

        Raises DataError for a table of more than ``MOST_WEIGHTS`` that hardly any counts are behind: a small model file
        could ask for any amount of memory.
        """
        row_of, first = _native.distinct_rows(counts)
        if too_many(len(first), counts):
            raise DataError(
                f"{len(first):,} features that were counted differently and {counts.n_columns:,} classes are more than"
                f" a counting model can hold: at most {MOST_WEIGHTS:,} weights",
                "Use fewer features (`max_features=`, `min_df=`), or another learner, such as svm.",
            )
        return cls(np.ascontiguousarray(weigh(counts.take(first).to_dense())), row_of)

    @classmethod
    def of_rows(cls, W: Array) -> SharedWeights:
        """Return weights (features, classes) with equal rows kept once."""
        rows, row_of = np.unique(W, axis=0, return_inverse=True)
        return cls(np.ascontiguousarray(rows), row_of.reshape(-1).astype(np.int32))

    def scores(self, X: Rows, b: Array, n_jobs: int | None = None) -> Array:
        """Return XW + b, rows × classes, where 0·(−∞) = 0."""
        out = np.empty((X.shape[0], len(b)))
        _native.shared_scores(X, self.rows, self.row_of, b, out, thread_count(n_jobs))
        return out

    def of(self, features: NDArray[np.integer[Any]]) -> Array:
        """Return the weights of some features."""
        weights: Array = self.rows[self.row_of[features]]
        return weights

    def contributions(self, row: Csr) -> Array:
        """Return x_j·W_j of each stored value of one row, where 0·(−∞) = 0."""
        weights, x = self.of(row.indices), row.values.astype(np.float64)[:, None]
        added: Array = np.multiply(x, weights, out=np.zeros_like(weights), where=x != 0)
        return added

    @cached_property
    def has_impossible(self) -> bool:
        """Whether some weight is −∞."""
        return bool(np.isneginf(self.rows).any())

    @cached_property
    def dense(self) -> Array:
        """W, features × classes."""
        return self.rows[self.row_of]
