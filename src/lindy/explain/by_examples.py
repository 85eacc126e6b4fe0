"""Explanations of kernel models: the score of a text is a sum over support examples, so these are what explains it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.csr import Csr
from lindy.explain.explanation import Explanation, SupportExample
from lindy.text.occurrences import Array

_MOST_FEATURES = 8


def by_examples(
    vectorizer: Any,
    learner: Any,
    x: Any,
    text: str,
    *,
    predict: Callable[[list[Any]], NDArray[Any]],
    probabilities: Array | None,
    calibration: str | None,
) -> Explanation:
    """Explain the prediction of x, shown as ``text``, by a kernel learner's support examples, each with its share."""
    row = vectorizer.transform_csr([x])
    decision = np.asarray(learner.decision_function(row), np.float64).reshape(-1)

    def support(label: Any, other: Any) -> list[SupportExample]:
        added = learner.influences(row, label, other)
        labels = learner.classes_[learner.support_y_].tolist()
        total = max(float(np.abs(added).sum()), np.finfo(float).tiny)
        return [
            SupportExample(
                int(learner.support_[i]),
                labels[i],
                float(added[i]),
                float(abs(added[i]) / total),
                shown(vectorizer, learner._support, i),
            )
            for i in np.argsort(-np.abs(added), kind="stable").tolist()
        ]

    return Explanation(
        text=text,
        label=predict([x]).tolist()[0],
        classes=learner.classes_.tolist(),
        decision=decision,
        probabilities=probabilities,
        calibration=calibration,
        bias=decision,
        rounding=np.zeros(len(decision)),
        columns=np.empty(0, np.int64),
        values=np.empty(0),
        added=np.empty((0, len(decision))),
        names=[],
        support=support,
    )


def shown(vectorizer: Any, rows: Csr, i: int) -> str:
    """Return a support example as text: itself where it was kept, otherwise its features of the largest values."""
    text: str | None = vectorizer.text_of(rows, i)
    if text is not None:
        return text
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    best = begin + np.argsort(-rows.values[begin:end], kind="stable")[:_MOST_FEATURES]
    return ", ".join(vectorizer.names_of(rows.indices[best]))
