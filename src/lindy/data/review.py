"""``.review`` lines: ``word:count two_words:count … #label#:positive``, a bag of words per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TextIO

from lindy.bags import number
from lindy.data.bags import Bag, parsed_number, summed
from lindy.data.lines import text_lines
from lindy.data.source import Source
from lindy.errors import DataError

LABEL = "#label#"
_EXAMPLE = f"Expected a line such as 'fine:2 fine_book:1 {LABEL}:positive'."


def review_bags(source: Source) -> Iterator[Bag]:
    """Yield the lines as bags."""
    for line, text in enumerate(text_lines(source), start=1):
        if text.strip():
            yield _bag(source, line, text)


def _bag(source: Source, line: int, text: str) -> Bag:
    label = None
    pairs = []
    for word in text.split():
        name, _, value = word.rpartition(":")
        if name == LABEL:
            if label is not None or not value:
                what = "the label is empty" if not value else "there are two labels"
                raise source.error(f"{word!r}: {what}", _EXAMPLE, line)
            label = value
            continue
        amount = 1.0 if value == "1" else parsed_number(value)
        if not name or amount is None:
            raise source.error(f"{word!r} is not word:count", _EXAMPLE, line)
        pairs.append((name, amount))
    return Bag(line, label, pairs)


def write_review(file: TextIO, bags: Iterable[Bag], place: str) -> list[str]:
    """Write a line for each bag; returns no remarks."""
    for row, bag in enumerate(bags, start=1):
        total = summed(bag)
        label = bag.label or ""
        wrong = label if not _fits(label) or ":" in label else next((n for n in total if not _fits(n)), None)
        if wrong is not None:
            raise DataError(
                f"{place}, row {row}: {wrong!r} cannot be written in a .review line",
                "Rename it: features and labels have no white space, and labels no colon.",
            )
        words = [f"{name}:{number(value)}" for name, value in total.items()]
        words += [f"{LABEL}:{bag.label}"] if bag.label is not None else []
        file.write(" ".join(words) + "\n")
    return []


@lru_cache(1 << 18)
def _fits(word: str) -> bool:
    return word != LABEL and not re.search(r"\s", word)
