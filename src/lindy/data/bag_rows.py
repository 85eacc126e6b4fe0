"""Files of bags as tables: a column of features with their values, as they are, and a column of labels."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lindy import _native
from lindy.bags import Bags
from lindy.csr import Csr, as_csr
from lindy.data.bags import Bag, no_row
from lindy.data.columns import Columns
from lindy.data.source import Source
from lindy.data.table import Table
from lindy.errors import DataError

if TYPE_CHECKING:
    from lindy.data.label_cleaning import LabelRules

FEATURES, LABEL = "features", "label"


def read_bag_table(source: Source, kind: str, threads: int | None = None) -> Table:
    """Read a file of a format of ``BAGS``; the label column is left out if no row has a label."""
    labels: Sequence[str | None]
    lines: Sequence[int | None] | None = None
    if kind == "svmlight":
        from lindy.data.svmlight_bags import svmlight_rows

        bags, labels = svmlight_rows(source, threads)
    else:
        from lindy.data.read import read_bags

        bags, labels, lines = _collected(read_bags(source, kind, threads, words=False))
        if not labels:
            raise no_row(source)
    import pyarrow as pa

    columns = {FEATURES: bags}
    if any(label is not None for label in labels):
        columns[LABEL] = pa.chunked_array([pa.array(labels, pa.large_string())])
    remarks = ()
    return Table(
        source.path,
        list(columns),
        len(labels),
        columns.__getitem__,
        (lambda _row: None) if lines is None else lines.__getitem__,
        remarks=remarks,
        has_bags=True,
    )


def _collected(bags: Iterable[Bag]) -> tuple[Bags, list[str | None], list[int | None]]:
    """Return bags as one column, with labels and lines; a feature that a bag names twice has the sum of its values."""
    columns: dict[str, int] = {}
    indices, values, ends = array("i"), array("d"), array("q", [0])
    labels, lines, weights = [], [], array("d")
    for bag in bags:
        for name, value in bag.pairs:
            indices.append(columns.setdefault(name, len(columns)))
            values.append(value)
        ends.append(len(indices))
        labels.append(bag.label)
        lines.append(bag.line)
        weights.append(bag.weight)
    rows = Csr(
        np.array(ends, np.int64), np.array(indices, np.int32), np.array(values, np.float64), len(columns)
    )
    if _native.check_csr(rows.indptr, rows.indices, max(rows.n_columns, 1))[1]:
        rows = as_csr(rows.to_scipy())
    weight = np.array(weights, np.float64)
    return Bags(rows, list(columns), None if (weight == 1).all() else weight), labels, lines


def bag_columns(table: Table, text: str | None, label: str | None, need_label: bool) -> Columns:
    """Say what is taken of a table of bags; see `find_columns`."""
    if text not in (None, FEATURES) or label not in (None, LABEL):
        wrong, option = (text, "--text") if text not in (None, FEATURES) else (label, "--label")
        raise DataError(
            f"{table.name}: no column {wrong!r}: its lines are features with values, and a label",
            f"Leave out {option}.",
        )
    if need_label and LABEL not in table.column_names:
        raise DataError(f"{table.name}: no line has a label", "Give every line its label.")
    bags: Bags = table.texts(FEATURES)
    why = f"{len(bags.names):,} features with their values, as they are"
    label = LABEL if need_label or label else None
    return Columns(FEATURES, label, why + (", and the label of each line" if label else ""))
