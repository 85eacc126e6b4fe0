"""Files of feature rows as tables: a column of features with their values, as they are, and a column of labels."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lindy import _native
from lindy.core.csr import as_csr
from lindy.core.feature_rows import FeatureRows
from lindy.data.chunks.source import Source
from lindy.data.columns.choose import Columns
from lindy.data.columns.table import Table
from lindy.data.formats.feature_lines import Collected, no_row
from lindy.data.formats.registry import REGISTRY, Reading
from lindy.errors import DataError

FEATURES, LABEL = "features", "label"


def read(source: Source, reading: Reading) -> Iterator[Table]:
    """Read a file of features, which is one chunk; the label column is left out if no row has a label."""
    import pyarrow as pa

    found = collected(source, reading.format, reading.threads)
    examples, labels = without_repeats(found.features), found.labels
    columns = {FEATURES: examples}
    if any(label is not None for label in labels):
        columns[LABEL] = pa.chunked_array([pa.array(labels, pa.large_string())])
    locate = (lambda _row: None) if found.lines is None else found.lines.__getitem__
    own = REGISTRY[reading.format].lines_of or reading.format
    kept = {"features": own} | ({"label_separator": found.separator} if found.separator else {})
    if examples.numbering is not None and examples.numbering.labels:
        kept["labels"] = json.dumps(examples.numbering.labels)
    yield Table(
        source.path,
        list(columns),
        len(labels),
        columns.__getitem__,
        locate,
        remarks=found.remarks,
        kind="features",
        find=feature_columns,
        source=kept,
    )


def collected(source: Source, kind: str, threads: int | None = None, *, spaces: bool = True) -> Collected:
    """Read the rows of a format of ``FEATURE_FORMATS``; ``spaces`` keeps what only tells namespaces apart."""
    found: Collected = REGISTRY[kind].imported().rows(source, threads, spaces=spaces)
    if not found.labels:
        raise no_row(source)
    return found


def without_repeats(examples: FeatureRows) -> FeatureRows:
    """Return feature rows in which a feature that was named twice has the sum of its values."""
    rows = examples.rows
    _, repeated = _native.check_csr(rows.indptr, rows.indices, rows.n_columns)
    if not repeated:
        return examples
    return FeatureRows(as_csr(rows.to_scipy()), examples.names, examples.weight, examples.numbering)


def feature_columns(table: Table, text: str | None, label: str | None, need_label: bool) -> Columns:
    """Say what is taken of a table of feature rows; see `find_columns`."""
    if text not in (None, FEATURES) or label not in (None, LABEL):
        wrong, option = (text, "`text=`") if text not in (None, FEATURES) else (label, "`label=`")
        raise DataError(
            f"{table.name}: no column {wrong!r}: its lines are features with values, and a label",
            f"Leave out {option}.",
        )
    if need_label and LABEL not in table.column_names:
        raise DataError(f"{table.name}: no line has a label", "Give every line its label.")
    examples: FeatureRows = table.texts(FEATURES)
    why = f"{len(examples.names):,} features with their values, as they are"
    label = LABEL if need_label or label else None
    return Columns(FEATURES, label, why + (", and the label of each line" if label else ""))
