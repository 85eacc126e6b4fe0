"""The arrays of small model files: weights in eight bits, and bytes and terms by an adaptive range coder.

weights    w' = c·s_k, c = w / s_k rounded, s_k = max_j |w_jk| / 127 rounded up to 16 bits
decisions  a byte is its eight bits, the highest first; each has a probability p / 2^16 of being 1, which belongs to a
           context and to the bits before it in the byte; it moves to 2^16 − 512 after a 1 and to 512 after a 0, half of
           the way the first time, then a quarter, …, 1/64 from the sixth time on
coding     [low, high] is cut at low + ⌊(high − low)·p / 2^16⌋, the lower part is a 1; what both have as their first
           byte is written, and at the end all four of low; zeros follow up to a byte for every 16 that are coded
bytes      context: the byte before, or 0
terms      for each: how many bytes it shares with the one before, at most 255 (context: the same of that one); how many
           follow, 255 for 255 and more (context: shared); these (context: the byte before in the term, or 0). Zeros
           follow also up to a byte for every 64 of all terms
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

WHOLE = 2**32 - 1
PER_BYTE, TEXT_PER_BYTE = 16, 64


def rounded_weights(W: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights (features × outputs) in eight bits."""
    out = np.zeros_like(W)
    for k, w in enumerate(W.T):
        step = max(abs(w)) / 127 if len(w) else 0.0
        if step:
            unit = 2.0 ** (math.frexp(step)[1] - 16)
            step = np.ceil(step / unit) * unit
            out[:, k] = np.rint(w / step) * step
    return out


Decisions = dict[tuple[int, int, int], tuple[int, int]]
"""p and how often it was learned from, by kind of byte, context and the bits so far with a 1 in front."""


def _learned(p: int, times: int, bit: int) -> tuple[int, int]:
    times = min(times + 1, 6)
    return p + (((2**16 - 512 if bit else 512) - p) >> times), times


def encode(symbols: Iterable[tuple[int, int, int]], least: int = 0) -> bytes:
    """Return the code of bytes, given as (kind, context, byte)."""
    low, high, out, n, known = 0, WHOLE, bytearray(), 0, Decisions()
    for kind, context, byte in symbols:
        n, node = n + 1, 1
        for shift in range(7, -1, -1):
            bit, key = byte >> shift & 1, (kind, context, node)
            p, times = known.get(key, (2**15, 0))
            middle = low + ((high - low) * p >> 16)
            low, high = (low, middle) if bit else (middle + 1, high)
            known[key] = _learned(p, times, bit)
            node = 2 * node + bit
            while low >> 24 == high >> 24:
                out.append(low >> 24)
                low, high = low << 8 & WHOLE, (high << 8 & WHOLE) | 255
    out += low.to_bytes(4, "big")
    return bytes(out).ljust(max(least, -(-n // PER_BYTE)), b"\0")


def of_bytes(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield what is coded of bytes."""
    before = 0
    for byte in data:
        yield 0, before, byte
        before = byte


def of_terms(terms: Iterable[bytes]) -> Iterator[tuple[int, int, int]]:
    """Yield what is coded of terms."""
    before, last = b"", 0
    for term in terms:
        shared = 0
        while shared < min(len(term), len(before), 255) and term[shared] == before[shared]:
            shared += 1
        yield 0, last, shared
        rest = term[shared:]
        for _ in range(len(rest) // 255):
            yield 1, shared, 255
        yield 1, shared, len(rest) % 255
        for k in range(shared, len(term)):
            yield 2, term[k - 1] if k else 0, term[k]
        before, last = term, shared


def encode_terms(terms: list[bytes]) -> bytes:
    """Return the code of a list of terms."""
    return encode(of_terms(terms), -(-sum(map(len, terms)) // TEXT_PER_BYTE))


def decode_bytes(code: bytes, n: int) -> bytes:
    """Return the n bytes of a code."""
    low, high, known, out = 0, WHOLE, Decisions(), bytearray()
    now, rest = int.from_bytes(code[:4], "big"), iter(code[4:])
    for _ in range(n):
        node, context = 1, out[-1] if out else 0
        while node < 256:
            key = (0, context, node)
            p, times = known.get(key, (2**15, 0))
            middle = low + ((high - low) * p >> 16)
            bit = int(now <= middle)
            low, high = (low, middle) if bit else (middle + 1, high)
            known[key] = _learned(p, times, bit)
            node = 2 * node + bit
            while low >> 24 == high >> 24:
                low, high = low << 8 & WHOLE, (high << 8 & WHOLE) | 255
                now = (now << 8 & WHOLE) | next(rest)
        out.append(node - 256)
    return bytes(out)
