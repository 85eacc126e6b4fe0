"""The parts of explanations: features, flips, support examples, lines, pieces; how much each character counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.text.analysis.occurrences import Array, Occurrences
from lindy.text.analysis.positions import Index, is_space


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


class GivenLabels(NamedTuple):
    """Those of several labels that a text gets, the surest first, and from where on each label is given.

    ``thresholds`` are of the probabilities, or of the scores where there are none.
    """

    labels: tuple[Any, ...]
    thresholds: Array


@dataclass(frozen=True, slots=True)
class Flip:
    """A word without which the text would get another label; ``label`` is a tuple where it may get several."""

    word: str
    label: Any

    @property
    def outcome(self) -> dict[str, Any]:
        """The label, or the labels, as plain values."""
        if isinstance(self.label, tuple):
            return {"labels": list(map(str, self.label))}
        return {"label": str(self.label)}


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


def no_word_decides(tried: int, stays: str = "the label stays") -> str:
    """Return the sentence for a label that stays whichever of the words that count most is left out."""
    words = "the one that counts most" if tried == 1 else f"any of the {tried:,} that count most"
    return f"No single word decides: without {words}, {stays}."


def character_credit(n_characters: int, found: list[Occurrences], added: Array) -> Array:
    """Return what each character adds, given what each feature adds.

    Equal parts for the occurrences of a feature, equal parts for the units of an occurrence, equal parts for the
    characters of a word. A feature that occurs as a word and as characters, in a union, is two features; a hashed
    column may be of words, of their shapes and of n-grams of runs at once.
    """
    credit = np.zeros(n_characters)
    times = sum((np.bincount(o.feature, o.sign, len(added)) for o in found), np.zeros(len(added)))
    each = np.divide(added, times, out=np.zeros_like(added), where=times != 0)
    for o in found:
        part = each[o.feature] * o.sign
        credit += _native.spread_credit(part, o.first, o.last, np.ascontiguousarray(o.spans), n_characters)
    return credit


def sums(credit: Array, spans: Index) -> Array:
    """Return the credit of each span."""
    total = np.concatenate([[0.0], np.cumsum(credit)])
    parts: Array = total[spans[:, 1]] - total[spans[:, 0]]
    return parts


def cut(text: str, found: list[Occurrences]) -> Index:
    """Return begins and ends of a text's words: the vectorizer's own if it has any, otherwise what has no space.

    Characters of a script without spaces stand among them.

    Of two vectorizers for one text the first one's; those of different columns of a table stand apart.
    """
    words: list[Index] = []
    for o in found:
        if o.word is not None:
            words.append(o.spans[o.spans[:, 1] > o.spans[:, 0]])
        elif o.apart:  # what follows the words of the same vectorizer
            both = np.concatenate([words.pop(), o.spans])
            words.append(both[np.argsort(both[:, 0])])
    parts: list[Index] = []
    for own in words:
        if len(own) and all(own[-1, 1] <= part[0, 0] or part[-1, 1] <= own[0, 0] for part in parts):
            parts.append(own)
    if words:
        return np.concatenate([np.zeros((0, 2), np.int64), *sorted(parts, key=lambda part: int(part[0, 0]))])
    edges = np.flatnonzero(np.diff(np.concatenate([[True], is_space(text), [True]])))
    return edges.reshape(-1, 2)


def finite(added: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return −∞ and ∞ as large finite numbers, so that they can be divided."""
    are_finite = np.isfinite(added)
    if are_finite.all():
        return added
    largest = np.abs(added[are_finite]).max(initial=1.0)
    return np.nan_to_num(added, nan=0.0, posinf=1e3 * largest, neginf=-1e3 * largest)
