"""Tables in, the same rows with predictions out: read, predicted and answered piece by piece, in constant memory.

A thread reads the table as it comes, predicts the rows that are complete, and writes them to a ``Spool``, from which
the loop sends them. What is wrong with the first rows is a problem as with any request. Once rows have been sent, the
status has been too: a later error ends the answer before its end, which every client notices.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from lindy.data.chunks.chunks import read_chunks
from lindy.data.columns.examples import TextData, examples_of
from lindy.data.columns.preparation import Preparation
from lindy.data.columns.records import rows_of
from lindy.data.columns.table import Table
from lindy.data.formats.csv_header import DELIMITERS, first_rows
from lindy.data.write.table_writer import Column, piece_writer, words_of
from lindy.errors import LindyError
from lindy.evaluation.decisions import LabelLimits
from lindy.evaluation.predictions import PredictionColumns, unused_name
from lindy.web.http.problems import Problem, from_error, full_disk, without_options
from lindy.web.http.request_limits import Limits
from lindy.web.http.requests import Request, Response
from lindy.web.messages import Share
from lindy.web.model_registry import LoadedModel, ModelRegistry
from lindy.web.predicting import Decide, as_set, decision_of
from lindy.web.spool import Spool
from lindy.web.uploads import NAME, Upload, format_of, opened

_SENT_AS = {
    "csv": b"text/csv; charset=utf-8",
    "tsv": b"text/tab-separated-values; charset=utf-8",
    "jsonl": b"application/x-ndjson",
    "xlsx": b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_ASKED_FOR = ("csv", "tsv", "jsonl")
PARAMETERS = (
    ("model", "The name of a model; without it, the default one."),
    ("other", "A second model: its predictions are added too, and whether the two differ."),
    ("name", "The name of the file, which tells the format of a body of application/octet-stream."),
    ("text", "The column with the texts; without it, that of the training table, or one that looks like it."),
    (
        "header",
        "no: the first line of a CSV or TSV is data; yes: it names the columns; without it, it is looked at.",
    ),
    ("sheet", "The sheet of a workbook; without it, that of the training table, or the first."),
    ("keep", "The columns to send back, with commas between them; without it, all."),
    ("to", "csv, tsv or jsonl: the format of the answer; without it, that of the table, or CSV."),
    ("threshold", "A label less probable than this is left empty: a number from 0 to 1."),
    ("thresholds", 'The same for single labels, as JSON: {"spam": 0.9}.'),
    (
        "at_least_one",
        "true: of several labels, the most probable one is given where none reaches its threshold.",
    ),
    ("at_most", "Of several labels, so many are given at most, the most probable."),
    ("spreadsheet_safe", "true: no cell of a CSV is a formula to a spreadsheet."),
)
_HELD = (
    1 << 20
)  # bytes of the answer that are made before the first is sent, so that small tables are right as a whole
_TRUTHS = ["false", "true"]
_MOST_REMARKS, _LONGEST_REMARK = 10, 300
_YES, _NO = ("1", "true", "yes"), ("0", "false", "no")


@dataclass(frozen=True, slots=True)
class Wish:
    """The options in the address of a request."""

    kind: str | None
    models: tuple[LoadedModel, ...]
    text: str | None
    header: bool | None
    sheet: str | None
    keep: tuple[str, ...] | None
    to: str | None
    decisions: tuple[Decide, ...]  # one for each model
    spreadsheet_safe: bool

    @classmethod
    def of(cls, request: Request, shelf: ModelRegistry) -> Wish:
        """Return the wish of a request."""
        query = request.query()
        kind = format_of(request, query.get("name"))
        if unknown := [name for name in query if name not in dict(PARAMETERS)]:
            known = ", ".join(dict(PARAMETERS))
            raise Problem(
                400, "bad-query", f"there is no parameter {unknown[0][:100]!r} of a table; there are {known}"
            )
        models = (shelf(query.get("model")), *([shelf(query["other"])] if "other" in query else []))
        for served in models:
            served.check_tables(f"the model {served.name!r} takes no tables; use /v1/predict")
        keep, to, header = query.get("keep"), query.get("to"), query.get("header", "").lower()
        if to not in (None, *_ASKED_FOR):
            raise Problem(
                400, "bad-query", f"an answer cannot be {to[:100]!r}; ask for {', '.join(_ASKED_FOR)}"
            )
        return cls(
            kind,
            models,
            query.get("text"),
            False if header in _NO else True if header in _YES or "text" in query else None,
            query.get("sheet"),
            None if keep is None else tuple(name for name in keep.split(",") if name),
            to,
            _decisions(query, models),
            query.get("spreadsheet_safe", "").lower() in _YES,
        )

    def readers(self) -> list[_Reader]:
        """Return what reads the rows of a table for each model."""
        pairs = zip(self.models, self.decisions, strict=True)
        return [_Reader(served, self.text, decision) for served, decision in pairs]


def _decisions(query: dict[str, str], models: Sequence[LoadedModel]) -> tuple[Decide, ...]:
    threshold, thresholds, at_most = map(query.get, ("threshold", "thresholds", "at_most"))
    try:
        common = None if threshold is None else msgspec.convert(threshold, Share, strict=False)
    except msgspec.ValidationError:
        raise Problem(400, "bad-query", "the threshold is not a number from 0 to 1") from None
    if at_most is not None and not (at_most.isascii() and at_most.isdecimal() and int(at_most)):
        raise Problem(400, "bad-query", "at_most is not a number of labels, which is 1 or more")
    limits = LabelLimits(
        query.get("at_least_one", "").lower() in _YES, None if at_most is None else int(at_most)
    )
    try:
        own = None if thresholds is None else msgspec.json.decode(thresholds, type=dict[str, Share])
    except (msgspec.DecodeError, RecursionError):
        example = '{"spam": 0.9}, encoded as in any address'
        raise Problem(
            400, "bad-query", f"thresholds are not numbers from 0 to 1 by label: expected {example}"
        ) from None
    return tuple(decision_of(served, common, own, limits) for served in models)


@dataclass(slots=True)
class _Answer:
    """The head of an answer, known before it is sent: its format, and remarks on how the table was read."""

    kind: str = "csv"
    remarks: list[str] = field(default_factory=list)

    def remark(self, said: Iterable[str]) -> None:
        self.remarks += [
            remark for remark in map(without_options, said) if remark and remark not in self.remarks
        ]

    def headers(self, models: Sequence[LoadedModel]) -> tuple[tuple[bytes, bytes], ...]:
        versions = ", ".join(served.version for served in models)
        made = [
            (b"content-type", _SENT_AS[self.kind]),
            (b"cache-control", b"no-store"),
            (b"lindy-model-version", versions.encode()),
        ]
        if self.remarks:
            listed = [remark[:_LONGEST_REMARK] for remark in self.remarks[:_MOST_REMARKS]]
            made.append((b"lindy-remarks", json.dumps(listed).encode()))
        return tuple(made)


async def answer_table(
    request: Request,
    wish: Wish,
    limits: Limits,
    pool: Executor,
    done: Callable[[], None],
) -> Response:
    """Return the answer to a table, for which a thread of ``pool`` works; ``done`` is called when it has ended."""
    loop = asyncio.get_running_loop()
    try:
        spool = Spool(loop)
    except OSError:
        done()
        raise
    upload, answer = Upload(request, limits, loop), _Answer()

    def run() -> None:
        try:
            _predict(upload, wish, spool, limits, answer)
        except Problem as problem:
            spool.end(problem)
        except (LindyError, ValueError) as error:
            spool.end(from_error(error, "unusable-table"))
        except OSError as error:
            spool.end(full_disk(error) or error)
        except Exception as error:
            spool.end(error)
        else:
            spool.end()
        finally:
            loop.call_soon_threadsafe(done)

    loop.run_in_executor(pool, run)
    # a table that is small as a whole is answered as a whole, with all remarks
    is_small = request.content_length is not None and request.content_length <= limits.body
    await spool.begun(None if is_small else _HELD)
    return Response(200, answer.headers(wish.models), pieces=spool.pieces())


_ONE_WHOLE = threading.Lock()
"""Tables that must be read as a whole are read one after the other: of a small workbook a large table can come."""


def _predict(upload: Upload, wish: Wish, spool: Spool, limits: Limits, answer: _Answer) -> None:
    arriving, remarks = opened(
        upload, wish.kind, wish.models, limits, header=wish.header, cut=wish.sheet is None
    )
    answer.remark(remarks)
    answer.kind = wish.to or (arriving.kind if arriving.kind in _SENT_AS else "csv")
    delimiter = None
    if arriving.kind == answer.kind == "csv":
        found = first_rows(arriving.start, None, 1)[1]
        delimiter = found if found in DELIMITERS else None
    readers = wish.readers()
    is_json = arriving.is_cut and arriving.kind == answer.kind == "jsonl"
    objects = _Objects(spool) if is_json else None
    turn = nullcontext() if arriving.is_cut else _ONE_WHOLE
    writing = piece_writer(
        spool, answer.kind, NAME, delimiter=delimiter, spreadsheet_safe=wish.spreadsheet_safe
    )
    with turn, writing as write:
        arriving.heard = None if objects is None else objects.hear
        like = Preparation.of(wish.models[0].classifier)
        for table in read_chunks(arriving, threads=1, sheet=wish.sheet, like=like):
            answer.remark((*table.remarks, *table.losses))
            keep = table.column_names if wish.keep is None else table.in_order(wish.keep)
            if objects is not None:
                objects.write(table, _predictions(readers, table, keep), None if wish.keep is None else keep)
            else:
                columns: dict[str, Column] = {name: words_of(table.column(name)) for name in keep}
                write(columns | _predictions(readers, table, columns))
            for reader in readers:
                answer.remark(reader.remarks)


class _Reader:
    """Takes from tables what a model predicts; the first one says which column holds the texts."""

    def __init__(self, served: LoadedModel, text: str | None, decision: Decide) -> None:
        self.served, self._text, self.decision = served, text, decision
        self._asked = text is not None
        self.remarks: list[str] = []

    def examples(self, table: Table) -> TextData:
        """Return the examples of a table."""
        if self.served.columns is not None:
            if self._asked:
                raise Problem(
                    400, "bad-query", f"the model {self.served.name!r} takes several columns, not 'text'"
                )
            return rows_of(table, self.served.columns, None, need_label=False, trained=True)
        trained = self.served.classifier.columns_.get("text")
        text = self._text or (trained if trained in table.column_names else None)
        mail = self.served.mail_words
        examples = examples_of(table, text=text, need_label=False, mail=mail)
        if text is None:
            self.remarks.append(f"{NAME}: {examples.columns.why}")
        self.remarks += examples.table.remarks
        self._text = examples.columns.text
        return examples

    def columns(self, table: Table, taken: Container[str], prefix: str) -> dict[str, Column]:
        """Return the columns of predictions; of the values of many classes no more than a batch at a time."""
        model = self.served.classifier
        broader = self.served.all_labels[len(self.served.labels) :]
        columns = PredictionColumns(self.served.labels, prefix=prefix, broader=broader)
        chunks = self.examples(table).inputs.chunks()
        parts: list[Any] = [columns(self.decision(model.predictions(own)), taken) for own in chunks]
        return {name: _concatenated([part[name] for part in parts]) for name in parts[0]}


def _concatenated(parts: list[Any]) -> Column:
    if isinstance(parts[0], tuple):
        return parts[0][0], np.concatenate([codes for _, codes in parts])
    return list(chain(*parts)) if isinstance(parts[0], list) else np.concatenate(parts)


def _predictions(readers: Sequence[_Reader], table: Table, taken: Container[str]) -> dict[str, Column]:
    """Return the columns that are added: ``label`` and ``probability``; of a second model too, and ``differs``."""
    made: dict[str, Column] = {}
    labels = []
    for prefix, reader in zip(("", "other_"), readers, strict=False):
        own = reader.columns(table, taken, prefix)
        labels.append(_plain(next(iter(own.values()))))
        made |= own
    if len(readers) > 1:
        differs = [as_set(one) != as_set(other) for one, other in zip(*labels, strict=True)]
        made |= {unused_name("differs", taken): (_TRUTHS, np.array(differs, np.int64))}
    return made


class _Objects:
    """JSON Lines: every object comes back with its values as they were, and the predictions behind them."""

    def __init__(self, spool: Spool) -> None:
        self._spool, self._text = spool, b""
        self._encoder = msgspec.json.Encoder()

    def hear(self, text: bytes) -> None:
        """Keep lines that are about to be read."""
        self._text += text

    def write(self, table: Table, added: dict[str, Column], keep: Sequence[str] | None) -> None:
        """Write the objects of a table, which are the next lines that are not blank."""
        columns = {name: _plain(column) for name, column in added.items()}
        out = bytearray()
        for i, line in enumerate(self._next(table.num_rows)):
            row = msgspec.json.decode(line)
            kept = row if keep is None else {name: value for name, value in row.items() if name in keep}
            out += self._encoder.encode(kept | {name: column[i] for name, column in columns.items()}) + b"\n"
        self._spool.write(bytes(out))

    def _next(self, number: int) -> Iterator[bytes]:
        begin = 0
        while number:
            end = self._text.find(b"\n", begin)
            end = len(self._text) if end < 0 else end
            line = self._text[begin:end].removeprefix(b"\xef\xbb\xbf").strip()
            begin = end + 1
            if line:
                number -= 1
                yield line
        self._text = self._text[begin:]


def _plain(column: Column) -> list[Any]:
    """Return a column of predictions as JSON has it."""
    if not isinstance(column, tuple):
        return list(column) if isinstance(column, list) else column.tolist()
    words, codes = column
    values: list[Any] = [False, True] if words == _TRUTHS else [*words, None]
    return [values[k] for k in codes.tolist()]
