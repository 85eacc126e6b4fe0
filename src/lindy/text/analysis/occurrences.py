"""Where the features of a row occur in the text they were made of.

A text is a sequence of units, words or characters, and a term covers some that follow one another. Terms are numbered
level by level, an n-gram as the pair of an (n−1)-gram and one more unit, so that every different term is looked up
once, however often it occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.text.analysis.analyzer import WORD_START, Analyzer, fold, shape
from lindy.text.analysis.byte_pairs import SubwordTokenizer
from lindy.text.analysis.positions import (
    Index,
    code_points,
    is_space,
    joined_spaces,
    numbered,
    origins,
    token_spans,
)
from lindy.text.analysis.unicode_words import LONGEST_IN_RUN, UnicodeTokenizer
from lindy.text.vectorizer import Columns, Vectorizer

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Occurrence k is of feature ``feature[k]``, counts ``sign[k]`` and covers the units ``first[k]`` to ``last[k]``.

    Unit u is ``text[spans[u, 0]:spans[u, 1]]``; ``word`` has the number of the word that it is, None for characters.
    ``terms`` has the terms of the text in each feature, and ``unknown`` the words that are in none.
    """

    spans: Index
    word: Index | None
    feature: Index
    sign: Array
    first: Index
    last: Index
    terms: dict[int, list[str]]  # where they are not the features' names: hashed, or rare words as one
    unknown: Index
    apart: bool = False  # whether units stand apart, as words do: characters of a script without spaces


@dataclass(frozen=True, slots=True)
class Sequence:
    """The symbols that terms are cut from, the unit of each, the units' places, and how terms are spelt."""

    symbols: Index
    unit: Index
    spans: Index
    spell: Callable[[int, int], str]
    words: bool
    group: Index | None = None  # of characters within words: the word; terms are within a group
    whole: bool = False  # whether a group shorter than the shortest term is one
    apart: bool = False  # as in Occurrences
    spelt: tuple[str, ...] | None = None  # of words: the units, where these are not the symbols

    @property
    def word(self) -> Index | None:
        """The number of the word that each unit is; None for characters."""
        if not self.words:
            return None
        return self.symbols if self.spelt is None else _numbers(self.spelt)


@dataclass(frozen=True, slots=True)
class Lookup:
    """How a vectorizer finds the features of terms.

    ``find`` takes terms, and whether they are single words, and returns their features (−1: none) and signs.
    ``named`` has the features by their terms, where each has a single one; None where ``find`` has to be asked.
    ``spelt`` says that the names of features do not tell their terms, ``complete`` that every term has a feature.
    """

    find: Callable[[list[str], bool], tuple[Index, Array]]
    named: dict[str, int] | None = None
    spelt: bool = False
    complete: bool = False


def term_occurrences(vectorizer: Analyzer, text: str, look_up: Lookup) -> list[Occurrences]:
    """Return where terms of a text are; [] if a callable of the user's makes them."""
    source = _folded(vectorizer, text)
    if source is None:
        return []
    sequence = _sequence(vectorizer, text, *source)
    if sequence is None:
        return []
    found = [_found(sequence, look_up, *vectorizer.ngram_range)]
    tokenize = vectorizer.build_tokenizer() if sequence.words else None
    may_have_runs = vectorizer.ngram_range[0] == 1 and not source[0].isascii()
    if may_have_runs and isinstance(tokenize, UnicodeTokenizer) and tokenize.has_runs(source[0]):
        stop_words = vectorizer.get_stop_words() or frozenset()
        in_runs = replace(look_up, find=partial(_find_others, find=look_up.find, left_out=stop_words))
        found.append(_found(_runs(tokenize, *source), in_runs, 1, LONGEST_IN_RUN))
    if vectorizer.shapes and (shapes := _shapes(vectorizer, text)) is not None:
        found.append(_found(shapes, look_up, 1, 1))
    return found


def ngram_occurrences(
    vectorizer: Analyzer, text: str, index: _native.TermIndex, columns: Columns
) -> list[Occurrences]:
    """Return where n-grams of characters are that the core finds in a text, of the whole of it or within its words."""
    source = _folded(vectorizer, text)
    if source is None:
        return []
    folded, places = source
    if vectorizer.analyzer == "char":
        folded, kept = joined_spaces(folded)
        places = places[kept]
    column, first, last = _native.ngram_places(index, folded)
    feature = features_at(columns, column)
    if len(others := np.flatnonzero(feature < 0)):
        feature, first, last = (np.delete(own, others) for own in (feature, first, last))
    ones, none = np.ones(len(feature)), feature[:0]
    return [
        Occurrences(_characters(len(text)), None, feature, ones, places[first], places[last] + 1, {}, none)
    ]


def span_occurrences(spans: list[list[tuple[int, int]]], columns: Columns) -> list[Occurrences]:
    """Return the occurrences of features given by their places: ``spans[k]`` are those of column k."""
    found = [(i, span) for i, column in enumerate(columns.tolist()) for span in spans[column]]
    feature = np.array([i for i, _ in found], np.int64)
    places = np.array([span for _, span in found], np.int64).reshape(-1, 2)
    unit = np.arange(len(found))
    return [Occurrences(places, None, feature, np.ones(len(found)), unit, unit + 1, {}, unit[:0])]


@dataclass(frozen=True, slots=True)
class Part:
    """A vectorizer (None: of no text), how many columns it has, and where in the text its own begins."""

    vectorizer: Vectorizer | None
    width: int
    text: Any
    begin: int = 0


def part_occurrences(parts: Iterable[Part], columns: Columns) -> list[Occurrences]:
    """Return the occurrences of features of vectorizers whose columns stand side by side."""
    found, offset = [], 0
    for part in parts:
        mine = np.flatnonzero((columns >= offset) & (columns < offset + part.width))
        if part.vectorizer is not None:
            inner = part.vectorizer.occurrences(part.text, columns[mine] - offset)
            found += [_moved(o, mine, part.begin) for o in inner]
        offset += part.width
    return found


def _moved(o: Occurrences, features: Index, begin: int) -> Occurrences:
    """Return occurrences of features that have other numbers in the whole row, and of units further on in the text."""
    terms = {int(features[feature]): list(spelt) for feature, spelt in o.terms.items()}
    spans = o.spans + begin if begin else o.spans
    return replace(o, spans=spans, feature=features[o.feature], terms=terms)


def features_at(columns: Columns, wanted: Index) -> Index:
    """Return which of a row's columns each of the wanted ones is; −1 for those that are none."""
    if not len(columns):
        return np.full(len(wanted), -1, np.int64)
    order = columns.argsort()
    feature: Index = order[columns.searchsorted(wanted, sorter=order).clip(max=len(columns) - 1)]
    return np.where(columns[feature] == wanted, feature, -1)


def _folded(vectorizer: Analyzer, text: str) -> tuple[str, Index] | None:
    """Return the folded text and where each of its characters came from."""
    preprocess = vectorizer.build_preprocessor()
    folded = preprocess(text)
    if callable(vectorizer.analyzer) or not isinstance(folded, str):
        return None
    own = not isinstance(preprocess, partial) or preprocess.func is not fold
    if own and folded not in (text, text.lower()):
        return None
    places = origins(text, folded, str.lower if own else preprocess)
    return None if places is None else (folded, places)


def _sequence(vectorizer: Analyzer, text: str, folded: str, places: Index) -> Sequence | None:
    if vectorizer.analyzer == "char_wb":
        return _characters_in_words(folded, places, len(text))
    if vectorizer.analyzer != "char":
        return _words(vectorizer, folded, places)
    joined, kept = joined_spaces(folded)
    symbols = numbered(code_points(joined))[1]
    return Sequence(symbols, places[kept], _characters(len(text)), lambda i, n: joined[i : i + n], False)


def _words(vectorizer: Analyzer, folded: str, places: Index) -> Sequence | None:
    cut = _cut(vectorizer, folded)
    if cut is None:
        return None
    words, spans, group = cut
    if stop_words := vectorizer.get_stop_words():
        kept = [i for i, token in enumerate(words) if token not in stop_words]
        words, spans, group = [words[i] for i in kept], spans[kept], None if group is None else group[kept]
    symbols = _numbers(words)
    where = np.concatenate([places, places[-1:] + 1])[spans]
    full = spans[:, 0] < spans[:, 1]
    where[full, 1] = places[spans[full, 1] - 1] + 1
    where[~full, 1] = where[~full, 0]
    unit, units = np.arange(len(words)), None
    if (where[1:, 0] < where[:-1, 1]).any():  # pieces of one character, such as İ in lower case
        first = np.r_[True, where[1:, 0] >= np.maximum.accumulate(where[:-1, 1])]
        unit, begins = np.cumsum(first) - 1, np.flatnonzero(first)
        where = np.stack([where[begins, 0], np.maximum.reduceat(where[:, 1], begins)], axis=1)
        units = tuple(" ".join(words[i] for i in own) for own in np.split(np.arange(len(words)), begins[1:]))
    return Sequence(symbols, unit, where, lambda i, n: " ".join(words[i : i + n]), True, group, spelt=units)


def _numbers(words: Iterable[str]) -> Index:
    """Return words as numbers, in the order of their first appearance."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int64)


def _cut(vectorizer: Analyzer, text: str) -> tuple[list[str], Index, Index | None] | None:
    """Return the tokens of a text, their places and, where runs are between them, how many come before each."""
    tokenize = vectorizer.build_tokenizer()
    if isinstance(tokenize, SubwordTokenizer):
        return (*tokenize.with_spans(text), None)
    if not isinstance(tokenize, UnicodeTokenizer):
        cut = token_spans(tokenize, text)
        return None if cut is None else (*cut, None)
    words = [token for token in tokenize.with_runs(text) if not token.is_run]
    spans = np.array([(token.begin, token.end) for token in words], np.int64).reshape(-1, 2)
    after = np.array([token.after for token in words], np.int64)
    return [text[token.begin : token.end] for token in words], spans, after


def _runs(tokenize: UnicodeTokenizer, folded: str, places: Index) -> Sequence:
    """Return the characters of scripts without spaces, run by run."""
    runs = [token for token in tokenize.with_runs(folded) if token.is_run]
    spelt = "".join(folded[run.begin : run.end] for run in runs)
    sizes = np.array([run.end - run.begin for run in runs], np.int64)
    at = [np.arange(run.begin, run.end) for run in runs]
    begins, unit = np.unique(places[np.concatenate(at)] if runs else places[:0], return_inverse=True)
    symbols = numbered(code_points(spelt))[1]
    group = np.repeat(np.arange(len(runs)), sizes)
    spans = np.stack([begins, begins + 1], axis=1)
    return Sequence(symbols, unit, spans, lambda i, m: spelt[i : i + m], False, group, apart=True)


def _find_others(
    terms: list[str],
    single: bool,
    find: Callable[[list[str], bool], tuple[Index, Array]],
    left_out: frozenset[str],
) -> tuple[Index, Array]:
    """Return the features and signs of terms but for those that are left out."""
    feature, sign = find(terms, single)
    return np.where([term in left_out for term in terms], -1, feature), sign


def _shapes(vectorizer: Analyzer, text: str) -> Sequence | None:
    """Return the shapes of the words, which are made of the text as it is written."""
    cut = _cut(vectorizer, text)
    if cut is None:
        return None
    kept = [i for i, token in enumerate(cut[0]) if WORD_START.match(token)]
    names = [shape(cut[0][i]) for i in kept]
    return Sequence(_numbers(names), np.arange(len(names)), cut[1][kept], lambda i, _: names[i], False)


def _characters(n: int) -> Index:
    starts = np.arange(n)
    return np.stack([starts, starts + 1], axis=1)


def _characters_in_words(folded: str, places: Index, n: int) -> Sequence:
    """Each word with a space before and after, which belong to its first and last character."""
    words = folded.split()
    padded = "".join(f" {word} " for word in words)
    sizes = np.array([len(word) for word in words], np.int64)
    inner = np.flatnonzero(~is_space(folded))
    last = np.cumsum(sizes)
    from_word = np.repeat(np.arange(len(words)), sizes + 2)
    at = np.arange(len(padded)) - 2 * from_word - 1
    unit = inner[np.clip(at, (last - sizes)[from_word], last[from_word] - 1)] if len(words) else inner[:0]
    symbols = numbered(code_points(padded))[1]

    def spell(i: int, m: int) -> str:
        return padded[i : i + m]

    return Sequence(symbols, places[unit], _characters(n), spell, False, from_word, whole=True)


def _found_words(sequence: Sequence, named: dict[str, int], min_n: int, max_n: int) -> Occurrences:
    """Return the occurrences of words whose features have their names.

    All of them are looked up: to number them first, as for characters, costs a short text more than it saves.
    """
    size, group = len(sequence.symbols), None if sequence.group is None else sequence.group.tolist()
    features: list[int] = []
    begins: list[int] = []
    ends: list[int] = []
    for n in range(min_n, min(max_n, size) + 1):
        for i in range(size - n + 1):
            number = named.get(sequence.spell(i, n))
            if number is not None and (group is None or group[i] == group[i + n - 1]):
                features.append(number)
                begins.append(i)
                ends.append(i + n)
    feature, first, last = (np.array(column, np.int64) for column in (features, begins, ends))
    first, last = sequence.unit[first], sequence.unit[last - 1] + 1
    unknown = _uncovered(first, last, len(sequence.spans))
    return Occurrences(
        sequence.spans, sequence.word, feature, np.ones(len(feature)), first, last, {}, unknown
    )


def _uncovered(first: Index, last: Index, n_units: int) -> Index:
    """Return the units that no occurrence covers."""
    begun = np.bincount(first, minlength=n_units + 1) - np.bincount(last, minlength=n_units + 1)
    return np.flatnonzero(begun.cumsum()[:n_units] == 0)


def _found(sequence: Sequence, look_up: Lookup, min_n: int, max_n: int) -> Occurrences:
    if sequence.words and look_up.named is not None:
        return _found_words(sequence, look_up.named, min_n, max_n)
    parts: list[tuple[Index, Array, Index, Index]] = []
    terms: dict[int, list[str]] = {}
    for n, begin, number, first in _ngrams(sequence, min_n, max_n):
        names = [sequence.spell(i, n) for i in first.tolist()]
        feature, sign = look_up.find(names, sequence.words and n == 1)
        if look_up.complete or (look_up.spelt and sequence.words):
            for name, found in zip(names, feature.tolist(), strict=True):
                if found >= 0:
                    terms.setdefault(found, []).append(name)
        known = feature[number] >= 0
        where, which = begin[known], number[known]
        parts.append((feature[which], sign[which], sequence.unit[where], sequence.unit[where + n - 1] + 1))
    features, signs, begins, ends = (np.concatenate(column) for column in zip(_NOTHING, *parts, strict=True))
    word, unknown = sequence.word, begins[:0]
    if sequence.words and not look_up.complete:
        unknown = _uncovered(begins, ends, len(sequence.spans))
    return Occurrences(sequence.spans, word, features, signs, begins, ends, terms, unknown, sequence.apart)


_NOTHING = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64))


def _ngrams(sequence: Sequence, min_n: int, max_n: int) -> Iterator[tuple[int, Index, Index, Index]]:
    """Yield, for each n, where the n-grams begin, their numbers, and where each number occurs first."""
    n_symbols = int(sequence.symbols.max(initial=-1)) + 1
    begin, number = np.arange(len(sequence.symbols)), sequence.symbols
    if sequence.whole:
        yield from _short_words(sequence, min_n, max_n)
    for n in range(1, max_n + 1):
        if n > 1:
            inside = begin + n <= len(sequence.symbols)
            if sequence.group is not None:
                inside[inside] = sequence.group[begin[inside]] == sequence.group[begin[inside] + n - 1]
            begin, number = begin[inside], number[inside]
            number = _renumbered(number * n_symbols + sequence.symbols[begin + n - 1])
        if not len(begin):
            return
        if n >= min_n:
            first = np.empty(int(number.max()) + 1, np.int64)
            first[number[::-1]] = begin[::-1]
            yield n, begin, number, first


def _short_words(sequence: Sequence, min_n: int, max_n: int) -> Iterator[tuple[int, Index, Index, Index]]:
    """Words that are shorter than the shortest n-gram count whole, once."""
    assert sequence.group is not None
    starts = np.flatnonzero(np.diff(sequence.group, prepend=-1))
    lengths = np.diff(starts, append=len(sequence.group))
    for length in range(3, min(min_n, max_n + 1)):
        begin = starts[lengths == length]
        if len(begin):
            yield length, begin, np.arange(len(begin)), begin


def _renumbered(codes: Index) -> Index:
    """Return the codes' numbers 0, 1, …, equal ones alike."""
    size = int(codes.max(initial=0)) + 1
    if size > 16 * len(codes) + (1 << 16):
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)
    seen = np.zeros(size, np.int64)
    seen[codes] = 1
    numbers: Index = (np.cumsum(seen) - 1)[codes]
    return numbers
