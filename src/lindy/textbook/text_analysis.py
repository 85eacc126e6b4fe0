"""From a text to its terms, in plain Python.

fold      lower case, then accents
words     maximal runs of letters, digits and underscores, of at least two characters
n-grams   sequences of n words joined by a space, or of n characters
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter


def fold(text: str, lower: bool = True, accents: str | None = None) -> str:
    """Return the text in lower case; accents "unicode" drops combining marks, "ascii" all that is not ASCII."""
    if lower:
        text = text.lower()
    if accents is None:
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    if accents == "unicode":
        return "".join(c for c in decomposed if not unicodedata.combining(c))
    return "".join(c for c in decomposed if c < "\x80")


def words(text: str, least: int = 2, punctuation: bool = False) -> list[str]:
    """Return the runs of word characters that have at least ``least`` of them, and punctuation if asked."""
    tokens = re.findall(r"\w+|[^\w\s]", text)
    is_word = [re.match(r"\w", token) is not None for token in tokens]
    return [
        token
        for token, word in zip(tokens, is_word, strict=True)
        if (len(token) >= least if word else punctuation)
    ]


def shapes(text: str, least: int = 2) -> list[str]:
    """Return X, x, 9, _ or a (other letters) for every character of each word, equal neighbours once, at most 12."""
    found = []
    for word in words(text, least):
        letters: list[str] = []
        for c in word:
            capital = c.isupper() or c.istitle()
            letter = (
                "X" if capital else "x" if c.islower() else "9" if c.isdigit() else "_" if c == "_" else "a"
            )
            if letters[-1:] != [letter]:
                letters.append(letter)
        found.append("<" + "".join(letters[:12]) + ">")
    return found


def word_ngrams(tokens: list[str], shortest: int, longest: int) -> list[str]:
    """Return all sequences of tokens, the short ones first."""
    return [
        " ".join(tokens[i : i + n]) for n in range(shortest, longest + 1) for i in range(len(tokens) - n + 1)
    ]


def char_ngrams(text: str, shortest: int, longest: int) -> list[str]:
    """Return all sequences of characters; two or more of white space count as one space."""
    text = re.sub(r"\s\s+", " ", text)
    return [text[i : i + n] for n in range(shortest, longest + 1) for i in range(len(text) - n + 1)]


def char_wb_ngrams(text: str, shortest: int, longest: int) -> list[str]:
    """Return the character n-grams of each word between spaces; a short word counts once, as a whole."""
    terms = []
    for word in text.split():
        padded = f" {word} "
        for n in range(shortest, longest + 1):
            if n >= len(padded):
                terms.append(padded)
                break
            terms += [padded[i : i + n] for i in range(len(padded) - n + 1)]
    return terms


def count(texts: list[list[str]]) -> tuple[list[str], list[dict[int, int]]]:
    """Return the terms in the order of the alphabet and, for each text, its counts by column."""
    terms = sorted({term for text in texts for term in text})
    column = {term: j for j, term in enumerate(terms)}
    return terms, [{column[term]: n for term, n in Counter(text).items()} for text in texts]
