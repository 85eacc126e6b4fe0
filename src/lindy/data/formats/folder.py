"""A folder per class: ``reviews/positive/1.txt`` is a text with the label ``positive``.

A file's class is the folder that it lies in: a subfolder of the given folder, or, if there are no subfolders, the given
folder itself, so that several folders can be given, one for each class. What lies deeper belongs to the class above
it. Names that begin with a dot are passed over.

A folder without others in it, where ``1.key`` or ``1.tsv`` lies beside ``1.txt``, is one of Annif's: their lines are
the labels of the text, in ``.tsv`` what is before the first tab.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from lindy.data.chunks.source import UTF8_BOM, Source
from lindy.data.columns.several_labels import list_column
from lindy.data.columns.table import Table
from lindy.data.formats.folder_kinds import entries_of
from lindy.data.formats.registry import Reading, format_by_name
from lindy.errors import DataError, OutputError
from lindy.files.system import IS_POSIX

_EXPECTED = "Expected a folder for each class, with a file for each text."
_LONGEST_NAME = 255  # bytes, on most file systems
_NOT_ON_WINDOWS = '/\\<>:"|?*' + "".join(map(chr, range(32)))


def read(given: list[str], reading: Reading) -> Iterator[Table]:
    """Read every file below the folders as a text, in the order of the names."""
    texts, labels, files = [], [], []
    several: list[list[str]] = []
    said: list[str] = []
    found = list(_given_files(given))
    subjects = _subjects(given, [file for _, file in found])
    for label, file in found:
        if file in subjects.values():
            continue
        text, remarks = _text(file, reading.encoding, reading.longest_row)
        texts.append(text)
        said += remarks
        labels.append(as_utf8(label))
        files.append(as_utf8(file))
        if file in subjects:
            lines, remarks = _text(subjects[file], reading.encoding, reading.longest_row)
            said += remarks
            several.append([line.split("\t")[0].strip("<> ") for line in lines.splitlines()])
        else:
            several.append([])
    columns = {"text": texts, "label": labels, "file": files}
    table = Table.of(as_utf8(", ".join(given)), columns, files=files, remarks=tuple(said))
    yield table.with_column("label", list_column(several, range(len(several)))) if subjects else table


def _subjects(given: list[str], files: list[str]) -> dict[str, str]:
    """Return the file with the labels of each text, where files of labels lie beside texts."""
    known = {os.path.splitext(file)[0]: file for file in files if file.endswith((".key", ".tsv"))}
    if any(os.path.normpath(os.path.dirname(file)) not in map(os.path.normpath, given) for file in files):
        return {}
    texts = [file for file in files if file.endswith(".txt")]
    return {file: known[file[:-4]] for file in texts if file[:-4] in known}


def _given_files(given: list[str]) -> Iterator[tuple[str, str]]:
    """Yield class and path of every file below folders; a message that is given itself is of the folder it lies in."""
    for path in given:
        if os.path.isdir(path) or format_by_name(path) != "mail":
            yield from class_files([path])
        else:
            yield os.path.basename(os.path.dirname(os.path.abspath(path))), path


def as_utf8(name: str) -> str:
    """Return the name of a file as text; bytes that are not UTF-8 become their hexadecimal digits."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _text(path: str, encoding: str | None, longest_row: int | None) -> tuple[str, tuple[str, ...]]:
    source = Source(path, longest_row=longest_row)
    if source.size > source.longest_row:
        raise source.too_long(0, "Every file is one text.")
    source.use_encoding(encoding)
    data = source.read()
    source.check_bytes(data)
    return data.removeprefix(UTF8_BOM).decode(), source.remarks


def class_files(
    paths: Iterable[str], together: Callable[[set[str]], bool] = lambda _names: False
) -> Iterator[tuple[str, str]]:
    """Yield class and path of every file; a folder whose subfolders go ``together`` is one class."""
    for path in paths:
        folders, files = _entries(path)
        own = os.path.basename(os.path.abspath(path))
        inner = [(name, list(_below(os.path.join(path, name)))) for name in folders]
        inner = [(name, found) for name, found in inner if found]
        if together({name for name, _ in inner}):
            inner = [(own, found) for _, found in inner]
        elif files and inner:
            raise DataError(
                f"{os.path.join(path, files[0])}: is a file beside the folders of the classes",
                f"{_EXPECTED} Move it into one of them, or elsewhere.",
            )
        if not files and not inner:
            raise DataError(f"{path}: there is no file in the folder", _EXPECTED)
        for name, found in inner or [(own, [os.path.join(path, file) for file in files])]:
            yield from ((name, file) for file in found)


def _entries(path: str) -> tuple[list[str], list[str]]:
    """Return the names of the folders and of the files in a folder, sorted, without hidden ones."""
    if not os.path.isdir(path):
        Source(path)  # says what is wrong with a path that is nothing
        raise DataError(f"{path}: is a file, expected a folder", _EXPECTED)
    entries = [entry for entry in entries_of(path) if entry.name[0] != "."]
    folders = [entry.name for entry in entries if entry.is_dir()]
    return folders, [entry.name for entry in entries if entry.is_file()]


def _below(path: str) -> Iterator[str]:
    folders, files = _entries(path)
    yield from (os.path.join(path, name) for name in files)
    for name in folders:
        if not os.path.islink(os.path.join(path, name)):  # a link may lead back up
            yield from _below(os.path.join(path, name))


def write(path: str | os.PathLike[str], texts: Any, labels: Any | None, table: Table) -> list[str]:
    """Write each text of a table into a file below the folder of its label, when all of them can be written.

    Texts with several labels are one folder, as Annif has it: a ``.key`` beside each ``.txt``, ``.tsv`` of addresses.
    """
    target = Path(path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise OutputError(f"{target} already exists", "Give the name of a new folder, or empty this one.")
    if labels is None:
        raise DataError(
            f"{table.name}: there are no labels to name the folders after", "Name a column with `label=`."
        )
    several = any(isinstance(label, list) for label in labels)
    for row, label in enumerate(labels):
        if several:
            _check_lines(label or (), table.place(row))
        elif not _is_name(label):
            raise DataError(
                f"{table.place(row)}: the label {label!r} cannot be the name of a folder",
                "Rename the label.",
            )
    if not target.absolute().parent.is_dir():
        raise OutputError(
            f"cannot write {target}: the folder {target.parent} does not exist",
            f"Create it first: mkdir -p {target.parent}",
        )
    try:
        with tempfile.TemporaryDirectory(
            prefix=".lindy-", suffix=".tmp", dir=target.absolute().parent
        ) as hidden:
            made = Path(hidden, "made")
            made.mkdir()  # in the hidden one, which others may not read
            width = len(str(len(texts)))
            for row, label in enumerate(labels):
                place = made if several else made / label
                place.mkdir(exist_ok=True)
                file = place / f"{row + 1:0{width}}.txt"
                file.write_bytes(texts[row].encode())
                if several:
                    suffix, content = _subject_file(label or ())
                    file.with_suffix(suffix).write_bytes(content.encode())
            if not IS_POSIX and target.exists():  # it is empty
                target.rmdir()
            made.replace(target)
    except OSError as error:
        raise OutputError(
            f"cannot write {target}: {error.strerror or error}", "Nothing was written."
        ) from error
    return []


def _check_lines(labels: Iterable[str], place: str) -> None:
    """Refuse labels that a line of a ``.key`` or ``.tsv`` cannot hold."""
    for label in labels:
        if [label] != [line.split("\t")[0].strip("<> ") for line in label.splitlines()]:
            raise DataError(
                f"{place}: the label {label!r} cannot be a line of Annif's folders, because of its spaces or brackets",
                "Rename the label, or choose another format.",
            )


def _subject_file(labels: Iterable[str]) -> tuple[str, str]:
    """Return the ending and the content of the file of a text's labels: addresses are in brackets, in a ``.tsv``."""
    if any("://" in label for label in labels):
        return ".tsv", "".join(f"<{label}>\n" for label in labels)
    return ".key", "".join(f"{label}\n" for label in labels)


def _is_name(label: str) -> bool:
    return (
        not label.startswith(".")
        and not set(label) & set("/\\\0" if IS_POSIX else _NOT_ON_WINDOWS)
        and (IS_POSIX or not label.endswith((".", " ")))
        and len(label.encode()) <= _LONGEST_NAME
    )
