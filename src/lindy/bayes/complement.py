"""Complement naive Bayes: each class is scored by how little a document looks like all the others.

    P(w | not y) = (Σ_{y'≠y} n_y'w + k) / (Σ_w' Σ_{y'≠y} n_y'w' + k·V)
    W_wy = −log P(w | not y),     normalised:  W_wy / Σ_w' |W_w'y|
    score_y = Σ_w n_w(x)·W_wy

Rennie, Shih, Teevan and Karger (2003): steadier than multinomial naive Bayes when classes differ in size. The
scores are no log probabilities; what ``predict_proba`` returns is their softmax.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from lindy.bayes.counting import LinearCounting
from lindy.bayes.inference import Array, GenerativeClassifier, Log, class_totals, laplace
from lindy.bayes.label_counts import LabelCounts
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.numerics import log
from lindy.estimators.base import require_finite_scores
from lindy.estimators.learners import InputKind, LearnerSpec, WeightSums
from lindy.estimators.output_weights import OutputWeights
from lindy.estimators.parameters import must, with_parameters
from lindy.linear.sparse_weights import SharedWeights


@with_parameters
class ComplementNaiveBayes(LinearCounting, GenerativeClassifier):
    """Complement naive Bayes, as a linear model.

    Parameters
    ----------
    alpha : float
        Laplace's k, greater than 0: a word that only one class has seen is otherwise infinitely telling.
    norm : bool
        Divide each class's weights by the sum of their absolute values.
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes)
    b_ : array (classes,), zeros
    """

    spec: ClassVar = LearnerSpec(
        "complement-naive-bayes",
        "complement naive Bayes",
        input_kind=InputKind.COUNTS,
        strengths={"alpha": (0.001, 10.0)},
    )

    alpha: Annotated[float, must("be a number > 0", lambda value: 0 < value < np.inf)] = 1.0
    norm: bool = False

    def weight_sums(self) -> WeightSums:
        """Return the log probabilities of the words, and the prior."""
        return WeightSums("joint", self.shared_weights, self.b_, {"prior": self.log_prior_})

    def _estimate(self) -> None:
        total = class_totals(self.counts_)
        with np.errstate(over="ignore", invalid="ignore"):
            rest = total.sum() - total + self.alpha * self.n_features_in_
        if not np.isfinite(rest).all():
            raise ValueError(
                f"alpha={self.alpha!r} and the counts of X add up to more than float64 holds: divide X by a constant,"
                " or choose a smaller alpha"
            )
        self._weights = SharedWeights.of_counts(
            self.counts_,
            lambda n: log(rest) - log(np.maximum(n.sum(axis=1, keepdims=True) - n, 0.0) + self.alpha),
        )
        if self.norm:
            multiplicity = np.bincount(self._weights.row_of).astype(np.float64)
            norm = numerics.matmul(multiplicity, np.abs(self._weights.rows))
            rows = self._weights.rows / np.where(norm > 0, norm, 1.0)
            self._weights = SharedWeights(rows, self._weights.row_of)
        self.b_ = np.zeros(len(self.classes_))
        self.log_prior_ = log(self.class_count_ / self.class_count_.sum())

    @property
    def counts_labels(self) -> bool:
        """Whether it learns several labels from counts: their norms would be of each label alone."""
        return not self.norm

    def _label_weights(self, seen: LabelCounts) -> OutputWeights:
        """Return log P(w | label) − log P(w | no label): of two classes, each is the complement of the other."""
        without, own = seen.sides
        k, k_total = self.alpha, self.alpha * seen.n_features

        def contrast(n: Array, rest: Array) -> tuple[Array, None]:
            return laplace(n, own.total, k, k_total) - laplace(rest, without.total, k, k_total), None

        return seen.weights(contrast, np.zeros(len(own.rows)))

    def _joint_addends(self, row: Csr) -> tuple[Log, Log]:
        return self._weights.contributions(row), self.b_

    def joint_log_proba(self, X: Any) -> Log:
        """Return the scores, rows × classes; they stand where other models have log P(x, y)."""
        scores = self._scores(X)
        require_finite_scores(scores)
        return scores
