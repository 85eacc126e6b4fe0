"""Multinomial naive Bayes: every class is a distribution over words.

    P(y) = n_y / n                                        the share of class y
    P(w | y) = (n_yw + k) / (Σ_w' n_yw' + k·V)            Laplace-k over the V words; k = 0: maximum likelihood
    P(w | y) = a·n_yw / Σ_w' n_yw' + (1 − a)·n_w / n      linear interpolation with the words' overall frequency
    log P(x, y) = log P(y) + log P(L | y) + Σ_w n_w(x)·log P(w | y) = (xᵀW + b)_y

The counts are of word tokens, not of documents. P(L | y) is a distribution of the length (`length_terms`), by default
one that is the same for all classes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.bayes.counting import LinearCounting
from lindy.bayes.inference import (
    GenerativeClassifier,
    Log,
    Prior,
    check_prior,
    class_totals,
    interpolated,
    laplace,
    log_prior,
)
from lindy.bayes.label_counts import LabelCounts
from lindy.core.csr import Csr
from lindy.core.numerics import log, log1p
from lindy.estimators.learners import InputKind, LearnerSpec, WeightSums
from lindy.estimators.output_weights import OutputWeights
from lindy.estimators.parameters import FROM_0_TO_1, fitted, must, named, with_parameters
from lindy.linear.background_weights import BackgroundWeights
from lindy.linear.sparse_weights import SharedWeights, too_many

Array = NDArray[np.float64]

LENGTHS = ("uniform", "poisson", "geometric")


@with_parameters
class MultinomialNaiveBayes(LinearCounting, GenerativeClassifier):
    """Multinomial naive Bayes, as a linear model.

    Parameters
    ----------
    alpha : float or array (features,)
        Laplace's k: how many times every word is taken to have been seen with every class. 0 is maximum
        likelihood, where a word never seen with a class makes that class impossible.
    interpolation : float or None
        If given, the weight a in [0, 1] of the class's own word frequencies, against 1 − a for those of all
        classes together; it takes the place of ``alpha``.
    class_prior : None, "uniform", array (classes,) or dict from label to probability
        P(y): the classes' shares in the data (None), all the same, or given.
    length : "uniform", "poisson" or "geometric"
        P(L | y), the distribution of the number of tokens of a document: the same for all classes, or around the mean
        length of each class, closely (Poisson) or widely, as lengths of texts are (geometric).
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes), log P(w | y); with a ``length`` and its slope, what one more token adds
    b_ : array (classes,), log P(y); with a ``length`` and its constant
    feature_log_prob_ : array (classes, features), log P(w | y), as scikit-learn has it
    counts_ : Csr (features, classes), tokens of each word in each class
    feature_count_ : array (classes, features), the same as scikit-learn has it
    class_count_ : array (classes,), rows of each class
    """

    has_odds = True
    has_log_probabilities = True
    spec: ClassVar = LearnerSpec(
        "naive-bayes",
        "naive Bayes",
        input_kind=InputKind.COUNTS,
        strengths={"alpha": (0.001, 10.0), "interpolation": [0.5, 0.7, 0.9, 0.99]},
        automatic=(0.03, 0.1, 0.3, 1.0),
        usual=("compare", "tune"),
    )

    alpha: Annotated[float | ArrayLike, must("be a number ≥ 0, or one per feature", are_counts)] = 1.0
    interpolation: Annotated[float | None, FROM_0_TO_1] = None
    class_prior: Annotated[Prior, check_prior] = None
    length: Annotated[str, named(LENGTHS)] = "uniform"
    _slope: Log = fitted()

    @property
    def feature_log_prob_(self) -> Log:
        """Log P(w | y), classes × features: W without the slope of the length."""
        return (self.W_ - self._slope).T

    @property
    def idle_options(self) -> frozenset[str]:
        """The options without effect: with interpolation, nothing is added to counts."""
        return super().idle_options | ({"alpha"} if self.interpolation is not None else set())

    def weight_sums(self) -> WeightSums | None:
        """Return the log probabilities of the words, and the prior; with a length, what of each weight is its slope.

        None for so many classes that only what differs from the background is kept.
        """
        if isinstance(self.shared_weights, BackgroundWeights):
            return None
        more = {"prior": self.log_prior_}
        if self.length != "uniform":
            more["slope"] = self._slope
        return WeightSums("joint", self.shared_weights, self.b_, more)

    def _estimate(self) -> None:
        total = class_totals(self.counts_)
        self._slope, constant = length_terms(self.length, total, self.class_count_)
        self.log_prior_ = log_prior(self.class_prior, self.classes_, self.class_count_)
        self.b_ = self.log_prior_ + constant
        words = self._word_weights(total)
        if isinstance(words, SharedWeights) and self.length != "uniform":
            words = replace(words, rows=words.rows + self._slope)
        self._weights = words

    def _word_weights(self, total: Log) -> SharedWeights | BackgroundWeights:
        """Return log P(w | y), for the tokens of each class.

        Of very many classes only what differs from a word that a class never had is kept.
        """
        if (a := self.interpolation) is not None:
            return SharedWeights.of_counts(self.counts_, lambda n: interpolated(n, total, a))
        k = np.asarray(self.alpha, np.float64)
        if k.ndim == 0:
            k_total = float(k) * self.n_features_in_
            seen = int((np.diff(self.counts_.indptr) > 0).sum())
            if k > 0 and self.length == "uniform" and too_many(seen, self.counts_):
                never = laplace(np.zeros(len(total)), total, k, k_total)
                return BackgroundWeights.of_counts(self.counts_, never, lambda n: log(n + k) - log(k))
            return SharedWeights.of_counts(self.counts_, lambda n: laplace(n, total, k, k_total))
        if len(k) != self.n_features_in_:
            raise ValueError(f"alpha has {len(k)} entries for {self.n_features_in_} features")
        rows = laplace(self.counts_.to_dense(), total, k[:, None], float(k.sum()))
        return SharedWeights(rows, np.arange(len(k), dtype=np.int32))

    @property
    def counts_labels(self) -> bool:
        """Whether it learns several labels from counts: with one alpha for all words."""
        return not np.ndim(self.alpha)

    def _label_weights(self, seen: LabelCounts) -> OutputWeights:
        """Return log P(w | label) − log P(w | no label)."""
        two = np.arange(2)
        without, own = seen.sides
        everything = float((without.total + own.total).max(initial=0.0))

        def words(n: Array, total: Array, both: Array) -> Array:
            if (a := self.interpolation) is not None:
                return interpolated(n, total, a, both / max(everything, np.finfo(float).tiny))
            return laplace(n, total, self.alpha, float(self.alpha) * seen.n_features)  # type: ignore[arg-type]

        def contrast(n: Array, rest: Array) -> tuple[Array, None]:
            both = (n + rest)[:, :1]
            return words(n, own.total, both) - words(rest, without.total, both), None

        prior, slope, constant = seen.for_each(
            lambda total, rows: (
                log_prior(self.class_prior, two, rows),
                *length_terms(self.length, total, rows),
            )
        )
        made = seen.weights(contrast, prior + constant)
        return made._replace(W=made.W + slope.astype(np.float32)) if slope.any() else made

    def _joint_addends(self, row: Csr) -> tuple[Log, Log]:
        """Return what each word adds by P(w | y), and the rest: the prior, and the length as a whole."""
        added = self._weights.contributions(row)
        if self.length == "uniform":
            return added, self.b_
        x = row.values.astype(np.float64)
        return added - x[:, None] * self._slope, self.b_ + x.sum() * self._slope

    def _length_part(self, X: Any) -> Log | None:
        """Return what of the bias of one row's ``contributions`` is its length; None where the length says nothing."""
        if self.length == "uniform":
            return None
        with np.errstate(invalid="ignore"):  # of a class that cannot be, nothing is known
            return np.nan_to_num(self.contributions(X)[1] - self.log_prior_)

    def joint_log_proba(self, X: Any) -> Log:
        """Return log P(x, y) up to the multinomial coefficient, rows × classes."""
        return self._scores(X)

    def _check_scored(self, rows: Csr) -> None:
        if self._weights.has_impossible and rows.values.min(initial=0) < 0:
            raise ValueError("Negative values in X have no meaning where a word is impossible in some class")


def are_counts(alpha: Any) -> bool:
    """Whether a value is a finite number of at least 0, or a list of such."""
    numbers = np.asarray(alpha, np.float64)
    return numbers.ndim <= 1 and bool((numbers >= 0).all() and np.isfinite(numbers).all())


def length_terms(length: str, tokens: Array, documents: Array) -> tuple[Array, Array]:
    """Return the slope and the constant of log P(L | y) for each class, from its tokens and documents.

        uniform      P(L | y) is the same for all lengths and classes: it changes nothing
        poisson      P(L | y) = μ_y^L·e^{−μ_y} / L!                  log: L·log μ_y − μ_y
        geometric    P(L | y) = (μ_y/(1+μ_y))^L / (1+μ_y)            log: L·log (μ_y/(1+μ_y)) − log (1+μ_y)

    up to what is the same for all classes. Both are linear in L: the slope joins the weight of every word, the rest
    the bias, and with Poisson's lengths each word has a Poisson distribution of its own, with the mean μ_y·P(w | y).
    μ_y is the mean length of the class's documents and of one more, which is as long as the mean of all.
    """
    overall = tokens.sum() / documents.sum()
    if length == "uniform" or not overall > 0:
        return np.zeros_like(tokens), np.zeros_like(tokens)
    mean = (tokens + overall) / (documents + 1)
    if length == "poisson":
        return log(mean), -mean
    return log(mean) - log1p(mean), -log1p(mean)
