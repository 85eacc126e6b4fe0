"""The features of fastText's models: words, subwords and word n-grams, with the places that its hash gives them.

    x_j = how often feature j occurs / how many features there are         (the mean of their vectors follows from it)

Texts are bytes that white space cuts into words, and end with the word ``</s>``; known words have a column each,
subwords (n-grams of the characters of <word>) and word n-grams share ``bucket`` further ones, of which a quantised
model may have kept some. ``native/fasttext/dictionary.hpp`` has the hashes. A token ``</s>`` ends a text, and what
begins with ``__label__`` is no word, as in fastText; a line break is white space, unless ``first_line`` is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.errors import AGAIN, DataError
from lindy.text.analysis.documents import batches
from lindy.text.native_rows import threads_for
from lindy.text.vectorizer import Columns, State, Vectorizer

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences
    from lindy.text.analysis.positions import Index

_SPACES = np.frombuffer(b" \t\n\v\f\r\0", np.uint8)
_SETTINGS = ("n_words", "bucket", "min_n", "max_n", "word_ngrams")


class FasttextVectorizer(Vectorizer):
    """The features of a fastText model, as its file has them.

    Attributes
    ----------
    n_words, bucket, min_n, max_n, word_ngrams : int
        How many words have a column of their own, how many columns all others share, how long subwords and word
        n-grams are.
    first_line : bool
        Whether a text ends with its first line, as for fastText itself.
    """

    kind = "fasttext"
    not_exported = "a page would have to carry the vectors of all its features"
    learns = True
    cannot_grow = "has the words of a fastText model, and no counts of them"
    cuts_terms = True
    n_jobs: int | None = None

    n_words: int
    bucket: int
    min_n: int
    max_n: int
    word_ngrams: int
    _arrays: dict[str, NDArray[Any]]

    def __init__(self) -> None:
        self.first_line = False
        self._made: tuple[bool, _native.FasttextDictionary] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_made": None}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_arrays")

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Refuse to learn: the words are those of a file."""
        raise DataError("the features of a fastText model are read from its file, not learned", AGAIN)

    def reads_as(self, other: Vectorizer) -> bool:
        """Whether another vectorizer makes the same texts of the same documents."""
        return type(other) is type(self)

    def text_batches(self, documents: Any) -> Iterator[_native.Texts]:
        """Yield texts for the native core; bytes are taken as UTF-8, valid or not."""
        return batches(documents, _decoded)

    def transform_csr(self, X: Any) -> Csr:
        """Return how often each feature occurs, divided by how many there are."""
        self._check_fitted()
        parts = [
            self.dictionary.columns(batch, threads_for(len(batch), self.n_jobs))
            for batch in self.text_batches(X)
        ]
        lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(indptr) for indptr, _ in parts)])
        columns = np.concatenate([np.zeros(0, np.int32), *(own for _, own in parts)])
        rows = np.repeat(np.arange(len(lengths)), lengths)
        cells, counts = np.unique(rows * self.n_columns + columns, return_counts=True)
        rows, columns = cells // self.n_columns, cells % self.n_columns
        indptr = np.searchsorted(rows, np.arange(len(lengths) + 1)).astype(np.int64)
        values = (counts / lengths[rows]).astype(np.float32)
        return Csr(indptr, columns.astype(np.int32), values, self.n_columns, checked=True)

    @property
    def dictionary(self) -> _native.FasttextDictionary:
        """The native part, which finds features."""
        if self._made is None or self._made[0] != self.first_line:
            own = self._arrays
            made = _native.FasttextDictionary(
                own["entries"],
                own["ends"],
                self.n_words,
                self.bucket,
                self.min_n,
                self.max_n,
                self.word_ngrams,
                own.get("kept"),
                own.get("kept_rows"),
                self.first_line,
            )
            self._made = self.first_line, made
        return self._made[1]

    @property
    def n_columns(self) -> int:
        """One for each word, then one for each bucket."""
        return int(self.dictionary.n_columns)

    def names_of(self, columns: Columns) -> list[str]:
        """Return the words; of other columns, the number of their bucket."""
        buckets = columns - self.n_words
        if "kept" in self._arrays and len(self._arrays["kept"]):
            of_row = np.zeros(len(self._arrays["kept"]), np.int64)
            of_row[self._arrays["kept_rows"]] = self._arrays["kept"]
            buckets = of_row[np.maximum(buckets, 0)]
        return [
            self._word(column) if column < self.n_words else f"#{bucket}"
            for column, bucket in zip(columns.tolist(), buckets.tolist(), strict=True)
        ]

    def _word(self, number: int) -> str:
        begin = self._arrays["ends"][number - 1] if number else 0
        return bytes(self._arrays["entries"][begin : self._arrays["ends"][number]]).decode("utf-8", "replace")

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where words and word n-grams are in the text, and where subwords are."""
        data = text.encode("utf-8", "surrogateescape")
        found, begin, end, marks = self.dictionary.places(data)
        order = np.argsort(columns, kind="stable")
        place = np.minimum(np.searchsorted(columns, found, sorter=order), max(len(columns) - 1, 0))
        feature = order[place] if len(columns) else place
        inside = (begin < end) & (feature < len(columns))
        inside[inside] = columns[feature[inside]] == found[inside]
        return _occurrences(data, feature[inside], begin[inside], end[inside], marks[inside])

    def to_state(self) -> State:
        """Return the settings and the dictionary."""
        self._check_fitted()
        config = {"kind": self.kind, "first_line": self.first_line}
        return config | {name: getattr(self, name) for name in _SETTINGS}, dict(self._arrays)

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``."""
        made = cls()
        if not all(type(config.get(name)) is int and 0 <= config[name] < 2**31 for name in _SETTINGS):
            raise ValueError(f"the settings of a fastText model are whole numbers: {', '.join(_SETTINGS)}")
        types = {"entries": np.uint8, "ends": np.int64, "kept": np.int32, "kept_rows": np.int32}
        if not {"entries", "ends"} <= set(arrays) <= set(types):
            raise ValueError(
                "a fastText model has the arrays entries and ends, and perhaps kept and kept_rows"
            )
        for name, array in arrays.items():
            if array.dtype != types[name] or array.ndim != 1:
                raise ValueError(f"array {name} must be a list of {np.dtype(types[name])}")
        for name in _SETTINGS:
            setattr(made, name, config[name])
        made.first_line = config.get("first_line") is True
        made._arrays = dict(arrays)
        made.dictionary  # noqa: B018  # which checks the rest
        return made


def _decoded(document: Any) -> Any:
    return document.decode("utf-8", "surrogateescape") if isinstance(document, bytes) else document


def _occurrences(data: bytes, feature: Index, begin: Index, end: Index, marks: Index) -> list[Occurrences]:
    """Return where features are that cover whole words, and where those are that cover characters of one."""
    from lindy.text.analysis.occurrences import Occurrences

    units = np.frombuffer(data, np.uint8)
    before = np.append(0, np.cumsum((units & 0xC0) != 0x80))  # characters before each byte
    inner = np.append(~np.isin(units, _SPACES), False)
    edges = (
        np.flatnonzero(inner[:-1] != np.append(False, inner[:-2])) if len(units) else np.zeros(0, np.int64)
    )
    edges = np.append(edges, len(units)) if len(edges) % 2 else edges
    words = edges.reshape(-1, 2)
    first, last = np.searchsorted(words[:, 0], begin), np.searchsorted(words[:, 1], end)
    whole = (first < len(words)) & (last < len(words))
    whole[whole] = (
        (words[first[whole], 0] == begin[whole]) & (words[last[whole], 1] == end[whole]) & (marks[whole] == 0)
    )
    numbers: dict[bytes, int] = {}
    number = np.array([numbers.setdefault(data[b:e], len(numbers)) for b, e in words.tolist()], np.int64)
    characters = np.arange(before[-1])
    own, parts = feature[whole], feature[~whole]
    covered = np.zeros(len(words), bool)
    covered[np.searchsorted(words[:, 1], begin, "right").clip(0, max(len(words) - 1, 0))] = True
    signs = np.ones(len(feature))
    terms: dict[int, list[str]] = {}
    for k, b, e, mark in zip(*(own.tolist() for own in (feature, begin, end, marks)), strict=True):
        term = "<" * (mark & 1) + data[b:e].decode("utf-8", "replace") + ">" * (mark >> 1)
        own_terms = terms.setdefault(k, [])
        if term not in own_terms:
            own_terms.append(term)
    return [
        Occurrences(
            before[words],
            number,
            own,
            signs[whole],
            first[whole],
            last[whole] + 1,
            terms,
            np.flatnonzero(~covered),
        ),
        Occurrences(
            np.stack([characters, characters + 1], axis=1),
            None,
            parts,
            signs[~whole],
            before[begin[~whole]],
            before[end[~whole]],
            {},
            np.zeros(0, np.int64),
        ),
    ]
