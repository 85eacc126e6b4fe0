"""Label trees: training, prediction and precision on one matrix, beside omikuji's.

python -m benchmarks.label_tree [corpora…] [--runs 2]

yso-titles-en (63,334 titles, 10,740 labels), cooking-tags (735) and reuters-topics (115): scikit-learn's sublinear
tf-idf of words 1-2 (min_df 2, float32), SVM with the squared hinge and C = 1. omikuji trains with its defaults (hinge,
100 labels in a leaf), and reads the same matrix from a file; its predictions are asked for one by one, as its Python
interface has them. On the corpora that it has time for, exact one-vs-rest is the yardstick of precision. Seconds are
CPU seconds of all threads, the least of some runs in turn.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import alternate, corpus_folder, cpu_seconds, record, unpacked

CORPORA = ("yso-titles-en", "cooking-tags", "reuters-topics")
EXACT = 1000  # labels up to which one-vs-rest is trained, too
LEVELS = (1, 3, 5)


def read(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the texts of a table and their labels."""
    csv.field_size_limit(2**30)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [[tag for tag in row["labels"].split("|") if tag] for row in rows]


def precision(best: np.ndarray, truth: list[set[int]]) -> dict[str, float]:
    """Return the precision at 1, 3 and 5, in percent, of the labels of rows in falling order."""
    hits = [[label in own for label in row] for row, own in zip(best.tolist(), truth, strict=True)]
    return {f"p@{k}": 100 * float(np.mean([row[:k] for row in hits])) for k in LEVELS}


def write(path: Path, X: Any, labels: list[list[int]], n_labels: int) -> None:
    """Write a matrix in the format of the extreme classification repository; a row without values gets a tiny one."""
    X.sort_indices()
    with path.open("w") as file:
        file.write(f"{X.shape[0]} {X.shape[1]} {n_labels}\n")
        for i, own in enumerate(labels):
            some = slice(X.indptr[i], X.indptr[i + 1])
            pairs = [f"{j}:{v:.7g}" for j, v in zip(X.indices[some], X.data[some], strict=True)]
            file.write(f"{','.join(map(str, own))} {' '.join(pairs) or '0:1e-9'}\n")


def measured(name: str, folder: Path, runs: int) -> dict[str, Any]:
    """Return the figures of one corpus."""
    import omikuji
    from sklearn.feature_extraction.text import TfidfVectorizer

    from lindy.linear import SVM, LabelTree, OneVsRest

    source = corpus_folder(name)
    assert source is not None
    (texts, tags), (test_texts, test_tags) = (
        read(unpacked(source, part, folder)) for part in ("train", "test")
    )
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, dtype=np.float32)
    X, T = words.fit_transform(texts), words.transform(test_texts)
    names = sorted({tag for own in tags for tag in own})
    number = {tag: k for k, tag in enumerate(names)}
    codes = [[number[tag] for tag in own] for own in tags]
    truth = [{number[tag] for tag in own if tag in number} for own in test_tags]
    file = folder / f"{name}.txt"
    write(file, X, codes, len(names))
    asked = [list(zip(T[i].indices.tolist(), T[i].data.tolist(), strict=True)) for i in range(T.shape[0])]

    def rival(trees: int) -> Any:
        options = omikuji.Model.default_hyper_param()
        options.n_trees = trees
        return omikuji.Model.train_on_data(str(file), options)

    def tree(trees: int) -> LabelTree:
        return LabelTree(learner=SVM(), trees=trees).fit(X, codes)

    def exact() -> OneVsRest:
        return OneVsRest(learner=SVM()).fit(X, codes)

    contestants: dict[str, Any] = {f"lindy, {n}": (lambda n=n: tree(n)) for n in (1, 3)}
    contestants |= {f"omikuji, {n}": (lambda n=n: rival(n)) for n in (1, 3)}
    if len(names) <= EXACT:
        contestants["one-vs-rest"] = exact
    seconds = alternate(contestants, runs)
    found: dict[str, Any] = {"corpus": name, "labels": len(names), "rows": X.shape[0]}
    for contestant, fit in contestants.items():
        model = fit()
        if isinstance(model, LabelTree):
            spent, (best, _) = cpu_seconds(lambda model=model: model.top(T, 5))
            best = np.array([int(k) for k in model.classes_])[best]
        elif isinstance(model, OneVsRest):
            spent, scores = cpu_seconds(lambda model=model: model.decision_function(T))
            best = np.argsort(-scores, axis=1, kind="stable")[:, :5]
        else:
            spent, said = cpu_seconds(lambda model=model: [model.predict(row, top_k=5) for row in asked])
            best = np.array([[label for label, _ in row] + [-1] * (5 - len(row)) for row in said])
        found[contestant] = {
            "seconds": seconds[contestant],
            "per second": T.shape[0] / spent,
            **precision(best, truth),
        }
    return found


def main() -> None:
    """Print the table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=list(CORPORA))
    parser.add_argument("--runs", type=int, default=2)
    args = parser.parse_args()
    figures = []
    for name in args.corpora:
        if corpus_folder(name) is None:
            print(f"{name} is not there")
            continue
        with tempfile.TemporaryDirectory() as folder:
            own = measured(name, Path(folder), args.runs)
        figures.append(own)
        print(f"{name}: {own['labels']:,} labels, {own['rows']:,} texts")
        for contestant, told in own.items():
            if isinstance(told, dict):
                shown = " ".join(f"{told[f'p@{k}']:6.2f}" for k in LEVELS)
                print(
                    f"  {contestant:14} {told['seconds']:7.2f} s {told['per second']:9,.0f}/s   {shown}",
                    flush=True,
                )
    if figures:
        record("label_tree", figures)


if __name__ == "__main__":
    main()
