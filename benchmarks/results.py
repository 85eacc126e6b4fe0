"""What was measured: a record (JSON) for each topic, and from the records RESULTS.md, tables and pictures.

A record has the command, when and where it ran, the versions of the rivals, how quiet the machine was, what was printed
and, where tables or pictures are made from it, the figures. RESULTS.md is made from nothing else, so that a test can
compare it.
"""

from __future__ import annotations

import importlib.metadata
import json
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.harness import FIGURES, RECORDS, ROOT, printed_by, stamp
from benchmarks.quietness import State, wait

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
HEAD = (
    "# Results\n\nMade from `benchmarks/records` by `python -m benchmarks.readme`; measured by `make bench` and"
    " `make bench-full`. Ratios within one run count; seconds depend on the machine.\n\n"
)
TOPICS = (
    "startup", "endtoend", "accuracy", "default", "reading", "large_tables", "vectorizers", "weighting", "dicts",
    "bayes", "learners", "online", "curves", "convex", "dual_ablation", "l1", "primal", "tables", "stream",
    "experiment", "modelfile", "updating", "latency", "prediction", "explain", "page", "export", "kernels", "labs",
    "mail", "digits", "service", "distributed", "label_errors", "several_labels", "fasttext_models", "languages",
    "label_tree", "small_models", "coverage",
)  # fmt: skip
#: what is measured together with another topic, in the same run
WITHIN = {"default": "endtoend"}
#: make bench: the topics, and options with which they take a minute or two
QUICK: dict[str, list[str]] = {
    "startup": [],
    "endtoend": [],
    "vectorizers": [
        *("--only", "rivals", "single", "--corpus", "20news-bydate"),
        *("--task", "tf-idf 1-2", "hashing 1-2"),
    ],
    "bayes": ["--runs", "5"],
    "learners": [],
    "curves": [],
    "stream": ["--measure", "naive-bayes", "naive-bayes-files", "hashed", "vowpal-wabbit"],
    "modelfile": [],
    "prediction": ["--runs", "3"],
}
#: make bench-full: all topics, these with options
FULL: dict[str, list[str]] = {"curves": ["ag-news-10k", "imdb"], "learners": ["--spark"]}
RIVALS = (
    "scikit-learn", "liblinear-official", "libmultilabel", "fasttext-wheel", "vowpalwabbit", "river", "nltk", "pyspark",
    "dask-ml", "cleanlab", "mapie", "omikuji", "numpy", "scipy",
)  # fmt: skip
PATIENCE = 90.0  # seconds for which a quiet moment is waited for


def path_of(topic: str) -> Path:
    """Return the place of a topic's record."""
    return RECORDS / f"{topic}.json"


def records() -> dict[str, dict[str, Any]]:
    """Return the records of all topics that have one, in their order."""
    return {
        topic: json.loads(path_of(topic).read_text(encoding="utf-8"))
        for topic in TOPICS
        if path_of(topic).exists()
    }


def write(topic: str, kept: dict[str, Any]) -> None:
    """Write a record."""
    RECORDS.mkdir(exist_ok=True)
    path_of(topic).write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def versions() -> dict[str, str]:
    """Return the versions of the rivals that are installed."""
    found = {}
    for name in RIVALS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def quiet_or_exit(anyway: bool) -> State:
    """Return the state of the machine; end where it is busy, unless figures are wanted all the same."""
    state = wait(0.0 if anyway else PATIENCE)
    if not state.quiet and not anyway:
        raise SystemExit(
            f"error: the machine is busy: {'; '.join(state.wrong)}\n"
            "hint: end what else runs, or measure all the same with --anyway, which the record will say"
        )
    return state


def measure(topic: str, arguments: list[str], *, anyway: bool, keep: bool = True) -> float:
    """Run a topic and keep what it gave; returns its seconds."""
    before = quiet_or_exit(anyway)
    module = f"benchmarks.{topic}"
    command = " ".join(["python -m", module, *(f"'{word}'" if " " in word else word for word in arguments)])
    print(f"measuring: {command}", flush=True)
    told: dict[str, Any] = {"command": command, **stamp(), "versions": versions()}
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "figures.json"
        printed = printed_by(module, arguments, **{FIGURES: str(target)})
        figures = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    told["seconds"] = round(time.perf_counter() - begin)
    told["quiet"] = before.as_json()
    print(printed, flush=True)
    if not anyway and not (after := wait(10.0)).quiet:
        print(f"{topic}: not kept, since the machine became busy: {'; '.join(after.wrong)}", flush=True)
        keep = False
    if not keep:
        return float(told["seconds"])
    for name in {topic, *figures}:
        lines = printed.strip().splitlines() if name == topic else [f"measured with {topic}, in the same run"]
        _keep(name, told | {"printed": lines}, figures.get(name))
    return float(told["seconds"])


def _keep(topic: str, told: dict[str, Any], figures: Any) -> None:
    kept = {"topic": topic, **told}
    if figures is not None:
        kept["figures"] = figures
    elif "figures" in records().get(topic, {}):
        print(f"{topic}: not a whole run, so that its record stays", flush=True)
        return
    write(topic, kept)


def where(kept: dict[str, Any]) -> str:
    """Return a sentence about when and where something was measured."""
    text = f"{kept['date']}, commit {kept['commit']}, {kept['machine']}"
    if kept.get("quiet", {}).get("wrong"):
        text += f"; on a busy machine ({'; '.join(kept['quiet']['wrong'])})"
    return text


def rendered(kept: dict[str, dict[str, Any]], pictures: Iterable[tuple[str, str, str]] = ()) -> str:
    """Return RESULTS.md from records, with pictures as (topic, file, what it shows)."""
    sections = []
    for topic, one in kept.items():
        text = f"## {topic}\n\n`{one['command']}`, {where(one)}\n"
        if one.get("versions"):
            text += "\n" + ", ".join(f"{name} {number}" for name, number in one["versions"].items()) + "\n"
        text += "".join(f"\n![{shown}](pictures/{file})\n" for of, file, shown in pictures if of == topic)
        sections.append(text + "\n```text\n" + "\n".join(one["printed"]) + "\n```\n")
    return HEAD + "\n".join(sections)
