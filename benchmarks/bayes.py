"""Multinomial naive Bayes against scikit-learn's, on 20 Newsgroups as counts of words and word pairs (20 classes).

python -m benchmarks.bayes [--runs 7]

CPU and wall seconds (median) of alternating runs on ready CSR matrices; ratios are scikit-learn's time over ours. Both
sides have their defaults: scikit-learn uses one core here, lindy all.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.harness import corpus_folder


def load(folder: Path, part: str) -> tuple[list[str], list[str]]:
    csv.field_size_limit(sys.maxsize)
    with gzip.open(folder / f"{part}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def seconds(action: Callable[[], object]) -> tuple[float, float]:
    """Return CPU and wall seconds."""
    begin = time.process_time(), time.perf_counter()
    action()
    return time.process_time() - begin[0], time.perf_counter() - begin[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    folder = corpus_folder("20news-bydate")
    if folder is None:
        raise SystemExit("20news-bydate is not there: set LINDY_DATA to the folder of the corpora")

    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    from lindy import MultinomialNaiveBayes

    (train, y), (test, _) = load(folder, "train"), load(folder, "test")
    vectorizer = CountVectorizer(ngram_range=(1, 2), dtype=np.float32)
    A, B = vectorizer.fit_transform(train), vectorizer.transform(test)
    theirs, ours = MultinomialNB().fit(A, y), MultinomialNaiveBayes().fit(A, y)
    agree = float((theirs.predict(B) == ours.predict(B)).mean())
    stored = sum(array.nbytes for array in ours.to_state()[1].values())
    print(f"{A.shape[0]} documents, {A.shape[1]} features, {A.nnz} counts; equal predictions: {agree:.2%}")
    print(f"stored: {stored / 1e6:.1f} MB; scikit-learn's two arrays: {2 * 8 * A.shape[1] * 20 / 1e6:.0f} MB")
    for name, their_action, our_action in [
        ("fit", lambda: MultinomialNB().fit(A, y), lambda: MultinomialNaiveBayes().fit(A, y)),
        ("predict_proba", lambda: theirs.predict_proba(B), lambda: ours.predict_proba(B)),
    ]:
        times = [(seconds(their_action), seconds(our_action)) for _ in range(runs)]
        for clock, kind in enumerate(("CPU", "wall")):
            rival, lindy = (
                statistics.median(side[clock] for side in sides) for sides in zip(*times, strict=True)
            )
            ratio = statistics.median(a[clock] / b[clock] for a, b in times)
            print(f"{name:14}{kind:5}scikit-learn {rival:7.3f} s   lindy {lindy:7.3f} s   {ratio:5.1f}x")


if __name__ == "__main__":
    main()
