"""Tables that clients send: their bytes as they come, their format, and their rows by the readers of ``lindy.data``."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence

from lindy.data.chunks.arriving import Arriving
from lindy.data.chunks.row_chunker import DELIMITED
from lindy.data.columns.choose import header_is_data
from lindy.data.formats.encodings import AUTO
from lindy.data.formats.registry import FOLDERS, REGISTRY, format_by_name, format_by_start
from lindy.web.http.problems import Problem
from lindy.web.http.request_limits import Limits
from lindy.web.http.requests import Request, too_large
from lindy.web.model_registry import LoadedModel

NAME = "the table"
_ANYTHING = b"application/octet-stream"  # what it is, its name or its first bytes tell
FORMATS: dict[bytes, str | None] = {
    own.encode(): name for name, entry in REGISTRY.items() for own in entry.types
} | {_ANYTHING: None}
"""The formats of a table by the types of a body."""
_PIECE = 1 << 18  # bytes that are predicted together
_LOOKED_AT = 100  # rows that tell whether the first of them is a header


def format_of(request: Request, name: str | None) -> str | None:
    """Return the format of a table by its type, or by the name of its file; None where its first bytes tell it."""
    kind = request.content_type.partition(b";")[0].strip().lower()
    if kind not in FORMATS:
        known = ", ".join(own.decode() for own in FORMATS)
        raise Problem(415, "not-a-table", f"send a table with one of these as Content-Type: {known}")
    if kind != _ANYTHING or name is None:
        return FORMATS[kind]
    found = format_by_name(name)
    if found in FOLDERS:
        raise Problem(415, "not-a-table", "messages are not sent as a table; send their texts to /v1/predict")
    return found


class Upload:
    """The body of a request, taken by a thread as it comes."""

    def __init__(self, request: Request, limits: Limits, loop: asyncio.AbstractEventLoop) -> None:
        self._request, self._limits, self._loop = request, limits, loop
        self._parts = request.parts(limits.body_seconds)
        self._taken = self._held = 0

    def __call__(self) -> bytes:
        """Return the next bytes, b"" at the end."""
        return asyncio.run_coroutine_threadsafe(self._next(self._limits.table), self._loop).result()

    def rest(self) -> bytes:
        """Return all bytes that are left, of a table that must be read as a whole; they count as held."""
        kept = io.BytesIO()
        while data := asyncio.run_coroutine_threadsafe(self._next(self._limits.whole), self._loop).result():
            kept.write(data)
        return kept.getvalue()

    async def _next(self, most: int) -> bytes:
        taken = bytearray()
        async for part in self._parts:
            taken += part
            if len(taken) >= _PIECE:
                break
        self._taken += len(taken)
        if self._taken > most:
            raise too_large(most)
        if most == self._limits.whole:
            self._request.hold(self._taken - self._held)
            self._held = self._taken
        return bytes(taken)


def opened(
    upload: Upload,
    kind: str | None,
    models: Sequence[LoadedModel],
    limits: Limits,
    *,
    header: bool | None = None,
    cut: bool = True,
) -> tuple[Arriving, list[str]]:
    """Return a table that is being sent, of which the first bytes are there, and remarks on how it is read.

    ``header`` says whether its first line names columns; None looks at it. ``cut`` is as for `Arriving`.
    """
    first = upload()
    pieces = iter([first])
    arriving = Arriving(
        NAME,
        lambda: next(pieces, None) or upload(),
        format_by_start(first) or kind,
        encoding=AUTO,
        longest_row=limits.body,
        rest=upload.rest,
        most_unpacked=limits.unpacked,
        cut=cut,
    )
    if arriving.kind == "lines" and arriving.is_cut and _names_columns(arriving, models):
        arriving.kind = (
            "csv"  # whatever a .txt file is called: spreadsheets write tables under that name, too
        )
    return arriving, _added_header(arriving, header, models)


def _names_columns(arriving: Arriving, models: Sequence[LoadedModel]) -> bool:
    """Whether the first line names a column that a model was trained on."""
    arriving.kind, kind = "csv", arriving.kind
    (names, *_) = arriving.first_rows(1) or [[]]
    arriving.kind = kind
    return any(name in names for served in models for name in columns_of(served))


def columns_of(served: LoadedModel) -> list[str]:
    """Return the columns of tables that a model reads."""
    if served.columns is None:
        return [served.text_column]
    return [name for own in served.columns.values() for name in own]


def _added_header(arriving: Arriving, header: bool | None, models: Sequence[LoadedModel]) -> list[str]:
    """Give a table without names of columns some; returns the remark on it."""
    is_delimited = arriving.is_cut and arriving.kind in DELIMITED
    if not is_delimited or header is True or not arriving.start:
        if header is False and arriving.kind not in ("lines", "fasttext"):
            raise Problem(
                400, "bad-query", "only the first line of CSV and TSV may be data; name the columns in it"
            )
        return []
    names, *rows = arriving.first_rows(_LOOKED_AT)
    of_texts = all(served.columns is None for served in models)
    known = any(name in names for served in models for name in columns_of(served))
    if header is False or (of_texts and not known and header_is_data(names, rows)):
        made = arriving.add_header()
        what = made[0] if len(made) == 1 else f"{made[0]} to {made[-1]}"
        return [f"{NAME}: the first line is read as data, not as names of columns, which are called {what}"]
    return []
