"""Excel workbooks (``.xlsx``): one sheet, with the names of the columns in its first row, below titles. Needs openpyxl.

Cells become text as CSV has it: an empty cell is an empty text, a whole number has no point, dates are ISO dates. What
is written is text and numbers, never a formula: a text that begins with ``=`` stays a text.
"""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, zip_longest
from typing import Any, BinaryIO

from lindy.data.chunks.source import Source
from lindy.data.columns.preparation import are_names
from lindy.data.columns.table import Table, numbered_names
from lindy.data.formats.registry import Reading
from lindy.data.formats.titles import header_place, said_titles
from lindy.data.write.table_writer import Piece, joined, names_of, plain_rows
from lindy.errors import DataError, MissingPackageError, OutputError, did_you_mean

_LONGEST = 32_767  # characters in a cell
_MOST_ROWS = 1_048_576
_MOST_SHEETS = 10  # that a message lists
_HEADER_ROW = "Name a row of the sheet, counted as Excel does, with `header_row=`."
_ROW_BYTES, _CELL_BYTES = 64, 16  # that a row and a cell take beside their texts, about
_SAVE_AGAIN = "Open it in Excel and save it as .xlsx, or export it as CSV."


def read(source: Source, reading: Reading) -> Iterator[Table]:
    """Read a workbook, which is one chunk."""
    yield read_excel(source, reading)


def read_excel(source: Source, layout: Reading) -> Table:
    """Read the first sheet of a workbook, or the one of a name, without blank rows and titles above the table."""
    openpyxl = _openpyxl()
    if not source.read():
        raise source.no_rows("the file is empty", "Expected an Excel workbook.")
    try:
        with zipfile.ZipFile(io.BytesIO(source.read())) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise source.error(f"not an Excel workbook, or damaged: {error}", _SAVE_AGAIN) from error
    if unpacked > source.most_unpacked:
        raise source.unpacks_too_far()
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.read()), read_only=True, data_only=True)
    except Exception as error:  # a workbook is a zip file of XML files, each of which can be damaged
        raise source.error(f"not an Excel workbook, or damaged: {error}", _SAVE_AGAIN) from error
    chosen = _sheet(source, book, layout)
    is_first = chosen.title == book.worksheets[0].title
    others = [sheet.title for sheet in book.worksheets[1:]] if is_first and layout.sheet is None else []
    elsewhere = f" The workbook also has {_listed(others)}: `sheet=` names another one." if others else ""
    try:
        rows = _rows(source, chosen)
        unknown = _without_result(source, openpyxl, chosen.title)
    except DataError:
        raise
    except Exception as error:
        raise source.error(f"the sheet {chosen.title!r} cannot be read: {error}", _SAVE_AGAIN) from error
    if unknown is not None:
        raise source.error(
            f"the cell {unknown.coordinate} has a formula whose result is not stored",
            "Open it in Excel or LibreOffice and save it, which stores the results; or export it as CSV.",
            unknown.row,
        )
    if not rows:
        raise source.no_rows(
            f"the sheet {chosen.title!r} is empty",
            f"Expected a row with the names of the columns, and rows below it.{elsewhere}",
        )
    first = _header_place(source, rows, layout)
    (line, header), *below = rows[first:]
    if not below:
        raise source.no_rows(
            f"the sheet {chosen.title!r} has a header but no row",
            f"Expected at least one row below the header, which is row {line} (`header_row=` names another)."
            f"{elsewhere}",
        )
    numbered = numbered_names(header)
    cells = list(zip_longest(numbered.names, *(row for _, row in below), fillvalue=""))
    columns = {name: values for name, *values in cells if name}
    lines = [line for line, _ in below]
    titles = [row for _, row in rows[:first]] if layout.header_row is None else []
    remarks = [
        *_said_sheets(source, chosen.title, others),
        *said_titles(source.name, titles, f"row {line}"),
    ]
    return Table.of(
        source.path,
        columns,
        lines.__getitem__,
        n_nameless=sum(any(values) for name, *values in cells if not name),
        repeated=numbered.repeated,
        remarks=(*remarks, *numbered.remarks(source.name)),
        expected=f"The sheet {chosen.title!r} was read, with the names of the columns in row {line}:"
        f" `header_row=` names another row.{elsewhere}",
    )


def _header_place(source: Source, rows: list[tuple[int, list[str]]], layout: Reading) -> int:
    """Return which of the rows has the names of the columns: as asked, as in training, or below all titles."""
    places = {line: place for place, (line, _) in enumerate(rows)}
    if layout.header_row is not None:
        if layout.header_row not in places:
            raise source.error(
                "the row is blank or not there, expected the header", _HEADER_ROW, layout.header_row
            )
        return places[layout.header_row]
    like = layout.like
    place = None if like is None else places.get(like.header_row or 0)
    if like is not None and place is not None and are_names(rows[place][1], like.names):
        return place
    return header_place(rows)


def _said_sheets(source: Source, title: str, others: list[str]) -> list[str]:
    if not others:
        return []
    return [f"{source.name}: read the sheet {title!r}, and not {_listed(others)} (`sheet=` names another)"]


def _listed(sheets: list[str]) -> str:
    more = f" and {len(sheets) - _MOST_SHEETS} more" if len(sheets) > _MOST_SHEETS else ""
    return f"the sheet{'s' * (len(sheets) > 1)} {', '.join(map(repr, sheets[:_MOST_SHEETS]))}{more}"


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise MissingPackageError("Excel workbooks need openpyxl", "pip install 'lindy[excel]'") from None
    return openpyxl


def _sheet(source: Source, book: Any, layout: Reading) -> Any:
    names = [sheet.title for sheet in book.worksheets]
    if not names:
        raise source.error("there is no sheet with cells", "Expected a table in an Excel workbook.")
    name = layout.sheet
    if name is None:
        trained = None if layout.like is None else layout.like.sheet
        return book[trained if trained in names else names[0]]
    if name in names:
        return book[name]
    listed = ", ".join(map(repr, names))
    raise source.error(f"no sheet {name!r}", f"{did_you_mean(name, names)}The sheets are: {listed}.")


def _rows(source: Source, sheet: Any) -> list[tuple[int, list[str]]]:
    """Return number and texts of every row that has a value.

    A cell far to the right makes a row of thousands of cells, and one takes more memory than the file has for it: both
    count as what is unpacked.
    """
    values = enumerate(sheet.iter_rows(values_only=True), start=1)
    rows, size = [], 0
    for line, row in ((line, [_text(value) for value in row]) for line, row in values):
        if any(row):
            rows.append((line, row))
            size += _ROW_BYTES + _CELL_BYTES * len(row) + sum(map(len, row))
            if size > source.most_unpacked:
                raise source.unpacks_too_far()
    return rows


def _without_result(source: Source, openpyxl: Any, title: str) -> Any | None:
    """Return the first formula without a stored result, as programs other than Excel write them: it looks empty."""
    with zipfile.ZipFile(io.BytesIO(source.read())) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        if not any(b"<f>" in (xml := archive.read(name)) or b"<f " in xml for name in sheets):
            return None
    formulas, results = (
        openpyxl.load_workbook(io.BytesIO(source.read()), read_only=True, data_only=only)[title].iter_rows()
        for only in (False, True)
    )
    known = {cell.coordinate for cell in chain.from_iterable(results) if cell.value is not None}
    cells = (cell for cell in chain.from_iterable(formulas) if cell.data_type == "f")
    return next((cell for cell in cells if cell.coordinate not in known), None)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return str(value.date())
    return str(value)  # of dates and times, as ISO has them


@contextmanager
def _temporary_files() -> Iterator[None]:
    """Say where openpyxl keeps rows until the workbook is complete, when there is no room for them."""
    try:
        yield
    except OSError as error:
        import tempfile

        folder = tempfile.gettempdir()
        raise OutputError(
            f"cannot write the temporary files of a workbook in {folder}: {error.strerror or error}",
            "Free some space there, or name another folder in the environment variable TMPDIR.",
            error.errno,
        ) from error


@contextmanager
def write(file: BinaryIO, _kind: str, name: str) -> Iterator[Callable[[Piece], None]]:
    """Yield the function that writes pieces to the only sheet of a workbook, which the file has at the end."""
    book: _ExcelWriter | None = None

    def add(piece: Piece) -> None:
        nonlocal book
        book = book or _ExcelWriter(file, names_of(piece), name)
        if isinstance(piece, dict):
            piece = {own: joined(column) for own, column in piece.items()}
        book.add(plain_rows(piece))

    yield add
    if book is not None:
        book.close()


class _ExcelWriter:
    """Writes rows of texts, numbers and None to the only sheet of a workbook; the file has them after ``close``."""

    def __init__(self, file: BinaryIO, names: Sequence[str], target: str) -> None:
        self._file = file
        self._target = target  # as the user wrote it, for errors
        self._book = _openpyxl().Workbook(write_only=True)
        self._sheet = self._book.create_sheet("Sheet1")
        self._n_rows = 0
        self.add([names])

    def add(self, rows: Iterable[Sequence[Any]]) -> None:
        """Write some rows."""
        for row in rows:
            self._n_rows += 1
            if self._n_rows > _MOST_ROWS:
                self._sheet.close()
                raise DataError(
                    f"{self._target}: there are more than {_MOST_ROWS:,} rows, which no Excel sheet can hold",
                    "Write CSV or Parquet.",
                )
            cells = [self._cell(value) for value in row]
            with _temporary_files():
                self._sheet.append(cells)

    def _cell(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.utils.exceptions import IllegalCharacterError

        what = f"is longer than {_LONGEST:,} characters" if len(value) > _LONGEST else ""
        try:
            cell = WriteOnlyCell(self._sheet, value)
        except IllegalCharacterError:
            what = "has a control character"
        if what:
            self._sheet.close()
            raise DataError(
                f"{self._target}, row {self._n_rows - 1}: a text {what}, which no Excel cell can hold",
                "Write CSV or Parquet.",
            )
        cell.data_type = "s"  # also where it begins with '='
        return cell

    def close(self) -> None:
        """Write the file."""
        packed = io.BytesIO()
        with _temporary_files():
            self._book.save(packed)
        self._file.write(packed.getvalue())
