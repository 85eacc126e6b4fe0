"""Counting: which terms a text has, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr, side_by_side
from lindy.estimators.parameters import (
    BOOLEAN,
    ITERABLE,
    NONE,
    SHARE,
    at_least,
    dtype_of,
    fixed,
    instance,
    one_of,
    with_parameters,
)
from lindy.text.native_rows import JoinedRows
from lindy.text.vectorizer import present_examples
from lindy.text.vectorizer_state import (
    read_analyzer,
    read_limits,
    read_merges,
    read_terms,
    tree_index,
    write_analyzer,
    write_limits,
    write_merges,
)
from lindy.text.vocabulary.encoding import Terms
from lindy.text.vocabulary.vocabulary_fit import LearningTerms
from lindy.text.weighting.row_weights import Weight
from lindy.text.weighting.weighting_registry import TermWeights

if TYPE_CHECKING:
    import scipy.sparse


@with_parameters
class CountVectorizer(LearningTerms):
    r"""Convert texts to a matrix of term counts; scikit-learn's parameters, attributes and results.

    x_ij = how often term j occurs in text i. Terms are learned by ``fit`` and numbered in the order of the alphabet.

    Parameters
    ----------
    input : {'content', 'filename', 'file'}
        Whether documents are given as they are, as names of files, or as open files.
    encoding, decode_error : str
        How bytes become text.
    strip_accents : {'ascii', 'unicode'} or callable, optional
        What to do with accents.
    lowercase : bool
        Whether upper and lower case are the same.
    preprocessor, tokenizer : callable, optional
        Replacements of the steps before, and of the cutting into tokens.
    stop_words : 'english' or list, optional
        Words to leave out.
    token_pattern : str
        What a token is, as a regular expression; the default is two or more letters, digits or underscores.
    ngram_range : (int, int)
        Shortest and longest sequence of tokens (or characters) that is a term.
    analyzer : {'word', 'unicode_words', 'bpe', 'char', 'char_wb'} or callable
        What terms are made of; ``'char_wb'`` takes characters within words only. ``'unicode_words'``, which is not in
        scikit-learn, takes words of all scripts with their combining marks, emoji and other symbols, and the character
        1-3-grams of scripts without spaces between words, like Chinese and Thai; its ``token_pattern`` says whether
        words have at least two characters (the default) or one (``r"(?u)\b\w+\b"``). ``'bpe'`` cuts these words, and
        what scripts without spaces have in their place, into subword units by byte-pair encoding.
    affixes : {'prefix', 'suffix'}, optional
        Of the n-grams of ``analyzer='char_wb'``, keep only those at the beginnings of words, or at their ends: with
        ``ngram_range=(4, 4)`` three letters and the space beside them. Not in scikit-learn.
    n_merges : int
        How many pairs of neighbouring pieces ``analyzer='bpe'`` merges, the most frequent first: frequent words become
        one piece, rare ones stay several. It learns them from the texts, which are read twice. Not in scikit-learn.
    max_df, min_df : float or int
        Terms in more (fewer) documents than this number or share are left out.
    max_features : int, optional
        How many of the most frequent terms to keep.
    min_count : int
        Terms that occur fewer times in all texts together are left out; ``binary`` counts a text once. Not in
        scikit-learn.
    select : str, optional
        How many terms to keep at most, and by which score: ``"chi2:10000"``, or the methods ``information-gain``,
        ``count`` and ``df`` (see ``SelectFeatures``). The first two need labels: ``fit(texts, y)``. Terms are selected
        by their counts, before these are weighted, and the others are forgotten. Not in scikit-learn.
    vocabulary : mapping or iterable, optional
        The terms, instead of learning them.
    binary : bool
        Whether to note presence only.
    dtype : dtype
        Of the counts.
    punctuation : bool
        Whether every character that is neither part of a word nor white space is a token too. Not in scikit-learn.
    shapes : bool
        Whether the shape of every word, as it is written, is a term too: ``<Xx>`` for Word, ``<X>`` for WORD, ``<9>``
        for 1984, ``<x9>`` for mp3. Not in scikit-learn.
    oov : int, optional
        Words that occur fewer than this many times become one feature, ``<OOV>``, which also counts the unknown words
        of later texts. Not in scikit-learn.
    n_jobs : int or None
        Threads; None means all cores. The result never depends on it.

    Attributes
    ----------
    vocabulary_ : dict from term to column
    fixed_vocabulary_ : bool, whether the terms were given
    merges_ : list of pairs of pieces in the order in which they are merged, with ``analyzer='bpe'``
    """

    kind = "count"
    _transformer: ClassVar[Any] = None  # the class of what weighs the counts
    learns_in_parts = True

    max_df: Annotated[float, SHARE, at_least(1)] = 1.0
    min_df: Annotated[float, SHARE, at_least(1)] = 1
    max_features: Annotated[int | None, at_least(1), NONE] = None
    vocabulary: Annotated[Any, instance(Mapping, "'collections.abc.Mapping'"), ITERABLE, NONE] = None
    binary: Annotated[bool, BOOLEAN] = False
    dtype: Annotated[DTypeLike, dtype_of("biufc")] = np.int64
    oov: Annotated[int | None, at_least(1), NONE] = None
    min_count: Annotated[int, at_least(1)] = 1
    select: str | None = None
    n_merges: Annotated[int, at_least(0)] = 8000
    affixes: Annotated[str | None, one_of("prefix", "suffix"), NONE] = None
    _terms_as_list: bool = fixed(default=False)  # not as a tree: a small model's

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        """Whether terms are selected by what they say about the classes."""
        if self.select is None:
            return False
        from lindy.text.vocabulary.feature_selection import Selection

        return Selection.of(self.select).uses_labels

    @property
    def learns_from_counts(self) -> bool:  # type: ignore[override]
        """Whether the terms follow from counts of all texts; what an unknown word is, does not."""
        return self.oov is None

    def new_transformer(self) -> Any:
        """Return an unfitted transformer that weighs counts as this vectorizer does; None if it only counts."""
        made: Any = self._transformer
        return made and made(**{name: getattr(self, name) for name in made._parameter_names()})

    def term_weights(self) -> TermWeights:
        """Return the formula of the weights, for who computes them without it: an exported page."""
        return TermWeights()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.uses_labels
        return tags

    def fit(self, raw_documents: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the terms of the texts; the labels ``y`` matter only to ``select``.

        A text of weight 2 is two texts, and one of weight 0 is none.
        """
        texts, y, weight = present_examples(raw_documents, y, sample_weight)
        self._fit(texts, None, y=y, weight=weight)
        return self

    def fit_transform(
        self, raw_documents: Any, y: Any = None, sample_weight: Any = None
    ) -> scipy.sparse.csr_matrix[Any]:
        """Learn the terms of the texts and return their counts."""
        texts, y, weight = present_examples(raw_documents, y, sample_weight)
        rows = self._fit(texts, self._count_dtype(), y=y, weight=weight)
        return self._to_scipy(rows) if texts is raw_documents else self.transform(raw_documents)

    def fit_csr(
        self,
        raw_documents: Any,
        *,
        order: str = "alphabet",
        y: Any = None,
        weight: Weight | None = None,
        beside: Csr | None = None,
    ) -> Csr:
        """Learn the terms of the texts and return their rows in float32.

        Parameters
        ----------
        order : {'alphabet', 'seen', 'frequency'}
            Which column a learned term gets: by the alphabet as scikit-learn has it, by first appearance, or by
            document frequency (most first, equals by first appearance). The latter two sort no terms, and by
            frequency the weights that are used most lie side by side. Each row has its terms in the order of their
            first appearance in the texts. Given terms, terms of Python callables and terms with ``oov`` stay in their
            own order.
        weight : array (texts,) or None
            How many texts each text is, a number above 0: in document frequencies, limits and selection.
        beside : Csr or None
            Rows of the same texts, whose columns come first in what is returned: written together where that is
            possible, which saves a copy of both.
        """
        dtype = np.dtype(np.float32)
        rows = self._fit(raw_documents, dtype, order, y, log=numerics.log, beside=beside, weight=weight)
        if beside is None:
            return self._learned_rows(rows, dtype)
        if isinstance(rows, JoinedRows):
            return Csr(*rows, beside.n_columns + self.n_columns, checked=True)
        return side_by_side([beside, self._learned_rows(rows, dtype)])

    def transform(self, raw_documents: Any) -> scipy.sparse.csr_matrix[Any]:
        """Return the counts of the known terms in the texts."""
        return self._to_scipy(self._known_rows(raw_documents, self._count_dtype()))

    def transform_csr(self, raw_documents: Any) -> Csr:
        """Return the rows of the texts in float32."""
        return self._new_rows(self._known_rows(raw_documents, np.dtype(np.float32)))

    def _check(self) -> None:
        """Check the parameters and take over a given vocabulary."""
        self._check_parameters()
        self._check_ngram_range()
        self._warn_for_unused()
        self._given_vocabulary()
        if self.fixed_vocabulary_:
            self._warn_for_upper_case()
        if self.select is not None:
            from lindy.text.vocabulary.feature_selection import Selection

            Selection.of(self.select)
        if self.affixes is not None and self.analyzer != "char_wb":
            raise ValueError(
                f"affixes={self.affixes!r} needs analyzer='char_wb', whose n-grams are within words"
            )
        for other in ("vocabulary", "oov"):
            if self.select is not None and getattr(self, other) is not None:
                raise ValueError(
                    f"select={self.select!r} chooses among all terms of the texts: leave out select or {other}"
                )

    @property
    def merges_(self) -> list[tuple[str, str]]:
        """The pairs of pieces that ``analyzer="bpe"`` merges, in their order."""
        if self._merges is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'merges_'")
        return self._merges.pairs

    def _counting_part(self) -> CountVectorizer:
        """Return an unfitted vectorizer that counts all terms as this one cuts them."""
        part = CountVectorizer(**{name: getattr(self, name) for name in CountVectorizer._parameter_names()})
        part.set_params(min_df=1, max_df=1.0, max_features=None, min_count=1, select=None)
        part._merges, part._keeps_merges = self._merges, True
        return part.set_params(oov=None, vocabulary=None, dtype=np.int64)

    def scored_part(self) -> _native.ScoredPart | None:
        """Return how the core finds and weighs the terms, for ``lindy.scoring``; None if it cannot."""
        index = self._native_index()
        return None if index is None else _native.ScoredPart(index, bool(self.binary), None, None, "none")

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that ``transform`` needs: a dict for JSON and arrays."""
        self._check_vocabulary()
        index = self._native_index()
        if index is None:
            raise ValueError(
                "only vectorizers without callables, with a native token pattern and with string terms can be saved"
            )
        oov = None if self._fitted_oov is None else int(self._fitted_oov)
        config = {"kind": self.kind, "binary": bool(self.binary), "oov": oov, **write_analyzer(self)}
        config |= write_limits(self)
        merges = write_merges(self._merges)
        as_list = {"terms_as_list": True} if self._terms_as_list else {}
        tree = index.tree() if oov is None and not as_list else None
        if tree is None:
            data, offsets = self._terms.arrays
            return config | as_list, {"terms": data, "offsets": offsets, **merges}
        arrays, multiplier = tree
        return config | {"multiplier": multiplier}, arrays | merges

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        params = read_analyzer(config)
        vectorizer = cls()
        for name, value in {**params, "binary": config.get("binary"), "oov": config.get("oov")}.items():
            setattr(vectorizer, name, value)
        vectorizer.fixed_vocabulary_ = read_limits(vectorizer, config)
        vectorizer._check_parameters()
        vectorizer._fitted_oov = vectorizer.oov
        vectorizer._terms_as_list = config.get("terms_as_list") is True
        vectorizer._merges = read_merges(vectorizer.analyzer, arrays)
        if "phrases" in arrays:
            vectorizer._take_tree(arrays, config.get("multiplier"))
        else:
            vectorizer._terms = read_terms(arrays)
        index = vectorizer._native_index()
        if index is None:
            raise ValueError("the saved vectorizer has invalid parameters")
        if index.duplicate >= 0:
            raise ValueError(f"term {index.duplicate} of the vocabulary occurs a second time")
        if index.first_invalid >= 0:
            raise ValueError(f"term {index.first_invalid} of the vocabulary is not valid UTF-8")
        return vectorizer

    def _take_tree(self, arrays: dict[str, NDArray[Any]], multiplier: Any) -> None:
        """Take over terms that were saved as a tree of words; the native core checks them."""
        options = self._native_options()
        if options is None or self.oov is not None:
            raise ValueError("the saved vectorizer has invalid parameters")
        self._index = tree_index(options, arrays, multiplier, *self._native_stop_words())
        self._terms = Terms(self._index)
