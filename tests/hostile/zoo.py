"""Small models of every learner with every vectorizer, found by their registration.

A pair that makes no sense is one that ``fit`` refuses: it says so itself, and is listed with its reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.vectorizers import MADE

import lindy
from lindy.estimators.learners import learner_class, learner_classes
from lindy.kernels.named import NAMED
from lindy.text.vectorizer_registry import vectorizer_kinds

LABELS = ["neg", "pos", "neg", "pos", "so-so"]
WORDS = {"pos": ["good", "very"], "neg": ["bad", "not"], "so-so": ["win"]}
REPEATS = 3  # so that probabilities can be calibrated on examples that were held out
OTHER_OPTIONS: dict[str, dict[str, Any]] = {
    "two classes": {"learner": "maxent"},
    "a metric": {"learner": "maxent", "metric": "macro-f1"},
    "isotonic": {"learner": "svm", "calibration": "isotonic"},
    "sigmoid": {"learner": "svm", "calibration": "sigmoid"},
}
TREES = ["(S (NP not) (VP good))", "(S (NP very) (VP good))", "(S (NP so) (VP bad))", "(S (VP win))", "(S x)"]


@dataclass(frozen=True)
class Kind:
    """One kind of model: a name, a vectorizer's kind, and the options of a `TextClassifier`."""

    name: str
    vectorizer: str
    options: dict[str, Any]

    @property
    def examples(self) -> Any:
        """Five examples, such as the vectorizer takes."""
        kernel = getattr(self.options["learner"], "kernel", None)
        return TREES if isinstance(kernel, str) and kernel.endswith("tree") else MADE[self.vectorizer][1]

    def fitted(self) -> Any:
        """Return a fitted model; ValueError where vectorizer and learner do not go together."""
        labels = [label if "two" not in self.name else label.replace("so-so", "neg") for label in LABELS]
        examples = self.examples
        many = (
            np.tile(examples, (REPEATS, 1, 1))
            if isinstance(examples, np.ndarray)
            else list(examples) * REPEATS
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = lindy.TextClassifier(
                vectorizer=MADE[self.vectorizer][0].fresh(), n_jobs=1, **self.options
            )
            return model.fit(many, labels * REPEATS)


def kinds(*, pairs: bool = True) -> Iterator[Kind]:
    """Yield every learner with every vectorizer, every kernel, and ways to judge; a few of them without ``pairs``.

    Without, every learner and every vectorizer comes at least once.
    """
    for kind in vectorizer_kinds():
        for name in learner_classes():
            if pairs or kind == "count" or name == "svm":
                yield Kind(f"{name}, {kind}", kind, {"learner": _learner(name)})
    for name, found in learner_classes().items():
        if "kernel" in found._parameter_names():
            for kernel in NAMED:
                learner = found(kernel=kernel)
                kind = "sequences" if learner.input_kind in ("texts", "trees") else "count"
                yield Kind(f"{name}, {kernel} kernel", kind, {"learner": learner})
    for name, options in OTHER_OPTIONS.items():
        yield Kind(f"{options['learner']}, {name}", "tfidf", options)


def zoo(*, pairs: bool = True) -> tuple[dict[str, tuple[Kind, Any]], dict[str, str]]:
    """Return kinds and fitted models by name, and the reasons of the kinds that ``fit`` refused."""
    models, refused = {}, {}
    for kind in kinds(pairs=pairs):
        try:
            models[kind.name] = (kind, kind.fitted())
        except ValueError as error:
            refused[kind.name] = str(error)
    return models, refused


def _learner(name: str) -> Any:
    learner: Any = learner_class(name)()
    return learner.set_params(words=WORDS) if learner.input_kind == "words" else learner
