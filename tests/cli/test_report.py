"""``lindy report`` and ``lindy train --report``."""

from __future__ import annotations

from pathlib import Path

from lindy import load
from lindy.data import samples
from tests.cli.conftest import Command


def test_the_command_writes_the_page(lindy: Command, tmp_path: Path) -> None:
    train, test = samples.path("reviews-train"), samples.path("reviews-test")
    told = lindy("train", train, "-o", tmp_path / "m.lindy", "--report", tmp_path / "train.html", "--quiet")
    assert told.code == 0, told.err
    page = (tmp_path / "train.html").read_text(encoding="utf-8")
    assert "by a copy that learned from the others" in page
    assert f"<dt>recipe</dt><dd>{load(tmp_path / 'm.lindy').recipe_}</dd>" in page
    told = lindy("report", tmp_path / "m.lindy", test, "-o", tmp_path / "r.html", "--title", "Mine")
    assert told.code == 0, told.err
    assert "<h1>Mine</h1>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    told = lindy(
        "train", train, "-o", tmp_path / "m.lindy", "--report", tmp_path / "t.html", "--test", test, "-q",
        "--text", "text", "--learner", "naive-bayes",
    )  # fmt: skip
    assert told.code == 0, told.err
    assert "reviews-test.csv" in (tmp_path / "t.html").read_text(encoding="utf-8")


def test_a_recipe_has_the_same_words_everywhere(lindy: Command, tmp_path: Path) -> None:
    train, model = samples.path("reviews-train"), tmp_path / "m.lindy"
    told = lindy("train", train, "-o", model, "--learner", "svm", "--ngrams", "1-2", "--patterns")
    recipe = "words 1-2, tf-idf and patterns; SVM (C=1)"
    assert f"recipe: {recipe}\n" in told.err
    assert f" {recipe}\n" in lindy("inspect", model).out
    assert repr(load(model)).endswith(f": {recipe}")
    told = lindy("train", train, "-o", model, "--fast", "--patterns", "--force")
    assert "recipe: words 1-2, tf-idf and patterns; SVM with log-count ratios (C=1)\n" in told.err
