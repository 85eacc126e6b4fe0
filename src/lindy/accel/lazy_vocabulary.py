"""The attribute ``vocabulary_`` of accelerated vectorizers: made when somebody asks for it.

A dictionary of a million terms takes longer to make than the texts take to count, and few programs look at it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from lindy.accel.installing import before_uninstall

_DEFERRED: weakref.WeakKeyDictionary[Any, Callable[[Any], dict[str, int]]] = weakref.WeakKeyDictionary()


class _LazyVocabulary:
    """A descriptor that an entry in the object's own dictionary goes before."""

    def __get__(self, vectorizer: Any, owner: type) -> Any:
        if vectorizer is None:
            return self
        make = _DEFERRED.pop(vectorizer, None)
        if make is None:
            raise AttributeError(f"{owner.__name__!r} object has no attribute 'vocabulary_'")
        vectorizer.vocabulary_ = make(vectorizer)
        return vectorizer.vocabulary_


def defer(vectorizer: Any, make: Callable[[Any], dict[str, int]]) -> None:
    """Let ``vocabulary_`` be made when it is asked for."""
    vars(vectorizer).pop("vocabulary_", None)
    _DEFERRED[vectorizer] = make


def is_deferred(vectorizer: Any) -> bool:
    """Whether nobody has asked for ``vocabulary_`` since it was learned."""
    return vectorizer in _DEFERRED and "vocabulary_" not in vars(vectorizer)


def complete(vectorizer: Any) -> None:
    """Make ``vocabulary_`` now, if it has not been asked for: for pickles and copies."""
    if is_deferred(vectorizer):
        vectorizer.vocabulary_ = _DEFERRED.pop(vectorizer)(vectorizer)


def install_lazy_vocabulary(module: ModuleType) -> None:
    """Give the vectorizers of scikit-learn's module the attribute, until acceleration ends."""
    owner = module.CountVectorizer
    if isinstance(vars(owner).get("vocabulary_"), _LazyVocabulary):
        return
    state = owner.__getstate__  # inherited

    def state_with_vocabulary(self: Any) -> Any:
        complete(self)
        return state(self)

    owner.vocabulary_, owner.__getstate__ = _LazyVocabulary(), state_with_vocabulary

    def restore() -> None:
        for vectorizer in list(_DEFERRED):
            complete(vectorizer)
        if "vocabulary_" in vars(owner):
            del owner.vocabulary_, owner.__getstate__

    before_uninstall(restore)
