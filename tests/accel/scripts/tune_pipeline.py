"""A grid search over the steps of a pipeline."""

import csv
import sys

from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline


def read(path):
    """Return the texts and labels of a table."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


texts, labels = read(sys.argv[1])
pipeline = Pipeline(
    [
        ("count", CountVectorizer()),
        ("tfidf", TfidfTransformer()),
        ("model", LogisticRegression(tol=1e-5, max_iter=1000)),
    ]
)
grid = {"count__ngram_range": [(1, 1), (1, 2)], "tfidf__use_idf": [True, False], "model__C": [0.1, 10]}
search = GridSearchCV(pipeline, grid, cv=2).fit(texts, labels)
print(search.best_params_)
for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
    print(f"{score:.2f}", params)
