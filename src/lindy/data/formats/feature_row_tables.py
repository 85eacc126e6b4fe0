"""Files of bags as tables: a column of features with their values, as they are, and a column of labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from lindy import _native
from lindy.core.csr import as_csr
from lindy.core.feature_rows import FeatureRows
from lindy.data.chunks.source import Source
from lindy.data.columns.choose import Columns
from lindy.data.columns.table import Table
from lindy.data.formats.feature_lines import Bag, Collected, no_row
from lindy.errors import DataError

FEATURES, LABEL = "features", "label"


def read_bag_table(source: Source, kind: str, threads: int | None = None) -> Table:
    """Read a file of a format of ``BAGS``; the label column is left out if no row has a label."""
    import pyarrow as pa

    labels: Sequence[str | None]
    lines: Sequence[int | None] | None = None
    if kind == "svmlight":
        from lindy.data.formats.svmlight_feature_rows import svmlight_rows

        bags, labels, remarks = svmlight_rows(source, threads)
    else:
        found = collected(source, kind)
        bags, labels, lines = without_repeats(found.bags), found.labels, found.lines
        remarks = found.remarks
    columns = {FEATURES: bags}
    if any(label is not None for label in labels):
        columns[LABEL] = pa.chunked_array([pa.array(labels, pa.large_string())])
    locate = (lambda _row: None) if lines is None else lines.__getitem__
    kept = {"features": kind}
    if bags.numbering is not None and bags.numbering.labels:
        kept["labels"] = json.dumps(bags.numbering.labels)
    return Table(
        source.path,
        list(columns),
        len(labels),
        columns.__getitem__,
        locate,
        remarks=remarks,
        has_bags=True,
        find=bag_columns,
        source=kept,
    )


def read_bags(source: Source, kind: str, threads: int | None = None, *, words: bool = True) -> Iterator[Bag]:
    """Yield the rows of a format of ``BAGS``; ``words`` leaves out what only tells namespaces apart."""
    if kind == "svmlight":
        from lindy.data.formats.svmlight_feature_rows import svmlight_bags

        return svmlight_bags(source, threads)
    return collected(source, kind, spaces=not words).each()


def collected(source: Source, kind: str, *, spaces: bool = True) -> Collected:
    """Read Vowpal Wabbit or ``.review`` lines."""
    if kind == "vw":
        from lindy.data.formats.vowpal import vowpal_rows

        found = vowpal_rows(source, spaces)
    else:
        from lindy.data.formats.review import review_rows

        found = review_rows(source)
    if not found.labels:
        raise no_row(source)
    return found


def without_repeats(bags: FeatureRows) -> FeatureRows:
    """Return bags in which a feature that was named twice has the sum of its values."""
    rows = bags.rows
    _, repeated = _native.check_csr(rows.indptr, rows.indices, rows.n_columns)
    if not repeated:
        return bags
    return FeatureRows(as_csr(rows.to_scipy()), bags.names, bags.weight, bags.numbering)


def bag_columns(table: Table, text: str | None, label: str | None, need_label: bool) -> Columns:
    """Say what is taken of a table of bags; see `find_columns`."""
    if text not in (None, FEATURES) or label not in (None, LABEL):
        wrong, option = (text, "`text=`") if text not in (None, FEATURES) else (label, "`label=`")
        raise DataError(
            f"{table.name}: no column {wrong!r}: its lines are features with values, and a label",
            f"Leave out {option}.",
        )
    if need_label and LABEL not in table.column_names:
        raise DataError(f"{table.name}: no line has a label", "Give every line its label.")
    bags: FeatureRows = table.texts(FEATURES)
    why = f"{len(bags.names):,} features with their values, as they are"
    label = LABEL if need_label or label else None
    return Columns(FEATURES, label, why + (", and the label of each line" if label else ""))
