"""Running a script at every instruction-set level of the core."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lindy import _native

_KNOWN = ("baseline", "avx2", "avx512")
# those of this machine: a higher wish would run the highest again
LEVELS = _KNOWN[: _KNOWN.index(_native.isa()) + 1]


def printed_at(level: str, script: str, *, beside: str | None = None) -> str:
    """Return what a Python script prints at a level; it may import the modules beside a file."""
    path = {} if beside is None else {"PYTHONPATH": str(Path(beside).parent)}
    return subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"LINDY_ISA": level} | path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def printed_at_every_level(script: str, *, beside: str | None = None) -> set[str]:
    """Return what a script prints at the levels: one string if they agree."""
    return {printed_at(level, script, beside=beside) for level in LEVELS}
