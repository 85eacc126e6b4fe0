"""Patterns and lexicons: native and textbook agree, and both stand beside words in a model."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lindy
from lindy import TextClassifier
from lindy.explain import inspect
from lindy.features import LexiconVectorizer, PatternVectorizer
from lindy.features.pattern_counts import PATTERNS
from lindy.text import CountVectorizer, UnionVectorizer, vectorizer_from_state
from lindy.textbook.text_patterns import places

PIECES = [
    *"$£€  .,:!?@#%-+_/\n()';=",
    *("5", "12", "30", "007", "12345", "a", "aaa", "AB", "Ab", "D", "P", "ß", "É", "ǅ", "²", "日", "٣", "İ"),
    *("http", "https", "www", "HTTP", "://", "dollars", "Euro", "usd", "ann", "example", "org", "ſ", "K"),
]
texts = st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=20))


@given(texts)
@settings(max_examples=400)
def test_places_as_in_the_textbook(text: str) -> None:
    expected = places(text)
    assert set(expected) == set(PATTERNS)
    found = dict(zip(PATTERNS, PatternVectorizer().places(text), strict=True))
    assert {name: sorted(own) for name, own in found.items()} == {
        name: sorted(own) for name, own in expected.items()
    }
    counts = PatternVectorizer(values="counts", length=None).transform([text]).toarray()[0].tolist()
    assert counts == [len(expected[name]) for name in PATTERNS]


@pytest.mark.parametrize(
    ("name", "text", "matches"),
    [
        ("money", "$500, £ 20, 9,99 €, 5 dollars", ["$500", "£ 20", "99 €", "5 dollars"]),
        ("money", "3 USD and $5 dollars, 5 $10", ["3 USD", "$5", "$10"]),
        ("capitals", "WIN a TV, Now, I, ÉTÉ, A1", ["WIN", "TV", "ÉTÉ"]),
        ("url", "see http://a.b/c?d and WWW.x.org, https://", ["http://a.b/c?d", "WWW.x.org,"]),
        ("email", "ann.b+c@mail.example.org, @ann, a@b", ["ann.b+c@mail.example.org"]),
        ("mention", "@ann mail a@b.cd", ["@ann"]),
        ("number", "42, 3.14 1,000,000 v2 7.", ["42", "3.14", "1,000,000", "7"]),
        ("long_number", "1234 12345 123456", ["12345", "123456"]),
        ("percent", "20% 30 % 40  % x%", ["20%", "30 %"]),
        ("time", "9:30 12:05:59 123:45 1:2", ["9:30", "12:05"]),
        ("repeated", "what?! no!!! hm... ok. !", ["?!", "!!!", "..."]),
        ("elongated", "sooo goood good 111 BOOO", ["sooo", "goood", "BOOO"]),
        ("emoticon", ":-) ;P =( a:) http://x :)x", [":-)", ";P", "=("]),
        ("hashtag", "#free a#b # x ##y", ["#free", "#y"]),
        ("mixed", "v1agra mp3 2nd 42 abc", ["v1agra", "mp3", "2nd"]),
        ("exclamation", "a! b!!", ["!", "!", "!"]),
        ("question", "why?", ["?"]),
    ],
)
def test_what_the_patterns_are(name: str, text: str, matches: list[str]) -> None:
    (found,) = PatternVectorizer(patterns=[name]).places(text)
    assert [text[begin:end] for begin, end in found] == matches


def test_values_names_and_threads() -> None:
    found = ["WIN $5 and $6", "nothing", ""] * 50
    vectorizer = PatternVectorizer(patterns=["capitals", "money"], length=None)
    assert vectorizer.get_feature_names_out().tolist() == ["pattern=capitals", "pattern=money"]
    np.testing.assert_allclose(vectorizer.transform(found).toarray()[0], np.log1p([1, 2]), rtol=1e-6)
    presence = PatternVectorizer(patterns=["capitals", "money"], values="presence", length=None)
    assert presence.transform(pa.chunked_array([found])).toarray()[:3].tolist() == [[1, 1], [0, 0], [0, 0]]
    one, two = (PatternVectorizer(n_jobs=n).transform(found).toarray() for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert vectorizer.transform([b"$5"]).toarray()[0, 1] > 0
    assert vectorizer.transform([]).shape == (0, 2)


def test_rows_have_one_length() -> None:
    found = ["WIN $5 and $6!!!", "nothing", "9 lives"]
    for own in (PatternVectorizer(), PatternVectorizer(values="counts", length=0.25), LexiconVectorizer()):
        lengths = np.linalg.norm(own.transform([*found, "good"]).toarray(), axis=1)
        np.testing.assert_allclose(lengths[lengths > 0], 0.25, rtol=1e-6)
    long = PatternVectorizer(length=2.0).transform(found).toarray()
    np.testing.assert_allclose(np.linalg.norm(long, axis=1), [2, 0, 2], rtol=1e-6)


def test_patterns_of_your_own() -> None:
    own = PatternVectorizer(patterns={"isbn": r"\b97[89]\d{10}\b"}, values="counts", length=None)
    assert own.get_feature_names_out().tolist() == ["pattern=isbn"]
    assert own.transform(["9783161484100 and 9783161484101", "no"]).toarray().tolist() == [[2], [0]]
    assert own.places("x 9783161484100") == [[(2, 15)]]
    with pytest.raises(ValueError, match="cannot be saved"):
        own.to_state()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patterns": ["monney"]}, "no pattern is called 'monney'"),
        ({"patterns": []}, "different names"),
        ({"patterns": ["url", "url"]}, "different names"),
        ({"patterns": "url"}, "'patterns' parameter"),
        ({"values": "many"}, "'values' parameter"),
        ({"length": 0}, "'length' parameter"),
    ],
)
def test_parameters_that_cannot_be(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PatternVectorizer(**options).fit([])


def test_texts_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="string object received"):
        PatternVectorizer().transform("one text")
    with pytest.raises(lindy.DataError, match="document 1 is NoneType"):
        PatternVectorizer().transform(["a", None])
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xff")]
    )
    with pytest.raises(ValueError, match="document 0 is not valid UTF-8"):
        PatternVectorizer().transform(broken)


def test_long_texts_take_linear_time() -> None:
    for piece in ("www.", "a@", "1.", "1,a", "$1", "!?", ":-", "@", "12:30:", "a.b@c.", "#"):
        PatternVectorizer().transform([piece * 200_000])


words = st.lists(st.sampled_from(["good", "bad", "well", "done", "not", "GOOD", "a"]), max_size=8).map(
    " ".join
)


@given(st.lists(words, min_size=1, max_size=4), st.sampled_from(["counts", "presence", "log"]))
def test_lexicons_count_words_and_phrases(found: list[str], values: str) -> None:
    lists = {"praise": ["Good", "well done"], "negation": ["not"], "all": ["good", "bad", "a"]}
    X = LexiconVectorizer(lexicons=lists, values=values, length=None).transform(found).toarray()
    for text, row in zip(found, X, strict=True):
        tokens = text.lower().split()
        pairs = list(pairwise(tokens))
        n = np.array(
            [
                tokens.count("good") + pairs.count(("well", "done")),
                tokens.count("not"),
                sum(token in ("good", "bad", "a") for token in tokens),
            ]
        )
        expected = {"counts": n, "presence": n > 0, "log": np.log1p(n)}[values]
        np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_the_lists_that_come_with_lindy() -> None:
    own = LexiconVectorizer(values="counts", length=None)
    assert own.get_feature_names_out().tolist() == ["lexicon=positive", "lexicon=negative"]
    assert own.transform(["a wonderful book", "terrible, just terrible"]).toarray().tolist() == [
        [1, 0],
        [0, 2],
    ]


@pytest.mark.parametrize(
    ("lexicons", "message"),
    [
        ({}, "at least one lexicon"),
        ({"x": []}, "'x' has no words"),
        ({"x": ["!!"]}, "'x' has no words"),
        ({"x": "good"}, "must be a list of words"),
        ({"x": ["a b c d e f g h i j k"]}, "more than 10 words"),
        (["good"], "'lexicons' parameter"),
    ],
)
def test_lexicons_that_cannot_be(lexicons: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LexiconVectorizer(lexicons=lexicons).fit([])


SPAM = ["WIN $500 now!!!", "lunch at noon?", "only $9 today!!", "see you tomorrow"] * 10
LABELS = ["spam", "ham"] * 20


@pytest.mark.parametrize("learner", ["auto", "maxent", "naive-bayes"])
def test_beside_words_in_a_model(learner: str, tmp_path: Any) -> None:
    extra = [PatternVectorizer(), LexiconVectorizer()]
    model = TextClassifier(learner=learner, extra=extra).fit(SPAM, LABELS)
    names = model.vectorizer_.get_feature_names_out().tolist()
    assert {"pattern=money", "lexicon=positive"} <= set(names)
    assert model.predict(["unheard of: $77!!!"]).tolist() == ["spam"]
    assert "patterns and lexicons" in model.recipe_
    assert [feature.name for feature in inspect(model, feature="pattern=money").features] == ["pattern=money"]
    model.save(tmp_path / "m.lindy")
    loaded = lindy.load(tmp_path / "m.lindy")
    np.testing.assert_array_equal(loaded.decision_function(SPAM), model.decision_function(SPAM))
    explanation = loaded.explain("only $77 for lunch")
    features = {feature.name: feature for feature in explanation.features()}
    assert features["pattern=money"].spans == ((5, 8),)
    assert explanation.summed_decision == pytest.approx(explanation.decision)


def test_patterns_of_the_texts_of_a_table() -> None:
    rows = [{"subject": text, "n": i % 3} for i, text in enumerate(SPAM)]
    columns = {"text": ["subject"], "numeric": ["n"]}
    for learner in ("auto", "maxent"):
        model = TextClassifier(learner=learner, columns=columns, extra=[PatternVectorizer()]).fit(
            rows, LABELS
        )
        assert "subject:pattern=money" in model.vectorizer_.get_feature_names_out().tolist()
        for name in ("subject:pattern=money", "pattern=money"):
            assert [feature.name for feature in inspect(model, feature=name).features] == [
                "subject:pattern=money"
            ]
        assert model.score(rows, LABELS) == 1


def test_saved_and_read_again() -> None:
    for own in (
        PatternVectorizer(patterns=["url", "mixed"], values="counts", length=None),
        LexiconVectorizer(lexicons={"praise": ["good", "well done"], "blame": ["bad"]}),
        UnionVectorizer(vectorizers=[("", CountVectorizer(vocabulary=["a"])), ("", PatternVectorizer())]),
    ):
        loaded = vectorizer_from_state(*own.fit(SPAM).to_state())
        np.testing.assert_array_equal(loaded.transform(SPAM).toarray(), own.transform(SPAM).toarray())
        assert loaded.get_feature_names_out().tolist() == own.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    "config",
    [
        {"kind": "patterns", "patterns": ["exec"], "values": "log"},
        {"kind": "patterns", "patterns": {"own": "(a+)+"}, "values": "log"},
        {"kind": "patterns", "patterns": ["url"], "values": 3},
        {"kind": "patterns", "patterns": ["url"], "values": "log", "length": -1},
        {"kind": "lexicons", "names": None, "values": "log"},
        {"kind": "lexicons", "names": ["x"], "values": "log"},
        {"kind": "lexicons", "names": [], "values": "log"},
    ],
)
def test_unsound_saved_patterns_and_lexicons(config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"pattern|lexicon|values|length|saved"):
        vectorizer_from_state(config, {})
