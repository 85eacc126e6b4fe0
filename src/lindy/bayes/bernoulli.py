"""Bernoulli naive Bayes: a document is the set of words it has, and the words it lacks count too.

P(w ∈ x | y) = p_yw = (n_yw + k) / (n_y + 2k)      n_yw documents of class y have the word
log P(x, y) = log P(y) + Σ_{w ∈ x} log p_yw + Σ_{w ∉ x} log (1 − p_yw)
= b_y + Σ_{w ∈ x} W_wy      with  W = log p − log (1 − p),  b = log P(y) + Σ_w log (1 − p)
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from lindy.bayes.counting import CountingClassifier
from lindy.bayes.inference import (
    Array,
    GenerativeClassifier,
    Inference,
    Log,
    Prior,
    check_prior,
    infer,
    log_prior,
)
from lindy.bayes.label_counts import LabelCounts
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.numerics import log
from lindy.estimators.learners import InputKind, LearnerSpec, WeightSums
from lindy.estimators.output_weights import OutputWeights
from lindy.estimators.parameters import NOT_NEGATIVE, fitted, must, with_parameters
from lindy.estimators.serialization import Arrays
from lindy.linear.sparse_weights import SharedWeights

PRESENT = must("be at least 0 (values that are not stored count as absent)", lambda threshold: threshold >= 0)


@with_parameters
class BernoulliNaiveBayes(CountingClassifier, GenerativeClassifier):
    """Naive Bayes over the presence and absence of features, as a linear model.

    Parameters
    ----------
    alpha : float
        How many times every feature is taken to have been present, and absent, in every class.
    binarize : float
        A feature is present where its value is greater than this; at least 0.
    class_prior : None, "uniform", array (classes,) or dict from label to probability
        P(y): the classes' shares in the data (None), all the same, or given.
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes), log odds of presence; infinite for the probabilities 0 and 1 without smoothing
    b_ : array (classes,), log P(y) + Σ_w log (1 − p_yw)
    """

    has_odds = True
    spec: ClassVar = LearnerSpec(
        "bernoulli-naive-bayes",
        "Bernoulli naive Bayes",
        input_kind=InputKind.COUNTS,
        strengths={"alpha": (0.001, 10.0)},
    )

    b_: Log = fitted()

    alpha: Annotated[float, NOT_NEGATIVE] = 1.0
    binarize: Annotated[float, PRESENT] = 0.0
    class_prior: Annotated[Prior, check_prior] = None
    n_jobs: int | None = None

    def _counted(self, X: Csr) -> Csr:
        present = (X.values > self.binarize).astype(np.float64)
        return Csr(X.indptr, X.indices, present, X.n_columns).without_zeros()

    def _presence(self, n: Array) -> Array:
        """Return p_yw for the counts of some words."""
        whole = self.class_count_ + 2 * self.alpha
        return (n + self.alpha) / np.where(whole > 0, whole, 1.0)

    def _estimate(self) -> None:
        self.log_prior_ = log_prior(self.class_prior, self.classes_, self.class_count_)
        p = SharedWeights.of_counts(self.counts_, self._presence)
        self._probability = p
        present, absent = log(p.rows), log(np.maximum(1.0 - p.rows, 0.0))
        # without smoothing p may be 0 or 1: kept apart as the number of contradictions, so that nothing is ∞ − ∞
        never, always = np.isneginf(present), np.isneginf(absent)
        present[never] = absent[always] = 0.0
        multiplicity = np.bincount(p.row_of, minlength=len(p.rows)).astype(np.float64)
        self._odds = SharedWeights(present - absent, p.row_of)
        self._finite_bias = self.log_prior_ + numerics.matmul(multiplicity, absent)
        self._contradictions: SharedWeights | None = None
        self._always = numerics.matmul(multiplicity, always)
        if never.any() or always.any():
            self._contradictions = SharedWeights(never.astype(np.float64) - always, p.row_of)
        self.b_ = np.where(self._always > 0, -np.inf, self._finite_bias)

    def _unpack(self, arrays: Arrays) -> None:
        super()._unpack(arrays)
        if (self.counts_.values > self.class_count_[self.counts_.indices] * (1 + 1e-6)).any():
            raise ValueError("a stored feature cannot be present in more rows than its class has")

    @property
    def W_(self) -> Log:  # noqa: N802
        """Log odds of presence, features × classes."""
        p = self._probability
        return (log(p.rows) - log(1.0 - p.rows))[p.row_of]

    def weight_sums(self) -> WeightSums:
        """Return what is added up over the words that a row has: log odds and where they begin, then contradictions.

        These are how many words speak with certainty against each class; from half of one on it is impossible.
        """
        self._check_fitted()
        against = None if self._contradictions is None else (self._contradictions, self._always)
        more = {"prior": self.log_prior_, "above": float(self.binarize), "contradictions": against}
        return WeightSums("bernoulli", self._odds, self._finite_bias, more)

    def with_weights(self, W: Log) -> Self:
        """Return a copy that scores with other log odds, (features, classes), perhaps of fewer features.

        Words that are left out count as absent. It needs probabilities between 0 and 1, and so a smoothed model.
        """
        self._check_fitted()
        if self._contradictions is not None:
            raise ValueError("without smoothing some words decide with certainty, and have no weights")
        made = copy(self)
        made._odds, made.n_features_in_ = SharedWeights.of_rows(W), len(W)
        return made

    @property
    def feature_proba_(self) -> Array:
        """P(w ∈ x | y), features × classes."""
        return self._probability.dense

    def scored_rows(self, rows: Csr) -> Csr:
        """Return 1 where a feature is present."""
        return self._counted(rows)

    def _label_weights(self, seen: LabelCounts) -> OutputWeights:
        """Return the log odds of presence with each label less those without it."""
        two = np.arange(2)
        without, own = seen.sides

        def presence(n: Array, rows: Array) -> Array:
            return (n + self.alpha) / np.maximum(rows + 2 * self.alpha, np.finfo(float).tiny)

        def contrast(n: Array, rest: Array) -> tuple[Array, Array]:
            p, q = presence(n, own.rows), presence(rest, without.rows)
            return log(p) - log(q), log(1 - p) - log(1 - q)

        (prior,) = seen.for_each(lambda _, rows: (log_prior(self.class_prior, two, rows),))
        return seen.weights(contrast, prior)

    def _joint_addends(self, row: Csr) -> tuple[Log, Log]:
        present = (row.values > self.binarize)[:, None]
        added = np.where(present, self._odds.of(row.indices), 0.0)
        bias = self._finite_bias
        if self._contradictions is not None:
            against = np.where(present, self._contradictions.of(row.indices), 0.0)
            lacking = self._always + np.minimum(against, 0.0).sum(axis=0)
            added[against > 0.5] = -np.inf
            bias = np.where(lacking > 0.5, -np.inf, bias)
        return added, bias

    def joint_log_proba(self, X: Any) -> Log:
        """Return log P(x, y), rows × classes."""
        self._check_fitted()
        rows = self._counted(self._rows(X))
        joint = self._odds.scores(rows, self._finite_bias, self.n_jobs)
        if self._contradictions is not None:
            joint[self._contradictions.scores(rows, self._always, self.n_jobs) > 0.5] = -np.inf
        return joint

    def posterior(self, observed: Mapping[int, bool]) -> Inference:
        """Return joint, evidence and posterior when only some features were looked at: column → present or not."""
        self._check_fitted()
        p = self._probability
        tables = [
            p.rows[p.row_of[j]] if present else 1.0 - p.rows[p.row_of[j]] for j, present in observed.items()
        ]
        return infer(numerics.exp(self.log_prior_), tables)
