"""Random mutations of model files, half of them with a checksum that agrees.

Whatever the bytes, reading raises ModelFileError or returns a model that, written again, gives the same bytes (unless
it is of an earlier version: what is written is of the latest).

    python -m tests.hostile.fuzz_modelfile --rounds 1000000 --seed 7
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
from tests.hostile.forgery import forged
from tests.hostile.fuzzing import run

from lindy.errors import ModelFileError
from lindy.modelfile import read_model, write_model
from lindy.modelfile.layout import PLAIN

TOKENS = [
    *(b'{ } [ ] : , " \\ 0 1 -1 -0 1.0 1e3 1e999 NaN Infinity true false null {} [] ""'.split()),
    *(b'"dtype" "shape" "data_offsets" "F32" "F64" "U8" "I64" "BF16" "__metadata__" \\u0000 \\ud800'.split()),
    *(str(2**power + step).encode() for power in (8, 16, 31, 32, 53, 62, 63, 64) for step in (-1, 0)),
    *(b"\x00", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b" ", b"\n"),
]


def seeds(folder: Path) -> list[bytes]:
    """Return the contents of sound models of several kinds."""
    models = [
        ({}, {}),
        ({"classes": ["a", "b"], "n": 12}, {"W": np.ones((3, 2), np.float32), "b": np.zeros(2)}),
        ({"non_finite": ["W"]}, {"W": np.array([-np.inf, 0.0]), "empty": np.zeros((0, 4), np.uint8)}),
        ({"ü": {"x": [1.5, None, True]}}, {"words": np.arange(9, dtype=np.uint8), "ids": np.arange(5)}),
    ]
    contents = []
    for header, arrays in models:
        write_model(folder / "seed", header, arrays)
        contents.append((folder / "seed").read_bytes())
    return contents


def mutated(contents: bytes, rng: random.Random) -> bytes:
    """Return the contents with a few flips, tokens, cuts and repetitions."""
    data = bytearray(contents)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 1, 2, 4, 8, 64)))
        kind = rng.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:end] = rng.choice(TOKENS)
        elif kind == 2:
            data[at:at] = rng.choice(TOKENS)
        elif kind == 3:
            del data[at:end]
        elif kind == 4:
            data[at:at] = data[at:end]
        else:
            other = rng.randrange(len(data) + 1)
            data[other:other] = data[at:end]
    return bytes(data)


def forged_mutation(contents: bytes, rng: random.Random) -> bytes:
    """Return the contents with a mutated head or mutated arrays, and with a length and checksum that agree."""
    end = 8 + int.from_bytes(contents[:8], "little")
    head, data = contents[8:end].rstrip(b" "), contents[end:]
    if rng.random() < 0.8:
        return forged(mutated(head, rng), data)
    return forged(head, mutated(data, rng))


def fuzz(folder: Path, rounds: int, seed: int) -> Counter[str]:
    """Return how many mutated files were read and refused; raise what should not happen."""
    rng = random.Random(seed)
    pool = seeds(folder)
    outcomes: Counter[str] = Counter()
    for _ in range(rounds):
        mutate = rng.choice((mutated, forged_mutation))
        outcomes[compare_file(mutate(rng.choice(pool), rng), folder)] += 1
    return outcomes


def compare_file(contents: bytes, folder: Path) -> str:
    """Read a file of these contents and write what was read; return whether it is read or refused."""
    (folder / "mutated").unlink(missing_ok=True)
    (folder / "mutated").write_bytes(contents)
    try:
        model = read_model(folder / "mutated")
    except ModelFileError:
        return "refused"
    write_model(folder / "again", model.header, model.arrays)
    if (folder / "again").read_bytes() != contents and model.version >= PLAIN:
        raise AssertionError(f"read {contents!r}, which is not what is written")
    return "read"


if __name__ == "__main__":
    run(fuzz, __doc__)
