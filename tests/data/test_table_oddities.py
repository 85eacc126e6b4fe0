"""Odd tables, each with its golden outcome: the rows, or an error that names the line and says what to do."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lindy.data import read_examples, read_table
from lindy.errors import DataError

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Wrong:
    """The error: its line (None: none), words of its message and of its hint."""

    line: int | None
    message: str
    hint: str


def zst(data: bytes) -> bytes:
    return pa.compress(data, "zstd", asbytes=True)


def parquet(**columns: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


PLAIN = b"text,label\nA fine book.,positive\n"
FINE = [("A fine book.", "positive")]
GZ = gzip.compress(b"text,label\n" + b"".join(b"word%d,a\n" % i for i in range(5000)), mtime=0)
ZST = zst(b"text,label\n" + b"".join(b"word%d,a\n" % i for i in range(5000)))
QUOTES = "between double quotes"
ONE_OBJECT = "one object per line"
AB = b'{"text": "a", "label": "b"}\n'

Cases = list[tuple[str, bytes, list[tuple[str | None, ...]] | Wrong]]

CSV: Cases = [
    ("plain", PLAIN, FINE),
    ("no newline at the end", PLAIN[:-1], FINE),
    ("BOM", BOM + PLAIN, FINE),
    ("BOM before a quoted name", BOM + b'"text","label"\na,b\n', [("a", "b")]),
    ("CRLF", b"text,label\r\na,b\r\n", [("a", "b")]),
    ("CR alone", b"text,label\ra,b\rc,d", [("a", "b"), ("c", "d")]),
    ("mixed line ends", b"text,label\r\na,b\nc,d\r\n", [("a", "b"), ("c", "d")]),
    ("NA and null are text", b"text,label\nNA,null\nNaN,None\n", [("NA", "null"), ("NaN", "None")]),
    ("01 stays 01", b"text,label\n007,01\n1.50,1e3\n", [("007", "01"), ("1.50", "1e3")]),
    ("true and dates are text", b"text,label\nTrue,2020-01-01\n", [("True", "2020-01-01")]),
    ("empty text", b"text,label\n,b\n", [("", "b")]),
    ("empty quoted text", b'text,label\n"",b\n', [("", "b")]),
    ("spaces are kept", b"text,label\n  a , b\n", [("  a ", " b")]),
    ("newline in a field", b'text,label\n"a\nb",c\n', [("a\nb", "c")]),
    ("CRLF in a field", b'text,label\r\n"a\r\nb",c\r\n', [("a\r\nb", "c")]),
    ("blank line in a field", b'text,label\n"a\n\nb",c\n', [("a\n\nb", "c")]),
    ("delimiter in a field", b'text,label\n"a,b",c\n', [("a,b", "c")]),
    ("doubled quotes", b'text,label\n"""a"" b",c\n', [('"a" b', "c")]),
    ("only a quote", b'text,label\n"""",c\n', [('"', "c")]),
    ("quote inside a field", b'text,label\n5" disk,c\n', [('5" disk', "c")]),
    ("text after a quoted part", b'text,label\n"a"b,c\n', [("ab", "c")]),
    ("space before a quote", b'text,label\n "a",c\n', [(' "a"', "c")]),
    ("single quotes mean nothing", b"text,label\n'a,b'\n", [("'a", "b'")]),
    ("backslash means nothing", b'text,label\n"a\\",b\n', [("a\\", "b")]),
    ("hash is no comment", b"text,label\n#a,b\n", [("#a", "b")]),
    ("blank lines between rows", b"text,label\n\na,b\n\n\nc,d\n\n", [("a", "b"), ("c", "d")]),
    ("blank lines before the header", b"\n\r\ntext,label\na,b\n", [("a", "b")]),
    ("blank line in one column is a row", b"text\na\n\nb\n", [("a",), ("",), ("b",)]),
    ("quoted empty in one column", b'text\n""\n', [("",)]),
    ("Unicode", "text,label\nпривет 😀,été\n".encode(), [("привет 😀", "été")]),
    ("zero-width and combining", "text,label\na\u200bb,e\u0301\n".encode(), [("a\u200bb", "e\u0301")]),
    ("BOM in the middle is text", b"text,label\n" + BOM + b"a,b\n", [("\ufeffa", "b")]),
    ("control characters", b"text,label\na\x01\x1b[31m,b\n", [("a\x01\x1b[31m", "b")]),
    ("line separators of Unicode", "text,label\na\u2028\x85b,c\n".encode(), [("a\u2028\x85b", "c")]),
    ("the reader's own end mark", b"text,label\n\x03,\x03\n", [("\x03", "\x03")]),
    ("a field longer than a block", b"text,label\n" + b"x" * 3_000_000 + b",b\n", [("x" * 3_000_000, "b")]),
    ("many columns", b",".join(b"c%d" % i for i in range(300)) + b"\n" + b"," * 299, [("",) * 300]),
    ("unnamed columns are left out", b"text,label,,\na,b,c,d\n", [("a", "b")]),
    ("an index without a name", b",text,label\n0,a,b\n", [("a", "b")]),
    ("newline in a name", b'"te\nxt",label\na,b\n', [("a", "b")]),
    ("semicolons", b"text;label\na,b;c\n", [("a,b", "c")]),
    ("tabs under the name CSV", b"text\tlabel\na,b\tc\n", [("a,b", "c")]),
    ("gzip without its extension", gzip.compress(PLAIN), FINE),
    ("zstd without its extension", zst(PLAIN), FINE),
    ("empty file", b"", Wrong(None, "the file is empty", "at least one row")),
    ("only a BOM", BOM, Wrong(None, "the file is empty", "header line")),
    ("only blank lines", b"\n\r\n\n", Wrong(None, "the file is empty", "header line")),
    ("only a header", b"text,label\n", Wrong(None, "a header but no row", "at least one row")),
    ("only a header, no newline", b"text,label", Wrong(None, "a header but no row", "at least one row")),
    ("header and blank lines", b"text,label\n\n\n", Wrong(None, "a header but no row", "at least one row")),
    ("header without names", b",,\na,b,c\n", Wrong(1, "no column names", "text,label")),
    ("a name twice", b"text,label,text\na,b,c\n", Wrong(1, "the column 'text' twice", "its own name")),
    (
        "too many fields",
        b"text,label\na,b\nc,d,e\n",
        Wrong(3, "expected 2 columns as in the header, got 3", QUOTES),
    ),
    (
        "too few fields",
        b"text,label\na,b\n\nc\n",
        Wrong(4, "expected 2 columns as in the header, got 1", QUOTES),
    ),
    (
        "a line of spaces",
        b"text,label\na,b\n   \n",
        Wrong(3, "expected 2 columns as in the header, got 1", QUOTES),
    ),
    ("ragged after a long field", b'text,label\n"a\r\nb\n\nc",d\ne\n', Wrong(6, "got 1", QUOTES)),
    ("ragged after CR", b"text,label\ra,b\rc\r", Wrong(3, "got 1", QUOTES)),
    ("ragged with semicolons", b"text;label\na;b;c\n", Wrong(2, "got 3", "a semicolon or a line break")),
    ("only an empty quoted field", b'text,label\na,b\n""\n', Wrong(3, "got 1", QUOTES)),
    (
        "one column and two fields",
        b"text\na,b\n",
        Wrong(2, "expected 1 column as in the header, got 2", QUOTES),
    ),
    ("quote open in the last field", b'text,label\na,b\nc,"d\n', Wrong(3, "never closed", "Close it")),
    ("quote open in the first field", b'text,label\n"a,b\nc,d\n', Wrong(2, "never closed", "Close it")),
    ("quote open on a later line", b'text,label\n"a\nb","c\nd\n', Wrong(3, "never closed", "Close it")),
    ("a quote as the last byte", b'text,label\na,"', Wrong(2, "never closed", "Close it")),
    ("escaped quote at the end", b'text,label\na,"b""', Wrong(2, "never closed", "Close it")),
    ("quote open in one column", b'text\na\n"b\n', Wrong(3, "never closed", "Close it")),
    ("quote open in an unnamed column", b'text,label,\na,b,"c\n', Wrong(2, "never closed", "Close it")),
    ("quote open behind a BOM", BOM + b'"text,label\na,b\n', Wrong(1, "never closed", "Close it")),
    ("quote open in the header", b'text,"label\na,b\n', Wrong(1, "never closed", "Close it")),
    (
        "Latin-1",
        b"text,label\na,b\ncaf\xe9,b\n",
        Wrong(3, "byte 0xe9 is not valid UTF-8", "WINDOWS-1252 -t UTF-8"),
    ),
    (
        "Latin-1 with C1",
        b"text,label\n\x81\xe9,b\n",
        Wrong(2, "byte 0x81 is not valid UTF-8", "iconv -f ISO-8859-1"),
    ),
    ("Latin-1 in the header", b"caf\xe9,label\na,b\n", Wrong(1, "byte 0xe9", "iconv -f WINDOWS-1252")),
    ("UTF-8 cut off", b"text,label\na,b\xc3", Wrong(2, "byte 0xc3 is not valid UTF-8", "iconv")),
    (
        "surrogates in UTF-8",
        b"text,label\n\xed\xa0\x80,b\n",
        Wrong(2, "byte 0xed is not valid UTF-8", "iconv"),
    ),
    ("overlong UTF-8", b"text,label\n\xc0\xaf,b\n", Wrong(2, "byte 0xc0 is not valid UTF-8", "iconv")),
    ("UTF-16 with BOM", PLAIN.decode().encode("utf-16"), FINE),
    (
        "UTF-16 with BOM, cut off",
        PLAIN.decode().encode("utf-16")[:-1],
        Wrong(2, "is not valid utf-16", "--encoding"),
    ),
    ("UTF-16 without BOM", PLAIN.decode().encode("utf-16-le"), Wrong(1, "a NUL byte", "iconv -f UTF-16")),
    ("NUL", b"text,label\na,b\nc\0d,e\n", Wrong(3, "a NUL byte", "binary file")),
    ("NUL in the header", b"te\0xt,label\na,b\n", Wrong(1, "a NUL byte", "binary file")),
    (
        "empty label",
        b"text,label\na,b\nc,\n",
        Wrong(3, "the label is empty (column 'label')", "leave the row out"),
    ),
    (
        "blank label",
        b"text,label\na,b\nc, \t\n",
        Wrong(3, "the label is only white space", "leave the row out"),
    ),
    ("no-break label", "text,label\na,\u00a0\n".encode(), Wrong(2, "only white space", "leave the row out")),
    (
        "label open over lines",
        b'text,label\n"a\nb",c\nd,\n',
        Wrong(4, "the label is empty", "Give it a label"),
    ),
]

TSV: Cases = [
    ("tabs", b"label\ttext\nham\ta, b; c\n", [("ham", "a, b; c")]),
    ("quotes as in CSV", b'text\tlabel\n"a\tb"\tc\n', [("a\tb", "c")]),
    ("commas in a header with tabs", b"text,a\tlabel\na\tb\n", [("a", "b")]),
    ("ragged", b"text\tlabel\na\tb\tc\n", Wrong(2, "expected 2 columns as in the header, got 3", "a tab")),
    ("commas, not tabs", PLAIN, [("A fine book.,positive",)]),
]

JSONL: Cases = [
    ("plain", AB, [("a", "b")]),
    ("no newline at the end", b'{"text": "a", "label": "b"}', [("a", "b")]),
    ("BOM", BOM + AB, [("a", "b")]),
    ("CRLF", b'{"text": "a", "label": "b"}\r\n{"text": "c", "label": "d"}\r\n', [("a", "b"), ("c", "d")]),
    (
        "blank lines",
        b'\n{"text": "a", "label": "b"}\n \n{"text": "c", "label": "d"}\n\n',
        [("a", "b"), ("c", "d")],
    ),
    ("another order of keys", AB + b'{"label": "d", "text": "c"}\n', [("a", "b"), ("c", "d")]),
    ("new keys later", AB + b'{"text": "c", "label": "d", "x": {}}\n', [("a", "b"), ("c", "d")]),
    ("escapes", rb'{"text": "\u0041\n\"\\\/\ud83d\ude00\u0000", "label": "b"}', [('A\n"\\/😀\0', "b")]),
    (
        "dates and NA are text",
        b'{"text": "2020-01-01 00:00:00", "label": "NA"}\n',
        [("2020-01-01 00:00:00", "NA")],
    ),
    ("integers", b'{"text": "a", "label": 1}\n{"text": "b", "label": -20}\n', [("a", "1"), ("b", "-20")]),
    (
        "booleans",
        b'{"text": "a", "label": true}\n{"text": "b", "label": false}\n',
        [("a", "true"), ("b", "false")],
    ),
    (
        "fractions keep their text",
        b'{"text": "a", "label": 5.0}\n{"text": "b", "label": 1.50}\n',
        [("a", "5.0"), ("b", "1.50")],
    ),
    (
        "integer then fraction",
        b'{"text": "a", "label": 5}\n{"text": "b", "label": 1e3}\n',
        [("a", "5"), ("b", "1e3")],
    ),
    (
        "a huge integer",
        b'{"text": "a", "label": 123456789012345678901234567890}',
        [("a", "123456789012345678901234567890")],
    ),
    ("NaN alone", b"NaN\n", Wrong(1, "expected an object, got NaN", ONE_OBJECT)),
    (
        "several kinds",
        b'{"text": "a", "label": 1}\n{"text": "b", "label": "x"}\n{"text": "c", "label": true}\n',
        [("a", "1"), ("b", "x"), ("c", "true")],
    ),
    (
        "an object longer than a block",
        b'{"text": "' + b"x" * 3_000_000 + b'", "label": "b"}\n',
        [("x" * 3_000_000, "b")],
    ),
    ("gzip without its extension", gzip.compress(AB), [("a", "b")]),
    ("empty file", b"", Wrong(None, "the file is empty", "at least one row")),
    ("only blank lines", b"\n \n", Wrong(None, "there is no row", ONE_OBJECT)),
    (
        "null text",
        AB + b'\n{"text": null, "label": "b"}\n',
        Wrong(3, "no text: 'text' is null or missing", "leave the row out"),
    ),
    (
        "missing label",
        AB + b'{"text": "a"}\n',
        Wrong(2, "no label: 'label' is null or missing", "Give it a value"),
    ),
    ("null label first", b'{"text": "a", "label": null}\n', Wrong(1, "no label", "Give it a value")),
    ("empty label", AB + b'{"text": "a", "label": ""}\n', Wrong(2, "the label is empty", "Give it a label")),
    ("cut off", AB + b'{"text": "c", "la', Wrong(2, "not valid JSON", ONE_OBJECT)),
    ("trailing comma", AB + b'{"text": "c", "label": "d",}\n', Wrong(2, "not valid JSON", ONE_OBJECT)),
    ("single quotes", b"{'text': 'a', 'label': 'b'}\n", Wrong(1, "not valid JSON", ONE_OBJECT)),
    ("raw newline in a string", b'{"text": "a\nb", "label": "c"}\n', Wrong(1, "not valid JSON", ONE_OBJECT)),
    ("raw tab in a string", AB + b'{"text": "a\tb", "label": "c"}\n', Wrong(2, "not valid JSON", ONE_OBJECT)),
    ("an object over two lines", b'{"text": "a",\n "label": "b"}\n', Wrong(1, "not valid JSON", ONE_OBJECT)),
    ("later over two lines", AB + b'{"text": "a",\n "label": "b"}\n', Wrong(2, "not valid JSON", ONE_OBJECT)),
    (
        "two objects on a line",
        AB + b'{"text": "c", "label": "d"} {"text": "e", "label": "f"}\n',
        Wrong(2, "more than one value", ONE_OBJECT),
    ),
    (
        "commas between lines",
        b'{"text": "a", "label": "b"},\n{"text": "c", "label": "d"}\n',
        Wrong(1, "more than one value", ONE_OBJECT),
    ),
    ("an array per line", b'["a", "b"]\n', Wrong(1, "expected an object, got an array", "jq -c '.[]'")),
    (
        "one array over lines",
        b'[\n{"text": "a", "label": "b"}\n]\n',
        Wrong(1, "not valid JSON", "jq -c '.[]'"),
    ),
    ("a string per line", b'"a"\n', Wrong(1, "expected an object, got a string", ONE_OBJECT)),
    ("a number later", AB + b"7\n", Wrong(2, "expected an object, got a number", ONE_OBJECT)),
    ("null later", AB + b"null\n", Wrong(2, "no text: 'text' is null or missing", "Give it a value")),
    (
        "NaN",
        b'{"text": "a", "label": 1}\n{"text": "a", "label": NaN}\n',
        Wrong(2, "'label' is NaN, which is not JSON", "null"),
    ),
    (
        "a list as text",
        b'{"text": ["a"], "label": "b"}\n',
        Wrong(1, "'text' is an array, expected a string", "--text"),
    ),
    (
        "an object as label later",
        AB + b'{"text": "a", "label": {}}\n',
        Wrong(2, "'label' is an object", "--label"),
    ),
    (
        "a key twice",
        AB + b'{"text": "a", "label": "b", "label": "c"}\n',
        Wrong(2, "'label' occurs twice", "once"),
    ),
    (
        "a key twice at first",
        b'{"text": "a", "label": "b", "label": "c"}\n',
        Wrong(1, "'label' occurs twice", "once"),
    ),
    (
        "half a surrogate pair",
        rb'{"text": "\ud800", "label": "b"}',
        Wrong(1, "half of a surrogate pair", r"\ud83d\ude00"),
    ),
    (
        "nested too deeply",
        b'{"text": "a", "label": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        Wrong(1, "nested too deeply", ONE_OBJECT),
    ),
    (
        "Latin-1",
        AB + b'{"text": "caf\xe9", "label": "b"}\n',
        Wrong(2, "byte 0xe9 is not valid UTF-8", "iconv"),
    ),
    ("UTF-16", '{"text": "a"}\n'.encode("utf-16")[:-1], Wrong(1, "is not valid utf-16", "--encoding")),
    ("NUL", AB + b'{"text": "a\0", "label": "b"}\n', Wrong(2, "a NUL byte", "binary file")),
    ("CSV instead", PLAIN, Wrong(1, "not valid JSON", ONE_OBJECT)),
]

PARQUET: Cases = [
    ("plain", parquet(text=["a", ""], label=["01", "NA"]), [("a", "01"), ("", "NA")]),
    ("large strings", parquet(text=pa.array(["a"], pa.large_string()), label=["b"]), [("a", "b")]),
    ("views", parquet(text=pa.array(["a"], pa.string_view()), label=["b"]), [("a", "b")]),
    (
        "dictionary",
        parquet(text=["a", "b"], label=pa.array(["x", "y"]).dictionary_encode()),
        [("a", "x"), ("b", "y")],
    ),
    ("integers", parquet(text=["a", "b"], label=[1, -2]), [("a", "1"), ("b", "-2")]),
    ("booleans", parquet(text=["a", "b"], label=[True, False]), [("a", "true"), ("b", "false")]),
    ("UTF-8 bytes", parquet(text=pa.array([b"caf\xc3\xa9"], pa.binary()), label=["b"]), [("café", "b")]),
    ("dots in names", parquet(**{"a.b": ["x"], "c": ["y"]}), [("x", "y")]),
    (
        "null text",
        parquet(text=["a", None], label=["b", "c"]),
        Wrong(None, "row 2: no text: 'text' is null", "Give it a value"),
    ),
    (
        "empty label",
        parquet(text=["a", "a"], label=["b", ""]),
        Wrong(None, "row 2: the label is empty", "Give it a label"),
    ),
    ("lists", parquet(text=[["a"]], label=["b"]), Wrong(None, "'text' is of type list", "--text")),
    (
        "bytes",
        parquet(text=pa.array([b"\xff"]), label=["b"]),
        Wrong(None, "'text' is of type binary", "--text"),
    ),
    (
        "no row",
        parquet(text=pa.array([], pa.string()), label=pa.array([], pa.string())),
        Wrong(None, "there is no row", "at least"),
    ),
    ("no column", parquet(), Wrong(None, "there is no row", "at least one row")),
    ("empty file", b"", Wrong(None, "the file is empty", "Parquet")),
    ("CSV instead", PLAIN, Wrong(None, "not a Parquet file, or damaged", "--format")),
    (
        "truncated",
        parquet(text=["a"], label=["b"])[:-30],
        Wrong(None, "not a Parquet file, or damaged", "complete"),
    ),
    (
        "inside gzip",
        gzip.compress(parquet(text=["a"], label=["b"])),
        Wrong(None, "a Parquet file inside gzip", "Unpack"),
    ),
]

PACKED: Cases = [
    ("table.csv.gz", gzip.compress(PLAIN), FINE),
    ("table.csv.zst", zst(PLAIN), FINE),
    ("table.CSV.GZ", gzip.compress(PLAIN), FINE),
    ("table.tsv.gz", gzip.compress(b"text\tlabel\na\tb\n"), [("a", "b")]),
    ("table.ndjson.zst", zst(AB), [("a", "b")]),
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
    ("table.ods", b"PK\3\4", Wrong(None, "the extension '.ods' is not known", "--format")),
    ("table.xlsx", b"PK\3\4", Wrong(None, "not an Excel workbook, or damaged", "save it as .xlsx")),
    ("table", PLAIN, Wrong(None, "the name has no extension", "csv, tsv, jsonl, parquet")),
]

CASES = [
    (f"{kind}: {name}", f"table.{kind}", data, expected)
    for kind, cases in (("csv", CSV), ("tsv", TSV), ("jsonl", JSONL), ("parquet", PARQUET))
    for name, data, expected in cases
] + [(f"file: {name}", name, data, expected) for name, data, expected in PACKED]


def test_every_case_has_a_name_of_its_own():
    assert len({name for name, *_ in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("file", "data", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
@pytest.mark.parametrize("threads", [None, 1])
def test_outcome(tmp_path, file, data, expected, threads):
    path = tmp_path / file
    path.write_bytes(data)
    if isinstance(expected, Wrong):
        with pytest.raises(DataError) as caught:
            rows(path, threads)
        place = f"{path}, line {expected.line}"
        places = str(path) if expected.line is None else (f"{place}:", f"{place} (row ")
        assert str(caught.value).startswith(places)
        assert expected.line is not None or ", line " not in str(caught.value)
        assert expected.message in str(caught.value)
        assert expected.hint in caught.value.hint
    else:
        assert rows(path, threads) == expected


def rows(path, threads):
    table = read_table(path, threads=threads)
    if {"text", "label"} <= set(table.column_names):
        data = read_examples(path, "text", "label", threads=threads)
        assert data.texts == table.column("text")
        assert data.labels == table.column("label")
    columns = [table.column(name) for name in table.column_names]
    assert all(pa.types.is_string(c.type) or pa.types.is_large_string(c.type) for c in columns)
    assert all(len(column) == table.num_rows for column in columns)
    return list(zip(*(column.to_pylist() for column in columns), strict=True))
