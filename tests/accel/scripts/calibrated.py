"""Probabilities of a linear SVM, one topic against the rest, and a model that is pickled."""

import csv
import pickle
import sys

from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import log_loss
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC


def read(path):
    """Return the texts and labels of a table."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


(train, y), (test, truth) = read(sys.argv[1]), read(sys.argv[2])
calibrated = CalibratedClassifierCV(LinearSVC(C=0.1), cv=3)
model = make_pipeline(CountVectorizer(binary=True), OneVsRestClassifier(calibrated)).fit(train, y)
again = pickle.loads(pickle.dumps(model))
print(f"{again.score(test, truth):.2f} {log_loss(truth, again.predict_proba(test)):.2f}")
