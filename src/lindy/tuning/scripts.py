"""How long n-grams of characters are to be, by the scripts that texts are written in.

Four letters of an alphabet are one or two syllables, which is what one or two Chinese characters or Korean blocks say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lindy import _native
from lindy.column import TextColumn, is_column


@dataclass(frozen=True, slots=True)
class CharLengths:
    """The shortest and longest n-gram of characters: beside words, beside those of many texts, and alone.

    Of many texts, words say most of what characters say, and counting all lengths takes most of the time.
    """

    beside: tuple[int, int]
    beside_many: tuple[int, int]
    alone: tuple[int, int]


ALPHABETS = CharLengths((1, 5), (4, 4), (3, 5))
#: Korean has spaces and words, but a character is a syllable
SYLLABLES = CharLengths((1, 4), (2, 3), (1, 4))
#: where there are no spaces, n-grams of 1 to 3 characters stand in place of the words already
SPACELESS = CharLengths((1, 4), (4, 4), (1, 4))

MOST_TEXTS, MOST_CHARACTERS = 1_000, 1_000
"""So many texts, and the beginnings of them, are looked at."""

_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc]")


def char_lengths(columns: Iterable[Any]) -> CharLengths:
    """Return the lengths for columns of texts: those of the script that most of their letters are written in."""
    letters = spaceless = hangul = 0
    for texts in columns:
        for text in _sample(texts):
            parts = _native.word_parts(text)
            letters += parts.count(b"w")
            spaceless += parts.count(b"s")
            hangul += 0 if text.isascii() else len(_HANGUL.findall(text))
    if 2 * (spaceless + hangul) <= letters + spaceless:
        return ALPHABETS
    return SPACELESS if spaceless >= hangul else SYLLABLES


def _sample(texts: Any) -> Iterator[str]:
    """Yield the beginnings of some texts, evenly spread over all of them."""
    values = texts if is_column(texts) or isinstance(texts, list) else list(texts)
    rows = range(0, len(values), max(len(values) // MOST_TEXTS, 1))
    copies = values.from_file(rows) if isinstance(values, TextColumn) else None
    if copies is not None:
        values, rows = copies, range(len(copies))
    for row in rows:
        if isinstance(values, TextColumn):
            text: Any = values.slice(row, 1).to_pylist()[0]
        else:
            text = values[row].as_py() if is_column(values) else values[row]
        if isinstance(text, str):
            yield text[:MOST_CHARACTERS]
