"""Vectorizers as the header of an exported model describes them; js/vectorizers.mjs reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lindy.errors import ExportError
from lindy.features import LexiconVectorizer, PatternVectorizer, TableVectorizer
from lindy.features.lexicons import WORD as LEXICON_WORD
from lindy.features.table_vectorizer import limits_of
from lindy.text import (
    Bm25Vectorizer,
    CountVectorizer,
    HashingVectorizer,
    LogCountRatioVectorizer,
    TfidfVectorizer,
    UnionVectorizer,
)
from lindy.text.analysis.analyzer import NATIVE_PATTERNS, Analyzer
from lindy.text.vectorizer import Vectorizer
from lindy.web.export.characters import Characters
from lindy.web.export.packing import Header, numbers, strings

_OTHERS = {
    "bags": "it takes features with values, not texts",
    "dict": "it takes features with values, not texts",
    "pixels": "it takes images",
    "shapes": "it takes images",
    "sequences": "it keeps texts as they are, for kernels that compare them with the training texts",
    "copies": "it compares a text with the training texts, whose sketches a page would have to carry",
}


def vectorizer_header(vectorizer: Any, characters: Characters) -> Header:
    """Return the description of a fitted vectorizer; what it needs to know of characters is asked of ``characters``.

    Raises
    ------
    ExportError
        For a vectorizer that JavaScript cannot follow, with the reason.
    """
    make = _MAKERS.get(type(vectorizer))
    if make is None:
        kind = vectorizer.kind if isinstance(vectorizer, Vectorizer) else ""
        known = "the exported JavaScript does not have it" if kind else "it is not one of lindy's"
        raise ExportError(
            f"features of {vectorizer.class_name} cannot be exported: {_OTHERS.get(kind, known)}",
            "train the model on words, characters, patterns, lexicons or columns of a table",
        )
    return make(vectorizer, characters)


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


def _terms(vectorizer: CountVectorizer, characters: Characters, weighting: Header) -> Header:
    return {
        "kind": "terms",
        "analysis": _analysis(vectorizer, characters),
        "lookup": {
            "terms": strings(vectorizer.get_feature_names_out().tolist()),
            "oov": vectorizer.has_unknown,
        },
        "binary": bool(vectorizer.binary),
        "weighting": weighting,
    }


def _counts(vectorizer: CountVectorizer, characters: Characters) -> Header:
    return _terms(vectorizer, characters, {"kind": "counts", "scale": None, "norm": None})


def _tfidf(vectorizer: TfidfVectorizer, characters: Characters) -> Header:
    scale = vectorizer.narrow_scale()
    weighting = {
        "kind": "sublinear" if vectorizer.sublinear_tf else "counts",
        "scale": None if scale is None else numbers(scale),
        "norm": vectorizer.norm,
    }
    return _terms(vectorizer, characters, weighting)


def _bm25(vectorizer: Bm25Vectorizer, characters: Characters) -> Header:
    own = vectorizer.transformer
    weighting = {
        "kind": "bm25",
        "scale": numbers(own.idf_),
        "norm": own.norm,
        "k1": float(own.k1),
        "b": float(own.b),
        "average": float(own.average_length_ or 1.0),
    }
    return _terms(vectorizer, characters, weighting)


def _log_count_ratio(vectorizer: LogCountRatioVectorizer, characters: Characters) -> Header:
    own = vectorizer.transformer
    return _terms(vectorizer, characters, {"kind": "counts", "scale": numbers(own.scale()), "norm": own.norm})


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


_MAKERS: dict[type, Callable[[Any, Characters], Header]] = {
    CountVectorizer: _counts,
    TfidfVectorizer: _tfidf,
    Bm25Vectorizer: _bm25,
    LogCountRatioVectorizer: _log_count_ratio,
    HashingVectorizer: _hashes,
    PatternVectorizer: _patterns,
    LexiconVectorizer: _lexicons,
    UnionVectorizer: _union,
    TableVectorizer: _table,
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
