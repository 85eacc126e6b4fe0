"""Solvers that are interrupted go on from their last checkpoint, and end in the same model, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from tests.stream.stream_helpers import rows, shrink, trained, write_csv

import lindy.cli.io.large
from lindy.cli.app import run
from lindy.linear.optimizers import dual, online_epochs
from lindy.stream import checkpoints
from lindy.stream.checkpoints import Checkpoint


@pytest.fixture
def often(monkeypatch):
    """Make every table a large one, and write a checkpoint after every round."""
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 10**9)
    shrink(monkeypatch, 5000)
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    monkeypatch.setattr(checkpoints, "SHARE", 0)


def test_a_state_is_kept_as_it_is(tmp_path):
    arrays = {
        "W": np.arange(6, dtype=np.float32).reshape(3, 2),
        "none": np.zeros((0, 2)),
        "b": np.float64([0.1]),
    }
    facts = {"passes": 3, "reach": float("inf"), "scale": 0.1 + 0.2}
    saved = Checkpoint(str(tmp_path / "001-dual"), {"shape": (3, 2)})
    assert saved.load() is None
    saved.save({"passes": 2}, {})
    saved.save(facts, arrays)
    found = Checkpoint(str(tmp_path / "001-dual"), {"shape": (3, 2)}).load()
    assert found is not None
    assert found[0] == facts
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[1][name], array)
        assert found[1][name].dtype == array.dtype
    assert Checkpoint(str(tmp_path / "001-dual"), {"shape": (3, 3)}).load() is None


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"x" + data[1:], lambda data: b"",
                                    lambda data: data[:-3] + b"\xff" + data[-2:]])  # fmt: skip
def test_a_damaged_state_is_not_believed(damage, tmp_path):
    saved = Checkpoint(str(tmp_path), {})
    saved.save({"passes": 3}, {"W": np.arange(1, 6)})
    state = tmp_path / "state"
    state.write_bytes(damage(state.read_bytes()))
    assert Checkpoint(str(tmp_path), {}).load() is None


def test_without_a_workspace_nothing_is_kept():
    nowhere = Checkpoint(None, {})
    assert not nowhere.is_due
    nowhere.save({}, {})
    assert nowhere.load() is None


def test_there_is_time_between_checkpoints(tmp_path):
    saved = Checkpoint(str(tmp_path), {})
    assert not saved.is_due
    saved.save({}, {})
    assert not saved.is_due


class Stopped:
    """Counts rounds, and interrupts the process when a checkpoint is written, before or after it is complete."""

    def __init__(self, monkeypatch, number: int | None, *, torn: bool = False) -> None:
        self.rounds = self.saves = 0
        self.rounds_before: list[int] = []  # each checkpoint
        save, visit, epoch, replace = Checkpoint.save, dual.ActiveRows.visit, online_epochs._epoch, os.replace

        def counted(given):
            def called(*args):
                self.rounds += 1
                return given(*args)

            return called

        def stopping(saved, facts, arrays):
            self.saves += 1
            self.rounds_before.append(self.rounds)
            if self.saves == number and torn:
                monkeypatch.setattr(os, "replace", self._stop)
            save(saved, facts, arrays)
            if self.saves == number:
                self._stop()

        monkeypatch.setattr(os, "replace", replace)
        monkeypatch.setattr(Checkpoint, "save", stopping)
        monkeypatch.setattr(dual.ActiveRows, "visit", counted(visit))
        monkeypatch.setattr(online_epochs, "_epoch", counted(epoch))

    def _stop(self, *_: object) -> None:
        raise KeyboardInterrupt


LEARNERS = [
    ("svm", "--ngrams", "1-2"),
    ("svm", "--ngrams", "1-2", "--param", "loss=hinge", "--param", "solver=dual"),
    ("svm", "--ngrams", "1-2", "--param", "tol=1e-9"),  # in float64
    ("maxent", "--ngrams", "1-2"),
    ("nb-svm", "--ngrams", "1-2"),
    ("perceptron",),
    ("mira", "--early-stop", "0.2"),
]


@pytest.mark.parametrize("torn", [False, True], ids=["complete", "torn"])
@pytest.mark.parametrize("options", LEARNERS, ids=" ".join)
def test_a_resumed_solver_ends_in_the_same_model(options, torn, often, tmp_path, monkeypatch):
    data = write_csv(tmp_path / "t.csv", rows(400))
    name, *others = options
    args = [str(data), "--learner", name, *others]
    with monkeypatch.context() as counting:
        whole = Stopped(counting, None)
        expected = trained(tmp_path / "whole.lindy", *args)
    assert whole.saves > 3
    target = tmp_path / "m.lindy"
    for number in sorted({2, whole.saves // 2, whole.saves - 1}):
        with monkeypatch.context() as interrupting:
            Stopped(interrupting, number, torn=torn)
            assert run(["train", *args, "-o", str(target), "--quiet"]) == 130
        with monkeypatch.context() as counting:
            after = Stopped(counting, None)
            assert trained(target, *args, "--resume") == expected
        done = whole.rounds_before[number - 2 if torn else number - 1]
        assert after.rounds == whole.rounds - done


KILLED = """
import os, sys
import lindy.cli.io.large, lindy.text.analysis.documents
from lindy import stream
from lindy.stream import checkpoints, workspace
lindy.cli.io.large.PER_BYTE, lindy.cli.io.large.PART = 10**9, 15000
workspace.LEAST, workspace.LEAST_PART, lindy.text.analysis.documents.BATCH_BYTES = 5000 << 5, 5000, 5000 // 3
stream._LARGE = 256
checkpoints.EVERY, checkpoints.SHARE = 0.0, 0
replace, done = os.replace, []
def killed(*paths):
    done.append(1)
    if len(done) == int(sys.argv[1]):
        os.kill(os.getpid(), 9)  # the new state is written, and has not taken the place of the old one
    replace(*paths)
checkpoints.os.replace = killed
from lindy.cli.app import run
sys.exit(run(sys.argv[2:]))
"""


@pytest.mark.parametrize("learner", ["svm", "mira"])
def test_a_killed_solver_is_resumed(learner, often, tmp_path):
    data = write_csv(tmp_path / "t.csv", rows(400))
    args = [str(data), "--learner", learner, "--ngrams", "1-2", "--memory", "160000"]
    expected = trained(tmp_path / "whole.lindy", *args)
    target = tmp_path / "m.lindy"
    for number in ("4", "2", "3"):  # each of them goes on where the one before was killed
        given = ["train", *args, "-o", str(target), "--resume", "--quiet"]
        killed = subprocess.run([sys.executable, "-c", KILLED, number, *given], check=False)
        assert killed.returncode == -9
    assert trained(target, *args, "--resume") == expected
