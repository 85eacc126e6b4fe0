"""Vowpal Wabbit lines: ``label weight 'tag |namespace word word:value |other word``.

The tag and the initial prediction are read over. As a text, a row is the words of all its namespaces; as a bag, words of
a named namespace are called ``namespace^word``, as the program itself writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TextIO

from lindy.bags import number
from lindy.data.bags import Bag, parsed_number
from lindy.data.lines import text_lines
from lindy.data.source import Source
from lindy.errors import DataError

SEPARATORS = ":|"  # of a line: no word can hold them
_EXAMPLE = "Expected a line such as 'positive | a fine book' or '1 |text fine:2 book'."


def vowpal_bags(source: Source, spaces: bool = True) -> Iterator[Bag]:
    """Yield the lines as bags; with ``spaces``, words are called by their namespace, too."""
    for line, text in enumerate(text_lines(source), start=1):
        if text.strip():
            yield _bag(source, line, text, spaces)


def _bag(source: Source, line: int, text: str, spaces: bool) -> Bag:
    head, *sections = text.split("|")
    if not sections:
        raise source.error("there is no '|' between the label and the words", _EXAMPLE, line)
    pairs: list[tuple[str, float]] = []
    for section in sections:
        words = re.split("[ \t]+", section)
        space, _, scale = words[0].partition(":")
        factor = parsed_number(scale) if scale else 1.0
        if factor is None:
            raise source.error(f"'|{words[0]}': the weight of the namespace is not a number", _EXAMPLE, line)
        prefix = f"{space}^" if spaces and space else ""
        for word in filter(None, words[1:]):
            if ":" not in word:
                pairs.append((prefix + word, factor))
                continue
            name, _, value = word.partition(":")
            amount = parsed_number(value)
            if not name or amount is None:
                what = "there is no name" if not name else "the value is not a number"
                raise source.error(f"{word!r}: {what}", _EXAMPLE, line)
            pairs.append((prefix + name, amount * factor))
    label, weight = _head(source, line, head)
    return Bag(line, label, pairs, weight)


def _head(source: Source, line: int, head: str) -> tuple[str | None, float]:
    """Return the label and the importance weight."""
    words = head.split()
    if words and (words[-1].startswith("'") or not head.endswith((" ", "\t"))):
        words.pop()  # a tag has a quote before it or touches the bar
    if not words:
        return None, 1.0
    numbers = [parsed_number(word) for word in words[1:]]
    if ":" in words[0] or len(words) > 3 or None in numbers:
        raise source.error(
            f"{head.strip()!r} before the '|' is not a label, a weight and a tag",
            f"Lines with costs or several labels cannot be read. {_EXAMPLE}",
            line,
        )
    weight = next(iter(numbers), None)
    if weight is not None and weight < 0:
        raise source.error(
            f"the importance weight is {number(weight)}, expected at least 0", "Give it a positive weight.", line
        )
    return words[0], 1.0 if weight is None else weight


def write_vowpal(file: TextIO, lines: Iterable[tuple[str | None, Sequence[str]]], place: str) -> list[str]:
    """Write a line for each label and what follows it; returns a remark if the labels are words, too."""
    words = False
    for row, (label, line) in enumerate(lines, start=1):
        if label and re.search(r"[\s:|']", label):
            raise DataError(
                f"{place}, row {row}: the label {label!r} has white space or one of : | ', which no label of a"
                " Vowpal Wabbit line can have",
                "Rename the label.",
            )
        words = words or (bool(label) and parsed_number(label or "") is None)
        file.write(" ".join([label, *line] if label else line) + "\n")
    return ["the labels are words: Vowpal Wabbit takes them with --named_labels"] if words else []


def word_lines(texts: Iterable[str], labels: Iterable[str | None]) -> Iterator[tuple[str | None, list[str]]]:
    """Yield labels and words of texts; what separates words in a line separates them in a text."""
    blank = str.maketrans(dict.fromkeys(SEPARATORS, " "))
    return ((label, ["|", *text.translate(blank).split()]) for text, label in zip(texts, labels, strict=True))


def bag_lines(bags: Iterable[Bag]) -> Iterator[tuple[str | None, list[str]]]:
    """Yield labels, weights and words of bags, in their namespaces; what no word can hold becomes ``_``."""
    for bag in bags:
        line = [number(bag.weight)] if bag.weight != 1 and bag.label else []
        inside = None
        for name, value in bag.pairs:
            space, word = _plain(name)
            if space != inside:
                line.append(f"|{space}")
                inside = space
            line.append(word if value == 1 else f"{word}:{number(value)}")
        yield bag.label, line if inside is not None else [*line, "|"]


@lru_cache(1 << 18)
def _plain(name: str) -> tuple[str, str]:
    """Return the namespace and the word of a feature."""
    plain = re.sub(r"[:|\s]", "_", name)
    space, _, word = plain.partition("^")
    return (space, word) if space and word else ("", plain)
