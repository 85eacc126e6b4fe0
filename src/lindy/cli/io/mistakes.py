"""``lindy evaluate --mistakes``: wrong predictions, which wait on disk until it is known which is the surest."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import table_format

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import TextData
    from lindy.data.write.table_writer import Column
    from lindy.evaluation.predictions import Predictions

_WRITTEN_AT_ONCE = 4096  # rows


class Mistakes:
    """Rows whose prediction is not their label; ``id_column`` names them."""

    def __init__(self, id_column: str | None) -> None:
        import numpy as np

        from lindy.data.chunks.disk_array import DiskArray

        self.n = 0
        self._id = id_column
        self._lines, self._ends = DiskArray(np.uint8), DiskArray(np.int64)
        self._confidence = DiskArray(np.float64)
        self._measure = "score"
        self._known = ["row"]  # what is known of a row besides its label

    def add(
        self,
        examples: TextData,
        numbers: NDArray[Any],
        wrong: NDArray[Any],
        predicted: Predictions,
        start: int,
        labels: list[str],
    ) -> None:
        """Keep the rows that are wrong in a batch of the examples, which begins with row ``start``."""
        import numpy as np

        from lindy.core.column import take_rows
        from lindy.data.columns.row_ids import RowNames
        from lindy.evaluation.audit.fixes import sheet_text

        self._measure = predicted.measure
        names = RowNames(examples.table, self._id)
        self._known = ["row", *["line"] * names.has_lines, *["id"] * names.has_ids]
        if not len(wrong):
            return
        said = predicted.labels(np.array(labels, object))
        texts = take_rows(examples.inputs.written, start + wrong).to_pylist()
        for k, name, text in zip(wrong.tolist(), names((start + wrong).tolist()), texts, strict=True):
            own = [name.row, name.line, name.id, int(numbers[k]), _cell(said[k]), sheet_text(text)]
            self._lines.add(np.frombuffer(json.dumps(own).encode(), np.uint8))
            self._ends.add(np.array([len(self._lines)]))
        self._confidence.add(predicted.confidence[wrong])
        self.n += len(wrong)

    def write(self, args: argparse.Namespace, names: list[str]) -> None:
        """Write them, the surest first; ``names`` has the label of each number."""
        import numpy as np

        from lindy.data.write.table_writer import writing_pieces

        confidence = self._confidence.read(0, self.n)
        order = np.argsort(-confidence, kind="stable")
        ends = np.append(0, self._ends.read(0, self.n))
        kind = table_format(args.mistakes, "--mistakes")
        with writing_pieces(args.mistakes, kind, spreadsheet_safe=args.spreadsheet_safe) as write:
            for start in range(0, max(self.n, 1), _WRITTEN_AT_ONCE):
                rows = order[start : start + _WRITTEN_AT_ONCE]
                found = [json.loads(self._lines.read(ends[k], ends[k + 1]).tobytes()) for k in rows.tolist()]
                write(self._piece(found, names, confidence[rows]))

    def _piece(self, found: list[list[Any]], names: list[str], confidence: NDArray[Any]) -> dict[str, Column]:
        import numpy as np

        from lindy.data.write.table_writer import column_of

        made: dict[str, Column] = {}
        for place, name in enumerate(("row", "line", "id")):
            if name in self._known:
                own = [row[place] for row in found]
                made[name] = column_of(own) if name == "id" else np.array([n or -1 for n in own], np.int64)
        return made | {
            "label": column_of(names[row[3]] for row in found),
            "predicted": column_of(row[4] for row in found),
            self._measure: confidence,
            "text": column_of(row[5] for row in found),
        }


def _cell(said: str | tuple[str, ...]) -> str:
    """Return what a row was given; several labels are one cell."""
    from lindy.data.write.table_writer import SEPARATOR

    return said if isinstance(said, str) else SEPARATOR.join(said)
