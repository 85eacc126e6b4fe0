"""Token patterns that may never end are known beforehand, and only those."""

from __future__ import annotations

import re
import time

import pytest

from lindy.text import CountVectorizer
from lindy.text.patterns import is_endless

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
]
HARD = [
    "a" * 24 + "!",
    "ab" * 12 + "?",
    "1" * 24 + "a",
    "x" * 24 + " ",
    "1." * 12 + "a",
    "a " * 12 + "-",
    "a-" * 12 + "?",
]


@pytest.mark.parametrize("pattern", ENDLESS)
def test_endless_patterns_are_refused(pattern: str) -> None:
    assert is_endless(pattern)
    with pytest.raises(ValueError, match="exponentially many ways"):
        CountVectorizer(token_pattern=f"(?:{pattern})").fit(["some text"])


@pytest.mark.parametrize("pattern", SOUND)
def test_sound_patterns_are_taken_and_are_fast(pattern: str) -> None:
    assert not is_endless(pattern)
    compiled = re.compile(pattern)
    begin = time.process_time()
    for text in HARD:
        compiled.findall(text)
    assert time.process_time() - begin < 0.5
