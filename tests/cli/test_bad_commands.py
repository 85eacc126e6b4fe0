"""Invocations that are wrong in ways drawn from the parser itself: ``make torture`` runs all ten thousand of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lindy.cli.app import COMMANDS
from tests.hostile.command_files import make
from tests.hostile.commands import BASES, Call, Outcome, broken, calls, outcomes, sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("commands") / "files"
    make(made)
    return made


def test_every_command_is_among_them() -> None:
    assert set(BASES) == set(COMMANDS)
    made = calls()
    assert len(made) >= 5000
    assert all(sum(call.words[0] == command for call in made) > 25 for command in COMMANDS)


@pytest.mark.limits_memory
def test_what_works_works_and_is_not_blamed(folder: Path) -> None:
    working = [Call((command, *words)) for command, words in BASES.items() if command != "demo"]
    for call, outcome in outcomes(working, folder):
        assert outcome.code == 0, (call.shown, outcome)
        assert broken(call, outcome) == []


@pytest.mark.limits_memory
def test_bad_invocations_are_refused_in_a_line_or_two_and_change_nothing(folder: Path) -> None:
    wrong = {
        call.shown: found
        for call, outcome in outcomes(sample(160, seed=5), folder)
        if (found := broken(call, outcome))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "words",
    [
        ["predict", "model.lindy", "good.csv", "--keep=a\nb"],
        ["predict", "model.lindy", "good.csv", "--top-k=--"],
        ["train", "\udcff\udcfe.csv"],
        ["inspect", "\x1b[31mred.csv"],
        ["evaluate", "model.lindy", "good.csv", "--label="],
    ],
)
def test_as_processes(words: list[str], folder: Path) -> None:
    command = [sys.executable, "-m", "lindy", *words]
    done = subprocess.run(
        [os.fsencode(word) for word in command], cwd=folder, capture_output=True, timeout=120, check=False
    )
    outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert broken(Call(tuple(words), must_fail=True), outcome) == []


def test_an_outcome_that_breaks_a_promise_is_seen() -> None:
    call = Call(("train", "x.csv"), must_fail=True, names=("x.csv",))
    fine = Outcome(1, err="error: x.csv: no such file\nhint:  Check the name.\n")
    assert broken(call, fine) == []
    for outcome in (
        Outcome(0),
        Outcome(3, err=fine.err),
        Outcome(1, err=""),
        Outcome(1, err="error: no such file\n"),
        Outcome(1, err="error: x.csv\nTraceback (most recent call last):\n"),
        Outcome(1, err="error: x.csv \x1b[31m\n"),
        Outcome(1, err=f"error: x.csv {'y' * 5000}\n"),
        Outcome(1, err=fine.err, changed=["m.lindy"]),
        Outcome(None, escaped="KeyError"),
    ):
        assert broken(call, outcome), outcome
