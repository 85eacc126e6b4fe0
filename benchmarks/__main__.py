"""Runs the benchmarks and writes what they print, with date and machine, into benchmarks/RESULTS.md.

    python -m benchmarks [topic …]

Sections of other topics stay as they are.
"""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
TOPICS = [
    "startup",
    "endtoend",
    "reading",
    "vectorizers",
    "weighting",
    "dicts",
    "bayes",
    "online",
    "convex",
    "l1",
    "primal",
    "tables",
    "experiment",
    "modelfile",
    "explain",
    "kernels",
    "labs",
    "mail",
    "digits",
]


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def run(topic: str) -> str:
    print(f"measuring {topic} …", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{topic}"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        cwd=HERE.parent,
    )
    if done.returncode:
        raise SystemExit(f"benchmarks.{topic} failed")
    when = datetime.date.today()
    return f"## {topic}\n\n`python -m benchmarks.{topic}`, {when}\n\n```text\n{done.stdout.strip()}\n```\n"


def main() -> None:
    topics = sys.argv[1:] or TOPICS
    if unknown := set(topics) - set(TOPICS):
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(TOPICS)}")
    results = HERE / "RESULTS.md"
    old = results.read_text(encoding="utf-8").split("\n## ")[1:] if results.exists() else []
    sections = {section.split("\n", 1)[0]: f"## {section}".rstrip() + "\n" for section in old}
    for topic in topics:
        sections[topic] = run(topic)
        results.write_text(head() + "\n".join(sections[t] for t in TOPICS if t in sections), encoding="utf-8")


def head() -> str:
    return (
        "# Results\n\nWritten by `make bench`. Ratios within one run count; seconds depend on the machine:"
        f" {processor()}, {os.cpu_count()} cores, Python {platform.python_version()}.\n\n"
    )


if __name__ == "__main__":
    main()
