"""No token pattern hangs, and tokens are those of Python's ``re``."""

from __future__ import annotations

import contextlib
import pickle
import re
import subprocess
import sys
import unicodedata

import numpy as np
import pytest
import sklearn.feature_extraction.text
from hypothesis import given
from hypothesis import strategies as st

from lindy.errors import DataError
from lindy.features import PatternVectorizer
from lindy.text import CountVectorizer, HashingVectorizer
from lindy.text.analysis.token_pattern import TokenPattern

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
TEXTS = [
    "The state-of-the-art isn't 3,14 or 1.000 ... a_b C3PO !?",
    "Ünïcödé naïve ² ½ ß ſ K k ٣٤ 日本語 a\u0301e\u0301 हिन्दी की किताब ไทย \x1c\u3000\u200b tab\tend",
    "x{2} [a] [[b]] 😀👍🏽 a-b--c ''",
    "",
]


@pytest.mark.parametrize("pattern", ENDLESS)
def test_patterns_that_would_never_end_end(pattern: str) -> None:
    tokenize = TokenPattern(f"(?:{pattern})")
    for text in (
        "a" * 60 + "!",
        "ab" * 1500 + "?",
        "1" * 60 + "a",
        "1." * 40 + "a",
        "a-" * 40 + "?",
        "я" * 60,
    ):
        with contextlib.suppress(DataError):  # that says that the limit was reached
            tokenize(text)


def test_a_text_that_takes_too_long_is_named_with_the_pattern() -> None:
    texts = ["fine", "a" * 5000]
    for vectorizer in (
        CountVectorizer(token_pattern="(?:a|aa)+b"),
        HashingVectorizer(token_pattern="(?:a|aa)+b"),
    ):
        with pytest.raises(
            DataError, match=r"document 1: the pattern '\(\?:a\|aa\)\+b' takes more than 1\.1 s"
        ):
            vectorizer.fit_transform(texts)
    with pytest.raises(DataError, match="document 1: the pattern"):
        PatternVectorizer(patterns={"own": "(?:a|aa)+b"}).fit_transform(texts)


COMMON = [
    *(
        r"\b\w+(?:[-']\w+)*\b",
        r"(?u)\b\w+(?:-\w+)*",
        r"(?:[^\W\d_]+[-'])*[^\W\d_]+",
        r"(?:\S+\s)*\S+",
        r"(?:[\W\d])+",
    ),
    *(
        r"(?i)(?:[a-zß]x)+",
        r"(?i)(?:k|s)+",
        r"(?:x{2}|x\{2\}|a{b)+",
        r"(?:[a[\]])+",
        r"(?:[^\S\n])+",
        r"(?:\B\w)+",
        r"(?a)(?:\w)+",
    ),
    *(
        r"(?:x?)*",
        r"(?x) (\w+) # [words]",
        r"(\w)+",
        r"(?:(a)|b)+",
        r"\w{2,3}(?:\.\d){1,2}",
        r"(?:\d+(?:[.,]\d+)*|\w+|[^\w\s])+",
    ),
]


@pytest.mark.parametrize("pattern", [*SOUND, *COMMON])
def test_tokens_are_those_of_re(pattern: str) -> None:
    for text in TEXTS:
        assert TokenPattern(pattern)(text) == re.compile(pattern).findall(text)
        spans = [match.span() for match in TokenPattern(pattern).matches(text)]
        assert spans == [match.span() for match in re.compile(pattern).finditer(text)]


@pytest.mark.parametrize("pattern", [p for p in COMMON if p not in (r"(?:x?)*",)])
@given(
    text=st.text(
        st.one_of(
            st.sampled_from("ab1x -'.,_ßſKk²½\u0301\u0660\x1c\x85\n[{}]"), st.characters(codec="utf-8")
        ),
        max_size=30,
    )
)
def test_tokens_of_any_text_are_those_of_re(pattern: str, text: str) -> None:
    known = "".join(c for c in text if unicodedata.category(c) != "Cn")  # newer Unicode knows more letters
    assert TokenPattern(pattern)(known) == re.compile(pattern).findall(known)


def test_vectorizers_with_a_repeated_group_count_as_scikit_learn_does() -> None:
    pattern = r"(?u)\b\w+(?:[-']\w+)*\b"
    theirs = sklearn.feature_extraction.text.CountVectorizer(token_pattern=pattern)
    ours = pickle.loads(pickle.dumps(CountVectorizer(token_pattern=pattern)))
    np.testing.assert_array_equal(ours.fit_transform(TEXTS).toarray(), theirs.fit_transform(TEXTS).toarray())
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_the_time_limited_engine_is_imported_for_repeated_groups_only() -> None:
    code = (
        "import sys; from lindy.text import CountVectorizer\n"
        "CountVectorizer(token_pattern={!r}).fit(['a-b']); print('regex' in sys.modules)"
    )
    for pattern, needed in ((r"[a-z]+", "False"), (r"\w+|[^\w\s]", "False"), (r"\w+(?:-\w+)*", "True")):
        shown = subprocess.check_output([sys.executable, "-c", code.format(pattern)], text=True)
        assert shown.strip() == needed
