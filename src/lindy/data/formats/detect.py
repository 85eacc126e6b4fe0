"""Which format an input is: as it was named, by the names of files and folders, or by its first bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence

from lindy.data.chunks.source import UTF8_BOM, Source
from lindy.data.formats.registry import BINARY, FORMATS, REGISTRY, SUFFIXES, format_by_name, format_by_start
from lindy.errors import DataError

Path = str | os.PathLike[str]

_START = 1 << 16  # bytes that tell which lines a file has


def format_of(paths: Sequence[Path], given: str | None = None) -> str | None:
    """Return the format of paths before they are opened: as given, or because they are folders; None if open."""
    if given is not None and given not in FORMATS:
        raise DataError(f"{_listed(paths)}: no format {given!r}", _format_hint(given))
    kind = given or _path_format(paths)
    if not paths:
        raise DataError("there is no input", "Name a file.")
    return kind


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(os.fspath(path) for path in paths)


def _path_format(paths: Sequence[Path]) -> str | None:
    """Return the format of what is not read as one file: mail by its names, folders by the names in them."""
    names = [os.fspath(path) for path in paths]
    if names and all(format_by_name(name) == "mail" for name in names):
        return "mail"
    if not any(map(os.path.isdir, names)):
        return None
    from lindy.data.formats.folder_kinds import folder_format

    kinds = {folder_format(name) if os.path.isdir(name) else format_by_name(name) for name in names}
    if len(kinds) > 1 and "mail" in kinds:
        raise DataError(
            f"{_listed(paths)}: some of them are mail, others are not",
            "Add `format='mail'` to read all of them as messages, `format='folder'` to read all as they are.",
        )
    return kinds.pop() if len(kinds) == 1 else "folder"


def _format_hint(wrong: str) -> str:
    import difflib

    names = {name: entry.name for entry in REGISTRY.values() for name in entry.other_names.split()}
    near = difflib.get_close_matches(wrong.lower(), [*FORMATS, *names])
    guess = f"Did you mean {names.get(near[0], near[0])!r}? " if near else ""
    return f"{guess}The formats are: {', '.join(FORMATS)}."


def choose_encoding(
    source: Source, known: str | None, encoding: str | None, *, keep_bad: bool = False
) -> None:
    """Let an input give its text in UTF-8; ``known`` is its format, where it is known."""
    if known not in BINARY:
        source.use_encoding(encoding, keep_bad=keep_bad)
    elif encoding is not None:
        raise source.error(
            f"a file of the format {known!r} has no encoding to choose", "Leave out `encoding=`."
        )


def find_format(source: Source) -> str:
    """By the extension; what comes from a pipe may have none and is told by its start, as lines with labels are."""
    known = SUFFIXES.get(source.suffix)
    if known in (None, "lines", "tsv") and (told := _told_by_lines(source, known)):
        return told
    if known is not None:
        return known
    if source.regular:
        what = (
            f"the extension {source.suffix!r} is not known" if source.suffix else "the name has no extension"
        )
        if source.suffix == ".lindy":
            raise source.error("a model, where a table is expected", "Check the order of the files.")
        if source.suffix == ".xls":
            raise source.error("a workbook of Excel 2003 or older", "Save it as .xlsx or as CSV.")
        if source.suffix == ".json":
            import shlex

            raise source.error(
                what,
                "If every line is an object, name the format with `format='jsonl'`; a JSON array becomes JSON Lines by:"
                f" jq -c '.[]' {shlex.quote(source.path)}",
            )
        raise source.error(what, f"Name the format with `format=`, one of: {', '.join(FORMATS)}.")
    return sniffed(source)


def _told_by_lines(source: Source, known: str | None) -> str | None:
    """Return the format of lines with labels that the first lines are of, beside what the extension allows."""
    from lindy.data.formats import annif, extreme, fasttext

    with source.open() as stream:
        start = stream.read(_START).removeprefix(UTF8_BOM)
    lines = [line for line in start.split(b"\n") if line.strip()]
    formats = (
        {"annif": annif} if known == "tsv" else {"fasttext": fasttext, "extreme": extreme, "annif": annif}
    )
    return next((name for name, module in formats.items() if module.begins(lines)), None)


def sniffed(source: Source) -> str:
    """Return the format that the first bytes of a table tell."""
    start = source.open().read(64).removeprefix(UTF8_BOM).lstrip()
    return format_by_start(start) or ("jsonl" if start.startswith(b"{") else "csv")
