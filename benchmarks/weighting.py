"""Weights of counted words: TfidfTransformer against scikit-learn's, and what BM25 and log-count ratios cost.

python -m benchmarks.weighting [corpus …]        (default: ag-news-10k 20news-bydate)

CPU time of one thread, the best of several rounds, rival and lindy taking turns; the rows are 1-2-gram counts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction import text as rival

from lindy.core.csr import as_csr
from lindy.data import read_examples
from lindy.text import Bm25Transformer, CountVectorizer, LogCountRatio, TfidfTransformer

ROUNDS = 9
DATA = Path(os.environ.get("LINDY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def best(*functions: Callable[[], Any]) -> list[float]:
    """Return the least CPU milliseconds of each function; they take turns."""
    times = [[] for _ in functions]
    for _ in range(ROUNDS):
        for function, taken in zip(functions, times, strict=True):
            start = time.process_time()
            function()
            taken.append(1e3 * (time.process_time() - start))
    return [min(taken) for taken in times]


def measure(corpus: str) -> None:
    data = read_examples(next((DATA / corpus).glob("train.csv*")))
    X = CountVectorizer(ngram_range=(1, 2)).fit_transform(data.texts)
    y = np.unique(np.asarray(data.labels), return_inverse=True)[1]
    print(f"\n{corpus}: {X.shape[0]} rows × {X.shape[1]} columns, {X.nnz} values, {y.max() + 1} classes")
    print(f"{'':44}{'scikit-learn':>14}{'lindy':>10}{'ratio':>8}   (CPU ms)")
    for dtype in (np.float64, np.float32):
        rows = X.astype(dtype)
        csr = as_csr(rows)
        for options in ({}, {"sublinear_tf": True}):
            theirs = rival.TfidfTransformer(**options).fit(rows)
            ours = TfidfTransformer(**options, n_jobs=1).fit(rows)
            slow, fast, inner = best(
                lambda theirs=theirs, rows=rows: theirs.transform(rows),
                lambda ours=ours, rows=rows: ours.transform(rows),
                lambda ours=ours, csr=csr: ours.transform_csr(csr),
            )
            name = f"tf-idf {dtype.__name__}{' sublinear' if options else ''}"
            print(f"{name + ', SciPy in and out':44}{slow:14.1f}{fast:10.1f}{slow / fast:8.1f}")
            print(f"{name + ', inside lindy':44}{slow:14.1f}{inner:10.1f}{slow / inner:8.1f}")
        bm25 = Bm25Transformer(n_jobs=1).fit(csr)
        ratio = LogCountRatio(n_jobs=1).fit(csr, y)
        costs = {
            "BM25 transform": lambda bm25=bm25, csr=csr: bm25.transform_csr(csr),
            "log-count ratio fit": lambda csr=csr: LogCountRatio(n_jobs=1).fit(csr, y),
            "log-count ratio norms, all classes": lambda ratio=ratio, csr=csr: ratio.norms(csr),
            "log-count ratio transform, one class": lambda ratio=ratio, csr=csr: ratio.transform_csr(csr, 0),
        }
        for name, cost in zip(costs, best(*costs.values()), strict=True):
            print(f"{name + ' ' + dtype.__name__:44}{'':14}{cost:10.1f}")


def main(corpora: list[str]) -> None:
    for corpus in corpora:
        if (DATA / corpus).is_dir():
            measure(corpus)
        else:
            print(f"{corpus} is not in {DATA}; set LINDY_DATA to the folder of the corpora")


if __name__ == "__main__":
    main(sys.argv[1:] or ["ag-news-10k", "20news-bydate"])
