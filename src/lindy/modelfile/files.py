"""Model files written and loaded: size, layout and checksum are verified before anything of a file is handed out."""

from __future__ import annotations

import mmap
import os
import stat
import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.errors import ModelFileError
from lindy.files.atomic import atomic_write
from lindy.files.output_guard import MODEL, note_input
from lindy.files.system import BYTES, IS_POSIX, NO_WAITING, read_at
from lindy.modelfile import fasttext_models, layout
from lindy.modelfile.layout import (
    CRC_AT,
    DTYPE_NAMES,
    DTYPES,
    MAGIC,
    MAX_ARRAYS,
    MAX_DIMENSIONS,
    MAX_HEAD,
    NO_CRC,
    VERSION,
    Entry,
)

_crc32 = _native.crc32 if _native.crc32_folds() else zlib.crc32  # the same digits, whichever is faster
_AGAIN = "Copy or download the file again, or train the model again."
_PICKLE = (
    "a Python pickle (scikit-learn or joblib)",
    "Pickles can run code when they are opened, so lindy never reads them. Train the model again with lindy.",
)
_ARCHIVE = "Unpack it, and give the model file inside."
_DATA = "Give the model file first, the one that training wrote, and data after it."
_OTHER = "Give a file that was written by 'lindy train' or by save()."

_BEGINNINGS = (
    *((b"\x80" + bytes([protocol]), *_PICKLE) for protocol in range(2, 6)),
    (b"solver_type ", "a LIBLINEAR model", _OTHER),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself", "Fetch the file: git lfs pull"),
    (b"PK\x03\x04", "a zip archive", _ARCHIVE),
    (b"\x1f\x8b", "a gzip file", _ARCHIVE),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file", _ARCHIVE),
    (b"BZh", "a bzip2 file", _ARCHIVE),
    (b"\xfd7zXZ\x00", "an xz file", _ARCHIVE),
    (b"PAR1", "a Parquet table", _DATA),
    (b"ARROW1", "an Arrow table", _DATA),
    (b"\x93NUMPY", "a NumPy array", _OTHER),
    (b"\x89HDF", "an HDF5 file", _OTHER),
    (b"<!DOCTYPE", "a web page", "Download the file itself; the server sent a page instead."),
    (b"<html", "a web page", "Download the file itself; the server sent a page instead."),
    (b"{", "a JSON file", _DATA),
    (b"[", "a JSON file", _DATA),
)


_OFFICE = (b"[Content_Types].xml", b"_rels/", b"xl/", b"docProps/", b"mimetype")
"""The first file in the archive that a workbook is: Excel's, or LibreOffice's."""


class ModelFile(NamedTuple):
    """The contents of a model file.

    Attributes
    ----------
    header : dict, as it was written
    arrays : dict of read-only arrays; they stay valid when the file is replaced or removed
    size : int, bytes of the file
    version : int, of the format; 0 for fastText's
    """

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    size: int
    version: int


def write_model(
    path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    """Write a model file, replacing an older one as a whole or not at all.

    The same header and arrays give the same bytes, on every machine.

    Parameters
    ----------
    path : str or path
    header : dict
        What JSON can say and gives back equal: no tuples, no NaN, no keys other than strings. It has room for about
        4 MB; long lists belong in arrays. ``header["non_finite"]``, if present, lists the names of arrays that may
        hold −inf (the logarithm of zero); all other numbers must be finite, and NaN and +inf never pass.
    arrays : dict of arrays
        At most 1000, of float64, float32, int64, int32, uint64, uint32 or uint8, of at most 8 dimensions.

    Raises
    ------
    ValueError, TypeError
        For a header or array that a model file cannot hold.
    OutputError
        When the file cannot be written.
    """
    head, pieces = _encoded(header, arrays)
    crc = _crc32(head)
    for piece in pieces:
        crc = _crc32(piece, crc)
    with atomic_write(path, kind=MODEL) as file:
        file.write(layout.with_crc(head, b"%08x" % crc))
        for piece in pieces:
            file.write(piece)


def file_size(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> int:
    """Return how many bytes a model file with them has."""
    head, pieces = _encoded(header, arrays)
    return len(head) + sum(map(len, pieces))


def _encoded(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> tuple[bytes, list[Any]]:
    """Return the head, with zeros for its checksum, and the bytes of the arrays in the order of the file."""
    text = _header_text(header)
    if len(arrays) > MAX_ARRAYS:
        raise ValueError(f"A model file can hold {MAX_ARRAYS} arrays; got {len(arrays)}")
    stored = {name: _storable(name, array) for name, array in arrays.items()}
    problem = _forbidden_number(header, stored)
    if problem:
        raise ValueError(f"Cannot save the model: {problem}")
    entries = layout.in_file_order(
        Entry(name, DTYPE_NAMES[array.dtype], array.shape) for name, array in stored.items()
    )
    head = layout.encode_head(text, entries, layout.version_of(header))
    if len(head) > MAX_HEAD:
        raise ValueError(
            f"The header takes {len(head)} bytes; at most {MAX_HEAD} are allowed: put long lists into arrays"
        )
    return head, [stored[entry.name].ravel().view(np.uint8).data for entry in entries]


def read_model(path: str | os.PathLike[str], *, mapped: bool = True) -> ModelFile:
    """Read a model file, which may come from anywhere: nothing in it is trusted or run. It may be one of fastText.

    Before anything is returned the format, the version, all lengths, the checksum over every byte, the head and the
    finiteness of all numbers have been checked.

    Parameters
    ----------
    path : str or path
    mapped : bool
        Map the file into memory, so that processes share it and nothing is copied. A file that is in use must
        then be replaced (as ``write_model`` and ``mv`` do) and not overwritten in place (as ``cp`` does); with
        False it is copied into memory, and what happens to it later does not matter. So it always is on Windows,
        where nobody could replace a mapped file.

    Raises
    ------
    ModelFileError
        Whenever the file is not exactly one that ``write_model`` wrote, or a sound one of fastText.
    """
    name = os.fspath(path)
    try:
        fd = os.open(name, os.O_RDONLY | NO_WAITING | BYTES)  # a pipe must not make this wait
        try:
            note_input(fd)
            size = _regular_size(name, fd)
            if read_at(fd, len(fasttext_models.MAGIC), 0) == fasttext_models.MAGIC:
                file = _mapped(fd, size) if mapped and IS_POSIX else _copied(fd, size)
                return ModelFile(*fasttext_models.parts_of(name, file), size, 0)
            head, version = _read_head(name, fd, size)
            header, entries = _decoded(name, head, size, version)
            buffer = _mapped(fd, size) if mapped and IS_POSIX else _copied(fd, size)
        finally:
            os.close(fd)
    except OSError as error:
        raise _unreadable(error, name) from error
    if buffer[: len(head)].tobytes() != head or not _crc_agrees(buffer):
        raise _damaged(name, "its checksum does not agree with its contents")
    arrays = _views(buffer[len(head) :], entries)
    problem = _forbidden_number(header, arrays)
    if problem:
        raise _damaged(name, problem)
    return ModelFile(header, arrays, size, version)


def _regular_size(name: str, fd: int) -> int:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or a device"
        raise ModelFileError(f"{name} is {what}, not a model file", "Give the path of a model file.")
    return status.st_size


def _read_head(name: str, fd: int, size: int) -> tuple[bytes, int]:
    """Return the head of the file with its length, and the version that its beginning says, which must be known."""
    beginning = read_at(fd, 256, 0)
    if not beginning:
        raise ModelFileError(f"{name} is empty", _AGAIN)
    version, quote, _ = beginning[8 + len(MAGIC) :].partition(b'"')
    if beginning[8 : 8 + len(MAGIC)] != MAGIC or not quote or not version.isdigit():
        reason, hint = recognise(beginning)
        raise ModelFileError(f"{name} is not a lindy model file: {reason}", hint)
    if int(version) > VERSION:
        raise ModelFileError(
            f"{name} has version {int(version)} of the model format; this lindy reads version {VERSION}",
            "Upgrade lindy: pip install --upgrade lindy",
        )
    if int(version) < 1:
        raise _damaged(name, f"there is no version {int(version)} of the model format")
    end = 8 + int.from_bytes(beginning[:8], "little")
    if end > min(size, MAX_HEAD):
        raise _damaged(name, "its head is longer than the file or than is allowed")
    return read_at(fd, end, 0), int(version)


def _decoded(name: str, head: bytes, size: int, version: int) -> tuple[dict[str, Any], list[Entry]]:
    try:
        header, entries = layout.decode_head(head, version)
    except layout.LayoutError as error:
        raise _damaged(name, str(error)) from error
    expected = len(head) + sum(entry.nbytes for entry in entries)
    if size != expected:
        raise _damaged(name, f"it has {size} bytes and should have {expected}")
    return header, entries


def _mapped(fd: int, size: int) -> NDArray[np.uint8]:
    # every page is read for the checksum anyway: fetch them all at once where that is possible
    flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
    try:
        return np.frombuffer(mmap.mmap(fd, size, flags, mmap.PROT_READ), np.uint8)
    except ValueError as error:  # the file became shorter in between
        raise OSError(str(error)) from error


def _copied(fd: int, size: int) -> NDArray[np.uint8]:
    buffer = np.zeros(size, np.uint8)
    with open(fd, "rb", closefd=False) as file:
        file.seek(0)
        file.readinto(buffer.data)
    buffer.flags.writeable = False
    return buffer


def _views(data: NDArray[np.uint8], entries: list[Entry]) -> dict[str, NDArray[Any]]:
    arrays = {}
    offset = 0
    for entry in entries:
        piece = data[offset : offset + entry.nbytes]
        arrays[entry.name] = piece.view(DTYPES[entry.dtype]).reshape(entry.shape)
        offset += entry.nbytes
    return arrays


def _crc_agrees(buffer: NDArray[np.uint8]) -> bool:
    contents = buffer.data
    crc = _crc32(contents[:CRC_AT])
    crc = _crc32(NO_CRC, crc)
    crc = _crc32(contents[CRC_AT + 8 :], crc)
    return contents[CRC_AT : CRC_AT + 8].tobytes() == b"%08x" % crc


def _header_text(header: dict[str, Any]) -> str:
    """Return the header's JSON if reading it gives the header back."""
    try:
        text = layout.header_text(header)
        same = isinstance(header, dict) and layout.parsed_header(text) == header
    except RecursionError:
        raise ValueError("The header is nested too deeply") from None
    except layout.LayoutError:
        raise ValueError("The header has a number that is too large") from None
    if not same:
        raise TypeError("The header must be a dict that JSON can hold: string keys and no tuples")
    return text


def _storable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(name, str) or name == "__metadata__":
        raise ValueError(f"An array cannot have the name {name!r}")
    array = np.asarray(array)
    dtype = array.dtype.newbyteorder("<")
    if dtype not in DTYPE_NAMES:
        allowed = ", ".join(str(known) for known in DTYPE_NAMES)
        raise TypeError(f"Array {name!r} has dtype {array.dtype}; a model file can hold {allowed}")
    if array.ndim > MAX_DIMENSIONS:
        raise ValueError(f"Array {name!r} has {array.ndim} dimensions; at most {MAX_DIMENSIONS} are allowed")
    return np.asarray(array, dtype, order="C")


def _forbidden_number(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str | None:
    """Say what is wrong with the numbers, if anything is: only arrays named in non_finite may hold −inf."""
    unbounded = header.get("non_finite", [])
    if not isinstance(unbounded, list) or not all(
        isinstance(name, str) and name in arrays for name in unbounded
    ):
        return "header['non_finite'] must be a list of names of arrays"
    for name, array in arrays.items():
        if array.dtype.kind != "f" or array.size == 0:
            continue
        if name in unbounded:
            if not array.max() < np.inf:  # NaN is the maximum of everything
                return f"array {name!r} holds NaN or +inf"
        else:
            position = int(_native.first_non_finite(array.ravel()))
            if position >= 0:
                return f"array {name!r} holds {array.flat[position]} at position {position}"
    return None


def _damaged(name: str, reason: str) -> ModelFileError:
    return ModelFileError(f"{name} is damaged: {reason}", _AGAIN)


def _unreadable(error: OSError, name: str) -> ModelFileError:
    if isinstance(error, FileNotFoundError):
        return ModelFileError(
            f"the model file {name} does not exist", "Check the path, or train a model first."
        )
    if isinstance(error, PermissionError):
        return ModelFileError(f"no permission to read {name}", "Change its permissions.")
    return ModelFileError(f"cannot read {name}: {error.strerror or error}", _AGAIN)


def recognise(beginning: bytes) -> tuple[str, str]:
    """Return what a file with this beginning looks like, and what to do about it."""
    if beginning.startswith(b"PK\x03\x04") and beginning[30:].startswith(_OFFICE):
        return "it looks like a workbook or another office document", _DATA
    for start, what, hint in _BEGINNINGS:
        if beginning.startswith(start):
            return f"it looks like {what}", hint
    if beginning[8:10] == b'{"':
        return "it looks like a safetensors file of another program, or its beginning is damaged", _OTHER
    if _is_text(beginning):
        return "it looks like a text or CSV file", _DATA
    return "it does not begin as one", _OTHER


def _is_text(beginning: bytes) -> bool:
    text = beginning.decode("utf-8", errors="ignore")
    lost = len(beginning) - len(text.encode("utf-8"))
    # the last character may be cut, and then has up to three bytes
    return lost < min(4, len(beginning)) and all(
        character.isprintable() or character in "\t\r\n\ufeff" for character in text
    )
