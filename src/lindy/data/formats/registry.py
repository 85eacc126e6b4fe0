"""The names of the formats, their extensions, and the words of options; light, as commands list them at once."""

from __future__ import annotations

import os

TABLES = ("csv", "tsv", "jsonl", "parquet", "xlsx")
BINARY = ("parquet", "xlsx")
SPREADSHEETS = ("csv", "tsv", "xlsx")
"""Which spreadsheets open, see ``spreadsheets``."""
WITH_HEADER = ("csv", "tsv", "xlsx")
"""Which have a row with the names of their columns."""
FEATURE_FORMATS = ("vw", "review", "svmlight")
FOLDERS = ("folder", "mail")
LINES = ("jsonl", "lines", "fasttext", *FEATURE_FORMATS)
"""In which every row is a line."""

IN_PARTS = ("csv", "tsv", "jsonl", "parquet", "lines", "fasttext")
"""Whose rows can be read without those behind them, see ``parts``."""

FORMATS = (*TABLES, "lines", "fasttext", *FEATURE_FORMATS, *FOLDERS)
"""Tables, texts by the line, bags of words, and texts in files of their own."""
WRITABLE = tuple(name for name in FORMATS if name != "mail")

MERGES = ("spaces", "case", "none")
"""Which spellings of a label are merged, see ``label_cleaning``."""

_EXTENSIONS = {
    "csv": ".csv",
    "tsv": ".tsv .tab",
    "jsonl": ".jsonl .ndjson",
    "parquet": ".parquet",
    "xlsx": ".xlsx .xlsm",
    "lines": ".txt",
    "fasttext": ".ft .fasttext",
    "vw": ".vw",
    "review": ".review",
    "svmlight": ".svm .svmlight .libsvm",
    "mail": ".eml .mbox",
}
SUFFIXES = {suffix: name for name, suffixes in _EXTENSIONS.items() for suffix in suffixes.split()}
"""The format of each extension."""


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
