"""Digits as grids of pixels: MNIST where it is on this machine, digits drawn here elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lindy.labs.stage import data_folder

SIDE = 16
FONT = (  # seven rows of five pixels for each digit, as binary numbers
    (0x0E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0E),
    (0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E),
    (0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F),
    (0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E),
    (0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02),
    (0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E),
    (0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E),
    (0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08),
    (0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E),
    (0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C),
)


@dataclass(frozen=True, slots=True)
class Images:
    """Grey pictures as rows of intensities from 0 to 1, their labels, and height and width."""

    X_train: NDArray[np.float64]
    y_train: NDArray[np.int64]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.int64]
    shape: tuple[int, int]
    source: str

    def __str__(self) -> str:
        n, m = len(self.y_train), len(self.y_test)
        return f"{self.source}: {n:,} pictures of {self.shape[0]} × {self.shape[1]} to train on, {m:,} to test on"


def digits(n_train: int = 5_000, n_test: int = 1_000) -> Images:
    """Return pictures of the digits 0 to 9.

    They are the first ones of MNIST if the data folder holds ``mnist/mnist.npz``, otherwise digits of a small font,
    shifted and sheared at random, with noise.
    """
    folder = data_folder()
    path = None if folder is None else folder / "mnist" / "mnist.npz"
    if path is None or not path.is_file():
        train, test = drawn(n_train, 1), drawn(n_test, 2)
        return Images(*train, *test, (SIDE, SIDE), "drawn digits")
    from lindy.images import read_images

    parts = []
    for part, n in (("train", n_train), ("test", n_test)):
        data = read_images(path, part=part)
        assert data.labels is not None  # the parts of an npz file have theirs
        parts.append((data.images[:n].reshape(n, -1) / 255, data.labels[:n].astype(np.int64)))
    return Images(*parts[0], *parts[1], (28, 28), "MNIST")


def drawn(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw n digits: twice as large as the font, moved, sheared by up to a pixel, and one pixel in 200 wrong."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 10, n)
    bits = np.array([[[row >> (4 - j) & 1 for j in range(5)] for row in digit] for digit in FONT], bool)
    large = bits.repeat(2, axis=1).repeat(2, axis=2)
    pictures = np.zeros((n, SIDE, SIDE))
    for i, digit in enumerate(y):
        top, left, shear = rng.integers(0, 3), rng.integers(1, 6), rng.integers(-1, 2)
        for r, row in enumerate(large[digit]):
            start = int(np.clip(left + round(shear * (7 - r) / 7), 0, SIDE - len(row)))
            pictures[i, top + r, start : start + len(row)] = row
    wrong = rng.random(pictures.shape) < 0.005
    ink = np.where(wrong, 1 - pictures, pictures)
    grey = np.where(ink > 0, rng.uniform(0.55, 1.0, ink.shape), rng.uniform(0.0, 0.45, ink.shape))
    return grey.reshape(n, -1), y
