"""Runs the benchmarks, writes what they print into benchmarks/RESULTS.md, and renews the tables of the README.

    python -m benchmarks [topic …] [-- arguments of the topic]

Sections of other topics stay as they are.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks import readme
from benchmarks.harness import stamp

HERE = Path(__file__).parent
TOPICS = [
    "startup",
    "endtoend",
    "accuracy",
    "reading",
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
    "experiment",
    "modelfile",
    "explain",
    "kernels",
    "labs",
    "mail",
    "digits",
]
HEAD = "# Results\n\nWritten by `make bench`. Ratios within one run count; seconds depend on the machine.\n\n"


def run(topic: str, arguments: list[str]) -> str:
    command = " ".join([f"python -m benchmarks.{topic}", *arguments])
    print(f"measuring: {command}", flush=True)
    when = stamp()
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{topic}", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        cwd=HERE.parent,
    )
    if done.returncode:
        raise SystemExit(f"benchmarks.{topic} failed")
    where = f"{when['date']}, commit {when['commit']}, {when['machine']}"
    return f"## {topic}\n\n`{command}`, {where}\n\n```text\n{done.stdout.strip()}\n```\n"


def write(topic: str, section: str) -> None:
    results = HERE / "RESULTS.md"
    old = results.read_text(encoding="utf-8").split("\n## ")[1:] if results.exists() else []
    sections = {part.split("\n", 1)[0]: f"## {part}".rstrip() + "\n" for part in old}
    sections[topic] = section
    results.write_text(HEAD + "\n".join(sections[t] for t in TOPICS if t in sections), encoding="utf-8")


def main() -> None:
    asked = sys.argv[1:]
    cut = asked.index("--") if "--" in asked else len(asked)
    topics, arguments = asked[:cut] or TOPICS, asked[cut + 1 :]
    if unknown := set(topics) - set(TOPICS):
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(TOPICS)}")
    for topic in topics:
        write(topic, run(topic, arguments))
    readme.renew()


if __name__ == "__main__":
    main()
