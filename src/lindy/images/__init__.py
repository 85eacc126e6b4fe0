"""Images of digits and the like: pixels and shapes as features of linear classifiers.

::

    idx, npz, folders of PNG ──read──▶ ImageData (images, labels) ──features──▶ Csr ──▶ every learner
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.core.csr import side_by_side
from lindy.lazy import lazy_names
from lindy.text.vectorizer_registry import register_kinds

if TYPE_CHECKING:
    from lindy.images.image_features import PixelFeatures, ShapeFeatures, image_shapes
    from lindy.images.image_files import ImageData, read_images, write_idx

__all__ = [
    "ImageData",
    "PixelFeatures",
    "ShapeFeatures",
    "image_shapes",
    "read_images",
    "side_by_side",
    "write_idx",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "image_features": "PixelFeatures ShapeFeatures image_shapes",
        "image_files": "ImageData read_images write_idx",
    },
)

register_kinds(
    {
        "pixels": "lindy.images.image_features:PixelFeatures",
        "shapes": "lindy.images.image_features:ShapeFeatures",
    }
)
