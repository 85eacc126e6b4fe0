"""Images: examples that are images of one size, in the place of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.inputs import WrittenColumn


class ImageColumn(WrittenColumn):
    """A column of images.

    As a text, by which equal images are found and which people are shown, an image is its size and a fingerprint.

    Attributes
    ----------
    images : array, images × rows × columns
    """

    __hash__ = None
    kind = "images"

    def __init__(self, images: NDArray[Any]) -> None:
        self.images = images
        self._arrow = None

    def _texts(self) -> Iterator[bytes]:
        import hashlib

        rows, columns = self.images.shape[1:]
        # the same pixels have the same text, whatever type of number they were stored in
        pixels = np.ascontiguousarray(self.images, np.float64)
        marks = (hashlib.blake2b(one.tobytes(), digest_size=16).hexdigest() for one in pixels)
        return (f"{rows}×{columns} image {mark}".encode() for mark in marks)

    def take(self, rows: Any) -> ImageColumn:
        """Return some images."""
        return ImageColumn(self.images[np.asarray(rows, np.int64)])

    @classmethod
    def joined(cls, parts: Sequence[ImageColumn]) -> Self:
        """Return the images of several columns, which must be of one size."""
        return cls(as_images([image for part in parts for image in part]).images)

    @property
    def n_bytes(self) -> int:
        """As many bytes as pixels."""
        return int(self.images.size)

    def token_sets(self, word_sets: Any = None) -> Csr:  # noqa: ARG002
        """Return rows that share nothing: many images that show the same thing share most of their pixels."""
        n = len(self)
        return Csr(np.arange(n + 1), np.arange(n, dtype=np.int32), np.ones(n, np.float32), n)

    def slice(self, offset: int = 0, length: int | None = None) -> ImageColumn:
        """Return some images in a row, without a copy."""
        return ImageColumn(self.images[offset : None if length is None else offset + length])

    def to_pylist(self) -> list[Any]:
        """Return the images, each rows × columns."""
        return list(self.images)

    def __len__(self) -> int:
        return len(self.images)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter(self.images)

    def __getitem__(self, key: Any) -> Any:
        """Return some images, or one of them: rows × columns."""
        return ImageColumn(self.images[key]) if isinstance(key, slice) else self.images[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImageColumn) and np.array_equal(self.images, other.images)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.images, dtype, copy=copy)

    def __repr__(self) -> str:
        return "ImageColumn({:,} images of {} × {} pixels)".format(*self.images.shape)


def are_images(X: Any) -> bool:
    """Whether examples are images: a reader's, an array of three dimensions, or a list of arrays of two."""
    if isinstance(X, ImageColumn):
        return True
    if isinstance(X, np.ndarray):
        return X.ndim == 3
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], np.ndarray) and X[0].ndim == 2


def as_images(X: Any) -> ImageColumn:
    """Return images as a column of them; anything else is a ``ValueError`` that says what it is."""
    if isinstance(X, ImageColumn):
        return X
    try:
        array = np.asarray(X)
    except ValueError:
        raise ValueError(
            "the images are of different sizes, or no images: expected images × rows × columns"
        ) from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"expected images × rows × columns; pixels must be numbers, got {array.dtype}")
    if array.ndim != 3 or 0 in array.shape[1:]:
        shape = " × ".join(map(str, array.shape))
        raise ValueError(
            f"expected images × rows × columns, got {shape or 'a number'}: reshape pixels to images"
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        image = int(np.argwhere(~np.isfinite(array))[0][0])
        raise ValueError(f"image {image} has a pixel that is not a finite number")
    return ImageColumn(array)
