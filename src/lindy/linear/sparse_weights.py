"""Weights of which most are zero: what an L1 penalty or feature selection leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr, Float
from lindy.estimators.serialization import Arrays, Shape, check_arrays
from lindy.linear.shared import SharedWeights

_MANY_FEATURES = 1 << 22  # beyond that, what a model file claims to have and no table is made for
_PER_WEIGHT = (
    64  # entries of a dense table for each weight: a larger table is made in parts, one after the other,
)
_PART = 1 << 20  # … each of about so many entries


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
