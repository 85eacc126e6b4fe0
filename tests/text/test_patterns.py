"""Token patterns that may never end are known beforehand, and only those."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest

from lindy.text import CountVectorizer
from lindy.text.regex_safety import is_endless

ENDLESS = [
    *(r"(\w+)+", r"(a+)+b", r"(a|a)*b", r"(\w*)*", r"((ab)+)+", r"(?:\w+\s?)+$", r"(x+x+)+y", r"([a-z]+)*1"),
    *(
        r"(?:\w+|\d+)+x",
        r"(?:\d+\.?)+\b",
        r"(a|aa)+$",
        r"(?:a?b?)*c",
        r"((a{2,5})+)+",
        r"(?:\w+-?)*!",
        r"(.*)*x",
    ),
    *(r"(?:я+)+!", r"(?:é|éé)+x", r"(?:[а-м]|[г-я]x?)+!", r"(?i:k|Kk)+x"),  # letters of the pattern itself
    *(r"(?=(?:a+)+b)\w+", r"(?!(?:a+)+b)\w", r"(?>(?:a+)+b)", r"(?:(?:a+)+b)++", r"x(?:y(?=(?:a+)+b))*"),
    *(r"(?:a?){30}a{30}", r"(?:\w|\w\w){1,40}x", r"(?:\w{1,3}){1,40}x", r"(?:\w+){1,40}x"),  # counted
    *(r"(?:(?:\b){0,20}){25}x", r"(?:a*|b*){25}x"),  # ways to read nothing
    *(r"(?:(?:\w{1,3}){1,5}){1,5}x", r"(?:(?>\w\w)|\d)+x", r"(?:ab|ab)+c", r"(?:(?:a?)*b)+c"),
]
SOUND = [
    *(
        r"(?u)\b\w\w+\b",
        r"\w+",
        r"(\w)\w+",
        r"\b\w+(?:[-']\w+)*\b",
        r"[^\s]+",
        r"\w(?=a)",
        r"(?:ab|ac)+",
        r"\S+",
        "",
    ),
    *(
        r"(?:\b\w+\b\s*)+",
        r"(?:\w+\s)+",
        r"#\w+|@\w+|\w+",
        r"[A-Za-z]+(?:'[a-z]+)?",
        r"\d+(?:[.,]\d+)*|\w+|[^\w\s]",
    ),
    *(
        r"(?:https?://)?(?:\w+\.)+\w+",
        r"(?:(?:\w+)-)*\w+",
        r"(?:\d{1,3},)*\d{3}",
        r"(\w|\d)+x",
        r"(?i:(k|K))+x",
    ),
    *(
        r"[a-z]+(?:'[a-z]+)?",
        r"(?:#|@)?\w+",
        r"(?:[A-Z]\.)+",
        r"(?:\w+\s?){1,3}",
        r"(?:a?)*b",
        r"(?:a?){0,30}a",
    ),
    *("😀|😁|👍🏽|👍|❤️", "(?:😀|😁|👍🏽|👍|❤️)+", r"(?:\d{1,3},){1,40}\d", r"\w{1,5000}", r"(?>a|aa)+x"),
    *(r"(?:\w+,++)+", r"(?:[a-z]++-?)+", r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}"),
    "(?:" + "|".join(["a" * 900 + "b", "a" * 900 + "c", "d"]) + ")+",
]
HARD = [  # a pattern with two ways to read each character would try them for years
    "a" * 80 + "!",
    "ab" * 40 + "?",
    "1" * 80 + "a",
    "x" * 80 + " ",
    "1." * 40 + "a",
    "a " * 40 + "-",
    "a-" * 40 + "?",
    "1" * 80 + ",",
    "11." * 27 + "a",
]


@pytest.mark.parametrize("pattern", ENDLESS)
def test_endless_patterns_are_refused(pattern: str) -> None:
    assert is_endless(pattern)
    with pytest.raises(ValueError, match="exponentially many ways"):
        CountVectorizer(token_pattern=f"(?:{pattern})").fit(["some text"])


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", SOUND)
def test_sound_patterns_are_taken_and_end(pattern: str) -> None:
    assert not is_endless(pattern)
    compiled = re.compile(pattern)
    for text in HARD:
        compiled.findall(text)


def calls_during(work: Callable[[], object]) -> int:
    """Return how many functions are called while some work is done."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("pattern", [r"{}", r"(?:{})+", r"(?:{})(?:-(?:{}))*"])
def test_the_work_for_a_dictionary_grows_with_its_words(pattern: str) -> None:
    def work(n_words: int) -> int:
        words = "|".join(rf"\bword{i}\b" for i in range(n_words))
        return calls_during(lambda: is_endless(pattern.replace("{}", words)))

    assert not is_endless(pattern.replace("{}", r"\bword1\b|\bword2\b"))
    assert work(1000) < 3 * work(500)  # twice for twice the words; pairs of words would make it four times
