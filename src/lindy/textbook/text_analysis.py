"""From a text to its terms, in plain Python.

fold      lower case, then accents
words     maximal runs of letters, digits and underscores, of at least two characters
n-grams   sequences of n words joined by a space, or of n characters
scripts   words with their combining marks, emoji, and n-grams of characters where a script has no spaces
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


#: how names of letters begin in scripts without spaces between words
SPACELESS = (
    *("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ", "VERTICAL IDEOGRAPHIC "),
    *("TANGUT ", "NUSHU ", "KHITAN ", "HIRAGANA ", "HENTAIGANA ", "KATAKANA", "HALFWIDTH KATAKANA"),
    *("BOPOMOFO ", "YI ", "THAI ", "LAO ", "MYANMAR ", "KHMER "),
    *("TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ", "AHOM "),
)


def part_of_word(c: str) -> str:
    """Return a letter for what a character is; the first that holds, a space for none."""
    category = unicodedata.category(c)
    letter_or_mark = category[0] in "LM" or category == "Nl"
    symbol = c >= "\x80" and category in ("So", "Sc", "Sm", "Co")
    pictograph = "\U0001f000" <= c < "\U0001fb00" or "\U0001fc00" <= c < "\U0001fffe"
    parts = {
        "s": letter_or_mark and unicodedata.name(c, "").startswith(SPACELESS),
        "w": re.match(r"\w", c),
        "j": c == "\u200d",  # the joiner of emoji and of letters
        "m": category[0] == "M" or c == "\u200c" or "\U000e0020" <= c < "\U000e0080",  # marks
        "x": "\U0001f3fb" <= c <= "\U0001f3ff",  # skin tones
        "r": "\U0001f1e6" <= c <= "\U0001f1ff",  # letters of flags
        "y": symbol or c in "‼⁉〰" or (category == "Cn" and pictograph),
        "p": category[0] in "PS",  # punctuation, and the symbols of ASCII
    }
    return next((part for part, holds in parts.items() if holds), " ")


def unicode_word_ngrams(text: str, longest: int, least: int = 2, punctuation: bool = False) -> list[str]:
    """Return the sequences of one to ``longest`` words, and the sequences of one to three characters of each run."""
    parts = "".join(map(part_of_word, text))
    tokens = r"s[smj]*|w[wmj]*|[yx][mx]*(?:j[yx][mx]*)*|rr?m*" + ("|p" if punctuation else "")
    terms, sequence = [], list[str]()
    for match in re.finditer(tokens, parts):
        token = text[match.start() : match.end()]
        if match[0][0] == "s":
            terms += char_ngrams(token, 1, 3) + word_ngrams(sequence, 1, longest)
            sequence = []
        elif len(token) >= least or match[0][0] != "w":
            sequence.append(token)
    return terms + word_ngrams(sequence, 1, longest)


def count(texts: list[list[str]], min_count: int = 1) -> tuple[list[str], list[dict[int, int]]]:
    """Return the terms in the order of the alphabet and, for each text, its counts by column.

    Terms that occur fewer than ``min_count`` times in all texts together are left out.
    """
    often = Counter(term for text in texts for term in text)
    terms = sorted(term for term, n in often.items() if n >= min_count)
    column = {term: j for j, term in enumerate(terms)}
    return terms, [{column[term]: n for term, n in Counter(text).items() if term in column} for text in texts]
