"""Every kind of malformed or odd matrix, labels and weights × every estimator and method; the same for the rivals.

    python -m benchmarks.torture.matrices [--subjects N]

A kind is refused with a ValueError or TypeError that says something, or gives what its clean form gives.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial

from tests.hostile.attempts import Attempt, attempts
from tests.hostile.estimators import Subject, subjects
from tests.hostile.odd_arrays import KINDS, Kind

from benchmarks.torture._children import verdicts
from benchmarks.torture._rivals import rivals

LIMIT = 5.0  # seconds
COLUMNS = ("calls", "crashes", "hangs", "silent", "unnamed")


def judged(attempt: Attempt, kind: Kind) -> str:
    """Return ``fine``, or what is wrong."""
    return attempt.wrong(kind) or "fine"


def column(verdict: str) -> str:
    """Return what a verdict counts as."""
    if verdict.startswith("crash"):
        return "crashes"
    if verdict == "hang":
        return "hangs"
    return "silent" if verdict.startswith(("taken", "another result")) else "unnamed"


def abused(subject: Subject, complaints: list[str]) -> Counter[str]:
    """Return how often what happened to an estimator."""
    plan = [(attempt, kind) for attempt in attempts(subject) for kind in KINDS[attempt.argument]]
    counts: Counter[str] = Counter()
    calls = [partial(judged, *pair) for pair in plan]
    for (attempt, kind), verdict in zip(plan, verdicts(calls, LIMIT, most_hangs=12), strict=False):
        counts["calls"] += 1
        if verdict != "fine":
            counts[column(verdict)] += 1
            complaints.append(f"{attempt}: {kind}: {verdict}")
    return counts


def line(name: str, counts: Counter[str]) -> str:
    """Return one line of the table."""
    return f"{name:42}" + "".join(f"{counts[name]:>10,}" for name in COLUMNS)


def main() -> int:
    """Print the tables; 1 if lindy breaks the promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, help="only so many estimators of lindy")
    options = parser.parse_args()
    n_kinds = sum(map(len, KINDS.values()))
    print(f"{n_kinds} kinds: {', '.join(f'{len(kinds)} of {name}' for name, kinds in KINDS.items())}")
    print("silent: taken and should be refused, or another result than that of the clean form")
    print("unnamed: an error other than ValueError, TypeError or one of the toolkit's own\n")
    print(" " * 42 + "".join(f"{name:>10}" for name in COLUMNS))
    complaints: list[str] = []
    total: Counter[str] = Counter()
    own = subjects()[: options.subjects]
    for subject in own:
        total += abused(subject, complaints)
    print(line(f"lindy, all {len(own)} estimators", total))
    found, missing = rivals()
    for rival in found:
        print(line(rival.kind.__name__, abused(rival, [])), flush=True)
    for name in missing:
        print(f"{name}: not installed, not measured")
    for complaint in complaints:
        print("lindy breaks its promise:", complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
