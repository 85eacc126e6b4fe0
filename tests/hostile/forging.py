"""Forged models by the thousand, each loaded and used in a child process with a limit of memory.

    python -m tests.hostile.forging --rounds 100000 --seed 7

Whatever is in a file whose checksum is right, loading raises ModelFileError, or gives a model that answers: labels of
the header, finite probabilities that sum to 1, explanations, an inspection. Nothing crashes, hangs, or takes a second
to load.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.hostile.model_forgery import Model, contents, forge
from tests.hostile.supervised import supervised
from tests.hostile.zoo import kinds, zoo

import lindy
from lindy.errors import LindyError, ModelFileError
from lindy.explain import inspect
from lindy.modelfile import read_model

ROOM = 1 << 30  # bytes that loading and using a model may take beside what the process has
SLOW_LOAD, SLOW_USE = 1.0, 10.0  # seconds of CPU
ERROR = "loaded, then an error of lindy"
HANG = 120.0  # seconds without a next forgery, on a machine that does other things as well


class BrokenPromiseError(Exception):
    """A forged file got further than it may."""


def keep_zoo(folder: Path, *, pairs: bool) -> dict[str, str]:
    """Save the models of the zoo, numbered, with their names beside them; return the kinds that fit refused."""
    models, refused = zoo(pairs=pairs)
    for number, (_, model) in enumerate(models.values()):
        model.save(folder / f"{number}.lindy")
    (folder / "names.json").write_text(json.dumps(list(models)))
    return refused


def kept_zoo(folder: Path) -> list[Model]:
    """Return the models that ``keep_zoo`` saved."""
    examples = {kind.name: kind.examples for kind in kinds()}
    pool = []
    for number, name in enumerate(json.loads((folder / "names.json").read_text())):
        file = read_model(folder / f"{number}.lindy", mapped=False)
        pool.append(Model(name, file.header, file.arrays, examples[name]))
    return pool


def judged(path: Path, made: bytes, classes: Any, examples: Any) -> str:
    """Load a file and use the model; return what happened, or raise BrokenPromiseError."""
    path.unlink(missing_ok=True)
    path.write_bytes(made)
    begin = time.process_time()
    try:
        model = lindy.load(path, n_jobs=1)
    except ModelFileError as error:
        if not error.hint or str(path) not in str(error):
            raise BrokenPromiseError(f"a message without file or hint: {error}") from error
        model = None
    took = time.process_time() - begin
    if took > SLOW_LOAD:
        raise BrokenPromiseError(f"loading took {took:.1f} s")
    return "refused" if model is None else _used(model, classes, examples)


def _used(model: Any, classes: Any, examples: Any) -> str:
    begin = time.process_time()
    outcomes = [_asked(lambda: _labels(model, classes, examples))]
    if model.has_probabilities:
        outcomes.append(_asked(lambda: _probabilities(model, examples)))
    if isinstance(examples[0], str | dict):
        outcomes.append(_asked(lambda: model.explain(examples[0]).to_dict()))
    outcomes.append(_asked(lambda: str(inspect(model))))
    outcomes.append(_asked(lambda: repr(model)))
    took = time.process_time() - begin
    if took > SLOW_USE:
        raise BrokenPromiseError(f"using it took {took:.1f} s")
    return "answered" if all(outcomes) else ERROR


def _asked(ask: Callable[[], Any]) -> bool:
    """Whether there is an answer; errors that lindy raises on purpose say that there is none."""
    try:
        ask()
    except (LindyError, ValueError, TypeError) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        if "/lindy/" not in frame.filename or not str(error):
            where = f"{Path(frame.filename).name}:{frame.lineno}"
            raise BrokenPromiseError(f"{type(error).__name__} from {where}: {error}") from error
        return False
    return True


def _labels(model: Any, classes: Any, examples: Any) -> None:
    labels = model.predict(examples)
    if labels.shape != (len(examples),) or not set(labels.tolist()) <= set(classes):
        raise BrokenPromiseError(f"labels {labels} of {classes}")
    if not np.isfinite(model.predictions(examples).values).all():
        raise BrokenPromiseError("answers that are not finite")


def _probabilities(model: Any, examples: Any) -> None:
    P = model.predict_proba(examples)
    if P.shape != (len(examples), len(model.classes_)):
        raise BrokenPromiseError(f"probabilities of shape {P.shape}")
    if not np.isfinite(P).all() or (P < 0).any() or not np.allclose(P.sum(axis=1), 1.0, atol=1e-6):
        raise BrokenPromiseError(f"probabilities {P[0]}")


def run_child(folder: Path, begin: int, end: int, seed: int) -> None:
    """Judge forgeries begin … end − 1; a line on stdout before and after each."""
    pool = kept_zoo(folder)
    for model in pool:
        judged(
            folder / "warm-up", contents(model.header, model.arrays), model.header["classes"], model.examples
        )
    used = int(re.search(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[1]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    warnings.simplefilter("ignore")
    for number in range(begin, end):
        what, made, classes, examples = forge(pool, random.Random(f"{seed}/{number}"))
        sys.stdout.write(json.dumps([number, what]) + "\n")
        sys.stdout.flush()
        try:
            outcome = judged(folder / "forged", made, classes, examples)
        except BrokenPromiseError as error:
            outcome = f"BROKEN: {error}"
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            outcome = (
                f"BROKEN: {type(error).__name__} from {Path(frame.filename).name}:{frame.lineno}: {error}"
            )
        sys.stdout.write(json.dumps(outcome[:500]) + "\n")


def judge_forgeries(folder: Path, rounds: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return how often what happened to that many forgeries of the zoo in a folder, and every broken promise."""

    def command(begin: int) -> list[str]:
        words = [sys.executable, "-m", "tests.hostile.forging", "--child", str(folder), str(begin)]
        return [*words, "--rounds", str(rounds), "--seed", str(seed)]

    counts: Counter[str] = Counter()
    broken: list[str] = []
    for number, what, outcome in supervised(command, rounds, HANG):
        counts[outcome.partition(":")[0]] += 1
        if outcome not in ("refused", "answered", ERROR):
            broken.append(f"{number} ({what}): {outcome}")
    return counts, broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", nargs=2, metavar=("FOLDER", "BEGIN"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_child(Path(options.child[0]), int(options.child[1]), options.rounds, options.seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        keep_zoo(Path(folder), pairs=True)
        counts, broken = judge_forgeries(Path(folder), options.rounds, options.seed)
    sys.stdout.write("".join(f"{line}\n" for line in [*broken, json.dumps(counts)]))
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
