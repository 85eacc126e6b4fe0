"""Reading a table: from a path, and a format if one is given, to the reader of that format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lindy.data.chunks.source import UTF8_BOM, Source
from lindy.data.columns.table import Table
from lindy.data.formats.registry import (
    BINARY,
    FEATURE_FORMATS,
    FORMATS,
    LINES,
    SUFFIXES,
    WITH_HEADER,
    format_by_name,
)
from lindy.errors import DataError

if TYPE_CHECKING:
    from lindy.data.columns.preparation import Preparation
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
    header_row: int | None = None,
    longest_row: int | None = None,
    skip_bad: int = 0,
    like: Preparation | None = None,
) -> Table:
    """Read a table of text.

    Parameters
    ----------
    path : str or path, or several
        A file, ``-`` for standard input, or a folder. Compression by gzip or zstd is recognised by itself. Several
        paths are tables with the same columns, which are read as one, or folders, one for each class. What a folder
        holds is told by the names in it (``folder_kinds``): messages, a table in parts, or texts.
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
        Of the text, any that Python knows, or "auto", which guesses; default: UTF-8, or UTF-16 with its mark. Several
        with commas between them are tried one after the other.
    sheet : str, optional
        The sheet of an Excel workbook; default: the first.
    header_row : int, optional
        The row of a workbook, or the line of a delimited file, that has the names of the columns, from 1 on; default:
        the first, of a workbook without titles above the table.
    longest_row : int, optional
        Bytes that a row of a text format may have; default: 128 MB. A file that has a longer one is refused.
    skip_bad : int
        How many rows that cannot be read may be left out; remarks of the table list them.
    like : Preparation, optional
        How the table of a training was read, whose sheet and header row are taken where this one has them.

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
        header_row=header_row,
        longest_row=longest_row,
        skip_bad=skip_bad,
        like=like,
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
    header_row: int | None = None,
    longest_row: int | None = None,
    skip_bad: int = 0,
    like: Preparation | None = None,
) -> Callable[[], Table]:
    """Begin to read a table; what is returned goes on and returns it, see `read_table`.

    Rows of a delimited file are read in the background meanwhile, so that there is time to import what will use them.
    """
    paths = [path] if isinstance(path, str | os.PathLike) else list(path)
    kind = format_of(paths, format)
    layout = Layout(sheet, header_row, like)
    given = {"format": format, "encoding": encoding, "sheet": sheet, "header_row": header_row}
    if kind == "folder":
        from lindy.data.formats.folder import read_folder

        return _noting(lambda: read_folder(paths, encoding, longest_row), given | {"format": kind})
    if kind == "mail":
        from lindy.data.mail import read_mail

        found = format is None and any(map(os.path.isdir, paths))
        return _noting(lambda: read_mail(paths, mail, found=found), {"format": kind})
    if len(paths) > 1 or skip_bad or os.path.isdir(paths[0]):
        from lindy.data.chunks.parts import read_joined

        options: dict[str, Any] = {"threads": threads, "encoding": encoding, "longest_row": longest_row}
        options |= layout._asdict()
        return _noting(lambda: read_joined(paths, kind, skip_bad=skip_bad, **options), given)
    (single,) = paths
    source = opened_source(single, kind, encoding, longest_row=longest_row)
    return _noting(begin_source(source, kind or find_format(source), threads, layout), given)


class Layout(NamedTuple):
    """Where in a file the table is: as it was asked for, and otherwise as in a training, where this file has that."""

    sheet: str | None = None
    header_row: int | None = None
    like: Preparation | None = None


ANYWHERE = Layout()


def _noting(finish: Callable[[], Table], given: Mapping[str, Any]) -> Callable[[], Table]:
    """Return ``finish`` whose table says what was given to read it."""
    if all(value is None for value in given.values()):
        return finish
    from lindy.data.columns.preparation import noted

    return lambda: noted(finish(), **given)


def opened_source(
    path: Path,
    kind: str | None,
    encoding: str | None,
    *,
    longest_row: int | None = None,
    keep_bad: bool = False,
) -> Source:
    """Return an input that gives its text in UTF-8; ``kind`` is its format, where it is known.

    With ``keep_bad``, bytes that the encoding does not have are no error here: their rows are, for who reads them.
    """
    source = Source(path, longest_row=longest_row)
    choose_encoding(source, kind or SUFFIXES.get(source.suffix), encoding, keep_bad=keep_bad)
    return source


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


def begin_source(
    source: Source, kind: str, threads: int | None = None, layout: Layout = ANYWHERE
) -> Callable[[], Table]:
    """Begin to read a table of a known format from an input that is open; see `begin_table`."""
    check_layout(source, kind, layout)
    source.rows_are_lines = kind in LINES
    finish = _begin(source, kind, threads, layout)
    if not source.remarks:
        return finish

    def with_remarks() -> Table:
        table = finish()
        return replace(table, remarks=(*table.remarks, *source.remarks))

    return with_remarks


def check_layout(source: Source, kind: str, layout: Layout) -> None:
    """Refuse a sheet or a header row that was asked for of a format that has none."""
    if layout.sheet is not None and kind != "xlsx":
        raise source.error("only Excel workbooks have sheets", "Leave out `sheet=`.")
    if layout.header_row is not None and kind not in WITH_HEADER:
        raise source.error(f"a file of the format {kind!r} has no header row", "Leave out `header_row=`.")


def _begin(source: Source, kind: str, threads: int | None, layout: Layout) -> Callable[[], Table]:
    if kind == "jsonl":
        from lindy.data.formats.jsonl import read_jsonl

        return lambda: read_jsonl(source, threads)
    if kind == "parquet":
        from lindy.data.formats.parquet import read_parquet

        return lambda: read_parquet(source, threads)
    if kind == "xlsx":
        from lindy.data.formats.excel import read_excel

        return lambda: read_excel(source, layout)
    if kind in ("lines", "fasttext"):
        from lindy.data.formats.fasttext import read_fasttext
        from lindy.data.formats.lines import read_lines

        return lambda: read_lines(source) if kind == "lines" else read_fasttext(source)
    if kind in FEATURE_FORMATS:
        from lindy.data.formats.feature_row_tables import read_feature_table

        return lambda: read_feature_table(source, kind, threads)
    from lindy.data.formats.delimited import begin_delimited

    delimiter = "\t" if kind == "tsv" else None
    table = below_titles(source, delimiter, layout)
    finish = begin_delimited(table, delimiter)
    return finish if table is source else lambda: finish().below(table.lines_before - source.lines_before)


def below_titles(source: Source, delimiter: str | None, layout: Layout) -> Source:
    """Return a delimited input from its header on; a header row of the training only if its names are there."""
    row, like = layout.header_row, layout.like
    if row is None and like is not None and like.header_row is not None:
        from lindy.data.columns.preparation import are_names
        from lindy.data.formats.delimited import field_names

        found = source.from_line(like.header_row)
        row = like.header_row if are_names(field_names(found, delimiter), like.names) else None
    if row == 1:
        source.header_given = True
    return source if row is None or row == 1 else source.from_line(row)


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
        from lindy.data.formats.fasttext import has_labels_in_front

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
