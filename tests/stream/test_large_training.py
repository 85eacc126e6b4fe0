"""``lindy train`` on tables that are larger than the memory it is given: the same models, byte for byte."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lindy.cli.large
import lindy.text.documents
from lindy.cli.app import run
from lindy.stream import workspace as workspaces

WORDS = [f"{a}{b}" for a in ("ka", "lo", "mi", "nu", "so", "té", "ри") for b in ("ba", "do", "fi", "gu", "x", "日")]


def rows(n: int = 900, seed: int = 0) -> list[tuple[str, str]]:
    """Return labels and texts, in which some words are more frequent in one class; one text has many repetitions."""
    draw = random.Random(seed)
    made = []
    for i in range(n):
        label = draw.choice(["good", "bad", "so so"])
        own = draw.sample(WORDS, 8) if i % 7 else []
        start = ["good", "bad", "so so"].index(label) * 12
        own += draw.choices(WORDS[start : start + 14], k=6)
        made.append((label, " ".join(own) if i != n // 2 else "many " * 400))
    return made


def write_csv(path: Path, table: list[tuple[str, str]]) -> Path:
    path.write_text("label,text\n" + "".join(f"{label},{text}\n" for label, text in table), encoding="utf-8")
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every table a large one: parts of some kilobytes instead of megabytes."""
    monkeypatch.setattr(lindy.cli.large, "PER_BYTE", 10**9)
    shrink(monkeypatch, 5000)


def shrink(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    monkeypatch.setattr(workspaces, "LEAST", part << 5)
    monkeypatch.setattr(workspaces, "LEAST_PART", part)
    monkeypatch.setattr(workspaces, "_LARGE", 256)
    monkeypatch.setattr(lindy.cli.large, "PART", 3 * part)
    monkeypatch.setattr(lindy.text.documents, "BATCH_BYTES", part // 3)


def trained(target: Path, *args: object) -> bytes:
    assert run(["train", *map(str, args), "-o", str(target), "--quiet"]) == 0
    return target.read_bytes()


OPTIONS = [
    ("naive-bayes", "--ngrams", "1-2"),
    ("bernoulli-naive-bayes",),
    ("svm", "--ngrams", "1-2"),
    ("svm", "--ngrams", "2", "--min-df", "2", "--max-features", "300"),
    ("svm", "--ngrams", "1-2", "--min-count", "3", "--weighting", "bm25"),
    ("svm", "--chars", "2-4"),
    ("svm", "--ngrams", "1", "--chars", "2-3", "--select", "chi2:200"),
    ("maxent", "--ngrams", "1-2"),
    ("maxent", "--weighting", "counts", "--param", "penalty=l1"),
    ("nb-svm", "--ngrams", "1-2"),
    ("perceptron", "--ngrams", "1-2"),
    ("mira", "--weighting", "log-count-ratio"),
    ("auto", "--fast"),
    ("auto", "--metric", "macro-f1"),
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_model_is_the_same(options, tmp_path, monkeypatch):
    data = write_csv(tmp_path / "t.csv", rows())
    name, *others = options
    args = [data, "--learner", name, *others]
    whole = trained(tmp_path / "whole.lindy", *args)
    monkeypatch.setattr(lindy.cli.large, "PER_BYTE", 10**9)
    for part in (2000, 9000):
        with monkeypatch.context() as smaller:
            shrink(smaller, part)
            assert trained(tmp_path / "parts.lindy", *args) == whole
    assert not (tmp_path / "parts.lindy.cache").exists()
