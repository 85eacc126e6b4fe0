"""Subword units by byte-pair encoding (Sennrich, Haddow and Birch 2016).

A word is a sequence of characters. N times, the most frequent pair of neighbouring pieces becomes one piece; a new word
is cut by the same merges in the same order. Pieces that do not begin their word are marked: un ##happy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

MARK = "##"
Pair = tuple[str, str]


def characters(word: str) -> list[str]:
    """Return the pieces that a word begins with."""
    return [c if i == 0 else MARK + c for i, c in enumerate(word)]


def merged(pieces: list[str], pair: Pair) -> list[str]:
    """Return the pieces of a word with every occurrence of a pair, from left to right, as one."""
    out: list[str] = []
    i = 0
    while i < len(pieces):
        if tuple(pieces[i : i + 2]) == pair:
            out.append(pieces[i] + pieces[i + 1].removeprefix(MARK))
            i += 2
        else:
            out.append(pieces[i])
            i += 1
    return out


def learn(words: Mapping[str, float], n_merges: int) -> list[Pair]:
    """Return the merges of words that occur so often; of equally frequent pairs the first in the alphabet."""
    cut = {word: characters(word) for word in words}
    merges: list[Pair] = []
    while len(merges) < n_merges:
        pairs: Counter[Pair] = Counter()
        for word, pieces in cut.items():
            for pair in pairwise(pieces):
                pairs[pair] += words[word]  # type: ignore[assignment]
        if not pairs or max(pairs.values()) < 2:
            break
        most = max(pairs.values())
        best = min(pair for pair, times in pairs.items() if times == most)
        merges.append(best)
        cut = {word: merged(pieces, best) for word, pieces in cut.items()}
    return merges


def encode(word: str, merges: Iterable[Pair]) -> list[str]:
    """Return the pieces of a word."""
    pieces = characters(word)
    for pair in merges:
        pieces = merged(pieces, pair)
    return pieces
