"""The kind of a folder, by the names in it: messages, parts of a table (Parquet, hive partitions), or texts.

=================================================  ===================================================================
``spam/1.eml``, ``inbox.mbox``, ``cur/17…:2,S``    mail (a Maildir has the folders ``cur`` and ``new``)
``part-0.parquet``, ``year=2024/part-0.parquet``   a table in parts; ``year`` is a column with one value in each part
all else                                           texts, a folder for each class
=================================================  ===================================================================

Names that begin with a dot are passed over; of tables also those that begin with an underscore, such as Spark's
``_SUCCESS``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from lindy.data.formats.registry import TABLES, format_by_name
from lindy.errors import DataError

MAILDIR = {"cur", "new"}
_IN_FOLDERS = tuple(name for name in TABLES if name != "xlsx")
_NULL = "__HIVE_DEFAULT_PARTITION__"


class TablePart(NamedTuple):
    """A file of a table in parts, and the values that the names of its folders give to all of its rows."""

    path: str
    columns: dict[str, str | None]


def folder_format(path: str) -> str:
    """Return "mail", the format of the tables in a folder, or "folder" for texts.

    A mixture of mail or Parquet with other files is an error, which names one of each.
    """
    if is_maildir(path) or maildir_subfolders(path):
        return "mail"
    mail: str | None = None
    other: str | None = None
    kinds: dict[str | None, str] = {}
    for file in _files(path):
        if _is_message(file):
            mail = mail or file
        elif not is_half_delivered(file):
            other = other or file
            if not os.path.basename(file).startswith("_"):
                kinds.setdefault(_table_format(path, file), file)
    if mail is not None and other is not None:
        raise DataError(
            f"{path}: some files are mail ({mail}), others are not ({other})",
            "Add `format='mail'` to read all of them as messages, `format='folder'` to read all as they are; or move"
            " some.",
        )
    if mail is not None:
        return "mail"
    if "parquet" in kinds and len(kinds) > 1:
        table = kinds.pop("parquet")
        raise DataError(
            f"{path}: some files are Parquet ({table}), others are not ({next(iter(kinds.values()))})",
            "Move the others elsewhere, or begin their names with an underscore, which is passed over.",
        )
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    return kind or "folder"


def entries_of(path: str) -> list[os.DirEntry[str]]:
    """Return what is in a folder, by name."""
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}", "Check the permissions.") from error


def is_maildir(path: str) -> bool:
    """Whether a folder is a Maildir: it has the folders ``cur`` and ``new``."""
    return all(os.path.isdir(os.path.join(path, name)) for name in MAILDIR)


def maildir_subfolders(path: str) -> list[str]:
    """Return the folders of a Maildir beside its inbox: ``.Spam`` and ``.Archive.2024``, which are Maildirs, too."""
    hidden = [entry.path for entry in entries_of(path) if entry.name[0] == "." and entry.is_dir()]
    return [folder for folder in hidden if is_maildir(folder)]


def table_files(path: str) -> list[TablePart]:
    """Return the files of a table in parts, in the order of their names."""
    found = []
    for file in _files(path):
        below = os.path.relpath(file, path).split(os.sep)
        if not any(name.startswith("_") for name in below):
            found.append(TablePart(file, dict(_partition(name) for name in below[:-1])))
    return found


def is_half_delivered(file: str) -> bool:
    """Whether a file lies in the folder ``tmp`` of a Maildir, where messages are written."""
    return _in_maildir(file, {"tmp"})


def _is_message(file: str) -> bool:
    return format_by_name(file) == "mail" or _in_maildir(file, MAILDIR)


def _in_maildir(file: str, names: set[str]) -> bool:
    folder = os.path.dirname(file)
    return os.path.basename(folder) in names and is_maildir(os.path.dirname(folder))


def _table_format(folder: str, file: str) -> str | None:
    """Return the format of a file that is part of a table: its folders are partitions, or it is no text anyway."""
    kind = format_by_name(file)
    below = os.path.relpath(os.path.dirname(file), folder).split(os.sep)
    are_partitions = all("=" in name or name == os.curdir for name in below)
    return kind if kind == "parquet" or (kind in _IN_FOLDERS and are_partitions) else None


def _partition(name: str) -> tuple[str, str | None]:
    from urllib.parse import unquote

    column, equals, value = name.partition("=")
    if not equals or not column:
        raise DataError(
            f"{name}: a folder inside a table in parts, expected a partition such as year=2024",
            "Give the folders one by one, or move the files.",
        )
    return unquote(column), None if value == _NULL else unquote(value)


def _files(path: str) -> Iterator[str]:
    """Yield the files below a folder by name, without hidden ones; links to folders are not followed."""
    for entry in entries_of(path):
        if entry.name[0] == ".":
            continue
        if entry.is_dir():
            if not entry.is_symlink():
                yield from _files(entry.path)
        elif entry.is_file():
            yield entry.path
