"""Saved vectorizers: what the analysis depends on, as JSON, and terms as arrays; both untrusted when read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.text.analysis.byte_pairs import NAME as BPE
from lindy.text.analysis.byte_pairs import Merges
from lindy.text.vocabulary.encoding import Terms

_FIELDS = (
    "analyzer",
    "lowercase",
    "strip_accents",
    "token_pattern",
    "ngram_range",
    "stop_words",
    "punctuation",
)


_TERMS: dict[str, type[np.generic]] = {"terms": np.uint8, "offsets": np.int64}
_TREE: dict[str, type[np.generic]] = {
    "words": np.uint8,
    "word_offsets": np.int64,
    "word_columns": np.uint32,
    "starts": np.uint32,
}


def write_analyzer(vectorizer: Any) -> dict[str, Any]:
    """Return the parameters of the analysis."""
    config = {name: getattr(vectorizer, name) for name in _FIELDS}
    config["lowercase"] = bool(config["lowercase"])
    config["punctuation"] = bool(config["punctuation"])
    if vectorizer.shapes:
        config["shapes"] = True  # absent from models that know nothing of it
    if vectorizer.analyzer == BPE:  # None: words are whole as long as no merges are known
        config["n_merges"] = None if vectorizer._merges is None else int(vectorizer.n_merges)
    config["ngram_range"] = [int(n) for n in config["ngram_range"]]
    if config["stop_words"] is not None and not isinstance(config["stop_words"], str):
        config["stop_words"] = sorted(config["stop_words"])
    return config


def read_analyzer(config: dict[str, Any]) -> dict[str, Any]:
    """Return constructor arguments out of a saved configuration, or raise ``ValueError``."""
    if not isinstance(config, dict) or any(name not in config for name in _FIELDS):
        raise ValueError("the saved vectorizer lacks parameters")
    params = {name: config[name] for name in _FIELDS} | {"shapes": config.get("shapes", False)}
    if params["analyzer"] == BPE:
        params["n_merges"] = config.get("n_merges")
    strings = (params["analyzer"], params["token_pattern"])
    ngram_range, stop_words = params["ngram_range"], params["stop_words"]
    sound = (
        all(isinstance(value, str) for value in strings)
        and isinstance(params["lowercase"], bool)
        and isinstance(params["punctuation"], bool)
        and isinstance(params["shapes"], bool)
        and params["strip_accents"] in (None, "ascii", "unicode")
        and isinstance(ngram_range, list | tuple)
        and len(ngram_range) == 2
        and all(isinstance(n, int) and 1 <= n <= 100 for n in ngram_range)
        and ngram_range[0] <= ngram_range[1]
        and (
            stop_words in (None, "english")
            or (isinstance(stop_words, list) and all(isinstance(word, str) for word in stop_words))
        )
    )
    if not sound:
        raise ValueError("the saved vectorizer has invalid parameters")
    params["ngram_range"] = tuple(ngram_range)
    return params


def write_limits(vectorizer: Any) -> dict[str, Any]:
    """Return which terms may become columns, as far as it was said; nothing for a vectorizer that takes all."""
    usual = {
        "min_df": 1,
        "max_df": 1.0,
        "max_features": None,
        "min_count": 1,
        "select": None,
        "affixes": None,
    }
    given = {name: _plain(getattr(vectorizer, name)) for name in usual}
    # 1 is a number of documents, 1.0 a share of all
    limits = {
        name: own for name, own in given.items() if (type(own), own) != (type(usual[name]), usual[name])
    }
    if vectorizer.fixed_vocabulary_:
        limits["fixed"] = True
    return {"limits": limits} if limits else {}


def _plain(value: Any) -> Any:
    """Return a number of NumPy as Python has it."""
    return value.item() if isinstance(value, np.generic) else value


def read_limits(vectorizer: Any, config: dict[str, Any]) -> bool:
    """Set the limits of a saved configuration, which earlier versions did not keep; return whether terms are fixed."""
    limits = config.get("limits", {})
    known: dict[str, tuple[type, ...]] = {
        "min_df": (int, float),
        "max_df": (int, float),
        "max_features": (int,),
        "min_count": (int,),
    }
    known |= {"select": (str,), "fixed": (bool,), "affixes": (str,)}
    if not isinstance(limits, dict) or any(
        type(value) not in known.get(name, ()) for name, value in limits.items()
    ):
        raise ValueError("the saved vectorizer's limits of terms are malformed")
    for name, value in limits.items():
        if name == "select":
            from lindy.text.vocabulary.feature_selection import Selection

            Selection.of(value)
        if name != "fixed":
            setattr(vectorizer, name, value)
    return bool(limits.get("fixed", False))


def read_terms(arrays: dict[str, NDArray[Any]]) -> Terms:
    """Return the terms out of saved arrays; offsets are checked by the native core before they are used."""
    data, offsets = (_stored(arrays, name, dtype) for name, dtype in _TERMS.items())
    if len(offsets) < 2:
        raise ValueError("the saved vectorizer has no terms")
    return Terms.from_arrays(data, offsets)


def write_merges(merges: Merges | None) -> dict[str, NDArray[Any]]:
    """Return the arrays of learned merges; none where words are whole."""
    if merges is None:
        return {}
    data, offsets = merges.arrays
    return {"merges": data, "merge_offsets": offsets}


def read_merges(analyzer: Any, arrays: dict[str, NDArray[Any]]) -> Merges | None:
    """Return the merges out of saved arrays, which the native core checks; None for an analyser without."""
    if analyzer != BPE:
        return None
    return Merges(_stored(arrays, "merges", np.uint8), _stored(arrays, "merge_offsets", np.int64))


def tree_index(
    options: _native.TextOptions,
    arrays: dict[str, NDArray[Any]],
    multiplier: Any,
    stop_bytes: NDArray[np.uint8],
    stop_offsets: NDArray[np.int64],
) -> _native.TermIndex:
    """Return what finds the terms that were saved as a tree of words (``docs/concepts/modelfile.md``)."""
    words, word_offsets, word_columns, starts = (
        _stored(arrays, name, dtype) for name, dtype in _TREE.items()
    )
    phrases = _stored(arrays, "phrases", np.uint32, dimensions=2)
    if type(multiplier) is not int or not 0 <= multiplier < 1 << 32 or not len(starts):
        raise ValueError("the saved vectorizer's tree of terms has no multiplier or no starts")
    index = _native.TermIndex(
        options,
        words=words,
        word_offsets=word_offsets,
        tree=_native.TermTree(word_columns, starts, phrases, multiplier),
        stop_bytes=stop_bytes,
        stop_offsets=stop_offsets,
    )
    if not index.n_columns:
        raise ValueError("the saved vectorizer has no terms")
    return index


def _stored(
    arrays: dict[str, NDArray[Any]], name: str, dtype: type[np.generic], dimensions: int = 1
) -> NDArray[Any]:
    """Return a saved array, or raise ``ValueError`` for one of another type or shape."""
    array = arrays.get(name)
    if array is None:
        raise ValueError(f"the saved vectorizer lacks the array {name!r}")
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != dimensions:
        raise ValueError(
            f"the saved vectorizer's array {name!r} must have {dimensions} dimensions of {dtype.__name__}"
        )
    return np.ascontiguousarray(array)


def with_prefix(prefix: str, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a part, as the whole keeps them among its own."""
    return {prefix + name: array for name, array in arrays.items()}


def below_prefix(prefix: str, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a part, out of those of the whole."""
    return {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
