"""Random bytes, unbalanced quotes, NUL and broken UTF-8 against the compiled parser of delimited text.

Whatever comes in, in whatever pieces, it becomes the columns that Arrow's reader makes of it, or it is refused: the
parser says so, and the reader names the line.

    python -m tests.hostile.fuzz_delimited --rounds 100000 --seed 7
"""

from __future__ import annotations

import io
import random
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
from tests.hostile.fuzzing import run

from lindy import _native
from lindy.core.column import TextColumn
from lindy.data import read_table
from lindy.errors import DataError

PIECES = [
    *(b"a", b"word", b"x" * 7, b"y" * 8, b"z" * 33, b" ", "é".encode(), "😀".encode(), b"\xef\xbb\xbf"),
    *(b",", b",", b",", b'"', b'""', b'"', b'","', b"\n", b"\r\n", b"\r", b"\n\n", b";", b"\t"),
]
BROKEN = [
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf4\x90\x80\x80",
]


def table(rng: random.Random, n_columns: int) -> bytes:
    """Return a table, or what was one before it was damaged, or no table at all."""
    if rng.random() < 0.1:
        return rng.randbytes(rng.randrange(40))
    if rng.random() < 0.3:
        return b"".join(rng.choices(PIECES, k=rng.randrange(30)))
    rows = []
    for _ in range(rng.randrange(1, 6)):
        fields = [b"".join(rng.choices(PIECES, k=rng.randrange(4))) for _ in range(n_columns)]
        rows.append(b",".join(b'"' + field.replace(b'"', b'""') + b'"' for field in fields))
    data = bytearray(rng.choice((b"\n", b"\r\n", b"\r")).join(rows))
    for _ in range(rng.choice((0, 0, 1, 2))):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.randrange(3)] = rng.choice(BROKEN if rng.random() < 0.3 else PIECES)
    return bytes(data)


def parse(
    rng: random.Random, data: bytes, wanted: list[bool], delimiter: str = ","
) -> list[list[str]] | None:
    """Return the wanted columns, or None for what is refused."""
    parser = _native.DelimitedParser(delimiter, wanted, rng.choice((0, 1, len(data), 1 << 24)))
    begin = 0
    while begin < len(data):
        size = rng.choice((1, 3, 17, len(data)))
        parser.feed(data[begin : begin + size])
        begin += size
    if not parser.finish():
        return None
    n_rows = parser.n_rows
    kept = [k for k, keep in enumerate(wanted) if keep]
    columns = [TextColumn(offsets, text) for offsets, text in map(parser.take, kept)]
    assert all(len(column) == n_rows for column in columns)
    return [column.to_pylist() for column in columns]


def arrows(file: bytes, names: list[str], delimiter: str = ",") -> list[list[str]] | None:
    """Return the columns as Arrow reads them; None if it does not."""
    try:
        read = pyarrow.csv.read_csv(
            io.BytesIO(file),
            pyarrow.csv.ReadOptions(use_threads=False),
            pyarrow.csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1
            ),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [column.to_pylist() for column in read.columns]


def is_text(data: bytes) -> bool:
    """Whether the bytes are UTF-8, before quotes are taken out of them, without NUL."""
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def refusal(path: Path, names: list[str], columns: list[list[str]] | None) -> str:
    """Return why a file is refused; if it is not, it has these columns, and the reason is empty."""
    try:
        read = read_table(path)
    except DataError as error:
        return str(error)
    assert [read.texts(name).to_pylist() for name in names] == columns
    return ""


def compare(rng: random.Random, path: Path) -> str:
    """Parse a random table as the core does, as Arrow does, and from a file."""
    names = ["a", "b", "c"][: rng.choice((1, 2, 3))]
    return compare_table(rng, table(rng, len(names)), names, path)


def compare_table(rng: random.Random, data: bytes, names: list[str], path: Path, delimiter: str = ",") -> str:
    """Parse a table as the core does, as Arrow does, and from a file; return whether it is read or refused."""
    columns = parse(rng, data, [True] * len(names), delimiter)
    some = [rng.random() < 0.5 for _ in names]
    assert parse(rng, data, some, delimiter) == (
        columns and [column for column, keep in zip(columns, some, strict=True) if keep]
    )
    file = delimiter.join(names).encode() + b"\n" + data
    theirs = arrows(file, names, delimiter)
    assert columns in (None, theirs), data
    if delimiter != ",":
        return "refused" if columns is None else "read"
    path.write_bytes(file)
    reason = refusal(path, names, columns)
    assert "cannot be parsed" not in reason, data
    if reason and theirs is not None:  # where Arrow is less strict
        assert "never closed" in reason or "no row" in reason or not is_text(data), data
    return "refused" if reason else "read"


def fuzz(folder: Path, rounds: int, seed: int) -> Counter[str]:
    """Run the rounds; return how often what happened."""
    outcomes: Counter[str] = Counter()
    for i in range(rounds):
        try:
            outcomes[compare(random.Random(f"{seed}/{i}"), folder / "table.csv")] += 1
        except BaseException:
            sys.stderr.write(f"round {i} of seed {seed}\n")
            raise
    return outcomes


if __name__ == "__main__":
    run(fuzz, __doc__)
