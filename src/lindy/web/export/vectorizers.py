"""Vectorizers as the header of an exported model describes them; js/vectorizers.mjs reads it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.errors import ExportError
from lindy.features import LexiconVectorizer, PatternVectorizer, TableVectorizer
from lindy.features.lexicons import WORD as LEXICON_WORD
from lindy.features.table_vectorizer import limits_of
from lindy.text import CountVectorizer, HashingVectorizer, UnionVectorizer
from lindy.text.analysis.analyzer import NATIVE_PATTERNS, Analyzer
from lindy.text.vectorizer import Vectorizer
from lindy.text.vectorizer_registry import vectorizer_class
from lindy.text.weighting.weighting_registry import WEIGHTINGS
from lindy.web.export.packing import Header, numbers, strings

_GONE = 2**31 - 1
ACCENTS = {None: 0, "unicode": 1, "ascii": 2}


def vectorizer_header(vectorizer: Any, characters: Characters) -> Header:
    """Return the description of a fitted vectorizer; what it needs to know of characters is asked of ``characters``.

    Raises
    ------
    ExportError
        For a vectorizer that JavaScript cannot follow, with the reason.
    """
    kind = vectorizer.kind if isinstance(vectorizer, Vectorizer) else ""
    if kind not in _MAKERS or vectorizer_class(kind) is not type(vectorizer):
        why = vectorizer.not_exported if kind else "it is not one of lindy's"
        raise ExportError(
            f"features of {vectorizer.class_name} cannot be exported: {why}",
            "train the model on words, characters, patterns, lexicons or columns of a table",
        )
    return _MAKERS[kind](vectorizer, characters)


def _analysis(vectorizer: Analyzer, characters: Characters) -> Header:
    """Return how texts are cut into terms."""
    if vectorizer._native_options() is None:
        raise ExportError(
            f"the terms of this {vectorizer.class_name} are made by Python code or by a token pattern of its own,"
            " which JavaScript does not have",
            "train the model with the usual words or characters",
        )
    if vectorizer.shapes:
        characters.need_shapes()
    accents: Any = vectorizer.strip_accents
    shortest, longest = vectorizer.ngram_range
    words = vectorizer.analyzer in ("word", "unicode_words")
    merges = vectorizer._merges
    return {
        "analyzer": vectorizer.analyzer,
        "folding": characters.folding(lower=bool(vectorizer.lowercase), accents=accents),
        "marks": bool(vectorizer.punctuation),
        "least": NATIVE_PATTERNS.get(vectorizer.token_pattern or "", 2),
        "min": int(shortest),
        "max": int(longest),
        "shapes": bool(vectorizer.shapes),
        "stopWords": sorted(vectorizer.get_stop_words() or ()) if words else [],
        "merges": None if merges is None else strings([piece for pair in merges.pairs for piece in pair]),
    }


def _terms(vectorizer: CountVectorizer, characters: Characters) -> Header:
    term, scale, norm, more = vectorizer.term_weights()
    return {
        "kind": "terms",
        "analysis": _analysis(vectorizer, characters),
        "lookup": {
            "terms": strings(vectorizer.get_feature_names_out().tolist()),
            "oov": vectorizer.has_unknown,
        },
        "binary": bool(vectorizer.binary),
        "weighting": {"kind": term, "scale": None if scale is None else numbers(scale), "norm": norm, **more},
    }


def _hashes(vectorizer: HashingVectorizer, characters: Characters) -> Header:
    key = vectorizer.hash_key()
    return {
        "kind": "terms",
        "analysis": _analysis(vectorizer, characters),
        "lookup": {
            "columns": int(vectorizer.n_features),
            "signs": bool(vectorizer.alternate_sign),
            "key": None if key is None else [str(part) for part in key.tolist()],
        },
        "binary": bool(vectorizer.binary),
        "weighting": {"kind": "counts", "scale": None, "norm": vectorizer.norm},
    }


def _patterns(vectorizer: PatternVectorizer, characters: Characters) -> Header:
    if isinstance(vectorizer.patterns, dict):
        raise ExportError(
            "patterns of your own are regular expressions of Python, which JavaScript would read in another way",
            "train the model with the patterns that lindy has",
        )
    characters.need_shapes()
    names = [name.removeprefix("pattern=") for name in vectorizer.get_feature_names_out().tolist()]
    return {"kind": "patterns", "names": names, "values": vectorizer.values, "length": vectorizer.length}


def _lexicons(vectorizer: LexiconVectorizer, characters: Characters) -> Header:
    lists = vectorizer.lists()
    longest = 1 + max(word.count(" ") for words in lists.values() for word in words)
    counter = CountVectorizer(token_pattern=LEXICON_WORD, ngram_range=(1, longest))
    return {
        "kind": "lexicons",
        "analysis": _analysis(counter, characters),
        "lists": [{"name": name, "words": strings(words)} for name, words in lists.items()],
        "values": vectorizer.values,
        "length": vectorizer.length,
    }


def _union(vectorizer: UnionVectorizer, characters: Characters) -> Header:
    parts = [{"name": name, "config": vectorizer_header(own, characters)} for name, own in vectorizer.parts]
    return {"kind": "union", "parts": parts}


def _table(vectorizer: TableVectorizer, characters: Characters) -> Header:
    limits = list(limits_of(vectorizer.scaling))
    return {
        "kind": "table",
        "texts": [
            {"name": name, "config": vectorizer_header(own, characters)}
            for name, own in vectorizer.texts_.items()
        ],
        "numbers": [
            {"name": name, "shift": own.shift, "scale": own.scale, "missing": own.missing, "range": limits}
            for name, own in vectorizer.numbers_.items()
        ],
        "categories": [
            {"name": name, "values": strings(values)} for name, values in vectorizer.categories_.items()
        ],
    }


_MAKERS: dict[str, Callable[[Any, Characters], Header]] = {
    "count": _terms,
    **dict.fromkeys(WEIGHTINGS, _terms),
    "hashing": _hashes,
    "patterns": _patterns,
    "lexicons": _lexicons,
    "union": _union,
    "table": _table,
}


def inputs_of(vectorizer: Any) -> list[Header] | None:
    """Return the columns of a record and what each is, for a vectorizer of tables; None for one of texts."""
    if not isinstance(vectorizer, TableVectorizer):
        return None
    return [
        *({"name": name, "is": "text"} for name in vectorizer.texts_),
        *({"name": name, "is": "number"} for name in vectorizer.numbers_),
        *({"name": name, "is": "category", "values": own} for name, own in vectorizer.categories_.items()),
    ]


class Characters:
    """The tables that some vectorizers need, each once.

    They are those of the core, and so of the Python that it was built for. A browser has its own, of another version
    of Unicode, and would cut some texts in another way.
    """

    def __init__(self) -> None:
        self._foldings: list[tuple[bool, str | None]] = []
        self._shapes = False

    def folding(self, *, lower: bool, accents: str | None) -> int:
        """Return the number of a way to fold texts."""
        wanted = (lower, accents or None)
        if wanted not in self._foldings:
            self._foldings.append(wanted)
        return self._foldings.index(wanted)

    def need_shapes(self) -> None:
        """Ask for the table of capitals, small letters and digits."""
        self._shapes = True

    def packed(self) -> dict[str, Any]:
        """Return the tables for the header of a model."""
        kinds, contexts, shapes = _native.character_kinds()
        sigma = [lower and accents != "ascii" for lower, accents in self._foldings]
        return {
            "kinds": _runs(kinds),
            "contexts": _runs(contexts) if any(sigma) else None,
            "shapes": _runs(shapes) if self._shapes else None,
            "foldings": [
                {**_folding(lower, ACCENTS[accents]), "sigma": own}
                for (lower, accents), own in zip(self._foldings, sigma, strict=True)
            ],
        }


def _runs(entries: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return how many equal entries follow one another, and what they are."""
    begins = np.flatnonzero(np.concatenate([[True], entries[1:] != entries[:-1]]))
    lengths = np.diff(np.append(begins, len(entries))).astype(np.uint32)
    return {"lengths": lengths, "values": entries[begins]}


@cache
def _folding(lower: bool, accents: int) -> dict[str, Any]:
    """Return what is added to code points that become one, and what others become: code point, how many, these.

    Of ASCII only, nearly all characters become nothing, which is a number of its own.
    """
    counts, successors = _native.fold_successors(lower, accents)
    ends = np.cumsum(counts, dtype=np.int64)
    points = np.arange(len(counts))
    single = counts == 1
    moved = np.zeros(len(counts), np.int32)
    moved[single] = successors[ends[single] - 1].astype(np.int64) - points[single]
    moved[counts == 0] = _GONE
    sequences: list[int] = []
    for c in np.flatnonzero(counts > 1).tolist():
        own = successors[ends[c] - counts[c] : ends[c]].tolist()
        sequences += [c, len(own), *own]
    return {"moved": _runs(moved), "sequences": np.array(sequences, np.uint32)}
