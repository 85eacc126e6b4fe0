"""Chunks: the rows of files, folders, standard input or an upload, as tables with the same columns.

A file that fits is one chunk (`read_table`); a larger one is read in bounded memory, and standard input while it is
still written (`read_chunks`): the same readers, with a size or without. Formats in which rows cannot be told before
the end (Excel, features with values, folders, mail, text in UTF-16; from a pipe also Parquet and compressed input) are
one chunk.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from lindy.data.chunks.file_guard import unchanged
from lindy.data.chunks.source import Source
from lindy.data.columns.table import Table, joined, with_constants
from lindy.data.formats.detect import Path, choose_encoding, find_format, format_of
from lindy.data.formats.registry import CHUNKED, FOLDERS, REGISTRY, SUFFIXES, Reading
from lindy.errors import DataError, NoRowsError

if TYPE_CHECKING:
    from lindy.data.chunks.arriving import Arriving
    from lindy.data.chunks.bad_rows import BadRows
    from lindy.data.columns.preparation import Preparation
    from lindy.data.mail import MailWords

CHUNK = 2**24
"""Bytes of a file that are one table, about."""


class Options(TypedDict, total=False):
    """The options of `read_table`."""

    threads: int | None
    mail: MailWords | None
    encoding: str | None
    sheet: str | None
    header_row: int | None
    longest_row: int | None
    skip_bad: int
    like: Preparation | None


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
        One of ``FORMATS``, overrides the extension; ``lindy convert --help`` says what each of them is.
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
    return begin_table(
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
    )()


def begin_table(
    path: Path | Sequence[Path],
    format: str | None = None,  # noqa: A002
    **options: Unpack[Options],
) -> Callable[[], Table]:
    """Begin to read a table; what is returned goes on and returns it, see `read_table`.

    Rows of a delimited file are read in the background meanwhile, so that there is time to import what will use them.
    """
    chunks = read_chunks(path, format, size=None, **options)
    begun = chunks.begun()
    given: dict[str, Any] = {name: options.get(name) for name in ("encoding", "sheet", "header_row")}
    given |= {"format": chunks.format if chunks.format in FOLDERS else format}
    if chunks.format == "mail":
        given = {"format": "mail"}
    if all(value is None for value in given.values()):
        return lambda: chunks.joined(begun)
    from lindy.data.columns.preparation import noted

    return lambda: noted(chunks.joined(begun), **given)


def read_chunks(
    path: Path | Sequence[Path] | Arriving,
    format: str | None = None,  # noqa: A002
    *,
    size: int | None = CHUNK,
    skip_bad: int = 0,
    **options: Any,
) -> Chunks:
    """Return the rows of inputs as tables with the same columns, of about ``size`` bytes each.

    All else is as for `read_table`; ``path`` can also be what is arriving from elsewhere (`Arriving`). With ``size``
    None, every input is one table.
    """
    from lindy.data.chunks.arriving import Arriving

    if isinstance(path, Arriving):
        return Chunks([path], path.kind, Reading(size=size, **options), skip_bad)
    paths = [os.fspath(path)] if isinstance(path, str | os.PathLike) else [os.fspath(own) for own in path]
    kind = format_of(paths, format)
    return Chunks(paths, kind, Reading(size=size, is_guessed=format is None, **options), skip_bad)


class Chunks:
    """Tables with the same columns, one after the other; every iteration reads the inputs anew.

    Attributes
    ----------
    paths : list of str
        The inputs; ``-`` is standard input.
    format : str or None
        The format of all of them, where it is known before they are opened.
    reading : Reading
        How they are read.
    bad : BadRows or None
        The rows that the last iteration left out, as far as it has come.
    """

    def __init__(self, paths: list[Any], kind: str | None, reading: Reading, skip_bad: int = 0) -> None:
        self.paths, self.format = paths, kind
        self.reading, self._skip_bad = reading, skip_bad
        self.bad = self._no_bad_rows()

    def _no_bad_rows(self) -> BadRows | None:
        if not self._skip_bad:
            return None
        from lindy.data.chunks.bad_rows import BadRows

        return BadRows(self._skip_bad)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The rows that could not be read, as remarks; known at the end."""
        return self.bad.remarks if self.bad else ()

    def __iter__(self) -> Iterator[Table]:
        tables = self._tables()
        if self.reading.size is None or any(not isinstance(path, str) or path == "-" for path in self.paths):
            return tables
        return ahead(tables)

    def _tables(self, begun: Iterator[Table] | None = None) -> Iterator[Table]:
        self.bad = self._no_bad_rows()
        if self.format in FOLDERS:
            return REGISTRY[self.format].imported().read(self.paths, self.reading)  # type: ignore[no-any-return]
        return self._of_all(self.paths, self.bad, begun)

    def _of_all(
        self, paths: Sequence[Any], bad: BadRows | None, begun: Iterator[Table] | None = None
    ) -> Iterator[Table]:
        """Yield the chunks of some inputs; one without a row is passed over, unless all are."""
        empty: NoRowsError | None = None
        has_rows = False
        for path in paths:
            try:
                for table in begun or self.of(path, bad=bad):
                    has_rows = True
                    yield table
            except NoRowsError as error:
                empty = empty or error
        if empty is not None and not has_rows:
            raise empty

    def begun(self) -> Iterator[Table] | None:
        """Begin to read the only input, if it is one file."""
        single = len(self.paths) == 1 and self.format not in FOLDERS and not self._skip_bad
        return self.of(self.paths[0]) if single and not os.path.isdir(self.paths[0]) else None

    def joined(self, begun: Iterator[Table] | None = None) -> Table:
        """Read all chunks as one table; ``begun`` is the iterator over the only input."""
        tables = list(self._tables(begun))
        if not tables:
            assert self.bad is not None  # a table without any row is an error of its reader
            raise DataError(f"{self.paths[0]}: no row can be read", self.bad.found[0])
        if len(tables) > 1 and any(table.find is not None for table in tables):
            raise DataError(
                f"{', '.join(self.paths)}: files of features with values cannot be read as one",
                "Put their lines into one file first.",
            )
        table = joined(tables)
        return replace(table, remarks=(*table.remarks, *self.left_out)) if self.left_out else table

    def of(
        self, path: Any, after: tuple[int, ...] | None = None, bad: BadRows | None = None
    ) -> Iterator[Table]:
        """Yield the chunks of one input.

        ``after`` is the ``end`` of a chunk of the same file: what comes after it is read, without reading what is
        before. Of CSV, TSV, JSON Lines, fastText lines and plain lines without bad rows; others have no such end.
        """
        reading = self.reading._replace(after=after, bad=bad or self._no_bad_rows())
        if not isinstance(path, str):
            return path.chunks(reading)  # type: ignore[no-any-return]
        if path == "-" and reading.size is not None:
            from lindy.data.chunks.arriving import stdin_chunks

            return stdin_chunks(self.format, reading)
        if os.path.isdir(path) and self.format in (None, *CHUNKED):
            return self._of_folder(path, reading.bad)
        source = opened_source(path, self.format, reading)
        kind = self.format or find_format(source)
        tables = REGISTRY[kind].chunks(source, reading)
        guarded = source.regular and (reading.size is not None or reading.bad is not None)
        return remarked(unchanged(source.path, tables) if guarded else tables, source.remarks)

    def _of_folder(self, folder: str, bad: BadRows | None) -> Iterator[Table]:
        """Yield the rows of all files of a table in parts, with the columns that the names of its folders are."""
        from lindy.data.formats.folder_kinds import table_files

        files = {part.path: part.columns for part in table_files(folder)}
        if not files:
            raise NoRowsError(
                f"{folder}: there is no table in the folder", "Expected files such as part-0.parquet."
            )
        n_before = 0
        for table in self._of_all(list(files), bad):
            own = with_constants(table, files[table.path]).counted_from(n_before)
            yield replace(own, path=folder, end=None)
            n_before += table.num_rows


def opened_source(path: Path, kind: str | None, reading: Reading) -> Source:
    """Return an input that gives its text in UTF-8; ``kind`` is its format, where it is known.

    Where bad rows may be left out, bytes that the encoding does not have are no error here: their rows are, for who
    reads them.
    """
    source = Source(path, longest_row=reading.longest_row)
    known = kind or SUFFIXES.get(source.suffix)
    choose_encoding(source, known, reading.encoding, keep_bad=reading.bad is not None)
    return source


def remarked(tables: Iterator[Table], remarks: tuple[str, ...]) -> Iterator[Table]:
    """Yield tables, of which the first says what the encoding has to say."""
    for table in tables:
        yield replace(table, remarks=(*table.remarks, *remarks)) if remarks else table
        remarks = ()


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
