"""``--hierarchy``: what stands above labels, in every command that has to do with it, and in the service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lindy.web.http.problems import Problem
from lindy.web.messages import PredictRequest
from lindy.web.model_registry import LoadedModel
from lindy.web.predicting import predict
from tests.cli.conftest import Command
from tests.test_hierarchy import PAIRS, UNSURE, corpus, write_pairs


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lindy: Command) -> str:
    """Return the file of a model with a taxonomy, in a folder with the tables of its training and of new texts."""
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{label},{text}" for text, label in zip(*corpus(last=True), strict=True))
    Path("train.csv").write_text(f"label,text\n{rows}\n", encoding="utf-8")
    Path("new.csv").write_text("text\n" + "\n".join(UNSURE) + "\n", encoding="utf-8")
    taxonomy = write_pairs(tmp_path / "taxonomy.csv", PAIRS)
    words = ["train", "train.csv", "--learner", "naive-bayes", "-o", "m.lindy"]
    outcome = lindy(*words, "--hierarchy", taxonomy)
    assert outcome.code == 0, outcome.err
    wrong = lindy(*words, "--hierarchy", "none.csv")
    assert wrong.code != 0
    assert "none.csv: no such file" in wrong.err
    return "m.lindy"


def test_predict_gives_what_stands_above(trained: str, lindy: Command) -> None:
    lines = lindy("predict", trained, "new.csv", "--reject", "0.8").out.splitlines()
    assert lines[0] == "label,probability,label_1,probability_1"
    told = [line.split(",") for line in lines[1:]]
    assert [own[0] for own in told] == ["physics"] * 2
    assert all(float(own[1]) >= 0.8 > float(own[3]) for own in told)
    assert all(own[2] in ("optics", "mechanics") for own in told)
    some = lindy("predict", trained, "new.csv", "--reject", "optics=1,mechanics=1,physics=1", "--json")
    assert [json.loads(line)["label"] for line in some.out.splitlines()] == ["science"] * 2
    unknown = lindy("predict", trained, "new.csv", "--reject", "chemistry=0.5")
    assert "no class is called 'chemistry'" in unknown.err


def test_evaluate_and_inspect_say_so(trained: str, lindy: Command) -> None:
    assert "hierarchical F1  0." in lindy("evaluate", trained, "train.csv").out
    told = json.loads(lindy("evaluate", trained, "train.csv", "--json").out)
    assert told["accuracy"] < told["hierarchical_recall"] < 1
    assert told["intervals"]["hierarchical_f1"][0] < told["hierarchical_f1"]
    assert "hierarchy      3 nodes above 5 labels\n" in lindy("inspect", trained).out
    assert json.loads(lindy("inspect", trained, "--json").out)["hierarchy"] == "3 nodes above 5 labels"


def test_labels_by_themselves_are_said(trained: str, lindy: Command, tmp_path: Path) -> None:
    taxonomy = write_pairs(tmp_path / "some.csv", PAIRS[:4])
    said = lindy("train", "train.csv", "--learner", "naive-bayes", "-o", trained, "--hierarchy", taxonomy)
    assert "warning: 2 of 5 labels are not in the taxonomy" in said.err


def test_the_service_answers_so(trained: str) -> None:
    served = LoadedModel("m", trained)
    reply = predict(served, UNSURE, PredictRequest(texts=UNSURE, threshold=0.8))
    for result in reply.results:
        assert result.label == "physics"
        assert result.best in ("optics", "mechanics")
        assert not result.rejected
        assert result.probability is not None
        assert result.probability >= 0.8
        assert set(result.probabilities or ()) == set(served.labels)
    above = PredictRequest(texts=UNSURE, threshold=0.8, thresholds={"physics": 1.0})
    assert [result.label for result in predict(served, UNSURE, above).results] == ["science"] * 2
    with pytest.raises(Problem, match="no label 'chemistry'"):
        predict(served, UNSURE, PredictRequest(texts=UNSURE, thresholds={"chemistry": 0.5}))
    plain = predict(served, UNSURE)
    assert all(result.label in served.labels for result in plain.results)


def test_pages_give_labels_themselves(trained: str, lindy: Command) -> None:
    assert lindy("export", trained, "m.html", "--reject", "0.8").code == 0
    assert lindy("export", trained, "n.html", "--reject", "physics=0.8").code != 0
