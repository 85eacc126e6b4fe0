"""Misspelled words: unknown words one slip of the finger away from a word that many training texts have.

A slip is a letter too many, too few, another one, or two swapped. It is none where only the last letter differs, as
between *book* and *books*. What a word is compared with comes from the training texts alone: ``frequent`` words, in at
least ``min_df`` texts, and ``known`` ones, which are near a frequent one but in two texts, so that they are words, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.estimators.parameters import at_least, fitted, with_parameters
from lindy.features.spans import SPANS, SpanVectorizer, span_of
from lindy.text.analysis.occurrences import Occurrences, span_occurrences
from lindy.text.count import CountVectorizer
from lindy.text.vectorizer import Columns, State
from lindy.text.vectorizer_state import below_prefix, read_terms
from lindy.text.vocabulary.encoding import encode_terms
from lindy.text.vocabulary.term_limits import reaches
from lindy.text.weighting.row_weights import document_frequency

SHORTEST, LONGEST = 5, 20
"""Letters of words that are looked at: among short ones, most others are one letter away."""
MOST_FREQUENT = 20_000
_WORD = r"(?u)\b\w+\b"
_KNOWN_FROM = 2  # texts


@with_parameters
class MisspellingVectorizer(SpanVectorizer):
    """Convert texts to columns for how many of their words are misspelled: misspelled=1, misspelled=2, and so on.

    Parameters
    ----------
    min_df : int
        In how many training texts a word must be, that others can be misspellings of; the 20,000 most frequent of them
        are taken.
    length : float
        The value of the column.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    frequent_, known_ : lists of words

    Examples
    --------
    >>> from lindy.features import MisspellingVectorizer
    >>> vectorizer = MisspellingVectorizer(min_df=2).fit(["a good account", "my account", "bank account"])
    >>> vectorizer.misspelled("your acount at the bank")
    ['acount']
    """

    kind = "misspellings"
    title = "misspelled"
    min_df: Annotated[int, at_least(1)] = 5
    frequent_: list[str] = fitted()
    known_: list[str] = fitted()
    _near: Any = fitted()

    def _learn(self, texts: list[str], weight: NDArray[np.float64] | None) -> NDArray[np.int64]:
        rows, words = _counted(texts, self.n_jobs)
        documents = document_frequency(rows, weight)
        usable = np.array([_usable(word) for word in words], bool)
        often = np.flatnonzero(usable & reaches(documents, self.min_df))
        often = often[np.argsort(-documents[often], kind="stable")][:MOST_FREQUENT]
        self._set([words[j] for j in often.tolist()], [])
        near = np.zeros(len(words), bool)
        near[[j for j in np.flatnonzero(usable).tolist() if self._is_slip(words[j])]] = True
        self._set(
            self.frequent_, [words[j] for j in np.flatnonzero(near & (documents >= _KNOWN_FROM)).tolist()]
        )
        # a word of this text is known if it is known without this text
        return _totals(rows, near & (documents <= _KNOWN_FROM))

    def _set(self, frequent: list[str], known: list[str]) -> None:
        self.frequent_, self.known_ = frequent, known
        vars(self).pop("_near", None)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_near"}

    def _counts(self, texts: list[str]) -> NDArray[np.int64]:
        rows, words = _counted(texts, self.n_jobs)
        return _totals(rows, np.array([self._is_slip(word) for word in words], bool))

    def _is_slip(self, word: str) -> bool:
        """Whether a word is not known, but near a frequent one."""
        if not _usable(word):
            return False
        if "_near" not in vars(self):
            frequent = set(self.frequent_)
            self._near = frequent, frequent.union(self.known_), {p for f in frequent for p in _holes(f)}
        frequent, known, holes = self._near
        if word in known:
            return False
        return (
            any(other in frequent for other in _shorter_and_swapped(word))
            or any(hole in holes for hole in _holes(word))
            or any(hole in holes for hole in _gaps(word))
        )

    def misspelled(self, text: str) -> list[str]:
        """Return the misspelled words of a text, each once."""
        self._check_fitted()
        return [word for word in _counted([text], self.n_jobs)[1] if self._is_slip(word)]

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the misspelled words are in a text."""
        import re

        wrong = set(self.misspelled(text))
        found = [match.span() for match in re.finditer(r"\w+", text) if match[0].lower() in wrong]
        here = int(span_of(np.array([len(found)]))[0]) if found else -1
        return span_occurrences([found if i == here else [] for i in range(len(SPANS))], columns)

    def describe(self) -> str:
        """Return in a few words what the columns are."""
        return "misspelled words"

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        self._check_fitted()
        arrays: dict[str, NDArray[Any]] = {}
        for name in ("frequent", "known"):
            # a list of words is never empty in a file; the first of them is none
            words = ["", *getattr(self, f"{name}_")]
            arrays[f"{name}.terms"], arrays[f"{name}.offsets"] = encode_terms(words)
        return {"kind": self.kind, "min_df": int(self.min_df), "length": float(self.length)}, arrays

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        made = cls(min_df=config.get("min_df", 0), length=config.get("length", 0))
        made._check_parameters()
        frequent, known = (
            read_terms(below_prefix(f"{name}.", arrays)).strings[1:] for name in ("frequent", "known")
        )
        if len(frequent) > MOST_FREQUENT or not all(map(_usable, (*frequent, *known))):
            raise ValueError("the saved words are not such as are looked at")
        made._set(frequent, known)
        return made


def _usable(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def _holes(word: str) -> Iterator[str]:
    """Yield the word with one letter made unknown, the last one excepted."""
    for i in range(len(word) - 1):
        yield f"{word[:i]}_{word[i + 1 :]}"


def _gaps(word: str) -> Iterator[str]:
    """Yield the word with an unknown letter more, not at its end."""
    for i in range(len(word)):
        yield f"{word[:i]}_{word[i:]}"


def _shorter_and_swapped(word: str) -> Iterator[str]:
    """Yield the word without one letter, the last one excepted, and with two neighbours swapped."""
    for i in range(len(word) - 1):
        yield word[:i] + word[i + 1 :]
        yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _counted(texts: list[str], n_jobs: int | None) -> tuple[Csr, list[str]]:
    """Return the words of texts and how often each text has them."""
    counter = CountVectorizer(token_pattern=_WORD, n_jobs=n_jobs)
    rows = counter.fit_csr([*texts, "x"], order="seen")  # so that there is a word at all
    return rows.take(np.arange(len(texts))), counter.get_feature_names_out().tolist()


def _totals(rows: Csr, words: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many of some words each row has."""
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.bincount(row, rows.values * words[rows.indices], rows.shape[0]).astype(np.int64)
