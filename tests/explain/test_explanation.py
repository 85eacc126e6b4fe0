"""What an explanation says: lecture numbers, credit by the rule, flips, renderers."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from lindy import TextClassifier, load
from lindy.explain.explanation_html import explanation_page
from lindy.explain.terminal import render
from lindy.features import DictVectorizer
from lindy.text import CountVectorizer, HashingVectorizer
from tests.explain.representations import BINARY, SEVERAL, TEXTS, model

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "\u202egnp.exe",
    "a\x00b\x1b[2J",
    "</style>",
]


def test_naive_bayes_gives_the_table_of_log_probabilities() -> None:
    fitted = model("multinomial", "counts", False)
    e = fitted.explain("warm and dull")
    learner, vocabulary = fitted.learner_, fitted.vectorizer_.vocabulary_
    lines = e.running_total(in_text_order=True)
    assert [line.name for line in lines] == ["(bias)", "warm", "and", "dull"]
    np.testing.assert_allclose(lines[0].added, learner.log_prior_)
    total = learner.log_prior_.copy()
    for line in lines[1:]:
        total = total + learner.W_[vocabulary[line.name]]
        np.testing.assert_allclose(line.total, total)
    np.testing.assert_allclose(e.probabilities, fitted.predict_proba(["warm and dull"])[0])


def test_the_length_of_a_text_has_a_line_of_its_own() -> None:
    fitted = model("poisson lengths", "counts", False)
    e = fitted.explain("warm and dull")
    learner, vocabulary = fitted.learner_, fitted.vectorizer_.vocabulary_
    lines = e.running_total(in_text_order=True)
    assert [line.name for line in lines] == ["(bias)", "(length)", "warm", "and", "dull"]
    assert lines[1].value == 3
    np.testing.assert_allclose(lines[0].added, learner.log_prior_)
    for line in lines[2:]:
        np.testing.assert_allclose(line.added, learner.feature_log_prob_[:, vocabulary[line.name]])
    np.testing.assert_allclose(
        lines[-1].total, learner.joint_log_proba(fitted.vectorizer_.transform(["warm and dull"]))[0]
    )
    told = e.to_dict()
    np.testing.assert_allclose(told["length"], lines[1].added)
    np.testing.assert_allclose(told["bias"], lines[1].total)
    assert "length" not in model("multinomial", "counts", False).explain("warm and dull").to_dict()


def test_ngrams_share_their_part_equally_among_their_words() -> None:
    vectorizer = CountVectorizer(ngram_range=(1, 2))
    fitted = TextClassifier(learner="svm", vectorizer=vectorizer).fit(
        ["not good", "good"] * 4, ["bad", "good"] * 4
    )
    e = fitted.explain("not good")
    lead = dict(zip(e.names, e.against()[0].tolist(), strict=True))
    pieces = {piece.text: piece.credit for piece in e.segments()}
    assert pieces["not"] == pytest.approx(lead["not"] + lead["not good"] / 2)
    assert pieces["good"] == pytest.approx(lead["good"] + lead["not good"] / 2)


def test_class_against_class() -> None:
    e = model("svm", "counts", True).explain("a dull book")
    forth, bias = e.against("good", "bad")
    back, bias_back = e.against("bad", "good")
    np.testing.assert_allclose(forth, -back)
    assert bias == -bias_back
    scores = dict(zip(e.classes, e.scores.tolist(), strict=True))
    assert forth.sum() + bias == pytest.approx(scores["good"] - scores["bad"])
    with pytest.raises(ValueError, match="not among the classes"):
        e.against("nonsense")


def test_the_words_that_decide_are_those_whose_removal_changes_the_prediction() -> None:
    fitted = model("multinomial", "counts", False)
    text = "a DULL, warm book; dull"
    e = fitted.explain(text)
    by_hand = {
        word
        for word in ("dull", "warm", "book")
        if fitted.predict([text.replace(word, "").replace(word.upper(), "")])[0] != e.label
    }
    assert {flip.word.lower() for flip in e.flips} == by_hand
    assert e.label == "bad"
    assert [flip.label for flip in e.flips] == ["good"]


def test_unknown_words_and_rare_words_are_told_apart() -> None:
    assert model("svm", "counts", False).explain("warm zzyzx Qux zzyzx").unknown == ["zzyzx", "Qux"]
    e = model("svm", "rare words as one", False).explain("warm zzyzx")
    assert e.unknown == []
    assert "<OOV>" in e.names


def test_hashed_columns_are_called_by_the_terms_in_them_and_the_recorded_ones() -> None:
    vectorizer = HashingVectorizer(n_features=3, record=True)
    fitted = TextClassifier(learner="svm", vectorizer=vectorizer).fit(TEXTS, BINARY)
    e = fitted.explain("warm dull book")
    assert sorted(term for name in e.names for term in name.split(" | ")) == ["book", "dull", "warm"]
    for feature in e.features():
        assert set(feature.also) | set(feature.name.split(" | ")) == set(
            fitted.vectorizer_.terms_of(feature.column)
        )


def test_recorded_words_are_saved_with_the_model(tmp_path: Path) -> None:
    vectorizer = HashingVectorizer(n_features=3, record=True, ngram_range=(1, 2))
    TextClassifier(learner="svm", vectorizer=vectorizer).fit(TEXTS, BINARY).save(tmp_path / "m.lindy")
    loaded = load(tmp_path / "m.lindy")
    assert {"warm", "dull end"} <= {
        term for column in range(3) for term in loaded.vectorizer_.terms_of(column)
    }
    assert any(feature.also for feature in loaded.explain("warm").features())


def test_features_say_where_they_stand() -> None:
    e = model("svm", "bigrams and marks", False).explain("Warm, and WARM and")
    spans = {feature.name: [e.text[b:end] for b, end in feature.spans] for feature in e.features()}
    assert spans["warm"] == ["Warm", "WARM"]
    assert spans["warm and"] == ["WARM and"]
    assert spans[","] == [","]


def test_the_terminal_marks_words_with_signs_and_with_colour_only_if_asked() -> None:
    e = model("multinomial", "counts", False).explain("a dull, warm book zzyzx")
    plain = render(e)
    assert "[--dull]" in plain or "[++dull]" in plain
    assert "[?zzyzx]" in plain
    assert "\x1b" not in plain
    assert "\x1b[" in render(e, colour=True)
    assert f"{e.decision[0]:+.4f}" in plain


def test_json_holds_the_whole_explanation() -> None:
    for learner in ("multinomial", "maximum likelihood", "svm", "voted perceptron"):
        e = model(learner, "counts", True).explain("a dull, warm book zzyzx")
        told = json.loads(json.dumps(e.to_dict(), allow_nan=False))
        assert told["label"] == e.label
        assert len(told["features"]) == len(e.columns)
        finite = [v for v in told["scores"] if v is not None]
        np.testing.assert_allclose(finite, e.scores[np.isfinite(e.scores)])


class Tags(HTMLParser):
    """Collects what a page consists of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    tags.close()
    return tags


@pytest.mark.parametrize("learner", ["naive-bayes", "svm"])
def test_hostile_labels_and_words_are_inert(learner: str) -> None:
    labels = [HOSTILE[i % len(HOSTILE)] for i in range(10)]
    texts = [f"{label} word{i} {label}" for i, label in enumerate(labels)]
    vectorizer = CountVectorizer(tokenizer=str.split, token_pattern=None)
    e = TextClassifier(learner=learner, vectorizer=vectorizer).fit(texts, labels).explain(" ".join(texts))
    page = explanation_page(e)
    tags = parsed(page)
    harmless = parsed(explanation_page(model("svm", "counts", True).explain("dull zzyzx")))
    assert set(tags.tags) <= set(harmless.tags) | {"mark", "sup"}
    assert not any(name.startswith("on") or name in ("src", "href") for name, _ in tags.attributes)
    assert "default-src 'none'" in page
    for forbidden in ("\x00", "\x1b", "\u202e", "<script", "<img"):
        assert forbidden not in page
    text = render(e)
    assert not any(c in text for c in "\x00\x1b\u202e")
    assert "<script>alert(1)</script>" in "".join(tags.text)


def test_a_page_shows_the_text_the_bars_and_the_score() -> None:
    e = model("maxent", "tf-idf", True).explain("a dull, warm book")
    tags = parsed(explanation_page(e))
    assert tags.tags.count("table") == 1
    assert "mark" in tags.tags
    shares = [value for name, value in tags.attributes if name == "style" and "--share" in (value or "")]
    assert len(shares) == len(e.running_total(25)) - bool(e.rounding.any())
    assert SEVERAL[0] in "".join(tags.text)


def test_only_one_text_at_a_time() -> None:
    with pytest.raises(TypeError, match="one text"):
        model("svm", "counts", False).explain(["a", "b"])  # type: ignore[arg-type]


def test_a_dictionary_of_features_is_explained_entry_by_entry() -> None:
    rows = [{"from": "bob", "n": 2, "tags": ["a", "b"]}, {"from": "ann", "tags": ["b"]}]
    model = TextClassifier(vectorizer=DictVectorizer(), learner="maxent").fit(rows * 6, ["p", "q"] * 6)
    asked = {"from": "bob", "n": 3, "tags": ["a", "b", "new"], "unseen": "x"}
    found = model.explain(asked)
    assert found.text == "from=bob n:3 tags=a,b,new unseen=x"
    assert found.names == ["from=bob", "n", "tags=a", "tags=b"]
    assert found.label == model.predict([asked])[0]
    assert found.decision == pytest.approx(found.bias + found.added.sum(axis=0))
    words = [segment for segment in found.segments() if segment.is_word]
    assert [word.text for word in words] == ["from=bob", "n:3", "tags=a,b,new", "unseen=x"]
    assert [word.is_known for word in words] == [True, True, True, False]
    assert sum(word.credit for word in words) == pytest.approx(-float(found.added.sum()))  # the score is q's
    assert [flip.word for flip in found.flips] == ["n:3"]
    assert model.predict([{name: value for name, value in asked.items() if name != "n"}]) == ["q"]
    with pytest.raises(TypeError, match="one dictionary is explained at a time"):
        model.explain("from=bob")
