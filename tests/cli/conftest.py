"""A small model and a way to run commands as a user does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lindy.cli.app import run


@dataclass
class Outcome:
    """Exit code and what was printed."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def lindy(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command in this process."""

    def call(*words: object) -> Outcome:
        capsys.readouterr()
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


def lindy_process(*words: object, stdin: str | None = None) -> Outcome:
    """Run a command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "lindy.cli", *map(str, words)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


TRAIN = """text,label
a wonderful warm book,good
wonderful and wise,good
a dull long book,bad
dull and empty,bad
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Four labelled reviews."""
    path = tmp_path / "reviews.csv"
    path.write_text(TRAIN, encoding="utf-8")
    return path


@pytest.fixture
def model(table: Path, tmp_path: Path, lindy: Command) -> Path:
    """A model trained on them."""
    path = tmp_path / "reviews.lindy"
    outcome = lindy("train", table, "-o", path, "--learner", "naive-bayes")
    assert outcome.code == 0, outcome.err
    return path
