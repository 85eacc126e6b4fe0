"""Terms that grow: a vectorizer of terms after further texts, and one vectorizer of two corpora."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.weights import total_weight
from lindy.errors import AGAIN, UpdateError
from lindy.text.vocabulary.encoding import Terms
from lindy.text.vocabulary.term_columns import TermColumns
from lindy.text.vocabulary.term_limits import NOTHING, Limits, reaches
from lindy.text.vocabulary.vocabulary_merge import Grown, join_terms, placed_sums
from lindy.text.weighting.row_weights import Weight, column_totals


class GrowingTerms(TermColumns):
    """The base of vectorizers of terms that can learn more."""

    min_count: int
    max_features: int | None
    select: str | None

    @property
    def _limits(self) -> Limits:
        raise NotImplementedError

    def _counting_part(self) -> Any:
        """Return an unfitted vectorizer that counts all terms as this one cuts them."""
        raise NotImplementedError

    def grown(self, X: Any, n_before: float, weight: Weight | None = None) -> Grown:
        """Return a vectorizer that has learned from further texts.

        A term that it does not know is added if the limits let it in by the further texts alone: terms that earlier
        texts had too rarely are forgotten. Where terms were given, or the best or most frequent were chosen, the terms
        stay what they are.
        """
        self._check_vocabulary()
        part = self._counting_part()
        try:
            rows = part.fit_csr(X, order="seen", weight=weight)
        except ValueError as error:
            if str(error) != NOTHING:
                raise
            rows = Csr(np.zeros(len(X) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32), 0)
            part._learned(Terms.from_strings([]))
            part._document_frequency = np.zeros(0, np.int64)
            part._n_documents = total_weight(weight, len(X))
        part.counted = rows, weight
        totals = column_totals(rows, weight)
        documents, n_all = part._document_frequency, n_before + part._n_documents
        low, high = self._limits.documents(n_all, more_to_come=True)
        wanted = reaches(documents, low) & (documents <= high) & reaches(totals, self.min_count)
        if self._closed or self._fitted_oov is not None or not (self._of_strings and part._of_strings):
            wanted = np.zeros(part.n_columns, bool)
        grown = self._with_terms_of(part, (n_before, part._n_documents), wanted)
        known = (grown.places[1] >= 0) & (grown.places[1] < self.n_columns)
        return replace(grown, unknown=(int(totals[~known].sum()), int(totals.sum())))

    def joined(self, other: Any, counts: tuple[float, float]) -> Grown:
        """Return the vectorizer of two corpora: the terms of both, and in how many documents each is."""
        self._check_vocabulary()
        other._check_vocabulary()
        if self._fitted_oov is not None or not (self._of_strings and other._of_strings):
            raise UpdateError(
                f"{self.class_name} with oov or with terms that are no strings cannot be joined"
            )
        if self._merges != other._merges:
            raise UpdateError(
                f"{self.class_name} cuts words by other merges than the other vectorizer", AGAIN
            )
        return self._with_terms_of(other, counts, None)

    @property
    def _closed(self) -> bool:
        """Whether no term can be added."""
        return self.fixed_vocabulary_ or self.select is not None or self.max_features is not None

    @property
    def _of_strings(self) -> bool:
        """Whether all terms are strings; then they are in ``_terms``."""
        self._native_index()
        if "_terms" not in vars(self) and all(isinstance(term, str) for term in self._names()):
            self._terms = Terms.from_strings(self._names())
        return "_terms" in vars(self)

    def _with_terms_of(
        self, other: Any, counts: tuple[float, float], wanted: NDArray[np.bool_] | None
    ) -> Grown:
        """Return a copy with the wanted terms of another one beside its own."""
        terms, mine, theirs = (
            join_terms(self._terms, other._terms, wanted)
            if self._of_strings and other._of_strings
            else (None, np.arange(self.n_columns), np.full(other.n_columns, -1))
        )
        made = copy(self)
        if terms is not None and terms is not self._terms:
            oov = self._fitted_oov
            made._learned(terms)
            made._fitted_oov = oov
        frequencies = [part._documents(n) for part, n in zip((self, other), counts, strict=True)]
        vars(made).pop("_counts", None)
        if frequencies[0] is not None and frequencies[1] is not None:
            parts = [(mine, frequencies[0]), (theirs, frequencies[1])]
            made._document_frequency = placed_sums(parts, made.n_columns)
            made._n_documents = sum(counts)
        return made._rescaled((self, other), counts, Grown(made, (mine, theirs)))

    def _documents(self, n_documents: float) -> NDArray[Any] | None:  # noqa: ARG002
        """Return in how many of the documents each term is, if that is known."""
        return getattr(self, "_document_frequency", None)

    def _rescaled(self, parts: tuple[Any, Any], counts: tuple[float, float], grown: Grown) -> Grown:  # noqa: ARG002
        """Learn the weights of terms from the documents of both; counts have none."""
        return grown
