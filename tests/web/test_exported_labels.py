"""Exported models of several labels answer as the library does, to the last bit, and explain labels as it does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lindy import TextClassifier
from lindy.cli.app import run
from lindy.evaluation.decisions import Decision, LabelLimits, SeveralLabels
from lindy.evaluation.predictions import FIELDS
from lindy.web.export import lost, module_text, module_types, smaller
from tests.hostile.strings import strings
from tests.test_several_labels import WORDS, recipes
from tests.web.exported import Node, as_javascript_has_it, number, require_same
from tests.web.test_exported_models import assert_same_segments, in_node

pytestmark = pytest.mark.needs_system("node")

TEXTS = [
    *recipes(60, seed=3)[0],
    "",
    "nothing known",
    *(as_javascript_has_it(own) for _, own in strings(20, seed=4)),
]
LEARNERS = ["svm", "maxent", "naive-bayes", "perceptron", "mira", "nb-svm", "least-squares"]


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier(learner="svm").fit(*recipes())


def assert_same(
    node: Node,
    model: TextClassifier,
    decision: Decision | None = None,
    limits: LabelLimits | None = None,
) -> None:
    made = model.predictions(TEXTS)
    made = made if decision is None else decision(made)
    made = made if limits is None else limits(made)
    names = list(map(str, model.classes_.tolist()))
    labels, scores = made.labels(model.classes_), model.decision_function(TEXTS).astype(np.float64)
    asked = node.ask(model, "predict", TEXTS, decision=decision, limits=limits)
    for i, said in enumerate(asked):
        require_same(TEXTS[i], list(said), list(FIELDS))
        require_same(TEXTS[i], said["label"], list(labels[i]))
        require_same(TEXTS[i], said["best"], model.classes_.tolist()[made.best[i]])
        require_same(TEXTS[i], said["rejected"], bool(made.rejected[i]))
        own = [number(said["scores"][name]) for name in names]
        require_same(TEXTS[i], own, scores[i].reshape(-1).tolist())
        if made.are_probabilities:
            p = [number(said["probabilities"][name]) for name in names]
            require_same(TEXTS[i], p, made.values[i].tolist())
            require_same(TEXTS[i], said["probability"], made.confidence[i])


@pytest.mark.parametrize("calibration", ["auto", "none"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner(learner: str, calibration: str, node: Node) -> None:
    assert_same(node, TextClassifier(learner=learner, calibration=calibration).fit(*recipes()))


@pytest.mark.parametrize("names", [("oven",), ("oven", "fish")], ids=["one", "two"])
def test_one_or_two_labels_are_not_two_classes(names: tuple[str, ...], node: Node) -> None:
    texts, labels = recipes()
    own = [[label for label in row if label in names] for row in labels]
    assert_same(node, TextClassifier(learner="svm").fit(texts, own))


def test_limits_and_thresholds(model: TextClassifier, node: Node) -> None:
    for limits in (LabelLimits(True), LabelLimits(at_most=1), LabelLimits(True, 2)):
        assert_same(node, model, None, limits)
        assert_same(node, model, Decision(thresholds=[0.99, 0.2, 0.9, 1.0]), limits)
    assert_same(node, model, Decision(thresholds=0.95))


def test_a_label_that_comes_first_need_not_be_the_most_probable(node: Node) -> None:
    odd = TextClassifier(learner="svm").fit(*recipes())
    odd.rule_ = SeveralLabels([0.999999, 0.0001, 0.2, 0.5])
    for limits in (None, LabelLimits(True, 1)):
        assert_same(node, odd, None, limits)


def test_labels_are_explained_by_themselves(model: TextClassifier, node: Node) -> None:
    texts = TEXTS[:40:4]
    for label in (None, *WORDS):
        options = {} if label is None else {"label": label}
        for text, said in zip(texts, node.ask(model, "explain", texts, **options), strict=True):
            own = model.explain(text, flips=0)
            explained = own.label if label is None else label
            assert said["explained"] == explained
            assert said["against"] is None
            added, bias = own.against(explained)
            assert number(said["bias"]) == pytest.approx(bias, abs=1e-9)
            leads = sorted(number(feature["lead"]) for feature in said["features"])
            np.testing.assert_allclose(leads, sorted(added.tolist()), atol=1e-6)
            pieces = [segment.credit for segment in own.segments(explained)]
            np.testing.assert_allclose([s["credit"] for s in said["segments"]], pieces, atol=1e-6)
    (wrong,) = node.ask(model, "explain", texts[:1], label="cake")
    assert wrong["error"] == 'RangeError: the model has no label "cake"'


def test_one_of_classes_is_explained_against_the_best(node: Node) -> None:
    texts, labels = recipes()
    model = TextClassifier(learner="svm").fit(texts, [str(len(own) > 1) for own in labels])
    for text in texts[:5]:
        own = model.explain(text, flips=0)
        (said,) = node.ask(model, "explain", [text], label=own.runner_up)
        assert (said["explained"], said["against"]) == (own.runner_up, own.label)
        (best,) = node.ask(model, "explain", [text])
        assert_same_segments(text, best, own)
        np.testing.assert_allclose(
            [-s["credit"] for s in best["segments"]], [s["credit"] for s in said["segments"]]
        )


def test_the_module_and_its_types(model: TextClassifier, tmp_path: Path) -> None:
    limits = LabelLimits(True, 1)
    script = f"""
        const texts = {json.dumps(TEXTS[:20])};
        const whys = [...texts.map(m.explain), m.explain(texts[0], {{ label: "spice" }})];
        const said = {{ about: m.about, said: texts.map(m.predict), whys: whys.map((why) => why.explained) }};
        console.log(JSON.stringify(said));
    """
    told = in_node(tmp_path, module_text(model, None, limits), script)
    expected = limits(model.predictions(TEXTS[:20])).labels(model.classes_)
    assert [own["label"] for own in told["said"]] == [list(own) for own in expected]
    assert told["about"]["thresholds"] == dict(
        zip(model.classes_.tolist(), model.rule_.to_state(), strict=True)
    )
    assert told["about"]["examples"] == 300
    assert told["whys"][-1] == "spice"
    types = module_types(model)
    assert "  label: Label[];\n" in types
    assert "options?: { label?: Label }" in types


def test_a_smaller_model_of_several_labels(model: TextClassifier, node: Node) -> None:
    small = smaller(model)
    assert_same(node, small)
    texts, labels = recipes(100, seed=8)
    loss = lost(model, small, texts, labels)
    right = [set(own) == set(true) for own, true in zip(model.predict(texts), labels, strict=True)]
    assert loss.accuracy == np.mean(right)
    assert loss.different == sum(
        set(one) != set(other) for one, other in zip(model.predict(texts), small.predict(texts), strict=True)
    )


def test_the_command_has_the_limits(model: TextClassifier, tmp_path: Path) -> None:
    path, module = tmp_path / "m.lindy", tmp_path / "m.mjs"
    model.save(path)
    assert run(["export", str(path), "--js", str(module), "--at-most", "1", "--at-least-one", "-q"]) == 0
    script = f"console.log(JSON.stringify({json.dumps(TEXTS[:20])}.map(m.predict)))"
    told = in_node(tmp_path, module.read_text(encoding="utf-8"), script)
    assert {len(own["label"]) for own in told} == {1}
