"""Features of images (Amato): which pixels are on, and what shape they make."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr, nonzero_rows
from lindy.core.image_column import as_images
from lindy.errors import DataError
from lindy.estimators.base import thread_count
from lindy.estimators.parameters import fitted, with_parameters
from lindy.text.union import beside
from lindy.text.vectorizer import Columns, ListedColumns, State, Vectorizer, present_examples
from lindy.text.vocabulary.vocabulary_merge import Grown, unchanged

_THRESHOLD = 0.3  # what is ink, as a share of the largest value
_WIDEST = 65535  # pixels each way, as the core takes them


def image_shapes(on: NDArray[Any], *, n_jobs: int | None = None) -> NDArray[np.int32]:
    """Return components, loops, height and width of the ink of each image, images × 4.

    Ink (anything but 0) holds together over edges and corners, paper over edges; a loop is a piece of paper that does
    not reach the border: 0, 4, 6 and 9 have one, 8 has two. Height and width are those of the box around the ink.
    """
    images = as_images(on).images
    ink = np.ascontiguousarray(images != 0).view(np.uint8)
    shapes = np.empty((len(ink), 4), np.int32)
    _native.image_shapes(ink, shapes=shapes, threads=thread_count(n_jobs))
    return shapes


@with_parameters
class _Inked(Vectorizer):
    """Base of features of ink: values above a share of the largest one that was seen in ``fit``."""

    takes = "images"

    threshold: float = _THRESHOLD
    shape_: tuple[int, int] = fitted()
    cutoff_: float = fitted()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the size of the images and where ink begins; those of weight 0 are not there."""
        X, _, _ = present_examples(X, y, sample_weight)
        if not 0 <= self.threshold < 1:
            raise ValueError(f"threshold must be at least 0 and below 1; got {self.threshold}")
        images = as_images(X).images
        if not len(images):
            raise ValueError("there is no image to learn from")
        self.shape_ = (images.shape[1], images.shape[2])
        self.cutoff_ = float(images.max()) * self.threshold
        return self

    def _ink(self, images: Any) -> NDArray[np.bool_]:
        self._check_fitted()
        images = as_images(images).images
        if images.shape[1:] != self.shape_:
            got, known = (" × ".join(map(str, shape)) for shape in (images.shape[1:], self.shape_))
            raise DataError(
                f"the images are {got} pixels, expected {known} as in fit", "scale them to that size"
            )
        return np.asarray(images > self.cutoff_)

    def grown(self, X: Any, n_before: float, weight: Any = None) -> Grown:  # noqa: ARG002
        """Return the same: the size of the images and where ink begins stay what they are."""
        return unchanged(self)

    def joined(self, other: Any, counts: tuple[float, float]) -> Grown:  # noqa: ARG002
        """Return the same; what is ink must be the same in both, which the caller sees by their settings."""
        return unchanged(self)

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Fit and return the rows."""
        return self.fit(X).transform_csr(X)

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and no arrays."""
        self._check_fitted()
        own = {"threshold": float(self.threshold), "shape": list(self.shape_), "cutoff": self.cutoff_}
        return {"kind": self.kind, **own}, {}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        threshold: Any = config.get("threshold")
        shape: Any = config.get("shape")
        cutoff: Any = config.get("cutoff")
        sound = (
            all(isinstance(number, int | float) and np.isfinite(number) for number in (threshold, cutoff))
            and isinstance(shape, list)
            and len(shape) == 2
            and all(type(size) is int and 1 <= size <= _WIDEST for size in shape)
        )
        if not sound or arrays:
            raise ValueError(
                "the saved features of images need a threshold, a cutoff and the size of the images"
            )
        made = cls()
        made.threshold, made.shape_, made.cutoff_ = float(threshold), (shape[0], shape[1]), float(cutoff)
        return made


class PixelFeatures(_Inked):
    """One feature per pixel: 1 where it is on.

    Parameters
    ----------
    threshold : float
        A pixel is on where its value exceeds this share of the largest value of the training images.

    Examples
    --------
    >>> import numpy as np
    >>> from lindy.images import PixelFeatures
    >>> rows = PixelFeatures().fit_csr(np.array([[[0, 255], [200, 10]]]))
    >>> rows.to_dense().tolist()
    [[0.0, 1.0, 1.0, 0.0]]
    """

    kind = "pixels"
    not_exported = "it takes images"

    def transform_csr(self, X: Any) -> Csr:
        """Return a row of pixels for each image, line by line."""
        on = self._ink(X)
        return nonzero_rows(on.reshape(len(on), -1), np.float32)

    @property
    def n_columns(self) -> int:
        """How many pixels an image has."""
        self._check_fitted()
        return self.shape_[0] * self.shape_[1]

    def names_of(self, columns: Columns) -> list[str]:
        """Return ``pixel_7_12`` for the pixel in line 7 and column 12, from 0 on."""
        self._check_fitted()
        return [f"pixel_{j // self.shape_[1]}_{j % self.shape_[1]}" for j in columns.tolist()]

    def pixels_of(self, columns: Columns) -> NDArray[np.int64]:
        """Return the columns: each is a pixel."""
        return np.asarray(columns, np.int64)

    def describe(self) -> str:
        """Return in a word what the columns are."""
        return "pixels"


@with_parameters
class ShapeFeatures(_Inked, ListedColumns):
    """Features of the shape of the ink: how many components, how many loops, and how tall it is for its width.

    Each is one of several columns that is 1: ``components_1``, ``loops_2_or_more``, ``aspect_below_1.5``, … (the aspect
    ratio is height by width). An image without ink has only ``components_0`` and ``loops_0``.

    Parameters
    ----------
    threshold : float
        A pixel is ink where its value exceeds this share of the largest value of the training images.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from lindy.images import ShapeFeatures
    >>> ring = np.array([[[1, 1, 1], [1, 0, 1], [1, 1, 1]]])
    >>> shapes = ShapeFeatures().fit(ring)
    >>> shapes.get_feature_names_out()[shapes.transform_csr(ring).indices].tolist()
    ['components_1', 'loops_1', 'aspect_below_1.25']
    """

    kind = "shapes"
    not_exported = "it takes images"
    _COMPONENTS = ("components_0", "components_1", "components_2", "components_3_or_more")
    _LOOPS = ("loops_0", "loops_1", "loops_2_or_more")
    _ASPECTS = (0.8, 1.0, 1.25, 1.5, 2.0, 3.0)

    n_jobs: int | None = None

    def transform_csr(self, X: Any) -> Csr:
        """Return a row of shape features for each image."""
        components, loops, height, width = image_shapes(self._ink(X), n_jobs=self.n_jobs).T
        aspect = np.digitize(height / np.maximum(width, 1), self._ASPECTS)
        parts = [
            np.eye(len(self._COMPONENTS), dtype=bool)[np.minimum(components, len(self._COMPONENTS) - 1)],
            np.eye(len(self._LOOPS), dtype=bool)[np.minimum(loops, len(self._LOOPS) - 1)],
            np.eye(len(self._ASPECTS) + 1, dtype=bool)[aspect] & (height > 0)[:, None],
        ]
        return nonzero_rows(np.hstack(parts), np.float32)

    def describe(self) -> str:
        """Return in a word what the columns are."""
        return "shapes"

    def _feature_names(self) -> list[str]:
        aspects = [f"aspect_below_{limit:g}" for limit in self._ASPECTS]
        return [*self._COMPONENTS, *self._LOOPS, *aspects, f"aspect_from_{self._ASPECTS[-1]:g}"]


def pixels_and_shapes(
    n_jobs: int | None = None, *, threshold: float = _THRESHOLD, shapes: bool = True
) -> Vectorizer:
    """Return the unfitted vectorizer that images get where none is given: pixels, and shapes beside them."""
    beside_them = [ShapeFeatures(threshold=threshold, n_jobs=n_jobs)] if shapes else []
    return beside(PixelFeatures(threshold=threshold), beside_them)
