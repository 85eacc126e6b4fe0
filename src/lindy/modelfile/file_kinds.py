"""Saying what a file that is not a model file seems to be."""

from __future__ import annotations

_PICKLE = (
    "a Python pickle (scikit-learn or joblib)",
    "Pickles can run code when they are opened, so lindy never reads them. Train the model again with lindy.",
)
_ARCHIVE = "Unpack it, and give the model file inside."
_DATA = "Give the model file first, the one that training wrote, and data after it."
_OTHER = "Give a file that was written by 'lindy train' or by save()."

_BEGINNINGS = (
    *((b"\x80" + bytes([protocol]), *_PICKLE) for protocol in range(2, 6)),
    (b"\xba\x16\x4f\x2f", "a fastText model", "Train it again with lindy from the same __label__ lines."),
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
