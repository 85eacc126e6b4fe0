"""Runs the torture, and writes what happened into benchmarks/RELIABILITY.md.

    python -m benchmarks.torture [topic …] [-- arguments of the topic]

Sections of other topics stay as they are. A topic fails, and ends the run, where lindy breaks a promise; what rivals do
is printed beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.sections import Document
from benchmarks.torture._promises import overview

HERE = Path(__file__).parent
RELIABILITY = Document(
    HERE.parent / "RELIABILITY.md",
    "# Reliability\n\nWritten by `make torture`: every promise with its figure; then, topic by topic,\n"
    "the same abuse of lindy and of its rivals, and what happened.\n\n",
    "benchmarks.torture",
    sorted(module.stem for module in HERE.glob("[a-z]*.py")),
    overview,
)

if __name__ == "__main__":
    RELIABILITY.renew(sys.argv[1:])
