"""How long n-grams of characters are to be, by the scripts that texts are written in.

Four letters of an alphabet are one or two syllables, which is what one or two Chinese characters or Korean blocks say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lindy import _native
from lindy.core.column import TextColumn, is_column


@dataclass(frozen=True, slots=True)
class CharLengths:
    """The shortest and longest n-gram of characters: beside words, for texts of up to so many bytes each, and alone.

    Of many texts, words say most of what characters say, and counting all lengths takes most of the time. The lengths
    become fewer as the texts become more, so that texts of twice the size never take less.
    """

    steps: tuple[tuple[float, tuple[int, int]], ...]
    alone: tuple[int, int]

    def beside(self, n_bytes: int) -> tuple[int, int] | None:
        """Return the lengths beside words, for texts of so many bytes; None where words are enough."""
        return next((lengths for most, lengths in self.steps if n_bytes <= most), None)


#: no more than 20 MB of n-grams: five lengths of 4 MB, two of 10 MB, one of 20 MB
ALPHABETS = CharLengths(((4e6, (1, 5)), (10e6, (4, 5)), (20e6, (4, 4))), (3, 5))
#: Korean has spaces and words, but a character is a syllable
SYLLABLES = CharLengths(((8e6, (1, 4)), (math.inf, (2, 3))), (1, 4))
#: where there are no spaces, n-grams of 1 to 3 characters stand in place of the words already
SPACELESS = CharLengths(((8e6, (1, 4)), (math.inf, (4, 4))), (1, 4))

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
