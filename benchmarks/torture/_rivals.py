"""The linear classifiers that are abused beside lindy's, with LIBLINEAR in the form of an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from tests.hostile.estimators import Subject


class Liblinear:
    """L2-regularised logistic regression of liblinear-official, through its own Python interface."""

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a SciPy matrix, an array or lists."""
        from liblinear.liblinearutil import train

        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = train(codes.astype(float), X, f"-s 0 -c {self.C} -q")
        self.coef_ = np.ctypeslib.as_array(self.model_.w, (self.model_.nr_feature,)).copy()
        return self

    def predict(self, X: Any) -> Any:
        """Return the labels."""
        return self.classes_[np.asarray(self._predict(X)[0], int)]

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities."""
        return np.array(self._predict(X)[2])

    def _predict(self, X: Any) -> Any:
        from liblinear.liblinearutil import predict

        return predict([], X, self.model_, "-b 1 -q")


def rivals() -> tuple[list[Subject], list[str]]:
    """Return the rivals that are installed, and the names of those that are not."""
    found, missing = [], []
    try:
        from sklearn.linear_model import LogisticRegression, SGDClassifier
        from sklearn.naive_bayes import MultinomialNB
        from sklearn.svm import LinearSVC

        found += [Subject(kind) for kind in (LinearSVC, LogisticRegression, SGDClassifier, MultinomialNB)]
    except ImportError:
        missing.append("scikit-learn")
    try:
        import liblinear  # noqa: F401

        found.append(Subject(Liblinear))
    except ImportError:
        missing.append("LIBLINEAR (liblinear-official)")
    return found, missing
