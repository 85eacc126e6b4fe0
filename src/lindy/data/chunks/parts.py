"""Tables that are read part by part: files of any size in bounded memory, standard input while it is still written.

Delimited files are parsed by the core as they come (``delimited_parts``). Of other formats with lines, and of standard
input, what has arrived is cut behind its last complete row and read as a table of its own, below the same header;
Parquet files come by batches of rows. Formats in which rows cannot be told before the end (Excel, features
with values, folders, mail, text in UTF-16; from a pipe also Parquet and compressed input) are one table.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from lindy.data.chunks.arriving import Arriving
from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.delimited_parts import delimited_parts
from lindy.data.chunks.file_guard import unchanged
from lindy.data.chunks.paths import check_end
from lindy.data.chunks.read import (
    ANYWHERE,
    Layout,
    Path,
    begin_source,
    below_titles,
    check_layout,
    find_format,
    opened_source,
)
from lindy.data.chunks.row_chunker import DELIMITED, LINES, cut_tables
from lindy.data.chunks.source import Source
from lindy.data.columns.table import Table, joined, with_constants
from lindy.data.formats.folder_kinds import table_files
from lindy.data.formats.registry import IN_PARTS
from lindy.errors import DataError, NoRowsError
from lindy.files.system import has_input

if TYPE_CHECKING:
    from lindy.data.columns.preparation import Preparation

PART = 2**24
"""Bytes of a file that are one table, about."""
_MOST = 2**22  # bytes that are one table, if they are there at once
_BULK = (
    2**14
)  # bytes that no one writes line by line: a file comes through a pipe, and more is about to follow
_PATIENCE = 0.005  # seconds


def read_joined(
    paths: Sequence[Path], kind: str | None = None, *, skip_bad: int = 0, **options: Any
) -> Table:
    """Read tables, one below the other, as one; ``skip_bad`` rows that cannot be read may be left out.

    The tables must have the same columns; ``options`` are those of `table_parts`.
    """
    bad = BadRows(skip_bad) if skip_bad else None
    parts = list(parts_of_all(paths, lambda path: table_parts(path, kind, bad=bad, **options)))
    if not parts:
        assert bad is not None  # a table without any row is an error of its reader
        raise DataError(f"{os.fspath(paths[0])}: no row can be read", bad.found[0])
    if len(parts) > 1 and any(part.has_bags for part in parts):
        raise DataError(
            f"{', '.join(os.fspath(path) for path in paths)}: files of features with values cannot be read as one",
            "Put their lines into one file first.",
        )
    table = joined(parts)
    return table if bad is None else replace(table, remarks=(*table.remarks, *bad.remarks))


def parts_of_all(paths: Sequence[Path], begin: Callable[[Any], Iterable[Table]]) -> Iterator[Table]:
    """Yield the parts of all inputs one after the other; one without a row is passed over, unless all are."""
    empty: NoRowsError | None = None
    has_rows = False
    for path in paths:
        try:
            for part in begin(path):
                has_rows = True
                yield part
        except NoRowsError as error:
            empty = empty or error
    if empty is not None and not has_rows:
        raise empty


def table_parts(
    path: Path,
    kind: str | None = None,
    *,
    threads: int | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    longest_row: int | None = None,
    like: Preparation | None = None,
    bad: BadRows | None = None,
    size: int = PART,
    after: tuple[int, ...] | None = None,
) -> Iterator[Table]:
    """Yield the rows of a file, of a folder of tables, or of standard input, as tables with the same columns.

    Parameters
    ----------
    path, kind, threads, encoding, sheet, header_row, longest_row, like :
        As for `lindy.data.read_table`; ``kind`` is the format, if it is known.
    bad : BadRows, optional
        How many rows that cannot be read may be left out; without it, the first one is an error. For CSV, TSV, JSON
        Lines, fastText lines and plain lines.
    size : int
        Bytes that are one table, about.
    after : tuple, optional
        The ``end`` of a table of the same file: what comes after it is read, without reading what is before. Of CSV,
        TSV, JSON Lines, fastText lines and plain lines without ``bad``; other tables have no such end.
    """
    layout = Layout(sheet, header_row, like)
    if path == "-":
        yield from _parts_of_stdin(kind, threads, encoding, layout, longest_row, bad)
        return
    if os.path.isdir(path) and kind in (None, *IN_PARTS):
        options = {"encoding": encoding, "longest_row": longest_row, "header_row": header_row, "like": like}
        yield from _parts_of_folder(os.fspath(path), kind, threads=threads, bad=bad, size=size, **options)
        return
    source = opened_source(path, kind, encoding, longest_row=longest_row, keep_bad=bad is not None)
    found = kind or find_format(source)
    remarks, source.remarks = source.remarks, ()  # those of the encoding are said once, with the first part
    parts = _parts_of(source, found, threads, layout, bad, size, after)
    for part in unchanged(source.path, parts) if source.regular else parts:
        yield replace(part, remarks=(*part.remarks, *remarks))
        remarks = ()


def _parts_of_folder(folder: str, kind: str | None, **options: Any) -> Iterator[Table]:
    """Yield the rows of all files of a table in parts, with the columns that the names of its folders are."""
    files = {part.path: part.columns for part in table_files(folder)}
    if not files:
        raise NoRowsError(
            f"{folder}: there is no table in the folder", "Expected files such as part-0.parquet."
        )
    n_before = 0
    for part in parts_of_all(list(files), lambda file: table_parts(file, kind, **options)):
        own = with_constants(part, files[part.path]).counted_from(n_before)
        yield replace(own, path=folder, end=None)
        n_before += part.num_rows


def _parts_of(
    source: Source,
    found: str,
    threads: int | None,
    layout: Layout,
    bad: BadRows | None,
    size: int,
    after: tuple[int, ...] | None,
) -> Iterator[Table]:
    check_layout(source, found, layout)
    if found in DELIMITED:
        delimiter = "\t" if found == "tsv" else None
        yield from delimited_parts(below_titles(source, delimiter, layout), delimiter, size, bad, after)
    elif found in LINES:
        source.rows_are_lines = True
        begin = 0 if after is None else after[0]
        sizes = chain([size - begin % size], repeat(size))  # pieces end where they do from the beginning on
        with source.open() as stream:
            stream.skip(begin)
            yield from cut_tables(source, found, lambda: stream.read(next(sizes)), threads, bad, after)
    elif found == "parquet":
        from lindy.data.formats.parquet import parquet_parts

        yield from parquet_parts(source, size, threads)
    else:
        yield begin_source(source, found, threads, layout)()


def ahead(parts: Iterable[Table]) -> Iterator[Table]:
    """Yield what is given, of which the next one is made by a thread meanwhile; its errors are raised here.

    Who leaves before the end does not wait for the thread, which stops at its next part: what is left lying is closed
    by the garbage collector, inside of any call and while any lock is held, where waiting for a thread can be for ever.
    """
    made: queue.Queue[Table | BaseException | None] = queue.Queue(1)
    stopped = False

    def hand_over(item: Table | BaseException | None) -> None:
        while not stopped and threading.main_thread().is_alive():
            try:
                made.put(item, timeout=0.1)
            except queue.Full:
                continue
            return

    def work() -> None:
        try:
            for part in parts:
                hand_over(part)
                if stopped:
                    return
            hand_over(None)
        except BaseException as error:  # raised where the parts are used
            hand_over(error)

    worker = threading.Thread(target=work)
    try:
        worker.start()
    except RuntimeError:  # the system has no more threads
        yield from parts
        return
    try:
        while (item := made.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
        worker.join()
    finally:
        stopped = True


def arriving_parts(
    arriving: Arriving,
    threads: int | None = None,
    layout: Layout = ANYWHERE,
    bad: BadRows | None = None,
    heard: Callable[[bytes], None] | None = None,
) -> Iterator[Table]:
    """Yield the rows of an input that comes piece by piece as tables with the same columns, as soon as they are there.

    ``heard`` gets the text of an input that is cut, before it is read.
    """
    source, said = arriving.source, 0
    if arriving.is_cut:
        pieces = arriving.text()

        def more() -> bytes:
            data = next(pieces, b"")
            if heard is not None:
                heard(data)
            return data

        tables = cut_tables(source, arriving.kind, more, threads, bad)
    else:
        source.remarks = ()  # which are said here
        tables = _parts_of(source, arriving.kind, threads, layout, bad, PART, None)
    for table in tables:
        remarks = arriving.remarks
        yield replace(table, remarks=(*table.remarks, *remarks[said:]), locate=arriving.located(table.locate))
        said = len(remarks)


def _parts_of_stdin(
    kind: str | None,
    threads: int | None,
    encoding: str | None,
    layout: Layout,
    longest_row: int | None,
    bad: BadRows | None,
) -> Iterator[Table]:
    """Yield the complete rows of standard input as soon as they are there."""
    check_end(sys.stdin.buffer, "standard input")
    arriving = Arriving(
        "-",
        _arrived,
        kind,
        encoding=encoding,
        longest_row=longest_row,
        rest=sys.stdin.buffer.read,
        cut=layout == ANYWHERE,
        keep_bad=bad is not None,
    )
    yield from arriving_parts(arriving, threads, layout, bad)


def _arrived() -> bytes:
    """Return what has arrived on standard input, waiting for at least a byte; b"" at its end."""
    stream: Any = sys.stdin.buffer
    try:
        number = stream.fileno()
    except OSError:  # it is in memory
        everything: bytes = stream.read()
        return everything
    parts: list[bytes] = [stream.read1(_MOST)]
    size = len(parts[0])
    patience = _PATIENCE if size >= _BULK else 0
    while parts[-1] and size < _MOST and has_input(number, patience):
        parts.append(stream.read1(_MOST - size))
        size += len(parts[-1])
    return b"".join(parts)
