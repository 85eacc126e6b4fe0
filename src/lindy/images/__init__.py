"""Images of digits and the like: pixels and shapes as features of linear classifiers.

::

    idx, npz, folders of PNG ──read──▶ ImageData (images, labels) ──features──▶ Csr ──▶ every learner
"""

from lindy.lazy import lazy_imports
from lindy.text.vectorizer_registry import register_kinds

register_kinds(
    {
        "pixels": "lindy.images.image_features:PixelFeatures",
        "shapes": "lindy.images.image_features:ShapeFeatures",
    }
)

with lazy_imports(globals()):
    from lindy.core.csr import side_by_side as side_by_side
    from lindy.images.image_features import PixelFeatures as PixelFeatures
    from lindy.images.image_features import ShapeFeatures as ShapeFeatures
    from lindy.images.image_features import image_shapes as image_shapes
    from lindy.images.image_files import ImageData as ImageData
    from lindy.images.image_files import read_images as read_images
    from lindy.images.image_files import write_idx as write_idx
