"""Classifiers of other libraries, which have ``fit`` and ``predict``, in the place of a learner of lindy."""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.targets import Targets
from lindy.errors import LindyError, invalid_parameter
from lindy.estimators.base import Classifier, one_row
from lindy.estimators.learners import canonical_name
from lindy.estimators.parameters import fitted, with_parameters

_LEAST = 1e-12  # probability whose logarithm is still taken


@with_parameters
class ForeignLearner(Classifier):
    """Gives a classifier of another library SciPy matrices, and the model what that classifier can answer."""

    learner: Any
    learner_: Any = fitted()

    @property
    def class_name(self) -> str:
        """The name of the other library's class."""
        return type(self.learner).__name__

    @property
    def has_probabilities(self) -> bool:
        """Whether the other library's classifier has probabilities."""
        return hasattr(self.learner, "predict_proba")

    @property
    def fixed(self) -> str:
        """Why it cannot learn from further rows."""
        return "it is of another library"

    def fit(self, X: Any, y: ArrayLike | Targets, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a copy of the other library's classifier."""
        if (
            sample_weight is not None
            and "sample_weight" not in inspect.signature(self.learner.fit).parameters
        ):
            raise ValueError(f"{self.class_name} cannot weigh examples: leave out sample_weight")
        examples = self._examples(X, y, sample_weight)
        weights = {} if examples.weight is None else {"sample_weight": examples.weight}
        own = type(self.learner)(**self.learner.get_params(deep=False))
        self.learner_ = own.fit(_matrix(examples.X), examples.y.labels, **weights)
        if not np.array_equal(self.learner_.classes_, self.classes_):
            raise ValueError(
                f"{self.class_name} has its classes in another order: {list(self.learner_.classes_)}"
            )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        labels: NDArray[Any] = self.learner_.predict(_matrix(self._rows(X)))
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y | x), rows × classes."""
        return np.asarray(self.learner_.predict_proba(_matrix(self._rows(X))), np.float64)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the classifier's scores; without such log P(y | x), and without probabilities 1 for the label."""
        if hasattr(self.learner_, "decision_function"):
            return np.asarray(self.learner_.decision_function(_matrix(self._rows(X))), np.float64)
        if self.has_probabilities:
            scores = np.asarray(numerics.log(np.maximum(self.predict_proba(X), _LEAST)), np.float64)
        else:
            scores = (self.predict(X)[:, None] == self.classes_).astype(np.float64)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def contributions(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take the scores of one row apart, if they are those of a linear model; otherwise all is bias."""
        row = one_row(self._rows(X))
        score = self.decision_function(row).reshape(-1)
        coef, intercept = (getattr(self.learner_, name, None) for name in ("coef_", "intercept_"))
        if coef is not None and np.shape(coef) == (len(score), row.n_columns):
            added = np.asarray(coef, np.float64)[:, row.indices].T * row.values[:, None].astype(np.float64)
            bias = score - added.sum(axis=0)
            if np.allclose(bias, np.zeros(len(score)) if intercept is None else intercept, atol=1e-5):
                return added, bias
        return np.zeros((len(row.indices), len(score))), score

    def to_state(self) -> Any:
        """Refuse: what another library has fitted cannot be written without its code."""
        raise LindyError(
            f"a model with {self.class_name} of {type(self.learner).__module__.partition('.')[0]} cannot be saved:"
            " model files hold only lindy's own learners",
            "use one of lindy's learners, or save the model with pickle where the file need not be safe or small",
        )


def as_learner(learner: Any) -> Any:
    """Return a learner of lindy as it is, an alias as its name, and a classifier of another library wrapped.

    Raises
    ------
    TypeError
        For what is no unfitted classifier.
    """
    if isinstance(learner, str):
        return canonical_name(learner)
    if isinstance(learner, Classifier):
        return learner
    if isinstance(learner, type) or not all(
        callable(getattr(learner, name, None)) for name in ("fit", "predict", "get_params")
    ):
        what = f"the class {learner.__name__}" if isinstance(learner, type) else type(learner).__name__
        raise invalid_parameter(
            f"learner must be a name or a classifier with fit, predict and get_params; got {what}"
        )
    return ForeignLearner(learner=learner)


def _matrix(rows: Csr) -> Any:
    """Return a SciPy matrix of its own with sorted columns, as others expect; they may write to it."""
    return rows.to_scipy().sorted_indices()
