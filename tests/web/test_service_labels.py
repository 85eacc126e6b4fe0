"""A service of models that give several labels to a text: what it answers is what the library says."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from lindy import TextClassifier, load
from lindy.errors import DataError
from lindy.evaluation.decisions import Decision, LabelLimits
from lindy.evaluation.outcomes import Outcomes
from lindy.evaluation.predictions import PredictionColumns
from lindy.web.cards import _held_out_label_metrics, card
from lindy.web.model_registry import LoadedModel
from lindy.web.testing import TestFile
from tests.test_several_labels import WORDS, recipes
from tests.web.servers import Server, serving

TEXTS = [*recipes(40, seed=5)[0], "", "nothing known", "roast salmon tomato pepper"]
CSV = {"Content-Type": "text/csv"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models of several labels, with probabilities and without, one of one label, and labelled texts."""
    folder = tmp_path_factory.mktemp("labels")
    texts, labels = recipes()
    paths = {name: folder / f"{name}.lindy" for name in ("tags", "scores", "one")}
    source = {"label": "tags", "text": "text", "label_separator": "|"}
    TextClassifier(learner="svm").fit(texts, labels, source=source).save(paths["tags"])
    TextClassifier(learner="svm", calibration="none").fit(texts, labels).save(paths["scores"])
    TextClassifier(learner="svm").fit(texts, ["many" if len(own) > 1 else "few" for own in labels]).save(
        paths["one"]
    )
    paths["test"], paths["feedback"] = folder / "test.csv", folder / "corrections.csv"
    rows = [f"{'|'.join(own)},{text}" for text, own in zip(*recipes(200, seed=9), strict=True)]
    paths["test"].write_text("\n".join(["tags,text", *rows]) + "\n", encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def server(files: dict[str, Path]) -> Iterator[Server]:
    models = [files[name] for name in ("tags", "scores", "one")]
    with serving(*models, "--test", files["test"], "--feedback", files["feedback"]) as running:
        yield running


@pytest.fixture(scope="module")
def model(files: dict[str, Path]) -> TextClassifier:
    return load(files["tags"])


def given(server: Server, **asked: Any) -> list[list[str]]:
    reply = server.ask("/v1/predict", {"texts": TEXTS, **asked})
    assert reply.status == 200, reply.body
    return [result["label"] for result in reply.json()["results"]]


def test_labels_are_lists_with_the_probability_of_each(server: Server, model: TextClassifier) -> None:
    results = server.ask("/v1/predict", {"texts": TEXTS}).json()["results"]
    said = model.predictions(TEXTS)
    for result, labels, row in zip(results, said.labels(model.classes_), said.values, strict=True):
        assert result["label"] == list(labels)
        assert result["probabilities"] == dict(zip(model.classes_.tolist(), row.tolist(), strict=True))
        assert list(result["probabilities"].values()) == sorted(row.tolist(), reverse=True)
        assert result["rejected"] == (not labels)
        best = max(result["probabilities"], key=result["probabilities"].get)
        assert result["probability"] == result["probabilities"][labels[0] if labels else best]
        assert ("best" in result) == (not labels)
    assert {len(result["label"]) for result in results} >= {0, 1, 2, 3}
    (one,) = server.ask("/v1/predict", {"text": TEXTS[0]}).json()["results"]
    assert one == results[0]


def test_limits_and_thresholds_are_those_of_the_command_line(server: Server, model: TextClassifier) -> None:
    said, classes = model.predictions(TEXTS), model.classes_
    for asked, limits in (
        ({"at_least_one": True}, LabelLimits(True)),
        ({"at_most": 1}, LabelLimits(at_most=1)),
        ({"at_least_one": True, "at_most": 2}, LabelLimits(True, 2)),
        ({"threshold": 0.9}, LabelLimits()),
        ({"thresholds": {"oven": 1.0}, "at_most": 1}, LabelLimits(at_most=1)),
    ):
        own = [asked.get("thresholds", {}).get(label, asked.get("threshold", 0.0)) for label in classes]
        expected = limits(Decision(thresholds=own)(said)).labels(classes)
        assert given(server, **asked) == [list(labels) for labels in expected]
        query = "&".join(f"{name}={quote(json.dumps(value))}" for name, value in asked.items())
        table = "text\n" + "".join(f'"{text}"\n' for text in TEXTS)
        answer = server.ask(f"/v1/table?{query}", table.encode(), headers=CSV)
        rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
        assert [row["label"] for row in rows] == ["|".join(labels) for labels in expected]


def test_a_model_of_one_label_has_no_limits(server: Server) -> None:
    for asked in ({"at_most": 1}, {"at_least_one": True}):
        refused = server.ask("/v1/predict", {"text": "a", "model": "one", **asked})
        assert (refused.status, refused.error["code"]) == (400, "one-label")
    assert server.ask("/v1/table?model=one&at_most=1", b"text\na\n", headers=CSV).status == 400
    assert server.ask("/v1/table?at_most=0", b"text\na\n", headers=CSV).status == 400
    assert server.ask("/v1/predict", {"text": "a", "at_most": 0}).status == 400


def test_scores_where_there_are_no_probabilities(server: Server, files: dict[str, Path]) -> None:
    model = load(files["scores"])
    assert given(server, model="scores") == [list(labels) for labels in model.predict(TEXTS)]
    (result,) = server.ask("/v1/predict", {"text": TEXTS[-1], "model": "scores"}).json()["results"]
    assert result["probabilities"] is None
    assert result["scores"] == dict(
        zip(model.classes_.tolist(), model.predictions(TEXTS[-1:]).values[0].tolist(), strict=True)
    )
    refused = server.ask("/v1/predict", {"text": "a", "model": "scores", "threshold": 0.5})
    assert refused.error["code"] == "no-probabilities"


def test_tables_have_the_columns_of_the_command_line(server: Server, model: TextClassifier) -> None:
    lines = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    answer = server.ask("/v1/table", lines.encode(), headers={"Content-Type": "application/x-ndjson"})
    rows = [json.loads(line) for line in answer.body.decode().splitlines()]
    columns = PredictionColumns(model.classes_, nested=True)(model.predictions(TEXTS))
    assert [row["label"] for row in rows] == columns["label"]
    assert [row["probability"] for row in rows] == pytest.approx(np.asarray(columns["probability"]).tolist())
    table = "text\n" + "".join(f'"{text}"\n' for text in TEXTS)
    both = server.ask("/v1/table?other=scores", table.encode(), headers=CSV)
    for row in csv.DictReader(io.StringIO(both.body.decode())):
        same = set(row["label"].split("|")) == set(row["other_label"].split("|"))
        assert row["differs"] == ("false" if same else "true")


def test_two_models_differ_where_their_labels_are_others(server: Server) -> None:
    reply = server.ask("/v1/compare", {"texts": TEXTS, "models": ["tags", "scores", "tags"]}).json()
    first, second, third = ([set(r["label"]) for r in part["results"]] for part in reply["results"])
    assert first == third
    assert reply["differs"] == [one != other for one, other in zip(first, second, strict=True)]


@pytest.mark.parametrize("label", [None, *WORDS])
@pytest.mark.parametrize("name", ["tags", "scores"])
def test_a_label_is_explained_by_itself_or_against_another(
    server: Server, files: dict[str, Path], label: str | None, name: str
) -> None:
    model, text = load(files[name]), "roast bake the salmon dish"
    asked = {"text": text, "model": name} | ({} if label is None else {"label": label})
    reply = server.ask("/v1/explain", asked).json()
    assert reply["predicted"] == list(model.predict([text])[0])
    assert reply["label"] == (label or reply["predicted"][0])
    assert reply["against"] is None
    scores = dict(zip(model.classes_.tolist(), model.decision_function([text])[0].tolist(), strict=True))
    assert reply["score"] == pytest.approx(scores[reply["label"]], abs=1e-5)
    total = reply["bias"]
    for feature in reply["features"]:
        total += feature["addend"]
    assert reply["score"] == total
    other = next(own for own in WORDS if own != reply["label"])
    against = server.ask("/v1/explain", asked | {"label": reply["label"], "against": other}).json()
    assert against["against"] == other
    assert against["score"] == pytest.approx(scores[reply["label"]] - scores[other], abs=1e-5)


def test_models_say_from_where_on_labels_are_given(server: Server, model: TextClassifier) -> None:
    entries = {entry["name"]: entry for entry in server.ask("/v1/models").json()["models"]}
    assert entries["one"]["thresholds"] is None
    expected = dict(zip(model.classes_.tolist(), model.rule_.to_state(), strict=True))
    assert entries["tags"]["thresholds"] == expected
    for text in TEXTS[:10]:
        (result,) = server.ask("/v1/predict", {"text": text}).json()["results"]
        reached = {label for label, p in result["probabilities"].items() if p >= expected[label]}
        assert set(result["label"]) == reached


def test_the_card_has_the_figures_of_several_labels(server: Server, files: dict[str, Path]) -> None:
    said = server.ask("/v1/models/tags").json()
    model = load(files["tags"])
    texts, labels = recipes(200, seed=9)
    predicted = [set(own) for own in model.predict(texts)]
    right = sum(len(own & set(true)) for own, true in zip(predicted, labels, strict=True))
    figures = {metric["name"]: metric for metric in said["metrics"]}
    micro = 2 * right / (sum(map(len, predicted)) + sum(map(len, labels)))
    assert figures["micro F1"]["value"] == pytest.approx(micro)
    assert figures["micro F1"]["low"] <= micro <= figures["micro F1"]["high"]
    has = [(("oven" in own), ("oven" in true)) for own, true in zip(predicted, labels, strict=True)]
    assert figures["recall of oven"]["value"] == pytest.approx(
        sum(a and b for a, b in has) / sum(b for _, b in has)
    )
    assert {c["label"]: c["count"] for c in said["classes"]} == {
        name: sum(name in own for own in recipes()[1]) for name in WORDS
    }
    assert said["trained"]["examples"] == 300
    assert said["held_out"] == 200
    assert said["tested_on"] == "test file"
    assert said["confusion"] is None
    decisions = server.ask("/v1/models/tags/decisions").json()
    assert decisions["bins"] is None
    examples = server.ask("/v1/examples").json()["examples"]
    assert set(examples) <= set(texts)


def test_without_a_test_file_the_card_has_the_figures_of_held_out_texts(
    files: dict[str, Path], model: TextClassifier
) -> None:
    made = card(LoadedModel("tags", str(files["tags"])), None)
    assert (made.held_out, made.tested_on) == (300, "held-out examples")
    figures = {metric.name: metric for metric in made.metrics}
    assert model.outcomes_ is not None
    actual, called, right = model.outcomes_.label_counts()
    assert actual.tolist() == [sum(name in own for own in recipes()[1]) for name in model.classes_]
    assert made.metrics[0].name == "micro F1"
    assert figures["micro F1"].value == pytest.approx(2 * right.sum() / (actual + called).sum())
    assert figures["macro F1"].value == pytest.approx((2 * right / (actual + called)).mean())
    assert {f"{kind} of {name}" for kind in ("precision", "recall") for name in WORDS} <= set(figures)
    assert figures["recall of oven"].value == pytest.approx(
        (right / actual)[model.classes_.tolist().index("oven")]
    )
    assert "accuracy" not in figures
    assert made.trained["metric"] == "micro-f1"
    of_all = Outcomes(np.array([[-1, 0, 0, 1], [0, -1, 0, 2], [0, 0, 0, 3]], np.int32), 0, 20, rows=4)
    (micro,) = _held_out_label_metrics(of_all, model.classes_.tolist())  # what is kept of thousands of labels
    assert (micro.name, micro.value) == ("micro F1", pytest.approx(2 * 3 / (4 + 5)))


def test_a_correction_is_a_list_of_labels(server: Server, files: dict[str, Path]) -> None:
    def send(label: Any, **more: Any) -> int:
        return server.ask("/v1/feedback", {"text": "roast", "label": label, **more}).status

    assert send(["oven", "fish", "oven"], predicted=["oven"]) == 200
    assert send([], predicted=["oven"]) == 200
    assert send("oven") == 400
    assert send(["oven"], model="one") == 400
    assert send(["oven", "cake"]) == 400
    assert send(["oven", " "]) == 400
    assert send(["oven", ""]) == 400
    with files["feedback"].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["lindy_label"], row["lindy_predicted"]) for row in rows] == [
        ("oven|fish", "oven"),
        ("", "oven"),
    ]
    from lindy.data import read_examples

    read = read_examples(str(files["feedback"]), label="lindy_label", text="text", label_separator="|")
    assert read.labels is not None
    assert read.labels.to_pylist() == [["oven", "fish"], []]


def test_new_labels_are_taken_where_they_are_wanted(files: dict[str, Path], tmp_path: Path) -> None:
    corrections = tmp_path / "new.csv"
    with serving(files["tags"], "--feedback", corrections, "--new-labels") as running:
        assert running.ask("/v1/feedback", {"text": "sweet", "label": ["cake", "oven"]}).status == 200
        refused = running.ask("/v1/feedback", {"text": "sweet", "label": ["a|b"]})
        assert refused.status == 400
        assert "stands between labels" in refused.error["message"]
    assert corrections.read_text(encoding="utf-8").splitlines()[1].startswith("cake|oven,sweet,")


def test_texts_without_a_label_are_counted(server: Server) -> None:
    def count() -> int:
        text = server.ask("/metrics").body.decode()
        (line,) = [own for own in text.splitlines() if own.startswith('lindy_rejected_total{model="tags"}')]
        return int(line.split()[-1])

    before = count()
    none = sum(not labels for labels in given(server))
    assert none > 0
    assert count() == before + none


def test_a_test_file_must_fit_the_kind_of_labels(files: dict[str, Path]) -> None:
    tags, one = (LoadedModel(name, str(files[name])) for name in ("tags", "one"))
    other, lists = (files["test"].with_name(name) for name in ("other.csv", "lists.jsonl"))
    other.write_text("tags,text\nx|y,a\nz,b\nx,c\ny|z,d\nx|z,e\n", encoding="utf-8")
    with pytest.raises(
        DataError, match=r"its labels are 'fish', 'oven'.*those of the table are 'x', 'y', 'z'"
    ):
        TestFile(str(other)).check([tags])
    rows = [
        {"label": ["fish"], "tags": ["fish", "oven"], "text": "a"},
        {"label": [], "tags": [], "text": "b"},
    ]
    lists.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(DataError, match="rows have several labels, and the model gives one to each text"):
        TestFile(str(lists)).check([one])
    assert TestFile(str(lists)).check([tags, one]) == [
        "one: its rows have several labels, and the model gives one to each text"
    ]
    tested = TestFile(str(lists))(tags)
    assert tested is not None
    assert tested.evaluation.examples == 2
