"""Every public estimator of lindy, found in its packages, with what it can be fitted on and the methods that take rows.

A new estimator is found without a word here, unless its constructor needs arguments (``ARGUMENTS``), it can be fitted
on none of the ``SAMPLES``, or a method of it asks for something that ``OTHERS`` does not have.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.hostile.malformed import DENSE

import lindy
from lindy.errors import LindyError
from lindy.features import word_count
from lindy.joint import Candidates
from lindy.linear import SVM
from lindy.linear.optimizers import SOLVERS
from lindy.linear.optimizers.stochastic import STREAMS
from lindy.text import CountVectorizer

NAMED = (ValueError, TypeError, LindyError)
"""What an estimator may raise for what it was given."""

ARGUMENTS: dict[str, dict[str, Any]] = {
    "ConjunctionVectorizer": {"vectorizer": CountVectorizer()},
    "FunctionVectorizer": {"functions": [word_count()]},
    "LabelTree": {"learner": SVM()},
    "OneVsRest": {"learner": SVM()},
    "StaticEmbedding": {"path": str(Path(__file__).with_name("words.vec"))},
    "TableVectorizer": {"text": ["words"]},
    "UnionVectorizer": {"vectorizers": [("words", CountVectorizer())]},
}
"""What a constructor needs."""

# a protocol, and maps from inputs and labels to candidates, which are fitted with their rows only
ABSTRACT = {"JointMap", "ProductMap", "Vectorizer"}
TEXTS = ["a fine book", "a dull book", "fine and warm"]
SAMPLES: tuple[tuple[Any, Any], ...] = (
    (DENSE, ["a", "b", "a"]),
    (TEXTS, ["a", "b", "a"]),
    ([{"fine": 1.0}, {"dull": 2.0}, {"warm": "yes"}], ["a", "b", "a"]),
    (pd.DataFrame({"words": TEXTS}), ["a", "b", "a"]),
    (np.ones((3, 5, 5), np.uint8), [0, 1, 0]),
    (Candidates.of([DENSE, DENSE], gold=[0, 1]), None),
    (DENSE, [["a"], ["b", "a"], []]),
)
ROWS = ("X", "raw_documents", "data", "texts", "examples")
"""How methods call what they are given."""

OTHERS: dict[str, Any] = {
    "n_before": 3,
    "y": ["a", "b", "a"],
    "Cs": [0.1, 1.0],
    "label": "a",
    "other": "b",
    "support": np.array([0, 1]),
    "labels": ["a", "b", "a"],
}
"""What methods need besides."""

# what transform returned, and examples that whoever calls has checked
NO_ROWS = {"inverse_transform", "fit_labels", "count_labels"}


@dataclass(frozen=True)
class Subject:
    """An estimator as it is tried: a class and its options."""

    kind: type
    options: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return f"{self.kind.__name__}({', '.join(f'{name}={value!r}' for name, value in self.options)})"

    def make(self) -> Any:
        """Return it, unfitted."""
        alone = {"n_jobs": 1} if "n_jobs" in inspect.signature(self.kind).parameters else {}
        return self.kind(**ARGUMENTS.get(self.kind.__name__, {}) | alone | dict(self.options))

    @property
    def sample(self) -> tuple[Any, Any]:
        """The first of the samples that it can be fitted on."""
        return SAMPLES[_sample_number(self)]

    @property
    def takes_matrices(self) -> bool:
        """Whether rows of numbers are what it is made for."""
        return self.sample[0] is DENSE

    @property
    def takes_texts(self) -> bool:
        """Whether its answers to words are more than an error."""
        try:
            self.fitted().predict(TEXTS)
        except (*NAMED, AttributeError):
            return False
        return True

    def fitted(self) -> Any:
        """Return it, fitted on its sample, once for all who ask."""
        return _fitted(self)

    def methods(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the names of its public methods that take rows, and of their other parameters."""
        model = self.fitted()
        for name in dir(model):
            method = getattr(model, name, None)
            if name.startswith("_") or name in NO_ROWS or not inspect.ismethod(method):
                continue
            first, *others = [*inspect.signature(method).parameters.values(), None]
            if first is not None and first.name in ROWS:
                yield name, [parameter.name for parameter in others if parameter is not None]


@cache
def _fitted(subject: Subject) -> Any:
    return _fit(subject.make(), *subject.sample)


@cache
def _sample_number(subject: Subject) -> int:
    for number, (X, y) in enumerate(SAMPLES):
        try:
            model = _fit(subject.make(), X, y)
            (model.predict if hasattr(model, "predict") else model.transform)(X)
        except NAMED:
            continue
        return number
    raise AssertionError(f"{subject} can be fitted on none of the SAMPLES: add one that it takes")


def _fit(model: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X) if y is None else model.fit(X, y)


@cache
def estimator_classes() -> dict[str, type]:
    """Return the classes in lindy's packages that are public and have ``fit`` or ``transform``, by name."""
    found: dict[str, type] = {}
    for module in pkgutil.iter_modules(lindy.__path__):
        if not module.ispkg or module.name.startswith("_"):
            continue
        room = importlib.import_module(f"lindy.{module.name}")
        for name in getattr(room, "__all__", ()):
            kind = getattr(room, name)
            if inspect.isclass(kind) and (hasattr(kind, "fit") or hasattr(kind, "transform")):
                found.setdefault(name, kind)
    found["TextClassifier"] = lindy.TextClassifier
    return {name: kind for name, kind in sorted(found.items()) if name not in ABSTRACT}


def subjects() -> list[Subject]:
    """Return every estimator with its default options, and with every stochastic solver, which has partial_fit."""
    found = [Subject(kind) for kind in estimator_classes().values()]
    streams = [
        Subject(subject.kind, (("solver", solver), ("lam", 0.01)))
        for subject in found
        if {"solver", "lam"} <= set(inspect.signature(subject.kind).parameters)
        for solver in sorted(STREAMS)
        if _constructs(subject.kind, solver)
    ]
    return found + streams


def _constructs(kind: type, solver: str) -> bool:
    """Whether the class's own loss can be minimised by the solver."""
    try:
        _fit(kind(solver=solver, lam=0.01), *SAMPLES[0])
    except ValueError:
        return False
    return solver in SOLVERS


def arguments(given: dict[str, Any], others: list[str], method: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments of a call besides the rows: those given, and those that are needed."""
    parameters = inspect.signature(method).parameters
    needed = [name for name in others if parameters[name].default is inspect.Parameter.empty]
    needed = [name for name in needed if parameters[name].kind not in (2, 4)]  # *args, **kwargs
    return {name: OTHERS[name] for name in needed} | given
