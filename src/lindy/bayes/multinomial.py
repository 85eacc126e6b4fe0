"""Multinomial naive Bayes: every class is a distribution over words.

    P(y) = n_y / n                                        the share of class y
    P(w | y) = (n_yw + k) / (Σ_w' n_yw' + k·V)            Laplace-k over the V words; k = 0: maximum likelihood
    P(w | y) = a·n_yw / Σ_w' n_yw' + (1 − a)·n_w / n      linear interpolation with the words' overall frequency
    log P(x, y) = log P(y) + Σ_w n_w(x)·log P(w | y) = (xᵀW + b)_y

The counts are of word tokens, not of documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.bayes.inference import GenerativeClassifier, Log, Prior, check_prior, log_prior
from lindy.counting import CountingClassifier
from lindy.linear.model import linear_scores


class MultinomialNaiveBayes(CountingClassifier, GenerativeClassifier):
    """Multinomial naive Bayes, as a linear model.

    Parameters
    ----------
    alpha : float or array (features,)
        Laplace's k: how many times every word is taken to have been seen with every class. 0 is maximum
        likelihood, where a word never seen with a class makes that class impossible.
    interpolation : float or None
        If given, the weight a in [0, 1] of the class's own word frequencies, against 1 − a for those of all
        classes together; it takes the place of ``alpha``.
    prior : "empirical", "uniform", array (classes,) or dict from label to probability
        P(y): the classes' shares in the data, all the same, or given.
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes), log P(w | y)
    b_ : array (classes,), log P(y)
    feature_count_ : array (features, classes), tokens of each word in each class
    class_count_ : array (classes,), rows of each class
    """

    W_: Log

    def __init__(
        self,
        *,
        alpha: float | ArrayLike = 1.0,
        interpolation: float | None = None,
        prior: Prior = "empirical",
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.interpolation = interpolation
        self.prior = prior
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _check_parameters(self) -> None:
        alpha = np.asarray(self.alpha, np.float64)
        if alpha.ndim > 1 or not (alpha >= 0).all() or not np.isfinite(alpha).all():
            raise ValueError(f"alpha must be a number ≥ 0, or one per feature; got {self.alpha!r}")
        if self.interpolation is not None and not 0 <= self.interpolation <= 1:
            raise ValueError(f"interpolation must lie between 0 and 1; got {self.interpolation}")
        check_prior(self.prior)

    def _estimate(self) -> None:
        self.b_ = log_prior(self.prior, self.classes_, self.class_count_)
        self.W_ = self._laplace() if self.interpolation is None else self._interpolated(self.interpolation)

    def _laplace(self) -> Log:
        alpha = np.asarray(self.alpha, np.float64)
        if alpha.ndim == 1 and len(alpha) != self.n_features_in_:
            raise ValueError(f"alpha has {len(alpha)} entries for {self.n_features_in_} features")
        counts = self.feature_count_ + alpha.reshape(-1, 1)
        return log_share(counts, counts.sum(axis=0))

    def _interpolated(self, a: float) -> Log:
        counts = self.feature_count_
        own, overall = share(counts, counts.sum(axis=0)), share(counts.sum(axis=1), counts.sum())
        with np.errstate(divide="ignore"):
            return np.log(a * own + (1.0 - a) * overall[:, None])

    def joint_log_proba(self, X: Any) -> Log:
        """Return log P(x, y) up to the multinomial coefficient, rows × classes."""
        self._check_fitted()
        rows = self._rows(X).without_zeros()  # 0·log 0 = 0
        return linear_scores(rows, self.W_, self.b_, self.n_jobs)


def share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return part / whole, 0 where there is nothing at all."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def log_share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> Log:
    """Return log part − log whole, −∞ where part is 0."""
    with np.errstate(divide="ignore"):
        return np.where(part > 0, np.log(part), -np.inf) - np.log(np.where(whole > 0, whole, 1.0))
