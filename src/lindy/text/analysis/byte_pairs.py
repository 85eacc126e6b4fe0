"""Subword units by byte-pair encoding: the analyser ``bpe``.

Words (and runs of scripts without spaces) are those of ``lindy.text.analysis.unicode_words``. Each is cut into pieces
by merges that were learned from the training texts (native/text/byte_pairs.hpp; ``lindy.textbook.byte_pairs`` has the
algorithm in a screen): frequent words stay whole, rare ones become several pieces, of which all but the first are
marked, as in ``un ##happi ##ness``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.text.analysis.unicode_words import UnicodeTokenizer

NAME = "bpe"
MARK = "##"


class Merges:
    """Learned merges in their order, as UTF-8: the left and the right piece of each."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.arrays = (data, offsets)
        self.native = _native.BytePairs(data, offsets)

    @classmethod
    def learn(
        cls, words: tuple[NDArray[np.uint8], NDArray[np.int64]], times: NDArray[Any], n_merges: int
    ) -> Merges:
        """Learn at most so many merges from words and how often each occurs."""
        return cls(*_native.learn_byte_pairs(*words, np.ascontiguousarray(times, np.float64), n_merges))

    def __reduce__(self) -> tuple[Any, ...]:
        return Merges, self.arrays

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Merges) and self.pairs == other.pairs

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.native)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The merges as Python strings."""
        pieces = _native.strings(*self.arrays)
        return list(zip(pieces[::2], pieces[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class SubwordTokenizer:
    """Cuts a folded text into the pieces of its words; without merges the words are left whole."""

    words: UnicodeTokenizer
    merges: Merges | None

    def __call__(self, text: str) -> list[str]:
        """Return the pieces."""
        return self.with_spans(text)[0]

    def with_spans(self, text: str) -> tuple[list[str], NDArray[np.int64]]:
        """Return the pieces, and where each begins and ends in the text."""
        pieces, spans = [], []
        for word in self.words.with_runs(text):
            begin = word.begin
            for end in self._ends(text[word.begin : word.end]):
                mark = MARK if begin > word.begin else ""
                pieces.append(mark + text[begin : word.begin + end])
                spans.append((begin, word.begin + end))
                begin = word.begin + end
        return pieces, np.array(spans, np.int64).reshape(-1, 2)

    def _ends(self, word: str) -> list[int]:
        if self.merges is None:
            return [len(word)]
        return self.merges.native.cut(word.encode("utf-8", "surrogatepass"))
