"""The formats: one entry each, which everybody reads; light, as commands list them at once.

The module of a format has the functions ``read`` and, unless it is not written, ``write``; it is imported when it is
used. What they get and return depends on what the format holds:

========  ========================================  =================================================================
holds     ``read``                                  ``write``
========  ========================================  =================================================================
table     ``(source, reading) → Tables``            ``(file, kind, name) → context: adds columns (`table_writer`)``
texts     ``(source, reading) → Tables``            ``(file, texts, labels, table) → remarks``
features  ``rows(source, threads) → Collected``     ``(file, feature rows, place, columns) → remarks``
files     ``(paths, reading) → Tables``             ``(path, texts, labels, table) → remarks``
========  ========================================  =================================================================

A reader yields chunks of about ``reading.size`` bytes, and the whole input as one chunk where that is None; a format
whose rows cannot be told before the end yields one chunk anyway, and is not ``is_chunked``.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lindy.data.chunks.bad_rows import BadRows
    from lindy.data.chunks.source import Source
    from lindy.data.columns.preparation import Preparation
    from lindy.data.columns.table import Table
    from lindy.data.mail import MailWords


class Reading(NamedTuple):
    """How an input of a format is read: see `lindy.data.read_chunks`.

    ``after`` is the ``end`` of an earlier chunk, behind which reading begins; ``is_guessed`` says that nobody named the
    format.
    """

    format: str = ""
    threads: int | None = None
    mail: MailWords | None = None
    encoding: str | None = None
    sheet: str | None = None
    header_row: int | None = None
    longest_row: int | None = None
    like: Preparation | None = None
    size: int | None = None
    bad: BadRows | None = None
    after: tuple[int, ...] | None = None
    is_guessed: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the table is where it is in any file: on no special sheet, below no row that was named."""
        return self.sheet is None and self.header_row is None and self.like is None


class Format(NamedTuple):
    """A format: its name, the extensions of its files, and a line of the help of ``lindy convert``.

    Formats with the same line share it. ``types`` are the content types under which the service takes it; ``magic`` are
    the first bytes of a binary format, which no text begins with.
    """

    name: str
    extensions: str
    about: str
    holds: str = "table"
    module: str = ""  # of this package, if it is not called as the format
    types: tuple[str, ...] = ()
    magic: bytes = b""
    other_names: str = ""
    has_header: bool = False  # whether a row has the names of the columns
    has_lines: bool = False  # whether every row is a line
    is_chunked: bool = False
    has_lists: bool = False
    is_writable: bool = True
    lines_of: str = ""  # the format whose lines it has, below a line of its own

    def chunks(self, source: Source, reading: Reading) -> Iterator[Table]:
        """Begin to read an input that is open and in UTF-8."""
        if reading.sheet is not None and self.name != "xlsx":
            raise source.error("only Excel workbooks have sheets", "Leave out `sheet=`.")
        if reading.header_row is not None and not self.has_header:
            raise source.error(
                f"a file of the format {self.name!r} has no header row", "Leave out `header_row=`."
            )
        source.rows_are_lines = self.has_lines
        module = FEATURES if self.holds == "features" else self
        tables: Iterator[Table] = module.imported().read(source, reading._replace(format=self.name))
        return tables

    def imported(self) -> Any:
        """Return its module."""
        name = self.module or self.name
        return importlib.import_module(name if "." in name else f"lindy.data.formats.{name}")


FEATURES = Format("", "", "", module="feature_row_tables")
"""Reads every format of features with values."""

_KEPT = "tables; all columns are kept"
_EXCEL = "Excel workbooks: the first sheet, or --sheet NAME, below titles; needs openpyxl"
_FOLDER = "a folder for each class, a file for each text; or a table in parts (.parquet, …)"
_MAIL = "mail, also in folders (of other names: --from mail): raw messages, to read only"
_JSONL = ("application/x-ndjson", "application/jsonl", "application/jsonlines")
_WORKBOOK = ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",)
_DELIMITED: dict[str, Any] = {"module": "csv", "has_header": True, "is_chunked": True}
_LINES: dict[str, Any] = {"has_lines": True, "is_chunked": True}
_FEATURES: dict[str, Any] = {"holds": "features", "has_lines": True}

# fmt: off
REGISTRY = {entry.name: entry for entry in (
    Format("csv", ".csv", _KEPT, types=("text/csv", "application/csv"), **_DELIMITED),
    Format("tsv", ".tsv .tab", _KEPT, types=("text/tab-separated-values",), **_DELIMITED),
    Format("jsonl", ".jsonl .ndjson", _KEPT, types=_JSONL, other_names="jsonlines ndjson", has_lists=True,
           **_LINES),
    Format("parquet", ".parquet", _KEPT, types=("application/vnd.apache.parquet",), magic=b"PAR1", is_chunked=True,
           has_lists=True),
    Format("xlsx", ".xlsx .xlsm", _EXCEL, module="excel", types=_WORKBOOK, magic=b"PK\x03\x04", has_header=True),
    Format("lines", ".txt", "lines: one text per line, without labels", "texts",
           types=("text/plain",), other_names="text", **_LINES),
    Format("fasttext", ".ft .fasttext", "fasttext: __label__positive A fine book.", "texts", **_LINES),
    Format("libmultilabel", "", "LibMultiLabel: id, labels and text, tabs between them", "texts", has_lines=True),
    Format("annif", "", "Annif: a text, a tab, and <uri> <uri>", "texts", has_lines=True),
    Format("vw", ".vw", "Vowpal Wabbit: positive | A fine book.", module="vowpal", other_names="vowpal", **_FEATURES),
    Format("review", ".review", "bags of words: fine:1 book:1 #label#:positive", **_FEATURES),
    Format("svmlight", ".svm .svmlight .libsvm", "svmlight: 1 3:1 7:1, and comments that name the columns",
           module="svmlight_feature_rows", other_names="libsvm", **_FEATURES),
    Format("extreme", "", "extreme classification: 3 10 5 for rows, columns and labels, then 1,4 3:1 7:1",
           lines_of="svmlight", **_FEATURES),
    Format("folder", "", _FOLDER, "files", other_names="directory"),
    Format("mail", ".eml .mbox", _MAIL, "files", module="lindy.data.mail.boxes", is_writable=False),
)}
# fmt: on


def _names(**wanted: Any) -> tuple[str, ...]:
    """Return the formats that have these."""
    return tuple(
        name
        for name, entry in REGISTRY.items()
        if all(getattr(entry, key) == value for key, value in wanted.items())
    )


FORMATS = tuple(REGISTRY)
"""Tables, texts by the line, feature rows, and texts in files of their own."""
TABLES, FEATURE_FORMATS, FOLDERS = _names(holds="table"), _names(holds="features"), _names(holds="files")
BINARY = tuple(name for name, entry in REGISTRY.items() if entry.magic)
SPREADSHEETS = _names(has_header=True)
"""Which spreadsheets open, see ``spreadsheets``."""
CHUNKED = _names(is_chunked=True)
"""Whose rows can be read without those behind them."""
WRITABLE = _names(is_writable=True)

MERGES = ("spaces", "case", "none")
"""Which spellings of a label are merged, see ``label_cleaning``."""

SUFFIXES = {suffix: name for name, entry in REGISTRY.items() for suffix in entry.extensions.split()}
"""The format of each extension."""


def listed_formats() -> str:
    """Return what the help of ``lindy convert`` says about the formats."""
    shown: dict[str, str] = {}
    for entry in REGISTRY.values():
        own = entry.extensions if entry.name == "mail" else entry.extensions.split(" ")[0]
        named = own or ("a folder" if entry.holds == "files" else f"--from {entry.name}")
        shown[entry.about] = f"{shown.get(entry.about, '')} {named}".lstrip()
    return "\n".join(f"  {extensions:<27} {about}" for about, extensions in shown.items())


def format_by_start(start: bytes) -> str | None:
    """Return the binary format that begins so; None for text."""
    return next((name for name in BINARY if start.startswith(REGISTRY[name].magic)), None)


def format_by_name(path: str) -> str | None:
    """Return the format that the name of a file tells, whether it is packed or not; None if it tells none."""
    return SUFFIXES.get(os.path.splitext(_unpacked(path))[1].lower())


def without_format(path: str) -> str:
    """Return the name of a file without the part that tells its format: ``sales.2024.csv.gz`` → ``sales.2024``."""
    unpacked = _unpacked(path)
    return os.path.splitext(unpacked)[0] if format_by_name(path) else unpacked


def _unpacked(path: str) -> str:
    name, suffix = os.path.splitext(path)
    return name if suffix.lower() in (".gz", ".zst") else path
