"""Files of feature rows as tables: a column of features with their values, as they are, and a column of labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from lindy import _native
from lindy.core.csr import as_csr
from lindy.core.feature_rows import FeatureRows
from lindy.data.chunks.source import Source
from lindy.data.columns.choose import Columns
from lindy.data.columns.table import Table
from lindy.data.formats.feature_lines import Collected, FeatureLine, no_row
from lindy.errors import DataError

FEATURES, LABEL = "features", "label"


def read_feature_table(source: Source, kind: str, threads: int | None = None) -> Table:
    """Read a file of a format of ``FEATURE_FORMATS``; the label column is left out if no row has a label."""
    import pyarrow as pa

    labels: Sequence[str | None]
    lines: Sequence[int | None] | None = None
    if kind == "svmlight":
        from lindy.data.formats.svmlight_feature_rows import svmlight_rows

        features, labels, remarks = svmlight_rows(source, threads)
    else:
        found = collected(source, kind)
        features, labels, lines = without_repeats(found.features), found.labels, found.lines
        remarks = found.remarks
    columns = {FEATURES: features}
    if any(label is not None for label in labels):
        columns[LABEL] = pa.chunked_array([pa.array(labels, pa.large_string())])
    locate = (lambda _row: None) if lines is None else lines.__getitem__
    kept = {"features": kind}
    if features.numbering is not None and features.numbering.labels:
        kept["labels"] = json.dumps(features.numbering.labels)
    return Table(
        source.path,
        list(columns),
        len(labels),
        columns.__getitem__,
        locate,
        remarks=remarks,
        has_bags=True,
        find=feature_columns,
        source=kept,
    )


def read_feature_lines(
    source: Source, kind: str, threads: int | None = None, *, words: bool = True
) -> Iterator[FeatureLine]:
    """Yield the rows of a format of ``FEATURE_FORMATS``; ``words`` leaves out what only tells namespaces apart."""
    if kind == "svmlight":
        from lindy.data.formats.svmlight_feature_rows import svmlight_lines

        return svmlight_lines(source, threads)
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


def without_repeats(features: FeatureRows) -> FeatureRows:
    """Return feature rows in which a feature that was named twice has the sum of its values."""
    rows = features.rows
    _, repeated = _native.check_csr(rows.indptr, rows.indices, rows.n_columns)
    if not repeated:
        return features
    return FeatureRows(as_csr(rows.to_scipy()), features.names, features.weight, features.numbering)


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
    features: FeatureRows = table.texts(FEATURES)
    why = f"{len(features.names):,} features with their values, as they are"
    label = LABEL if need_label or label else None
    return Columns(FEATURES, label, why + (", and the label of each line" if label else ""))
