"""``lindy explain`` and ``lindy inspect`` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lindy import TextClassifier
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
    told = lindy("explain", model, "wise but dull", "--label", "good", "--against", "bad", "--in-order")
    assert "[+] speaks for good, [-] for bad" in told.out
    assert told.out.index("wise  ") < told.out.index("dull  ")
    wrong = lindy("explain", model, "dull", "--label", "nonsense")
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
    assert "is not a feature" in lindy("inspect", model, "--feature", "zzyzx").out


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
