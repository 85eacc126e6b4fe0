"""Patterns of texts: how often there is money in them, or a word in capitals, a link, a row of exclamation marks.

Amato's lecture has them beside words for spam ($dd, CAPS). The column of a pattern is ``pattern=name`` and holds
ln(1 + n), n or [n > 0], where n is the number of matches, scaled so that all rows have the same length:

    money        $500, 9,99 €, 5 dollars           exclamation  !
    capitals     WIN, a word of two letters up     question     ?
    url          http://…, https://…, www.…        repeated     !!!, ?!, …  written with three points
    email        ann@example.org                   elongated    sooo
    number       42, 3.14, 1,000,000               emoticon     :-) ;P
    long_number  12345, five digits up             hashtag      #free
    percent      20%, 20 %                         mention      @ann
    time         9:30                              mixed        v1agra, mp3
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.errors import DataError
from lindy.estimators.parameters import NONE, instance, with_parameters
from lindy.features.counted import CountedVectorizer, from_counts
from lindy.text.analysis.documents import as_text, batches, located, refuse_other_than_documents
from lindy.text.analysis.token_pattern import TokenPattern
from lindy.text.native_rows import threads_for
from lindy.text.vectorizer import Columns, State

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences

Span = tuple[int, int]

PATTERNS: tuple[str, ...] = tuple(_native.pattern_names())
"""The names of the patterns that the core finds, in one pass over a text."""


@with_parameters
class PatternVectorizer(CountedVectorizer):
    """Convert texts to a matrix of counted patterns; nothing is learned.

    Parameters
    ----------
    patterns : list of str, dict from name to regular expression, or None
        Names of the patterns above; or patterns of your own, which are slower, and which a model file does not hold;
        None means all above.
    values : {"log", "counts", "presence"}
        ln(1 + n), n, or 1 where n is not 0.
    length : float or None
        Every row is scaled to this length; None leaves it as it is. A row beside words should be short.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Examples
    --------
    >>> from lindy.features import PatternVectorizer
    >>> names = ["money", "capitals", "repeated"]
    >>> vectorizer = PatternVectorizer(patterns=names, values="counts", length=None)
    >>> vectorizer.transform(["WIN $500 NOW!!!"]).toarray()
    array([[1., 2., 1.]], dtype=float32)
    """

    kind = "patterns"

    patterns: Annotated[
        Iterable[str] | Mapping[str, str] | None, instance(list), instance(tuple), instance(dict), NONE
    ] = None

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows."""
        refuse_other_than_documents(X)
        names = self._names()
        if isinstance(self.patterns, Mapping):
            return from_counts(self._own_counts(X), len(names), self.values, self.length)
        columns = [PATTERNS.index(name) for name in names]
        counts = (
            _native.count_patterns(texts, threads_for(len(texts), self.n_jobs)).reshape(len(texts), -1)[
                :, columns
            ]
            for texts in batches(X, _decoded)
        )
        return from_counts(counts, len(names), self.values, self.length)

    def _feature_names(self) -> list[str]:
        return [f"pattern={name}" for name in self._names()]

    def places(self, text: str) -> list[list[Span]]:
        """Return where each pattern is in a text."""
        if isinstance(self.patterns, Mapping):
            return [[match.span() for match in own.matches(text)] for own in self._own().values()]
        found: list[list[Span]] = [[] for _ in PATTERNS]
        for texts in batches([text], _decoded):
            for number, begin, end in zip(
                *(array.tolist() for array in _native.pattern_places(texts)), strict=True
            ):
                found[number].append((begin, end))
        return [found[PATTERNS.index(name)] for name in self._names()]

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the patterns of some columns are in a text."""
        from lindy.text.analysis.occurrences import span_occurrences

        return span_occurrences(self.places(text), columns)

    def _names(self) -> list[str]:
        self._check_parameters()
        names = list(PATTERNS if self.patterns is None else self.patterns)
        if isinstance(self.patterns, Mapping):
            self._own()
        elif unknown := [name for name in names if name not in PATTERNS]:
            raise ValueError(f"no pattern is called {unknown[0]!r} (there are: {', '.join(PATTERNS)})")
        if not names or len(set(names)) < len(names):
            raise ValueError("patterns must be a list of different names")
        return names

    def _own(self) -> dict[str, TokenPattern]:
        assert isinstance(self.patterns, Mapping)
        return {name: TokenPattern(pattern) for name, pattern in self.patterns.items()}

    def _own_counts(self, raw_documents: Any) -> Iterator[NDArray[Any]]:
        own = list(self._own().values())
        column = raw_documents.to_pylist() if hasattr(raw_documents, "to_pylist") else raw_documents
        for i, item in enumerate(column):
            text = as_text(item, i, _decoded)
            try:
                yield np.array([[len(pattern.matches(text)) for pattern in own]])
            except DataError as error:
                raise located(error, text, i) from None

    def to_state(self) -> State:
        """Return what ``transform_csr`` needs: names of patterns, for a model file holds no expressions."""
        if isinstance(self.patterns, Mapping):
            raise ValueError(
                "patterns of your own cannot be saved: a model file holds no regular expressions"
            )
        return {**self._value_state(), "patterns": self._names()}, {}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:  # noqa: ARG003
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        names = config.get("patterns")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("the saved patterns are not a list of names")
        return cls(patterns=names, values=config.get("values", ""), length=config.get("length")).fit([])


def _decoded(item: Any) -> Any:
    return item.decode("utf-8") if isinstance(item, bytes) else item
