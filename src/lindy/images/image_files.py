"""Readers of images: idx (as MNIST comes), npz, and a folder of image files per class; and images as a table."""

from __future__ import annotations

import math
import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.image_column import ImageColumn
from lindy.data.chunks.source import Source
from lindy.data.columns.choose import Columns
from lindy.data.columns.table import Table
from lindy.data.formats.folder import as_utf8, class_files
from lindy.data.formats.registry import SUFFIXES
from lindy.errors import DataError, MissingPackageError
from lindy.files.atomic import atomic_write
from lindy.files.output_guard import note_input

_LARGEST = 1 << 32  # bytes of one array
_WIDEST = 4096  # pixels of an image file, each way
IMAGE_FILES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".pgm", ".pbm", ".ppm")
"""How the names of image files end."""
_IMAGE_NAMES = ("x", "images", "data", "pixels")
_LABEL_NAMES = ("y", "labels", "target", "targets", "label")
_NPZ_FAULTS = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)
IMAGE, LABEL = "image", "label"
_IDX = re.compile(r"idx3-ubyte|\.idx3?(\.gz)?$|\.npz$")


@dataclass(frozen=True, slots=True)
class ImageData:
    """Images of one size, and what they show.

    Attributes
    ----------
    images : array, images × rows × columns
        The values of the pixels as they were stored.
    labels : array (images,) or None
        Numbers, or the names of the folders.
    files : list of str or None
        The file of each image, where every image has its own.
    """

    images: NDArray[Any]
    labels: NDArray[Any] | None
    files: list[str] | None = None


def read_images(
    path: str | os.PathLike[str],
    labels: str | os.PathLike[str] | None = None,
    *,
    part: str | None = None,
    shape: tuple[int, int] | None = None,
) -> ImageData:
    """Read images.

    Parameters
    ----------
    path : str or path
        An idx file (also in gzip), an ``.npz`` file, or a folder with a folder of PNG files (or what else Pillow reads)
        for each class; or one such image file, which has no label.
    labels : str or path, optional
        The idx file of the labels. Without it, ``train-labels-idx1-ubyte`` is taken for ``train-images-idx3-ubyte`` if
        it lies there.
    part : str, optional
        Which arrays of an npz file: "train" takes ``x_train`` and ``y_train``. Without it, there must be one choice.
    shape : (rows, columns), optional
        Of an npz file whose images are rows of pixels; a square if not given.

    Raises
    ------
    DataError
        For files that are truncated or something else, and for images of unequal size.
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        return read_folders([name])
    source = Source(name)
    if name.lower().endswith(IMAGE_FILES):
        return ImageData(_read_file(name)[None], None, [name])
    with source.raw() as file:
        start = file.read(2)
    if source.suffix == ".npz" or start == b"PK":
        return _read_npz(source, part, shape)
    images = _read_idx(source, dimensions=3)
    if labels is None:
        sibling = re.sub(r"images(.)idx3", r"labels\1idx1", name)
        labels = sibling if sibling != name and os.path.exists(sibling) else None
    if labels is None:
        return ImageData(images, None)
    numbers = _read_idx(Source(labels), dimensions=1)
    if len(numbers) != len(images):
        raise DataError(
            f"{name}: there are {len(images):,} images, but {os.fspath(labels)} has {len(numbers):,} labels",
            "Give the labels that belong to these images.",
        )
    return ImageData(images, numbers)


def _read_idx(source: Source, dimensions: int) -> NDArray[np.uint8]:
    """Read two zero bytes, the type of the values, the number of dimensions, their sizes (32 bits) and the values."""
    data = source.read()
    what = {1: "labels", 3: "images"}[dimensions]
    if data[:3] != b"\0\0\x08" or len(data) < 4:
        raise source.error(
            f"not an idx file: it begins with {data[:4].hex(' ') or 'nothing'}, expected 00 00 08 {dimensions:02x}",
            f"Give an idx file of bytes with {what}, an .npz file or a folder.",
        )
    if data[3] != dimensions:
        raise source.error(
            f"an idx file with {data[3]} dimensions, expected {dimensions}: {what}",
            "Images come first, their labels second.",
        )
    head = 4 + 4 * dimensions
    sizes = [int.from_bytes(data[at : at + 4], "big") for at in range(4, head, 4)]
    expected = math.prod(sizes)
    if len(data) < head or len(data) - head != expected:
        state = "truncated" if len(data) < head + expected else "followed by more"
        got = max(len(data) - head, 0)
        raise source.error(
            f"the values are {state}: {' × '.join(map(str, sizes))} = {expected:,} expected, got {got:,}",
            "Copy or download the file again.",
        )
    if not expected:
        raise source.error(f"there are no {what}: {' × '.join(map(str, sizes))}", "Expected at least one.")
    return np.frombuffer(data, np.uint8, offset=head).reshape(sizes)


def write_idx(path: str | os.PathLike[str], values: NDArray[np.uint8]) -> None:
    """Write images (three dimensions) or labels (one) as an idx file of bytes."""
    array = np.asarray(values)
    if array.dtype != np.uint8 or array.ndim not in (1, 3):
        raise ValueError(f"expected bytes in 1 or 3 dimensions, got {array.dtype} in {array.ndim}")
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    with atomic_write(path) as file:
        file.write(b"\0\0\x08" + bytes([array.ndim]) + sizes + array.tobytes())


def _read_npz(source: Source, part: str | None, shape: tuple[int, int] | None) -> ImageData:
    try:
        with zipfile.ZipFile(source.path) as archive:
            large = [entry.filename for entry in archive.infolist() if entry.file_size > _LARGEST]
        if large:
            raise source.error(
                f"the array {large[0]!r} has more than {_LARGEST >> 30} GB", "Cut it into parts."
            )
        with np.load(source.path, allow_pickle=False) as arrays:
            pixels = arrays[_choose(source, arrays.files, _IMAGE_NAMES, "images", part)]
            name = _choose(source, arrays.files, _LABEL_NAMES, "labels", part, needed=False)
            labels = arrays[name] if name else None
    except _NPZ_FAULTS as error:
        if isinstance(error, DataError):
            raise
        raise source.error(f"not an npz file, or damaged: {error}", "Copy or make the file again.") from error
    images = _as_images(source, pixels, shape)
    if labels is not None and labels.shape != (len(images),):
        got = " × ".join(map(str, labels.shape))
        raise source.error(
            f"there are {len(images):,} images, but labels of shape {got}", "Expected a label for each."
        )
    return ImageData(images, labels)


def _choose(
    source: Source,
    names: Iterable[str],
    known: tuple[str, ...],
    what: str,
    part: str | None,
    needed: bool = True,
) -> str:
    """Return the array whose name is one of ``known``, with the part behind it."""
    listed = list(names)
    fitting = []
    for name in listed:
        word, _, rest = name.lower().partition("_")
        if word in known and (part is None or rest == part.lower()):
            fitting.append(name)
    if len(fitting) == 1:
        return fitting[0]
    if not fitting and not needed:
        return ""
    found = ", ".join(map(repr, fitting or listed))
    problem = (
        f"several arrays could be the {what}: {found}"
        if fitting
        else f"no array holds the {what}; there are: {found}"
    )
    example = fitting[0].partition("_")[2] if fitting else "train"
    raise source.error(problem, f"Choose with `part={example or 'train'!r}`, or call them images and labels.")


def _as_images(source: Source, pixels: NDArray[Any], shape: tuple[int, int] | None) -> NDArray[Any]:
    if pixels.dtype.kind not in "biuf":
        raise source.error(f"the images are of type {pixels.dtype}, expected numbers", "Store numbers.")
    if pixels.ndim == 2:
        side = math.isqrt(pixels.shape[1])
        shape = shape or (side, side)
        if math.prod(shape) == pixels.shape[1]:
            pixels = pixels.reshape(len(pixels), *shape)
    if pixels.ndim != 3 or 0 in pixels.shape:
        got = " × ".join(map(str, pixels.shape))
        raise source.error(
            f"the images have the shape {got}, expected images × rows × columns",
            "Give shape=(rows, columns).",
        )
    return pixels


def read_folders(paths: Iterable[str]) -> ImageData:
    """Read the images in the folder of each class, or in several folders, each a class."""
    _pillow()
    images: list[NDArray[np.uint8]] = []
    labels: list[str] = []
    files: list[str] = []
    for label, file in class_files(paths):
        image = _read_file(file)
        if images and image.shape != images[0].shape:
            got, other = (" × ".join(map(str, p.shape)) for p in (image, images[0]))
            raise DataError(
                f"{file}: {got} pixels, but {files[0]} has {other}", "Scale all images to one size."
            )
        images.append(image)
        labels.append(label)
        files.append(file)
    return ImageData(np.stack(images), np.array(labels, object), files)


def _pillow() -> Any:
    """Return Pillow's module of images, if it is there."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingPackageError("image files need Pillow", "pip install 'lindy[images]'") from None
    return Image


def _read_file(file: str) -> NDArray[np.uint8]:
    """Return the grey values of an image file."""
    Image = _pillow()
    note_input(file)
    try:
        with Image.open(file) as image:
            if max(image.size) > _WIDEST:
                width, height = image.size
                raise DataError(
                    f"{file}: the image has {height} × {width} pixels; at most {_WIDEST} each way are allowed",
                    "Make it smaller.",
                )
            return np.asarray(image.convert("L"), np.uint8)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{file}: not an image, or damaged: {error}", "Remove it or make it again."
        ) from error


def holds_images(paths: Sequence[str]) -> bool:
    """Whether these are images: files with such names or an idx file's beginning, or folders that hold such files."""
    first = _first_file(paths[0]) if paths and os.path.isdir(paths[0]) else next(iter(paths), "")
    name = first.lower()
    if name.endswith(IMAGE_FILES) or (first in paths and _IDX.search(name)):
        return True
    if first not in paths or not os.path.isfile(first) or os.path.splitext(name)[1] in SUFFIXES:
        return False
    with open(first, "rb") as file:
        return file.read(4) == b"\0\0\x08\x03"


def _first_file(folder: str) -> str:
    """Return the first file below a folder that is not hidden; "" if there is none."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        seen = sorted(name for name in files if name[0] != ".")
        if seen:
            return os.path.join(place, seen[0])
    return ""


def image_table(paths: Sequence[str], part: str | None = None) -> Table:
    """Read images and their labels; ``part`` is that of an npz file, see `read_images`.

    Raises
    ------
    DataError
        As `read_images` does, and if there are several inputs that are not folders.
    """
    import pyarrow as pa

    if len(paths) > 1 and not all(map(os.path.isdir, paths)):
        raise DataError(
            f"there are {len(paths)} inputs, expected one file of images, or folders",
            "Give one file, or a folder of images for each class.",
        )
    if part is not None and (len(paths) > 1 or not paths[0].lower().endswith(".npz")):
        raise DataError(
            f"{paths[0]}: only npz files have parts to choose with `sheet=`", "Leave out `sheet=`."
        )
    found = read_folders(paths) if os.path.isdir(paths[0]) else read_images(paths[0], part=part)
    columns = {IMAGE: ImageColumn(found.images)}
    if found.labels is not None:
        labels = [as_utf8(str(label)) for label in found.labels.tolist()]
        columns[LABEL] = pa.chunked_array([pa.array(labels, pa.large_string())])
    return Table(
        as_utf8(", ".join(paths)),
        list(columns),
        len(found.images),
        columns.__getitem__,
        lambda _row: None,
        files=None if found.files is None else [as_utf8(file) for file in found.files],
        kind="images",
        find=image_columns,
    )


def image_columns(table: Table, text: str | None, label: str | None, need_label: bool) -> Columns:
    """Say what is taken of a table of images; see ``find_columns``."""
    for given, own, option in ((text, IMAGE, "`text=`"), (label, LABEL, "`label=`")):
        if given not in (None, own):
            raise DataError(f"{table.name}: no column {given!r}: it holds images", f"Leave out {option}.")
    if need_label and LABEL not in table.column_names:
        raise DataError(
            f"{table.name}: the images have no labels",
            "Put images into a folder for each class, the labels of an idx file beside it (train-labels-idx1-ubyte"
            " for train-images-idx3-ubyte), or those of an npz file into it, as the array labels.",
        )
    images: ImageColumn = table.texts(IMAGE)
    rows, columns = images.images.shape[1:]
    why = f"{len(images):,} images of {rows} × {columns} pixels"
    taken = LABEL if need_label or label else None
    return Columns(IMAGE, taken, why + (", and their labels" if taken else ""))


def one_image(path: str, number: int, part: str | None = None) -> ImageData:
    """Read one image out of a file of them, counted from 1; an image file has only the first.

    Raises
    ------
    DataError
        Also if there are fewer.
    """
    if os.path.isdir(path):
        raise DataError(f"{path}: is a folder", "Give one image file out of it.")
    Source(path)  # says what is wrong with a path that is nothing
    found = read_images(path, part=part)
    if not 1 <= number <= len(found.images):
        raise DataError(
            f"{path}: there is no image {number:,}: it has {len(found.images):,}", "Count from 1."
        )
    labels = None if found.labels is None else found.labels[number - 1 : number]
    return ImageData(found.images[number - 1 : number], labels)


def write_npz(path: str | os.PathLike[str], images: ImageColumn, labels: Sequence[str]) -> None:
    """Write images and their labels as the arrays ``images`` and ``labels`` of an npz file."""
    with atomic_write(path) as file:
        np.savez_compressed(file, images=images.images, labels=np.array(labels, str))
