"""The report: one page, complete, self-contained, inert, the same bytes every time."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lindy import MaxEnt, TextClassifier
from lindy.data import read_examples, samples
from lindy.evaluation.decisions import ScoreRule
from lindy.report import learning_curve, report
from lindy.report.measure import outcome, suspected_labels, unfitted
from lindy.text import CountVectorizer, TfidfVectorizer, UnionVectorizer
from tests.explain.test_explanation import HOSTILE, parsed

TRAIN = read_examples(str(samples.path("reviews-train")))
TEST = read_examples(str(samples.path("reviews-test")))


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier().fit(TRAIN.texts, TRAIN.labels)


def has_rounds(model: TextClassifier) -> bool:
    """Whether the fit had enough rounds for a picture of the objective."""
    return len(model.learner_.history_.objective) > 2


@pytest.fixture(scope="module")
def page(model: TextClassifier) -> str:
    return report(
        model,
        TEST.texts,
        TEST.labels,
        train=(TRAIN.texts, TRAIN.labels),
        facts={"file": "a & b"},
        commands="lindy report <x>",
    )


def test_every_section_is_there(page: str, model: TextClassifier) -> None:
    tags = parsed(page)
    text = "".join(tags.text)
    for heading in (
        "What was trained on what",
        "How good it is",
        "Would more examples help?",
        "What it looks at",
    ):
        assert heading in text
    assert {"metrics", "words", "mistakes", "again"} <= {
        value for name, value in tags.attributes if name == "id"
    }
    assert tags.tags.count("svg") == 2 + has_rounds(model)  # reliability, learning curve
    assert page.count('<table class="matrix') == 1
    assert tags.tags.count("details") == 8
    accuracy = model.score(TEST.texts, TEST.labels.to_pylist())
    assert f"{accuracy:.1%}" in text
    assert "a & b" in text
    assert "lindy report <x>" in text


def test_pictures_say_in_words_what_they_show(page: str, model: TextClassifier) -> None:
    pictures = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"', page)
    assert len(pictures) == page.count("<svg") == 2 + has_rounds(model)
    assert all(f"<figcaption>{said}</figcaption>" in page for said in pictures)


def test_pictures_have_the_colours_of_the_page(page: str) -> None:
    for picture in re.findall(r"<svg .*?</svg>", page, re.DOTALL):
        assert "currentColor" in picture
        assert "var(--c0)" in picture
        assert not re.search(r"#[0-9a-f]{6}[;\"]", picture)
        assert "<text" in picture


def test_the_page_needs_no_network_and_runs_nothing(page: str) -> None:
    tags = parsed(page)
    assert not {"script", "link", "iframe", "object", "form"} & set(tags.tags)
    links = [value or "" for name, value in tags.attributes if name in ("src", "href", "action")]
    assert all(link.startswith("#") for link in links)
    assert "url(" not in page
    assert "@import" not in page
    policy = next(
        value for name, value in tags.attributes if name == "content" and "default-src" in (value or "")
    )
    assert "default-src 'none'" in str(policy)
    assert "script-src" not in str(policy)


def test_the_same_data_give_the_same_bytes(model: TextClassifier) -> None:
    few = np.arange(30)
    pages = {report(model, TEST.texts.take(few), TEST.labels.take(few), mistakes=2) for _ in range(2)}
    assert len(pages) == 1


def test_hostile_labels_words_and_titles_are_inert() -> None:
    labels = [HOSTILE[i % len(HOSTILE)] for i in range(20)]
    texts = [f"{label} word{i % 3} {HOSTILE[0]}" for i, label in enumerate(labels)]
    vectorizer = CountVectorizer(tokenizer=str.split, token_pattern=None)
    model = TextClassifier(vectorizer=vectorizer).fit(texts, labels)
    wrong = labels[1:] + labels[:1]
    page = report(model, texts, wrong, title=HOSTILE[1], facts={HOSTILE[0]: HOSTILE[3]}, commands=HOSTILE[4])
    tags = parsed(page)
    assert not {"script", "iframe", "object"} & set(tags.tags)
    assert "img" not in tags.tags
    assert tags.tags.count("svg") == 1 + has_rounds(model)
    assert tags.tags.count("style") == 1
    assert not any(name.startswith("on") for name, _ in tags.attributes)
    assert not any(c in page for c in "\x00\x1b\u202e")


def test_a_fit_of_many_rounds_shows_its_objective() -> None:
    model = TextClassifier(learner=MaxEnt(solver="lbfgs")).fit(TRAIN.texts, TRAIN.labels)
    assert "The objective, round by round." in report(model, TEST.texts, TEST.labels, mistakes=1)


@pytest.mark.parametrize("learner", ["perceptron", "svm", "maxent"])
def test_every_learner_can_be_reported_on(learner: str) -> None:
    model = TextClassifier(learner=learner).fit(TRAIN.texts, TRAIN.labels)
    page = report(model, TEST.texts, TEST.labels, mistakes=1)
    assert "largest weight" in page


def test_a_copy_of_a_model_learns_the_same(model: TextClassifier) -> None:
    # the automatic recipe goes on from its search, so that its copy ends elsewhere within the same tolerance
    again = unfitted(model).fit(TRAIN.texts, TRAIN.labels)
    assert again.recipe_ == model.recipe_
    np.testing.assert_array_equal(again.predict(TEST.texts), model.predict(TEST.texts))
    named = TextClassifier(learner="nb-svm", ngrams=(1, 2)).fit(TRAIN.texts, TRAIN.labels)
    again = unfitted(named).fit(TRAIN.texts, TRAIN.labels)
    np.testing.assert_array_equal(again.decision_function(TEST.texts), named.decision_function(TEST.texts))
    union = UnionVectorizer(vectorizers=[("w", CountVectorizer()), ("c", TfidfVectorizer(analyzer="char"))])
    both = TextClassifier(learner="svm", vectorizer=union).fit(TRAIN.texts, TRAIN.labels)
    before = both.decision_function(TEST.texts)
    unfitted(both).fit(TEST.texts, TEST.labels)
    np.testing.assert_array_equal(both.decision_function(TEST.texts), before)


def test_a_learning_curve_tests_on_what_it_held_out() -> None:
    curve = learning_curve(TextClassifier(), TRAIN.texts, TRAIN.labels, points=3)
    assert curve.sizes == [60, 120, 240]
    assert curve.n_held_out == 60
    assert all(
        low <= score <= high for score, (low, high) in zip(curve.held_out, curve.intervals, strict=True)
    )
    assert all(score > 0.9 for score in curve.training)


def test_wrong_labels_are_suspected(model: TextClassifier) -> None:
    labels = TRAIN.labels.to_pylist()
    spoilt = list(range(0, 300, 20))
    for i in spoilt:
        labels[i] = "negative" if labels[i] == "positive" else "positive"
    found = suspected_labels(model, TRAIN.texts, labels)
    among = [finding.row in spoilt for finding in found]
    assert sum(among) / max(len(found), 1) > 2 * len(spoilt) / 300
    page = report(model, TEST.texts, TEST.labels, train=(TRAIN.texts, labels), mistakes=0)
    assert "Likely label errors" in page
    assert f"{found[0].row + 1:,}" in page


def test_confident_mistakes_are_wrong_and_in_order(model: TextClassifier) -> None:
    seen = outcome(model, TEST.texts, TEST.labels)
    worst = seen.confident_mistakes(5)
    assert not seen.right[worst].any()
    assert (np.diff(seen.confidence[worst]) <= 0).all()
    assert seen.confidence[worst].min() >= np.sort(seen.confidence[~seen.right])[-5]


@pytest.mark.parametrize("calibration", ["sigmoid", "none"])
def test_confidence_is_that_of_the_label_which_a_rule_takes(calibration: str) -> None:
    model = TextClassifier(learner="svm", calibration=calibration).fit(TRAIN.texts, TRAIN.labels)
    model.rule_ = ScoreRule(np.array([0.0, 0.4]))
    answer = model.predictions(TEST.texts)
    moved = answer.best != answer.values.argmax(axis=1)
    assert moved.any()
    assert not moved.all()
    rows = np.arange(len(moved))
    own, other = answer.values[rows, answer.best], answer.values[rows, 1 - answer.best]
    expected = own if calibration == "sigmoid" else (own - other) / 2
    np.testing.assert_array_equal(outcome(model, TEST.texts, TEST.labels).confidence, expected)


def test_the_features_are_ranked_by_what_is_said() -> None:
    for learner, measure in (
        ("naive-bayes", "odds ratio"),
        ("svm", "weight"),
        ("gaussian-naive-bayes", "separation"),
    ):
        model = TextClassifier(learner=learner, max_features=50).fit(TRAIN.texts, TRAIN.labels)
        page = report(model, TEST.texts, TEST.labels, mistakes=0)
        assert f"The features with the largest {measure} for each class." in page


def many_classes(n: int) -> tuple[TextClassifier, list[str], list[str]]:
    """Return a model of n classes, and texts and labels of which it gets some wrong, those of class 1 most often."""
    classes = [f"class {i % n:02}" for i in range(4 * n)]
    texts = [f"word{i % n} term{i % n}" for i in range(4 * n)]
    model = TextClassifier(learner="naive-bayes").fit(texts, classes)
    texts[1] = texts[n + 1] = texts[2 * n + 1] = "word0 term0"
    return model, texts, classes


@pytest.mark.parametrize("n", [3, 10, 11, 20, 21, 75])
def test_many_classes_can_be_read(n: int) -> None:
    model, texts, labels = many_classes(n)
    page = report(model, texts, labels, mistakes=0)
    assert page.count('<table class="matrix') == (n <= 20)
    own = page[page.index("Each class") : page.index("All classes together")]
    order = re.findall(r"<td><bdi>(class \d\d)</bdi>", own)
    assert sorted(order) == sorted(set(labels))  # those in the fold, too
    assert (order == sorted(order)) == (n <= 10)
    assert order[0] == ("class 00" if n <= 10 else "class 01")  # which has the lowest F1
    assert "<bdi>class 01</bdi> taken for <bdi>class 00</bdi>: <b>3</b> of 4 (75%)" in page
    assert 'example 2: <span dir="auto">word0 term0</span>' in page
    for label in set(labels):
        assert page.count(f"<bdi>{label}</bdi>") >= 3  # figures, words, training examples


def test_every_column_has_a_name(page: str) -> None:
    heads = re.findall(r"<th[^>]*>(.*?)</th>", page)
    assert heads
    assert all(re.sub(r"<[^>]*>", "", head).strip() for head in heads)


def test_long_names_are_cut_in_the_middle() -> None:
    names = ["x" * 200 + "first", "x" * 200 + "second"]
    model = TextClassifier(learner="naive-bayes").fit(["one", "two"], names)
    page = report(model, ["two", "two"], names)
    assert f">{'x' * 40}…{'x' * 14}first</bdi>" in page
    assert names[0] not in re.sub(r'title="[^"]*"', "", page)


def test_too_few_examples_for_a_learning_curve() -> None:
    model = TextClassifier(learner="naive-bayes").fit(["one", "two"], ["a", "b"])
    page = report(model, ["two"], ["a"], train=(["one", "two"], ["a", "b"]))
    assert "too few even to tell" in page
    assert "Would more examples help?" not in page


def test_a_test_on_what_was_learned_is_said_to_be_one() -> None:
    model = TextClassifier(learner="naive-bayes").fit(TRAIN.texts, TRAIN.labels)
    model.remember("training", TRAIN.texts, TRAIN.labels)
    assert "These figures are too good" in report(model, TRAIN.texts, TRAIN.labels, mistakes=0)
    assert "These figures are too good" not in report(model, TEST.texts, TEST.labels, mistakes=0)
