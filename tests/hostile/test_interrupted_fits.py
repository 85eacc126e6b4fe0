"""Ctrl-C in every kind of fit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lindy.linear.optimizers import SOLVERS


def test_every_kind_of_fit_ends_by_ctrl_c() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.interrupt_fits"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    outcomes = dict(line.split(": ") for line in done.stdout.splitlines())
    assert set(outcomes.values()) == {"interrupted"}
    assert {f"solver {name}" for name in SOLVERS} < set(outcomes)
    assert "automatic search" in outcomes
