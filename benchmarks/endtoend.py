"""From CSV files to predictions, process start included: the lindy command line against scripts of other toolkits.

All sides train on train.csv, save the model, predict test.csv and write the labels; then each model answers one line in
a new process ("first answer": load and predict). Runs alternate. The figures are medians, with the least and the
largest in the record: wall seconds, CPU seconds (user and system, all processes), peak resident memory. A round that
takes longer than ``LONG`` seconds is repeated once less.

    python -m benchmarks.endtoend [--corpus imdb] [--recipe svm] [--runs 3]

Beside the SVM of the same features run ``lindy train`` without options (a search, a fit, a calibration) and with
``--fast``. Their training alone, against the CPU seconds of scikit-learn's script up to its fit, is the record
"default".
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness import corpus_folder, median_and_spread, record, unpacked

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
    import pickle, resource
    RECIPE
    model = learner.fit(vectorizer.fit_transform(texts), labels)
    used = resource.getrusage(resource.RUSAGE_SELF)
    with open(sys.argv[4] + ".cpu", "w") as file:
        file.write(repr(used.ru_utime + used.ru_stime))
    with open(sys.argv[4], "wb") as file:
        pickle.dump((vectorizer, model), file, protocol=5)
    texts, labels = read(sys.argv[2])
    predicted = model.predict(vectorizer.transform(texts))
    with open(sys.argv[3], "w", newline="") as file:
        csv.writer(file).writerows([["label"], *([label] for label in predicted)])
    """
)
SKLEARN_FIRST = textwrap.dedent(
    """
    import pickle, sys
    with open(sys.argv[1], "rb") as file:
        vectorizer, model = pickle.load(file)
    print(model.predict(vectorizer.transform([sys.argv[2]]))[0])
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
        f" -d {data} -f {sys.argv[4]} --quiet"
    ).finish()
    model = Workspace(f"-t -i {sys.argv[4]} --quiet")
    texts, labels = read(sys.argv[2])
    with open(sys.argv[3], "w", newline="") as file:
        rows = ([classes[model.predict("|t " + text.lower().translate(marks)) - 1]] for text in texts)
        csv.writer(file).writerows([["label"], *rows])
    """
)
VOWPAL_WABBIT_FIRST = textwrap.dedent(
    """
    import sys
    from vowpalwabbit import Workspace
    print(Workspace(f"-t -i {sys.argv[1]} --quiet").predict("|t " + sys.argv[2].lower()))
    """
)
CORPORA = ("sms-spam", "ag-news-10k", "20news-bydate", "imdb")


LONG = 45.0  # seconds of a round of all sides
ONE_LINE = "A joy from the first page to the last, and not a word too long."


@dataclass(frozen=True)
class Recipe:
    """The same features and learner in lindy and scikit-learn, and what comes next to it elsewhere.

    ``others`` are scripts that train and predict, and that give a first answer, by the name of the rival; ``options``
    are those of ``lindy train`` by the name of the side, of which "lindy" is the one that corresponds to the rivals.
    """

    name: str
    sklearn: str
    options: dict[str, list[str]]
    others: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def scripts(self) -> dict[str, tuple[str, str]]:
        """What each rival runs: all of it, and the first answer."""
        return {
            "scikit-learn": (READ + SKLEARN.replace("RECIPE", self.sklearn), SKLEARN_FIRST),
            **{name: (READ + script, first) for name, (script, first) in self.others.items()},
        }


RECIPES = {
    "naive-bayes": Recipe(
        "naive Bayes on word counts",
        "from sklearn.feature_extraction.text import CountVectorizer; from sklearn.naive_bayes import MultinomialNB;"
        " vectorizer, learner = CountVectorizer(), MultinomialNB()",
        {"lindy": ["--learner", "naive-bayes"]},
    ),
    "svm": Recipe(
        "linear SVM on tf-idf of 1-2-grams",
        "from sklearn.feature_extraction.text import TfidfVectorizer; from sklearn.svm import LinearSVC;"
        " vectorizer, learner = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC()",
        {
            # LinearSVC has no probabilities, so none are made here either
            "lindy": ["--learner", "svm", "--ngrams", "1-2", "--calibrate", "none"],
            "lindy, automatic": [],
            "lindy --fast": ["--fast"],
        },
        {"Vowpal Wabbit": (VOWPAL_WABBIT, VOWPAL_WABBIT_FIRST)},
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


@dataclass
class Side:
    """One toolkit on one corpus: its commands, where it leaves its model and its labels, and its runs."""

    train: list[str]  # and predict, if it is a script
    predict: list[str] | None
    first: list[str]
    model: Path
    labels: Path
    runs: list[Run] = field(default_factory=list)
    training: list[float] = field(default_factory=list)  # CPU seconds up to the fit
    answers: list[float] = field(default_factory=list)  # wall seconds of the first answer

    def run(self) -> None:
        """Train, predict, and answer one line in a new process."""
        training = measure(self.train)
        run = training
        if self.predict is not None:
            rest = measure(self.predict)
            run = Run(run.cpu + rest.cpu, run.wall + rest.wall, max(run.peak_mb, rest.peak_mb))
        self.runs.append(run)
        told = Path(f"{self.model}.cpu")
        self.training.append(float(told.read_text()) if told.exists() else training.cpu)
        self.answers.append(measure(self.first).wall)

    def figures(self, test: Path) -> dict[str, Any]:
        """Return medians, with the spread of the times."""
        found: dict[str, Any] = {}
        for key in ("cpu", "wall", "peak_mb"):
            found[key], found[f"{key}_spread"] = median_and_spread([getattr(run, key) for run in self.runs])
        found["training_cpu"], found["training_cpu_spread"] = median_and_spread(self.training)
        found["first_answer"], found["first_answer_spread"] = median_and_spread(self.answers)
        found["model_mb"] = self.model.stat().st_size / 1e6
        found["accuracy"] = 100 * accuracy(self.labels, test)
        return found


def sides_of(recipe: Recipe, train: Path, test: Path, work: Path) -> dict[str, Side]:
    """Return all sides of a recipe, the rivals first."""
    sides = {}
    for number, (name, (script, first)) in enumerate(recipe.scripts.items()):
        paths = [work / f"rival{number}.{end}" for end in ("py", "first.py", "model", "csv")]
        paths[0].write_text(script)
        paths[1].write_text(first)
        whole = [str(paths[0]), str(train), str(test), str(paths[3]), str(paths[2])]
        answer = [str(paths[1]), str(paths[2]), ONE_LINE]
        sides[name] = Side([sys.executable, *whole], None, [sys.executable, *answer], paths[2], paths[3])
    command, line = str(Path(sys.executable).with_name("lindy")), work / "line.txt"
    line.write_text(ONE_LINE + "\n")
    for number, (name, options) in enumerate(recipe.options.items()):
        model, labels = work / f"own{number}.lindy", work / f"own{number}.csv"
        predict = [command, "predict", str(model), "--force", "--quiet", "-o"]
        sides[name] = Side(
            [command, "train", str(train), *options, "-o", str(model)],
            [*predict, str(labels), str(test)],
            [*predict, str(work / "line.csv"), str(line)],
            model,
            labels,
        )
    return sides


def compare(corpus: str, recipe: Recipe, runs: int) -> dict[str, Any] | None:
    folder = corpus_folder(corpus)
    if folder is None:
        print(f"{corpus}: absent (set LINDY_DATA to the folder that holds it)")
        return None
    with tempfile.TemporaryDirectory() as temp:
        work = Path(temp)
        train, test = unpacked(folder, "train", work), unpacked(folder, "test", work)
        sides = sides_of(recipe, train, test, work)
        done, last = 0, 0.0
        while done < runs - (last > LONG):
            begin = time.perf_counter()
            for side in sides.values():
                side.run()
            done, last = done + 1, time.perf_counter() - begin
        found = {name: side.figures(test) for name, side in sides.items()}
    show(f"{corpus}: {recipe.name}, median of {done} alternating runs", found)
    return {"corpus": corpus, "recipe": recipe.name, "runs": done, **found}


def show(title: str, found: dict[str, dict[str, Any]]) -> None:
    print(title)
    heads = ("CPU s", "wall s", "least", "largest", "peak MB", "model MB", "first answer s", "accuracy")
    print(f"{'':18}" + "".join(f"{head:>{max(9, len(head) + 1)}}" for head in heads))
    for name, of in found.items():
        low, high = of["wall_spread"]
        print(
            f"{name:18}{of['cpu']:9.2f}{of['wall']:9.2f}{low:9.2f}{high:9.2f}{of['peak_mb']:9.0f}{of['model_mb']:9.1f}"
            f"{of['first_answer']:15.2f}{of['accuracy']:9.2f}%"
        )
    mine = found["lindy"]
    for name, of in found.items():
        if name.startswith("lindy"):
            continue
        cpu, wall, peak, size, answer = (
            of[key] / mine[key] for key in ("cpu", "wall", "peak_mb", "model_mb", "first_answer")
        )
        lost = "  LOST in " + ", ".join(
            what
            for what, ratio in (
                ("CPU", cpu),
                ("wall", wall),
                ("memory", peak),
                ("size", size),
                ("start", answer),
            )
            if ratio < 1
        )
        print(
            f"{name + ' ÷ lindy':24}{cpu:8.1f}×{wall:8.1f}×{'':9}{peak:8.1f}×{size:8.1f}×{answer:14.1f}×"
            f"{lost if lost != '  LOST in ' else ''}"
        )
    print(flush=True)


def training_only(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of the record "default"."""
    names = {"scikit-learn": "scikit-learn", "lindy": "lindy, automatic", "lindy --fast": "lindy --fast"}
    own = {
        name: {"cpu": row[of]["training_cpu"], "cpu_spread": row[of]["training_cpu_spread"]}
        for name, of in names.items()
    }
    return {"corpus": row["corpus"], "runs": row["runs"], **own}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
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
        rows = [row for row in figures if row]
        record("endtoend", rows)
        record("default", [training_only(row) for row in rows if "lindy --fast" in row])


if __name__ == "__main__":
    main()
