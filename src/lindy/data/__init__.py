"""Readers: from a file to Arrow columns of text and labels.

::

    file ──source──▶ bytes ──delimited | jsonl | parquet | lines | fasttext──▶ Table ──columns──▶ which column is what
                       └──vowpal | review | svmlight──▶ Bags ──as words──▶──┤   ├──examples──▶ TextData (texts, labels)
    folder ───────────────────────────────────────────────────────────▶─────┘   └──write──▶ a file of another format

Values are text exactly as written: ``NA`` stays ``"NA"``, ``01`` stays ``"01"``. They stay in Arrow's memory and
are never Python strings on the way to the core. Whatever cannot be used is a `lindy.errors.DataError` that says
the file, the line and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.data import samples
    from lindy.data.chunks.chunks import Chunks, begin_table, read_chunks, read_table
    from lindy.data.columns.choose import Columns, find_columns
    from lindy.data.columns.examples import TextData, examples_of, read_examples
    from lindy.data.columns.fingerprints import fingerprint
    from lindy.data.columns.table import Table
    from lindy.data.formats.registry import FORMATS
    from lindy.data.formats.svmlight import NumericData, read_svmlight, write_svmlight
    from lindy.data.gaussians import ToyData, toy_gaussians
    from lindy.data.shapes import toy_shape
    from lindy.data.splits.split import count_leaks, folds, split
    from lindy.data.splits.split_policy import Division, SplitPolicy
    from lindy.data.write.convert import convert, write_table

__all__ = [
    "FORMATS",
    "Chunks",
    "Columns",
    "Division",
    "NumericData",
    "SplitPolicy",
    "Table",
    "TextData",
    "ToyData",
    "begin_table",
    "convert",
    "count_leaks",
    "examples_of",
    "find_columns",
    "fingerprint",
    "folds",
    "read_chunks",
    "read_examples",
    "read_svmlight",
    "read_table",
    "samples",
    "split",
    "toy_gaussians",
    "toy_shape",
    "write_svmlight",
    "write_table",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "columns.choose": "Columns find_columns",
        "splits.split_policy": "Division SplitPolicy",
        "columns.examples": "TextData examples_of read_examples",
        "columns.fingerprints": "fingerprint",
        "formats.registry": "FORMATS",
        "gaussians": "ToyData toy_gaussians",
        "chunks.chunks": "Chunks begin_table read_chunks read_table",
        "shapes": "toy_shape",
        "splits.split": "count_leaks folds split",
        "formats.svmlight": "NumericData read_svmlight write_svmlight",
        "columns.table": "Table",
        "write.convert": "convert write_table",
    },
    rooms="samples",
)
