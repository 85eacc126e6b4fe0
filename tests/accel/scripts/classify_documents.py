"""Several classifiers on the same tf-idf weights."""

import csv
import sys

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import classification_report, confusion_matrix
from sklearn.naive_bayes import ComplementNB
from sklearn.svm import LinearSVC


def read(path):
    """Return the texts and labels of a table."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


(train, y), (test, truth) = read(sys.argv[1]), read(sys.argv[2])
vectorizer = TfidfVectorizer(sublinear_tf=True, max_df=0.9, min_df=2, stop_words="english")
X, X_test = vectorizer.fit_transform(train), vectorizer.transform(test)
print(X.shape, X_test.nnz)
for model in (LinearSVC(dual=False), LogisticRegression(C=5), RidgeClassifier(), ComplementNB()):
    predicted = model.fit(X, y).predict(X_test)
    print(type(model).__name__, confusion_matrix(truth, predicted).tolist())
    print(classification_report(truth, predicted, digits=2))
