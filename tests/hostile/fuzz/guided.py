"""Coverage-guided fuzzing of what is written in Python, by libFuzzer through atheris.

    python -m tests.hostile.fuzz.guided modelfile PROGRAM FOLDER [options of libFuzzer]

PROGRAM starts this again, with all that follows it; libFuzzer does so when it merges.
"""

from __future__ import annotations

import random
import sys

import atheris

with atheris.instrument_imports(include=["lindy", "email", "html"]):
    from tests.hostile.forgery import DIGITS, forged, signed
    from tests.hostile.fuzz.targets import TARGETS
    from tests.hostile.fuzz_modelfile import mutated


def mutate_model(data: bytes, size: int, seed: int) -> bytes:
    """Return a mutation of a model file, most of the time with a length and a checksum that agree."""
    rng = random.Random(seed)
    kind = rng.randrange(4)
    if kind == 0 or len(data) < DIGITS + 8:
        return atheris.Mutate(data, size)[:size]
    if kind == 1:
        return signed(atheris.Mutate(data, size)[:size])
    end = 8 + int.from_bytes(data[:8], "little")
    head, arrays = data[8:end].rstrip(b" "), data[end:]
    change = mutated if kind == 2 else lambda part, _: atheris.Mutate(part, max(size - 200, 1))
    changed = forged(change(head, rng), arrays) if rng.random() < 0.8 else forged(head, change(arrays, rng))
    return changed[:size]


if __name__ == "__main__":
    target, arguments = sys.argv[1], sys.argv[2:]
    mutators = {"custom_mutator": mutate_model} if target in ("modelfile", "loader") else {}
    atheris.Setup(arguments, lambda data: TARGETS[target](data) and None, **mutators)
    atheris.Fuzz()
