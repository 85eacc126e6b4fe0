"""The table of what is replaced in scikit-learn, and by which function of lindy."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

SUPPORTED = (
    (1, 9),
)  # versions of scikit-learn whose inner functions have the arguments that the natives take


class UnsupportedError(Exception):
    """Raised by a native function for what it leaves to scikit-learn; the message is the reason in the profile."""


class Replacement(NamedTuple):
    """A function or method of scikit-learn, and the native one in its place.

    ``name`` is looked up in ``module``, where scikit-learn calls it: a method as ``Class.method``. ``native`` is
    ``module:function`` below ``lindy.accel``; it takes the arguments of the original and returns what that returns.
    """

    module: str
    name: str
    native: str
    one_pass: bool = False  # whether texts may come from an iterator, which becomes a list
    records: bool = True  # whether its calls are in the profile; otherwise it has its own entries there

    def load(self) -> Callable[..., Any]:
        """Import the native function."""
        module, function = self.native.split(":")
        native: Callable[..., Any] = getattr(import_module(f"lindy.accel.{module}"), function)
        return native


_TEXT = "sklearn.feature_extraction.text"

REPLACEMENTS = (
    Replacement(_TEXT, "CountVectorizer.fit_transform", "vectorizers:fit_transform", one_pass=True),
    Replacement(_TEXT, "CountVectorizer.transform", "vectorizers:transform", one_pass=True),
    Replacement(_TEXT, "CountVectorizer.get_feature_names_out", "vectorizers:feature_names"),
    Replacement(_TEXT, "TfidfVectorizer.fit", "vectorizers:fit", one_pass=True),
    Replacement(_TEXT, "TfidfVectorizer.fit_transform", "vectorizers:fit_transform", one_pass=True),
    Replacement(_TEXT, "TfidfVectorizer.transform", "vectorizers:transform", one_pass=True),
    Replacement(_TEXT, "HashingVectorizer.transform", "vectorizers:transform_hashed"),
    # LinearSVC, and LogisticRegression(solver="liblinear")
    Replacement("sklearn.svm._classes", "_fit_liblinear", "linear:fit_liblinear"),
    Replacement("sklearn.linear_model._logistic", "_fit_liblinear", "linear:fit_liblinear"),
    # LogisticRegression and LogisticRegressionCV with all other solvers
    Replacement("sklearn.linear_model._logistic", "_logistic_regression_path", "linear:logistic_path"),
    # GridSearchCV, RandomizedSearchCV and the halving ones
    Replacement("sklearn.model_selection._search", "Parallel", "searches:parallel", records=False),
)

# Names of the inner functions, as users know them.
CALLS = {
    "sklearn.svm._classes._fit_liblinear": "LinearSVC.fit",
    "sklearn.linear_model._logistic._fit_liblinear": "LogisticRegression.fit",
    "sklearn.linear_model._logistic._logistic_regression_path": "LogisticRegression.fit",
}


def call_name(replacement: Replacement) -> str:
    """Return what users call it: LinearSVC.fit for the function that LinearSVC's fit calls."""
    return CALLS.get(f"{replacement.module}.{replacement.name}", replacement.name)
