"""Readers: from a file to Arrow columns of text and labels.

::

    file ──source──▶ bytes ──delimited | jsonl | parquet | lines | fasttext──▶ Table ──columns──▶ which column is what
                       └──vowpal | review | svmlight──▶ lines ──as words──▶──┤   ├──examples──▶ TextData (texts, labels)
    folder ───────────────────────────────────────────────────────────▶─────┘   └──write──▶ a file of another format

Values are text exactly as written: ``NA`` stays ``"NA"``, ``01`` stays ``"01"``. They stay in Arrow's memory and
are never Python strings on the way to the core. Whatever cannot be used is a `lindy.errors.DataError` that says
the file, the line and what to do.
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.data import samples as samples
    from lindy.data.chunks.chunks import Chunks as Chunks
    from lindy.data.chunks.chunks import begin_table as begin_table
    from lindy.data.chunks.chunks import read_chunks as read_chunks
    from lindy.data.chunks.chunks import read_table as read_table
    from lindy.data.columns.choose import Columns as Columns
    from lindy.data.columns.choose import find_columns as find_columns
    from lindy.data.columns.examples import TextData as TextData
    from lindy.data.columns.examples import examples_of as examples_of
    from lindy.data.columns.examples import read_examples as read_examples
    from lindy.data.columns.fingerprints import fingerprint as fingerprint
    from lindy.data.columns.table import Table as Table
    from lindy.data.formats.registry import FORMATS as FORMATS
    from lindy.data.formats.svmlight import NumericData as NumericData
    from lindy.data.formats.svmlight import read_svmlight as read_svmlight
    from lindy.data.formats.svmlight import write_svmlight as write_svmlight
    from lindy.data.splits.split import count_leaks as count_leaks
    from lindy.data.splits.split import folds as folds
    from lindy.data.splits.split import split as split
    from lindy.data.splits.split_policy import Division as Division
    from lindy.data.splits.split_policy import SplitPolicy as SplitPolicy
    from lindy.data.toy_data import ToyData as ToyData
    from lindy.data.toy_data import toy_gaussians as toy_gaussians
    from lindy.data.toy_data import toy_shape as toy_shape
    from lindy.data.write.convert import convert as convert
    from lindy.data.write.convert import write_table as write_table
