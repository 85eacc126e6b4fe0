"""Tables in, the same rows with predictions out: read, predicted and answered piece by piece, in constant memory.

A thread reads the table as it comes, predicts the rows that are complete, and writes them to a ``Spool``, from which
the loop sends them. What is wrong with the first rows is a problem as with any request. Once rows have been sent, the
status has been too: a later error ends the answer before its end, which every client notices.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from lindy.data.batches import batches
from lindy.data.cutting import cut_tables
from lindy.data.delimited import DELIMITERS, complete_header
from lindy.data.examples import TextData, examples_of
from lindy.data.pieces import Column, delimited_writer, unused_name, words_of
from lindy.data.records import rows_of
from lindy.data.source import Source
from lindy.data.table import Table
from lindy.errors import LindyError
from lindy.evaluation.decisions import Decision
from lindy.web.limits import Limits
from lindy.web.messages import Share
from lindy.web.predicting import thresholds_of
from lindy.web.problems import Problem, from_error
from lindy.web.requests import Request, Response, too_large
from lindy.web.shelf import Served, Shelf
from lindy.web.spool import Spool

FORMATS = {
    b"text/csv": "csv",
    b"application/csv": "csv",
    b"text/tab-separated-values": "tsv",
    b"application/x-ndjson": "jsonl",
    b"application/jsonl": "jsonl",
    b"application/jsonlines": "jsonl",
}
_SENT_AS = {
    "csv": b"text/csv; charset=utf-8",
    "tsv": b"text/tab-separated-values; charset=utf-8",
    "jsonl": b"application/x-ndjson",
}
PARAMETERS = (
    ("model", "The name of a model; without it, the default one."),
    ("other", "A second model: its predictions are added too, and whether the two differ."),
    ("text", "The column with the texts; without it, that of the training table, or one that looks like it."),
    ("keep", "The columns to send back, with commas between them; without it, all."),
    ("threshold", "A label less probable than this is left empty: a number from 0 to 1."),
    ("thresholds", 'The same for single labels, as JSON: {"spam": 0.9}.'),
    ("spreadsheet_safe", "true: no cell of a CSV is a formula to a spreadsheet."),
)
_NOT_PLAIN = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PAR1", b"\xff\xfe", b"\xfe\xff")
_PIECE = 1 << 18  # bytes that are predicted together
_HELD = (
    1 << 20
)  # bytes of the answer that are made before the first is sent, so that small tables are right as a whole
_NAME = "the table"
_TRUTHS = ["false", "true"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the address asks for."""

    kind: str
    models: tuple[Served, ...]
    text: str | None
    keep: tuple[str, ...] | None
    decisions: tuple[Decision, ...]  # one for each model
    spreadsheet_safe: bool

    @classmethod
    def of(cls, request: Request, shelf: Shelf) -> Wish:
        """Return the wish of a request."""
        kind = FORMATS.get(request.content_type.partition(b";")[0].strip().lower())
        if kind is None:
            known = ", ".join(name.decode() for name in FORMATS)
            raise Problem(415, "not-a-table", f"send a table with one of these as Content-Type: {known}")
        query = request.query()
        if unknown := [name for name in query if name not in dict(PARAMETERS)]:
            raise Problem(400, "bad-query", f"there is no parameter {unknown[0][:100]!r} of a table")
        models = (shelf(query.get("model")), *([shelf(query["other"])] if "other" in query else []))
        for served in models:
            if served.takes == "features":
                raise Problem(
                    400, "wrong-inputs", f"the model {served.name!r} takes no tables; use /v1/predict"
                )
        keep = query.get("keep")
        return cls(
            kind,
            models,
            query.get("text"),
            None if keep is None else tuple(name for name in keep.split(",") if name),
            _decisions(query.get("threshold"), query.get("thresholds"), models),
            query.get("spreadsheet_safe", "").lower() in ("1", "true", "yes"),
        )

    def readers(self) -> list[_Reader]:
        """Return what reads the rows of a table for each model."""
        pairs = zip(self.models, self.decisions, strict=True)
        return [_Reader(served, self.text, decision) for served, decision in pairs]


def _decisions(
    threshold: str | None, thresholds: str | None, models: Sequence[Served]
) -> tuple[Decision, ...]:
    if threshold is None and thresholds is None:
        return tuple(Decision() for _ in models)
    try:
        common = 0.0 if threshold is None else msgspec.convert(threshold, Share, strict=False)
    except msgspec.ValidationError:
        raise Problem(400, "bad-query", "the threshold is not a number from 0 to 1") from None
    try:
        own = {} if thresholds is None else msgspec.json.decode(thresholds, type=dict[str, Share])
    except (msgspec.DecodeError, RecursionError):
        example = '{"spam": 0.9}, encoded as in any address'
        raise Problem(
            400, "bad-query", f"thresholds are not numbers from 0 to 1 by label: expected {example}"
        ) from None
    return tuple(thresholds_of(served, common, own) for served in models)


class Upload:
    """The body of a request, taken by a thread as it comes."""

    def __init__(self, request: Request, limits: Limits, loop: asyncio.AbstractEventLoop) -> None:
        self._parts = request.parts(limits.body_seconds)
        self._loop, self._left, self._most = loop, limits.table, limits.table

    def __call__(self) -> bytes:
        """Return the next bytes, b"" at the end."""
        return asyncio.run_coroutine_threadsafe(self._next(), self._loop).result()

    async def _next(self) -> bytes:
        taken = bytearray()
        async for part in self._parts:
            taken += part
            if len(taken) >= _PIECE:
                break
        self._left -= len(taken)
        if self._left < 0:
            raise too_large(self._most)
        return bytes(taken)


async def answer_table(
    request: Request,
    wish: Wish,
    limits: Limits,
    pool: Executor,
    done: Callable[[], None],
) -> Response:
    """Return the answer to a table, for which a thread of ``pool`` works; ``done`` is called when it has ended."""
    loop = asyncio.get_running_loop()
    spool, upload = Spool(loop), Upload(request, limits, loop)

    def run() -> None:
        try:
            _predict(upload, wish, spool, limits)
        except Problem as problem:
            spool.end(problem)
        except (LindyError, ValueError) as error:
            spool.end(from_error(error, "unusable-table"))
        except Exception as error:
            spool.end(error)
        else:
            spool.end()
        finally:
            loop.call_soon_threadsafe(done)

    loop.run_in_executor(pool, run)
    await spool.begun(_HELD)
    headers = ((b"content-type", _SENT_AS[wish.kind]), (b"cache-control", b"no-store"))
    return Response(200, headers, pieces=spool.pieces())


def _predict(upload: Upload, wish: Wish, spool: Spool, limits: Limits) -> None:
    first = upload()
    if first.startswith(_NOT_PLAIN):
        raise Problem(
            400,
            "unusable-table",
            "the table is not plain text in UTF-8; send it unpacked, as CSV or JSON Lines",
        )
    if wish.kind == "jsonl":
        _Objects(wish, spool).run(first, upload, limits.body)
        return
    arriving = chain([first], iter(upload, b""))
    source = Source.arriving(_NAME, limits.body)
    tables = cut_tables(source, wish.kind, lambda: next(arriving, b""), threads=1)
    delimiter = "\t"
    if wish.kind == "csv":
        found = complete_header(first, None)
        delimiter = found[1] if found and found[1] in DELIMITERS else ","
    write = delimited_writer(spool, delimiter, spreadsheet_safe=wish.spreadsheet_safe)
    readers = wish.readers()
    for table in tables:
        keep = _kept(wish, table)
        columns: dict[str, Column] = {name: words_of(table.column(name)) for name in keep}
        write(columns | _predictions(readers, table, columns))


class _Reader:
    """Takes from tables what a model predicts; the first one says which column holds the texts."""

    def __init__(self, served: Served, text: str | None, decision: Decision) -> None:
        self.served, self._text, self.decision = served, text, decision
        self._asked = text is not None

    def examples(self, table: Table) -> TextData:
        """Return the examples of a table."""
        classifier = self.served.classifier
        if self.served.columns is not None:
            if self._asked:
                raise Problem(
                    400, "bad-query", f"the model {self.served.name!r} takes several columns, not 'text'"
                )
            return rows_of(table, self.served.columns, None, need_label=False, trained=True)
        trained = classifier.columns_.get("text")
        text = self._text or (trained if trained in table.column_names else None)
        mail = self.served.mail_words if self.served.takes == "mail" else None
        examples = examples_of(table, text=text, need_label=False, mail=mail)
        self._text = examples.columns.text
        return examples

    def labels(self, table: Table) -> tuple[Any, Any, bool]:
        """Return class numbers (−1 for none), the probability or score of each, and which of the two it is."""
        parts = [self.served.classifier.answers(batch) for batch in batches(self.examples(table).texts)]
        codes = np.concatenate([self.decision(part) for part in parts])
        values = np.concatenate([part.values[np.arange(len(part.best)), part.best] for part in parts])
        return codes, values.astype(np.float64), parts[0].are_probabilities


def _predictions(readers: Sequence[_Reader], table: Table, taken: Iterable[str]) -> dict[str, Column]:
    """Return the columns that are added: ``prediction`` and ``probability``; of a second model too, and ``differs``."""
    made: dict[str, Column] = {}
    given: list[Any] = []
    for prefix, reader in zip(("", "other_"), readers, strict=False):
        codes, values, are_probabilities = reader.labels(table)
        names = np.array([*reader.served.labels, ""], object)
        given.append(names[codes])
        made[f"{prefix}prediction"] = (reader.served.labels, codes.astype(np.int64))
        made[f"{prefix}{'probability' if are_probabilities else 'score'}"] = values
    if len(readers) > 1:
        made["differs"] = (_TRUTHS, (given[0] != given[1]).astype(np.int64))
    return {unused_name(name, taken): column for name, column in made.items()}


def _kept(wish: Wish, table: Table) -> list[str]:
    if wish.keep is None:
        return table.column_names
    for name in wish.keep:
        if name not in table.column_names:
            raise table.no_such_column(name)
    return [name for name in table.column_names if name in wish.keep]


class _Objects:
    """JSON Lines: every object comes back with its values as they were, and the predictions behind them."""

    def __init__(self, wish: Wish, spool: Spool) -> None:
        self._wish, self._spool = wish, spool
        self._readers = wish.readers()
        self._encoder, self._lines = msgspec.json.Encoder(), 0

    def run(self, first: bytes, upload: Upload, longest: int) -> None:
        """Read, predict and write all lines."""
        n_rows = 0
        for lines in _whole_lines(first, upload, longest):
            rows = list(self._rows(lines))
            if rows:
                self._answer([number for number, _ in rows], [row for _, row in rows])
            n_rows += len(rows)
        if not n_rows:
            raise Problem(400, "unusable-table", f"{_NAME} has no rows")

    def _rows(self, lines: list[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects with the numbers of their lines."""
        for line in lines:
            self._lines += 1
            if not line.strip():
                continue
            place = f"{_NAME}, line {self._lines}"
            try:
                row = msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise Problem(400, "unusable-table", f"{place}: not JSON in UTF-8: {error}") from None
            if not isinstance(row, dict):
                raise Problem(400, "unusable-table", f"{place}: expected an object with columns")
            yield self._lines, row

    def _answer(self, lines: list[int], rows: list[dict[str, Any]]) -> None:
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = {name: [_as_text(row.get(name)) for row in rows] for name in names}
        table = Table.of(_NAME, columns, lambda row: lines[row])
        keep = names if self._wish.keep is None else _kept(self._wish, table)
        added = {name: _plain(column) for name, column in _predictions(self._readers, table, keep).items()}
        taken = set(keep)
        out = bytearray()
        for i, row in enumerate(rows):
            kept = row if self._wish.keep is None else {k: v for k, v in row.items() if k in taken}
            out += self._encoder.encode(kept | {name: column[i] for name, column in added.items()}) + b"\n"
        self._spool.write(bytes(out))


def _whole_lines(first: bytes, upload: Upload, longest: int) -> Iterator[list[bytes]]:
    """Yield lists of complete lines."""
    data = first
    while True:
        end = data.rfind(b"\n") + 1
        if end:
            yield data[: end - 1].split(b"\n")
            data = data[end:]
        elif len(data) > longest:
            raise Problem(413, "too-large", f"{_NAME} has a line of more than {longest:,} bytes")
        more = upload()
        if not more:
            break
        data += more
    if data:
        yield [data]


def _as_text(value: Any) -> str | None:
    """Return a value of JSON as a reader of tables takes it."""
    return value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()


def _plain(column: Column) -> list[Any]:
    """Return a column of predictions as JSON has it."""
    if not isinstance(column, tuple):
        return list(column) if isinstance(column, list) else column.tolist()
    words, codes = column
    values: list[Any] = [False, True] if words == _TRUTHS else [*words, None]
    return [values[k] for k in codes.tolist()]
