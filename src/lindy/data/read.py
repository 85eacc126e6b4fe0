"""Reading a table: from a path, and a format if one is given, to the reader of that format."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lindy.data.formats import BAGS, BINARY, FORMATS, LINES, SUFFIXES
from lindy.data.source import UTF8_BOM, Source
from lindy.data.table import Table
from lindy.errors import DataError

if TYPE_CHECKING:
    from lindy.data.mail import MailWords

Path = str | os.PathLike[str]


def read_table(
    path: Path | Sequence[Path],
    format: str | None = None,  # noqa: A002
    *,
    threads: int | None = None,
    mail: MailWords | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    longest_row: int | None = None,
    skip_bad: int = 0,
) -> Table:
    """Read a table of text.

    Parameters
    ----------
    path : str or path, or several
        A file, ``-`` for standard input, or a folder. Compression by gzip or zstd is recognised by itself. Several
        paths are tables with the same columns, which are read as one, or folders, one for each class.
    format : str, optional
        One of ``FORMATS``, overrides the extension: "csv", "tsv", "jsonl", "parquet" and "xlsx" are tables; "lines"
        (``.txt``) is one text per line, "fasttext" (``.ft``) with its label in front; "vw", "review" and "svmlight"
        are features with values, read as they are; "folder" is a file for each text, in a folder for each class; "mail"
        is messages in ``.eml`` and ``.mbox`` files and in folders.
    threads : int, optional
        1 keeps Arrow to one thread where it reads; otherwise it uses its pool. The result is the same.
    mail : MailWords, optional
        How messages become texts.
    encoding : str, optional
        Of the text, any that Python knows, or "auto", which guesses; default: UTF-8, or UTF-16 with its mark.
    sheet : str, optional
        The sheet of an Excel workbook; default: the first.
    longest_row : int, optional
        Bytes that a row of a text format may have; default: 128 MB. A file that has a longer one is refused.
    skip_bad : int
        How many rows that cannot be read may be left out; remarks of the table list them.

    Raises
    ------
    DataError
        If there is no such file or it is not such a table.
    """
    begun = begin_table(
        path,
        format,
        threads=threads,
        mail=mail,
        encoding=encoding,
        sheet=sheet,
        longest_row=longest_row,
        skip_bad=skip_bad,
    )
    return begun()


def begin_table(
    path: Path | Sequence[Path],
    format: str | None = None,  # noqa: A002
    *,
    threads: int | None = None,
    mail: MailWords | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    longest_row: int | None = None,
    skip_bad: int = 0,
) -> Callable[[], Table]:
    """Begin to read a table; what is returned goes on and returns it, see `read_table`.

    Rows of a delimited file are read in the background meanwhile, so that there is time to import what will use them.
    """
    paths = [path] if isinstance(path, str | os.PathLike) else list(path)
    kind = format_of(paths, format)
    if kind == "folder":
        from lindy.data.folder import read_folder

        return lambda: read_folder(paths, encoding, longest_row)
    if kind == "mail":
        from lindy.data.mail import read_mail

        return lambda: read_mail(paths, mail)
    if len(paths) > 1 or skip_bad:
        from lindy.data.parts import read_joined

        options = {"threads": threads, "encoding": encoding, "sheet": sheet, "longest_row": longest_row}
        return lambda: read_joined(paths, kind, skip_bad=skip_bad, **options)
    (single,) = paths
    source = opened_source(single, kind, encoding, longest_row=longest_row)
    return begin_source(source, kind or find_format(source), threads, sheet)


def opened_source(
    path: Path,
    kind: str | None,
    encoding: str | None,
    *,
    longest_row: int | None = None,
) -> Source:
    """Return an input that gives its text in UTF-8; ``kind`` is its format, where it is known."""
    source = Source(path, longest_row=longest_row)
    choose_encoding(source, kind or SUFFIXES.get(source.suffix), encoding)
    return source


def choose_encoding(source: Source, known: str | None, encoding: str | None) -> None:
    """Let an input give its text in UTF-8; ``known`` is its format, where it is known."""
    if known not in BINARY:
        source.use_encoding(encoding)
    elif encoding is not None:
        raise source.error(
            f"a file of the format {known!r} has no encoding to choose", "Leave out `encoding=`."
        )


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
    """Return the format of what is not read as one file: mail by its names, folders."""
    suffixes = {os.path.splitext(os.fspath(path).lower().removesuffix(".gz"))[1] for path in paths}
    if suffixes and all(SUFFIXES.get(suffix) == "mail" for suffix in suffixes):
        return "mail"
    return "folder" if any(os.path.isdir(path) for path in paths) else None


def begin_source(
    source: Source, kind: str, threads: int | None = None, sheet: str | None = None
) -> Callable[[], Table]:
    """Begin to read a table of a known format from an input that is open; see `begin_table`."""
    if sheet is not None and kind != "xlsx":
        raise source.error("only Excel workbooks have sheets", "Leave out `sheet=`.")
    source.rows_are_lines = kind in LINES
    finish = _begin(source, kind, threads, sheet)
    if not source.remarks:
        return finish

    def with_remarks() -> Table:
        table = finish()
        return replace(table, remarks=(*table.remarks, *source.remarks))

    return with_remarks


def _begin(source: Source, kind: str, threads: int | None, sheet: str | None) -> Callable[[], Table]:
    if kind == "jsonl":
        from lindy.data.jsonl import read_jsonl

        return lambda: read_jsonl(source, threads)
    if kind == "parquet":
        from lindy.data.parquet import read_parquet

        return lambda: read_parquet(source, threads)
    if kind == "xlsx":
        from lindy.data.excel import read_excel

        return lambda: read_excel(source, sheet)
    if kind in ("lines", "fasttext"):
        from lindy.data.fasttext import read_fasttext
        from lindy.data.lines import read_lines

        return lambda: read_lines(source) if kind == "lines" else read_fasttext(source)
    if kind in BAGS:
        from lindy.data.bag_rows import read_bag_table

        return lambda: read_bag_table(source, kind, threads)
    from lindy.data.delimited import begin_delimited

    return begin_delimited(source, "\t" if kind == "tsv" else None)


def _format_hint(wrong: str) -> str:
    import difflib

    other_names = {"jsonlines": "jsonl", "ndjson": "jsonl", "text": "lines", "libsvm": "svmlight"}
    other_names |= {"vowpal": "vw", "directory": "folder"}
    near = difflib.get_close_matches(wrong.lower(), [*FORMATS, *other_names])
    guess = f"Did you mean {other_names.get(near[0], near[0])!r}? " if near else ""
    return f"{guess}The formats are: {', '.join(FORMATS)}."


def find_format(source: Source) -> str:
    """By the extension; what comes from a pipe may have none and is told by its first bytes, as fastText lines are."""
    known = SUFFIXES.get(source.suffix)
    if known in (None, "lines"):
        from lindy.data.fasttext import has_labels_in_front

        if has_labels_in_front(source):
            return "fasttext"
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


def sniffed(source: Source) -> str:
    """Return the format that the first bytes of a table tell."""
    start = source.open().read(64).removeprefix(UTF8_BOM).lstrip()
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"PK\x03\x04"):
        return "xlsx"
    return "jsonl" if start.startswith(b"{") else "csv"
