"""A row that is longer than is allowed is refused by file, line and limit, in bounded memory, and can be allowed."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from lindy import data
from lindy.data import read_chunks
from lindy.data.chunks.source import LONGEST_ROW
from lindy.errors import DataError

LIMIT = 3 << 20
LONG = "ab cd " * (LIMIT // 6 + 1)
ALLOW = "allow it with `longest_row=`"
TABLES = {  # a row in line 3 (of those with a header, of the second row), and how it goes on
    ".csv": f"text,label\nfine,good\n{LONG},bad\nfine,good\n",
    ".tsv": f"text\tlabel\nfine\tgood\n{LONG}\tbad\nfine\tgood\n",
    ".jsonl": '{"text": "fine", "label": "good"}\n' * 2 + f'{{"text": "{LONG}", "label": "bad"}}\n',
    ".txt": f"fine\nfine\n{LONG}\nfine\n",
    ".ft": f"__label__good fine\n__label__good fine\n__label__bad {LONG}\n",
    ".vw": f"good | fine\ngood | fine\nbad | {LONG}\n",
    ".review": f"fine:1 #label#:good\nfine:1 #label#:good\n{'dull:1 ' * (LIMIT // 7 + 1)}#label#:bad\n",
    ".svm": f"1 1:2\n1 1:2\n2 {' '.join(f'{j}:1' for j in range(1, LIMIT // 7))} # {LONG}\n",
}


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("suffix", TABLES)
def test_a_long_row_is_refused_and_can_be_allowed(suffix: str, packed: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}{packed}"
    content = TABLES[suffix].encode()
    if packed:
        import gzip

        content = gzip.compress(content, 1)
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        data.read_table(path, longest_row=LIMIT)
    assert str(caught.value) == f"{path}, line 3: the row is longer than 3 MB"
    assert ALLOW in str(caught.value.hint)
    assert data.read_table(path, longest_row=5 * LIMIT).num_rows >= 3
    assert data.read_table(path).num_rows >= 3, "the default allows much more"


def test_rows_up_to_the_limit_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"text,label\n{LONG},good\nshort,bad\n")
    longest = len(LONG) + len(",good\n")
    assert data.read_table(path, longest_row=longest).num_rows == 2
    with pytest.raises(DataError, match=f"line 2: the row is longer than {longest - 1:,} bytes"):
        data.read_table(path, longest_row=longest - 1)


def test_a_quote_that_is_never_closed_is_one_long_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('text,label\nfine,good\nfine,good\n"fine,good\n' + "fine,good\n" * 400_000)
    with pytest.raises(DataError, match="line 4: the row is longer than 3 MB") as caught:
        data.read_table(path, longest_row=LIMIT)
    assert "double quote that is opened and never closed" in str(caught.value.hint)


@pytest.mark.parametrize("header", [LONG, f'"{LONG}"', "a," * LIMIT], ids=["one name", "quoted", "columns"])
def test_a_long_header(header: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"\n{header}\n" + "1,2\n" * 10)
    with pytest.raises(DataError, match=r"t\.csv, line (1|2): the row is longer than 2 MB"):
        data.read_table(path, longest_row=LIMIT - (1 << 20))
    if header.startswith("a,"):
        with pytest.raises(
            DataError, match=r"t\.csv, line 2: the header has 3,145,729 columns, expected at most"
        ):
            data.read_table(path)


def test_a_long_file_of_a_folder(tmp_path: Path) -> None:
    for label in ("good", "bad"):
        (tmp_path / label).mkdir()
        (tmp_path / label / "1.txt").write_text(LONG)
    with pytest.raises(DataError, match=r"bad/1\.txt, line 1: the row is longer than 3 MB"):
        data.read_table(tmp_path, longest_row=LIMIT)
    assert data.read_table(tmp_path).num_rows == 2


class Endless(io.RawIOBase):
    """Bytes that never end, as standard input; it counts what was taken."""

    def __init__(self, start: bytes, then: bytes) -> None:
        self.start, self.then, self.taken = start, then, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            raise AssertionError("something reads an endless stream to its end")
        data, self.start = self.start[:size], self.start[size:]
        data = data or (self.then * (size // len(self.then) + 1))[:size]
        self.taken += len(data)
        assert self.taken < 10 * LIMIT, "too much was read"
        return data

    read1 = read

    def fileno(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("start", "kind"),
    [(b"", "lines"), (b"text,label\na,b\n", "csv"), (b'text,label\na,b\n"', "csv"), (b"", None)],
)
def test_standard_input_without_an_end(
    start: bytes, kind: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("select.select", lambda *_: ([0], [], []))  # there is always more
    for read in (
        lambda: data.read_table("-", kind or "csv", longest_row=LIMIT),
        lambda: list(read_chunks("-", kind, longest_row=LIMIT)),
    ):
        endless = Endless(start, b"word ")
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": endless}))
        line = 1 + start.count(b"\n")
        with pytest.raises(DataError, match=f"standard input, line {line}: the row is longer than 3 MB"):
            read()


def test_the_command_line_names_and_takes_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"text,label\n{LONG},bad\nfine,good\n")

    def convert(size: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "lindy", "convert", str(path), str(tmp_path / "o.tsv")]
        done = subprocess.run(
            [*command, "--force", "--longest-row", size], check=False, capture_output=True, text=True
        )
        return done.returncode, done.stderr

    code, said = convert("3MB")
    assert code == 1
    assert f"{path}, line 2: the row is longer than 3 MB" in said
    assert "allow it with --longest-row" in said
    assert convert("4mb")[0] == 0
    code, said = convert("3 miles")
    assert code == 2
    assert "'3 miles' is not a size in bytes, such as 5000, 500MB or 2GB" in said


def test_the_default_is_the_documented_one() -> None:
    assert LONGEST_ROW == 128 << 20
