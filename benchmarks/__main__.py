"""Runs the benchmarks and writes what they print, with the machine they ran on, into benchmarks/RESULTS.md.

python -m benchmarks [topic …]
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
    "primal",
    "experiment",
    "modelfile",
    "explain",
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
    return f"## {topic}\n\n`python -m benchmarks.{topic}`\n\n```text\n{done.stdout.strip()}\n```\n"


def main() -> None:
    topics = sys.argv[1:] or TOPICS
    if unknown := set(topics) - set(TOPICS):
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(TOPICS)}")
    results = HERE / "RESULTS.md"
    old = results.read_text(encoding="utf-8").split("\n## ")[1:] if results.exists() else []
    sections = {section.split("\n", 1)[0]: f"## {section}".rstrip() + "\n" for section in old}
    sections |= {topic: run(topic) for topic in topics}
    head = (
        "# Results\n\nWritten by `make bench`. Ratios within one run count; seconds depend on the machine.\n\n"
        f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, Python {platform.python_version()}\n"
    )
    body = "\n".join(sections[topic] for topic in TOPICS if topic in sections)
    results.write_text(f"{head}\n{body}", encoding="utf-8")


if __name__ == "__main__":
    main()
