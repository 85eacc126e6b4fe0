"""DictVectorizer against scikit-learn's: word counts with a few other features of real texts, and records."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import Any

import numpy as np

from benchmarks.harness import alternate, corpus_folder


def words(name: str) -> list[dict[str, Any]] | None:
    """Return a dictionary per text: how often each word occurs, its length, its first word, its marks."""
    import pyarrow.csv

    folder = corpus_folder(name)
    if folder is None:
        return None
    quoted = pyarrow.csv.ParseOptions(newlines_in_values=True)
    texts = pyarrow.csv.read_csv(folder / "train.csv.gz", parse_options=quoted)["text"].to_pylist()
    examples = []
    for text in texts:
        tokens = re.findall(r"\w+", text.lower())
        features: dict[str, Any] = dict(Counter(tokens))
        features["length"] = float(len(text))
        features["begins"] = tokens[0] if tokens else ""
        features["marks"] = re.findall(r"[!?]", text)
        examples.append(features)
    return examples


def records(n: int = 50_000, seed: int = 0) -> list[dict[str, Any]]:
    """Return rows of a table: numbers and categories, new strings in every row."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 2000, (n, 4)).tolist()
    numbers = rng.normal(size=(n, 4)).tolist()
    return [
        {
            "sender": f"user{a}",
            "city": f"city{b % 300}",
            "device": f"type{c % 7}",
            "tag": f"tag{d}",
            "price": w,
            "age": x,
            "height": y,
            "clicks": int(10 * z),
        }
        for (a, b, c, d), (w, x, y, z) in zip(columns, numbers, strict=True)
    ]


def measure(name: str, examples: list[dict[str, Any]]) -> None:
    from sklearn.feature_extraction import DictVectorizer as Theirs

    from lindy.features import DictVectorizer as Ours

    items = sum(map(len, examples))
    fitted = {"scikit-learn": Theirs().fit(examples), "lindy": Ours().fit(examples)}
    kinds: dict[str, Any] = {"scikit-learn": Theirs, "lindy": Ours}
    for what in ("fit", "fit_transform", "transform"):
        makers = {
            who: (lambda who=who: fitted[who] if what == "transform" else kinds[who]())  # noqa: B023
            for who in kinds
        }
        times = alternate(
            {who: (lambda make=make: getattr(make(), what)(examples)) for who, make in makers.items()},  # noqa: B023
            repeats=5,
        )
        theirs, ours = times["scikit-learn"], times["lindy"]
        print(
            f"{name:<14} {what:<14} {1e9 * theirs / items:8.0f} {1e9 * ours / items:8.0f}   {theirs / ours:6.1f} x"
        )


def main() -> None:
    print(f"{'data':<14} {'method':<14} {'sklearn':>8} {'lindy':>8}   ratio   (CPU ns per item)")
    measure("records", records())
    for name in ("ag-news-10k", "20news-bydate"):
        examples = words(name)
        if examples is None:
            sys.exit(f"the corpus {name} is not there: set LINDY_DATA to the folder of the corpora")
        measure(name, examples)


if __name__ == "__main__":
    main()
