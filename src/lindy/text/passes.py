"""One reading of the texts for several vectorizers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lindy import _native
from lindy.csr import Csr


@dataclass(frozen=True, slots=True)
class TextPass:
    """One vectorizer's part in a reading: it takes batch after batch, then gives the rows of all of them."""

    take: Callable[[_native.Texts], None]
    finish: Callable[[], Csr]
