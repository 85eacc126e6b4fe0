"""The base of all estimators: parameters, checks of the rows that come in, what a notebook shows.

The contract is scikit-learn's, so that pipelines, grid search and ``clone`` work, but scikit-learn is never
imported here: it is only spoken to when it asks (``__sklearn_tags__``, ``get_metadata_routing``).
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from lindy.core.csr import Csr, as_csr, is_sparse
from lindy.core.feature_names import column_names, names_differ
from lindy.errors import not_fitted
from lindy.estimators.notebook import facts, listed, shown
from lindy.estimators.parameters import check_parameters, checked
from lindy.estimators.routing import Routed
from lindy.estimators.serialization import training_facts, training_summary, unpack_parameters


class Estimator(Routed):
    """Parameters by constructor signature, as scikit-learn has them; checks of the rows that come in."""

    _reads_zeros: ClassVar[bool] = False
    """Whether a stored 0 is as good as none, so that arrays with some zeros may stay what they are."""
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let everything that fits begin with the check of the constructor's arguments."""
        super().__init_subclass__(**kwargs)
        for name in ("fit", "fit_csr", "fit_transform", "partial_fit"):
            if inspect.isfunction(vars(cls).get(name)):
                setattr(cls, name, checked(vars(cls)[name]))

    @property
    def class_name(self) -> str:
        """The name of the class, as messages say it."""
        return type(self).__name__

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments and their present values."""
        params: dict[str, Any] = {}
        for name in self._parameter_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params.update((f"{name}__{key}", nested) for key, nested in value.get_params().items())
            params[name] = value
        return params

    def set_params(self, **params: Any) -> Self:
        """Set constructor arguments by name; ``a__b`` reaches parameter b of the estimator in a."""
        names = self._parameter_names()
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, nests, rest = key.partition("__")
            if name not in names:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {names!r}."
                )
            if nests:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, inner_params in nested.items():
            inner = getattr(self, name)
            if not hasattr(inner, "set_params"):
                raise ValueError(
                    f"cannot set {name}__{next(iter(inner_params))}: {name} is {inner!r}, which has no parameters;"
                    f" give {type(self).__name__} an estimator as {name}"
                )
            inner.set_params(**inner_params)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name in defaults
            if repr(getattr(self, name)) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _facts(self) -> dict[str, str]:
        """Return in words what a notebook shows of a fitted estimator."""
        said = {}
        if hasattr(self, "classes_"):
            said["classes"] = listed(self.classes_.tolist())
        if hasattr(self, "n_features_in_"):
            said["features"] = f"{self.n_features_in_:,}"
        return said | training_facts(training_summary(self))

    def _repr_html_(self) -> str:
        return shown(facts(Estimator.__repr__(self), self._facts() if self.__sklearn_is_fitted__() else {}))

    def __sklearn_is_fitted__(self) -> bool:
        if "classes_" in vars(self):  # the usual case at once: one short text should not wait for the rest
            return True
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    @classmethod
    def _with_stored_parameters(cls, params: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """Return an unfitted estimator with the parameters of a ``to_state``; ValueError for any others."""
        given = unpack_parameters(params, arrays)
        if unknown := sorted(set(given) - set(cls._parameter_names())):
            raise ValueError(f"{cls.__name__} has no parameters {unknown}")
        try:
            made = cls(**given)
            made._check_parameters()
        except TypeError as error:
            raise ValueError(f"{cls.__name__} cannot be made from its stored parameters: {error}") from None
        return made

    def _check_parameters(self) -> None:
        """Raise ParameterError for arguments that cannot be used; who relates some of them to others adds that."""
        check_parameters(self)

    def _rows(self, X: Any, *, reset: bool = False) -> Csr:
        """Check X; on ``reset`` remember its width and column names, otherwise compare with them."""
        self._check_names(X, reset=reset)
        csr = as_csr(X, zeros=self._reads_zeros)
        if reset:
            self.n_features_in_ = csr.n_columns
        elif csr.n_columns != self.n_features_in_:
            raise ValueError(
                f"X has {csr.n_columns} features, but {type(self).__name__} is expecting"
                f" {self.n_features_in_} features as input."
            )
        return csr

    def _check_names(self, X: Any, *, reset: bool) -> None:
        names = column_names(X)
        if reset:
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return
        fitted = getattr(self, "feature_names_in_", None)
        name = type(self).__name__
        if names is None and fitted is None:
            return
        if names is None:
            if hasattr(X, "shape") or is_sparse(X) or isinstance(X, list | tuple):
                warnings.warn(
                    f"X does not have valid feature names, but {name} was fitted with feature names",
                    UserWarning,
                    stacklevel=4,
                )
        elif fitted is None:
            warnings.warn(
                f"X has feature names, but {name} was fitted without feature names",
                UserWarning,
                stacklevel=4,
            )
        elif len(names) != len(fitted) or (names != fitted).any():
            raise ValueError(names_differ(fitted, names))


def labels_missing(estimator: Estimator) -> ValueError:
    """Return the error to raise when ``fit`` got no labels, in scikit-learn's words."""
    return ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
