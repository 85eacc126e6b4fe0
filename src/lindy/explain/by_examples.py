"""Explanations of kernel models: the score of a text is a sum over support examples, so these are what explains it."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.core.csr import Csr
from lindy.explain.explanation_parts import SupportExample
from lindy.text.analysis.occurrences import Array

_MOST_FEATURES = 8


def by_examples(vectorizer: Any, learner: Any, row: Csr, decision: Array) -> dict[str, Any]:
    """Return the fields of an `Explanation` by a learner's support examples, each with its share."""

    def support(label: Any, other: Any) -> list[SupportExample]:
        added = learner.influences(row, label, other)
        labels = learner.classes_[learner.support_y_].tolist()
        total = max(float(np.abs(added).sum()), np.finfo(float).tiny)
        return [
            SupportExample(
                number=int(learner.support_[i]),
                label=labels[i],
                added=float(added[i]),
                share=float(abs(added[i]) / total),
                text=shown(vectorizer, learner._support, i),
            )
            for i in np.argsort(-np.abs(added), kind="stable").tolist()
        ]

    return {
        "bias": decision,
        "rounding": np.zeros(len(decision)),
        "columns": np.empty(0, np.int64),
        "values": np.empty(0),
        "added": np.empty((0, len(decision))),
        "support": support,
    }


def shown(vectorizer: Any, rows: Csr, i: int) -> str:
    """Return a support example as text: itself where it was kept, otherwise its features of the largest values."""
    text: str | None = vectorizer.text_of(rows, i)
    if text is not None:
        return text
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    best = begin + np.argsort(-rows.values[begin:end], kind="stable")[:_MOST_FEATURES]
    return ", ".join(vectorizer.names_of(rows.indices[best]))
