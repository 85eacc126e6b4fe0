"""The metrics by name: what every evaluation reports, and what ``metric=`` and ``--metric`` optimise; imports nothing.

    precision    right / called                 of the rows that were called a class, how many are of it
    recall       right / actual                 of the rows of a class, how many were called so
    F1           2·right / (called + actual)
    macro        the mean of such a ratio over the classes for which it is one
    micro        such a ratio of the sums over the labels       of rows with several labels (``label_metrics``)
    MCC          (n·Σ right − Σ called·actual) / √((n² − Σ called²)·(n² − Σ actual²))

An entry is all that has to be said of a metric; ``Evaluation``, ``Criterion``, commands, reports and cards read it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Ratio = Callable[[Any, Any, Any], tuple[Any, Any]]
"""Numerator and denominator, from how many rows are rightly called a class, called it, and of it."""


def precision(right: Any, called: Any, actual: Any) -> tuple[Any, Any]:  # noqa: ARG001
    """Return right / called."""
    return right, called


def recall(right: Any, called: Any, actual: Any) -> tuple[Any, Any]:  # noqa: ARG001
    """Return right / actual."""
    return right, actual


def f1(right: Any, called: Any, actual: Any) -> tuple[Any, Any]:
    """Return 2·right / (called + actual)."""
    return 2 * right, called + actual


def mcc(right: Any, called: Any, actual: Any) -> tuple[Any, Any]:
    """Return the correlation of calls and classes; the last axis are classes."""
    n = actual.sum(axis=-1)
    above = n * right.sum(axis=-1) - (called * actual).sum(axis=-1)
    below = (n * n - (called * called).sum(axis=-1)) * (n * n - (actual * actual).sum(axis=-1))
    return above, below**0.5


TOP = (1, 3, 5)
"""The places k of precision@k and nDCG@k."""


class MetricSpec(NamedTuple):
    """One metric.

    Attributes
    ----------
    title : str
        How a sentence calls it; ``{label}`` and ``{precision:g}`` are what it was asked for with.
    forms : tuple of str
        How it is asked for, if it can be optimised.
    ratio : function or None
        What it is for one class. The rule that makes it, or its mean over the classes, largest is found by it.
    overall : function or None
        What it is for all classes together, of a metric that is no mean over them; that is only reported.
    of_class, at_precision : bool
        Whether it is asked for with a label, and with a least precision before that.
    one, several : bool
        Whether it is for rows with one label, and for rows with any number of labels.
    of_probabilities : bool
        Whether it is a loss of probabilities, not a figure of labels.
    top : int or None
        How many of the labels that are ranked first it looks at, if it does not look at those that are given.
    meaning : str
        How a report explains a metric that every evaluation has; empty for others.
    prominent : bool
        Whether the cards of models and ``lindy evaluate`` show it, too.
    """

    title: str
    forms: tuple[str, ...] = ()
    ratio: Ratio | None = None
    overall: Ratio | None = None
    of_class: bool = False
    at_precision: bool = False
    one: bool = True
    several: bool = False
    of_probabilities: bool = False
    top: int | None = None
    meaning: str = ""
    prominent: bool = False


METRICS = {
    "accuracy": MetricSpec("accuracy", ("accuracy",)),
    "macro-f1": MetricSpec(
        "macro F1", ("macro-f1",), f1, several=True, meaning="mean F1 of the classes", prominent=True
    ),
    "f1": MetricSpec("F1 of {label}", ("f1:LABEL",), f1, of_class=True, several=True),
    "log-loss": MetricSpec("log loss", ("log-loss",), of_probabilities=True),
    "recall@precision": MetricSpec(
        "recall of {label} at a precision of at least {precision:g}",
        ("recall@precision:P", "recall@precision:P:LABEL"),
        recall,
        of_class=True,
        at_precision=True,
    ),
    "mcc": MetricSpec("MCC", overall=mcc, meaning="Matthews correlation"),
    **{
        name: MetricSpec(title, (name,), one=False, several=True)
        for name, title in (
            ("micro-f1", "micro F1"),
            ("example-f1", "mean F1 of the texts"),
        )
    },
    **{
        f"precision@{k}": MetricSpec(
            f"precision of the first {k}", (f"precision@{k}",), one=False, several=True, top=k
        )
        for k in TOP
    },
}


def metric_spec(asked: str) -> MetricSpec:
    """Return the entry of a metric as it is asked for, such as f1:spam."""
    return METRICS[asked.partition(":")[0]]


CHOICES = tuple(form for spec in METRICS.values() for form in spec.forms if spec.one)
SEVERAL_CHOICES = tuple(form for spec in METRICS.values() for form in spec.forms if spec.several)
"""How metrics of rows with any number of labels are asked for."""
REPORTED = {name.replace("-", "_"): spec for name, spec in METRICS.items() if spec.meaning}
"""The metrics of every evaluation, by their names in its record."""
