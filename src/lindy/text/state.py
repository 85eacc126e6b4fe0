"""Saved vectorizers: what the analysis depends on, as JSON, and terms as arrays; both untrusted when read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.text.vocabulary import Terms

_FIELDS = (
    "analyzer",
    "lowercase",
    "strip_accents",
    "token_pattern",
    "ngram_range",
    "stop_words",
    "punctuation",
)


def write_analyzer(vectorizer: Any) -> dict[str, Any]:
    """Return the parameters of the analysis."""
    config = {name: getattr(vectorizer, name) for name in _FIELDS}
    config["lowercase"] = bool(config["lowercase"])
    config["punctuation"] = bool(config["punctuation"])
    if vectorizer.shapes:
        config["shapes"] = True  # absent from models that know nothing of it
    config["ngram_range"] = [int(n) for n in config["ngram_range"]]
    if config["stop_words"] is not None and not isinstance(config["stop_words"], str):
        config["stop_words"] = sorted(config["stop_words"])
    return config


def read_analyzer(config: dict[str, Any]) -> dict[str, Any]:
    """Return constructor arguments out of a saved configuration, or raise ``ValueError``."""
    if not isinstance(config, dict) or any(name not in config for name in _FIELDS):
        raise ValueError("the saved vectorizer lacks parameters")
    params = {name: config[name] for name in _FIELDS} | {"shapes": config.get("shapes", False)}
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


def read_terms(arrays: dict[str, NDArray[Any]]) -> Terms:
    """Return the terms out of saved arrays; offsets are checked by the native core before they are used."""
    try:
        data, offsets = arrays["terms"], arrays["offsets"]
    except KeyError as error:
        raise ValueError(f"the saved vectorizer lacks the array {error}") from None
    for array, dtype in ((data, np.uint8), (offsets, np.int64)):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
            raise ValueError(
                f"the saved vectorizer's terms must be one-dimensional arrays of {dtype.__name__}"
            )
    if len(offsets) < 2:
        raise ValueError("the saved vectorizer has no terms")
    return Terms.from_arrays(np.ascontiguousarray(data), np.ascontiguousarray(offsets))


def with_prefix(prefix: str, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a part, as the whole keeps them among its own."""
    return {prefix + name: array for name, array in arrays.items()}


def below_prefix(prefix: str, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a part, out of those of the whole."""
    return {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
