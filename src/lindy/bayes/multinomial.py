"""Multinomial naive Bayes: every class is a distribution over words.

    P(y) = n_y / n                                 the share of class y
    P(w | y) = (n_yw + k) / (Σ_w' n_yw' + k·V)     Laplace-k over the V words
    log P(x, y) = log P(y) + Σ_w n_w(x)·log P(w | y) = (xᵀW + b)_y

The counts are of word tokens, not of documents.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.base import Classifier
from lindy.linear.model import linear_scores


class MultinomialNaiveBayes(Classifier):
    """Multinomial naive Bayes with Laplace-k smoothing, as a linear model.

    Parameters
    ----------
    alpha : float
        Laplace's k: how many times every word is taken to have been seen with every class.
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes), log P(w | y)
    b_ : array (classes,), log P(y)
    """

    def __init__(self, *, alpha: float = 1.0, n_jobs: int | None = None) -> None:
        self.alpha = alpha
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the words of each class and turn the counts into log probabilities."""
        if self.alpha < 0:
            raise ValueError(f"alpha must not be negative; got {self.alpha}")
        data = self._examples(X, y, sample_weight)
        K = len(self.classes_)
        self.feature_count_ = np.zeros((data.X.n_columns, K))
        self.class_count_ = np.zeros(K)
        _native.class_counts(*data.X.arrays, data.y, data.weight, self.feature_count_, self.class_count_)
        self._estimate()
        return self

    def _estimate(self) -> None:
        counts = self.feature_count_ + self.alpha
        if (self.feature_count_ < 0).any():
            raise ValueError(
                "Negative values in data passed to MultinomialNaiveBayes: a word's count in a class is below zero"
            )
        with np.errstate(divide="ignore"):
            self.W_ = np.log(counts) - np.log(counts.sum(axis=0))
            self.b_ = np.log(self.class_count_) - np.log(self.class_count_.sum())

    def joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(x, y) up to the multinomial coefficient, rows × classes."""
        self._check_fitted()
        return linear_scores(self._rows(X), self.W_, self.b_, self.n_jobs)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return log P(x, y) per class; for two classes log P(x, y₁) − log P(x, y₀)."""
        joint = self.joint_log_proba(X)
        return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row."""
        joint = self.joint_log_proba(X)
        labels: NDArray[Any] = self.classes_[joint.argmax(axis=1)]
        return labels

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(y | x), rows × classes."""
        joint = self.joint_log_proba(X)
        top = joint.max(axis=1, keepdims=True)
        normalised: NDArray[np.float64] = joint - top - np.log(np.exp(joint - top).sum(axis=1, keepdims=True))
        return normalised

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y | x), rows × classes; every row sums to 1."""
        return np.exp(self.predict_log_proba(X))
