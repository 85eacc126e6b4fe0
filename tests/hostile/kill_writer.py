"""Kill a process with ``kill -9`` while it overwrites a model, again and again: the old or the new model is left.

python tests/hostile/kill_writer.py --kills 1000
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from lindy.modelfile import read_model, write_model


def write(path: Path, generation: int, size: int) -> None:
    write_model(path, {"generation": generation}, {"W": np.full(size // 8, generation, np.float64)})


def kill_while_writing(path: Path, generation: int, size: int, delay: float) -> None:
    child = os.fork()
    if child == 0:
        write(path, generation, size)
        os._exit(0)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def typical_duration(path: Path, size: int) -> float:
    durations = []
    for _ in range(9):
        start = time.perf_counter()
        kill_while_writing(path, 0, size, 0.0)
        forked = time.perf_counter()
        write(path, 0, size)
        durations.append(time.perf_counter() - forked + (forked - start) / 2)
    return sorted(durations)[4]


def run(folder: Path, kills: int, size: int, seed: int) -> Counter[str]:
    """Return how often the old and the new model were found, and how often the kill came amid the writing."""
    path = folder / "model"
    rng = random.Random(seed)
    write(path, 0, size)
    duration = typical_duration(path, size)
    found: Counter[str] = Counter(kills=kills)
    generation = 0
    for _ in range(kills):
        kill_while_writing(path, generation + 1, size, rng.uniform(0, 1.3 * duration))
        model = read_model(path)
        now = model.header["generation"]
        if now not in (generation, generation + 1) or not (model.arrays["W"] == now).all():
            raise SystemExit(f"found generation {now} after {generation}")
        found["old" if now == generation else "new"] += 1
        generation = now
        for left in folder.glob(".lindy-*.tmp"):
            found["amid"] += 1
            left.unlink()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--size", type=int, default=2_000_000, help="bytes of the model")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), options.kills, options.size, options.seed)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
