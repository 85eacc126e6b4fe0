"""``lindy report`` and ``lindy train --report``."""

from __future__ import annotations

from pathlib import Path

from lindy.data import samples
from tests.cli.conftest import Command


def test_the_command_writes_the_page(lindy: Command, tmp_path: Path) -> None:
    train, test = samples.path("reviews-train"), samples.path("reviews-test")
    told = lindy("train", train, "-o", tmp_path / "m.lindy", "--report", tmp_path / "train.html", "--quiet")
    assert told.code == 0, told.err
    assert "by a copy that learned from the others" in (tmp_path / "train.html").read_text(encoding="utf-8")
    told = lindy("report", tmp_path / "m.lindy", test, "-o", tmp_path / "r.html", "--title", "Mine")
    assert told.code == 0, told.err
    assert "<h1>Mine</h1>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    told = lindy(
        "train", train, "-o", tmp_path / "m.lindy", "--report", tmp_path / "t.html", "--test", test, "-q",
        "--text", "text", "--learner", "naive-bayes",
    )  # fmt: skip
    assert told.code == 0, told.err
    assert "reviews-test.csv" in (tmp_path / "t.html").read_text(encoding="utf-8")
