"""Making an explanation: the row of a text, its addends, its places, and what would change the label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.csr import Csr
from lindy.explain.by_examples import by_examples
from lindy.explain.credit import cut, sums
from lindy.explain.explanation import Explanation, Flip
from lindy.features.dicts import DictText
from lindy.features.frames import RowText
from lindy.text.occurrences import Array, Occurrences

_CHARACTERS_TRIED = 2_000_000  # of all the texts that are predicted without one word each
_LONGEST_TRIED = 200_000  # in longer texts no single word is worth trying

Example = Any  # a text, a row of a table or a dictionary of features (a mapping), or an image (an array)
Predict = Callable[[list[Any]], NDArray[Any]]


def explain(
    vectorizer: Any,
    learner: Any,
    x: Example,
    *,
    row: Csr,
    label: Any,
    predict: Predict,
    probabilities: Array | None = None,
    calibration: str | None = None,
    flips: int = 50,
) -> Explanation:
    """Explain the prediction of a text, or of a row of a table, by a fitted vectorizer and learner.

    Parameters
    ----------
    row : Csr
        What the vectorizer makes of the text: one row.
    label : label
        What the model as a whole predicts for it.
    predict : function from texts (or rows) to labels
        What the model as a whole predicts, for the texts without one word each.
    probabilities : array (classes,) or None
        What the model as a whole gives as P(y | x).
    calibration : str or None
        How they were made of the scores, if they are calibrated.
    flips : int
        So many words, those that count most for the label, are tried: without which one would it be another?
    """
    image = x if vectorizer.takes_pictures else None
    shown = "" if image is not None else _shown(vectorizer, x)
    text = shown.text if isinstance(shown, RowText) else shown
    score = np.asarray(learner.decision_function(row)).reshape(-1)
    decision = score.astype(np.float64)
    by_support = "examples" in learner.offers
    explanation = Explanation(
        text=text,
        label=label,
        classes=learner.classes_.tolist(),
        decision=decision,
        probabilities=probabilities,
        calibration=calibration,
        image=image,
        **by_examples(vectorizer, learner, row, decision)
        if by_support
        else _by_features(vectorizer, learner, row.without_zeros(), shown, score),
    )
    if by_support:
        return explanation
    most = min(flips, _CHARACTERS_TRIED // max(len(text), 1)) if len(text) <= _LONGEST_TRIED else 0
    candidates = words_for(explanation, most)
    less = [
        shown.without(own) if isinstance(shown, RowText) else without(shown, own)
        for own in candidates.values()
    ]
    return replace(explanation, flips=_flips(explanation, candidates, less, predict), tried=len(candidates))


def _shown(vectorizer: Any, x: Example) -> Any:
    """Return a text as it is, and rows and dictionaries with the text that people are shown."""
    form = DictText if vectorizer.takes_dicts else RowText
    return x if isinstance(x, str) else form.of(x, vectorizer.text_columns)


def _by_features(vectorizer: Any, learner: Any, row: Csr, x: Any, score: NDArray[Any]) -> dict[str, Any]:
    """Return the fields of an explanation by what each feature adds to the scores."""
    added, bias = learner.addends(row)
    columns = row.indices.astype(np.int64)
    names = vectorizer.names_of(columns)
    found = vectorizer.occurrences(x, columns, names)
    in_32_bits = score.dtype == np.float32
    return {
        "bias": bias,
        "rounding": score - (bias + added.sum(axis=0)) if in_32_bits else np.zeros(len(bias)),
        "columns": columns,
        "values": row.values.astype(np.float64),
        "added": added,
        "names": _named(names, found),
        "log_probabilities": "joint" in learner.offers,
        "recorded": vectorizer.recorded_terms(columns),
        "found": found,
        "pixels": vectorizer.pixels_of(columns),
    }


def _named(names: list[str], found: list[Occurrences]) -> list[str]:
    """Call a hashed column by the terms of the text that fell into it."""
    terms: dict[int, list[str]] = {}
    for o in found:
        for feature, spelt in o.terms.items():
            if names[feature].rpartition("#")[2].isdecimal():
                terms.setdefault(feature, []).extend(spelt)
    return [" | ".join(terms[i]) if i in terms else name for i, name in enumerate(names)] if terms else names


def words_for(explanation: Explanation, most: int) -> dict[str, NDArray[np.int64]]:
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


def without(text: str, spans: NDArray[np.int64]) -> str:
    """Return the text without some places."""
    edges = [0, *spans.reshape(-1).tolist(), len(text)]
    return "".join(text[begin:end] for begin, end in zip(edges[::2], edges[1::2], strict=True))


def _flips(
    explanation: Explanation, words: dict[str, NDArray[np.int64]], less: list[Any], predict: Predict
) -> list[Flip]:
    """Return the words without which (the examples ``less``) the label is another."""
    if not words:
        return []
    labels = predict(less).tolist()
    return [
        Flip(word, label) for word, label in zip(words, labels, strict=True) if label != explanation.label
    ]
