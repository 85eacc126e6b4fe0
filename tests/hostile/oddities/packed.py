"""Compressed files, and names that say something else than the contents."""

from __future__ import annotations

import gzip

import pyarrow as pa
from tests.hostile.oddities import FINE, PLAIN, Cases, Wrong


def zst(data: bytes) -> bytes:
    return pa.compress(data, "zstd", asbytes=True)


GZ = gzip.compress(b"text,label\n" + b"".join(b"word%d,a\n" % i for i in range(5000)), mtime=0)
ZST = zst(b"text,label\n" + b"".join(b"word%d,a\n" % i for i in range(5000)))
AB = b'{"text": "a", "label": "b"}\n'

PACKED: Cases = [
    ("table.csv.gz", gzip.compress(PLAIN), FINE),
    ("table.csv.zst", zst(PLAIN), FINE),
    ("table.CSV.GZ", gzip.compress(PLAIN), FINE),
    ("table.tsv.gz", gzip.compress(b"text\tlabel\na\tb\n"), [("a", "b")]),
    ("table.ndjson.zst", zst(AB), [("a", "b")]),
    ("padded with zeros.csv.gz", gzip.compress(PLAIN) + b"\0" * 5000, FINE),
    ("two members.csv.gz", gzip.compress(PLAIN) + gzip.compress(b"a,b\n"), [*FINE, ("a", "b")]),
    ("two frames.csv.zst", zst(PLAIN) + zst(b"a,b\n"), [*FINE, ("a", "b")]),
    ("truncated.csv.gz", GZ[: len(GZ) // 2], Wrong(None, "the gzip data is truncated", "again")),
    ("truncated in the header.csv.gz", GZ[:12], Wrong(None, "the gzip data is truncated", "again")),
    ("no check sum.csv.gz", GZ[:-8], Wrong(None, "the gzip data is truncated", "again")),
    ("wrong check sum.csv.gz", GZ[:-8] + b"\1" * 8, Wrong(None, "the gzip data is damaged", "again")),
    (
        "flipped.csv.gz",
        GZ[:2000] + bytes([GZ[2000] ^ 255]) + GZ[2001:],
        Wrong(None, "the gzip data is damaged", "again"),
    ),
    ("rubbish behind.csv.gz", GZ + b"rubbish", Wrong(None, "the gzip data is damaged", "again")),
    ("truncated.csv.zst", ZST[:-10], Wrong(None, "the zstd data is truncated", "again")),
    ("truncated.jsonl.gz", GZ[:200], Wrong(None, "the gzip data is truncated", "again")),
    ("not packed.csv.gz", PLAIN, Wrong(None, "the file is not compressed", "name that matches its contents")),
    (
        "other.csv.gz",
        zst(PLAIN),
        Wrong(None, "indicates gzip compression, but the file is zstd data", "name"),
    ),
    ("empty.csv.gz", b"", Wrong(None, "the file is empty", "at least one row")),
    ("nothing inside.csv.gz", gzip.compress(b""), Wrong(None, "the file is empty", "at least one row")),
    ("latin.csv.gz", gzip.compress(b"text,label\n\xe9,b\n"), Wrong(2, "byte 0xe9", "gzip -dc")),
    ("table.ods", b"PK\3\4", Wrong(None, "the extension '.ods' is not known", "`format=`")),
    ("table.xlsx", b"PK\3\4", Wrong(None, "not an Excel workbook, or damaged", "save it as .xlsx")),
    ("table", PLAIN, Wrong(None, "the name has no extension", "csv, tsv, jsonl, parquet")),
]
