"""Words of all scripts: the core, the path through Python, hashing and the textbook agree; the known cases."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.text_strategies import AWKWARD

from lindy import TextClassifier, _native
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.textbook import text_analysis as textbook

#: letters, vowel signs, joiners, skin tones, letters and tags of flags, symbols, runs of several scripts
SCRIPTS = (
    "ab Cé\u0301_1,.$€™\u200b\u200c\u200d\ufe0f\u20e3😀👩🚀❤♂\U0001f3fd\U0001f1e9\U0001f1ea\U000e0067\U000e007f‼"
    "क्षमताநிகുറ\u0d4dरी한국어你好〇々ひらカナー\u3099ｶﾅสวัสดีນີ້ខ្មែរမြန်မာ你好 ๑２"
)
WORDS, ONE = r"(?u)\b\w\w+\b", r"(?u)\b\w+\b"
texts = st.text(st.one_of(st.sampled_from(SCRIPTS), st.sampled_from(AWKWARD), st.characters(codec=None)))


def made(analyzer: str = "unicode_words", **params: Any) -> CountVectorizer:
    return CountVectorizer(analyzer=analyzer, **params)


def words(text: str, **params: Any) -> list[str]:
    return list(made(**params).build_analyzer()(text))


def as_is(text: str) -> str:
    return text


def drawn(n: int) -> list[str]:
    """Draw strings of all scripts; every code point has its chance."""
    generator = random.Random(7)
    found = []
    for _ in range(n):
        characters = generator.choices(
            generator.choice([SCRIPTS, AWKWARD, "a 好👩\u200d"]), k=generator.randrange(14)
        )
        if generator.random() < 0.5:
            characters.insert(generator.randrange(len(characters) + 1), chr(generator.randrange(0x110000)))
        found.append("".join(characters))
    return found


def counted(vectorizer: Any, rows: Any) -> list[dict[str, int]]:
    names = vectorizer.get_feature_names_out()
    return [
        dict(zip(names[rows.indices[a:b]], rows.values[a:b].astype(int), strict=True))
        for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)
    ]


@pytest.mark.parametrize(
    ("lower", "accents", "least", "punctuation"),
    [(True, None, 2, False), (False, None, 1, True), (True, "unicode", 2, True), (True, "ascii", 1, False)],
)
def test_core_and_textbook_agree(lower: bool, accents: str | None, least: int, punctuation: bool) -> None:
    texts = drawn(5_000)
    vectorizer = made(
        lowercase=lower,
        strip_accents=accents,
        token_pattern=ONE if least == 1 else WORDS,
        punctuation=punctuation,
        ngram_range=(1, 3),
    )
    first = counted(vectorizer, vectorizer.fit_csr(texts))
    again = counted(vectorizer, vectorizer.transform_csr(texts))
    for text, ours, found in zip(texts, first, again, strict=True):
        folded = textbook.fold(text, lower, accents)
        assert ours == found == Counter(textbook.unicode_word_ngrams(folded, 3, least, punctuation)), repr(
            text
        )


@pytest.mark.parametrize("lower", [True, False])
def test_long_texts_with_marks_at_every_place(lower: bool) -> None:
    """Longer than what is folded at once, ASCII with other characters in between; as Python strings and as UTF-8."""
    generator = random.Random(11)
    alphabets = ["aB9_ ", "aB9_ ,.!-~\x7f\x01\n\t", "Ab, éß好👩\u0130", "!?.,;", "Hello, wOrld. "]
    long = [
        "".join(generator.choices(generator.choice(alphabets), k=generator.randrange(300)))
        for _ in range(400)
    ]
    long += [f"{'a' * place}, é{'B' * (130 - place)}!" for place in range(131)]
    vectorizer = made(lowercase=lower, token_pattern=ONE, punctuation=True, ngram_range=(1, 2))
    ours = counted(vectorizer, vectorizer.fit_csr(long))
    assert ours == counted(vectorizer, vectorizer.transform_csr(pa.array(long)))
    for text, found in zip(long, ours, strict=True):
        folded = textbook.fold(text, lower, None)
        assert found == Counter(textbook.unicode_word_ngrams(folded, 2, 1, True)), repr(text)


@given(texts, st.booleans(), st.sampled_from([(1, 1), (1, 2), (2, 3)]), st.sampled_from([None, ["a", "好"]]))
def test_core_and_python_agree(
    text: str, punctuation: bool, ngrams: tuple[int, int], stop_words: list[str] | None
) -> None:
    options: dict[str, Any] = {
        "punctuation": punctuation,
        "token_pattern": ONE if ngrams == (1, 2) else WORDS,
        "ngram_range": ngrams,
        "stop_words": stop_words,
        "lowercase": False,
    }
    corpus = [text, "so so a 好a b bb", "b 好cc b so a bb"]
    native, python = made(**options), made(**options, preprocessor=as_is)
    rows = [counted(v, v.fit_csr(corpus)) for v in (native, python)]
    assert rows[0] == rows[1]
    assert rows[0] == [Counter(native.build_analyzer()(t)) for t in corpus]
    for key in (None, 3):
        hashed = [
            HashingVectorizer(analyzer="unicode_words", key=key, **options, **own).transform_csr(
                [t.encode("utf-8", "ignore").decode() for t in corpus]
            )
            for own in ({}, {"preprocessor": as_is})
        ]
        assert np.array_equal(hashed[0].indices, hashed[1].indices)
        assert np.array_equal(hashed[0].values, hashed[1].values)


def test_every_code_point() -> None:
    text = "".join(map(chr, range(0x110000)))
    expected = "".join(map(textbook.part_of_word, text))
    found = _native.word_parts(text).decode()
    assert [hex(c) for c in range(0x110000) if found[c] != expected[c]] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("क्षमता हिन्दी", ["क्षमता", "हिन्दी"]),  # vowel signs and viramas
        ("می\u200cخواهم", ["می\u200cخواهم"]),  # Persian: a non-joiner within a word
        ("ශ්\u200dරී", ["ශ්\u200dරී"]),  # Sinhala: a joiner within a word
        ("cafe\u0301 I", ["cafe\u0301"]),
        ("👩🏽\u200d🚀👍🏿", ["👩🏽\u200d🚀", "👍🏿"]),
        ("❤️ 🇩🇪🇫🇷", ["❤️", "🇩🇪", "🇫🇷"]),
        ("good👍12€", ["good", "👍", "12", "€"]),
        ("don't, $50", ["don", "50"]),
        ("我爱你", ["我", "爱", "你", "我爱", "爱你", "我爱你"]),
        ("한국어 좋아요", ["한국어", "좋아요"]),
        ("iPhone很好 used", ["iphone", "used", "很", "好", "很好"]),
        ("หมา", ["ห", "ม", "า", "หม", "มา", "หมา"]),
        ("\u0301 \u200d", []),
    ],
)
def test_what_scripts_give(text: str, expected: list[str]) -> None:
    assert words(text) == expected
    assert counted(v := made(), v.fit_csr([text, "so"]))[0] == Counter(expected)


def test_punctuation_is_asked_for() -> None:
    assert words("don't, $5!", punctuation=True, token_pattern=ONE) == ["don", "'", "t", ",", "$", "5", "!"]


def test_word_ngrams_do_not_reach_across_runs() -> None:
    assert words("so bb好cc dd", ngram_range=(2, 2)) == ["so bb", "cc dd"]
    assert words("so a bb", ngram_range=(1, 2)) == ["so", "bb", "so bb"]
    assert words("so a bb", ngram_range=(2, 2), token_pattern=ONE) == ["so a", "a bb"]
    with pytest.raises(ValueError, match="empty vocabulary"):
        made(ngram_range=(2, 2)).fit(["你好"])


def test_stop_words() -> None:
    assert words("the cat 的猫", stop_words=["the", "的"]) == ["cat", "猫", "的猫"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = made(stop_words=["the", "我们"]).fit(["the cat 我们", "cat"])
    assert fitted.get_feature_names_out().tolist() == ["cat", "们", "我"]
    hashed = HashingVectorizer(analyzer="unicode_words", stop_words=["的"])
    assert len(hashed.transform_csr(["的"]).indices) == 0


def test_shapes_are_those_of_words() -> None:
    found = made(shapes=True).fit(["Café 好 👍 हिन्दी"]).get_feature_names_out().tolist()
    assert [term for term in found if term.startswith("<")] == ["<Xx>", "<a>"]


def test_other_options_that_are_not_used_are_named() -> None:
    with pytest.warns(UserWarning, match="tokenizer"):
        made(tokenizer=str.split).fit(["so so"])
    with pytest.raises(ValueError, match="how short a word may be; got '\\[a-z\\]'"):
        made(token_pattern="[a-z]").fit(["so so"])
    with pytest.raises(ValueError, match="unicode_words"):
        made(analyzer="unicode").fit(["a b"])


def test_terms_in_parts_equal_terms_at_once() -> None:
    corpus = ["你好 a b", "a好 b👍", "สวัสดี"]
    whole, parts = made(ngram_range=(1, 2)).fit(corpus), made(ngram_range=(1, 2))
    for text in corpus:
        parts.partial_fit([text])
    assert parts.vocabulary_ == whole.vocabulary_


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_saved_and_loaded(kind: Any) -> None:
    corpus = ["你好 a b 👍", "हिन्दी a好", "สวัสดี"]
    vectorizer = kind(analyzer="unicode_words", punctuation=True, ngram_range=(1, 2)).fit(corpus)
    loaded = vectorizer_from_state(*vectorizer.to_state())
    ours, theirs = vectorizer.transform_csr(corpus), loaded.transform_csr(corpus)
    assert np.array_equal(ours.indices, theirs.indices)
    assert np.array_equal(ours.values, theirs.values)


def test_explanations_point_at_the_text() -> None:
    corpus = ["很好 Good👍", "不好 bad", "很好吃 good", "真不好 bad"]
    vectorizer = TfidfVectorizer(analyzer="unicode_words", ngram_range=(1, 2))
    model = TextClassifier(learner="svm", vectorizer=vectorizer).fit(corpus, [1, 0, 1, 0])
    text = "Good👍很好"
    columns = model.vectorizer_.transform_csr([text]).indices.astype(np.int64)
    names = model.vectorizer_.names_of(columns)
    spelt = [
        (names[f], text[o.spans[a, 0] : o.spans[b - 1, 1]])
        for o in model.vectorizer_.occurrences(text, columns)
        for f, a, b in zip(o.feature.tolist(), o.first.tolist(), o.last.tolist(), strict=True)
    ]
    pieces = [piece.text for piece in model.explain("很好, Good👍").segments()]
    assert pieces == ["很", "好", ", ", "Good", "👍"]
    assert sorted(spelt) == sorted(
        [("good", "Good"), ("👍", "👍"), ("good 👍", "Good👍"), ("很", "很"), ("好", "好"), ("很好", "很好")]
    )
