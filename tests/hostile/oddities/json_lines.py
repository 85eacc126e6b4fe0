"""JSON lines."""

from __future__ import annotations

import gzip

from tests.hostile.oddities import BOM, PLAIN, Cases, Wrong

ONE_OBJECT = "one object per line"
AB = b'{"text": "a", "label": "b"}\n'

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
        "null later, after blank lines",
        AB + b"\n\nnull\n",
        Wrong(4, "no text: 'text' is null or missing", "Give it a value"),
    ),
    (
        "null after an object longer than a block",
        b'{"text": "' + b"x" * 3_000_000 + b'", "label": "b"}\nnull\n',
        Wrong(2, "no text: 'text' is null or missing", "Give it a value"),
    ),
    (
        "null after integers",
        b'{"text": 1, "label": 2}\nnull\n',
        Wrong(2, "no text: 'text' is null or missing", "Give it a value"),
    ),
    (
        "false beside fractions",
        b'{"text": "a", "label": 0.5}\n{"text": "b", "label": false}\n{"text": "c", "label": true}\n',
        [("a", "0.5"), ("b", "false"), ("c", "true")],
    ),
    (
        "missing label beside fractions",
        b'{"text": "a", "label": 0.5}\n{"text": "b"}\n',
        Wrong(2, "no label: 'label' is null or missing", "Give it a value"),
    ),
    (
        "NaN",
        b'{"text": "a", "label": 1}\n{"text": "a", "label": NaN}\n',
        Wrong(2, "'label' is NaN, which is not JSON", "null"),
    ),
    (
        "a list as text",
        b'{"text": ["a"], "label": "b"}\n',
        Wrong(1, "'text' is an array, expected a string", "`text=`"),
    ),
    (
        "an object as label later",
        AB + b'{"text": "a", "label": {}}\n',
        Wrong(2, "'label' is an object", "`label=`"),
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
    ("UTF-16", '{"text": "a"}\n'.encode("utf-16")[:-1], Wrong(1, "is not valid utf-16", "`encoding=`")),
    ("NUL", AB + b'{"text": "a\0", "label": "b"}\n', Wrong(2, "a NUL byte", "binary file")),
    ("CSV instead", PLAIN, Wrong(1, "not valid JSON", ONE_OBJECT)),
    (
        "a nested value",
        b'{"text": "a", "label": {"is": ["b"]}}\n',
        Wrong(1, "'label' is an object", "`label=`"),
    ),
    ("a number with a large exponent", b'{"text": "a", "label": 1e400}\n', [("a", "1e400")]),
    ("minus zero", b'{"text": "a", "label": -0.0}\n', [("a", "-0.0")]),
    ("a number as text", b'{"text": 7, "label": "b"}\n', [("7", "b")]),
    ("a fraction as text", b'{"text": 1.50, "label": "b"}\n', [("1.50", "b")]),
    ("a boolean as text", b'{"text": true, "label": "b"}\n', [("true", "b")]),
    (
        "an integer beyond 64 bits later",
        b'{"text": "a", "label": 9223372036854775807}\n{"text": "b", "label": 9223372036854775808}\n',
        [("a", "9223372036854775807"), ("b", "9223372036854775808")],
    ),
    ("5,000 digits", b'{"text": "a", "label": ' + b"1" * 5000 + b"}\n", [("a", "1" * 5000)]),
    (
        "the other half of a pair",
        rb'{"text": "a\udc00b", "label": "b"}',
        Wrong(1, "half of a surrogate pair", "two escapes"),
    ),
    (
        "a pair in the wrong order",
        rb'{"text": "\ude00\ud83d", "label": "b"}',
        Wrong(1, "half of a surrogate pair", "two escapes"),
    ),
    ("an escape in a key", rb'{"te\u0078t": "a", "label": "b"}', [("a", "b")]),
    ("a BOM in the middle", AB + BOM + AB, Wrong(2, "not valid JSON", ONE_OBJECT)),
    ("only a BOM", BOM, Wrong(None, "there is no row", ONE_OBJECT)),
    (
        "Infinity",
        b'{"text": "a", "label": -Infinity}\n',
        Wrong(1, "'label' is -Infinity, which is not JSON", "null"),
    ),
    ("a comment", b'// rows\n{"text": "a", "label": "b"}\n', Wrong(1, "not valid JSON", ONE_OBJECT)),
    ("spaces around an object", b'   {"text": "a", "label": "b"}   \n', [("a", "b")]),
    ("a tab before an object", b'\t{"text": "a", "label": "b"}\n', [("a", "b")]),
    ("line separators of Unicode", '{"text": "a\u2028b", "label": "c"}\n'.encode(), [("a\u2028b", "c")]),
    (
        "a raw control character",
        b'{"text": "a\x01b", "label": "c"}\n',
        Wrong(1, "not valid JSON", ONE_OBJECT),
    ),
    (
        "an empty object first",
        b"{}\n" + AB,
        Wrong(1, "the first object, whose keys are the columns, is empty", ONE_OBJECT),
    ),
    (
        "an empty object later",
        AB + b"{}\n",
        Wrong(2, "no text: 'text' is null or missing", "Give it a value"),
    ),
    (
        "an object over many lines",
        b'{\n  "text": "a",\n  "label": "b"\n}\n',
        Wrong(1, "not valid JSON", ONE_OBJECT),
    ),
    ("a leading zero", b'{"text": "a", "label": 01}\n', Wrong(1, "not valid JSON", ONE_OBJECT)),
    ("a plus sign", b'{"text": "a", "label": +1}\n', Wrong(1, "not valid JSON", ONE_OBJECT)),
    ("hexadecimal", b'{"text": "a", "label": 0x1}\n', Wrong(1, "not valid JSON", ONE_OBJECT)),
    ("Python's True", b'{"text": "a", "label": True}\n', Wrong(1, "not valid JSON", ONE_OBJECT)),
    (
        "CR alone",
        b'{"text": "a", "label": "b"}\r{"text": "c", "label": "d"}\r',
        Wrong(1, "more than one value", ONE_OBJECT),
    ),
    (
        "an array as label later",
        AB + b'{"text": "a", "label": ["b"]}\n',
        Wrong(2, "'label' is an array", "`label=`"),
    ),
    ("empty text", b'{"text": "", "label": "b"}\n', [("", "b")]),
    (
        "blank label",
        b'{"text": "a", "label": "  "}\n',
        Wrong(1, "the label is only white space", "Give it a label"),
    ),
    (
        "a quote that is not escaped",
        b'{"text": "a "b" c", "label": "d"}\n',
        Wrong(1, "not valid JSON", ONE_OBJECT),
    ),
    ("an escape that is none", rb'{"text": "\x41", "label": "b"}', Wrong(1, "not valid JSON", ONE_OBJECT)),
    (
        "an escape that is too short",
        rb'{"text": "\u12", "label": "b"}',
        Wrong(1, "not valid JSON", ONE_OBJECT),
    ),
    ("an array of arrays", b"[[1]]\n", Wrong(1, "expected an object, got an array", "jq -c '.[]'")),
    ("other columns", b'{"body": "a"}\n', [("a",)]),
]
