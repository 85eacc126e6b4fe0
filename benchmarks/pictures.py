"""Pictures of the records, as SVG: curves of solvers, learners that see each text once, what a row costs out of core.

    python -m benchmarks.pictures

Each file names in its description the digest of the figures it was drawn from. A test compares that digest with the
record's, so that no picture shows other figures than the tables, whatever version of Matplotlib drew it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT
from benchmarks.results import records

FOLDER = ROOT / "benchmarks" / "pictures"
OURS, OTHERS = "#1d5b79", ("#c0392b", "#e08e45", "#7f8c8d", "#8e6bb0", "#5a9367")
TITLES = {
    "squared_hinge": "squared hinge (SVM)",
    "log_ovr": "logistic, one against the rest",
    "log": "softmax",
}


def curves(rows: list[dict[str, Any]]) -> Any:
    """Gap against CPU seconds: one panel per corpus and loss."""
    import matplotlib.pyplot as plt

    losses = list(dict.fromkeys(row["loss"] for row in rows))
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    size = (3.3 * len(losses), 2.6 * len(corpora) + 0.3)
    figure, axes = plt.subplots(len(corpora), len(losses), figsize=size, layout="constrained", squeeze=False)
    for row in rows:
        axis = axes[corpora.index(row["corpus"])][losses.index(row["loss"])]
        colours = iter(OTHERS)
        for name, points in row["curves"].items():
            own = name == "lindy"
            x, y = [p["cpu"] for p in points], [max(p["gap"], 1e-9) for p in points]
            axis.plot(
                x, y, "o-", ms=3, lw=2 if own else 1.2, color=OURS if own else next(colours), label=name
            )
        axis.set(xscale="log", yscale="log", title=f"{row['corpus']}: {TITLES[row['loss']]}")
        axis.title.set_fontsize(9)
        axis.tick_params(labelsize=7)
        axis.legend(fontsize=6, frameon=False, loc="lower left")
    figure.supxlabel("CPU seconds, one thread", fontsize=9)
    figure.supylabel("relative gap to the optimum", fontsize=9)
    return figure


def learners(rows: list[dict[str, Any]]) -> Any:
    """CPU seconds as bars, with the accuracy at their ends: one panel per corpus."""
    import matplotlib.pyplot as plt

    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    names = ("lindy", "scikit-learn", "Vowpal Wabbit", "River", "NLTK", "Spark MLlib")
    colour = dict(zip(names, (OURS, *OTHERS), strict=True))
    figure, axes = plt.subplots(
        1, len(corpora), figsize=(5.2 * len(corpora), 4.4), layout="constrained", squeeze=False
    )
    for axis, corpus in zip(axes[0], corpora, strict=True):
        at, ticks = 0.0, []
        for row in (row for row in rows if row["corpus"] == corpus):
            sides = [name for name in names if name in row]
            ticks.append((at + (len(sides) - 1) / 2, row["task"].replace(", ", ",\n")))
            for name in sides:
                axis.barh(at, row[name]["cpu"], color=colour[name], label=name)
                axis.text(row[name]["cpu"], at, f" {row[name]['accuracy']:.1f} %", va="center", fontsize=6)
                at += 1
            at += 0.8
        axis.set(xscale="log", xlabel="CPU seconds; accuracy at the end of the bar", title=corpus)
        axis.set_yticks([tick[0] for tick in ticks], [tick[1] for tick in ticks], fontsize=7)
        axis.invert_yaxis()
        axis.margins(x=0.15)
    handles, labels = axes[0][0].get_legend_handles_labels()
    first = {label: handle for handle, label in zip(handles, labels, strict=True)}
    figure.legend(
        first.values(), first.keys(), ncols=len(first), loc="outside lower center", fontsize=7, frameon=False
    )
    return figure


def stream(rows: list[dict[str, Any]]) -> Any:
    """Cost of a row and peak memory, against the number of rows of a file."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 2.6), layout="constrained")
    for where, color in (("memory", OTHERS[2]), ("files", OURS)):
        in_files = where == "files"
        grown = [row for row in rows if "rows" in row and row["name"].endswith("-files") == in_files]
        n = [row["rows"] for row in grown]
        left.plot(
            n, [1e6 * row["cpu"] / row["rows"] for row in grown], "o-", color=color, label=f"in {where}"
        )
        right.plot(n, [row["peak_mb"] for row in grown], "o-", color=color)
    left.set(xscale="log", ylim=(0, None), xlabel="rows", ylabel="CPU microseconds per row")
    left.legend(frameon=False)
    right.axhline(600, color="#9a9a9a", linestyle="--")
    right.set(xscale="log", ylim=(0, None), xlabel="rows", ylabel="peak memory, MB")
    return figure


PICTURES: dict[str, tuple[Callable[[list[dict[str, Any]]], Any], str]] = {
    "curves": (curves, "the gap to the optimum against CPU seconds, for lindy, LIBLINEAR and scikit-learn"),
    "learners": (learners, "CPU seconds and accuracy of learners that see each text once"),
    "stream": (stream, "CPU time per row and peak memory of training out of core, by the number of rows"),
}


def digest(figures: Any) -> str:
    """Return what tells figures apart."""
    return hashlib.sha256(json.dumps(figures, sort_keys=True).encode()).hexdigest()[:16]


def described(picture: Path) -> str | None:
    """Return the digest that a picture names."""
    found = re.search(r"figures ([0-9a-f]{16})", picture.read_text(encoding="utf-8"))
    return found and found[1]


def shown() -> list[tuple[str, str, str]]:
    """Return topic, file and description of the pictures that there are records for."""
    kept = records()
    return [
        (topic, f"{topic}.svg", told)
        for topic, (_, told) in PICTURES.items()
        if "figures" in kept.get(topic, {})
    ]


def draw() -> None:
    """Draw the pictures whose figures have changed."""
    kept = records()
    for topic, file, _ in shown():
        figures, place = kept[topic]["figures"], FOLDER / file
        if place.exists() and described(place) == digest(figures):
            continue
        import matplotlib as mpl

        mpl.use("Agg")
        mpl.rcParams["svg.hashsalt"] = "lindy"
        FOLDER.mkdir(exist_ok=True)
        picture = PICTURES[topic][0](figures)
        picture.savefig(place, metadata={"Date": None, "Description": f"figures {digest(figures)}"})


if __name__ == "__main__":
    draw()
