"""Conjunctions of tokens: "very-good", "not-_-bad", from the words of a text in their order.

window=3              words a, b with at most 3 steps from a to b: a-b, whatever the distance
templates=[(0, 2)]    words at these places, from every place on; what lies between is written _: a-_-b
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr, side_by_side
from lindy.errors import DataError, invalid_parameter
from lindy.estimators.parameters import (
    BOOLEAN,
    NONE,
    at_least,
    between,
    fitted,
    fixed,
    instance,
    short_repr,
    with_parameters,
)
from lindy.text.analysis.analyzer import NATIVE_PATTERNS, WORDS, Analyzer
from lindy.text.analysis.documents import refuse_other_than_documents
from lindy.text.vectorizer import Columns, State, Vectorizer
from lindy.text.vectorizer_state import read_analyzer, read_terms, write_analyzer
from lindy.text.vocabulary.encoding import Terms, encode_terms
from lindy.text.vocabulary.term_limits import reaches
from lindy.text.weighting.row_weights import Weight

Numbers = NDArray[np.int64]
_WIDEST = 1000
_SHARED = ("lowercase", "strip_accents", "token_pattern", "punctuation", "stop_words")


@dataclass(frozen=True, slots=True)
class Sequences:
    """Text i is ``ids[indptr[i]:indptr[i + 1]]``, numbers of ``words``; −1 is a word that is not known."""

    indptr: Numbers
    ids: Numbers
    words: list[str]

    def at(self, offsets: tuple[int, ...]) -> tuple[Numbers, Numbers]:
        """Return the words at these offsets, from every place where they fit (tuples × offsets), and their texts."""
        lengths = np.diff(self.indptr)
        inside = np.arange(len(self.ids)) + offsets[-1] < np.repeat(self.indptr[1:], lengths)
        text = np.repeat(np.arange(len(lengths)), lengths)
        places = np.flatnonzero(inside)
        return np.stack([self.ids[places + offset] for offset in offsets], axis=1), text[places]

    def only(self, kept: NDArray[np.bool_]) -> Sequences:
        """Return the texts without the words that are not kept; those around them move together."""
        wanted = kept[self.ids]
        return Sequences(np.concatenate([[0], np.cumsum(wanted)])[self.indptr], self.ids[wanted], self.words)

    def renumbered(self, words: list[str]) -> Sequences:
        """Return the texts as sequences of other words' numbers."""
        numbers = {word: number for number, word in enumerate(words)}
        place = np.array([numbers.get(word, -1) for word in self.words], np.int64)
        return Sequences(self.indptr, place[self.ids], words)


@dataclass(frozen=True, slots=True)
class Template:
    """Words at one of several tuples of offsets, which are all of one length; they are the same feature."""

    offsets: tuple[tuple[int, ...], ...]

    def name(self, words: list[str]) -> str:
        """Return how a tuple of words is written; a gap, where there is but one, as an underscore."""
        if len(self.offsets) > 1:
            return "-".join(words)
        places = dict(zip(self.offsets[0], words, strict=True))
        return "-".join(places.get(i, "_") for i in range(self.offsets[0][-1] + 1))

    def found(self, sequences: Sequences) -> tuple[Numbers, Numbers]:
        """Return all tuples of words (tuples × length), and the text of each."""
        parts = [sequences.at(offsets) for offsets in self.offsets]
        return np.concatenate([words for words, _ in parts]), np.concatenate([text for _, text in parts])


class Tuples:
    """Tuples of numbers 0 … n−1, numbered in their order.

    They are found level by level: as the pair of a known beginning's number and one number more, which is one integer.
    ``number`` is the number of each of the given ``members`` (tuples × length).
    """

    def __init__(self, members: Numbers, n: int) -> None:
        self.n = max(n, 1)
        self.levels: list[Numbers] = []
        self.number = np.zeros(len(members), np.int64)
        for column in members.T:
            level, self.number = np.unique(self.number * self.n + column, return_inverse=True)
            self.levels.append(level)

    def __len__(self) -> int:
        return len(self.levels[-1])

    def members(self, numbers: Numbers) -> Numbers:
        """Return the tuples of some numbers."""
        columns = []
        for level in reversed(self.levels):
            numbers, column = np.divmod(level[numbers], self.n)
            columns.append(column)
        return np.stack(columns[::-1], axis=1)

    def find(self, members: Numbers) -> Numbers:
        """Return the number of each tuple, −1 where it is not known or has a number below 0."""
        number = np.zeros(len(members), np.int64)
        for level, column in zip(self.levels, members.T, strict=True):
            key = np.where((number >= 0) & (column >= 0), number * self.n + column, -1)
            place = np.searchsorted(level, key)
            number = np.where(np.append(level, -2)[place] == key, place, -1)
        return number


@with_parameters
class TokenConjunctions(Analyzer):
    """Convert texts to counts of tuples of words that are near each other.

    Parameters
    ----------
    window : int
        Two words are a feature if it is at most so many steps from the first to the second.
    templates : list of tuples of int, or None
        Instead: the words at these offsets are a feature; every tuple begins with 0 and ascends.
    min_df : int
        Tuples in fewer texts are left out.
    binary : bool
        Whether to note presence only.
    n_features : int or None
        So many columns, chosen by a hash with alternating signs, hold all tuples; None lists those of ``fit``.
    lowercase, strip_accents, token_pattern, punctuation, stop_words
        As in ``CountVectorizer``; the patterns are those that it cuts natively.

    Examples
    --------
    >>> from lindy.features import TokenConjunctions
    >>> TokenConjunctions(window=2).fit(["not very good"]).get_feature_names_out().tolist()
    ['not-good', 'not-very', 'very-good']
    """

    # options of CountVectorizer that are not its own
    input: str = fixed(default="content")
    encoding: str = fixed(default="utf-8")
    decode_error: str = fixed(default="strict")
    preprocessor: None = fixed(default=None)
    tokenizer: None = fixed(default=None)
    ngram_range: tuple[int, int] = fixed(default=(1, 1))
    analyzer: str = fixed(default="word")
    shapes: bool = fixed(default=False)
    kind = "token conjunctions"

    _words: list[str] = fitted()
    _tuples: list[Tuples] = fitted()

    window: Annotated[int, between(1, _WIDEST + 1)] = 2
    templates: Annotated[list[tuple[int, ...]] | None, instance(list), instance(tuple), NONE] = None
    min_df: Annotated[int, at_least(1)] = 1
    binary: Annotated[bool, BOOLEAN] = False
    n_features: Annotated[int | None, between(1, np.iinfo(np.int32).max), NONE] = None
    lowercase: Annotated[bool, BOOLEAN] = True
    strip_accents: str | None = None
    token_pattern: str = WORDS
    punctuation: Annotated[bool, BOOLEAN] = False
    stop_words: str | list[str] | None = None
    n_jobs: int | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return "_tuples" in vars(self) or self.n_features is not None

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Learn which tuples of words occur and return the float32 rows; columns are in the order of the words."""
        templates, sequences = self._templates(), self._read(X)
        if self.n_features is None:
            sequences = sequences.renumbered(sorted(sequences.words))
            self._learn(sequences.words, [self._frequent(t, sequences, weight) for t in templates])
        return self._rows_of(sequences)

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of further texts."""
        self._check_fitted()
        return self._rows_of(self._read(X))

    @property
    def n_columns(self) -> int:
        """How many tuples there are, or hashed columns."""
        return sum(map(len, self._tuples)) if self.n_features is None else self.n_features

    def names_of(self, columns: Columns) -> list[str]:
        """Return the tuples of some columns as they are written; hashed columns by their number."""
        if self.n_features is not None:
            return [f"#{column}" for column in columns.tolist()]
        names = [
            name
            for template, tuples in zip(self._templates(), self._tuples, strict=True)
            for name in _spelt(template, tuples, self._words)
        ]
        return [names[column] for column in columns.tolist()]

    describe = Vectorizer.describe

    def _templates(self) -> list[Template]:
        if self.templates is None:
            return [Template(tuple((0, step) for step in range(1, self.window + 1)))]
        for given in self.templates:
            sound = isinstance(given, list | tuple) and all(type(offset) is int for offset in given)
            if not sound or len(given) < 2 or given[0] != 0 or sorted(set(given)) != list(given):
                raise ValueError(f"a template is a tuple of offsets such as (0, 1, 3); got {given!r}")
            if given[-1] > _WIDEST:
                raise ValueError(f"a template may span at most {_WIDEST} words; got {given!r}")
        templates = [Template((tuple(given),)) for given in self.templates]
        if not templates or len(set(templates)) < len(templates):
            raise ValueError("templates must be a list of different tuples of offsets")
        return templates

    def _read(self, raw_documents: Any) -> Sequences:
        refuse_other_than_documents(raw_documents)
        if self.strip_accents not in (None, "ascii", "unicode"):
            raise invalid_parameter(
                f"strip_accents must be 'ascii', 'unicode' or None; got {short_repr(self.strip_accents)}"
            )
        options = self._native_options()
        if options is None:
            raise ValueError(
                f"token_pattern must be one of {', '.join(NATIVE_PATTERNS)}; got {self.token_pattern!r}"
            )
        reader = _native.TokenReader(options)
        for texts in self.text_batches(raw_documents):
            reader.read(texts)
        words = Terms.from_arrays(*reader.words()).strings
        indptr, ids = reader.take()
        sequences = Sequences(indptr, ids.astype(np.int64), words)
        stop_words = self.get_stop_words()
        if not stop_words:
            return sequences
        return sequences.only(np.array([word not in stop_words for word in words], bool))

    def _frequent(self, template: Template, sequences: Sequences, weight: Weight | None) -> Numbers:
        """Return the different tuples that are in enough texts, in their order."""
        members, text = template.found(sequences)
        tuples = Tuples(members, len(sequences.words))
        n_texts = max(len(sequences.indptr) - 1, 1)
        in_texts, of = np.divmod(np.unique(tuples.number * n_texts + text), n_texts)
        counts = np.bincount(in_texts, None if weight is None else weight[of], len(tuples))
        return tuples.members(np.flatnonzero(reaches(counts, self.min_df)))

    def _learn(self, words: list[str], members: list[Numbers]) -> None:
        """Set what ``fit`` sets; words that are in no tuple are forgotten."""
        used = np.unique(np.concatenate([own.reshape(-1) for own in members]))
        if not len(used):
            raise DataError(
                "no tuple of words occurs in enough texts", "Give longer texts, or a smaller min_df."
            )
        self._words = [words[i] for i in used.tolist()]
        self._tuples = [Tuples(np.searchsorted(used, own), len(used)) for own in members]

    def _rows_of(self, sequences: Sequences) -> Csr:
        templates = self._templates()
        if self.n_features is not None:
            return self._hashed(templates, sequences)
        own = sequences.renumbered(self._words)
        parts = []
        for template, tuples in zip(templates, self._tuples, strict=True):
            members, text = template.found(own)
            column = tuples.find(members)
            known = column >= 0
            parts.append(self._counted(own, text[known], column[known], len(tuples)))
        return side_by_side(parts)

    def _hashed(self, templates: list[Template], sequences: Sequences) -> Csr:
        """Return rows whose columns are hashes of the tuples as they are written."""
        options = self._native_options()
        assert options is not None
        assert self.n_features is not None
        stop_bytes, stop_offsets = encode_terms([])
        hasher = _native.TermHasher(
            options,
            n_columns=self.n_features,
            signs=True,
            key=None,
            stop_bytes=stop_bytes,
            stop_offsets=stop_offsets,
        )
        texts, codes = [], []
        for template in templates:
            members, text = template.found(sequences)
            tuples = Tuples(members, len(sequences.words))
            names = _spelt(template, tuples, sequences.words)
            codes.append(hasher.codes(*encode_terms(names)).astype(np.int64)[tuples.number])
            texts.append(text)
        code = np.concatenate(codes)
        signs = 1.0 - 2.0 * (code & 1)
        return self._counted(sequences, np.concatenate(texts), code >> 1, self.n_features, signs)

    def _counted(
        self, of: Sequences, text: Numbers, column: Numbers, n_columns: int, signs: NDArray[Any] | None = None
    ) -> Csr:
        """Return rows with how often each column occurs in each text, by sign where there are signs."""
        cells, number = np.unique(text * n_columns + column, return_inverse=True)
        totals = np.bincount(number, signs, len(cells)).astype(np.float32)
        indptr = np.zeros(len(of.indptr), np.int64)
        np.cumsum(np.bincount(cells // n_columns, minlength=len(indptr) - 1), out=indptr[1:])
        values = np.sign(totals) if self.binary else totals
        return Csr(indptr, (cells % n_columns).astype(np.int32), values, n_columns, checked=True)

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        self._check_fitted()
        config = {
            "kind": self.kind,
            **write_analyzer(self),
            "window": self.window,
            "templates": None if self.templates is None else [list(offsets) for offsets in self.templates],
            "binary": bool(self.binary),
            "n_features": self.n_features,
        }
        if self.n_features is not None:
            return config, {}
        terms, offsets = encode_terms(self._words)
        members = {
            f"members{i}": tuples.members(np.arange(len(tuples))).astype(np.int32)
            for i, tuples in enumerate(self._tuples)
        }
        return config, {"terms": terms, "offsets": offsets, **members}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        params = read_analyzer(config)
        own: dict[str, Any] = {
            name: config.get(name) for name in ("window", "templates", "binary", "n_features")
        }
        vectorizer = cls(**own, **{name: params[name] for name in _SHARED})
        vectorizer._check_parameters()
        templates = vectorizer._templates()
        if vectorizer._native_options() is None:
            raise ValueError("the saved vectorizer has invalid parameters")
        if vectorizer.n_features is not None:
            return vectorizer
        vectorizer._words = read_terms(arrays).strings
        if len(set(vectorizer._words)) < len(vectorizer._words):
            raise ValueError("a word of the saved vectorizer occurs a second time")
        vectorizer._tuples = [
            _read_tuples(arrays.get(f"members{i}"), len(template.offsets[0]), len(vectorizer._words))
            for i, template in enumerate(templates)
        ]
        return vectorizer


def _spelt(template: Template, tuples: Tuples, words: list[str]) -> list[str]:
    members = tuples.members(np.arange(len(tuples)))
    return [template.name([words[i] for i in own]) for own in members.tolist()]


def _read_tuples(members: Any, length: int, n: int) -> Tuples:
    sound = (
        isinstance(members, np.ndarray)
        and members.dtype == np.int32
        and members.ndim == 2
        and members.shape[1] == length
        and members.min(initial=0) >= 0
        and members.max(initial=0) < n
    )
    if not sound:
        raise ValueError("the saved tuples of words must be int32 numbers of saved words, one row per tuple")
    tuples = Tuples(members.astype(np.int64), n)
    if not np.array_equal(tuples.number, np.arange(len(members))):
        raise ValueError("the saved tuples of words must be sorted and different")
    return tuples
