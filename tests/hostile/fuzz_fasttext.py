"""Damaged and forged models of fastText.

Whatever the bytes, loading raises ModelFileError, or gives a model that answers: with labels of the file and with
probabilities, or it refuses scores that are no numbers. Memory is in proportion to the file.

    python -m tests.hostile.fuzz_fasttext --rounds 100000 --seed 7
"""

from __future__ import annotations

import random
import resource
import struct
import time
from collections import Counter
from pathlib import Path

import numpy as np
from tests.hostile.fasttext_answers import NGRAMS, QUANTISED, trained
from tests.hostile.fuzzing import run

from lindy import load
from lindy.errors import DataError, ModelFileError

TEXTS = ["", "fine w1 мир 本", "<a> </s> b", "x" * 300, b"dull \xff\0 long w2"]
MODELS = {  # one for each way in which a file can be built
    ("softmax", "as it is", "subwords 2-5"),
    ("hs", "as it is", "words 1-3"),
    ("hs", "pruned", "words 1-2, subwords 3"),
    ("ova", "parts of 3, norms", "subwords 0-3"),
    ("ns", "pruned, norms, output", "words 1-2, subwords 3"),
}
NUMBERS = {
    "<i": [-(2**31), -2, -1, 0, 1, 2, 3, 63, 64, 65, 255, 256, 1 << 16, 1 << 20, 2**31 - 2, 2**31 - 1],
    "<q": [-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 256, 1 << 31, 1 << 32, 1 << 40, 1 << 62, 2**63 - 1],
    "<B": [0, 1, 2, 127, 128, 255],
    "<f": [float("nan"), float("inf"), float("-inf"), 3e38, -3e38, 1e-45, 0.0],
}
SLOW, MEMORY = 5.0, 300 << 20
"""Seconds that a file of some kilobytes may take, and bytes that all of them may, on top of the first ones."""


def fields(data: bytes) -> list[tuple[int, str]]:
    """Return where the numbers of a sound model lie that say how it is built, and their types."""
    found = [(at, "<i") for at in range(0, 56, 4)]
    at = 56
    found += [(at + 8, "<i"), (at + 12, "<i"), (at + 16, "<i"), (at + 20, "<q"), (at + 28, "<q")]
    size, kept = struct.unpack_from("<i", data, at + 8)[0], struct.unpack_from("<q", data, at + 28)[0]
    at += 36
    for _ in range(size):
        at = data.index(0, at) + 1
        found += [(at, "<q"), (at + 8, "<B")]
        at += 9
    found += [(at + 4 * k, "<i") for k in range(2 * max(kept, 0))]
    at += 8 * max(kept, 0)
    found += [(at + k, "<B") for k in range(3)] + [(at + k, "<i") for k in range(1, 60, 4)]
    return found + [(at + k, "<q") for k in (1, 2, 9, 10)] + [(len(data) - 4 * k, "<f") for k in range(1, 40)]


def forged(data: bytes, places: list[tuple[int, str]], rng: random.Random) -> bytes:
    """Return a model with other numbers in some of its fields; those that come first are so more often."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at, kind = places[int(len(places) * rng.random() ** 2)]
        if at + struct.calcsize(kind) > len(made):
            continue
        value = rng.choice(NUMBERS[kind])
        if kind != "<f" and rng.random() < 0.4:  # near to what is there
            least = -(256 ** struct.calcsize(kind)) // 2 if kind != "<B" else 0
            most = -least - 1 if kind != "<B" else 255
            value = min(max(struct.unpack_from(kind, made, at)[0] + rng.choice((-2, -1, 1, 2)), least), most)
        struct.pack_into(kind, made, at, value)
    return bytes(made)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a model that is cut, or has other, more or fewer bytes somewhere, rather near its beginning."""
    made, at = bytearray(data), int(len(data) * rng.random() ** 2)
    end = min(len(data), at + rng.choice((1, 1, 2, 4, 8, 64)))
    kind = rng.randrange(5)
    if kind == 0:
        del made[at:]
    elif kind == 1:
        made[at:end] = rng.randbytes(end - at)
    elif kind == 2:
        made[at:at] = rng.randbytes(rng.choice((1, 4, 8)))
    elif kind == 3:
        del made[at:end]
    else:
        made[at] ^= 1 << rng.randrange(8)
    return bytes(made)


def seeds(folder: Path) -> list[tuple[bytes, list[tuple[int, str]]]]:
    """Return sound models, and where their fields are."""
    pool = []
    for loss, quantised, ngrams in sorted(MODELS):
        n_labels = 300 if "qout" in (QUANTISED[quantised] or {}) else 3
        options = {"loss": loss, "dim": 6, "bucket": 400, "minCount": 2, **NGRAMS[ngrams]}
        data = trained(folder, options, QUANTISED[quantised], n_labels)[1].read_bytes()
        pool.append((data, fields(data)))
    return pool


def answered(contents: bytes, folder: Path, rng: random.Random) -> str:
    """Load a file of these contents and ask it; return what became of it."""
    path = folder / "forged.bin"
    path.unlink(missing_ok=True)
    path.write_bytes(contents)
    begin = time.process_time()
    try:
        model = load(path, n_jobs=1)
        predicted = model.predictions(TEXTS)
        if rng.random() < 0.05:
            model.explain("fine dull w1").features()
            model.save(folder / "again.lindy")
            kept = load(folder / "again.lindy", n_jobs=1).predictions(TEXTS)
            assert kept.values.tobytes() == predicted.values.tobytes(), "a saved model answers otherwise"
    except ModelFileError:
        return "refused"
    except DataError:
        return "scores that are no numbers"
    finally:
        assert time.process_time() - begin < SLOW, "it took long"
    assert ((predicted.values >= 0) & (predicted.values <= 1)).all(), "probabilities that are none"
    assert (predicted.best < len(model.classes_)).all()
    return "answered"


def fuzz(folder: Path, rounds: int, seed: int) -> Counter[str]:
    """Return how many files were refused and how many answered; raise what should not happen."""
    rng = random.Random(seed)
    pool, outcomes = seeds(folder), Counter[str]()
    for data, _ in pool:
        assert answered(data, folder, rng) == "answered"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    for _ in range(rounds):
        data, places = rng.choice(pool)
        contents = forged(data, places, rng) if rng.random() < 0.6 else damaged(data, rng)
        try:
            outcomes[answered(contents, folder, rng)] += 1
        except AssertionError:
            (folder.parent / "lindy-fuzz-fasttext.bin").write_bytes(contents)
            raise
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) - before < MEMORY, "much memory"
    return outcomes


if __name__ == "__main__":
    np.seterr(all="ignore")
    run(fuzz, __doc__)
