"""Saving and loading by other toolkits, as the torture of model files, kills and disks needs it.

    python -m benchmarks.torture._saving NAME FOLDER DAMAGE FIRST COUNT

loads damaged copies of FOLDER/NAME, and says of each what happened.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import pickle
import random
import resource
import signal
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

TEXTS = [
    "good warm book",
    "bad dull book",
    "good wise end",
    "bad long end",
    "warm wise tale",
    "dull long tale",
]
LABELS = ["pos", "neg", "pos", "neg", "pos", "neg"]
X = np.array([[1, 0, 1, 0.5], [0, 1, 0, 2], [1, 1, 0, 0.25], [0, 0.5, 1, 1]])
Y = [1, -1, 1, -1]
ROOM = 2 << 30  # bytes
SLOW = 2.0  # seconds of CPU, after which the system ends a load: it takes milliseconds


def words(size: int, generation: int) -> tuple[list[str], list[str]]:
    """Return random texts over a vocabulary of this size, labelled; the larger, the larger the models."""
    rng = random.Random(generation)
    texts = [" ".join(f"w{rng.randrange(size)}" for _ in range(40)) for _ in range(size // 10)]
    return texts, [rng.choice(("pos", "neg")) for _ in texts]


class NotTrainedError(Exception):
    """A toolkit that cannot train a model on this machine."""


class Rival(ABC):
    """A toolkit: models of two generations are fitted once, then saved and loaded many times."""

    name: str
    package: str

    def __init__(self, size: int = 0) -> None:
        data = [words(size, generation) if size else (TEXTS, LABELS) for generation in (0, 1)]
        self.models = [self.fit(texts, labels, generation) for generation, (texts, labels) in enumerate(data)]

    @abstractmethod
    def fit(self, texts: list[str], labels: list[str], generation: int) -> Any:
        """Return a fitted model."""

    @abstractmethod
    def save(self, path: Path, generation: int) -> None:
        """Write the model of a generation."""

    @abstractmethod
    def answers(self, path: Path) -> Any:
        """Load a model and return its answers for a few examples; raises if that is not possible."""


class Lindy(Rival):
    name, package = "lindy", "lindy"

    def fit(self, texts: list[str], labels: list[str], generation: int) -> Any:  # noqa: ARG002
        import lindy

        return lindy.TextClassifier(learner="maxent", n_jobs=1, calibration="none").fit(texts, labels)

    def save(self, path: Path, generation: int) -> None:
        self.models[generation].save(path)

    def answers(self, path: Path) -> Any:
        import lindy

        return lindy.load(path, n_jobs=1).predict_proba(TEXTS)


class Joblib(Rival):
    name, package = "scikit-learn, joblib", "joblib"

    def fit(self, texts: list[str], labels: list[str], generation: int) -> Any:  # noqa: ARG002
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        return make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)

    def save(self, path: Path, generation: int) -> None:
        import joblib

        joblib.dump(self.models[generation], path)

    def answers(self, path: Path) -> Any:
        import joblib

        return joblib.load(path).predict_proba(TEXTS)


class Pickle(Joblib):
    name, package = "scikit-learn, pickle", "sklearn"

    def save(self, path: Path, generation: int) -> None:
        with path.open("wb") as file:
            pickle.dump(self.models[generation], file)

    def answers(self, path: Path) -> Any:
        with path.open("rb") as file:
            return pickle.load(file).predict_proba(TEXTS)


class Skops(Joblib):
    name, package = "scikit-learn, skops", "skops"

    def save(self, path: Path, generation: int) -> None:
        import skops.io

        skops.io.dump(self.models[generation], path)

    def answers(self, path: Path) -> Any:
        import skops.io

        return skops.io.load(path, trusted=[]).predict_proba(TEXTS)


class Liblinear(Rival):
    name, package = "LIBLINEAR", "liblinear"

    def fit(self, texts: list[str], labels: list[str], generation: int) -> Any:
        from liblinear.liblinearutil import train

        if len(texts) == len(TEXTS):
            return train(Y, X, "-s 0 -q")
        rng = random.Random(generation)
        rows = [{rng.randrange(1, 20 * len(texts)): 1.0 for _ in range(40)} for _ in texts]
        rows[0][20 * len(texts)] = 1.0
        return train([1 if label == "pos" else -1 for label in labels], rows, "-s 0 -q")

    def save(self, path: Path, generation: int) -> None:
        from liblinear.liblinearutil import save_model

        save_model(str(path), self.models[generation])

    def answers(self, path: Path) -> Any:
        from liblinear.liblinearutil import load_model, predict

        with contextlib.redirect_stdout(io.StringIO()):  # where it complains of files without a model
            model = load_model(str(path))
        if model is None:
            raise ValueError("no model")
        return np.array(predict([], X, model, "-b 1 -q")[2])


class FastText(Rival):
    name, package = "fastText", "fasttext"

    def fit(self, texts: list[str], labels: list[str], generation: int) -> Any:  # noqa: ARG002
        import tempfile

        import fasttext

        with tempfile.NamedTemporaryFile("w", suffix=".ft") as file:
            file.writelines(f"__label__{label} {text}\n" for text, label in zip(TEXTS, LABELS, strict=True))
            file.flush()
            options = {
                "dim": 2 if len(texts) == len(TEXTS) else 20_000,
                "bucket": 0,
                "thread": 1,
                "verbose": 0,
            }
            for seed in range(generation, 60, 2):
                try:
                    return fasttext.train_supervised(file.name, seed=seed, **options)
                except RuntimeError:  # more often than not it "encountered NaN"
                    continue
            raise NotTrainedError

    def save(self, path: Path, generation: int) -> None:
        self.models[generation].save_model(str(path))

    def answers(self, path: Path) -> Any:
        import fasttext

        model = fasttext.load_model(str(path))
        # the package's own predict does not work with NumPy 2
        return np.array(
            [p for text in TEXTS for p, _ in sorted(model.f.predict(text + "\n", 2, 0.0, "strict"))]
        )


class Safetensors(Rival):
    name, package = "safetensors", "safetensors"

    def fit(self, texts: list[str], labels: list[str], generation: int) -> Any:  # noqa: ARG002
        width = 4 if len(texts) == len(TEXTS) else 20 * len(texts)
        return {"W": np.random.default_rng(generation).normal(size=(width, 2)), "b": np.ones(2)}

    def save(self, path: Path, generation: int) -> None:
        from safetensors.numpy import save_file

        save_file(self.models[generation], path)

    def answers(self, path: Path) -> Any:
        from safetensors.numpy import load_file

        arrays = load_file(path)
        W = arrays["W"]
        return np.tile(X, (1, -(-len(W) // 4)))[:, : len(W)] @ W + arrays["b"]


RIVALS: dict[str, type[Rival]] = {
    kind.name: kind for kind in (Lindy, Joblib, Pickle, Skops, Liblinear, FastText, Safetensors)
}


def installed() -> tuple[list[type[Rival]], list[str]]:
    """Return the toolkits that can be imported, and the names of those that cannot."""
    found, missing = [], []
    for kind in RIVALS.values():
        try:
            importlib.import_module(kind.package)
        except ImportError:
            missing.append(kind.name)
        else:
            found.append(kind)
    return found, missing


def _run(name: str, folder: Path, damage: str, begin: int, count: int) -> None:
    """Load damaged copies of a model, and write what happened to each as ``tests.hostile.supervised`` has it."""
    rival = RIVALS[name].__new__(RIVALS[name])  # nothing is fitted
    whole = (folder / name).read_bytes()
    expected = np.asarray(rival.answers(folder / name))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some print their errors
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    total = len(whole) if damage == "truncations" else 8 * len(whole)
    for number in range(begin, count):
        at = number * total // count
        made = bytearray(whole[:at] if damage == "truncations" else whole)
        if damage == "flips":
            made[at // 8] ^= 1 << at % 8
        out.write(json.dumps([number, f"{damage} at {at}"]) + "\n")
        out.flush()
        path = folder / "damaged"
        path.unlink(missing_ok=True)
        path.write_bytes(made)
        signal.setitimer(signal.ITIMER_PROF, SLOW)
        try:
            found = np.asarray(rival.answers(path))
        except Exception:
            outcome = "refused"
        else:
            same = found.shape == expected.shape and np.array_equal(found, expected)
            outcome = "the same answers" if same else "WRONG answers"
        signal.setitimer(signal.ITIMER_PROF, 0)
        out.write(json.dumps(outcome) + "\n")
        out.flush()


if __name__ == "__main__":
    _run(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
