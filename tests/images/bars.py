"""Small images to learn from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


def bars(n: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Bars that stand or lie somewhere, with a speck."""
    rng = np.random.default_rng(seed)
    images, labels = np.zeros((n, 6, 7), np.uint8), np.array(["lies", "stands"], object)[np.arange(n) % 2]
    for image, label in zip(images, labels, strict=True):
        at = rng.integers(1, 5)
        if label == "stands":
            image[:, at] = 200
        else:
            image[at, :] = 200
        image[rng.integers(6), rng.integers(7)] = 255
    return images, labels


def folder(path: Path, n: int = 20) -> Path:
    image_module = pytest.importorskip("PIL.Image")
    for i, (image, label) in enumerate(zip(*bars(n), strict=True)):
        (path / label).mkdir(parents=True, exist_ok=True)
        image_module.fromarray(image).save(path / label / f"{i:03}.png")
    return path
