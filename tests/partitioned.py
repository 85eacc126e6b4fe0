"""A small corpus cut into partitions, and what models of it are compared by."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lindy import TextClassifier
from lindy.data import samples
from lindy.distributed.partitions import Wanted

WANTED = (Wanted("text", "label"),)


def corpus(classes: int = 2, rows: int = 420) -> pa.Table:
    """Return reviews of two classes, or of more: the negative ones, and the positive ones by their length."""
    found = samples.load("opinions-train")
    assert found.labels is not None
    texts, labels = found.texts.to_pylist()[:rows], found.labels.to_pylist()[:rows]
    if classes > 2:
        labels = [
            f"{label} {len(text) % (classes - 1)}" if label == "positive" else label
            for text, label in zip(texts, labels, strict=True)
        ]
    return pa.table({"text": texts, "label": labels})


def cut(table: pa.Table, n: int) -> list[tuple[int, pa.Table]]:
    """Return n numbered parts, of sizes that differ."""
    ends = (np.linspace(0, 1, n + 1) ** 1.5 * table.num_rows).astype(int)
    return [(i, table.slice(a, b - a)) for i, (a, b) in enumerate(pairwise(ends))]


def model_bytes(model: TextClassifier, folder: Path) -> bytes:
    """Return the bytes of a model's file."""
    if not hasattr(model, "columns_"):
        model.columns_ = {}
    model.save(folder / "saved.lindy")
    return (folder / "saved.lindy").read_bytes()


def one_machine(model: TextClassifier, table: pa.Table) -> Any:
    """Return a model fitted as on one machine."""
    return model.fit(table["text"], table["label"])


def tagged(rows: int = 240) -> pa.Table:
    """Reviews with any of three labels; some have none."""
    table = corpus(rows=rows)
    texts, labels = (table[name].to_pylist() for name in ("text", "label"))
    own = [
        ([label] if label == "positive" else [])
        + (["long"] if len(text) > 60 else [])
        + (["film"] if "film" in text or "movie" in text else [])
        for text, label in zip(texts, labels, strict=True)
    ]
    return pa.table({"text": texts, "label": own})


def several_labels_model(table: pa.Table) -> TextClassifier:
    """Return a model that gives texts their label, and whether they are long."""
    labels = [
        [label, "long"] if len(text) > 100 else [label]
        for text, label in zip(*(table[name].to_pylist() for name in ("text", "label")), strict=True)
    ]
    return TextClassifier(learner="naive-bayes").fit(table["text"], labels)
