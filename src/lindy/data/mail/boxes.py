"""Where messages lie: ``.eml`` files, mbox files, folders of messages, a column of a table."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from lindy.core.column import as_arrow
from lindy.data.chunks.source import Source
from lindy.data.columns.table import Table
from lindy.data.formats.folder import as_utf8, class_files
from lindy.data.formats.folder_kinds import (
    MAILDIR,
    entries_of,
    is_half_delivered,
    is_maildir,
    maildir_subfolders,
)
from lindy.data.formats.registry import Reading
from lindy.data.mail.message import read_message
from lindy.data.mail.words import MailWords
from lindy.errors import DataError

_FOUND = "the files are messages, and are read as mail (`format='folder'` reads them as they are)"
# a message of an mbox begins with "From " after a blank line, and then a header; other lines may begin so, too
_SEPARATOR = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n(?=[!-9;-~]+:)")


def read(paths: Sequence[str], reading: Reading) -> Iterator[Table]:
    """Read messages, which are one chunk; see `read_mail`."""
    found = reading.is_guessed and any(map(os.path.isdir, paths))
    yield read_mail(paths, reading.mail, found=found)


def read_mail(
    paths: Sequence[str | os.PathLike[str]], words: MailWords | None = None, *, found: bool = False
) -> Table:
    """Read every message of files and folders as a text.

    A folder's messages have the name of the subfolder that they lie in as their label, or its own if it has no
    subfolders. A Maildir is such a folder, and its subfolder ``.Spam`` is the class Spam. Messages of a file that is
    given have its name. Files that are called ``.mbox``, and given ones that begin like one, hold many messages, all
    others one. ``found`` says that nobody asked for mail: a remark then tells that it is read as such.

    Returns
    -------
    Table
        With the columns text, label, subject, sender, problems and file; no label if it is standard input.
    """
    words = words or MailWords()
    given = [os.fspath(path) for path in paths]
    columns: dict[str, list[Any]] = {
        name: [] for name in ("text", "label", "subject", "sender", "problems", "file")
    }
    damage: list[list[str]] = []
    for place, label, data in _messages(given):
        message = read_message(data)
        damage.append(message.problems)
        columns["text"].append(words.text(message))
        columns["label"].append(None if label is None else as_utf8(label))
        columns["subject"].append(message.subject)
        columns["sender"].append(message.sender)
        columns["problems"].append(", ".join(message.problems))
        columns["file"].append(as_utf8(place))
    if None in columns["label"]:
        del columns["label"]
    return Table.of(
        as_utf8(", ".join(given)),
        columns,
        files=columns["file"],
        remarks=(*([_FOUND] if found else []), *_said_subfolders(given), *told(damage)),
        has_messages=True,
    )


def _messages(paths: list[str]) -> Iterator[tuple[str, str | None, bytes]]:
    """Yield place, label and bytes of every message."""
    for path in paths:
        if os.path.isdir(path):
            for label, file in _folder_files(path):
                yield from _in_file(Source(file), label, given=False)
        else:
            name = None if path == "-" else os.path.basename(path).split(".")[0] or path
            yield from _in_file(Source(path), name, given=True)


def _folder_files(path: str) -> Iterator[tuple[str, str]]:
    """Yield class and path of every message in a folder; the subfolders of a Maildir are classes of their own."""
    inner = maildir_subfolders(path)
    if not is_maildir(path) and (not inner or any(entry.name[0] != "." for entry in entries_of(path))):
        files = class_files([path], together=MAILDIR.issuperset)
        yield from ((label, file) for label, file in files if not is_half_delivered(file))
    found = [own for folder in (path, *inner) if is_maildir(folder) for own in _in_maildir(folder)]
    if not found and is_maildir(path):
        raise DataError(
            f"{path}: there is no message in the Maildir", "Expected files in its folders cur and new."
        )
    yield from found


def _in_maildir(folder: str) -> Iterator[tuple[str, str]]:
    label = os.path.basename(os.path.abspath(folder)).lstrip(".") or folder
    for name in sorted(MAILDIR):
        entries = entries_of(os.path.join(folder, name))
        yield from ((label, entry.path) for entry in entries if entry.name[0] != "." and entry.is_file())


def _said_subfolders(paths: Sequence[str]) -> list[str]:
    """Return remarks on the subfolders of Maildirs, whose names are hidden: which were read, and which were not."""
    remarks = []
    for path in filter(os.path.isdir, paths):
        within = [entry.path for entry in entries_of(path) if entry.is_dir() and entry.name[0] != "."]
        skipped = [folder for inner in within for folder in maildir_subfolders(inner)]
        if own := maildir_subfolders(path):
            listed = ", ".join(as_utf8(os.path.basename(folder).lstrip(".")) for folder in own)
            inbox = next((label for label, _ in _in_maildir(path)), None) if is_maildir(path) else None
            beside = "" if inbox is None else f"; its own messages are of the class {as_utf8(inbox)}"
            remarks.append(
                f"{as_utf8(path)}: subfolders of a Maildir are read as classes of their own: {listed}{beside}"
            )
        if skipped:
            listed = ", ".join(map(as_utf8, skipped))
            remarks.append(
                f"{as_utf8(path)}: subfolders of Maildirs are skipped: {listed}; name them to read them"
            )
    return remarks


def _in_file(source: Source, label: str | None, *, given: bool) -> Iterator[tuple[str, str | None, bytes]]:
    data = source.read()
    begins_so = given and source.suffix != ".eml" and data.startswith(b"From ")
    if source.suffix != ".mbox" and not begins_so:
        yield source.name, label, data
        return
    for number, part in enumerate(split_mbox(data), start=1):
        yield f"{source.name}, message {number}", label, part


def split_mbox(data: bytes) -> list[bytes]:
    """Return the messages of an mbox, each with the line that begins it."""
    starts = [found.start() for found in _SEPARATOR.finditer(data)]
    parts = [data[begin:end] for begin, end in pairwise([0, *starts, len(data)])]
    return [part for part in parts if part.strip()] or [data]


def mail_column(column: Any, words: MailWords) -> tuple[Any, tuple[str, ...]]:
    """Return a column of raw messages as texts, and what is to be told about them."""
    import pyarrow as pa

    texts, damage = [], []
    for raw in as_arrow(column):  # one by one: as Python's strings, all of them would be in memory twice
        message = read_message(raw.as_py())
        texts.append(words.text(message))
        damage.append(message.problems)
    return pa.chunked_array([pa.array(texts, pa.large_string())]), told(damage)


def told(damage: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return a sentence about damaged messages, if there are any."""
    damaged = sum(map(bool, damage))
    if not damaged:
        return ()
    counts = Counter(problem for problems in damage for problem in problems)
    listed = ", ".join(f"{problem} ({count:,})" for problem, count in counts.most_common())
    return (f"{damaged:,} of {len(damage):,} messages are damaged, read as far as possible: {listed}",)
