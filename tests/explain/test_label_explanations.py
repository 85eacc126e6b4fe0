"""Explanations of models of several labels: each label by itself, with its threshold, or against another one."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lindy import TextClassifier
from lindy.explain.explanation_html import explanation_page, fragment
from lindy.explain.terminal import render
from tests.test_several_labels import WORDS, recipes

TEXT = "roast bake the salmon dish"


@pytest.fixture(scope="module", params=["auto", "none"], ids=["probabilities", "scores"])
def model(request) -> TextClassifier:
    return TextClassifier(learner="svm", calibration=request.param).fit(*recipes())


def test_what_is_added_to_a_label_is_its_score(model) -> None:
    found = model.explain(TEXT)
    assert found.several.labels == model.predict([TEXT])[0]
    assert set(found.several.labels) == {"oven", "fish"}
    scores = model.decision_function([TEXT])[0]
    for k, label in enumerate(model.classes_.tolist()):
        added, bias = found.against(label)
        assert found.pair(label) == (label, None)
        assert bias + added.sum() + found.rounding[k] == pytest.approx(scores[k], abs=1e-9)
        (last,) = found.running_total(label=label)[-1:]
        assert last.total[k] == pytest.approx(scores[k], abs=1e-9)


def test_the_lead_over_another_label_is_the_difference(model) -> None:
    found = model.explain(TEXT)
    lead, bias = found.against("oven", "sauce")
    own, other = found.against("oven"), found.against("sauce")
    np.testing.assert_allclose(lead, own[0] - other[0])
    assert bias == pytest.approx(own[1] - other[1])
    assert "[-] for sauce" in render(found, label="oven", other="sauce")


def test_every_shown_label_has_its_threshold(model) -> None:
    found = model.explain(TEXT)
    values = model.predictions([TEXT]).values[0]
    rule = dict(zip(model.classes_.tolist(), found.several.thresholds, strict=True))
    measured = found.measured("spice", most=1)
    assert {"oven", "fish", "spice"} == {
        label for label, _, _ in measured
    }  # those that are given, and the asked
    for label, value, threshold in measured:
        assert value == pytest.approx(values[model.classes_.tolist().index(label)])
        assert threshold == rule[label]
        assert (value >= threshold) == (label in found.several.labels)
    text, page = render(found, label="spice"), explanation_page(found, label="spice")
    assert "[+] speaks for spice, [-] against it" in text
    assert ("probability  threshold" in text) == (found.probabilities is not None)
    assert text.count("given") == page.count(">given<") == 2
    assert "Why <bdi>spice</bdi>?" in page
    assert "threshold" in fragment(found)
    assert "threshold" in found._repr_html_()


def test_words_without_which_other_labels_are_given(model) -> None:
    found = model.explain("salmon the dish with and")
    assert found.several.labels == ("fish",)
    without = {flip.word: flip.label for flip in found.flips}
    assert without == {"salmon": ()}
    assert "the labels would be none: salmon" in render(found)
    assert "<bdi>salmon</bdi> (→ none)" in fragment(found)
    settled = model.explain("salmon trout sea salmon trout sea")
    assert not settled.flips
    assert settled.tried
    assert "the labels stay" in render(settled)


def test_json_has_labels_and_thresholds(model) -> None:
    told = json.loads(json.dumps(model.explain(TEXT).to_dict()))
    assert set(told["labels"]) == {"oven", "fish"}
    assert told["label"] == told["labels"][0]
    assert told["against"] is None
    assert set(told["thresholds"]) == set(WORDS)
    assert all(set(flip) == {"without", "labels"} for flip in told["flips"])


def test_two_labels_are_not_two_classes() -> None:
    texts, labels = recipes()
    model = TextClassifier(learner="svm").fit(
        texts, [[own for own in row if own in ("oven", "fish")] for row in labels]
    )
    found = model.explain(TEXT)
    np.testing.assert_allclose(found.summed_decision, found.decision, atol=1e-6)
    assert set(found.several.labels) == {"oven", "fish"}
