"""Saving and loading a model of 40 MB: lindy against safetensors, NumPy and pickle (CPU time, as ratios).

python -m benchmarks.modelfile
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from lindy.modelfile import read_model, write_model

ROUNDS = 15
Save = Callable[[Path, dict[str, np.ndarray]], Any]
Load = Callable[[Path], Any]


def model() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {"W": rng.normal(size=(4_900_000, 2)).astype(np.float32), "b": np.zeros(2, np.float32)}


def save_pickle(path: Path, arrays: dict[str, np.ndarray]) -> None:
    path.write_bytes(pickle.dumps(arrays, protocol=5))


def save_npz(path: Path, arrays: dict[str, np.ndarray]) -> None:
    with path.open("wb") as file:
        np.savez(file, **arrays)


def load_npz(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return dict(file)


CONTENDERS: dict[str, tuple[Save, Load]] = {
    "lindy": (lambda path, arrays: write_model(path, {}, arrays), read_model),
    "lindy, copied": (
        lambda path, arrays: write_model(path, {}, arrays),
        lambda path: read_model(path, mapped=False),
    ),
    "safetensors": (lambda path, arrays: save_file(arrays, path), load_file),
    "npz": (save_npz, load_npz),
    "pickle": (save_pickle, lambda path: pickle.loads(path.read_bytes())),
}


def cpu(function: Callable[[], Any]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def main() -> None:
    arrays = model()
    saves: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    loads: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            for name, (save, load) in CONTENDERS.items():
                path = Path(folder) / name.split(",")[0]
                saves[name].append(cpu(lambda: save(path, arrays)))  # noqa: B023
                loads[name].append(cpu(lambda: load(path)))  # noqa: B023
    own_save, own_load = float(np.median(saves["lindy"])), float(np.median(loads["lindy"]))
    print(f"{'':16}{'save':>10}{'ratio':>8}{'load':>10}{'ratio':>8}")
    for name in CONTENDERS:
        save_ms, load_ms = 1e3 * float(np.median(saves[name])), 1e3 * float(np.median(loads[name]))
        ratios = save_ms / 1e3 / own_save, load_ms / 1e3 / own_load
        print(f"{name:16}{save_ms:7.1f} ms{ratios[0]:8.2f}{load_ms:7.1f} ms{ratios[1]:8.2f}")


if __name__ == "__main__":
    main()
