"""``lindy explain`` and ``lindy inspect`` as a user calls them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy import MaxEnt, TextClassifier, load
from lindy.explain import weight_pieces
from lindy.features import DictVectorizer
from tests.cli.conftest import Command, lindy_process


def test_explain_shows_text_table_score_and_what_would_change_it(model: Path, lindy: Command) -> None:
    told = lindy("explain", model, "a dull, warm book zzyzx")
    assert told.code == 0, told.err
    assert "[++dull]" in told.out or "[+dull]" in told.out
    assert "[?zzyzx]" in told.out
    assert "total bad" in told.out
    assert "P(label | text)" in told.out


def test_explain_as_json_and_as_a_page(model: Path, tmp_path: Path, lindy: Command) -> None:
    told = lindy("explain", model, "dull", "--json", "--html", tmp_path / "why.html")
    assert json.loads(told.out)["label"] == "bad"
    assert (tmp_path / "why.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "wrote" in told.err


def test_explain_one_label_against_another_in_the_order_of_the_text(model: Path, lindy: Command) -> None:
    told = lindy("explain", model, "wise but dull", "--class", "good", "--against", "bad", "--in-order")
    assert "[+] speaks for good, [-] for bad" in told.out
    assert told.out.index("wise  ") < told.out.index("dull  ")
    wrong = lindy("explain", model, "dull", "--class", "nonsense")
    assert wrong.code == 2
    assert "its labels: bad, good" in wrong.err


def test_explain_reads_stdin(model: Path) -> None:
    told = lindy_process("explain", model, "-", stdin="such a dull book\n")
    assert told.code == 0, told.err
    assert "label bad" in told.out


@pytest.mark.parametrize("learner", ["naive-bayes", "svm", "perceptron"])
def test_inspect_shows_recipe_classes_and_features(
    learner: str, table: Path, tmp_path: Path, lindy: Command
) -> None:
    path = tmp_path / "m.lindy"
    assert lindy("train", table, "-o", path, "--learner", learner).code == 0
    told = lindy("inspect", path, "--top", 3)
    assert told.code == 0, told.err
    assert "wonderful" in told.out.partition("for good\n")[2]
    assert "50.0%" in told.out
    assert ("prior" in told.out) == (learner == "naive-bayes")
    assert ("certificate" in told.out) == (learner == "svm")
    record = json.loads(lindy("inspect", path, "--json", "--class", "bad").out)
    assert list(record["top"]) == ["bad"]
    assert "dull" in [entry["feature"] for entry in record["top"]["bad"]]
    assert record["features"] == 8


def test_inspect_one_feature(model: Path, lindy: Command) -> None:
    told = lindy("inspect", model, "--feature", "Dull")
    assert "feature dull" in told.out
    assert "odds ratio" in told.out
    assert "recipe" not in told.out
    assert lindy("inspect", model, "--feature", "zzyzx").out.startswith("not known: 'zzyzx' is not a feature")


def test_a_feature_is_the_whole_word_and_not_its_characters(
    table: Path, tmp_path: Path, lindy: Command
) -> None:
    path = tmp_path / "m.lindy"
    assert (
        lindy("train", table, "-o", path, "--learner", "svm", "--ngrams", "1-2", "--chars", "1-3").code == 0
    )
    for asked, names in {
        "Wonderful": ["words__wonderful"],
        "dull long": ["words__dull long"],
        "wise wonderful": [],
        "zz": [],
        "wonderf": [],
    }.items():
        record = json.loads(lindy("inspect", path, "--feature", asked, "--json").out)
        assert [feature["feature"] for feature in record["inspected"]] == names


@pytest.mark.parametrize("learner", ["naive-bayes", "svm", "perceptron"])
def test_inspect_writes_all_weights(learner: str, table: Path, tmp_path: Path, lindy: Command) -> None:
    path, out = tmp_path / "m.lindy", tmp_path / "weights.csv"
    assert lindy("train", table, "-o", path, "--learner", learner).code == 0
    told = lindy("inspect", path, "--weights", out)
    assert f"wrote {16 if learner == 'naive-bayes' else 8} weights to {out}" in told.err
    assert "recipe" in told.out
    fitted = load(path)
    with out.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["feature", "class", "weight", "count"]
    for row in rows:
        column = fitted.vectorizer_.vocabulary_[row["feature"]]
        k = fitted.classes_.tolist().index(row["class"]) if learner == "naive-bayes" else 0
        assert float(row["weight"]) == pytest.approx(float(fitted.learner_.W_[column, k]), rel=1e-5)
        assert row["class"] == "good" or learner == "naive-bayes"
        counted = fitted.learner_.counts_.to_dense()[column, k] if learner == "naive-bayes" else None
        assert row["count"] == ("" if counted is None else f"{counted:g}")
    assert lindy("inspect", path, "--weights", "-").out == out.read_text(encoding="utf-8")
    assert not lindy("inspect", path, "--weights", out, "-q").err


def test_weights_are_written_whole_or_refused(table: Path, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "m.lindy"
    assert lindy("train", table, "-o", path, "--learner", "majority").code == 0
    refused = lindy("inspect", path, "--weights", tmp_path / "w.csv")
    assert refused.code == 1
    assert "MajorityClass has no weights" in refused.err
    assert not (tmp_path / "w.csv").exists()
    refused = lindy("inspect", path, "--weights", "-", "--json")
    assert refused.code == 2
    assert lindy("inspect", path, "--weights", tmp_path / "w.lindy").code == 2


def test_weights_of_a_sparse_model_come_in_pieces() -> None:
    texts, labels = ["warm book", "dull book", "wise end"] * 4, ["a", "b", "c"] * 4
    fitted = TextClassifier(learner=MaxEnt(penalty="l1", C=1.0)).fit(texts, labels)
    whole, parts = list(weight_pieces(fitted)), list(weight_pieces(fitted, at_once=2))
    assert len(parts) > 1

    def rows(pieces: list[Any]) -> list[tuple[str, str, float]]:
        return [
            (piece["feature"][0][i], piece["class"][0][k], float(weight))
            for piece in pieces
            for i, k, weight in zip(piece["feature"][1], piece["class"][1], piece["weight"], strict=True)
        ]

    assert rows(whole) == rows(parts)
    W = fitted.learner_.W_
    assert sum(weight != 0 for _, _, weight in rows(whole)) == np.count_nonzero(W)


@pytest.mark.parametrize(
    ("learner", "head"),
    [
        ("naive-bayes", "log P bad"),
        ("bernoulli-naive-bayes", "adds bad"),
        ("categorical-naive-bayes", "adds bad"),
        ("complement-naive-bayes", "adds bad"),
        ("gaussian-naive-bayes", "adds bad"),
    ],
)
def test_only_log_probabilities_are_called_so(
    learner: str, head: str, table: Path, tmp_path: Path, lindy: Command
) -> None:
    path, page = tmp_path / "m.lindy", tmp_path / "why.html"
    assert lindy("train", table, "-o", path, "--learner", learner).code == 0
    told = lindy("explain", path, "a dull book", "--html", page)
    assert head in told.out
    assert (
        ("log P" in told.out) == ("log P" in page.read_text(encoding="utf-8")) == (learner == "naive-bayes")
    )


@pytest.mark.parametrize("learner", ["naive-bayes", "svm", "kernel-svm"])
def test_an_explanation_prints_as_the_command_does(
    learner: str, table: Path, tmp_path: Path, lindy: Command
) -> None:
    path = tmp_path / "m.lindy"
    assert lindy("train", table, "-o", path, "--learner", learner).code == 0
    explanation = load(path).explain("a dull but warm book")
    assert f"{explanation}\n" == lindy("explain", path, "a dull but warm book").out
    assert explanation.to_dict() == json.loads(lindy("explain", path, "a dull but warm book", "--json").out)


def test_a_model_of_dictionaries_explains_json(tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "m.lindy"
    rows = [{"from": "bob", "n": 2}, {"from": "ann"}]
    TextClassifier(vectorizer=DictVectorizer(), learner="maxent").fit(rows * 6, ["p", "q"] * 6).save(path)
    told = lindy("explain", path, '{"from": "bob", "n": 3}', "--json")
    assert json.loads(told.out)["label"] == "p"
    assert "from=bob" in told.out
    assert lindy("explain", path, "{}").code == 0
    deep, long = "[" * 100_000, '{"n": 1' + "0" * 1000 + "}"
    for given in ("from=bob", "[1]", "3", deep, long, '{"n": {"a": 1}}', '{"n": [1]}', '{"n": 1e400}'):
        refused = lindy("explain", path, given)
        assert refused.code == 2
        assert "dictionar" in refused.err
        assert '"colour": "red"' in refused.err


def test_inspect_shows_some_of_many_classes(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "many.csv"
    rows = "".join(f"word{k} other{k},label{k:02}\n" for k in range(60) for _ in range(2))
    table.write_text(f"text,label\n{rows}", encoding="utf-8")
    model = tmp_path / "many.lindy"
    assert lindy("train", table, "-o", model, "--learner", "naive-bayes").code == 0
    told = lindy("inspect", model).out
    assert told.count("largest odds ratios for label") == 50
    assert "and 10 more classes: --class LABEL shows one, --json all" in told
    assert "largest odds ratios for label59" in lindy("inspect", model, "--class", "label59").out
