"""Rules from word lists that somebody wrote (May 5): count the words of each label's list.

score_y = Σ_{w ∈ list_y} n_w(x),     ŷ = argmax_y score_y
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.baselines.constant import LabelShares, VotingClassifier
from lindy.baselines.votes import vote_contributions
from lindy.core.csr import Csr
from lindy.data.chunks.source import Source
from lindy.errors import DataError, invalid_parameter
from lindy.estimators.base import one_row, thread_count
from lindy.estimators.learners import InputKind, LearnerSpec, WeightSums
from lindy.estimators.parameters import with_parameters
from lindy.estimators.serialization import Arrays

Array = NDArray[np.float64]
Words = str | Path | Iterable[str]

SHIPPED = Path(__file__).resolve().parent.parent / "data" / "samples" / "lexicon"
_WORD = re.compile(r"\w+")
POLARITY = {"positive": ("positive", "pos", "+", "good"), "negative": ("negative", "neg", "-", "bad")}
"""Labels that the word lists shipped with lindy speak of."""


def read_words(path: str | Path) -> list[str]:
    """Read a word list: one word per line, in UTF-8; empty lines and lines that begin with ``#`` do not count."""
    try:
        lines = Source(path).read().decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start}", "save the word list as UTF-8") from None
    return [word for line in lines if (word := line.strip()) and not word.startswith("#")]


def shipped_words() -> dict[str, list[str]]:
    """Return the small English lists that come with lindy, "positive" and "negative"."""
    return {label: read_words(SHIPPED / f"{label}.txt") for label in ("negative", "positive")}


def shipped_for(label: Any) -> list[str]:
    """Return the shipped list for a label such as "pos"; [] for a label that is neither positive nor negative."""
    spelt = str(label).casefold()
    sides = [side for side, names in POLARITY.items() if spelt in names]
    return read_words(SHIPPED / f"{sides[0]}.txt") if sides else []


_NAMELESS = 1 << 20  # columns without names, which can only get weights of zero


@with_parameters
class Lexicon(LabelShares, VotingClassifier):
    """Word lists written by hand, for texts or for counts whose columns have names.

    Parameters
    ----------
    words : dict from label to words or to the path of a text file, or None
        The lists; None takes the small positive and negative English lists that come with lindy, for labels such as
        "positive" and "neg".
    feature_names : list of str or None
        The word of each column, for counts; a data frame brings its own. Texts need none.

    Attributes
    ----------
    classes_ : the labels seen in ``fit``; lists of other labels are not used
    class_count_ : array (classes,); a text without any word of the lists gets the most frequent label

    Examples
    --------
    >>> model = Lexicon(words={"good": ["yay", "love"], "bad": ["boo", "terrible"]})
    >>> model = model.fit(["Yay!", "A terrible day.", "Boo."], ["good", "bad", "bad"])
    >>> model.predict(["I love it", "boo, boo, yay"]).tolist()
    ['good', 'bad']
    """

    spec: ClassVar = LearnerSpec(
        "lexicon",
        "word lists written by hand",
        input_kind=InputKind.WORDS,
        usual=("compare",),
        not_sums="it was fitted on texts and has no columns; fit it on the counts of a vectorizer",
    )

    words: Annotated[Mapping[Any, Words] | None, check_words] = None
    feature_names: Iterable[str] | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags

    def weight_sums(self) -> WeightSums | None:
        """Return the votes of the words; None where it was fitted on texts."""
        if not hasattr(self, "W_"):
            return None
        return WeightSums("votes", self.W_, np.zeros(self.W_.shape[1]), {"counts": self.class_count_})

    def _rows(self, X: Any, *, reset: bool = False) -> Csr:
        """Check X; texts are rows without columns, as far as learning goes: only the labels are counted."""
        if (texts := as_texts(X)) is None:
            if not reset and not hasattr(self, "n_features_in_"):
                raise ValueError("this Lexicon was fitted on texts; give it texts, or fit it on counts")
            return super()._rows(X, reset=reset)
        if reset:
            vars(self).pop("n_features_in_", None)
        return Csr(np.zeros(len(texts) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0), 0)

    def _lists(self, classes: NDArray[Any]) -> list[list[str]]:
        """Return the words of each class."""
        lists: list[list[str]] = []
        for label in classes.tolist():
            given = shipped_for(label) if self.words is None else self.words.get(label, [])
            words = read_words(given) if isinstance(given, str | Path) else given
            lists.append([str(word) for word in words])
        return lists

    def listed_words(self, classes: NDArray[Any]) -> list[str]:
        """Return the words of all lists of these classes, sorted, as lower-cased texts may spell them.

        Raises
        ------
        ValueError
            If there are none: the lists are of other labels.
        """
        listed = [word for own in self._lists(classes) for word in own]
        words = sorted({spelt for word in listed for spelt in (word.lower(), word.casefold())})
        if not words:
            labels = [str(label) for label in classes.tolist()]
            raise ValueError(
                f"Lexicon has no words for the labels {labels[:20]}: give words={{{labels[0]!r}: [...], ...}}"
                " (the lists that come with lindy are for positive and negative texts)"
            )
        return words

    def _estimate(self) -> None:
        self._class_of: dict[str, list[int]] = {}
        for c, words in enumerate(self._lists(self.classes_)):
            for word in words:
                self._class_of.setdefault(word.casefold(), []).append(c)
        if hasattr(self, "n_features_in_"):
            columns = self._column_names() or []
            if columns and len(columns) != self.n_features_in_:
                raise ValueError(f"feature_names has {len(columns)} names for {self.n_features_in_} columns")
            self.W_ = np.zeros((self.n_features_in_, len(self.classes_)))
            for j, name in enumerate(columns):
                self.W_[j, self._class_of.get(name.casefold(), [])] = 1.0

    def _column_names(self) -> list[str] | None:
        """Return the names of the columns: those given, or those of the data frame that it was fitted on."""
        names = self.feature_names
        names = getattr(self, "feature_names_in_", None) if names is None else names
        return None if names is None else [str(name) for name in names]

    def votes(self, X: Any) -> Array:
        """Return how many words of each label's list every row has, rows × classes."""
        self._check_fitted()
        if (texts := as_texts(X)) is not None:
            counted = np.zeros((len(texts), len(self.classes_)))
            for i, text in enumerate(texts):
                for word in _WORD.findall(text.casefold()):
                    for c in self._class_of.get(word, ()):
                        counted[i, c] += 1.0
            return counted
        return self._rows(X).dot(self.W_, np.zeros(len(self.classes_)), thread_count(None))

    def contributions(self, X: Any) -> tuple[Array, Array]:
        """Take the shares of one row of counts apart: what each word adds to each label's share of the list words."""
        self._check_fitted()
        if not hasattr(self, "n_features_in_"):
            raise ValueError(
                "this Lexicon was fitted on texts; scores can be broken down only for rows of counts"
            )
        row = one_row(self._rows(X))
        return vote_contributions(
            row.values.astype(np.float64)[:, None] * self.W_[row.indices], self.class_count_
        )

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the lists themselves, not the paths they came from, and the labels' counts."""
        params, arrays = super().to_state()
        lists: dict[int, list[str]] = {c: [] for c in range(len(self.classes_))}
        for word, classes in self._class_of.items():
            for c in classes:
                lists[c].append(word)
        params["words"] = {"pairs": [[label, lists[c]] for c, label in enumerate(self.classes_.tolist())]}
        params["feature_names"] = self._column_names()
        return params, arrays

    def _unpack(self, arrays: Arrays) -> None:
        words = self.words if isinstance(self.words, Mapping) else {}
        stored = [word for given in words.values() for word in (given if isinstance(given, list) else [None])]
        if not all(isinstance(word, str) for word in stored):
            raise ValueError("stored word lists must be lists of words")
        width = arrays.get("n_features", np.zeros(0)).tolist()
        if self._column_names() is None and max(width, default=0) > _NAMELESS:
            raise ValueError("stored columns must have names")
        super()._unpack(arrays)


def as_texts(X: Any) -> list[str] | None:
    """Return X as a list if it is a sequence of texts; None if it is something else."""
    if isinstance(X, str):
        raise ValueError("expected a list of texts; got one text")
    if isinstance(X, np.ndarray) and (X.ndim != 1 or X.dtype.kind not in "OUT"):
        return None
    if isinstance(X, list | tuple | np.ndarray) and len(X) and all(isinstance(text, str) for text in X):
        return [str(text) for text in X]
    return None


def check_words(name: str, value: Any) -> None:
    """Refuse what names no words."""
    if not isinstance(value, Mapping) or not value:
        raise invalid_parameter(f"{name} must be a dict from label to a list of words or the path of one")
