"""Runs the benchmarks, writes what they print into benchmarks/RESULTS.md, and renews the tables of the README.

    python -m benchmarks [topic …] [-- arguments of the topic]

Sections of other topics stay as they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import readme
from benchmarks.sections import Document

RESULTS = Document(
    Path(__file__).parent / "RESULTS.md",
    "# Results\n\nWritten by `make bench`. Ratios within one run count; seconds depend on the machine.\n\n",
    "benchmarks",
    [
        "startup",
        "endtoend",
        "accuracy",
        "default",
        "reading",
        "large_tables",
        "vectorizers",
        "weighting",
        "dicts",
        "bayes",
        "online",
        "convex",
        "dual_ablation",
        "l1",
        "primal",
        "tables",
        "stream",
        "experiment",
        "modelfile",
        "updating",
        "latency",
        "prediction",
        "explain",
        "page",
        "export",
        "kernels",
        "labs",
        "mail",
        "digits",
        "service",
        "distributed",
    ],
)

if __name__ == "__main__":
    RESULTS.renew(sys.argv[1:])
    readme.renew()
