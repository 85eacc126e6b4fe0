"""Making an explanation: the row of a text and its contributions; the rest is found when it is asked for (`Origin`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.explain.explanation import Explanation
from lindy.explain.explanation_parts import Flip, GivenLabels, SupportExample, cut, sums
from lindy.features.inputs import RowText, shown_example, shown_text, without_places
from lindy.text.analysis.occurrences import Array, Occurrences

Example = Any  # a text, a row of a table or a dictionary of features (a mapping), or an image (an array)
_MOST_FEATURES = 8
_CHARACTERS_TRIED = 2_000_000  # of all the texts that are predicted without one word each
_LONGEST_TRIED = 200_000  # in longer texts no single word is worth trying

Predict = Callable[[list[Any]], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Origin:
    """The vectorizer, the columns of the text's row, the text (or row) as it is shown, and the model's predictions.

    A label, its score and what each feature adds cost little beside the rest: what the features are called, where
    they are in the text, and which words decide. Who does not look at these does not wait for them.
    """

    vectorizer: Any
    columns: NDArray[np.int64]
    shown: str | RowText
    predict: Predict
    most_flips: int

    def found(self) -> list[Occurrences]:
        """Return where the features are in the text."""
        found: list[Occurrences] = self.vectorizer.occurrences(self.shown, self.columns)
        return found

    def names(self, found: list[Occurrences]) -> list[str]:
        """Return what the features are called: hashed columns by the terms of the text that fell into them."""
        names: list[str] = self.vectorizer.names_of(self.columns)
        terms: dict[int, list[str]] = {}
        for o in found:
            for feature, spelt in o.terms.items():
                if names[feature].rpartition("#")[2].isdecimal():
                    terms.setdefault(feature, []).extend(spelt)
        return (
            [" | ".join(terms[i]) if i in terms else name for i, name in enumerate(names)] if terms else names
        )

    def recorded(self) -> dict[int, list[str]]:
        """Return the terms that were recorded of hashed columns."""
        recorded: dict[int, list[str]] = self.vectorizer.recorded_terms(self.columns)
        return recorded

    def pixels(self) -> NDArray[np.int64]:
        """Return which pixel of an image each feature is."""
        pixels: NDArray[np.int64] = self.vectorizer.pixels_of(self.columns)
        return pixels

    def flips(self, explanation: Explanation) -> tuple[list[Flip], int]:
        """Return the words without which the label is another, and how many were tried."""
        return find_flips(explanation, self.shown, self.predict, self.most_flips)


def explain(
    vectorizer: Any,
    learner: Any,
    x: Example,
    *,
    row: Csr,
    label: Any,
    predict: Predict,
    score: NDArray[Any] | None = None,
    probabilities: Array | None = None,
    calibration: str | None = None,
    flips: int = 50,
    several: GivenLabels | None = None,
) -> Explanation:
    """Explain the prediction of a text, or of a row of a table, by a fitted vectorizer and learner.

    Parameters
    ----------
    row : Csr
        What the vectorizer makes of the text: one row.
    label : label
        What the model as a whole predicts for it; of several labels the one that comes first.
    predict : function from texts (or rows) to labels, or to tuples of several labels
        What the model as a whole predicts, for the texts without one word each; called when flips are asked for.
    score : array or None
        What the learner's decision function gives for the row; None asks it.
    probabilities : array (classes,) or None
        What the model as a whole gives as P(y | x).
    calibration : str or None
        How they were made of the scores, if they are calibrated.
    flips : int
        So many words, those that count most for the label, are tried: without which one would it be another?
    several : GivenLabels or None
        Of a model of several labels, those that it gives.
    """
    shown = shown_example(x, vectorizer)
    score = np.asarray(learner.decision_function(row) if score is None else score).reshape(-1)
    decision = score.astype(np.float64)
    if learner.has_influences:
        by = _by_examples(vectorizer, learner, row, decision)
    else:
        by = _by_features(learner, row.without_zeros(), score)
        by["origin"] = Origin(vectorizer, by["columns"], shown, predict, flips)
    return Explanation(
        text=shown_text(shown),
        label=label,
        classes=learner.classes_.tolist(),
        decision=decision,
        probabilities=probabilities,
        calibration=calibration,
        image=x if isinstance(x, np.ndarray) else None,
        several=several,
        **by,
    )


def _by_features(learner: Any, row: Csr, score: NDArray[Any]) -> dict[str, Any]:
    """Return the fields of an explanation by what each feature adds to the scores."""
    added, bias = learner.contributions(row)
    in_32_bits = score.dtype == np.float32
    return {
        "bias": bias,
        "length": learner._length_part(row),
        "rounding": score - (bias + added.sum(axis=0)) if in_32_bits else np.zeros(len(bias)),
        "columns": row.indices.astype(np.int64),
        "values": row.values.astype(np.float64),
        "added": added,
        "log_probabilities": learner.has_log_probabilities,
    }


def _by_examples(vectorizer: Any, learner: Any, row: Csr, decision: Array) -> dict[str, Any]:
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
                text=_support_text(vectorizer, learner._support, i),
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


def _support_text(vectorizer: Any, rows: Csr, i: int) -> str:
    """Return a support example as text: itself where it was kept, otherwise its features of the largest values."""
    text: str | None = vectorizer.text_of(rows, i)
    if text is not None:
        return text
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    best = begin + np.argsort(-rows.values[begin:end], kind="stable")[:_MOST_FEATURES]
    return ", ".join(vectorizer.names_of(rows.indices[best]))


def find_flips(
    explanation: Explanation, shown: str | RowText, predict: Predict, most: int
) -> tuple[list[Flip], int]:
    """Return the words without which the label is another, and how many were tried: at most so many."""
    text = explanation.text
    most = min(most, _CHARACTERS_TRIED // max(len(text), 1)) if len(text) <= _LONGEST_TRIED else 0
    words = _words_for(explanation, most)
    if not words:
        return [], 0
    labels = predict([without_places(shown, own) for own in words.values()]).tolist()
    several = explanation.several

    def is_same(label: Any) -> bool:
        return label == explanation.label if several is None else set(label) == set(several.labels)

    flips = [Flip(word, label) for word, label in zip(words, labels, strict=True) if not is_same(label)]
    return flips, len(words)


def _words_for(explanation: Explanation, most: int) -> dict[str, NDArray[np.int64]]:
    """Return the words that count most for the label, with all their places, each word once."""
    text, spans = explanation.text, cut(explanation.text, explanation.found)
    if not len(spans) or most <= 0:
        return {}
    credit = sums(explanation.credit(), spans)
    number = next(
        (o.word for o in explanation.found if o.word is not None and len(o.word) == len(spans)), None
    )
    if number is None:
        numbers: dict[str, int] = {}
        number = np.array([numbers.setdefault(text[b:e].casefold(), len(numbers)) for b, e in spans.tolist()])
    total = np.bincount(number, credit)
    words = {}
    for i in np.argsort(-total, kind="stable")[:most].tolist():
        if total[i] > 0:
            places = spans[number == i]
            words[text[places[0, 0] : places[0, 1]]] = places
    return words
