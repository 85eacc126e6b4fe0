"""Vectorizers against scikit-learn's: CPU time of one thread, wall time of two, peak memory, one short text.

python -m benchmarks.vectorizers [--only rivals arrow single chosen long union] [--corpus NAME] [--task NAME] [--rows N]

Both read the same Python lists of the raw text column, each in a process of its own; lindy's run before and after
scikit-learn's. Arrow columns and lists of the same texts are read in turn in one process, in slices that take
milliseconds: the ratio is the median over pairs, so that a clock that changes does not matter.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import string
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow.csv

from benchmarks.harness import alternate, corpus_folder

CORPORA = ("20news-bydate", "imdb")
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "counts 1-1": ("CountVectorizer", {}),
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
texts = texts_of(corpus, rows)
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


def rivals(corpus: str, task: str, rows: int | None) -> str:
    """Return a line: scikit-learn's CPU time and memory over ours, and our wall time of one thread over that of two."""
    runs = 1 if "char" in task else 3  # of scikit-learn, which takes a minute for characters
    one, two = (measure(corpus, task, "lindy", threads, 3, rows) for threads in (1, 2))
    theirs = measure(corpus, task, "scikit-learn", 1, runs, rows)
    one, two = (
        [*map(min, before[:2], again[:2]), max(before[2], again[2])]
        for before, again in (
            (one, measure(corpus, task, "lindy", 1, 3, rows)),
            (two, measure(corpus, task, "lindy", 2, 3, rows)),
        )
    )
    return (
        f"{theirs[0] / one[0]:7.1f} {one[1] / two[1]:12.2f} {one[2] / theirs[2]:9.2f} {two[2] / theirs[2]:16.2f}"
        f"   ({theirs[0]:.2f} s, {one[0]:.3f} s; {theirs[2]:.0f} MB, {one[2]:.0f} MB, {two[2]:.0f} MB)"
    )


def arrow_against_lists(corpus: str, task: str, seconds: float, rows: int | None) -> str:
    """Return a line: time for lists over time for Arrow, of fitting and of transforming, with one and two threads."""
    column = texts_of(corpus, rows, arrow=True)
    size = 100 if "char" in task else 1000  # so that a slice takes some milliseconds
    slices = [column[begin : begin + size] for begin in range(0, len(column), size)]
    forms = [(part.to_pylist(), part) for part in slices]
    ratios = []
    for threads in (1, 2):
        vectorizer = make(task, "lindy", threads).fit(column)
        ratios += [
            pair_ratio(getattr(vectorizer, method), forms, seconds)
            for method in ("fit_transform", "transform")
        ]
    return " ".join(f"{ratio:9.3f} ± {error:.3f}" for ratio, error in ratios)


def pair_ratio(read: Any, forms: list[tuple[Any, Any]], seconds: float) -> tuple[float, float]:
    """Return the median of first over second wall time of pairs that take turns, and that median's standard error."""
    ratios: list[float] = []
    end = time.perf_counter() + seconds
    gc.disable()
    while time.perf_counter() < end:
        for pair in forms:
            elapsed = [0.0, 0.0]
            for k in (0, 1) if len(ratios) % 2 else (1, 0):
                begin = time.perf_counter()
                read(pair[k])
                elapsed[k] = time.perf_counter() - begin
            ratios.append(elapsed[0] / elapsed[1])
    gc.enable()
    lower, median, upper = np.quantile(ratios, (0.25, 0.5, 0.75))
    return float(median), float(0.93 * (upper - lower) / len(ratios) ** 0.5)  # as of a normal distribution


def single_text() -> Iterator[tuple[str, float, float]]:
    """Yield, for each vectorizer, the median microseconds of transforming one short text: scikit-learn's and ours."""
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


def print_table(heading: str, line: Callable[[str, str], str], corpora: list[str], tasks: list[str]) -> None:
    print(f"{'corpus':14} {'task':22} {heading}")
    for corpus in corpora:
        for task in tasks:
            print(f"{corpus:14} {task:22} {line(corpus, task)}", flush=True)


PARTS = ("rivals", "arrow", "single", "chosen", "long", "union")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--corpus", nargs="+", choices=CORPORA, default=CORPORA)
    parser.add_argument("--task", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--seconds", type=float, default=4.0, help="for every ratio of Arrow and lists")
    wanted = parser.parse_args()
    if any(corpus_folder(name) is None for name in CORPORA):
        print("vectorizers: no corpora; set LINDY_DATA to their folder")
        return
    if "rivals" in wanted.only:
        heading = f"{'CPU ×':>7} {'2 threads ×':>12} {'memory ×':>9} {'with 2 threads':>16}"
        print_table(heading, partial(rivals, rows=wanted.rows), wanted.corpus, wanted.task)
    if "arrow" in wanted.only:
        heading = "lists / Arrow: fit_transform, transform; with 2 threads the same"
        line = partial(arrow_against_lists, seconds=wanted.seconds, rows=wanted.rows)
        print_table(heading, line, wanted.corpus, wanted.task)
    if "single" in wanted.only:
        for name, slow, fast in single_text():
            print(f"one text of 80 characters, {name} 1-2: {fast:.1f} µs (scikit-learn {slow:.0f} µs)")
    if "chosen" in wanted.only:
        print(f"100,000 chosen words take {chosen_words():.2f} × the time of random ones")
    if "long" in wanted.only:
        (seconds, megabytes), (their_seconds, their_megabytes) = map(long_token, ("lindy", "scikit-learn"))
        print(
            f"one token of 10 MB, char_wb 3-5: {seconds:.2f} s, {megabytes:.0f} MB"
            f" (scikit-learn {their_seconds:.1f} s, {their_megabytes:.0f} MB)"
        )
    if "union" in wanted.only:
        one, two = words_and_characters(wanted.rows)
        print(
            f"words 1-2 and characters 3-5 of 20news-bydate in one reading: {one:.2f} s (in two {two:.2f} s)"
        )


if __name__ == "__main__":
    main()
