"""The parts of explanations: features, words that decide, support examples, lines of a table, pieces of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of the text.

    ``value`` is what the vectorizer made of it, ``added`` what it adds to each score, ``spans`` where it occurs.
    ``also`` names other terms that share a hashed column, where they were recorded.
    """

    name: str
    column: int
    value: float
    added: tuple[float, ...]
    spans: tuple[tuple[int, int], ...] = ()
    also: tuple[str, ...] = ()

    @property
    def weights(self) -> tuple[float, ...]:
        """The contribution of the feature per unit of its value."""
        return tuple(a / self.value if self.value else 0.0 for a in self.added)


@dataclass(frozen=True, slots=True)
class Flip:
    """A word without which the text would get another label."""

    word: str
    label: Any


@dataclass(frozen=True, slots=True)
class SupportExample:
    """A training example that a kernel model compares with: what it adds to a lead, as a number and as a share.

    ``share`` is of the sizes of all that is added; ``text`` the example, or its foremost features.
    """

    number: int
    label: Any
    added: float
    share: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the running-total table: what was added to each score, and the sums so far."""

    name: str
    value: float | None
    added: tuple[float, ...]
    total: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the text and what it adds; ``is_word`` is False for what stands between words.

    ``share`` is what it adds as a share of what the most important word adds, negative if it speaks against.
    """

    text: str
    credit: float
    share: float
    is_word: bool
    is_known: bool


def no_word_decides(tried: int) -> str:
    """Return the sentence for a label that stays whichever of the words that count most is left out."""
    words = "the one that counts most" if tried == 1 else f"any of the {tried:,} that count most"
    return f"No single word decides: without {words}, the label stays."
