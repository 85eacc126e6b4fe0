"""Baselines in which every word votes.

    WordLists (May 6):              a word votes for the label it was seen with most often
    WordVotes (McDonald's first):    a word splits its vote as P(y | w) = n_yw / n_w
    P(y | x) = the mean of the votes of the words of x

Words never seen in training do not vote; a row without voters gets the labels' shares.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.baselines.constant import VotingClassifier
from lindy.bayes.counting import LinearCounting
from lindy.estimators.base import one_row
from lindy.estimators.learners import InputKind, LearnerSpec, WeightSums
from lindy.linear.sparse_weights import SharedWeights

Array = NDArray[np.float64]


class WordVoting(LinearCounting, VotingClassifier):
    """Votes W (features × classes), summed over the tokens of a row."""

    learns_labels = False

    def _vote(self, n: Array) -> Array:
        """Return the votes of words that were counted n (words × classes); a row of zeros does not vote."""
        raise NotImplementedError

    def _estimate(self) -> None:
        self._weights = SharedWeights.of_counts(self.counts_, self._vote)
        self.b_ = np.zeros(len(self.classes_))

    def votes(self, X: Any) -> Array:
        """Return the sum of the votes of each row's words, rows × classes."""
        return self._scores(X)

    def weight_sums(self) -> WeightSums:
        """Return the votes."""
        return WeightSums("votes", self.shared_weights, self.b_, {"counts": self.class_count_})

    def contributions(self, X: Any) -> tuple[Array, Array]:
        """Take the shares of one row apart: what each word adds to each label's share of the votes."""
        self._check_fitted()
        return vote_contributions(self._weights.contributions(one_row(self._rows(X))), self.class_count_)


def vote_contributions(votes: Array, class_count: Array) -> tuple[Array, Array]:
    """Return what each vote adds to the labels' shares; without votes they are the labels' shares of the rows."""
    votes = np.where(votes.sum(axis=0) > 0, votes, 0.0)
    total = votes.sum()
    if total <= 0:
        return np.zeros_like(votes), class_count / class_count.sum()
    return votes / total, np.zeros(len(class_count))


class WordLists(WordVoting):
    """Word lists learned from data: every word belongs to the label it was seen with most often.

    Parameters
    ----------
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes), 1 for the label of the word
    """

    spec: ClassVar = LearnerSpec(
        "word-lists",
        "learned word lists",
        input_kind=InputKind.COUNTS,
        usual=("compare",),
    )

    def _vote(self, n: Array) -> Array:
        seen = n.sum(axis=1) > 0
        votes: Array = np.eye(n.shape[1])[n.argmax(axis=1)] * seen[:, None]
        return votes

    def word_numbers(self) -> dict[Any, NDArray[np.intp]]:
        """Return the features in each label's list."""
        self._check_fitted()
        votes = self.W_
        return {label: np.flatnonzero(votes[:, c]) for c, label in enumerate(self.classes_.tolist())}


class WordVotes(WordVoting):
    """Averaged word votes: P(y | x) is the mean of P(y | w) over the words of x.

    Parameters
    ----------
    n_jobs : int or None
        Threads for scoring; None means all cores.

    Attributes
    ----------
    W_ : array (features, classes), P(y | w)
    """

    spec: ClassVar = LearnerSpec(
        "word-votes",
        "word votes",
        input_kind=InputKind.COUNTS,
    )

    def _vote(self, n: Array) -> Array:
        largest = n.max(axis=1, keepdims=True)
        if not np.isfinite(largest).all():
            raise ValueError(
                "the counts of a column add up to more than float64 holds: divide X by a constant"
            )
        n = n / np.where(largest > 0, largest, 1.0)
        total = n.sum(axis=1, keepdims=True)
        return n / np.where(total > 0, total, 1.0)
