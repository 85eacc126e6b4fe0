"""Lexicons: how many words of a text are in a list, for every list one feature, ``lexicon=name``.

A list knows more than any text: that *splendid* is praise helps although no training text has it. The column holds
ln(1 + n), n or [n > 0], where n is the number of words (or phrases) of the text that are in the list, scaled so that
all rows have the same length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.data import samples
from lindy.estimators.parameters import NONE, instance, with_parameters
from lindy.features.counted import CountedVectorizer, from_counts
from lindy.text import CountVectorizer
from lindy.text.vectorizer import State
from lindy.text.vectorizer_state import below_prefix, read_terms
from lindy.text.vocabulary.encoding import encode_terms

WORD = r"(?u)\b\w+\b"
_LONGEST = 10  # words of a phrase


@with_parameters
class LexiconVectorizer(CountedVectorizer):
    """Convert texts to a matrix of counted words of lists; nothing is learned.

    Parameters
    ----------
    lexicons : dict from name to words, or None
        Words and phrases, in any case; None takes the small English lists of positive and negative words that come
        with lindy.
    values : {"log", "counts", "presence"}
        ln(1 + n), n, or 1 where n is not 0.
    length : float or None
        Every row is scaled to this length; None leaves it as it is. A row beside words should be short.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Examples
    --------
    >>> from lindy.features import LexiconVectorizer
    >>> lists = {"praise": ["good", "well done"], "blame": ["bad"]}
    >>> vectorizer = LexiconVectorizer(lexicons=lists, values="counts", length=None)
    >>> vectorizer.transform(["Well done, a good book!"]).toarray()
    array([[2., 0.]], dtype=float32)
    """

    kind = "lexicons"

    lexicons: Annotated[Mapping[str, Iterable[str]] | None, instance(dict), NONE] = None

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows."""
        counter, members = self._counter()
        words = counter.transform_csr(X)
        row = np.repeat(np.arange(words.shape[0]), np.diff(words.indptr))
        totals = [
            np.bincount(row, words.values * own[words.indices], minlength=words.shape[0]) for own in members
        ]
        return from_counts([np.stack(totals, axis=1)], len(members), self.values, self.length)

    def _feature_names(self) -> list[str]:
        return [f"lexicon={name}" for name in self.lists()]

    def lists(self) -> dict[str, list[str]]:
        """Return the words of every list as the counter cuts them: in lower case, phrases with single spaces."""
        self._check_parameters()
        given = self.lexicons
        if given is None:
            given = {name: samples.lexicon(name) for name in ("positive", "negative")}
        cut = CountVectorizer(token_pattern=WORD).build_analyzer()
        lists = {}
        for name, words in given.items():
            if isinstance(words, str):
                raise ValueError(f"the lexicon {name!r} must be a list of words; got a string")
            own = {" ".join(cut(word)) for word in words} - {""}
            if not own:
                raise ValueError(f"the lexicon {name!r} has no words")
            if longest := next((word for word in own if word.count(" ") >= _LONGEST), None):
                raise ValueError(
                    f"the lexicon {name!r} has a phrase of more than {_LONGEST} words: {longest!r}"
                )
            lists[str(name)] = sorted(own)
        if not lists:
            raise ValueError("there must be at least one lexicon")
        return lists

    def _counter(self) -> tuple[CountVectorizer, list[NDArray[np.float32]]]:
        """Return what counts the words of all lists, and for each list which of them it has."""
        lists = self.lists()
        if "_made" not in vars(self) or self._made[0] != lists:
            words = sorted(set().union(*lists.values()))
            longest = 1 + max(word.count(" ") for word in words)
            counter = CountVectorizer(
                vocabulary=words, token_pattern=WORD, ngram_range=(1, longest), n_jobs=self.n_jobs
            )
            members = [np.isin(words, own).astype(np.float32) for own in lists.values()]
            self._made: tuple[Any, CountVectorizer, list[NDArray[np.float32]]] = (lists, counter, members)
        return self._made[1], self._made[2]

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        lists = self.lists()
        arrays: dict[str, NDArray[Any]] = {}
        for i, words in enumerate(lists.values()):
            arrays[f"{i}.terms"], arrays[f"{i}.offsets"] = encode_terms(words)
        return {**self._value_state(), "names": list(lists)}, arrays

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        names = config.get("names")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("the saved lexicons have no names")
        lists = {}
        for i, name in enumerate(names):
            lists[name] = read_terms(below_prefix(f"{i}.", arrays)).strings
        return cls(lexicons=lists, values=config.get("values", ""), length=config.get("length")).fit([])
