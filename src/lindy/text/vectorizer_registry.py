"""The vectorizers by the names that model files have for them.

Every package lists its own, and ``weighting_registry`` those that weigh terms, so that nothing is imported before a
file asks for it; the class itself declares the same name as its ``kind``.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from lindy.text.vectorizer import Vectorizer
from lindy.text.weighting.weighting_registry import WEIGHTINGS

_HOMES = {
    "count": "lindy.text.count:CountVectorizer",
    "hashing": "lindy.text.hashing:HashingVectorizer",
    "sequences": "lindy.text.analysis.whole_texts:SequenceVectorizer",
    "union": "lindy.text.union:UnionVectorizer",
} | {name: f"lindy.text:{own.vectorizer}" for name, own in WEIGHTINGS.items() if name != "counts"}

# files of other programs have them
_READ_ONLY = {"fasttext": "lindy.text.fasttext_vectorizer:FasttextVectorizer"}


def register_kinds(homes: Mapping[str, str]) -> None:
    """Add the vectorizers of another package: names in model files, and where the classes live (module:class)."""
    _HOMES.update(homes)


def vectorizer_kinds() -> list[str]:
    """Return the names of all vectorizers that learn from examples and that a model file may hold."""
    return sorted(_HOMES)


def vectorizer_class(kind: str) -> type[Vectorizer]:
    """Return the class of a name."""
    module, _, name = (_HOMES | _READ_ONLY)[kind].partition(":")
    found: type[Vectorizer] = getattr(importlib.import_module(module), name)
    return found


def vectorizer_from_state(config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    """Rebuild a vectorizer from what its ``to_state`` returned; anything unsound is a ``ValueError``."""
    kind = config.get("kind") if isinstance(config, dict) else None
    if not isinstance(kind, str) or kind not in _HOMES | _READ_ONLY:
        raise ValueError(f"unknown kind of vectorizer {kind!r}; expected one of {vectorizer_kinds()}")
    try:
        return vectorizer_class(kind).from_state(config, arrays)
    except RecursionError:
        raise ValueError("the saved vectorizer is nested too deeply") from None
