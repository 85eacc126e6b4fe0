"""Scores, probabilities, labels and explanations of exported models are those of the library."""

from __future__ import annotations

import copy
import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lindy
from lindy import TextClassifier
from lindy.data import samples
from lindy.errors import ExportError
from lindy.estimators.learners import REGISTRY, learner_class
from lindy.evaluation.calibration.calibrators import METHODS
from lindy.evaluation.decisions import Decision, ScoreRule
from lindy.evaluation.predictions import FIELDS
from lindy.explain import Explanation
from lindy.web.export import module_text, module_types, smaller
from lindy.web.export.header import learner_header
from tests.explain.representations import BINARY, LEARNERS, REPRESENTATIONS, SEVERAL, SIGNED, TAKES_SIGNS
from tests.explain.representations import TEXTS as TRAINING
from tests.explain.representations import model as fitted
from tests.hostile.strings import strings
from tests.web.exported import Node, as_javascript_has_it, assert_same_answers, number, require_same

pytestmark = pytest.mark.needs_system("node")

EXPORTED = {
    *(
        "nb-svm",
        "svm",
        "maxent",
        "naive-bayes",
        "perceptron",
        "mira",
        "bernoulli-naive-bayes",
        "least-squares",
    ),
    *("complement-naive-bayes", "word-votes", "word-lists", "lexicon", "majority"),
}
REFUSED = {
    "gaussian": "density over all columns",
    "shared gaussian": "density over all columns",
    "categorical": "product over all columns",
    "unsmoothed categorical": "product over all columns",
    "voted perceptron": "vote of all its weight vectors",
    "random": "drawn by chance",
}
PLAIN = [name for name in REPRESENTATIONS if not name.startswith("own ")]
STRANGE = [as_javascript_has_it(own) for _, own in strings(24, seed=3)]
HALVES = [text for text in STRANGE if any("\ud800" <= c < "\ue000" for c in text)]
TEXTS = [
    *TRAINING,
    "warm and dull",
    "nothing known here",
    "",
    *(text for text in STRANGE if text not in HALVES),
]


@pytest.mark.parametrize("several", [False, True], ids=["two", "several"])
@pytest.mark.parametrize("learner", [name for name in LEARNERS if name not in REFUSED])
def test_every_learner_with_every_representation(learner: str, several: bool, node: Node) -> None:
    plain = PLAIN if several else PLAIN[::3]  # the features of two classes are the same
    for representation in [*plain, *(SIGNED if learner in TAKES_SIGNS else ())]:
        assert_same_answers(node, fitted(learner, representation, several), TEXTS)


@pytest.mark.parametrize("learner", list(REFUSED))
def test_what_is_no_sum_of_weights_is_refused_with_a_reason(learner: str) -> None:
    with pytest.raises(ExportError, match=REFUSED[learner]) as refused:
        module_text(fitted(learner, "counts", False))
    assert "train a linear one" in str(refused.value.hint)


def test_all_learners_are_exported_or_refused() -> None:
    exported = set()
    for name in REGISTRY:
        learner: Any = learner_class(name)()
        if learner.input_kind == "words":
            learner.set_params(words={"good": ["warm"], "bad": ["dull"]})
        model = lindy.TextClassifier(learner=learner, calibration="none").fit(TRAINING, BINARY)
        try:
            learner_header(model.learner_)
            exported.add(name)
        except ExportError as refused:
            assert f"a model of {type(learner).__name__} cannot be exported: " in str(refused)  # noqa: PT017
    assert exported == EXPORTED


def test_models_of_other_libraries_are_refused() -> None:
    from sklearn.linear_model import LogisticRegression

    model = lindy.TextClassifier(learner=LogisticRegression()).fit(TRAINING, BINARY)
    with pytest.raises(ExportError, match="not one of lindy's linear learners"):
        module_text(model)

    class Mine(lindy.SVM):
        pass

    model = lindy.TextClassifier(learner=Mine()).fit(TRAINING, BINARY)
    with pytest.raises(ExportError, match="a model of Mine cannot be exported: it is not one of lindy's"):
        module_text(model)


@pytest.mark.parametrize("labels", [BINARY * 30, SEVERAL * 30], ids=["two", "several"])
@pytest.mark.parametrize("method", METHODS)
def test_every_calibration(method: str, labels: list[str], node: Node) -> None:
    rng = np.random.default_rng(1)
    words = sorted({word for text in TRAINING for word in text.split()})
    mixed = [" ".join(rng.choice(words, 8)) if i % 3 else TRAINING[i % 8] for i in range(len(labels))]
    model = lindy.TextClassifier(learner="svm", calibration=method).fit(mixed, labels)
    assert_same_answers(node, model, TEXTS + mixed)


def test_many_classes(node: Node) -> None:
    for n, learner in itertools.product((9, 140), ("maxent", "naive-bayes")):
        texts = [f"word{i % n} and{i % 3} more{i % 7}" for i in range(3 * n)]
        model = lindy.TextClassifier(learner=learner, calibration="vector").fit(
            texts, [i % n for i in range(3 * n)]
        )
        assert_same_answers(node, model, texts[:50] + TEXTS)
        bare = copy.copy(model)
        bare.calibrator_ = None
        assert_same_answers(node, bare, texts[:50] + TEXTS)


def test_labels_that_are_numbers_or_booleans_stay_what_they_are(node: Node) -> None:
    for labels in ([1, 10] * 4, [True, False] * 4, [2**60, 3] * 4):
        model = lindy.TextClassifier(learner="svm").fit(TRAINING, labels)
        (said,) = node.ask(model, "predict", TRAINING[:1])
        expected = model.predict(TRAINING[:1]).tolist()[0]
        assert said["label"] == (str(expected) if expected == 2**60 else expected)
        assert set(said["probabilities"]) == {str(label) for label in labels}


def assert_same_segments(example: Any, said: dict[str, Any], own: Explanation) -> None:
    """Assert that a text is cut into the same pieces, and that each adds the same."""
    pieces = [(s.text, s.is_word, s.is_known) for s in own.segments()]
    require_same(example, [(s["text"], s["isWord"], s["isKnown"]) for s in said["segments"]], pieces)
    added = [s["credit"] for s in said["segments"]]
    np.testing.assert_allclose(added, [s.credit for s in own.segments()], atol=1e-6)


def test_rows_of_a_table_are_explained(node: Node) -> None:
    rows = [{"title": text, "body": text[::-1], "price": i} for i, text in enumerate(TRAINING)]
    columns = {"text": ["title", "body"], "numeric": ["price"]}
    model = lindy.TextClassifier(learner="svm", columns=columns).fit(rows, SEVERAL)
    assert_same_answers(node, model, rows)
    for row, said in zip(rows, node.ask(model, "explain", rows), strict=True):
        assert_same_segments(row, said, model.explain(row, flips=0))


def test_the_rule_of_a_model(node: Node) -> None:
    for labels in (BINARY, SEVERAL):
        model = lindy.TextClassifier(learner="svm").fit(TRAINING, labels)
        model.rule_ = ScoreRule(np.linspace(0.3, -0.3, len(model.classes_)))
        assert_same_answers(node, model, TEXTS)


def in_node(folder: Path, module: str, script: str) -> Any:
    """Return what a script prints that has imported a module."""
    (folder / "module.mjs").write_text(module, encoding="utf-8")
    code = f'import * as m from "{folder}/module.mjs";\n{script}'
    done = subprocess.run(
        ["node", "--input-type=module", "-e", code], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_module_exports_predict_and_explain_with_costs_and_rejection(tmp_path: Path) -> None:
    model = lindy.TextClassifier(learner="svm").fit(TRAINING, SEVERAL)
    decision = Decision(cost=[[0, 1, 9], [1, 0, 1], [1, 1, 0]], thresholds=[0.2, 0.9, 0.4])
    texts = TEXTS[:20]
    script = f"""
        const texts = {json.dumps(texts)};
        const say = {{ exported: Object.keys(m), labels: m.labels, about: m.about }};
        console.log(JSON.stringify({{ ...say, said: texts.map(m.predict), why: m.explain(texts[0]) }}));
    """
    told = in_node(tmp_path, module_text(model, decision), script)
    assert told["exported"] == ["about", "explain", "labels", "predict"]
    assert told["labels"] == model.classes_.tolist()
    assert told["about"]["recipe"] == model.recipe_
    answers = model.predictions(texts)
    answers = decision(answers)
    codes, best = answers.chosen, answers.best
    labels = model.classes_.tolist()
    assert [own["label"] for own in told["said"]] == [None if k < 0 else labels[k] for k in codes.tolist()]
    assert [own["best"] for own in told["said"]] == [labels[k] for k in best.tolist()]
    assert -1 in codes
    assert [own["rejected"] for own in told["said"]] == answers.rejected.tolist()
    assert [own["probability"] for own in told["said"]] == answers.confidence.tolist()
    assert all(list(own) == list(FIELDS) for own in told["said"])
    assert {"segments", "features", "bias", "against"} <= set(told["why"])


def test_the_module_says_what_it_takes(tmp_path: Path) -> None:
    model = lindy.TextClassifier(learner="svm").fit(TRAINING, BINARY)
    script = """
        const failed = [];
        for (const wrong of [undefined, null, 1, ["a"], { text: "a" }]) {
            try { m.predict(wrong); } catch (error) { failed.push(`${error.name}: ${error.message}`); }
        }
        console.log(JSON.stringify(failed));
    """
    told = in_node(tmp_path, module_text(model), script)
    assert told[1] == "TypeError: the model takes a text, and got null"
    assert told[3] == "TypeError: the model takes a text, and got an array"
    assert len(told) == 5


def test_type_declarations_name_labels_and_columns() -> None:
    rows = [{"title": text, "price": 1.0, "from": "a"} for text in TRAINING]
    columns = {"text": ["title"], "numeric": ["price"], "category": ["from"]}
    model = lindy.TextClassifier(learner="svm", columns=columns).fit(rows, BINARY)
    types = module_types(model)
    assert 'export type Label = "bad" | "good";' in types
    assert all(f"/** {meaning} */\n  {name}: " in types for name, meaning in FIELDS.items())
    assert '"price"?: number | string | null;' in types
    assert "export type Example = string;" in module_types(
        lindy.TextClassifier(learner="svm").fit(TRAINING, BINARY)
    )


@pytest.mark.parametrize("several", [False, True], ids=["two", "several"])
@pytest.mark.parametrize(
    "learner", ["svm", "multinomial", "unsmoothed bernoulli", "word votes", "sparse maxent"]
)
def test_explanations(learner: str, several: bool, node: Node) -> None:
    for representation in PLAIN if learner == "svm" else PLAIN[::4]:
        model = fitted(learner, representation, several)
        for text, said in zip(TEXTS[::5], node.ask(model, "explain", TEXTS[::5]), strict=True):
            own = model.explain(text, flips=0)
            require_same(text, said["against"], own.runner_up)
            assert_same_segments(text, said, own)
            leads, bias = own.against()
            names = dict(zip(own.names, leads.tolist(), strict=True))
            assert {tuple(sorted(f["name"].split(" | "))) for f in said["features"]} == {
                tuple(sorted(name.split(" | "))) for name in names
            }
            np.testing.assert_allclose(
                sorted(number(f["lead"]) for f in said["features"]), sorted(leads.tolist()), atol=1e-6
            )
            np.testing.assert_allclose(number(said["bias"]), bias, atol=1e-9)


def test_the_default_recipe_can_be_made_smaller() -> None:
    data = samples.load("reviews-train")
    model = TextClassifier().fit(data.texts, data.labels)
    texts = samples.load("reviews-test").texts
    small = smaller(model)
    assert small.vectorizer_.n_columns < model.vectorizer_.n_columns
    assert len(module_text(small)) < len(module_text(model))
    assert np.mean(small.predict(texts) == model.predict(texts)) > 0.95
