"""The exceptions of lindy.

::

    LindyError
    ├── DataError            a table, a text or a label that cannot be used (file, line, what to do)
    │   ├── LabelTypeError   labels of a type that cannot be classes (also TypeError)
    │   └── NoRowsError      a table without a row
    ├── ModelFileError       a model file that is damaged, foreign or of an unknown version
    ├── ExportError          a model that cannot be exported exactly (also ValueError)
    ├── UpdateError          a model that cannot learn more, or models that cannot become one (also ValueError)
    ├── OutputError          a file that cannot be written (also OSError)
    ├── NotFittedError       also ValueError and AttributeError, as scikit-learn's is
    ├── MissingPackageError  an optional package that is not installed (also ImportError)
    └── ParameterError       also ValueError and TypeError, as scikit-learn's InvalidParameterError is

    LindyWarning             (also UserWarning)
    ├── ConvergenceWarning   an optimiser stopped before its certificate was reached
    └── RareClassWarning     a model that hardly ever predicts some class, on texts that were held out

Wrong arguments are ``ValueError`` or ``TypeError``, as everywhere in Python.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

__all__ = [
    "ConvergenceWarning",
    "DataError",
    "ExportError",
    "LabelTypeError",
    "LindyError",
    "LindyWarning",
    "MissingPackageError",
    "ModelFileError",
    "NoRowsError",
    "NotFittedError",
    "OutputError",
    "ParameterError",
    "RareClassWarning",
    "UpdateError",
]


class LindyError(Exception):
    """Base of the errors that a user can act upon; ``hint`` says how, also at the end of a traceback."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")


class DataError(LindyError, ValueError):
    """Input data that cannot be used."""


class LabelTypeError(DataError, TypeError):
    """Labels of a type that cannot be classes, such as measured numbers."""


class NoRowsError(DataError):
    """A table without a row; among several, it is passed over."""


class ModelFileError(LindyError):
    """A model file that cannot be read."""


class ExportError(LindyError, ValueError):
    """A model that another language cannot follow exactly; the message says why."""


AGAIN = "train it again on all tables, with `keep_rows=True` if more rows will come"
"""The hint for a model that cannot learn more."""
MISSING = (
    'Remove missing texts, or make them empty: texts.fillna("") of pandas, fill_null("") of polars and Arrow.'
)
"""The hint for a text that is null."""


class UpdateError(LindyError, ValueError):
    """A model that cannot learn from further rows, or models that cannot become one; the message says why."""


class OutputError(LindyError, OSError):
    """A file that cannot be written; ``errno`` is the system's number of the reason."""

    def __init__(self, message: str, hint: str | None = None, errno: int | None = None) -> None:
        super().__init__(message, hint)
        self.errno = errno


class NotFittedError(LindyError, ValueError, AttributeError):
    """A method that needs a fitted estimator was called before ``fit``."""


class MissingPackageError(LindyError, ImportError):
    """A feature that needs an optional package."""


class ParameterError(LindyError, ValueError, TypeError):
    """A constructor argument with a value that is not allowed."""


class LindyWarning(UserWarning):
    """Base of the warnings."""


class ConvergenceWarning(LindyWarning):
    """An optimiser stopped before it reached its certificate."""


class RareClassWarning(LindyWarning):
    """A model hardly ever predicts some class, or is no better than always answering the most common one."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "Did you mean 'csv'? " for a known name that is near a wrong one; nothing if none is."""
    near = near_name(name, known)
    return "" if near is None else f"Did you mean {near!r}? "


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to a wrong one; None if none is near.

    Nearest is one that differs only in upper and lower case, hyphens and underscores: 'C' for 'c'.
    """
    import difflib

    def plain(word: str) -> str:
        return word.lower().replace("_", "-")

    names = list(known)
    same = [word for word in names if plain(word) == plain(name)]
    near = same or difflib.get_close_matches(name, names, n=1)
    return near[0] if near else None


def _also_sklearn(own: type, name: str) -> type:
    """``own``, made a subclass of scikit-learn's class of that name if scikit-learn is loaded.

    Code written for scikit-learn catches its exceptions; this lets it, without importing scikit-learn.
    """
    theirs: Any = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return own
    return type(name, (own, getattr(theirs, name)), {"__module__": own.__module__})


def not_fitted(estimator: object, message: str | None = None) -> NotFittedError:
    """Return the error to raise when ``estimator`` has not been fitted."""
    name = type(estimator).__name__
    kind = _also_sklearn(NotFittedError, "NotFittedError")
    error: NotFittedError = kind(
        message or f"This {name} instance is not fitted yet", "Call 'fit' with appropriate arguments first."
    )
    return error


def invalid_parameter(message: str) -> ParameterError:
    """Return the error to raise for a constructor argument with a value that is not allowed."""
    theirs: Any = sys.modules.get("sklearn.utils._param_validation")
    if theirs is None:
        return ParameterError(message)
    kind = type("InvalidParameterError", (ParameterError, theirs.InvalidParameterError), {})
    error: ParameterError = kind(message)
    return error


def convergence_warning(message: str) -> Warning:
    """Return the warning to issue when an optimiser was stopped early."""
    warning: Warning = _also_sklearn(ConvergenceWarning, "ConvergenceWarning")(message)
    return warning


def conversion_warning(message: str) -> Warning:
    """Return the warning to issue when input was reshaped or cast on the way in."""
    warning: Warning = _also_sklearn(LindyWarning, "DataConversionWarning")(message)
    return warning
