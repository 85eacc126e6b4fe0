"""The commands of the experiment cycle: compare, audit, split."""

from __future__ import annotations

import json
from pathlib import Path

from lindy.data import samples
from tests.cli.conftest import Command


def test_the_command_shows_a_table_and_json(lindy: Command, tmp_path: Path) -> None:
    path = samples.path("reviews-train")
    outcome = lindy(
        "compare", path, "--curve", "--ngrams", "1-2", "--learner", "svm", "--learner", "majority"
    )
    assert outcome.code == 0, outcome.err
    assert "svm" in outcome.out
    assert "accuracy with" in outcome.out
    every = json.loads(lindy("compare", path, "--json", "--quiet").out)
    assert every["test_rows"] == 60
    names = [result["name"] for result in every["results"]]
    assert set(names) == {
        "majority", "lexicon", "word-lists", "naive-bayes", "perceptron", "mira", "maxent", "svm", "nb-svm",
    }  # fmt: skip
    accuracies = [result["accuracy"] for result in every["results"]]
    assert accuracies == sorted(accuracies, reverse=True)
    again = json.loads(lindy("compare", path, "--json", "--quiet", "--threads", "1").out)
    assert [r["accuracy"] for r in again["results"]] == accuracies


def test_the_command_says_what_does_not_fit(lindy: Command, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "text,label\n" + "".join(f"text {i},{'ab'[i % 2]}\n" for i in range(20)), encoding="utf-8"
    )
    outcome = lindy("compare", table, "--test", table)
    assert "no row 'lexicon'" in outcome.err
    assert "20 of the 20 test texts are also among the training texts" in outcome.err
    assert lindy("compare", table, "--learner", "magic").code == 2
    assert lindy("compare", table, "--ngrams", "x").code == 2
    assert lindy("compare", table, "--share", "1").code == 2
    table.write_text("text,label\none,a\ntwo,a\n", encoding="utf-8")
    assert lindy("compare", table).code == 1
