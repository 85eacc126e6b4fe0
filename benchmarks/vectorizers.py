"""Vectorizers against scikit-learn's: CPU time of one thread, wall time of two, peak memory, one short text.

Both read the same Python lists of the raw text column. Every figure is a ratio from one run, rival and lindy in turn.
"""

from __future__ import annotations

import json
import random
import string
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow.csv

from benchmarks.harness import alternate, corpus_folder

CORPORA = ("20news-bydate", "imdb")
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "tf-idf 1-1": ("TfidfVectorizer", {}),
    "tf-idf 1-2": ("TfidfVectorizer", {"ngram_range": (1, 2)}),
    "tf-idf 1-2, min_df 2": ("TfidfVectorizer", {"ngram_range": (1, 2), "min_df": 2}),
    "hashing 1-2": ("HashingVectorizer", {"ngram_range": (1, 2)}),
    "tf-idf char_wb 3-5": ("TfidfVectorizer", {"analyzer": "char_wb", "ngram_range": (3, 5)}),
}
CHILD = """
import json, resource, sys, time
from benchmarks.vectorizers import TASKS, make, texts_of
corpus, task, library, threads, rounds, rows = json.loads(sys.argv[1])
texts = texts_of(corpus, rows, arrow=library == "arrow")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
cpu, wall = [], []
for _ in range(rounds):
    vectorizer = make(task, library, threads)
    c, w = time.process_time(), time.perf_counter()
    X = vectorizer.fit_transform(texts)
    cpu.append(time.process_time() - c); wall.append(time.perf_counter() - w)
    del X, vectorizer
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([min(cpu), min(wall), peak / 1e3]))
"""


def texts_of(corpus: str, rows: int | None = None, *, arrow: bool = False) -> Any:
    folder = corpus_folder(corpus)
    assert folder is not None
    options = pyarrow.csv.ParseOptions(newlines_in_values=True)
    column = pyarrow.csv.read_csv(folder / "train.csv.gz", parse_options=options)["text"][:rows]
    return column if arrow else column.to_pylist()


def make(task: str, library: str, threads: int) -> Any:
    name, params = TASKS[task]
    if library == "scikit-learn":
        import sklearn.feature_extraction.text as theirs

        return getattr(theirs, name)(**params)
    import lindy.text as ours

    return getattr(ours, name)(**params, n_jobs=threads)


def measure(corpus: str, task: str, library: str, threads: int, rounds: int, rows: int | None) -> list[float]:
    argument = json.dumps([corpus, task, library, threads, rounds, rows])
    output = subprocess.check_output([sys.executable, "-c", CHILD, argument], text=True)
    return json.loads(output)  # type: ignore[no-any-return]


def single_text() -> Iterator[tuple[str, float, float]]:
    """Yield, for each vectorizer, the median microseconds of transforming one short text: scikit-learn's and ours."""
    import numpy as np
    import sklearn.feature_extraction.text as theirs

    import lindy.text as ours

    texts = texts_of("imdb", 2000)
    for name in ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer"):
        medians = []
        for library, method in ((theirs, "transform"), (ours, "transform_csr")):
            find = getattr(getattr(library, name)(ngram_range=(1, 2)).fit(texts), method)
            elapsed = []
            for i in range(3000):
                text = [texts[i % 2000][:80]]
                start = time.perf_counter()
                find(text)
                elapsed.append(time.perf_counter() - start)
            medians.append(float(np.median(elapsed)) * 1e6)
        yield name, medians[0], medians[1]


def chosen_words() -> float:
    """Return how much longer counting words takes that agree in all but a few bits than counting random ones."""
    from lindy.text import CountVectorizer

    generator = random.Random(0)
    texts = {
        "similar": " ".join(f"{'a' * 8}{i:07d}" for i in range(100_000)),
        "random": " ".join("".join(generator.choices(string.ascii_lowercase, k=15)) for _ in range(100_000)),
    }
    best = alternate(
        {name: partial(CountVectorizer(n_jobs=1).fit, [text]) for name, text in texts.items()}, 5
    )
    return best["similar"] / best["random"]


LONG_TOKEN = """
import json, resource, sys, time
from benchmarks.vectorizers import make
vectorizer = make("tf-idf char_wb 3-5", sys.argv[1], 1)
vectorizer.fit(["warm up"])
text = ["ab" * 5_000_000]
before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
vectorizer.fit_transform(text)
print(json.dumps([time.process_time() - begin, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3]))
"""


def long_token(library: str) -> list[float]:
    """Return CPU seconds and megabytes of character n-grams of one token of ten megabytes."""
    return json.loads(subprocess.check_output([sys.executable, "-c", LONG_TOKEN, library], text=True))  # type: ignore[no-any-return]


def words_and_characters(rows: int | None) -> tuple[float, float]:
    """Return CPU seconds of words 1-2 and characters 3-5 of an iterator: from one reading, and from two."""
    from lindy.text import CountVectorizer, UnionVectorizer
    from lindy.text.union import side_by_side

    texts = texts_of("20news-bydate", rows)

    def parts() -> list[CountVectorizer]:
        characters = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5), n_jobs=1)
        return [CountVectorizer(ngram_range=(1, 2), n_jobs=1), characters]

    def together() -> object:
        words, characters = parts()
        union = UnionVectorizer(vectorizers=[("word", words), ("char", characters)])
        return union.fit_csr(iter(texts))

    best = alternate(
        {
            "together": together,
            "apart": lambda: side_by_side([part.fit_csr(iter(texts)) for part in parts()]),
        }
    )
    return best["together"], best["apart"]


def main(rows: int | None = None) -> None:
    if any(corpus_folder(name) is None for name in CORPORA):
        print("vectorizers: no corpora; set LINDY_DATA to their folder")
        return
    print(f"{'corpus':14} {'task':22} {'CPU ×':>7} {'Arrow ×':>8} {'2 threads ×':>12} {'memory ×':>9}")
    for corpus in CORPORA:
        for task in TASKS:
            theirs = measure(corpus, task, "scikit-learn", 1, 3, rows)
            ours = measure(corpus, task, "lindy", 1, 3, rows)
            arrow = measure(corpus, task, "arrow", 1, 3, rows)
            two = measure(corpus, task, "lindy", 2, 3, rows)
            print(
                f"{corpus:14} {task:22} {theirs[0] / ours[0]:7.1f} {theirs[0] / arrow[0]:8.1f}"
                f" {ours[1] / two[1]:12.2f} {ours[2] / theirs[2]:9.2f}"
                f"   ({theirs[0]:.2f} s, {ours[0]:.3f} s; {theirs[2]:.0f} MB, {ours[2]:.0f} MB)",
                flush=True,
            )
    for name, slow, fast in single_text():
        print(f"one text of 80 characters, {name} 1-2: {fast:.1f} µs (scikit-learn {slow:.0f} µs)")
    print(f"100,000 chosen words take {chosen_words():.2f} × the time of random ones")
    (seconds, megabytes), (their_seconds, their_megabytes) = long_token("lindy"), long_token("scikit-learn")
    print(
        f"one token of 10 MB, char_wb 3-5: {seconds:.2f} s, {megabytes:.0f} MB"
        f" (scikit-learn {their_seconds:.1f} s, {their_megabytes:.0f} MB)"
    )
    one, two = words_and_characters(rows)
    print(f"words 1-2 and characters 3-5 of 20news-bydate in one reading: {one:.2f} s (in two {two:.2f} s)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
