"""Options in all combinations of two: ``train`` with the automatic recipe, ``tune`` and ``compare``.

What a command cannot do together it has to refuse with a message; none of these are such.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy import load
from lindy.cli.app import run
from lindy.data import read_table
from tests.covering import covering

LABELS = {"billing": ["invoice", "refund"], "shipping": ["parcel", "late"], "tech": ["login", "crash"]}
COLUMNS = {
    "texts": [["--text", "body"], ["--text", "body", "--text", "subject"], []],
    "numeric": [[], ["--numeric", "price"]],
    "category": [[], ["--category", "sender"]],
}
DIVISION = {
    "division": [[], ["--group", "customer"], ["--time", "day"], ["--group", "customer", "--time", "day"]]
}
METRIC = {"metric": [[], ["--metric", "macro-f1"], ["--metric", "log-loss"], ["--metric", "f1:tech"]]}
WORDS = {"select": [[], ["--select", "chi2:20"]], "patterns": [[], ["--patterns"]]}

TRAIN = {
    **COLUMNS,
    **DIVISION,
    **METRIC,
    **WORDS,
    "class weight": [[], ["--class-weight", "balanced"], ["--class-weight", "tech=3"]],
    "weight": [[], ["--weight", "importance"]],
    "early stop": [[], ["--early-stop"], ["--early-stop", "0.25"]],
    "features": [
        [],
        ["--fast"],
        ["--ngrams", "1-2", "--chars", "3"],
        ["--weighting", "bm25"],
        ["--subwords", "60"],
    ],
    "calibration": [[], ["--calibrate", "best"], ["--calibrate", "none"]],
}
TUNE = {
    **COLUMNS,
    **DIVISION,
    **METRIC,
    **WORDS,
    "weight": [[], ["--weight", "importance"]],
    "held out": [[], ["--folds", "3"], ["--dev", "0.3"], ["--dev", "later.csv"]],
    "strategy": [[], ["--strategy", "grid"], ["--strategy", "random", "--trials", "3"]],
}
COMPARE = {
    **COLUMNS,
    **DIVISION,
    **METRIC,
    **WORDS,
    "held out": [[], ["--share", "0.4"], ["--test", "later.csv"]],
    "weighting": [[], ["--weighting", "bm25"]],
    "curve": [[], ["--curve"]],
}


def words(options: dict[str, list[str]]) -> list[str]:
    return [word for own in options.values() for word in own]


def shown(options: Any) -> str:
    return " ".join(words(options))


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two tables of tickets, one of which begins where the other ends."""
    folder, rng = tmp_path_factory.mktemp("tickets"), np.random.default_rng(0)
    for name, month, n in (("tickets.csv", 1, 90), ("later.csv", 6, 30)):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(["subject", "body", "price", "sender", "customer", "day", "importance", "label"])
            for i in range(n):
                label = ["billing", "shipping", "tech"][i % 3 if i % 5 else 0]
                hint = LABELS[label][i % 2] if rng.random() < 0.8 else "hello"
                out.writerow(
                    [
                        f"{hint} please" if i % 4 else "",
                        f"my {hint} {rng.choice(['again', 'today', 'now'])} COSTS $5",
                        f"{rng.gamma(2, 20):.2f}" if i % 9 else "",
                        ["web", "mail", "phone"][rng.integers(3)],
                        f"customer {rng.integers(15)}" if i % 10 else "",
                        f"2024-{month + i // 28:02}-{1 + i % 28:02}",
                        i % 3 + 1,
                        label,
                    ]
                )
    return folder


def test_any_two_settings_occur_together() -> None:
    for options in (TRAIN, TUNE, COMPARE):
        chosen = covering(options)
        for a in options:
            for b in options:
                if a != b:
                    assert all(
                        any(own[a] == x and own[b] == y for own in chosen)
                        for x in options[a]
                        for y in options[b]
                    )


@pytest.mark.parametrize("options", covering(TRAIN), ids=shown)
def test_train(
    options: dict[str, list[str]], tickets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.lindy"
    given = ["train", str(tickets / "tickets.csv"), "--label", "label", *words(options), "-o", str(path)]
    code = run([*given, "--json"])
    said = capsys.readouterr()
    assert code == 0, said.err
    summary, model = json.loads(said.out), load(path)
    counted = (
        read_table(tickets / "tickets.csv").column("importance").to_pylist()
    )  # a weight is a number of rows
    assert summary["examples"] == (sum(map(float, counted)) if "--weight" in given else 90)
    assert model.has_probabilities or "none" in given
    assert ("accuracy on held-out texts" in said.err) == ("--early-stop" in given)
    if "--early-stop" in given:
        assert summary["learner"] in ("mira", "perceptron")
    table = read_table(tickets / "later.csv")
    predicted = model.predict(table.column("body") if model.columns is None else rows(model, table))
    assert set(predicted) <= set(LABELS)


def rows(model: Any, table: Any) -> Any:
    """Return what a model of several columns reads of a table."""
    from lindy.data.columns.records import rows_of

    return rows_of(table, model.columns, need_label=False, trained=True).texts


@pytest.mark.parametrize("options", covering(TUNE), ids=shown)
def test_tune(
    options: dict[str, list[str]],
    tickets: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tickets)
    path = tmp_path / "m.lindy"
    small = ["--learner", "svm", "--learner", "naive-bayes", "--points", "2", "--ngrams", "1"]
    code = run(
        ["tune", "tickets.csv", "--label", "label", *small, *words(options), "--json", "-o", str(path)]
    )
    said = capsys.readouterr()
    assert code == 0, said.err
    assert json.loads(said.out)["ended"] == "done"
    model = load(path)
    assert ("by χ²" in model.recipe_) == ("--select" in words(options))


@pytest.mark.parametrize("options", covering(COMPARE), ids=shown)
def test_compare(
    options: dict[str, list[str]],
    tickets: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tickets)
    small = [
        "--learner",
        "svm",
        "--learner",
        "naive-bayes",
        "--learner",
        "perceptron",
        "--learner",
        "majority",
    ]
    code = run(["compare", "tickets.csv", "--label", "label", *small, *words(options), "--json"])
    said = capsys.readouterr()
    assert code == 0, said.err
    found = json.loads(said.out)
    assert len(found["results"]) == 4
    assert found["test_rows"] > 0
    assert bool(found["curve"]) == ("--curve" in words(options))
