"""``lindy evaluate`` for models that give any number of labels to a text."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from lindy.cli.commands.evaluate import report_labels
from lindy.cli.io.console import Notes
from lindy.cli.io.evaluation_tables import render_labels
from lindy.core.targets import as_lists
from lindy.evaluation import LabelEvaluation, Predictions, SeveralLabels, evaluate_labels
from tests.cli.conftest import Command

WORDS = {
    "gift": "birthday present wrapped",
    "late": "waiting weeks delayed",
    "angry": "furious terrible never",
}
"""The words by which each label is known."""


def write(path: Path, n: int, seed: int, extra: tuple[str, ...] = ()) -> Path:
    """Write messages with any number of labels, joined in a cell, or as lists where the name ends in .jsonl."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        labels = [label for label in WORDS if rng.random() < 0.4]
        words = rng.choice(["the", "order", "please", "mail", "shop"], 4).tolist()
        words += [rng.choice(WORDS[label].split()) for label in labels]
        rows.append((" ".join(words), labels))
    rows += [("the order", list(extra))] if extra else []
    if path.suffix == ".jsonl":
        lines = [json.dumps({"text": text, "tags": labels}) for text, labels in rows]
        path.write_text("\n".join(lines) + "\n")
        return path
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="") as file:
        out = csv.writer(file)
        out.writerow(["text", "tags"])
        out.writerows((text, "|".join(labels)) for text, labels in rows)
    return path


@pytest.fixture
def model(tmp_path_factory: pytest.TempPathFactory, lindy: Command) -> Path:
    folder = tmp_path_factory.mktemp("tags")
    train = write(folder / "train.csv", 300, 1)
    lindy("train", train, "--label", "tags", "--label-separator", "|", "-o", folder / "tags.lindy")
    return folder / "tags.lindy"


def test_the_same_figures_of_every_form_of_table(model: Path, tmp_path: Path, lindy: Command) -> None:
    names = ("test.csv", "test.csv.gz", "test.jsonl")
    records = [
        json.loads(lindy("evaluate", model, write(tmp_path / name, 120, 2), "--json").out) for name in names
    ]
    assert records[0] == records[1] == records[2]
    assert records[0]["micro_f1"] > 0.9
    assert records[0]["examples"] == 120
    assert [own["label"] for own in records[0]["labels"]] == ["angry", "gift", "late"]
    assert all(0 < own["threshold"] < 1 for own in records[0]["labels"])
    assert records[0]["used_for"] == []


def test_tables_unknown_labels_and_mistakes(model: Path, tmp_path: Path, lindy: Command) -> None:
    test, wrong = write(tmp_path / "test.csv", 60, 3, extra=("new", "gift")), tmp_path / "wrong.csv"
    ran = lindy("evaluate", model, test, "--mistakes", wrong)
    assert "61 examples with 4 different labels" in ran.out
    assert "new (unknown)" in ran.out
    assert "the model does not know 1 of the labels" in ran.err
    with wrong.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"row": "61", "label": "new|gift", "text": "the order"}.items() <= {
        name: value for row in rows if row["row"] == "61" for name, value in row.items()
    }.items()


def test_a_table_that_was_learned_from_is_known(model: Path, lindy: Command) -> None:
    ran = lindy("evaluate", model, model.parent / "train.csv")
    assert "this table was used for training" in ran.err


def test_predict_and_inspect_give_lists_and_thresholds(model: Path, tmp_path: Path, lindy: Command) -> None:
    test = tmp_path / "new.csv"
    test.write_text("text\nfurious the waiting weeks\nthe order\n")
    given = lindy("predict", model, test).out.splitlines()
    assert set(given[1].split(",")[0].split("|")) == {"angry", "late"}
    assert given[2].startswith(",")
    kept = lindy("predict", model, test, "--reject", "angry=2").out.splitlines()
    assert kept[1].startswith("late,")
    assert "every label from a threshold on" in lindy("inspect", model).out


@pytest.mark.parametrize("option", [["--reliability"], ["--precision", "0.9"]])
def test_options_for_one_label_are_refused(model: Path, option: list[str], lindy: Command) -> None:
    ran = lindy("evaluate", model, model.parent / "train.csv", *option)
    assert "the model gives any number of labels to a text" in ran.err


def evaluation() -> LabelEvaluation:
    p = np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.9]])
    predictions = SeveralLabels([0.5, 0.6])(Predictions(p.argmax(axis=1), p, are_probabilities=True))
    truth = as_lists([["a", "new"], ["a", "b"], ["b"]])
    return evaluate_labels(truth, predictions, ["a", "b"], [0.5, 0.6])


def test_tables_of_averages_ranks_and_labels() -> None:
    lines = [line.split() for line in render_labels(evaluation()).splitlines()]
    assert ["micro", "mean", "1.0000", "0.8000", "0.8889"] in lines
    assert ["macro", "mean", "0.6667", "0.6667", "0.6667"] in lines
    assert ["precision", "1.0000", "0.4444", "0.2667"] in lines
    assert ["b", "0.6000", "1.0000", "1.0000", "1.0000", "2"] in lines
    assert ["new", "(unknown)", "0.0000", "0.0000", "0.0000", "1"] in lines


def test_labels_that_the_model_does_not_know_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    report_labels(evaluation(), "f1:a", [], Notes(quiet=False), as_json=False)
    told = capsys.readouterr()
    assert told.out.startswith("trained for f1:a: 1.0000\nmicro F1  0.8889")
    assert "the model does not know 1 of the labels" in told.err
    assert "'new' (1)" in told.err


def test_json_has_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    report_labels(evaluation(), "accuracy", ["training"], Notes(quiet=True), as_json=True)
    record = json.loads(capsys.readouterr().out)
    assert record["micro_f1"] == pytest.approx(8 / 9)
    assert record["used_for"] == ["training"]
    assert record["unknown_labels"] == {"new": 1}
    assert [own["threshold"] for own in record["labels"]] == [0.5, 0.6, None]


def test_many_labels_are_not_all_listed() -> None:
    names = [f"label-{k:03}" for k in range(80)]
    predictions = SeveralLabels(0.5)(Predictions(np.arange(80), np.eye(80), are_probabilities=True))
    told = render_labels(evaluate_labels(as_lists([{name} for name in names]), predictions, names))
    assert "and 30 rarer labels: --json has all" in told
    assert "label-049" in told
    assert "label-050" not in told


def test_a_confusion_matrix_is_for_one_label_per_row(model: Path, tmp_path: Path, lindy: Command) -> None:
    ran = lindy("plot", "confusion", model, model.parent / "train.csv", "-o", tmp_path / "plot.png")
    assert (ran.code, "is for models of one label per text" in ran.err) == (2, True), ran.err


def test_a_model_of_one_label_is_not_judged_by_several(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "one.csv"
    table.write_text("text,tags\n" + "good fine,yes\nbad poor,no\n" * 10)
    assert lindy("train", table, "--label", "tags", "-o", tmp_path / "one.lindy", "-q").code == 0
    ran = lindy("evaluate", tmp_path / "one.lindy", write(tmp_path / "several.jsonl", 9, 4))
    assert ran.code == 1
    assert "rows have several labels, and the model gives one to each text" in ran.err
