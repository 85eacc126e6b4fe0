"""The words that weigh most for each topic, and those that chi² chooses."""

import csv
import sys

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression


def read(path):
    """Return the texts and labels of a table."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


texts, labels = read(sys.argv[1])
vectorizer = TfidfVectorizer()
X = vectorizer.fit_transform(texts)
names = vectorizer.get_feature_names_out()
model = LogisticRegression(l1_ratio=1, solver="saga", C=1, max_iter=1000).fit(X, labels)
for topic, weights in zip(model.classes_, model.coef_, strict=True):
    print(topic, sorted(names[weights.argsort()[::-1][:4]]), (weights != 0).sum() > 0)
print(names[SelectKBest(chi2, k=8).fit(X, labels).get_support()].tolist())
print(dict(sorted(vectorizer.vocabulary_.items())[:3]))
