"""The JavaScript cuts every text into the features of the library, with the same values to the last bit."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import lindy
from lindy import features, text
from lindy.errors import ExportError
from lindy.text.analysis.analyzer import shape as as_shape
from lindy.text.analysis.analyzer import strip_accents_ascii, strip_accents_unicode
from lindy.web.export.vectorizers import Characters, vectorizer_header
from tests.explain.representations import REPRESENTATIONS, SIGNED
from tests.hostile.strings import settings, strings
from tests.text.text_strategies import texts as awkward_texts
from tests.vectorizers import MADE
from tests.web.exported import Node, as_javascript_has_it, assert_same_rows

pytestmark = pytest.mark.needs_system("node")

SAMPLE = 500
VARIED = (
    range(0x3400),
    range(0xA490, 0xAC00),
    range(0xF900, 0x12000),
    range(0x1D000, 0x1FC00),
)  # no ideographs
WORD = re.compile(r"\w")
TEXTS = [as_javascript_has_it(own) for _, own in strings(2 * SAMPLE, seed=5)]
WHOLE = [own.encode("utf-8", "replace").decode() for own in TEXTS[:SAMPLE]]  # a file holds no half characters
LABELS = ["even", "odd"] * SAMPLE
EXPORTED = {
    *("bm25", "count", "hashing", "lexicons", "log-count-ratio", "patterns", "table", "tfidf", "union"),
}
OWN_CODE = {"own tokenizer", "own pattern", "own analyzer"}
MORE = {
    "bm25": lambda: text.Bm25Vectorizer(ngram_range=(1, 2), analyzer="unicode_words"),
    "bm25 without a norm": lambda: text.Bm25Vectorizer(norm=None, idf="robertson"),
    "log-count ratios": lambda: text.LogCountRatioVectorizer(norm="max"),
    "norm 1": lambda: text.TfidfVectorizer(norm="l1", use_idf=False, analyzer="char_wb", ngram_range=(3, 3)),
    "greatest norm": lambda: text.TfidfVectorizer(norm="max", strip_accents="unicode"),
    "keyed hashes": lambda: text.HashingVectorizer(n_features=1000, key=7, ngram_range=(1, 3)),
    "hashes, a power of two": lambda: text.HashingVectorizer(n_features=2**10, analyzer="unicode_words"),
    "subwords": lambda: text.TfidfVectorizer(analyzer="bpe", n_merges=300, ngram_range=(1, 2)),
    "all subwords": lambda: text.CountVectorizer(
        analyzer="bpe", n_merges=40, punctuation=True, token_pattern=r"\w+", lowercase=False
    ),
    "patterns": features.PatternVectorizer,
    "counted patterns": lambda: features.PatternVectorizer(
        patterns=["money", "mixed"], values="counts", length=None
    ),
    "lexicons": lambda: features.LexiconVectorizer(
        lexicons={"a": ["the cat", "cats"], "b": ["ß", "ab"]}, values="presence"
    ),
}


def fitted(vectorizer: Any, learner: str = "perceptron") -> lindy.TextClassifier:
    """Return a model of the first half of the texts."""
    model = lindy.TextClassifier(learner=learner, vectorizer=vectorizer, calibration="none")
    return model.fit(WHOLE, LABELS[:SAMPLE])


def test_all_kinds_of_vectorizers_are_exported_or_refused_with_a_reason() -> None:
    exported = set()
    for kind, (vectorizer, examples) in MADE.items():
        own = vectorizer.fresh()
        own.fit(examples, np.array([0, 1, 0, 1, 0]))
        try:
            vectorizer_header(own, Characters())
            exported.add(kind)
        except ExportError as refused:
            assert f"features of {own.class_name} cannot be exported: " in str(refused)  # noqa: PT017
            assert refused.hint  # noqa: PT017
    assert exported == EXPORTED


@pytest.mark.parametrize("params", settings(), ids=lambda own: "-".join(map(str, own.values())))
def test_every_setting_of_the_analysis(params: dict[str, Any], node: Node) -> None:
    assert_same_rows(node, fitted(text.CountVectorizer(**params)), TEXTS[:SAMPLE:2] + TEXTS[SAMPLE::2])


@pytest.mark.parametrize("name", [*REPRESENTATIONS, *SIGNED, *MORE])
def test_every_representation(name: str, node: Node) -> None:
    model = fitted({**REPRESENTATIONS, **SIGNED, **MORE}[name]())
    if name in OWN_CODE:
        with pytest.raises(ExportError, match="made by Python code or by a token pattern of its own"):
            vectorizer_header(model.vectorizer_, Characters())
        return
    assert_same_rows(node, model, TEXTS[:100] + TEXTS[SAMPLE:])


BOTH = (
    ("words", text.TfidfVectorizer(analyzer="unicode_words", ngram_range=(1, 2), punctuation=True)),
    ("chars", text.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)),
    ("", features.PatternVectorizer()),
)


@hypothesis_settings(max_examples=150)
@given(st.lists(awkward_texts.map(as_javascript_has_it), min_size=1, max_size=20))
def test_texts_that_hypothesis_makes(node: Node, drawn: list[str]) -> None:
    assert_same_rows(node, union(), drawn)


def union(made: list[lindy.TextClassifier] = []) -> lindy.TextClassifier:  # noqa: B006
    """Return a model of words, characters and patterns, made once."""
    if not made:
        made.append(fitted(text.UnionVectorizer(vectorizers=list(BOTH))))
    return made[0]


@pytest.mark.parametrize(
    ("lower", "accents"), [(True, None), (False, None), (True, "unicode"), (True, "ascii")]
)
def test_every_character_is_what_python_says(lower: bool, accents: str | None, node: Node) -> None:
    vectorizer = text.CountVectorizer(lowercase=lower, strip_accents=accents, shapes=True)
    model = lindy.TextClassifier(learner="perceptron", vectorizer=vectorizer, calibration="none")
    model.fit(["ab cd", "ef gh"], ["x", "y"])
    points = [c for c in range(0x110000) if c % 13 == 0 or any(c in block for block in VARIED)]
    (said,) = node.ask(model, "characters", [points])
    strip = {"unicode": strip_accents_unicode, "ascii": strip_accents_ascii}.get(str(accents), str)
    for c, kind, shape, folded in zip(points, said["kinds"], said["shapes"], said["folded"], strict=True):
        own = chr(c)
        became = strip(own.lower() if lower else own)
        assert (kind & 1, kind >> 1 & 1) == (bool(WORD.match(own)), own.isspace()), c
        assert folded == [ord(each) for each in became], c
        if kind & 1:
            assert chr(shape) == as_shape(own)[1], c


def test_counts_beyond_the_table_of_logarithms(node: Node) -> None:
    assert_same_rows(node, union(), ["ab " * 5000, "a" * 10_000, ""])


def test_words_with_half_a_character_are_refused() -> None:
    model = lindy.TextClassifier(learner="perceptron", vectorizer=text.CountVectorizer(analyzer="char"))
    model.fit(["a\ud800b", "cd"] * 5, ["x", "y"] * 5)
    with pytest.raises(ExportError, match="halves of characters"):
        vectorizer_header(model.vectorizer_, Characters())


def test_half_a_character_has_no_hash(node: Node) -> None:
    model = fitted(text.HashingVectorizer(analyzer="char", n_features=10), "perceptron")
    (said,) = node.ask(model, "predict", ["a\ud800b"])
    assert said["error"].startswith("RangeError: the text has half of a character")


ROWS = [
    {"title": own, "price": i if i % 3 else None, "sender": ["ann", "bob", "ß"][i % 3]}
    for i, own in enumerate(WHOLE[:90])
]


@pytest.mark.parametrize("scaling", ["standard", "range"])
def test_rows_of_a_table(scaling: str, node: Node) -> None:
    vectorizer = features.TableVectorizer(
        text=["title"], numeric=["price"], category=["sender"], scaling=scaling
    )
    model = lindy.TextClassifier(learner="perceptron", vectorizer=vectorizer, calibration="none")
    model.fit(ROWS, LABELS[:90])
    strange = [
        {"title": "the cat", "price": " +1e1 ", "sender": "nobody"},
        {"title": None, "price": "", "sender": None},
        {"title": "", "price": "-1e300", "sender": "ß"},
    ]
    assert_same_rows(node, model, ROWS)
    assert_same_rows(node, model, strange)
    bare, wrong = node.ask(model, "row", [{}, {"price": "a lot"}])
    assert (bare["columns"], bare["values"]) == node_row(model, {"title": "", "price": None, "sender": ""})
    assert wrong["error"] == 'TypeError: the column "price" is not a number'


def node_row(model: lindy.TextClassifier, record: dict[str, Any]) -> tuple[list[int], list[float]]:
    row = model.vectorizer_.transform_csr([record])
    return row.indices.tolist(), row.values.astype(np.float64).tolist()
