"""Kill a process with ``kill -9`` while it overwrites a model, again and again: the old or the new model is left.

    python -m tests.hostile.kill_writer --kills 1000 [--way save]

What a killed writer leaves beside the model is gone after the next one that is not killed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lindy
from lindy.cli.app import run as run_command
from lindy.data import samples
from lindy.modelfile import read_model, write_model

Save = Callable[[Path, int], Any]
Generation = Callable[[Path], int]
"""Which model a file holds: 0 or 1; raises what reading raises where it is neither."""


def killed_while(save: Save, path: Path, generation: int, delay: float | None) -> None:
    """Save in a child that is killed after so many seconds, or is left alone with None."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            save(path, generation)
        os._exit(0)
    if delay is not None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def typical_duration(save: Save, path: Path) -> float:
    """Return how long a child takes to save, as a rule."""
    durations = []
    for _ in range(7):
        start = time.perf_counter()
        killed_while(save, path, 0, None)
        durations.append(time.perf_counter() - start)
    return sorted(durations)[3]


def kill_rounds(folder: Path, kills: int, seed: int, save: Save, generation: Generation) -> Counter[str]:
    """Return how often the old and the new model were found, none, and how often a kill left something beside it."""
    path = folder / "model"
    rng = random.Random(seed)
    save(path, 0)
    duration = typical_duration(save, path)
    found: Counter[str] = Counter(kills=kills, old=0, new=0, lost=0, amid=0)
    last, left = 0, set(os.listdir(folder))
    for _ in range(kills):
        killed_while(save, path, 1 - last, rng.uniform(0, 1.2 * duration))
        now = set(os.listdir(folder))
        found["amid"] += bool(now - left)
        left = now
        try:
            kept = generation(path)
        except Exception:
            found["lost"] += 1
            save(path, last)
            continue
        found["old" if kept == last else "new"] += 1
        last = kept
    save(path, last)
    found["left over"] = len(os.listdir(folder)) - 1
    return found


def by_write_model(size: int = 2_000_000) -> tuple[Save, Generation]:
    """Write arrays alone."""

    def save(path: Path, generation: int) -> None:
        write_model(path, {"generation": generation}, {"W": np.full(size // 8, generation, np.float64)})

    def generation(path: Path) -> int:
        model = read_model(path)
        now: int = model.header["generation"]
        if now not in (0, 1) or not (model.arrays["W"] == now).all():
            raise ValueError("a mixture")
        return now

    return save, generation


def by_save() -> tuple[Save, Generation]:
    """Save a fitted text classifier; the file must be that of one of the two models, byte by byte."""
    data = samples.load("reviews-train")
    models = [
        lindy.TextClassifier(learner="naive-bayes", ngrams=(1, most), n_jobs=1).fit(data.texts, data.labels)
        for most in (2, 3)
    ]
    return (lambda path, generation: models[generation].save(path)), _by_bytes(models)


def by_command(folder: Path) -> tuple[Save, Generation]:
    """Train on the command line: reading, fitting and writing."""
    table = samples.path("reviews-train")

    def save(path: Path, generation: int) -> None:
        words = [
            "train",
            table,
            "--learner",
            "naive-bayes",
            "--ngrams",
            f"1-{2 + generation}",
            "--threads",
            "1",
        ]
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stderr(nowhere),
            contextlib.redirect_stdout(nowhere),
        ):
            if run_command([str(word) for word in [*words, "--quiet", "-o", path]]):
                raise RuntimeError("lindy train failed")

    whole = []
    for number in (0, 1):
        save(folder / "sound", number)
        whole.append((folder / "sound").read_bytes())
    return save, lambda path: whole.index(path.read_bytes())


def _by_bytes(models: list[Any]) -> Generation:
    whole = []
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            model.save(Path(folder) / "model")
            whole.append((Path(folder) / "model").read_bytes())

    def generation(path: Path) -> int:
        lindy.load(path, n_jobs=1)
        return whole.index(path.read_bytes())

    return generation


def run(way: str, kills: int, seed: int) -> Counter[str]:
    """Kill writers of one way: write_model, save or train."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        ways: dict[str, Callable[[], tuple[Save, Generation]]] = {
            "write_model": by_write_model,
            "save": by_save,
            "train": lambda: by_command(Path(other)),
        }
        return kill_rounds(Path(folder), kills, seed, *ways[way]())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--way", choices=("write_model", "save", "train"), default="write_model")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = run(options.way, options.kills, options.seed)
    sys.stdout.write(json.dumps(found) + "\n")
    sys.exit(bool(found["lost"] or found["left over"]))


if __name__ == "__main__":
    main()
