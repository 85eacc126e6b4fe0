"""Kernels of strings: by their definition, feature by feature, and the subsequence kernel by dynamic programming."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np

Features = dict[str, float]


def dot(a: Features, b: Features) -> float:
    """Σ_u φ_u(s)·φ_u(t)."""
    return float(sum(value * b.get(u, 0.0) for u, value in a.items()))


def spectrum_features(s: str, k: int) -> Features:
    """φ_u(s) = how often u occurs."""
    return dict(Counter(s[i : i + k] for i in range(len(s) - k + 1)))


def mismatch_features(s: str, k: int, m: int, alphabet: str) -> Features:
    """φ_u(s) = how many substrings differ from u in at most m places, for every u over the alphabet."""
    found = [s[i : i + k] for i in range(len(s) - k + 1)]
    every = ("".join(u) for u in product(alphabet, repeat=k))
    return {u: float(sum(sum(a != b for a, b in zip(u, v, strict=True)) <= m for v in found)) for u in every}


def subsequence_features(s: str, n: int, lam: float) -> Features:
    """φ_u(s) = Σ over the places i_1 < … < i_n of u in s of λ^(i_n − i_1 + 1)."""
    features: Features = {}
    for i in combinations(range(len(s)), n):
        u = "".join(s[a] for a in i)
        features[u] = features.get(u, 0.0) + lam ** (i[-1] - i[0] + 1)
    return features


def subsequence_kernel(s: str, t: str, n: int, lam: float) -> float:
    """Compute the same product in n·|s|·|t| steps (Lodhi et al., 2002): K' and K'' as there, one row of s at a time."""
    other = np.array([ord(c) for c in t])
    K = np.zeros((n, len(t) + 1))  # K'_p(s so far, t up to j)
    K[0] = 1
    total = 0.0
    for x in s:
        match = lam**2 * (other == ord(x))
        total += float(match @ K[n - 1, :-1])
        for p in range(n - 1, 0, -1):
            run = 0.0  # K''_p
            for j in range(len(t)):
                run = lam * run + match[j] * K[p - 1, j]
                K[p, j + 1] = lam * K[p, j + 1] + run
    return total
