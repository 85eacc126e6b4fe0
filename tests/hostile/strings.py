"""Strings that break analysers: every general category, every kind of word break, what only bad JSON holds.

``disagreements`` compares the compiled analysis with the textbook's, which is plain Python, under every setting.
"""

from __future__ import annotations

import functools
import itertools
import json
import random
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from lindy.text import CountVectorizer
from lindy.textbook import text_analysis as textbook

#: of each class of Unicode's word-break rules (UAX #29): letters, what joins them, what stands between digits …
WORD_BREAKS = (
    *(
        "\r",
        "\n",
        "\x0b\x0c\x85\u2028\u2029",
        " \u1680\u2003\u3000\u00a0",
        "\u200d",
        "\u00ad\u061c\u200e\u2060\ufeff",
    ),
    *(
        "\u0300\u0903\u20dd\ufe0f\U000e0061\U0001f3fd",
        "\U0001f1e9\U0001f1ea",
        "アー\u309b\uff70",
        "אבת\ufb1d",
    ),
    *(
        "aZéßΣσςİıΩжḀ\u2160\u24b6",
        "'",
        '"',
        ".\u2018\u2019\u2024\ufe52",
        ":\u00b7\u0387\u05f4\u2027",
        ",;\u037e\u0589\u066c",
    ),
    *("09٣५\uff11\U0001d7d8", "_\u203f\u2054\ufe4d\uff3f\u202f", "👩👨🚀❤😀", "一漢字กไทยລາວ"),
)
CASES = "İıIißẞΣσςΌΣΟΣﬁﬃŉǅǆΐΰᾳᾼᲐა\u0345K\u212aÅ\u212b\U00010400\U00010428"
MARKS = "aeoΑ" + "\u0301\u0308\u0327\u0345\u0323\u0489\u064b\u0e31\u20d0\u3099\U0001d165"
UNSEEN = "ab\x00\x01\x7f\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2066\u2069\ufeff\ufff9\U000e0001"
EMOJI = [
    "👩\u200d🔬",
    "👨\u200d👩\u200d👧",
    "🏳\ufe0f\u200d🌈",
    "🇩🇪",
    "🇩",
    "👍🏽",
    "1\ufe0f\u20e3",
    "❤\ufe0f",
    "\u200d",
    "🏽",
]
RIGHT_TO_LEFT = "שלום עולםمرحبا بكم١٢٣\u0640\u06dd\u200f\u202b\u202cabc 12"
JSON_HALVES = [r"\ud800", r"\udfff", r"\udbff\ud800", r"a\udc00b", r"\ud83d\ude00", r"\u0000", r"\ufffe"]
ENDS = [
    0x7F,
    0x80,
    0x7FF,
    0x800,
    0xD7FF,
    0xE000,
    0xFDD0,
    0xFFFD,
    0xFFFF,
    0x10000,
    0x1FFFE,
    0x10FFFE,
    0x10FFFF,
]


@functools.cache
def by_category() -> dict[str, list[int]]:
    """Return the code points of each of the thirty general categories, surrogates and unassigned ones among them."""
    found: dict[str, list[int]] = {}
    for code in range(sys.maxunicode + 1):
        found.setdefault(unicodedata.category(chr(code)), []).append(code)
    return found


def _any_category(rng: random.Random) -> str:
    kinds = list(by_category().values())
    return "".join(chr(rng.choice(rng.choice(kinds))) for _ in range(rng.randrange(1, 8)))


def _of(characters: str) -> Callable[[random.Random], str]:
    return lambda rng: "".join(rng.choices(characters, k=rng.randrange(1, 12)))


def _between_letters(rng: random.Random) -> str:
    code = rng.choice((rng.randrange(sys.maxunicode + 1), rng.choice(ENDS)))
    return f"{rng.choice(('ab', 'A', '1', ''))}{chr(code)}{rng.choice(('cd', 'Σ', '_', ''))}"


KINDS: dict[str, Callable[[random.Random], str]] = {
    "general categories": _any_category,
    "word breaks": lambda rng: "".join(
        rng.choice(rng.choice(WORD_BREAKS)) for _ in range(rng.randrange(1, 14))
    ),
    "upper and lower case": _of(CASES + " a"),
    "combining marks": _of(MARKS),
    "unseen characters": _of(UNSEEN),
    "emoji": lambda rng: "".join(rng.choices([*EMOJI, "a", " "], k=rng.randrange(1, 6))),
    "right to left": _of(RIGHT_TO_LEFT),
    "halves of pairs from JSON": lambda rng: json.loads(
        f'"{"".join(rng.choices([*JSON_HALVES, "x", " "], k=4))}"'
    ),
    "any code point between letters": _between_letters,
}


def strings(n: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield ``n`` strings with their kinds: each kind in turn, one in three joined to others with a space."""
    rng = random.Random(seed)
    for kind, draw in itertools.islice(itertools.cycle(KINDS.items()), n):
        text = draw(rng)
        while rng.random() < 1 / 3:
            text += rng.choice((" ", "", "\t\n", " the Cat ")) + rng.choice(list(KINDS.values()))(rng)
        yield kind, text


def settings() -> list[dict[str, Any]]:
    """Return parameters of vectorizers: every analyser, case, way to strip accents; n-grams of one to four."""
    ranges = itertools.cycle([(1, 1), (1, 2), (2, 3), (1, 3), (3, 4)])
    made: list[dict[str, Any]] = []
    for analyzer, lower, accents in itertools.product(
        ("word", "char", "char_wb", "unicode_words"), (True, False), (None, "ascii", "unicode")
    ):
        chosen = {
            "analyzer": analyzer,
            "lowercase": lower,
            "strip_accents": accents,
            "ngram_range": next(ranges),
        }
        if analyzer == "unicode_words":
            chosen["ngram_range"] = (1, chosen["ngram_range"][1])
        if "word" in analyzer:
            pattern = (r"(?u)\b\w+\b", r"(?u)\b\w\w+\b")[len(made) % 2]
            chosen |= {"token_pattern": pattern, "punctuation": len(made) % 3 == 0}
        made.append(chosen)
    return made


def expected_terms(text: str, params: dict[str, Any]) -> list[str]:
    """Return the terms of a text as the textbook has them."""
    folded = textbook.fold(text, params["lowercase"], params["strip_accents"])
    shortest, longest = params["ngram_range"]
    analyzer = params["analyzer"]
    if analyzer == "char":
        return textbook.char_ngrams(folded, shortest, longest)
    if analyzer == "char_wb":
        return textbook.char_wb_ngrams(folded, shortest, longest)
    least, punctuation = params["token_pattern"].count(r"\w"), params["punctuation"]
    if analyzer == "unicode_words":
        return textbook.unicode_word_ngrams(folded, longest, least, punctuation)
    return textbook.word_ngrams(textbook.words(folded, least, punctuation), shortest, longest)


def disagreements(texts: list[str], params: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the texts in which the core counts other terms than the textbook, fitting or finding, and how."""
    vectorizer = CountVectorizer(**params)
    expected = [Counter(expected_terms(text, params)) for text in texts]
    found = []
    for how, rows in (("fit", vectorizer.fit_csr(texts)), ("transform", vectorizer.transform_csr(texts))):
        names = vectorizer.get_feature_names_out()
        for text, want, begin, end in zip(texts, expected, rows.indptr, rows.indptr[1:], strict=False):
            ours = dict(zip(names[rows.indices[begin:end]], rows.values[begin:end].astype(int), strict=True))
            if ours != want:
                found.append((how, text))
    return found
