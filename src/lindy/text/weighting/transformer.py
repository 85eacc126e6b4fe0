"""The base of weightings: rows in, the same rows with other values out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr, Float, is_sparse
from lindy.errors import AGAIN, UpdateError
from lindy.estimators.base import thread_count
from lindy.estimators.estimator import Estimator
from lindy.estimators.parameters import listed
from lindy.estimators.serialization import Arrays, Shape, check_arrays, own_arrays, pack_parameters
from lindy.text.vectorizer import COUNTED, transformer_tags
from lindy.text.weighting.weighting_registry import TermWeights

Norm = Literal["l1", "l2", "max"]
Weigh = Callable[[Csr, Float], None]
Log = Callable[[Any], Any]
"""A logarithm. Rows for models take ``lindy.core.numerics``, which is the same on every machine. What stands in
for scikit-learn takes NumPy's, of which there is one per instruction set: the results then equal scikit-learn's bit for
bit on every machine, but not from machine to machine."""
USUAL_COUNTS = 4096  # up to this one, 1 + log of counts is computed once and kept
_COUNTS = ("document_frequency", "n_documents")  # may be whole numbers in a state; all others are real


class RowTransformer(Estimator):
    """Gives every stored value of a sparse matrix a new weight; the pattern of the matrix stays.

    Subclasses learn in ``fit`` and compute in ``_weigh``.
    """

    _wanted = COUNTED
    uses_labels: ClassVar[bool] = False
    """Whether weights depend on the labels that ``fit`` was given."""

    def __sklearn_tags__(self) -> Any:
        return transformer_tags(preserves_dtype=("float64", "float32"), sparse=True)

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the weights; a row of weight 2 is two rows, one of weight 0 is none."""
        raise NotImplementedError

    def _weigh(self, X: Csr, out: Float) -> None:
        """Write the new values into ``out``, which may be ``X.values``."""
        raise NotImplementedError

    def scale(self) -> Float | None:
        """Return what the columns are multiplied by; None for nothing."""
        raise NotImplementedError

    def term_weights(self) -> TermWeights:
        """Return the formula of the weights, for who computes them without it: an exported page."""
        return TermWeights("counts", self.scale(), self.norm)  # type: ignore[attr-defined]

    def fit_transform(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Fit to X and transform it."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any, copy: bool = True) -> Any:
        """Return the weighted rows as a SciPy CSR matrix.

        Parameters
        ----------
        X : sparse matrix or array of counts, rows × features
        copy : bool
            False writes the weights over the values of X, if X is a CSR matrix of float32 or float64, and returns X.
        """
        return self._transformed(X, self._weigh, copy=copy)

    def transform_csr(self, X: Any) -> Csr:
        """Return the weighted rows; they share the indices of X."""
        return self._weighted(self._checked(X), self._weigh)

    def _checked(self, X: Any) -> Csr:
        self._check_fitted()
        return self._rows(X)

    def _transformed(self, X: Any, weigh: Weigh, *, copy: bool) -> Any:
        rows = self._checked(X)
        if not copy and is_sparse(X) and np.shares_memory(rows.values, X.data):
            weigh(rows, rows.values)
            return as_matrix(X)
        weighted = self._weighted(rows, weigh)
        if not is_sparse(X):
            return weighted.to_scipy()
        # SciPy sorts indices in place: those of the result must not be those of X
        own = Csr(weighted.indptr.copy(), weighted.indices.copy(), weighted.values, weighted.n_columns)
        return own.to_scipy()

    @staticmethod
    def _weighted(rows: Csr, weigh: Weigh) -> Csr:
        out = np.empty_like(rows.values)
        weigh(rows, out)
        return Csr(rows.indptr, rows.indices, out, rows.n_columns)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns, which are those that came in."""
        return incoming_names(self, input_features)

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters (as JSON can hold them) and the fitted arrays."""
        self._check_fitted()
        parameters, arrays = pack_parameters(self.get_params(deep=False))
        return parameters, arrays | self._pack()

    @classmethod
    def from_state(cls, params: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """Return the transformer whose ``to_state`` this was; raises ValueError for anything else."""
        transformer = cls._with_stored_parameters(params, arrays)
        transformer._unpack(own_arrays(arrays))
        return transformer

    def of_further(self, rows: Csr, weight: Any = None) -> Self:  # noqa: ARG002
        """Return a transformer of further rows, to be pooled with this one; refused where labels are needed."""
        raise UpdateError(f"{type(self).__name__} learns from all texts and labels at once", AGAIN)

    def pooled(self, other: Any, places: Any, n_columns: int) -> tuple[Self, Any]:  # noqa: ARG002
        """Return the transformer of two corpora, over columns of which each has some; refused unless it counts."""
        raise UpdateError(f"{type(self).__name__} learns from all texts and labels at once", AGAIN)

    def _shapes(self) -> dict[str, Shape]:
        """Return the fitted arrays of the state, without their underscore, and their axes."""
        raise NotImplementedError

    def _pack(self) -> Arrays:
        """Return the arrays of the state; a single number becomes an array of one."""
        return {name: np.atleast_1d(getattr(self, f"{name}_")) for name in self._shapes()}

    def _unpack(self, arrays: Arrays) -> None:
        """Check the arrays of a state, and set everything that ``fit`` sets."""
        shapes = self._shapes()
        self.n_features_in_ = check_arrays(arrays, shapes, n_classes=0)["F"]
        for name, array in arrays.items():
            if array.dtype.kind != "f" and name not in _COUNTS:
                raise ValueError(f"array {name} must not be of type {array.dtype}")
            setattr(self, f"{name}_", array[0].item() if shapes[name] == (1,) else array)


def incoming_names(transformer: Estimator, input_features: ArrayLike | None) -> NDArray[Any]:
    """Return the names of the columns that a fitted transformer takes: those given, or those it was fitted with."""
    transformer._check_fitted()
    fitted: NDArray[Any] | None = getattr(transformer, "feature_names_in_", None)
    if input_features is None:
        if fitted is not None:
            return fitted
        return np.array([f"x{j}" for j in range(transformer.n_features_in_)], dtype=object)
    names = np.asarray(input_features, dtype=object)
    if fitted is not None and not np.array_equal(fitted, names):
        raise ValueError("input_features is not equal to feature_names_in_")
    if len(names) != transformer.n_features_in_:
        raise ValueError(
            "input_features should have length equal to number of features"
            f" ({transformer.n_features_in_}), got {len(names)}"
        )
    return names


NORM = listed("l1", "l2", "max", None)


def as_matrix(X: Any) -> Any:
    """Return a SciPy CSR array as a matrix of the same memory, and a matrix as it is."""
    import scipy.sparse

    return X if scipy.sparse.isspmatrix(X) else scipy.sparse.csr_matrix(X)


def tf_idf(
    X: Csr,
    scale: Float | None,
    norm: str | None,
    out: Float,
    *,
    sublinear: bool = False,
    log: Log = numerics.log,
    n_jobs: int | None = None,
) -> None:
    """Write tf · scale[column] into ``out``, every row divided by its norm; tf is x, or 1 + log x if sublinear."""
    table = None
    if sublinear:
        largest = _native.largest_count(X.values)
        table = counts_table(largest, len(X.values), X.values.dtype, log)
        if table is None:
            X = Csr(X.indptr, X.indices, _one_plus_log(X.values, log), X.n_columns)
    X.scale_columns(scale, norm, out, threads=thread_count(n_jobs), table=table)


def counts_table(largest: int, most: int, dtype: np.dtype[Any], log: Log) -> Float | None:
    """Return 1 + log of the counts from 0 to the largest; None if these are no counts, or more than ``most``."""
    if 0 <= largest <= USUAL_COUNTS:
        return usual_counts(dtype, log)
    if 0 <= largest <= most:
        return _one_plus_log(np.arange(largest + 1, dtype=dtype), log)
    return None


@cache
def usual_counts(dtype: np.dtype[Any], log: Log) -> Float:
    """Return 1 + log of the counts that are usual, from 0 on."""
    return _one_plus_log(np.arange(USUAL_COUNTS + 1, dtype=dtype), log)


def _one_plus_log(tf: Float, log: Log) -> Float:
    """Return 1 + log tf, and 0 for a stored 0."""
    if (tf < 0).any():
        raise ValueError("sublinear term frequencies need counts that are not negative")
    with np.errstate(divide="ignore"):
        logs: Float = (1.0 + log(tf)).astype(tf.dtype, copy=False)
    logs[tf == 0] = 0
    return logs
