"""Hashed words and characters side by side."""

import csv
import sys

from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC


def read(path):
    """Return the texts and labels of a table."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


texts, labels = read(sys.argv[1])
union = FeatureUnion(
    [
        ("words", HashingVectorizer(n_features=2**12)),
        ("chars", HashingVectorizer(analyzer="char_wb", ngram_range=(3, 4))),
    ]
)
scores = cross_val_score(make_pipeline(union, LinearSVC()), texts, labels, cv=4)
print([f"{score:.2f}" for score in scores])
