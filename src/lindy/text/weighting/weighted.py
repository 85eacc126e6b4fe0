"""Texts to weighted rows: counted terms, then a transformer of the counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy.core.csr import Csr, side_by_side
from lindy.estimators.parameters import fitted, fixed, with_parameters
from lindy.text.count import CountVectorizer
from lindy.text.vectorizer import State, Vectorizer, present_examples
from lindy.text.vectorizer_state import below_prefix, with_prefix
from lindy.text.vocabulary.encoding import TermCounts
from lindy.text.vocabulary.vocabulary_merge import Grown
from lindy.text.weighting.row_weights import Weight
from lindy.text.weighting.transformer import RowTransformer
from lindy.text.weighting.weighting_registry import TermWeights


@with_parameters
class WeightedVectorizer(CountVectorizer):
    """Counts terms and weighs them with the transformer of a subclass, which learns from all texts at once."""

    learns_in_parts = False
    # options of CountVectorizer that are not its own
    input: str = fixed(default="content")
    encoding: str = fixed(default="utf-8")
    decode_error: str = fixed(default="strict")
    preprocessor: None = fixed(default=None)
    tokenizer: None = fixed(default=None)
    vocabulary: None = fixed(default=None)
    binary: bool = fixed(default=False)
    dtype: DTypeLike = fixed(default=np.float32)
    shapes: bool = fixed(default=False)
    _transformer: ClassVar[type[RowTransformer]]
    _weights: Any = fitted()

    def __sklearn_is_fitted__(self) -> bool:
        return "_weights" in vars(self)

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        """Whether the weights or the selection look at the labels."""
        return self._transformer.uses_labels or super().uses_labels

    @property
    def learns_from_counts(self) -> bool:  # type: ignore[override]
        """Whether terms and weights follow from counts of all texts."""
        return hasattr(self._transformer, "learn_counts") and super().learns_from_counts

    # in a union it reads the texts itself, for its weights follow the counts of all texts
    fit_pass = Vectorizer.fit_pass
    rows_pass = Vectorizer.rows_pass
    fit_transform = Vectorizer.fit_transform  # type: ignore[assignment]
    transform = Vectorizer.transform  # type: ignore[assignment]

    def fit(self, raw_documents: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the terms of the texts and their weights; a text of weight 2 is two texts, and one of weight 0 none."""
        texts, y, weight = present_examples(raw_documents, y, sample_weight)
        self.fit_csr(texts, y=y, weight=weight)
        return self

    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Refused: what was learned from earlier texts is over terms that may change."""
        raise NotImplementedError(
            f"{type(self).__name__} learns from all texts at once; CountVectorizer and"
            f" {self._transformer.__name__} can be used one after the other"
        )

    def fit_csr(
        self,
        raw_documents: Any,
        *,
        order: str = "alphabet",
        y: Any = None,
        weight: Weight | None = None,
        beside: Csr | None = None,
    ) -> Csr:
        """Learn from the texts and return their weights as float32 rows; the options are CountVectorizer's."""
        counts = super().fit_csr(raw_documents, order=order, y=y, weight=weight)
        self._weights = self.new_transformer().fit(counts, y, weight)
        rows: Csr = self._weights.transform_csr(counts)
        return rows if beside is None else side_by_side([beside, rows])

    def transform_csr(self, raw_documents: Any) -> Csr:
        """Return the weights of the known terms in the texts as float32 rows."""
        self._check_vocabulary()
        return self._weights.transform_csr(super().transform_csr(raw_documents))  # type: ignore[no-any-return]

    def _documents(self, n_documents: float) -> NDArray[Any] | None:  # noqa: ARG002
        return None  # the transformer has them

    def _rescaled(self, parts: tuple[Any, Any], counts: tuple[float, float], grown: Grown) -> Grown:  # noqa: ARG002
        """Let the transformer learn from the documents of both, if it can."""
        ours, theirs = parts[0]._weights, getattr(parts[1], "_weights", None)
        if theirs is None:  # further texts, which have been counted only
            theirs = ours.of_further(*parts[1].counted)
        grown.vectorizer._weights, factors = ours.pooled(theirs, grown.places, grown.vectorizer.n_columns)
        return replace(grown, factors=factors, documents=ours.document_frequency_)

    def term_weights(self) -> TermWeights:
        """Return the formula of the weights."""
        return self.transformer.term_weights()  # type: ignore[no-any-return]

    @property
    def transformer(self) -> Any:
        """The fitted transformer that weights the counts."""
        self._check_vocabulary()
        return self._weights

    def to_state(self) -> State:
        """Return everything that ``transform`` needs: a dict for JSON and arrays."""
        config, arrays = super().to_state()
        weights, own = self._weights.to_state()
        return config | {"weights": weights}, arrays | with_prefix(f"{self.kind}.", own)

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        weights = config.get("weights")
        if not isinstance(weights, dict) or config.get("binary"):
            raise ValueError("the saved vectorizer has invalid parameters")
        made = super().from_state(config, arrays)
        made._weights = cls._transformer.from_state(weights, below_prefix(f"{cls.kind}.", arrays))
        if made._weights.n_features_in_ != made.n_columns:
            raise ValueError("the saved vectorizer must have one weight per term")
        for name in cls._transformer._parameter_names():
            if name != "n_jobs":
                setattr(made, name, getattr(made._weights, name))
        return made

    def learn_counts(self, counts: TermCounts) -> Self:
        """Learn from the merged counts of all texts what ``fit_csr`` learns from the texts themselves."""
        super().learn_counts(counts)
        kept = self._limits.kept(counts.documents, counts.totals, counts.n_documents, more_to_come=False)
        length = float(counts.totals[kept].sum())
        self._weights = self.new_transformer().learn_counts(
            counts.documents[kept], counts.n_documents, length
        )
        return self
