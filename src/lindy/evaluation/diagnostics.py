"""Warnings about a fitted model and its labels.

A model that hardly ever predicts a class, or is no better than a constant; labels that look like none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.data.columns.several_labels import MARKS
from lindy.evaluation.metrics.metric_registry import metric_spec

Codes = NDArray[np.integer[Any]]

FEWEST_ROWS = 30
"""Rows of which nothing is said below so many: figures of fewer are mostly luck."""
FEWEST_OF_CLASS = 5
LOW_RECALL = 0.25
_MOST_NAMED = 3
_UNEVEN = 1.5  # times the equal share that the most common class has


def concern(
    truth: Codes,
    answer: Codes,
    labels: Sequence[Any],
    *,
    what: str = "held-out texts",
    metric: str = "accuracy",
) -> str | None:
    """Return a sentence about what is wrong with the answers and what to do; None if nothing is.

    Parameters
    ----------
    truth, answer : class numbers of rows that the model has not learned from; −1 for a label that is no class
    labels : the labels of the classes
    what : str
        What the rows are, for the sentence.
    metric : str
        What the model was trained for.
    """
    known = truth >= 0
    y, given = truth[known], answer[known]
    K = len(labels)
    actual, called = (np.bincount(codes[codes >= 0], minlength=K) for codes in (y, given))
    right = np.bincount(y[y == given], minlength=K)
    return concern_of_counts(actual, called, right, labels, what=what, metric=metric)


def concern_of_counts(
    actual: Codes, called: Codes, right: Codes, labels: Sequence[Any], *, what: str, metric: str
) -> str | None:
    """Return such a sentence from how many rows are of each class, were given it, and rightly so."""
    n, K = int(actual.sum()), len(labels)
    if n < FEWEST_ROWS:
        return None
    present, common = actual > 0, int(actual.argmax())
    f1 = (2 * right / np.maximum(actual + called, 1))[present].mean()
    constant = 2 * actual[common] / (n + actual[common]) / np.count_nonzero(present)
    low = (actual >= FEWEST_OF_CLASS) & (right < LOW_RECALL * actual) & (2 * called < actual)
    if metric_spec(metric).at_precision:  # few predictions are what was asked for
        return None
    order = [k for k in np.argsort(actual, kind="stable").tolist() if k != common]
    rare = [k for k in order if low[k]]
    useless = f"the model is no better than always answering {labels[common]}"
    # where classes are about equally common, a model that has learned something is right more often
    if n > actual[common] >= right.sum() and not uneven(actual):
        by_it = f"{actual[common] / n:.1%} by that answer alone"
        return (
            f"{useless}: {right.sum() / n:.1%} of {n:,} {what} are right, {by_it}; check the texts and labels, or train"
            " on more examples"
        )
    if n > actual[common] and f1 <= constant:
        said = f"{useless}: macro F1 {f1:.3f} on {n:,} {what}, {constant:.3f} for that answer alone"
        if not uneven(actual):
            return f"{said}; check the texts and labels, or train on more examples"
        rare = rare or [k for k in order if present[k]]
    elif rare and uneven(actual):
        said = _found(rare, right, actual, labels, what)
    else:
        return None
    return f"{said}; {_advice([str(labels[k]) for k in rare], K, metric)}"


def lone_labels(counts: NDArray[Any]) -> str | None:
    """Return a sentence about labels most of which occur once, as names and measured numbers do; None otherwise."""
    n, lone = int(counts.sum()), int(np.count_nonzero(counts == 1))
    if n < FEWEST_ROWS or 2 * lone <= n:
        return None
    return (
        f"{lone:,} of {n:,} examples have a label that no other example has: nothing can be learned about those;"
        " check that the labels are in this column (`label=`)"
    )


def joined_by(labels: Sequence[Any]) -> tuple[str, list[str]] | None:
    """Return the mark between several labels of one text, and the labels that have it; None if there are not two.

    Labels are joined if their parts are labels, too, or if there are fewer different parts than joined labels.
    """
    alone = {label for label in labels if isinstance(label, str)}
    for mark in MARKS:
        parts = {
            label: [part.strip() for part in label.split(mark)] for label in sorted(alone) if mark in label
        }
        of_labels = [label for label, own in parts.items() if alone.issuperset(own)]
        if len(of_labels) > 1:
            return mark, of_labels
        if len({part for own in parts.values() for part in own}) < len(parts):
            return mark, list(parts)
    return None


def joined_labels(labels: Sequence[Any]) -> str | None:
    """Return a sentence about labels that are several others with a mark between them; None if there are not two."""
    found = joined_by(labels)
    if found is None:
        return None
    mark, joined = found
    return (
        f"{len(joined):,} labels, such as {joined[0]}, are others joined by '{mark}': a text has one label"
        f" here, so each combination is a class of its own; `label_separator={mark!r}` learns every label by itself"
    )


def uneven(counts: NDArray[Any]) -> bool:
    """Whether some class is so common that this is what misleads a model, rather than texts that say little."""
    return bool(counts.max() >= _UNEVEN * counts.sum() / np.count_nonzero(counts))


def _found(rare: list[int], right: Codes, actual: Codes, labels: Sequence[Any], what: str) -> str:
    """Return how many examples of the classes that are hardly ever predicted are found."""
    first = rare[0]
    if len(rare) == 1:
        return (
            f"{labels[first]} is hardly ever predicted: {right[first]:,} of its {actual[first]:,} {what} are found"
            f" (recall {right[first] / actual[first]:.2f})"
        )
    named = ", ".join(f"{labels[k]} ({right[k]:,} of {actual[k]:,})" for k in rare[:_MOST_NAMED])
    more = f" and {len(rare) - _MOST_NAMED:,} more" if len(rare) > _MOST_NAMED else ""
    return f"{len(rare):,} classes are hardly ever predicted; {what} that are found: {named}{more}"


def _advice(rare: list[str], n_classes: int, metric: str) -> str:
    """Return what to do about it; for who has asked for such a metric already, the rest."""
    if metric_spec(metric).ratio is not None:
        return "more training examples would help most"
    better = f"f1:{rare[0]}" if n_classes == 2 or len(rare) == 1 else "macro-f1"
    return f"train with `metric={better!r}`, or with balanced classes, `class_weight='balanced'`"
