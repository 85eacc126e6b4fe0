"""The labs on the Amazon book reviews: ``python -m benchmarks.labs``.

How long each lab runs, and what the learners reach with the lab's own split, λ chosen by cross-validation on the
training reviews. Aims: naive Bayes at least 0.80, the others 0.78, all labs within three minutes.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import corpus_folder
from lindy import SVM, MaxEnt, Mira, MultinomialNaiveBayes, Perceptron
from lindy.data import folds
from lindy.labs import Counted, book_reviews
from lindy.labs.catalog import LABS
from lindy.labs.running import play
from lindy.labs.script import read_script
from lindy.labs.stage import staged

LEARNERS = {
    "naive Bayes, add one": (MultinomialNaiveBayes(), 0.80),
    "averaged perceptron": (Perceptron(epochs=10), 0.78),
    "MIRA": (Mira(constraints="predicted", epochs=10), 0.78),
    "MaxEnt": (MaxEnt(), 0.78),
    "SVM": (SVM(loss="hinge"), 0.78),
}
STRENGTHS = (1.0, 0.1, 0.01, 0.001)


def main() -> None:
    folder = corpus_folder("amazon-books")
    if folder is None:
        sys.exit("the corpus amazon-books is not there: set LINDY_DATA to the folder of the corpora")
    data, output = folder.parent, Path(tempfile.mkdtemp())
    with staged(output, data):
        reviews = book_reviews()
    print(f"{reviews}\n\n| learner | λ | train | test | aim |\n| --- | --- | --- | --- | --- |")
    for name, (learner, aim) in LEARNERS.items():
        lam = chosen(learner, reviews) if "lam" in learner.get_params() else "–"
        learner.fit(reviews.X_train, reviews.y_train)
        train, test = (
            learner.score(*part)
            for part in ((reviews.X_train, reviews.y_train), (reviews.X_test, reviews.y_test))
        )
        print(f"| {name} | {lam} | {train:.3f} | {test:.4f} | {aim:.2f} |")
    print("\n| lab | seconds | CPU seconds |\n| --- | --- | --- |")
    began, used = time.perf_counter(), _cpu()
    for lab in LABS:
        start, before = time.perf_counter(), _cpu()
        for path in lab.scripts:
            list(play(read_script(path), output / lab.name, data, capture=True))
        print(f"| {lab.number} {lab.name} | {time.perf_counter() - start:.1f} | {_cpu() - before:.1f} |")
    print(f"| all | {time.perf_counter() - began:.1f} | {_cpu() - used:.1f} |")


def chosen(learner: Any, reviews: Counted) -> float:
    """Set the λ that is best on five folds of the training reviews, and return it."""
    fold, scores = folds(reviews.y_train, 5), []
    for lam in STRENGTHS:
        learner.set_params(lam=lam)
        parts = [
            learner.fit(reviews.X_train[fold != k], reviews.y_train[fold != k]).score(
                reviews.X_train[fold == k], reviews.y_train[fold == k]
            )
            for k in range(5)
        ]
        scores.append(sum(parts))
    best = STRENGTHS[scores.index(max(scores))]
    learner.set_params(lam=best)
    return best


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
