"""The recipes that compete where nothing else is asked for, the one to beat first.

Words and characters are side by side in one linear model, each with length 1. What was compared to find them, always on
held-out parts of training files: words alone, longer terms, other lengths of characters, characters across words, case,
shapes, marks at the ends of a text, a length of its own for every n, other weightings and losses, log-count ratios that
are shrunk by their standard errors, sums of separate models, the mean of both SVMs. Over many corpora, none in
the place of the first was better by more than chance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lindy import _native
from lindy.core.column import TextColumn, is_column
from lindy.tuning.recipe import Features, Recipe

WORDS = Features((1, 2))
#: a gap of a thousandth changes no more predictions than another order of the texts would
_PARAMS = {"C": 1.0, "tol": 1e-3}
#: what ``fast`` takes without a search
FIXED = Recipe(WORDS, "nb-svm", _PARAMS)
#: from so many bytes on, terms of a single text are left out: half of all terms, which decide next to nothing
MANY_BYTES = 8_000_000


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


def fixed_recipe(ngrams: tuple[int, int] | None, chars: tuple[int, int] | None, weighting: str) -> Recipe:
    """Return what is taken without a search, with the terms and the weighting that were asked for."""
    features = Features(ngrams, chars) if ngrams or chars else WORDS
    weighted = features if weighting == "auto" else replace(features, weighting=weighting)
    return replace(FIXED, features=weighted)


def _usual(lengths: CharLengths, n_bytes: int = 0) -> list[Recipe]:
    """Return the candidates for texts of a script.

    Many texts in an alphabet are left to words: characters would take most of the time and add next to nothing, but
    a small sample could not tell.
    """
    both = Features((1, 2), lengths.beside(n_bytes))
    kinds = [both] if lengths == ALPHABETS else [both, Features(None, lengths.alone)]
    return [Recipe(features, learner, _PARAMS) for features in kinds for learner in ("nb-svm", "svm")]


def _thorough(lengths: CharLengths, n_bytes: int) -> list[Recipe]:
    """Return the usual candidates and those that win here and there."""
    both = Features((1, 2), lengths.beside(n_bytes) or lengths.steps[-1][1])
    kinds = [both, WORDS, Features((1, 3)), Features(None, lengths.alone)]
    more = [Recipe(features, learner, _PARAMS) for features in kinds for learner in ("nb-svm", "svm")]
    bm25, counts = replace(WORDS, weighting="bm25"), replace(WORDS, weighting="counts")
    more += [Recipe(bm25, "svm", _PARAMS), Recipe(counts, "naive-bayes", {"alpha": 0.3})]
    return [*_usual(lengths, n_bytes), *more]


CANDIDATES = tuple(_usual(ALPHABETS))


def candidates_for(
    ngrams: tuple[int, int] | None,
    weighting: str,
    chars: tuple[int, int] | None = None,
    lengths: CharLengths = ALPHABETS,
    *,
    n_bytes: int = 0,
    thorough: bool = False,
) -> list[Recipe]:
    """Return the candidates within given n-grams and a given weighting, where these are not left open.

    ``lengths`` are those of characters where they are left open (`char_lengths`), for texts of ``n_bytes``.
    """
    candidates = (_thorough if thorough else _usual)(lengths, n_bytes)
    if ngrams is not None or chars is not None:
        features = [Features(ngrams, chars, recipe.features.weighting) for recipe in candidates]
        candidates = [
            replace(recipe, features=own)
            for recipe, own in zip(candidates, features, strict=True)
            if recipe.features.words or chars
        ]
    if weighting != "auto":
        candidates = [replace(r, features=replace(r.features, weighting=weighting)) for r in candidates]
    return [recipe for i, recipe in enumerate(candidates) if recipe not in candidates[:i]]
