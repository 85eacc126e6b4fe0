"""Texts for people to try: some of every label of a table, or the words that speak most for each label of a model."""

from __future__ import annotations

import re
from typing import Any

from lindy.core.targets import as_targets
from lindy.data.columns.examples import TextData
from lindy.explain import inspect

LONGEST = 500
"""Characters of a text that is shown."""
_WORD = re.compile(r"(?:words__)?([^\W\d_]{3,})")
_LOOKED_AT, _WORDS = 50, 4  # features of a label, and words of an example


def varied(texts: list[str], examples: TextData, most: int) -> list[int]:
    """Return the numbers of some texts of a table: the first of every label, then the second of each."""
    usable = [i for i, text in enumerate(texts) if text.strip() and len(text) <= LONGEST]
    if examples.labels is None:
        return usable[:most]
    rows, strata = as_targets(examples.labels, several=True).strata
    first = dict(zip(rows[::-1].tolist(), strata[::-1].tolist(), strict=True))  # of several labels of a text
    turn: dict[int, int] = {}
    ranked = []
    for i in usable:
        turn[first[i]] = place = turn.get(first[i], 0) + 1
        ranked.append((place, i))
    return [i for _, i in sorted(ranked)[:most]]


def telling_words(model: Any, most: int) -> list[str]:
    """Return, for some labels of a model of texts, the words that speak most for each; none where it has no words."""
    if str(getattr(model.vectorizer_, "analyzer", "")).startswith("char"):
        return []
    made = []
    for label in model.classes_.tolist()[:most]:
        names = [name for name, _ in inspect(model, top=_LOOKED_AT, label=label).top.get(label, [])]
        words = [match[1] for name in names if (match := _WORD.fullmatch(name))][:_WORDS]
        phrase = " ".join(words)
        given = model.predict([phrase])[0]
        if words and label in (given if isinstance(given, tuple) else (given,)):
            made.append(phrase)
    return made
