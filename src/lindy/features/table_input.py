"""Tables as they come: Arrow tables, data frames, dictionaries of columns, lists of dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import is_sparse
from lindy.errors import DataError


def as_table(X: Any) -> Any:
    """Return a table as an Arrow table; a dictionary that holds no columns is a row."""
    import pyarrow as pa

    if isinstance(X, pa.Table):
        return X
    try:
        if isinstance(X, Mapping):
            lists = [hasattr(value, "__len__") and not isinstance(value, str) for value in X.values()]
            return pa.table(dict(X)) if any(lists) else pa.Table.from_pylist([dict(X)])
        if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns"):
            return pa.table(X)
        if hasattr(X, "columns"):
            return pa.Table.from_pandas(X, preserve_index=False)
        rows = None if is_sparse(X) else list(X)  # SciPy crashes on the way to the rows of a malformed matrix
        if rows is not None and all(isinstance(row, Mapping) for row in rows):
            return _from_rows(rows)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise DataError(
            f"the table cannot be read: {error}", "Every column needs values of one kind."
        ) from error
    raise DataError(
        f"expected a table, got {type(X).__name__}",
        "Give an Arrow table, a data frame, a dictionary of columns, or a list of dictionaries.",
    )


def _from_rows(rows: list[Mapping[str, Any]]) -> Any:
    """Return rows as a table that has every name that one of them has."""
    import pyarrow as pa

    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})


@dataclass(frozen=True)
class RowText:
    """The texts of one row, one under the other with their columns' names before them, as explanations show them."""

    row: Mapping[str, Any]
    text: str
    places: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, row: Mapping[str, Any], columns: list[str]) -> RowText:
        """Return the texts of some columns."""
        text, places = "", {}
        for name in columns:
            text += f"{name}: "
            value = row.get(name)
            own = "" if value is None else str(value)
            places[name] = (len(text), len(text) + len(own))
            text += f"{own}\n"
        return cls(row, text, places)

    def without(self, spans: NDArray[np.int64]) -> dict[str, Any]:
        """Return the row without some places of its texts."""
        row = dict(self.row)
        for name, (begin, end) in self.places.items():
            own = spans[(spans[:, 0] >= begin) & (spans[:, 1] <= end)]
            edges = [begin, *own.reshape(-1).tolist(), end]
            pairs = zip(edges[::2], edges[1::2], strict=True)
            row[name] = "".join(self.text[a:b] for a, b in pairs)
        return row
