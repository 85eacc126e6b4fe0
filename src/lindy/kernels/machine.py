"""The base of kernel classifiers: the kernel from their parameters, support examples, scores, the model file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core.csr import Csr, is_sparse
from lindy.core.labels import encode
from lindy.core.targets import OneLabel
from lindy.errors import invalid_parameter
from lindy.estimators.base import Classifier, Examples, best_class, one_row, thread_count
from lindy.estimators.learners import InputKind
from lindy.estimators.parameters import check_number, finite, fitted, whole, with_parameters
from lindy.estimators.serialization import Arrays, pack_parameters
from lindy.kernels.kernel import Kernel, kernel_from_dict
from lindy.kernels.matrices import rows_at_once
from lindy.kernels.named import NAMED, OPTIONS, named_kernel, used_options
from lindy.linear.linear_model import weigh_classes

MOST_MEGABYTES = 1 << 40  # of the cache, whatever is asked for
_SUPPORT = ("support.indptr", "support.indices", "support.values")

BY_EXAMPLES = "it compares a text with its training examples, and a page would have to carry them"
"""Why the scores of kernel learners are no sums of weights."""


@with_parameters
class KernelClassifier(Classifier):
    """f(x) = Σ_t c_t·κ(x_t, x) + b over the support examples x_t; learners set them.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "cosine", "intersection" of rows; "spectrum", "subsequence", "mismatch" of texts;
        "subset-tree", "subtree" of bracketed trees; "precomputed"; an object of ``lindy.kernels``; or a function of
        two matrices that returns the matrix of their kernel.
    gamma : float, "scale" or "auto"
        γ of "poly" and "rbf"; "scale" is 1 / (columns · variance of X), "auto" 1 / columns.
    degree, coef0 : int, float
        d and c of "poly", (γ·x·z + c)^d.
    length, decay : int, float
        Of kernels of texts: length of the substrings, and the decay λ of a gap. For trees ``decay`` is that of a node.
    cache_size : float
        Megabytes of kernel rows that are kept.
    class_weight : "balanced", dict or None
    n_jobs : int or None
        Threads; None means all cores. Results do not depend on it.

    Attributes
    ----------
    kernel_ : the kernel with all its numbers; None for a callable and for precomputed ones
    support_ : numbers of the training examples with a coefficient, in rising order
    dual_coef_ : array (outputs, support examples), their coefficients
    b_ : array (outputs,)
    support_y_ : the class numbers of the support examples
    """

    kernel: Annotated[str | Kernel | Callable[[Any, Any], ArrayLike], check_kernel] = "rbf"
    gamma: Annotated[float | str, check_gamma] = "scale"
    degree: Annotated[int, whole(1, 100)] = 2
    coef0: Annotated[float, finite()] = 1.0
    length: Annotated[int, whole(1, 64)] = 3
    decay: Annotated[float, finite(above=0)] = 0.5
    cache_size: Annotated[float, finite(above=0)] = 400
    class_weight: str | dict[Any, float] | None = None
    n_jobs: int | None = None

    kernel_: Kernel | None = fitted()
    support_: NDArray[np.int64] = fitted()
    _coefficients: NDArray[np.float64] = fitted()
    b_: NDArray[np.float64] = fitted()
    support_y_: NDArray[np.int32] = fitted()
    _gamma: float = fitted()
    _support: Csr | None = fitted()
    _dense: bool = fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _cache_bytes(self) -> int:
        return int(min(self.cache_size, MOST_MEGABYTES) * 2**20)

    @property
    def idle_options(self) -> frozenset[str]:
        """The options of other kernels."""
        return super().idle_options | OPTIONS - used_options(self.kernel)

    def _made(self, gamma: float) -> Kernel | None:
        """Return the kernel for a value of γ; None where it is not one of lindy's."""
        if isinstance(self.kernel, Kernel):
            return self.kernel
        if callable(self.kernel) or self.kernel == "precomputed":
            return None
        if self.kernel.startswith("{"):
            try:
                return kernel_from_dict(json.loads(self.kernel))
            except (json.JSONDecodeError, RecursionError) as error:
                raise ValueError(f"not a kernel: {error}") from None
        return named_kernel(
            self.kernel,
            gamma=gamma,
            degree=self.degree,
            coef0=self.coef0,
            length=self.length,
            decay=self.decay,
        )

    @property
    def input_kind(self) -> InputKind:
        """The kind of the examples: "weights" in rows, "texts", "trees", or "values" of a precomputed kernel."""
        if self.kernel == "precomputed":
            return InputKind.VALUES
        made = self._made(1.0)
        return InputKind.WEIGHTS if made is None or made.kind == "rows" else InputKind(made.kind)

    def _rows(self, X: Any, *, reset: bool = False) -> Csr:
        if not self.input_kind.has_columns and not isinstance(X, Csr):
            from lindy.text.analysis.whole_texts import as_sequences

            X = as_sequences(X)
        return super()._rows(X, reset=reset)

    def _training_data(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Examples:
        """Check what ``fit`` was given; rows of weight 0 are still there, so that support examples have their numbers.

        Their classes are not, unless other rows have them.
        """
        data = self._examples(X, y, sample_weight, masked=True)
        if data.weight is not None:
            there = data.y.weighted_counts((data.weight > 0).astype(np.float64)) > 0
            codes = np.maximum(np.cumsum(there) - 1, 0).astype(np.int32)[data.y.codes]
            self.classes_ = self.classes_[there]
            data = data._replace(y=OneLabel(self.classes_, codes))
        data = weigh_classes(self, data)
        self._dense = not is_sparse(X) and not isinstance(X, Csr)
        return data

    def _source(self, X: Csr, rows: NDArray[np.int64], weight: NDArray[np.float64] | None) -> _native.Kernel:
        """Return the kernel of the given training rows among themselves; sets ``kernel_``."""
        if self.kernel == "precomputed":
            if X.shape[0] != X.n_columns:
                raise ValueError(
                    "Precomputed matrix must be a square matrix. Input is a"
                    f" {X.shape[0]}x{X.n_columns} matrix."
                )
            values = X.take(rows).to_dense()
            return self._checked(
                _native.precomputed_kernel(values if len(rows) == X.n_columns else values[:, rows].copy())
            )
        kept = X if np.array_equal(rows, np.arange(X.shape[0])) else X.take(rows)
        self._gamma = self._scale(kept, None if weight is None else weight[rows])
        self.kernel_ = self._made(self._gamma)
        if self.kernel_ is None:
            return self._called(kept, kept)
        return self._checked(self.kernel_.between(kept, kept, self.n_jobs))

    def _scale(self, X: Csr, weight: NDArray[np.float64] | None) -> float:
        """Return γ: "scale" is 1 / (columns · variance of all values), "auto" is 1 / columns."""
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        n_columns = X.n_columns
        if self.gamma == "auto" or not self.input_kind.takes_any_numbers:
            return 1.0 / n_columns
        values = X.values.astype(np.float64)
        each = np.ones(X.shape[0]) if weight is None else weight
        spread = np.repeat(each, np.diff(X.indptr))
        cells = each.sum() * n_columns
        mean = float((spread * values).sum() / cells)
        # squares of values far from 0 would hide how far they are from each other
        stored = (spread * np.square(values - mean)).sum() + (cells - spread.sum()) * (mean * mean)
        variance = float(stored / cells)
        gamma = 1.0 / (n_columns * variance) if variance > 0 else 1.0
        return gamma if math.isfinite(gamma) else 1.0

    def _checked(self, source: _native.Kernel) -> _native.Kernel:
        diagonal = np.empty(source.n_rows)
        source.diagonal(True, diagonal)
        if not np.isfinite(diagonal).all():
            worst = int(np.flatnonzero(~np.isfinite(diagonal))[0])
            raise ValueError(
                f"the kernel of example {worst} with itself is not a finite number: scale the features,"
                " or choose a smaller degree or gamma"
            )
        return source

    def _called(self, X: Csr, Z: Csr) -> _native.Kernel:
        assert callable(self.kernel)
        form = Csr.to_dense if self._dense else Csr.to_scipy
        values = np.ascontiguousarray(self.kernel(form(X), form(Z)), np.float64)
        if values.shape != (X.shape[0], Z.shape[0]):
            raise ValueError(
                f"the kernel must return one value for every pair, {(X.shape[0], Z.shape[0])}; got"
                f" {values.shape}"
            )
        if not np.isfinite(values).all():
            raise ValueError("the kernel returned NaN or infinity")
        return _native.precomputed_kernel(values)

    def _keep(self, data: Examples, rows: NDArray[np.int64], coefficients: NDArray[np.float64]) -> None:
        """Keep the examples with a coefficient."""
        used = np.flatnonzero(coefficients.any(axis=1))
        used = used[np.argsort(rows[used])]
        self.support_ = rows[used]
        self._coefficients = np.ascontiguousarray(coefficients[used])
        self.support_y_ = data.y.codes[self.support_]
        self._support = None if self.kernel == "precomputed" else data.X.take(self.support_)

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """The coefficients in scikit-learn's shape, (outputs, support examples)."""
        return self._coefficients.T

    @property
    def support_vectors_(self) -> Any:
        """The support examples: dense if they came so, else a SciPy matrix; texts as texts."""
        self._check_fitted()
        if self._support is None:
            return np.empty((0, 0))
        if not self.input_kind.has_columns:
            from lindy.text.analysis.whole_texts import text_of

            return [text_of(self._support, row) for row in range(self._support.shape[0])]
        return self._support.to_dense() if self._dense else self._support.to_scipy()

    def against_support(self, X: Any) -> _native.Kernel:
        """Return the compiled kernel between examples and the support examples."""
        self._check_fitted()
        rows = self._rows(X)
        if self.kernel == "precomputed":
            return _native.precomputed_kernel(np.ascontiguousarray(rows.to_dense()[:, self.support_]))
        assert self._support is not None
        if self.kernel_ is None:
            return self._called(rows, self._support)
        return self.kernel_.between(rows, self._support, self.n_jobs)

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        """Return Σ_t c_t·κ(x_t, x) + b, rows × outputs."""
        source = self.against_support(X)
        out = np.empty((source.n_rows, self._coefficients.shape[1]))
        size = rows_at_once(source)
        for first in range(0, source.n_rows, size):
            last = min(source.n_rows, first + size)
            source.scores(first, last, self._coefficients, out[first:last], thread_count(self.n_jobs))
        return out + self.b_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores, (rows,) for two classes, otherwise (rows, classes)."""
        scores = self._outputs(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each example."""
        scores = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[best_class(scores)]
        return labels

    def influences(self, X: Any, label: Any, other: Any) -> NDArray[np.float64]:
        """Return what each support example adds to ``label``'s lead over ``other`` in the score of one example."""
        first, second = encode(np.asarray([label, other]), self.classes_).tolist()
        added = self._influences(X)
        if added.shape[1] == 1:
            return added[:, 0] if first == 1 else -added[:, 0]
        lead: NDArray[np.float64] = added[:, first] - added[:, second]
        return lead

    def _influences(self, X: Any) -> NDArray[np.float64]:
        """Return what each support example adds to the outputs of one example: (support examples, outputs)."""
        source = self.against_support(one_row(self._rows(X)))
        values = np.empty((1, source.n_columns))
        source.block(0, 1, values, 1)
        added: NDArray[np.float64] = values[0][:, None] * self._coefficients
        return added

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parameters (as JSON can hold them) and the fitted arrays; ``classes_`` is kept apart."""
        self._check_fitted()
        given = self.get_params(deep=False)
        if isinstance(self.kernel, Kernel):
            given["kernel"] = json.dumps(self.kernel.to_dict())
        elif callable(self.kernel):
            raise TypeError(
                "a model whose kernel is a Python function cannot be saved, because a model file holds no code"
            )
        parameters, arrays = pack_parameters(given)
        return parameters, arrays | self._pack()

    def _pack(self) -> Arrays:
        arrays: Arrays = {
            "support": self.support_,
            "support_y": self.support_y_,
            "dual_coef": self._coefficients,
            "b": self.b_,
            "gamma": np.array([getattr(self, "_gamma", 1.0)]),
            "n_features": np.array([self.n_features_in_], np.int64),
        }
        if self._support is not None:
            arrays |= dict(zip(_SUPPORT, self._support.arrays, strict=True))
        return arrays

    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _unpack(self, arrays: Arrays) -> None:
        own = {"support", "support_y", "dual_coef", "b", "gamma", "n_features"}
        precomputed = self.kernel == "precomputed"
        if set(arrays) != own | (set() if precomputed else set(_SUPPORT)):
            raise ValueError(f"expected the arrays of a kernel model; got {sorted(arrays)}")
        m, outputs = len(arrays["support"]), self._n_outputs()
        kinds: dict[str, tuple[tuple[int, ...], type]] = {
            "support": ((m,), np.int64),
            "support_y": ((m,), np.int32),
            "n_features": ((1,), np.int64),
        }
        kinds |= {"dual_coef": ((m, outputs), np.float64), "b": ((outputs,), np.float64)}
        kinds |= {"gamma": ((1,), np.float64)}
        for name, (shape, dtype) in kinds.items():
            array = arrays[name]
            if array.shape != shape or array.dtype != dtype or not np.isfinite(array).all():
                raise ValueError(f"array {name} must be finite, of shape {shape} and type {np.dtype(dtype)}")
        self.support_, self._coefficients, self.b_ = arrays["support"], arrays["dual_coef"], arrays["b"]
        self.support_y_ = arrays["support_y"]
        if m and not 0 <= self.support_y_.min() <= self.support_y_.max() < len(self.classes_):
            raise ValueError("a support example has a class that does not exist")
        self.n_features_in_ = int(arrays["n_features"][0])
        self._gamma = float(arrays["gamma"][0])
        check_number("gamma", self._gamma, above=0)
        self._dense, self._support = False, None
        in_range = m == 0 or (self.support_.min() >= 0 and (np.diff(self.support_) > 0).all())
        if not in_range or (precomputed and m > 0 and self.support_.max() >= self.n_features_in_):
            raise ValueError("the numbers of the support examples must be ascending and in range")
        self.kernel_ = self._made(self._gamma)
        if not precomputed:
            self._support = self._stored_support(arrays, m)
        if isinstance(self.kernel, str) and self.kernel.startswith("{"):
            assert self.kernel_ is not None
            self.kernel = self.kernel_

    def _stored_support(self, arrays: Arrays, m: int) -> Csr:
        from lindy.core.csr import as_csr
        from lindy.text.analysis.whole_texts import check_sequences

        indptr, indices, values = (arrays[name] for name in _SUPPORT)
        support = as_csr(Csr(indptr, indices, values, self.n_features_in_))
        if support.shape[0] != m:
            raise ValueError("there must be a coefficient for every support example")
        if self.kernel_ is not None and self.kernel_.kind != "rows" and m:
            check_sequences(support)
            self.kernel_.between(support, support, 1)  # refuses what is no tree
        return support


def check_kernel(name: str, value: Any) -> None:
    """Raise ParameterError unless a value is a kernel, the name of one or a function."""
    if isinstance(value, str) and value not in (*NAMED, "precomputed") and not value.startswith("{"):
        raise invalid_parameter(
            f"{name} must be one of {[*NAMED, 'precomputed']}, a Kernel or a callable; got {value!r}"
        )
    if not (isinstance(value, str | Kernel) or callable(value)):
        raise invalid_parameter(f"{name} must be a name, a Kernel or a callable; got {value!r}")


def check_gamma(name: str, value: Any) -> None:
    """Raise ParameterError unless a value is a finite number above 0, or says how to find one."""
    if not isinstance(value, str):
        check_number(name, value, above=0)
    elif value not in ("scale", "auto"):
        raise invalid_parameter(f"{name} must be 'scale', 'auto' or a number above 0; got {value!r}")
