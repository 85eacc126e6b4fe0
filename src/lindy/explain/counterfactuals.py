"""Which words decide: those without which a text would get another label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.explain.explanation import Explanation
from lindy.explain.explanation_parts import Flip, cut, sums
from lindy.features.table_input import RowText

_CHARACTERS_TRIED = 2_000_000  # of all the texts that are predicted without one word each
_LONGEST_TRIED = 200_000  # in longer texts no single word is worth trying

Predict = Callable[[list[Any]], NDArray[Any]]


def find_flips(
    explanation: Explanation, shown: str | RowText, predict: Predict, most: int
) -> tuple[list[Flip], int]:
    """Return the words without which the label is another, and how many were tried: at most so many."""
    text = explanation.text
    most = min(most, _CHARACTERS_TRIED // max(len(text), 1)) if len(text) <= _LONGEST_TRIED else 0
    words = _words_for(explanation, most)
    if not words:
        return [], 0
    less = [
        shown.without(own) if isinstance(shown, RowText) else _without(shown, own) for own in words.values()
    ]
    labels = predict(less).tolist()
    flips = [
        Flip(word, label) for word, label in zip(words, labels, strict=True) if label != explanation.label
    ]
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


def _without(text: str, spans: NDArray[np.int64]) -> str:
    """Return the text without some places."""
    edges = [0, *spans.reshape(-1).tolist(), len(text)]
    return "".join(text[begin:end] for begin, end in zip(edges[::2], edges[1::2], strict=True))
