"""Images as a table: a column of images and a column of labels, where commands have texts and labels."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import numpy as np

from lindy.core.image_column import ImageColumn
from lindy.data.chunks.source import Source
from lindy.data.columns.choose import Columns
from lindy.data.columns.table import Table
from lindy.data.formats.folder import as_utf8
from lindy.data.formats.registry import SUFFIXES
from lindy.errors import DataError
from lindy.files.atomic import atomic_write
from lindy.images.image_files import IMAGE_FILES, ImageData, read_folders, read_images

IMAGE, LABEL = "image", "label"
_IDX = re.compile(r"idx3-ubyte|\.idx3?(\.gz)?$|\.npz$")


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
