"""What `benchmarks.distributed` measures on: IMDB's training reviews ten times over, as files; and its clocks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.harness import corpus_folder

COPIES = 10
TOL = 1e-4


def processor_seconds() -> float:
    """Return the processor time of this process and all its descendants that are alive or were waited for."""
    import psutil

    me = psutil.Process()
    own = sum(os.times()[:4])
    return own + sum(
        sum(child.cpu_times()[:2]) for child in me.children(recursive=True) if child.is_running()
    )


@contextmanager
def measured(what: str) -> Iterator[dict[str, float]]:
    found: dict[str, float] = {}
    wall, cpu = time.perf_counter(), processor_seconds()
    yield found
    found["wall"], found["cpu"] = time.perf_counter() - wall, processor_seconds() - cpu
    print(f"{what}: {found['wall']:.2f} s, {found['cpu']:.2f} s of processors", flush=True)


def prepare(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from lindy.data import read_examples
    from lindy.text.weighting.weighting_registry import weighted_vectorizer

    source = corpus_folder("imdb")
    if source is None:
        raise SystemExit("the corpus imdb is not there: set LINDY_DATA")
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "test"):
        found = read_examples(source / f"{part}.csv.gz")
        texts, labels = found.texts.to_pylist(), found.labels.to_pylist()
        table = pa.table({"text": texts, "label": labels})
        if part == "train":
            for copy in range(COPIES):
                pq.write_table(table, folder / f"imdb-{copy}.parquet")
            for large in range(2):
                pq.write_table(pa.concat_tables([table] * 4), folder / f"large-{large}.parquet")
            vectorizer = weighted_vectorizer("tfidf", analyzer="unicode_words", ngram_range=(1, 1))
            vectorizer.fit_csr(texts * COPIES)
        else:
            pq.write_table(table, folder / "imdb-test.parquet")
        rows = vectorizer.transform(texts)
        rows.sort_indices()
        codes = (np.array(labels) == sorted(set(labels))[1]).astype(int)
        with open(folder / f"{part}.svm", "w") as file:
            for i, code in enumerate(codes):
                own = slice(rows.indptr[i], rows.indptr[i + 1])
                pairs = zip((rows.indices[own] + 1).tolist(), rows.data[own].tolist(), strict=True)
                file.write(f"{code} {' '.join(f'{j}:{v:.9g}' for j, v in pairs)}\n")
    (folder / "columns").write_text(str(rows.shape[1]))


@dataclass
class Account:
    """Wall time, and the processor time of this process and its descendants, by their numbers."""

    wall: float = 0.0
    spent: dict[int, float] = field(default_factory=dict)


@contextmanager
def accounted() -> Iterator[Account]:
    import psutil

    found, me = Account(), psutil.Process()
    processes = [me, *me.children(recursive=True)]
    before, began = [sum(each.cpu_times()[:2]) for each in processes], time.perf_counter()
    yield found
    found.wall = time.perf_counter() - began
    found.spent = {
        each.pid: sum(each.cpu_times()[:2]) - one for each, one in zip(processes, before, strict=True)
    }
