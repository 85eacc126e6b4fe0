"""Words of lines as arrays: the same words that Python finds with ``split`` and ``partition``."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lindy.data.formats.feature_lines import parsed_number
from lindy.data.formats.line_words import Words, feature_rows_of

LINES = st.lists(st.text("ab1.:| \té\u00ff", max_size=12), min_size=1, max_size=5)


def words_of(lines: list[str], separators: str) -> list[tuple[int, str]]:
    """Return the words of lines, each with the number of its line."""
    return [
        (number, word)
        for number, line in enumerate(lines)
        for word in re.split(f"[{re.escape(separators)}]", line)
        if word
    ]


def made(lines: list[str], separators: str) -> Words:
    return Words.of("".join(f"{line}\n" for line in lines).encode(), separators.encode())


def texts(words: Words) -> list[str]:
    return [words.text(i) for i in range(len(words.start))]


@given(LINES, st.sampled_from([" ", " \t|", ":"]))
@example(["", "a"], " ")
@example([""], " ")
def test_words_and_their_lines(lines: list[str], separators: str) -> None:
    words = made(lines, separators)
    assert list(zip(words.line.tolist(), texts(words), strict=True)) == words_of(lines, separators)
    starts = words.line_starts(np.arange(len(lines))).tolist()
    assert [words.data[begin:].tobytes().decode() for begin in starts] == [
        "".join(f"{line}\n" for line in lines[i:]) for i in range(len(lines))
    ]
    assert words.lines_at(np.array(starts, np.int64)).tolist() == list(range(len(lines)))
    codes, names = words.numbered()
    assert [names[code] for code in codes.tolist()] == texts(words)
    assert len(set(names)) == len(names)


@given(LINES, st.sampled_from([" ", " \t|", " :"]))
@example(["a"], " ")
@example(["a b:c :d e: f"], " ")
@example([":", "a", "::"], " ")
@example(["a:b", "c"], " :")
def test_words_are_cut_at_a_mark(lines: list[str], separators: str) -> None:
    words = made(lines, separators)
    found = [word for _, word in words_of(lines, separators)]
    before, behind, has = words.cut(":")
    parts = [word.partition(":") for word in found]
    assert has.tolist() == [":" in word for word in found]
    assert texts(before) == [first for first, _, _ in parts]
    assert texts(behind) == [second for _, _, second in parts]
    before, behind, has = words.cut(":", last=True)
    assert has.tolist() == [":" in word for word in found]
    assert texts(before) == [word.rpartition(":")[0] if ":" in word else word for word in found]
    assert texts(behind) == [word.rpartition(":")[2] if ":" in word else "" for word in found]


@given(LINES)
@example(["1 a 1.1 1 1"])
@example([""])
def test_numbers_of_words(lines: list[str]) -> None:
    words = made(lines, " ")
    expected = [parsed_number(word) for _, word in words_of(lines, " ")]
    values = words.parsed(parsed_number).tolist()
    assert [None if np.isnan(value) else value for value in values] == expected


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), min_size=1, max_size=4))
@example([["b"], [], ["b", "c"]])
def test_bags_have_only_the_names_that_occur(rows: list[list[str]]) -> None:
    row = np.array([i for i, words in enumerate(rows) for _ in words], np.int64)
    codes = np.array(["abc".index(word) for words in rows for word in words], np.int64)
    features = feature_rows_of(row, codes, np.arange(len(codes), dtype=np.float64), list("abc"), len(rows))
    assert features.names == sorted({word for words in rows for word in words})
    values = iter(range(len(codes)))
    assert [list(pairs) for pairs in features.pairs()] == [
        [(word, next(values)) for word in words] for words in rows
    ]
