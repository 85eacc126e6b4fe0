"""Every vectorizer that a model file may hold, unfitted, and five examples for it: a new kind needs an entry here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lindy import features, images, text

TEXTS = ["not so good", "very good indeed", "so bad", "Win $500 NOW!!!", ""]
LABELS = np.array([0, 1, 0, 1, 0])
ROWS = [{"title": own, "price": i, "sender": "ann" if i % 2 else "bob"} for i, own in enumerate(TEXTS)]
VECTORS = Path(__file__).with_name("toy.vec")
PICTURES = np.arange(5 * 3 * 4).reshape(5, 3, 4) % 7
MADE: dict[str, tuple[text.Vectorizer, Any]] = {
    "bags": (features.BagVectorizer(), [{"a": 1.5}, {"b": "x"}, {"b": ["y", "y"]}, {}, {"a": -2.0}]),
    "bm25": (text.Bm25Vectorizer(), TEXTS),
    "conjunctions": (features.ConjunctionVectorizer(vectorizer=text.CountVectorizer()), TEXTS),
    "copies": (features.CopyVectorizer(), TEXTS),
    "count": (text.CountVectorizer(), TEXTS),
    "dict": (features.DictVectorizer(), [{"a": 1.0}, {"b": "x"}, {"b": ["y", "y"]}, {}, {"a": 2.0}]),
    "functions": (
        features.FunctionVectorizer(functions=[features.contains("good"), features.word_count()]),
        TEXTS,
    ),
    "hashing": (text.HashingVectorizer(n_features=64), TEXTS),
    "lexicons": (features.LexiconVectorizer(), TEXTS),
    "log-count-ratio": (text.LogCountRatioVectorizer(), TEXTS),
    "misspellings": (features.MisspellingVectorizer(min_df=1), TEXTS),
    "patterns": (features.PatternVectorizer(), TEXTS),
    "pixels": (images.PixelFeatures(), PICTURES),
    "sequences": (text.SequenceVectorizer(), TEXTS),
    "shapes": (images.ShapeFeatures(), PICTURES),
    "static embedding": (features.StaticEmbedding(path=str(VECTORS)), TEXTS),
    "table": (features.TableVectorizer(text=["title"], numeric=["price"], category=["sender"]), ROWS),
    "tfidf": (text.TfidfVectorizer(ngram_range=(1, 3)), TEXTS),
    "token conjunctions": (features.TokenConjunctions(), TEXTS),
    "union": (
        text.UnionVectorizer(vectorizers=[("w", text.TfidfVectorizer()), ("", features.PatternVectorizer())]),
        TEXTS,
    ),
}
