"""The features and scores of fastText's supervised models (Joulin, Grave, Bojanowski and Mikolov 2017).

FNV-1a        h ← (h ⊕ byte) · 16777619 mod 2³², bytes above 127 with their sign
word n-grams  h ← h · 116049371 + hash of the next word mod 2⁶⁴, hashes above 2³¹ with their sign
scores        s_k = (Σ_j a_j / n) · o_k over the n features of a text
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
END = b"</s>"


def fnv(data: bytes) -> int:
    """Return the hash of a word."""
    h = 2166136261
    for byte in data:
        h = ((h ^ (byte | 0xFFFFFF00 if byte > 127 else byte)) * 16777619) % 2**32
    return h


def signed(h: int) -> int:
    """Return 32 bits as a number with a sign."""
    return h - 2**32 if h >= 2**31 else h


def characters(word: bytes) -> list[bytes]:
    """Return the characters of UTF-8; bytes that continue none belong to the one before."""
    return re.findall(rb"(?s).[\x80-\xbf]*", word)


def subwords(word: bytes, min_n: int, max_n: int) -> list[bytes]:
    """Return the n-grams of the characters of <word>, but neither < nor > alone."""
    padded = characters(b"<" + word + b">")
    found = []
    for i in range(len(padded)):
        if padded[i][0] & 0xC0 == 0x80:
            continue
        shortest = max(min_n, 1 + (i in (0, len(padded) - 1)))
        longest = min(max_n, len(padded) - i)
        found += [b"".join(padded[i : i + n]) for n in range(shortest, longest + 1)]
    return found


def features(
    text: bytes, words: Mapping[bytes, int], *, bucket: int, min_n: int, max_n: int, word_ngrams: int
) -> list[int]:
    """Return the columns of a text's features: those of known words, then buckets."""
    own = [word for word in re.split(rb"[ \t\n\v\f\r\0]+", text) if word]
    own = own[: own.index(END)] if END in own else own
    own = [word for word in own if not word.startswith(b"__label__")]
    found: list[int] = []
    for word in [*own, END]:
        found += [words[word]] if word in words else []
        if word != END and max_n > 0:
            found += [len(words) + fnv(part) % bucket for part in subwords(word, min_n, max_n)]
    hashes = [signed(fnv(word)) for word in [*own, END]]
    for i in range(len(hashes)):
        h = hashes[i]
        for j in range(i + 1, min(i + word_ngrams, len(hashes))):
            h = (h * 116049371 + hashes[j]) % 2**64
            found.append(len(words) + h % bucket)
    return found


def scores(columns: list[int], input_rows: Array, output_rows: Array) -> Array:
    """Return the score of each label: input rows are the vectors of features, output rows those of labels."""
    h: Array = input_rows[columns].mean(axis=0)
    s: Array = output_rows @ h
    return s
