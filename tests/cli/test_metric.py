"""``--metric`` and ``--class-weight`` of the commands, and words about rare classes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Command


def write(path: Path, n: int, share: float, seed: int) -> Path:
    """Write messages of which a share is spam, with more money words than others, but not always."""
    rng = np.random.default_rng(seed)
    usual, money = [f"word{i}" for i in range(60)], ["cash", "prize", "win", "free", "claim", "bonus"]
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["text", "label"])
        for _ in range(n):
            spam = rng.random() < share
            words = (
                rng.choice(usual, 8).tolist() + rng.choice(money, rng.poisson(1.2 if spam else 0.15)).tolist()
            )
            out.writerow([" ".join(words), "spam" if spam else "ham"])
    return path


@pytest.fixture(scope="module")
def rare(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rare")
    return write(folder / "train.csv", 1200, 0.04, 1), write(folder / "test.csv", 1500, 0.04, 2)


def test_from_train_to_inspect(rare: Any, tmp_path: Path, lindy: Command) -> None:
    train, test = rare
    model = tmp_path / "model.lindy"
    plain = lindy("train", train, "-o", model, "--json")
    assert plain.code == 0, plain.err
    assert "warning: " in plain.err
    assert "--metric f1:spam" in plain.err
    assert json.loads(plain.out)["metric"] == "accuracy"
    assert "--metric f1:spam" in json.loads(plain.out)["concerns"][0]
    before = lindy("evaluate", model, test)
    assert "warning: " in before.err
    assert "texts of this table" in before.err
    assert "trained for" not in before.out
    made = lindy("train", train, "-o", model, "--metric", "f1:spam")
    assert "by F1 of spam" in made.err
    assert "rule: spam from a probability of 0." in made.err
    after = lindy("evaluate", model, test)
    assert after.out.startswith("trained for f1:spam: F1 of spam: 0.")
    assert "metric         f1:spam" in lindy("inspect", model).out
    assert json.loads(lindy("inspect", model, "--json").out)["metric"] == "f1:spam"
    assert json.loads(lindy("evaluate", model, test, "--json").out)["metric"] == "f1:spam"
    header, *rows = csv.reader(lindy("predict", model, test, "-q").out.splitlines())
    assert header == ["label", "probability"]
    spam = [float(p) for label, p in rows if label == "spam"]
    assert min(spam) < 0.5


def test_class_weights_without_a_named_learner(rare: Any, tmp_path: Path, lindy: Command) -> None:
    train, test = rare
    model = tmp_path / "model.lindy"
    made = lindy("train", train, "-o", model, "--class-weight", "balanced")
    assert made.code == 0, made.err
    assert "classes weighted" in made.err
    recall = json.loads(lindy("evaluate", model, test, "--json").out)["classes"]["spam"]["recall"]
    assert recall > 0.5
    assert lindy("train", train, "-o", model, "--class-weight", "spam=9", "--fast").code == 0
    assert "class weights spam=9" in lindy("inspect", model).out
    wrong = lindy("train", train, "-o", model, "--class-weight", "spma=9", "--fast")
    assert wrong.code == 1
    assert "labels that no example has: ['spma']" in wrong.err


@pytest.mark.parametrize(
    ("metric", "code", "says"),
    [
        ("auc", 2, "There are: accuracy, macro-f1, f1:LABEL, log-loss, recall@precision:P"),
        ("f1", 2, "add its label, e.g. f1:spam"),
        ("recall@precision:90", 2, "above 0 and up to 1"),
        ("f1:spma", 1, "hint:  Did you mean 'spam'? There are: ham, spam"),
    ],
)
@pytest.mark.parametrize("command", ["train", "tune", "compare"])
def test_bad_metrics(
    command: str, metric: str, code: int, says: str, rare: Any, tmp_path: Path, lindy: Command
) -> None:
    output = ["-o", tmp_path / "model.lindy"] if command == "train" else []
    wrong = lindy(command, rare[0], *output, "--metric", metric)
    assert wrong.code == code
    assert says in wrong.err


def test_tune_and_compare(rare: Any, tmp_path: Path, lindy: Command) -> None:
    train, test = rare
    model = tmp_path / "model.lindy"
    options = ["--learner", "svm", "--points", 2, "--weighting", "tfidf", "--metric", "f1:spam"]
    tuned = lindy("tune", train, *options, "-o", model, "--json")
    assert tuned.code == 0, tuned.err
    assert 0 < json.loads(tuned.out)["best"][0]["f1:spam"] <= 1
    assert "metric         f1:spam" in lindy("inspect", model).out
    compared = lindy("compare", train, "--test", test, "--metric", "f1:spam")
    assert compared.code == 0, compared.err
    rows = [line.split() for line in compared.out.splitlines() if line.count(" s ") > 1]
    figures = [float(row[1]) for row in rows]
    assert figures == sorted(figures, reverse=True)
    assert figures[-1] < 0.2 < figures[0]
    assert "difference of f1:spam against the best" in compared.out


@pytest.mark.parametrize("rows", ["good book,x\nbad film,y\n", "good book,x\nbad film,y\nnice book,x\n"])
def test_the_header_of_predictions_does_not_depend_on_how_few_examples_there_were(
    rows: str, tmp_path: Path, lindy: Command
) -> None:
    table, model = tmp_path / "few.csv", tmp_path / "few.lindy"
    table.write_text(f"text,label\n{rows}", encoding="utf-8")
    assert lindy("train", table, "-o", model).code == 0
    assert lindy("predict", model, table, "-q").out.splitlines()[0] == "label,probability"
