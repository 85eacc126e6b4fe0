"""Small files that unpack to enormous ones are refused before they fill the memory."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from lindy.data import read_table
from lindy.errors import DataError

MB = 1 << 20
READ = """
import sys
from lindy.data import read_table
from lindy.errors import DataError
for path in sys.argv[1:]:
    try:
        read_table(path)
    except DataError as error:
        print(error)
# of this process alone: ru_maxrss begins with that of the process that started it
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def packed(path: Path, start: bytes, unit: bytes, times: int) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as out:
        out.write(start)
        for _ in range(times):
            out.write(unit)


@pytest.mark.limits_memory
# rows are sound: a wrong one ends the reading before anything is unpacked behind it
@pytest.mark.parametrize(
    ("begin", "unit"),
    [(b"text,label\nword,", b"a" * MB), (b"text,label\n", b"word,good\n" * 100_000)],
    ids=["one field", "many rows"],
)
def test_a_bomb_is_refused_in_bounded_memory(begin: bytes, unit: bytes, tmp_path: Path) -> None:
    paths = [tmp_path / f"t{suffix}.zst" for suffix in (".csv", ".tsv", ".txt", ".ft", ".vw", ".eml")]
    for path in paths:
        packed(path, begin, unit, 1000)
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, paths)], capture_output=True, text=True, check=True
    )
    *refused, kilobytes = done.stdout.splitlines()
    for path, message in zip(paths, refused, strict=True):
        assert message.startswith(f"{path}"), message
        assert "unpacks to more than 1,000 times" in message
    assert int(kilobytes) < 500_000, "a gigabyte was unpacked"


def test_a_table_that_packs_well_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.zst"
    packed(path, b"text,label\n", b"a fine book,good\n" * 1000, 1000)
    assert read_table(path).num_rows == 1_000_000
    assert path.stat().st_size * 1000 < 17_000_000 < 1 << 26


def test_a_workbook_that_is_a_bomb(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"<c>" * (100 * MB // 3))
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(path)
    path.write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(DataError, match="not an Excel workbook"):
        read_table(path)
