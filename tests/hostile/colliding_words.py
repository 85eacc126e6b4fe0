"""Words that anyone can choose who knows a public hash function: all of one value, or all in one corner of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)
LOWER = b"abcdefghijklmnopqrstuvwxyz0123456789_"
BOTH = LOWER + LOWER[:26].upper()
FASTTEXT_SLOTS = 30_000_000
Words = list[str]
_U32 = NDArray[np.uint32]


def random_words(n: int, size: int, seed: int = 0) -> Words:
    """Return different words of lower-case letters."""
    rng = np.random.default_rng(seed)
    drawn = rng.choice(LETTERS, (n + n // 10 + 10, size))
    found = list(dict.fromkeys(bytes(row).decode() for row in drawn))[:n]
    assert len(found) == n
    return found


def _rotated(x: _U32, by: int) -> _U32:
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))


def _murmur_block(h: _U32, k: _U32) -> _U32:
    mixed = _rotated(k * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
    return _rotated(h ^ mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)


def _inverse(odd: int) -> np.uint32:
    return np.uint32(pow(odd, -1, 1 << 32))


def murmur_words(n: int, target: int, alphabet: bytes = LOWER, seed: int = 0) -> Words:
    """Return words of twelve bytes whose MurmurHash3 (scikit-learn's) is ``target``, all 32 bits of it.

    Eight bytes are drawn, and the last four follow from them, since every step of the hash can be undone; those with
    letters and digits in all four places are kept.
    """
    rng = np.random.default_rng(seed)
    usable = np.isin(np.arange(256), np.frombuffer(alphabet, np.uint8))
    h = np.uint32(target)
    with np.errstate(over="ignore"):
        for shift, factor in ((16, 0xC2B2AE35), (13, 0x85EBCA6B)):
            h = (
                h ^ (h >> np.uint32(shift)) ^ (h >> np.uint32(2 * shift) if 2 * shift < 32 else np.uint32(0))
            ) * _inverse(factor)
        h = h ^ (h >> np.uint32(16)) ^ np.uint32(12)
        before = _rotated(np.atleast_1d((h - np.uint32(0xE6546B64)) * _inverse(5)), 32 - 13)
        found: dict[str, None] = {}
        while len(found) < n:
            head = LETTERS[rng.integers(0, 26, (min(2_000_000, 4000 * n), 8), np.uint8)]
            blocks = head.view(np.uint32)
            state = _murmur_block(_murmur_block(np.zeros(len(head), np.uint32), blocks[:, 0]), blocks[:, 1])
            tail = _rotated((before ^ state) * _inverse(0x1B873593), 32 - 15) * _inverse(0xCC9E2D51)
            own = np.flatnonzero(usable[tail.view(np.uint8).reshape(-1, 4)].all(axis=1))
            last = tail.view(np.uint8).reshape(-1, 4)
            found |= dict.fromkeys((head[i].tobytes() + last[i].tobytes()).decode() for i in own.tolist())
    return list(found)[:n]


def fnv_words(n: int, window: int = 10_000) -> Words:
    """Return words of six letters that fastText's hash (FNV-1a, modulo 30,000,000) sends into one stretch of slots.

    Its dictionary looks at slot after slot from there: every word of the stretch is in the way of the next.
    """
    with np.errstate(over="ignore"):
        h = np.array([2166136261], np.uint32)
        for _ in range(5):
            h = ((h[:, None] ^ LETTERS.astype(np.uint32)) * np.uint32(16777619)).ravel()
        found: list[str] = []
        for last in LETTERS.tolist():
            slot = (h ^ np.uint32(last)) * np.uint32(16777619) % np.uint32(FASTTEXT_SLOTS)
            for place in np.flatnonzero(slot < window).tolist():
                letters = np.base_repr(place, 26).rjust(5, "0")
                found.append("".join(chr(97 + int(digit, 26)) for digit in letters) + chr(last))
    assert len(found) >= n
    return found[:n]
