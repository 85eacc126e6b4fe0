"""Made-up texts whose words say something about their labels."""

from __future__ import annotations

import random

Examples = tuple[list[str], list[str]]


def made(n: int, labels: list[str], seed: int, first: int = 0, last: int = 60) -> Examples:
    """Return texts of words first … last and of words of their label; every label occurs."""
    rng = random.Random(seed)
    texts, own = [], []
    for i in range(n):
        label = labels[i] if i < len(labels) else rng.choice(labels)
        words = [
            f"{label}{rng.randint(0, 9)}" if rng.random() < 0.4 else f"w{rng.randint(first, last)}"
            for _ in range(rng.randint(1, 9))
        ]
        texts.append(" ".join(words))
        own.append(label)
    return texts, own
