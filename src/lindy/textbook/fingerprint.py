"""A number of 128 bits that tells lists of byte strings apart.

With ⊗ the product of two 64-bit numbers whose upper and lower half are combined by ⊕ (exclusive or), and keys k from
the digits of π, a string of n bytes goes, 32 at a time as words w₀ … w₃ filled up with zeros, through four lanes,

    s_j ← (s_j ⊕ w_j) ⊗ k_j,        a = (s₀ ⊕ n) ⊗ (s₁ ⊕ k₆),   b = s₂ ⊗ (s₃ ⊕ k₇),

and the pair (a, b) into the two halves of the number: x ← (x ⊕ a) ⊗ (k₄ ⊕ b), y ← (y ⊕ b) ⊗ (k₅ ⊕ a).
"""

from __future__ import annotations

from collections.abc import Iterable

_MASK = (1 << 64) - 1
_KEYS = (
    0x243F6A8885A308D3,
    0x13198A2E03707345,
    0xA4093822299F31D1,
    0x082EFA98EC4E6C89,
    0x452821E638D01377,
    0xBE5466CF34E90C6D,
    0xC0AC29B7C97C50DD,
    0x3F84D5B5B5470917,
)


def _times(a: int, b: int) -> int:
    return (a * b & _MASK) ^ (a * b >> 64)


def fingerprint(columns: Iterable[Iterable[bytes]]) -> tuple[int, int]:
    """Return both halves of the number of some columns of strings."""
    x, y, k = 5, 6, _KEYS
    for column in columns:
        pairs = [_string(text) for text in column]
        for a, b in [*pairs, (_MASK, _MASK)]:
            x, y = _times(x ^ a, k[4] ^ b), _times(y ^ b, k[5] ^ a)
    return x, y


def _string(text: bytes) -> tuple[int, int]:
    s, k = [1, 2, 3, 4], _KEYS
    for begin in range(0, len(text), 32):
        block = text[begin : begin + 32].ljust(32, b"\0")
        words = [int.from_bytes(block[8 * j : 8 * j + 8], "little") for j in range(4)]
        s = [_times(s[j] ^ words[j], k[j]) for j in range(4)]
    return _times(s[0] ^ len(text), s[1] ^ k[6]), _times(s[2], s[3] ^ k[7])
