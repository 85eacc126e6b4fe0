"""The command line that the fuzzers share."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path


def run(fuzz: Callable[[Path, int, int], Counter[str]], description: str | None) -> None:
    """Call fuzz(folder, rounds, seed) with a temporary folder, and print how often what happened."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcomes = fuzz(Path(folder), options.rounds, options.seed)
    sys.stdout.write(", ".join(f"{times} {what}" for what, times in sorted(outcomes.items())) + "\n")
