"""Numbers of 64 bits in the place of texts, to tell which are the same without keeping them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]


def text_keys(texts: Iterable[str]) -> Keys:
    """Return the first 64 bits of the BLAKE2 digest of each text."""
    import hashlib

    digests = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts
    )
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def folded(text: str) -> str:
    """Return a text in which upper and lower case and the kind and amount of white space make no difference."""
    return " ".join(text.casefold().split())


def in_order_of_appearance(keys: Keys) -> NDArray[np.int64]:
    """Return keys as numbers from 0, in the order in which they first appear."""
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    found: NDArray[np.int64] = place[numbers.reshape(-1)]
    return found
