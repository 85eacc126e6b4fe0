"""From texts to the scores of a linear model in one native call: a few for who waits for one answer, or many.

Other models go from step to step: texts, counts, weights, rows side by side, scores. Each step costs some microseconds
of Python for one text, and for many texts the memory of all their rows. Here the core takes all steps with one text
before it reads the next, with the same kernels in the same order, so that the scores are the same bits.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.linear.linear_model import LinearClassifier
from lindy.text import CountVectorizer, TfidfVectorizer, UnionVectorizer
from lindy.text.native_rows import threads_for

FEW = 16
"""As many texts at most are given as a list; more of them share the costs of other forms."""

_SCORES = {np.dtype(np.float32): _native.TextScoresF32, np.dtype(np.float64): _native.TextScoresF64}


class Scored:
    """The scores of a fitted vectorizer and learner, as far as one call finds them."""

    __slots__ = ("__dict__", "_learner", "_vectorizer", "_weights")

    def __init__(self, vectorizer: Any, learner: Any) -> None:
        self._vectorizer, self._learner = vectorizer, learner
        self._weights = getattr(learner, "_weights", None)

    @cached_property
    def _native(self) -> Any:
        """The core's part, made when it is first asked for; None for models of another kind."""
        return _native_scores(self._vectorizer, self._learner)

    def is_of(self, vectorizer: Any, learner: Any) -> bool:
        """Whether it was made of these, and the learner still has the weights of then."""
        same = self._vectorizer is vectorizer and self._learner is learner
        return same and getattr(learner, "_weights", None) is self._weights

    def __call__(self, texts: list[Any]) -> tuple[NDArray[Any], NDArray[np.int64]] | None:
        """Return what the learner's decision function would, and how many features each text has.

        It is None where a batch has to be made of the texts.

        That is so for models of another kind, for what is no string, for long texts, and for scores that are not
        finite, of which the decision function names the row.
        """
        if self._native is None:
            return None
        found: tuple[NDArray[Any], NDArray[np.int64]] | None = self._native(texts)
        if found is None:
            return None
        scores, known = found
        if _native.first_non_finite(scores.reshape(-1)) >= 0:
            return None
        return self._shaped(scores), known

    def many(self, texts: Any) -> tuple[NDArray[Any], NDArray[np.int64]] | None:
        """Return the same for texts of any number and form.

        It is None for models of another kind, for parts that would decode the texts differently, for texts that have
        a term so often that the core has no weight for it, and for scores that are not finite.
        """
        if self._native is None:
            return None
        vectorizers = _side_by_side(self._vectorizer)
        first = vectorizers[0]
        if not all(first.reads_as(other) for other in vectorizers):
            return None
        scores, known = self._native.batch(_native.Texts(0), 1)
        all_scores, all_known = [scores], [known]
        for batch in first.text_batches(texts):
            found = self._native.batch(batch, threads_for(len(batch), first.n_jobs))
            if found is None or _native.first_non_finite(found[0].reshape(-1)) >= 0:
                return None
            all_scores.append(found[0])
            all_known.append(found[1])
        return self._shaped(np.concatenate(all_scores)), np.concatenate(all_known)

    def _shaped(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return scores as decision functions do: the single score of two classes has one axis."""
        return scores.ravel() if scores.shape[1] < len(self._learner.classes_) else scores

    def row(self, text: Any) -> Csr | None:
        """Return what the vectorizer makes of one text; None as for a call."""
        found = None if self._native is None else self._native.rows([text])
        if found is None:
            return None
        indptr, indices, values = found
        return Csr(indptr, indices, values, self._vectorizer.n_columns, checked=True)

    def answer(
        self, texts: list[Any], calibration: Any
    ) -> tuple[list[int], list[list[float]], list[int]] | None:
        """Return best classes, probabilities (or scores) and numbers of features as lists; None as for a call."""
        return None if self._native is None else self._native.answer(texts, calibration)


def _native_scores(vectorizer: Any, learner: Any) -> Any:
    """Return the native scores of a vectorizer and a learner; None if the core cannot find them at once."""
    if (own := learner.text_scores(vectorizer)) is not None:
        return own
    weights = learner.dense_weights() if isinstance(learner, LinearClassifier) else None
    vectorizers = _side_by_side(vectorizer)
    known = all(type(v) in (CountVectorizer, TfidfVectorizer) and v.input == "content" for v in vectorizers)
    if not known or weights is None or weights.dtype not in _SCORES:
        return None
    parts = [part for v in vectorizers if (part := v.scored_part()) is not None]
    if len(parts) < len(vectorizers):
        return None
    return _SCORES[weights.dtype](parts, weights, learner.b_.astype(weights.dtype, copy=False))


def _side_by_side(vectorizer: Any) -> list[Any]:
    """Return the vectorizers of a union; another one by itself."""
    return [part for _, part in vectorizer.parts] if type(vectorizer) is UnionVectorizer else [vectorizer]
