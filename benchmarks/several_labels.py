"""Several labels per text: the solver on one matrix, training from CSV, thresholds, prediction and quality.

python -m benchmarks.several_labels [corpora…] [--runs 3]

go-emotions (28 labels), reuters-topics (115) and cooking-tags (735). "solver" is the fit alone, float64 tf-idf of words
1-2 (min_df 2, sublinear) by scikit-learn, squared hinge, C = 1: ``OneVsRest(SVM())`` against LibMultiLabel's
``train_1vsrest(-s 1 -c 1 -B 1)`` and scikit-learn's ``OneVsRestClassifier(LinearSVC())``. These two penalise the bias,
as ``SVM(penalize_intercept=True)`` does: that is the same problem; lindy's usual one leaves the bias free. "train" is a
process from CSV to a model file, `lindy train` (which finds
thresholds, too) against scikit-learn's script (which does not). "scores" is how far those of both at the same optimum
(tolerance 1e-9, bias penalised) are from each other at most, over the training rows and the twenty most frequent
labels. "thresholds" is the time of ``TextClassifier.fit`` as a multiple of its vectorizer's and learner's alone.
Seconds are CPU seconds, the least of some runs in turn.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT, alternate, corpus_folder, record, unpacked

FREQUENT = 20
"""Labels whose scores are compared."""

CORPORA = ("go-emotions", "reuters-topics", "cooking-tags")

SCRIPT = """
import csv, pickle, sys
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC
csv.field_size_limit(2**30)
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
labels = MultiLabelBinarizer(sparse_output=True)
Y = labels.fit_transform([[tag for tag in row["labels"].split("|") if tag] for row in rows])
words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
model = OneVsRestClassifier(LinearSVC()).fit(words.fit_transform([row["text"] for row in rows]), Y)
with open(sys.argv[2], "wb") as file:
    pickle.dump((labels, words, model), file)
"""

#: starts a process from a small one: on Linux the peak of a process is not below that of who starts it
WATCH = """
import json, resource, subprocess, sys
subprocess.run([sys.executable, *sys.argv[1:]], check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""

RECIPE = [
    "--learner",
    "svm",
    "--ngrams",
    "1-2",
    "--min-df",
    "2",
]  # the same features and learner as the rivals

QUALITY = ("precision_at_1", "precision_at_3", "precision_at_5", "micro_f1", "macro_f1")


def read(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the texts of a table and their labels."""
    csv.field_size_limit(2**30)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [[tag for tag in row["labels"].split("|") if tag] for row in rows]


def process(words: list[str]) -> tuple[float, float]:
    """Return CPU seconds and peak MB of a Python process."""
    told = subprocess.run([sys.executable, "-c", WATCH, *words], check=True, capture_output=True, cwd=ROOT)
    seconds, kilobytes = json.loads(told.stdout.splitlines()[-1])
    return seconds, kilobytes / 1024


def solvers(texts: list[str], labels: list[list[str]], runs: int) -> dict[str, float]:
    """Return the seconds of each solver on the same matrix."""
    import libmultilabel.linear as libmultilabel
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer
    from sklearn.svm import LinearSVC

    from lindy.linear import SVM, OneVsRest

    X = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit_transform(texts)
    Y = MultiLabelBinarizer(sparse_output=True).fit_transform(labels).astype(float)
    same = SVM(penalize_intercept=True)
    return alternate(
        {
            "lindy": lambda: OneVsRest(learner=SVM(), n_jobs=1).fit(X, Y),
            "lindy, bias penalised": lambda: OneVsRest(learner=same, n_jobs=1).fit(X, Y),
            "LibMultiLabel": lambda: libmultilabel.train_1vsrest(
                Y, X, options="-s 1 -c 1 -B 1", verbose=False
            ),
            "LinearSVC": lambda: OneVsRestClassifier(LinearSVC()).fit(X, Y),
        },
        runs,
    )


def largest_difference(texts: list[str], labels: list[list[str]]) -> float:
    """Return how far the scores of LinearSVC and of lindy are from each other at most, at the same optimum."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer
    from sklearn.svm import LinearSVC

    from lindy.linear import SVM, OneVsRest

    X = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit_transform(texts)
    Y = MultiLabelBinarizer().fit_transform(labels)
    Y = Y[:, np.argsort(-Y.sum(axis=0))[:FREQUENT]]
    ours = OneVsRest(learner=SVM(tol=1e-9, penalize_intercept=True)).fit(X, Y)
    theirs = OneVsRestClassifier(LinearSVC(tol=1e-9, max_iter=100_000)).fit(X, Y)
    return float(np.abs(ours.decision_function(X) - theirs.decision_function(X)).max())


def training(train: Path, folder: Path, runs: int) -> dict[str, tuple[float, float]]:
    """Return CPU seconds and peak MB of both commands."""
    script = folder / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = ["-m", "lindy.cli", "train", str(train), "--label", "labels", *RECIPE]
    ours = [*command, "-q", "-o", str(folder / "micro-f1.lindy")]
    theirs = [str(script), str(train), str(folder / "model.pickle")]
    rounds = [(process(ours), process(theirs)) for _ in range(runs)]
    return {"lindy train": min(pair[0] for pair in rounds), "scikit-learn": min(pair[1] for pair in rounds)}


def library(texts: list[str], labels: list[list[str]], test: list[str], runs: int) -> dict[str, float]:
    """Return the cost of thresholds, as a multiple of a fit, and texts per second and core."""
    from lindy import TextClassifier
    from lindy.core.column import text_column
    from lindy.linear import SVM, OneVsRest
    from lindy.text import TfidfVectorizer

    def plain() -> None:
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        OneVsRest(learner=SVM(), n_jobs=1).fit(words.fit_transform(texts), labels)

    model = TextClassifier(learner="svm", ngrams=(1, 2), min_df=2, n_jobs=1)
    spent = alternate({"plain": plain, "whole": lambda: model.fit(texts, labels)}, runs)
    column = text_column([text.encode() for text in test])
    model.predict(column)
    seconds = alternate({"predict": lambda: model.predict(column)}, runs)["predict"]
    return {"thresholds": spent["whole"] / spent["plain"], "texts per second": len(test) / seconds}


def quality(train: Path, test: Path, folder: Path) -> dict[str, dict[str, float]]:
    """Return the figures of the test part, with thresholds for each metric; `lindy train` has made the first model."""
    found = {}
    for metric in ("micro-f1", "macro-f1"):
        model = folder / f"{metric}.lindy"
        if not model.exists():
            options = ["--label", "labels", *RECIPE, "--metric", metric, "-q", "-o", str(model)]
            process(["-m", "lindy.cli", "train", str(train), *options])
        command = [sys.executable, "-m", "lindy.cli", "evaluate", str(model), str(test), "--json"]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)
        found[metric] = {name: 100 * told[name] for name in QUALITY}
    return found


def measure(name: str, runs: int) -> dict[str, Any] | None:
    """Measure one corpus, print its lines, and return its figures."""
    corpus = corpus_folder(name)
    if corpus is None:
        print(f"{name}: not there; set LINDY_DATA to the folder of the corpora")
        return None
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        train, test = (unpacked(corpus, part, folder) for part in ("train", "test"))
        texts, labels = read(train)
        fits = solvers(texts, labels, runs)
        apart = largest_difference(texts, labels)
        commands = training(train, folder, runs)
        rates = library(texts, labels, read(test)[0], runs)
        found = quality(train, test, folder)
    print(f"\n{name}: {len(texts):,} texts, {len({tag for own in labels for tag in own})} labels")
    for solver, seconds in fits.items():
        times = "".join(f"{seconds / fits[ours]:8.1f}×" for ours in ("lindy", "lindy, bias penalised"))
        print(f"  solver: {solver:<24}{seconds:8.2f} s{times}")
    print(f"  scores: at most {apart:.1e} from those of LinearSVC at the same optimum")
    for command, (seconds, peak) in commands.items():
        print(f"  train: {command:<25}{seconds:8.2f} s{peak:8.0f} MB")
    print(f"  thresholds: {rates['thresholds']:.2f} times a fit without")
    print(f"  prediction: {rates['texts per second']:,.0f} texts per second and core")
    for metric, figures in found.items():
        print(f"  --metric {metric}: " + ", ".join(f"{key} {value:.1f}" for key, value in figures.items()))
    return {"corpus": name, "solver": fits, "scores": apart, "train": commands, **rates, "quality": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    figures = [found for name in options.corpora if (found := measure(name, options.runs))]
    if tuple(options.corpora) == CORPORA:
        record("several_labels", figures)


if __name__ == "__main__":
    main()
