"""The door: from a path and perhaps a format to a table."""

from __future__ import annotations

import difflib
import os

from lindy.data.source import UTF8_BOM, Source
from lindy.data.table import Table
from lindy.errors import DataError

FORMATS = ("csv", "tsv", "jsonl", "parquet", "lines")

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".txt": "lines",
}


def read_table(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    threads: int | None = None,
) -> Table:
    """Read a table of text.

    Parameters
    ----------
    path : str or path
        A file, or ``-`` for standard input. Compression by gzip or zstd is recognised by itself.
    format : {"csv", "tsv", "jsonl", "parquet", "lines"}, optional
        Overrides the extension; "lines" (``.txt``) is one text per line.
    threads : int, optional
        1 keeps Arrow to one thread; otherwise it uses its pool. The result is the same.

    Raises
    ------
    DataError
        If there is no such file or it is not such a table.
    """
    if format is not None and format not in FORMATS:
        raise DataError(f"no format {format!r}", _format_hint(format))
    source = Source(path)
    kind = format or _find_format(source)
    if kind == "jsonl":
        from lindy.data.jsonl import read_jsonl

        return read_jsonl(source, threads)
    if kind == "parquet":
        from lindy.data.parquet import read_parquet

        return read_parquet(source, threads)
    if kind == "lines":
        from lindy.data.lines import read_lines

        return read_lines(source)
    from lindy.data.delimited import read_delimited

    return read_delimited(source, "\t" if kind == "tsv" else None, threads)


def _format_hint(wrong: str) -> str:
    other_names = {"jsonlines": "jsonl", "ndjson": "jsonl", "text": "lines"}
    near = difflib.get_close_matches(wrong.lower(), [*FORMATS, *other_names], n=1)
    guess = f"Did you mean {other_names.get(near[0], near[0])!r}? " if near else ""
    return f"{guess}The formats are: {', '.join(FORMATS)}."


def _find_format(source: Source) -> str:
    """By the extension; what comes from a pipe may have none and is told by its first bytes."""
    if source.suffix in _SUFFIXES:
        return _SUFFIXES[source.suffix]
    if source.regular:
        what = (
            f"the extension {source.suffix!r} is not known" if source.suffix else "the name has no extension"
        )
        raise source.error(what, f"Name the format with --format, one of: {', '.join(FORMATS)}.")
    start = source.open().read(64).removeprefix(UTF8_BOM).lstrip()
    if start.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if start.startswith(b"{") else "csv"
