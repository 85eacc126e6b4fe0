"""Loading a model runs nothing: what Python audits meanwhile, for every learner and every vectorizer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.vectorizers import VECTORS

import lindy
from lindy import features, images, text
from lindy.estimators.learners import learner_classes
from lindy.text.vectorizer_registry import vectorizer_kinds

TEXTS = ["a fine warm book", "dull and long", "wonderful wise book", "empty dull pages"] * 5
LABELS = ["good", "bad"] * 10
ROWS = [{"title": own, "price": i, "sender": "ann" if i % 3 else "bob"} for i, own in enumerate(TEXTS)]
BAGS = [dict.fromkeys(own.split(), 1.0) for own in TEXTS]
PICTURES = np.arange(20 * 3 * 4).reshape(20, 3, 4) % 7
WORDS = {"good": ["fine", "wise"], "bad": ["dull"]}
GIVEN: dict[str, Any] = {"lexicon": lindy.baselines.Lexicon(words=WORDS)}
LEARNERS: dict[str, Any] = {name: GIVEN.get(name, name) for name in learner_classes()} | {
    "string kernel": lindy.KernelSVM(kernel=lindy.kernels.Spectrum(2)),
    "combined kernel": lindy.KernelSVM(kernel=lindy.kernels.Linear() + lindy.kernels.RBF()),
    "sparse weights": lindy.MaxEnt(penalty="l1", C=100),
}
VECTORIZERS: dict[str, tuple[Any, Any]] = {
    "bags": (features.BagVectorizer(), BAGS),
    "bm25": (text.Bm25Vectorizer(), TEXTS),
    "conjunctions": (features.ConjunctionVectorizer(vectorizer=text.CountVectorizer()), TEXTS),
    "copies": (features.CopyVectorizer(), TEXTS),
    "count": (text.CountVectorizer(), TEXTS),
    "dict": (features.DictVectorizer(), BAGS),
    "functions": (features.FunctionVectorizer(functions=[features.contains("fine")]), TEXTS),
    "hashing": (text.HashingVectorizer(n_features=64, record=True), TEXTS),
    "lexicons": (features.LexiconVectorizer(), TEXTS),
    "log-count-ratio": (text.LogCountRatioVectorizer(), TEXTS),
    "misspellings": (features.MisspellingVectorizer(min_df=1), TEXTS),
    "pixels": (images.PixelFeatures(), PICTURES),
    "shapes": (images.ShapeFeatures(), PICTURES),
    "patterns": (features.PatternVectorizer(), TEXTS),
    "static embedding": (features.StaticEmbedding(path=str(VECTORS)), TEXTS),
    "table": (features.TableVectorizer(text=["title"], numeric=["price"], category=["sender"]), ROWS),
    "tfidf": (text.TfidfVectorizer(), TEXTS),
    "token conjunctions": (features.TokenConjunctions(), TEXTS),
    "union": (text.UnionVectorizer(vectorizers=[("w", text.TfidfVectorizer())]), TEXTS),
}
ELSEWHERE = {"sequences"}  # which the string kernel has
HARMLESS = {
    "open",
    "mmap.__new__",
    "builtins.id",
    "object.__getattr__",
}  # the last two: looking at signatures
AUDIT = """
import json, sys, lindy
seen, listening = [], False
def hook(event, arguments):
    if listening:
        seen.append((event, [str(argument) for argument in arguments]))
sys.addaudithook(hook)
for path in sys.argv[1:]:
    lindy.load(path)
for path in sys.argv[1:]:
    listening = True
    lindy.load(path)
    listening = False
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("models")
    made: dict[str, tuple[dict[str, Any], Any]] = {
        name: ({"learner": own}, TEXTS) for name, own in LEARNERS.items()
    }
    for kind, (vectorizer, examples) in VECTORIZERS.items():
        made[f"vectorizer {kind}"] = ({"learner": "svm", "vectorizer": vectorizer}, examples)
    made["automatic"] = ({}, TEXTS)
    paths = []
    for name, (options, examples) in made.items():
        paths.append(folder / f"{name}.lindy")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lindy.TextClassifier(**options).fit(examples, LABELS).save(paths[-1])
    return paths


def test_every_vectorizer_is_here() -> None:
    assert set(VECTORIZERS) | ELSEWHERE >= set(vectorizer_kinds())


def test_loading_opens_the_file_and_does_nothing_else(models: list[Path]) -> None:
    given = [str(path) for path in models]
    done = subprocess.run([sys.executable, "-c", AUDIT, *given], capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    assert {event for event, _ in seen} <= HARMLESS, [one for one in seen if one[0] not in HARMLESS][:5]
    opened = [arguments for event, arguments in seen if event == "open"]
    assert [path for path, *_ in opened] == given
    for _, mode, flags in opened:
        assert mode == "None"
        assert int(flags) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC) == 0
