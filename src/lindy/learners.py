"""The learners by the names that the command line, model files and ``TextClassifier`` use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lindy.base import Classifier

#: name → module and class
LEARNERS = {
    "naive-bayes": ("lindy.bayes", "MultinomialNaiveBayes"),
    "perceptron": ("lindy.linear", "Perceptron"),
    "mira": ("lindy.linear", "Mira"),
    "maxent": ("lindy.linear", "MaxEnt"),
    "svm": ("lindy.linear", "SVM"),
    "kernel-svm": ("lindy.kernels", "KernelSVM"),
    "kernel-perceptron": ("lindy.kernels", "KernelPerceptron"),
    "nb-svm": ("lindy.linear", "NaiveBayesSVM"),
}


def learner_class(name: str) -> type[Classifier]:
    """Return the class of that name.

    Raises
    ------
    ValueError
        If there is none; the message lists the names and suggests a near one.
    """
    if name not in LEARNERS:
        import difflib

        near = difflib.get_close_matches(name, LEARNERS, n=1)
        suggestion = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"no learner is called {name!r}{suggestion} (there are: {', '.join(LEARNERS)})")
    module, attribute = LEARNERS[name]
    found: type[Classifier] = getattr(importlib.import_module(module), attribute)
    return found


def learner_name(learner: Classifier) -> str:
    """Return the name under which ``learner``'s class is saved."""
    home = (type(learner).__module__.rsplit(".", 1)[0], type(learner).__name__)
    for name, place in LEARNERS.items():
        if place == home:
            return name
    raise ValueError(f"{type(learner).__name__} is not one of lindy's learners and cannot be saved")


def make_learner(learner: str | Classifier, **options: Any) -> Classifier:
    """Return an unfitted learner by name, or a fresh copy of the given one."""
    if isinstance(learner, str):
        return learner_class(learner)(**options)
    return type(learner)(**{**learner.get_params(deep=False), **options})


def scaling_for(learner: Any) -> str:
    """Return how numbers are scaled for a learner (or its class): without negative ones where it counts."""
    kind = learner if isinstance(learner, type) else type(learner)
    return "range" if kind.__module__.startswith(("lindy.bayes", "lindy.baselines")) else "standard"


def describe(vectorizer: Any, learner: Any) -> str:
    """Return in a line what a model without a chosen recipe is made of."""
    return f"{vectorizer.describe()}; {type(learner).__name__}"
