"""Texts of every kind for models of fastText, models trained in every setting, and where lindy's answers are others.

Models are asked strictly, so that line breaks and probabilities above 1 are compared, too.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
from tests.hostile.strings import strings

from lindy import load
from lindy.modelfile.fasttext_models import answer_strictly

CLOSE = 1e-5
AT_ONCE = 2000
LOSSES = ("softmax", "hs", "ns", "ova")
NGRAMS: dict[str, dict[str, int]] = {
    "words": {},
    "words 1-3": {"wordNgrams": 3},
    "subwords 2-5": {"minn": 2, "maxn": 5},
    "subwords 0-3": {"minn": 0, "maxn": 3},
    "words 1-2, subwords 3": {"wordNgrams": 2, "minn": 3, "maxn": 3},
}
QUANTISED: dict[str, dict[str, Any] | None] = {
    "as it is": None,
    "quantised": {},
    "norms": {"qnorm": True},
    "parts of 3, norms": {"dsub": 3, "qnorm": True},
    "pruned": {"cutoff": 300},
    "pruned, norms, output": {"cutoff": 300, "qnorm": True, "qout": True},
}
WORDS = [
    *("fine", "warm", "wise", "dull", "long", "grey"),
    *("мир", "слово", "本", "世界", "naïve", "été", "καλό", "कथा", "หนังสือ"),
]


def texts(n: int, seed: int, real: Sequence[str] = (), longest: int = 1 << 20) -> Iterator[bytes]:
    """Yield texts as bytes: generated of all scripts, also cut where no character ends, and pieces of real ones."""
    rng = random.Random(seed)
    yield from (b"", b" ", b"\n", b"\0", b"</s>", b"__label__", b"\xff\xfe\x80")
    yield from (b"a" * longest, b"so fine " * (longest // 8))
    for kind, generated in strings(max(n - 9, 0), seed):
        said = generated
        if real and rng.random() < 0.4:
            whole = rng.choice(real)
            begin = rng.randrange(max(len(whole) - 20, 1))
            said = whole[begin : begin + rng.randrange(5, 200)]
        elif kind == "general categories" or rng.random() < 0.1:
            said = f"{' '.join(rng.choices(WORDS, k=rng.randrange(1, 6)))} {generated}"
        data = said.encode("utf-8", "surrogatepass")
        if rng.random() < 0.1:  # within a character, or with a byte that is none
            at = rng.randrange(len(data) + 1)
            data = rng.choice((data[:at], data[at:], data[:at] + bytes([rng.randrange(256)]) + data[at:]))
        yield data


def trained(
    folder: Path, options: dict[str, Any], quantised: dict[str, Any] | None, n_labels: int = 3
) -> tuple[Any, Path]:
    """Train a model by fastText on texts with so many labels; fastText quantises the output of 256 and more."""
    lines, rng = folder / f"{n_labels}.ft", random.Random(n_labels)
    if not lines.exists():
        drawn = (rng.randrange(n_labels) for _ in range(max(1500, 3 * n_labels)))
        lines.write_text(
            "".join(
                f"__label__{k} {WORDS[k % len(WORDS)]} {' '.join(rng.choices(WORDS, k=5))} w{rng.randrange(600)}\n"
                for k in drawn
            ),
            encoding="utf-8",
        )
    common = {"dim": 10, "epoch": 2, "lr": 0.5, "bucket": 2000, "thread": 1, "verbose": 0}
    model = fasttext.train_supervised(str(lines), **(common | options))
    if quantised is not None:
        model.quantize(str(lines), thread=1, verbose=0, retrain=False, **quantised)
    path = folder / "model.bin"
    model.save_model(str(path))
    return model, path


def settings() -> list[tuple[str, str, str]]:
    """Return every combination of loss, quantisation and n-grams."""
    return list(itertools.product(LOSSES, QUANTISED, NGRAMS))


def asked(oracle: Any, data: bytes, order: dict[str, int]) -> tuple[np.ndarray[Any, Any], int]:
    """Return fastText's probability of each label, NaN for those that it leaves out, and its first label."""
    found = oracle.f.predict(data + b"\n", -1, 0.0, "strict")
    p = np.full(len(order), np.nan)
    for value, label in found:
        p[order[label]] = value
    first = oracle.f.predict(data + b"\n", 1, 0.0, "strict")
    return p, order[first[0][1]] if first else -1


def disagreements(oracle: Any, path: Path, drawn: Sequence[bytes]) -> tuple[list[tuple[str, bytes]], float]:
    """Return what is wrong with lindy's answers to which texts, and the largest difference of a probability."""
    model = load(path, n_jobs=1)
    answer_strictly(model)
    order = {f"__label__{label}": k for k, label in enumerate(model.classes_.tolist())}
    wrong, largest = [], 0.0
    for begin in range(0, len(drawn), AT_ONCE):
        part = list(drawn[begin : begin + AT_ONCE])
        predicted = model.predictions(part)
        wanted = [asked(oracle, data, order) for data in part]
        p, first = np.array([own for own, _ in wanted]), np.array([label for _, label in wanted])
        silent = np.isnan(p).all(axis=1)  # fastText knows nothing of the text
        differ = np.where(
            np.isnan(p), np.maximum(predicted.values - CLOSE, 0.0), np.abs(p - predicted.values)
        ).max(axis=1)
        differ[silent] = 0
        largest = max(largest, float(differ.max()))
        wrong += [("label", part[i]) for i in np.flatnonzero((predicted.best != first) & ~silent)]
        wrong += [(f"probability, by {differ[i]:.1e}", part[i]) for i in np.flatnonzero(differ > CLOSE)]
    return wrong, largest
