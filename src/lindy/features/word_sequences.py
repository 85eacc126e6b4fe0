"""Texts as sequences of words, and tuples of words that stand near each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sequences:
    """Text i is ``ids[indptr[i]:indptr[i + 1]]``, numbers of ``words``; −1 is a word that is not known."""

    indptr: Numbers
    ids: Numbers
    words: list[str]

    def at(self, offsets: tuple[int, ...]) -> tuple[Numbers, Numbers]:
        """Return the words at these offsets, from every place where they fit (tuples × offsets), and their texts."""
        lengths = np.diff(self.indptr)
        inside = np.arange(len(self.ids)) + offsets[-1] < np.repeat(self.indptr[1:], lengths)
        text = np.repeat(np.arange(len(lengths)), lengths)
        places = np.flatnonzero(inside)
        return np.stack([self.ids[places + offset] for offset in offsets], axis=1), text[places]

    def only(self, kept: NDArray[np.bool_]) -> Sequences:
        """Return the texts without the words that are not kept; those around them move together."""
        wanted = kept[self.ids]
        return Sequences(np.concatenate([[0], np.cumsum(wanted)])[self.indptr], self.ids[wanted], self.words)

    def renumbered(self, words: list[str]) -> Sequences:
        """Return the texts as sequences of other words' numbers."""
        numbers = {word: number for number, word in enumerate(words)}
        place = np.array([numbers.get(word, -1) for word in self.words], np.int64)
        return Sequences(self.indptr, place[self.ids], words)


@dataclass(frozen=True, slots=True)
class Template:
    """Words at one of several tuples of offsets, which are all of one length; they are the same feature."""

    offsets: tuple[tuple[int, ...], ...]

    def name(self, words: list[str]) -> str:
        """Return how a tuple of words is written; a gap, where there is but one, as an underscore."""
        if len(self.offsets) > 1:
            return "-".join(words)
        places = dict(zip(self.offsets[0], words, strict=True))
        return "-".join(places.get(i, "_") for i in range(self.offsets[0][-1] + 1))

    def found(self, sequences: Sequences) -> tuple[Numbers, Numbers]:
        """Return all tuples of words (tuples × length), and the text of each."""
        parts = [sequences.at(offsets) for offsets in self.offsets]
        return np.concatenate([words for words, _ in parts]), np.concatenate([text for _, text in parts])


class Tuples:
    """Tuples of numbers 0 … n−1, numbered in their order.

    They are found level by level: as the pair of a known beginning's number and one number more, which is one integer.
    ``number`` is the number of each of the given ``members`` (tuples × length).
    """

    def __init__(self, members: Numbers, n: int) -> None:
        self.n = max(n, 1)
        self.levels: list[Numbers] = []
        self.number = np.zeros(len(members), np.int64)
        for column in members.T:
            level, self.number = np.unique(self.number * self.n + column, return_inverse=True)
            self.levels.append(level)

    def __len__(self) -> int:
        return len(self.levels[-1])

    def members(self, numbers: Numbers) -> Numbers:
        """Return the tuples of some numbers."""
        columns = []
        for level in reversed(self.levels):
            numbers, column = np.divmod(level[numbers], self.n)
            columns.append(column)
        return np.stack(columns[::-1], axis=1)

    def find(self, members: Numbers) -> Numbers:
        """Return the number of each tuple, −1 where it is not known or has a number below 0."""
        number = np.zeros(len(members), np.int64)
        for level, column in zip(self.levels, members.T, strict=True):
            key = np.where((number >= 0) & (column >= 0), number * self.n + column, -1)
            place = np.searchsorted(level, key)
            number = np.where(np.append(level, -2)[place] == key, place, -1)
        return number
