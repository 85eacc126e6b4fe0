"""`lindy train data.csv` without options against one fit of scikit-learn's usual pipeline, process start included.

    scikit-learn   read the CSV file; TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True); LinearSVC().fit
    lindy          read, compare recipes on held-out texts, train the best on all of them, calibrate, save
    --fast         the same without a search

Runs alternate; the figures are medians of wall and CPU seconds (user and system, all threads), ratios those of the
medians. A busy machine makes all of them longer: CPU seconds and ratios are what to look at.

    python -m benchmarks.default [--corpus imdb] [--runs 3]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from benchmarks.endtoend import CORPORA, Run, measure
from benchmarks.harness import corpus_folder, record, unpacked

RIVAL = textwrap.dedent(
    """
    import csv, sys
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC
    csv.field_size_limit(2**31 - 1)
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    LinearSVC().fit(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(texts), labels)
    """
)


def compare(corpus: str, runs: int) -> dict[str, Any] | None:
    """Measure one corpus; None where it is absent."""
    folder = corpus_folder(corpus)
    if folder is None:
        print(f"{corpus}: absent (set LINDY_DATA to the folder that holds it)")
        return None
    with tempfile.TemporaryDirectory() as temp:
        work = Path(temp)
        train, script = unpacked(folder, "train", work), work / "rival.py"
        script.write_text(RIVAL)
        lindy = [str(Path(sys.executable).with_name("lindy")), "train", str(train), "-o", str(work / "model")]
        commands = {
            "scikit-learn": [sys.executable, str(script), str(train)],
            "lindy": lindy,
            "lindy --fast": [*lindy, "--fast"],
        }
        measured: dict[str, list[Run]] = {name: [] for name in commands}
        for _ in range(runs):
            for name, command in commands.items():
                measured[name].append(measure(command))
    sides = {
        name: {key: statistics.median(getattr(run, key) for run in own) for key in ("cpu", "wall", "peak_mb")}
        for name, own in measured.items()
    }
    print(f"{corpus}: median of {runs} alternating runs")
    print(f"{'':14}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'CPU ratio':>11}{'wall ratio':>11}")
    for name, of in sides.items():
        cpu, wall = (sides["scikit-learn"][key] / of[key] for key in ("cpu", "wall"))
        print(
            f"{name:14}{of['cpu']:8.2f}{of['wall']:8.2f}{of['peak_mb']:9.0f}{cpu:10.1f}×{wall:10.1f}×",
            flush=True,
        )
    return {"corpus": corpus, "runs": runs, **sides}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", action="append", help="folder name; may be repeated")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    figures = [compare(corpus, args.runs) for corpus in args.corpus or CORPORA]
    if not (args.corpus or None in figures):
        record("default", [row for row in figures if row])


if __name__ == "__main__":
    main()
