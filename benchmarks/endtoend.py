"""From CSV files to test accuracy, process start included: the lindy command line against scripts of other toolkits.

All sides train on train.csv, predict test.csv and write the labels; runs alternate, and the figures are the medians of
CPU seconds (user and system, all processes), wall seconds and the peak resident memory.

    python -m benchmarks.endtoend [--corpus imdb] [--recipe svm] [--runs 3]
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness import corpus_folder, record, unpacked

READ = textwrap.dedent(
    """
    import csv, sys
    csv.field_size_limit(2**31 - 1)

    def read(path):
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return [row["text"] for row in rows], [row["label"] for row in rows]

    texts, labels = read(sys.argv[1])
    """
)
SKLEARN = textwrap.dedent(
    """
    RECIPE
    model = learner.fit(vectorizer.fit_transform(texts), labels)
    texts, labels = read(sys.argv[2])
    predicted = model.predict(vectorizer.transform(texts))
    with open(sys.argv[3], "w", newline="") as file:
        csv.writer(file).writerows([["label"], *([label] for label in predicted)])
    """
)
# one-against-all on hashed 1-2-grams, five passes
VOWPAL_WABBIT = textwrap.dedent(
    """
    from vowpalwabbit import Workspace
    classes = sorted(set(labels))
    number = {label: i + 1 for i, label in enumerate(classes)}
    marks = str.maketrans(dict.fromkeys(":|\\r\\n", " "))  # which have a meaning in its files
    data = sys.argv[3] + ".vw"
    with open(data, "w", encoding="utf-8") as file:
        file.writelines(f"{number[y]} |t {x.lower().translate(marks)}\\n" for x, y in zip(texts, labels))
    Workspace(
        f"--oaa {len(classes)} --ngram 2 -b 22 --passes 5 --holdout_off -k --cache_file {data}.cache"
        f" -d {data} -f {data}.model --quiet"
    ).finish()
    model = Workspace(f"-t -i {data}.model --quiet")
    texts, labels = read(sys.argv[2])
    with open(sys.argv[3], "w", newline="") as file:
        rows = ([classes[model.predict("|t " + text.lower().translate(marks)) - 1]] for text in texts)
        csv.writer(file).writerows([["label"], *rows])
    """
)
CORPORA = ("sms-spam", "ag-news-10k", "20news-bydate", "imdb")


@dataclass(frozen=True)
class Recipe:
    """The same features and learner in lindy and scikit-learn, and what comes next to it elsewhere."""

    name: str
    sklearn: str
    lindy: list[str]
    others: dict[str, str] = field(default_factory=dict)

    @property
    def scripts(self) -> dict[str, str]:
        """What each rival runs."""
        return {
            "scikit-learn": READ + SKLEARN.replace("RECIPE", self.sklearn),
            **{name: READ + script for name, script in self.others.items()},
        }


RECIPES = {
    "naive-bayes": Recipe(
        "naive Bayes on word counts",
        "from sklearn.feature_extraction.text import CountVectorizer; from sklearn.naive_bayes import MultinomialNB;"
        " vectorizer, learner = CountVectorizer(), MultinomialNB()",
        ["--learner", "naive-bayes"],
    ),
    "svm": Recipe(
        "linear SVM on tf-idf of 1-2-grams",
        "from sklearn.feature_extraction.text import TfidfVectorizer; from sklearn.svm import LinearSVC;"
        " vectorizer, learner = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC()",
        # LinearSVC has no probabilities, so none are made here either
        ["--learner", "svm", "--ngrams", "1-2", "--calibrate", "none"],
        {"Vowpal Wabbit": VOWPAL_WABBIT},
    ),
}


@dataclass
class Run:
    """One measured run."""

    cpu: float
    wall: float
    peak_mb: float


def measure(*commands: list[str]) -> Run:
    cpu = peak = 0.0
    began = time.perf_counter()
    for command in commands:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"failed: {' '.join(command)}")
        cpu += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss / 1024)
    return Run(cpu, time.perf_counter() - began, peak)


def accuracy(predictions: Path, test: Path) -> float:
    csv.field_size_limit(2**31 - 1)

    def labels(path: Path) -> list[str]:
        with path.open(encoding="utf-8", newline="") as file:
            return [row["label"] for row in csv.DictReader(file)]

    guessed, truth = labels(predictions), labels(test)
    return sum(a == b for a, b in zip(guessed, truth, strict=True)) / len(truth)


def compare(corpus: str, recipe: Recipe, runs: int) -> dict[str, Any] | None:
    folder = corpus_folder(corpus)
    if folder is None:
        print(f"{corpus}: absent (set LINDY_DATA to the folder that holds it)")
        return None
    with tempfile.TemporaryDirectory() as temp:
        work = Path(temp)
        train, test = unpacked(folder, "train", work), unpacked(folder, "test", work)
        written = {name: work / f"{name.replace(' ', '-')}.csv" for name in (*recipe.scripts, "lindy")}
        commands: dict[str, tuple[list[str], ...]] = {}
        for rival, script in recipe.scripts.items():
            (path := written[rival].with_suffix(".py")).write_text(script)
            commands[rival] = ([sys.executable, str(path), str(train), str(test), str(written[rival])],)
        lindy = str(Path(sys.executable).with_name("lindy"))
        commands["lindy"] = (
            [lindy, "train", str(train), *recipe.lindy, "-o", str(work / "m.lindy")],
            [lindy, "predict", str(work / "m.lindy"), str(test), "-o", str(written["lindy"])],
        )
        measured: dict[str, list[Run]] = {name: [] for name in commands}
        for _ in range(runs):
            for name, own in commands.items():
                measured[name].append(measure(*own))
        hits = {name: accuracy(written[name], test) for name in commands}

    def medians(values: list[Run]) -> dict[str, float]:
        return {
            key: statistics.median(getattr(run, key) for run in values) for key in ("cpu", "wall", "peak_mb")
        }

    sides = {name: {**medians(own), "accuracy": 100 * hits[name]} for name, own in measured.items()}
    print(f"{corpus}: {recipe.name}, median of {runs} alternating runs")
    print(f"{'':16}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'accuracy':>10}")
    for name, of in sides.items():
        print(f"{name:16}{of['cpu']:8.2f}{of['wall']:8.2f}{of['peak_mb']:9.0f}{of['accuracy']:9.2f}%")
    for name in recipe.scripts:
        ratios = [sides[name][key] / sides["lindy"][key] for key in ("cpu", "wall", "peak_mb")]
        print(f"{name + ' ÷':16}{ratios[0]:7.1f}×{ratios[1]:7.1f}×{ratios[2]:8.1f}×")
    print(flush=True)
    return {"corpus": corpus, "recipe": recipe.name, "runs": runs, **sides}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", action="append", help="folder name; may be repeated")
    parser.add_argument("--recipe", choices=RECIPES, action="append", help="may be repeated")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    figures = [
        compare(corpus, RECIPES[recipe], args.runs)
        for recipe in args.recipe or RECIPES
        for corpus in args.corpus or CORPORA
    ]
    if not (args.corpus or args.recipe or None in figures):
        record("endtoend", [row for row in figures if row])


if __name__ == "__main__":
    main()
