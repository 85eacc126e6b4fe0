"""Odd values in every parameter of every estimator: finite numbers, or an error that names the parameter."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.hostile.estimators import ARGUMENTS, Subject, estimator_classes

from lindy.errors import LindyError, ParameterError
from lindy.estimators.parameters import short_repr

NUMBERS: dict[str, Any] = {
    "ten to the 400": 10**400,
    "minus ten to the 400": -(10**400),
    "NaN": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "minus one": -1,
    "a half": 2.5,
    "more than 63 bits": 2**63,
}
OTHERS: dict[str, Any] = {
    "a text": "a strange value",
    "no text": "",
    "None": None,
    "a list": [1, 2],
    "an empty list": [],
    "a dictionary": {},
    "an object": object(),
    "bytes": b"x",
    "a complex number": 1j,
    "an array": np.ones(3),
}
# their values are names or patterns of what is in the data: an error says what is not there
NAMES = {
    *("category", "numeric", "text", "columns", "patterns", "lexicons", "stop_words", "templates"),
    *("token_pattern", "vocabulary", "hierarchy", "path"),
}


def fitted(kind: type, name: str, value: Any) -> Any:
    """Return an estimator with this parameter, fitted on its sample, and what it makes of that."""
    subject = Subject(kind)
    X, y = subject.sample
    alone = {"n_jobs": 1} if "n_jobs" in inspect.signature(kind).parameters else {}
    model = kind(**ARGUMENTS.get(kind.__name__, {}) | alone | {name: value})
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model.fit(X) if y is None else model.fit(X, y)
        return (model.predict if hasattr(model, "predict") else model.transform)(X)


def complaint(kind: type, name: str, odd: str, value: Any) -> str:
    """Return what is wrong with the answer to a value; nothing if it is finite numbers or an error that helps."""
    try:
        made = fitted(kind, name, value)
    except (ValueError, LindyError) as error:
        said_it = (
            name in str(error) or name in NAMES or (odd in NUMBERS and not isinstance(error, ParameterError))
        )
        return "" if said_it else f"{name} = {odd}: does not name it: {error!r}"
    except Exception as error:
        return f"{name} = {odd}: {error!r}"
    values = made.data if sp.issparse(made) else np.asarray(made)
    finite = values.dtype.kind != "f" or np.isfinite(values).all()
    return "" if finite else f"{name} = {odd}: not finite"


@pytest.mark.parametrize("kind", estimator_classes().values(), ids=estimator_classes())
def test_odd_parameters_are_named_or_harmless(kind: type) -> None:
    own = [one.name for one in inspect.signature(kind).parameters.values() if one.kind not in (2, 4)]
    found = [complaint(kind, name, odd, value) for name in own for odd, value in (NUMBERS | OTHERS).items()]
    assert not [what for what in found if what]


def test_long_values_are_cut_in_messages() -> None:
    assert short_repr("x" * 1000).endswith("x…")
    assert len(short_repr("x" * 1000)) < 120
    assert short_repr(0.5) == "0.5"
    assert short_repr(10**5000) == "an object of type int", "which Python refuses to write"
