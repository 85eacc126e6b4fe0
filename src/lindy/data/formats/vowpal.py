"""Vowpal Wabbit lines: ``label weight 'tag |namespace word word:value |other word``; several labels are ``1,3``.

The tag and the initial prediction are not used, which a remark says. As a text, a row is the words of all its
namespaces; as a feature, a word of a named namespace is called ``namespace^word``, as the program itself writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from lindy.core.feature_rows import FeatureRows, number
from lindy.data.chunks.source import Source
from lindy.data.formats.feature_lines import Collected, FeatureLine, parsed_number
from lindy.data.formats.line_words import Words, feature_rows_of
from lindy.data.formats.lines import whole_lines
from lindy.errors import DataError

SEPARATORS = ":|"  # of a line: no word can hold them
_EXAMPLE = "Expected a line such as 'positive | a fine book' or '1 |text fine:2 book'."


def rows(source: Source, _threads: int | None = None, *, spaces: bool = True) -> Collected:
    """Read the lines as feature rows; with ``spaces``, words are called by their namespace, too."""
    text = whole_lines(source)
    if (cut := text.find(b"\r")) >= 0:
        raise source.error(
            "a carriage return inside a line",
            "Lines end in a line feed; where they end in carriage returns: tr '\\r' '\\n' < OLD > NEW.",
            text.count(b"\n", 0, cut) + 1,
        )
    lines = np.array([i for i, own in enumerate(text.split(b"\n")) if own.strip()], np.int64)
    words = Words.of(text, b" \t|")
    bars = np.flatnonzero(words.data == ord("|"))
    bar_line = words.lines_at(bars)
    without = np.setdiff1d(lines, bar_line)
    if len(without):
        line = int(without[0]) + 1
        raise source.error("there is no '|' between the label and the words", _EXAMPLE, line)
    first = np.searchsorted(bar_line, lines)
    starts = words.line_starts(lines).tolist()
    heads = [
        _head(source, text[begin:end].decode(), line)
        for begin, end, line in zip(starts, bars[first].tolist(), (lines + 1).tolist(), strict=True)
    ]
    section = np.searchsorted(bars, words.start) - 1
    behind_bar = (section >= 0) & (bar_line[section] == words.line)
    is_space = behind_bar & (words.start == bars[section] + 1)
    own, named = np.flatnonzero(behind_bar & ~is_space), np.flatnonzero(is_space)
    space, factor = np.zeros(len(bars), np.int64), np.ones(len(bars))
    space[section[named]], factor[section[named]], prefixes = _namespaces(source, words.take(named))
    codes, values, names = _features(source, words.take(own))
    if spaces and any(prefixes):
        codes, names = _called(space[section[own]], codes, prefixes, names)
    row = np.searchsorted(lines, words.line[own])
    with np.errstate(over="ignore"):
        values = values * factor[section[own]]
    if len(infinite := own[~np.isfinite(values)]):
        i = int(infinite[0])
        what = f"{words.text(i)!r} times the weight of its namespace is too large for a number"
        raise source.error(what, "Give the namespace a smaller weight.", int(words.line[i]) + 1)
    examples = feature_rows_of(row, codes, values, names, len(lines))
    weight = np.array([weight for _, weight, _ in heads], np.float64)
    weighted = FeatureRows(examples.rows, examples.names, None if (weight == 1).all() else weight)
    unused = sum(more for _, _, more in heads)
    remark = f"{source.path}: the tags and initial predictions of {unused:,} lines are not used"
    labels = [label for label, _, _ in heads]
    return Collected(weighted, labels, (lines + 1).tolist(), (remark,) if unused else ())


def _namespaces(source: Source, words: Words) -> tuple[NDArray[Any], NDArray[np.float64], list[str]]:
    """Return the number and the scale of each ``name`` or ``name:scale``, and what features are called with."""
    before, behind, _ = words.cut(":")
    factor = behind.parsed(lambda scale: parsed_number(scale) if scale else 1.0)
    if len(wrong := np.flatnonzero(np.isnan(factor))):
        i = int(wrong[0])
        what = f"'|{words.text(i)}': the weight of the namespace is not a number"
        raise source.error(what, _EXAMPLE, int(words.line[i]) + 1)
    codes, names = before.numbered()
    return codes + 1, factor, ["", *(f"{name}^" if name else "" for name in names)]


def _features(source: Source, words: Words) -> tuple[NDArray[Any], NDArray[np.float64], list[str]]:
    """Return the number and the value of each ``name`` or ``name:value``, and the names."""
    before, behind, has_value = words.cut(":")
    values = np.where(has_value, behind.parsed(parsed_number), 1.0)
    nameless = before.start == before.end
    if len(wrong := np.flatnonzero(np.isnan(values) | nameless)):
        i = int(wrong[0])
        what = "there is no name" if nameless[i] else "the value is not a number"
        raise source.error(f"{words.text(i)!r}: {what}", _EXAMPLE, int(words.line[i]) + 1)
    codes, names = before.numbered()
    return codes, values, names


def _called(
    space: NDArray[Any], codes: NDArray[Any], prefixes: list[str], names: list[str]
) -> tuple[NDArray[Any], list[str]]:
    """Return the numbers and names of features that are called by their namespaces, too."""
    pairs, place = np.unique(space * len(names) + codes, return_inverse=True)
    columns: dict[str, int] = {}
    own = [prefixes[pair // len(names)] + names[pair % len(names)] for pair in pairs.tolist()]
    number_of = np.array([columns.setdefault(name, len(columns)) for name in own], np.int64)
    return number_of[place], list(columns)


def _head(source: Source, head: str, line: int) -> tuple[str | None, float, bool]:
    """Return the label, the importance weight, and whether there is more: a tag or an initial prediction."""
    words = head.split()
    tagged = bool(words) and (words[-1].startswith("'") or not head.endswith((" ", "\t")))
    if tagged:
        words.pop()  # a tag has a quote before it or touches the bar
    if not words:
        return None, 1.0, tagged
    numbers = [parsed_number(word) for word in words[1:]]
    if ":" in words[0] or len(words) > 3 or None in numbers:
        raise source.error(
            f"{head.strip()!r} before the '|' is not a label, a weight and a tag",
            f"Lines with costs cannot be read. {_EXAMPLE}",
            line,
        )
    weight = next(iter(numbers), None)
    if weight is not None and weight < 0:
        raise source.error(
            f"the importance weight is {number(weight)}, expected at least 0",
            "Give it a positive weight.",
            line,
        )
    return words[0], 1.0 if weight is None else weight, tagged or len(words) > 2


def write(file: TextIO, examples: Sequence[FeatureLine], place: str, _columns: Any = None) -> list[str]:
    """Write a line for each feature row; returns remarks on what is not as it was."""
    changed = sum(
        any(mark in name for mark in SEPARATORS) for example in examples for name, _ in example.pairs
    )
    remarks = [f"':' and '|' in {changed:,} features became '_'"] if changed else []
    return remarks + _write_lines(file, vowpal_lines(examples), place)


def write_texts(file: TextIO, texts: list[str], labels: list[Any] | None, place: str) -> list[str]:
    """Write the words of texts; what separates words in a line separates them in a text."""
    hit = sum(any(mark in text for mark in SEPARATORS) for text in texts)
    remarks = (
        [f"':' and '|', which separate words in a line, became spaces in {hit:,} of the texts"] if hit else []
    )
    blank = str.maketrans(dict.fromkeys(SEPARATORS, " "))
    words = (["|", *text.translate(blank).split()] for text in texts)
    return remarks + _write_lines(file, zip(labels or repeat(None), words, strict=False), place)


def _write_lines(file: TextIO, lines: Iterable[tuple[Any, Sequence[str]]], place: str) -> list[str]:
    """Write a line for each label and what follows it; returns a remark if the labels are words, too."""
    words = False
    for row, (labels, line) in enumerate(lines, start=1):
        own = labels if isinstance(labels, list) else [labels] if labels else []
        odd = r"[\s:|',]" if len(own) > 1 else r"[\s:|']"
        if wrong := [word for word in own if re.search(odd, word)]:
            raise DataError(
                f"{place}, row {row}: the label {wrong[0]!r} has white space or one of : | ', which no label of a"
                " Vowpal Wabbit line can have" + (", or a comma" if len(own) > 1 else ""),
                "Rename the label.",
            )
        words = words or any(parsed_number(word) is None for word in own)
        file.write(" ".join([",".join(own), *line] if own else line) + "\n")
    return ["the labels are words: Vowpal Wabbit takes them with --named_labels"] if words else []


def vowpal_lines(examples: Iterable[FeatureLine]) -> Iterator[tuple[Any, list[str]]]:
    """Yield labels, weights and words of feature rows, in their namespaces; what no word can hold becomes ``_``."""
    for example in examples:
        line = [number(example.weight)] if example.weight != 1 and example.label else []
        inside = None
        for name, value in example.pairs:
            space, word = _plain(name)
            if space != inside:
                line.append(f"|{space}")
                inside = space
            line.append(word if value == 1 else f"{word}:{number(value)}")
        yield example.label, line if inside is not None else [*line, "|"]


@lru_cache(1 << 18)
def _plain(name: str) -> tuple[str, str]:
    """Return the namespace and the word of a feature."""
    plain = re.sub(r"[:|\s]", "_", name)
    space, _, word = plain.partition("^")
    return (space, word) if space and word else ("", plain)
