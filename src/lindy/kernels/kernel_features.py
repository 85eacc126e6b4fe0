"""Feature maps that approximate a kernel: φ̂(x)·φ̂(z) ≈ κ(x, z), for data too large for kernel learners.

- ``RandomFourier`` (Rahimi and Recht, 2007): RBF; φ̂(x) = √(2/D)·cos(ωᵀx + u), ω ~ N(0, 2γ), u ~ U(0, 2π)
- ``Nystroem`` (Williams and Seeger, 2001): any kernel; φ̂(x) = κ(x, L)·κ(L, L)^(−½) for some examples L of the data
- ``TensorSketch`` (Pham and Pagh, 2013): polynomial; the Fourier transform of d count sketches, multiplied

More features are nearer to the kernel, about as 1/√D.
"""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.rows import Rows
from lindy.errors import DataError
from lindy.estimators.base import thread_count
from lindy.estimators.estimator import Estimator
from lindy.estimators.parameters import finite, must, whole, with_parameters
from lindy.kernels.kernel import Kernel
from lindy.kernels.matrices import rows_at_once
from lindy.kernels.named import NAMED, named_kernel
from lindy.linear.optimizers.training_schedule import generator

Array = NDArray[np.float64]
_CELLS_AT_ONCE = 1 << 22


class _FeatureMap(Estimator):
    """The base of the three: the contract of a transformer whose result is dense."""

    n_components: int
    random_state: Any
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            regressor_tags=None,
            classifier_tags=None,
            input_tags=InputTags(sparse=True),
        )

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Draw the map for the columns (Nystroem: and from the rows) of X."""
        self._draw(self._rows(X, reset=True))
        return self

    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> Array:
        """Fit to X and transform it."""
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> Array:
        """Return the features, rows × n_components."""
        self._check_fitted()
        rows = self._rows(X)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below, with its row
            features = self._map(rows)
        if (position := int(_native.first_non_finite(features.reshape(-1)))) >= 0:
            raise DataError(
                f"the features of row {position // features.shape[1]} are too large to be numbers",
                "Scale the columns of X, or choose a smaller gamma, degree or coef0.",
            )
        return features

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the names of the features: that of the class and a number."""
        self._check_fitted()
        name = type(self).__name__.lower()
        return np.array([f"{name}{d}" for d in range(self._n_out())], dtype=object)

    def _n_out(self) -> int:
        return self.n_components

    def _draw(self, X: Csr) -> None:
        raise NotImplementedError

    def _map(self, X: Csr) -> Array:
        raise NotImplementedError


@with_parameters
class RandomFourier(_FeatureMap):
    """Random features of the RBF kernel.

    Parameters
    ----------
    gamma : float
        γ of e^(−γ‖x − z‖²).
    n_components : int
        Features D.
    random_state : int, None, numpy Generator or RandomState
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Examples
    --------
    >>> from lindy.kernels import RandomFourier
    >>> RandomFourier(gamma=0.5, n_components=64).fit_transform([[0.0, 1.0]]).shape
    (1, 64)
    """

    gamma: Annotated[float, finite(above=0)] = 1.0
    n_components: Annotated[int, whole(1, 2**24)] = 1000
    random_state: Any = None
    n_jobs: int | None = None

    def _draw(self, X: Rows) -> None:
        rng = generator(self.random_state)
        self.omega_ = np.sqrt(2 * float(self.gamma)) * rng.standard_normal((X.shape[1], self.n_components))
        self.phase_ = rng.uniform(0, 2 * np.pi, self.n_components)

    def _map(self, X: Rows) -> Array:
        features: Array = X.dot(self.omega_, self.phase_, thread_count(self.n_jobs))
        waves: Array = numerics.cos(features) * np.sqrt(2 / self.n_components)
        return waves


@with_parameters
class Nystroem(_FeatureMap):
    """Features of any kernel from its values at some examples of the data.

    Parameters
    ----------
    kernel : str, Kernel
        A name (see KernelSVM) or an object of ``lindy.kernels``; also of texts and trees.
    gamma, degree, coef0, length, decay : see KernelSVM
    n_components : int
        Examples, and so features, at most; never more than there are.
    random_state : int, None, numpy Generator or RandomState
    n_jobs : int or None
        Threads; None means all cores.

    Attributes
    ----------
    rows_ : numbers of the examples that were drawn
    """

    kernel: Annotated[str | Kernel, must(f"be one of {list(NAMED)} or a Kernel", is_kernel)] = "rbf"
    gamma: float = 1.0
    degree: int = 2
    coef0: float = 1.0
    length: int = 3
    decay: float = 0.5
    n_components: Annotated[int, whole(1, 2**24)] = 100
    random_state: Any = None
    n_jobs: int | None = None

    def _made(self) -> Kernel:
        if isinstance(self.kernel, Kernel):
            return self.kernel
        names = ("gamma", "degree", "coef0", "length", "decay")
        return named_kernel(self.kernel, **{name: getattr(self, name) for name in names})

    def _rows(self, X: Any, *, reset: bool = False) -> Csr:
        made = self._made()
        return super()._rows(X if made.kind == "rows" else made.prepared(X), reset=reset)

    def _draw(self, X: Csr) -> None:
        self.kernel_ = self._made()
        n = min(self.n_components, X.shape[0])
        self.rows_ = np.sort(generator(self.random_state).permutation(X.shape[0])[:n])
        self._landmarks = X.take(self.rows_)
        K = np.empty((n, n))
        self.kernel_.between(self._landmarks, self._landmarks, self.n_jobs).block(0, n, K, 1)
        if not np.isfinite(K).all():
            raise ValueError("the kernel is not finite: scale the features")
        values, vectors = numerics.eigh((K + K.T) / 2)
        least = np.finfo(float).eps * n * max(float(np.abs(values).max()), np.finfo(float).tiny)
        scale = np.where(values > least, 1 / np.sqrt(np.maximum(values, least)), 0.0)
        self.normalization_ = numerics.matmul(vectors * scale, vectors.T)

    def _n_out(self) -> int:
        return len(self.rows_)

    def _map(self, X: Csr) -> Array:
        source = self.kernel_.between(X, self._landmarks, self.n_jobs)
        features = np.empty((X.shape[0], len(self.rows_)))
        size = rows_at_once(source)
        for first in range(0, X.shape[0], size):
            last = min(X.shape[0], first + size)
            source.scores(first, last, self.normalization_, features[first:last], thread_count(self.n_jobs))
        return features


@with_parameters
class TensorSketch(_FeatureMap):
    """Random features of the polynomial kernel (γ·x·z + c)^d.

    A count sketch adds every feature, with a random sign, into one of D places; the product of the Fourier transforms
    of d sketches is that of their convolution, which is a count sketch of all products of d features.

    Parameters
    ----------
    degree, gamma, coef0 : see Polynomial; coef0 must not be negative
    n_components : int
        Features D.
    random_state : int, None, numpy Generator or RandomState
    """

    degree: Annotated[int, whole(1, 100)] = 2
    gamma: Annotated[float, finite(above=0)] = 1.0
    coef0: Annotated[float, finite(), must("not be negative", lambda value: value >= 0)] = 1.0
    n_components: Annotated[int, whole(1, 2**24)] = 1000
    random_state: Any = None

    def _draw(self, X: Csr) -> None:
        rng = generator(self.random_state)
        shape = (self.degree, X.n_columns + 1)  # the last column is the constant √c
        self.place_ = rng.integers(0, self.n_components, shape)
        self.sign_ = rng.choice(np.array([-1.0, 1.0]), shape)

    def _map(self, X: Csr) -> Array:
        features = np.empty((X.shape[0], self.n_components))
        size = max(1, _CELLS_AT_ONCE // self.n_components)
        for first in range(0, X.shape[0], size):
            part = X.take(np.arange(first, min(first + size, X.shape[0])))
            spectrum = self._sketch(part, 0)
            for d in range(1, self.degree):
                a, b = (
                    spectrum,
                    self._sketch(part, d),
                )  # NumPy's complex product is not the same on all machines
                spectrum = (a.real * b.real - a.imag * b.imag) + 1j * (a.real * b.imag + a.imag * b.real)
            features[first : first + size] = np.fft.irfft(spectrum, self.n_components, axis=1)
        return features

    def _sketch(self, X: Csr, d: int) -> NDArray[np.complex128]:
        """Return the Fourier transform of the count sketch d of (√γ·x, √c)."""
        n, D = X.shape[0], self.n_components
        row = np.repeat(np.arange(n), np.diff(X.indptr))
        cell = row * D + self.place_[d, X.indices]
        weight = np.sqrt(self.gamma) * X.values * self.sign_[d, X.indices]
        sketch = (
            np.bincount(cell, weight, n * D).reshape(n, D).astype(np.float64)
        )  # integers if there is no cell
        sketch[:, self.place_[d, -1]] += np.sqrt(self.coef0) * self.sign_[d, -1]
        return np.fft.rfft(sketch, axis=1)


def is_kernel(value: Any) -> bool:
    """Whether a value is a kernel, or the name of one."""
    return isinstance(value, Kernel) or (isinstance(value, str) and value in NAMED)
