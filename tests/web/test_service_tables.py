"""Tables in, the same rows with predictions out: while they are still being sent, in constant memory."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import socket
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import openpyxl
import pytest

from lindy.data import convert, read_examples, read_table, samples
from lindy.textclassifier import TextClassifier, load
from tests.web.servers import Answer, Server, limited, serving

CSV = {"Content-Type": "text/csv"}
JSONL = {"Content-Type": "application/x-ndjson"}
ANY = {"Content-Type": "application/octet-stream"}
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WORDS = ["Wunderschön, ein großes Buch", "Très décevant…", "“dull” and €5 too dear"]


def rows(body: bytes, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode()), delimiter=delimiter))


def test_a_table_comes_back_with_predictions(server: Server, reviews: Path) -> None:
    path = samples.path("reviews-test")
    answer = server.ask("/v1/table", path.read_bytes(), headers=CSV)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    sent, back = rows(path.read_bytes()), rows(answer.body)
    assert [{name: row[name] for name in sent[0]} for row in back] == sent
    answers = load(reviews).predictions([row["text"] for row in sent])
    assert [row["predicted_label"] for row in back] == load(reviews).classes_[answers.best].tolist()
    p = [float(row["probability"]) for row in back]
    np.testing.assert_allclose(p, answers.values.max(axis=1), atol=5e-7)


def test_quotes_line_breaks_and_marks_survive(server: Server) -> None:
    texts = ['a "good" book', "two\nlines, and a comma", "ünï 🎉", "=1+1", " spaces "]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "text", "label"])
    writer.writerows([i, text, "mine"] for i, text in enumerate(texts))
    body = b"\xef\xbb\xbf" + out.getvalue().encode()
    back = rows(server.ask("/v1/table", body, headers=CSV).body)
    assert [row["text"] for row in back] == texts
    assert [row["label"] for row in back] == ["mine"] * 5
    assert {row["predicted_label"] for row in back} <= {"positive", "negative"}
    safe = rows(server.ask("/v1/table?spreadsheet_safe=true&keep=text", body, headers=CSV).body)
    assert safe[3]["text"] == "'=1+1"
    assert list(safe[0]) == ["text", "label", "probability"]


@pytest.mark.parametrize(("kind", "delimiter"), [("text/csv", ";"), ("text/tab-separated-values", "\t")])
def test_a_table_keeps_its_delimiter(server: Server, kind: str, delimiter: str) -> None:
    body = f"id{delimiter}text\n1{delimiter}a good book\n".encode()
    back = rows(server.ask("/v1/table", body, headers={"Content-Type": kind}).body, delimiter)
    assert (back[0]["id"], back[0]["text"]) == ("1", "a good book")


@pytest.mark.parametrize(("delimiter", "answered"), [(";", ";"), ("^", ",")])
def test_the_line_that_tells_excel_the_delimiter_tells_the_service(
    server: Server, delimiter: str, answered: str
) -> None:
    """An answer has a delimiter that its header can tell, since it comes without that line."""
    body = f"sep={delimiter}\r\nid{delimiter}text\r\n1{delimiter}a good, long book\r\n".encode()
    back = rows(server.ask("/v1/table", body, headers=CSV).body, answered)
    assert (back[0]["id"], back[0]["text"]) == ("1", "a good, long book")
    wrong = server.ask("/v1/table", body + b"2\r\n", headers=CSV)
    assert wrong.status == 400
    assert b"line 4" in wrong.body


def test_objects_keep_their_values(server: Server) -> None:
    sent: list[dict[str, Any]] = [
        {"id": 1, "text": "a good book", "more": [1, {"x": None}]},
        {"text": "dull", "id": 2.5, "big": 10**30},
    ]
    body = "\n\n".join(json.dumps(row) for row in sent).encode()
    answer = server.ask("/v1/table?threshold=1", body, headers=JSONL)
    back = [json.loads(line) for line in answer.body.splitlines()]
    assert [{k: v for k, v in row.items() if k in own} for own, row in zip(sent, back, strict=True)] == sent
    assert [row["label"] for row in back] == [None, None]
    kept = server.ask("/v1/table?keep=id&other=hostile", body, headers=JSONL).body.splitlines()
    assert set(json.loads(kept[0])) == {
        "id",
        "label",
        "probability",
        "other_label",
        "other_score",
        "differs",
    }
    assert json.loads(kept[0])["differs"] is True


def remarks(answer: Answer) -> list[str]:
    return list(json.loads(answer.headers.get("lindy-remarks", "[]")))


def as_csv(texts: list[str], header: str = "text") -> str:
    out = io.StringIO()
    csv.writer(out).writerows([[header], *([text] for text in texts)])
    return out.getvalue()


@pytest.mark.parametrize(
    ("encoding", "says"),
    [
        ("cp1252", ["the table: read as cp1252"]),
        ("utf-16", ["the table: read as utf-16"]),
        ("utf-16-le", ["the table: read as utf-16-le"]),
        ("utf-8", []),
        ("utf-8-sig", []),
    ],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_encodings_are_guessed_and_said(server: Server, encoding: str, says: list[str], packed: bool) -> None:
    body = as_csv(WORDS).encode(encoding)
    # whatever bytes the packed file begins with, they tell nothing about the delimiter
    answer = server.ask("/v1/table", gzip.compress(body, mtime=0x7C7C7C) if packed else body, headers=CSV)
    assert [row["text"] for row in rows(answer.body)] == WORDS
    assert remarks(answer) == says


def test_an_encoding_is_guessed_where_ascii_ends(server: Server) -> None:
    """However long that is: the answer before is the same in either encoding."""
    texts = ["a good book and a long story"] * 60_000 + WORDS
    answer = server.ask("/v1/table", as_csv(texts).encode("cp1252"), headers=CSV)
    assert [row["text"] for row in rows(answer.body)] == texts
    assert remarks(answer) == ["the table: read as cp1252"]
    wrong = as_csv([*WORDS * 20_000, "x"]).encode() + b"broken \xff\n"
    answer = server.ask("/v1/table", wrong, headers=CSV)
    assert rows(answer.body)[-1]["text"] == "broken \ufffd"
    assert remarks(answer) == [
        "the table: characters that are not in utf-8 became U+FFFD, the first in line 60003"
    ]


def workbook(texts: list[str], path: Path) -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    for i, text in enumerate(texts):
        book.active.append([i, text])
    book.create_sheet("Other").append(["text"])
    book["Other"].append(["dull"])
    book.save(path)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("query", "headers"), [("?", {"Content-Type": XLSX}), ("?name=a.xlsx", ANY), ("?", ANY), ("?", CSV)]
)
def test_a_workbook_comes_back_as_one(
    server: Server, tmp_path: Path, query: str, headers: dict[str, str]
) -> None:
    body = workbook(WORDS, tmp_path / "book.xlsx")
    answer = server.ask(f"/v1/table{query}", body, headers=headers)
    assert answer.headers["content-type"] == XLSX
    (tmp_path / "back.xlsx").write_bytes(answer.body)
    back = read_table(tmp_path / "back.xlsx")
    assert back.column_names == ["id", "text", "label", "probability"]
    assert back.column("text").to_pylist() == WORDS
    shown = rows(server.ask(f"/v1/table{query}&to=csv&sheet=Other", body, headers=headers).body)
    assert [(row["text"], row["label"]) for row in shown] == [("dull", "negative")]


def test_titles_and_the_sheet_of_the_training(server: Server, tmp_path: Path) -> None:
    body = "Export;;;\nas of;1 March;;\n;;;\nid;text;note;by\n1;dull;é;\n2;lovely;;x\n".encode("cp1252")
    answer = server.ask("/v1/table", body, headers=CSV)
    shown = rows(answer.body, ";")
    assert [(row["id"], row["text"], row["label"]) for row in shown] == [
        ("1", "dull", "negative"),
        ("2", "lovely", "positive"),
    ]
    answer = server.ask("/v1/table?header=no&text=column_1", b"dull,,\nlovely,b,c\n", headers=CSV)
    assert [row["column_1"] for row in rows(answer.body)] == ["dull", "lovely"]
    table = tmp_path / "book.xlsx"
    sent = workbook(WORDS, table)
    book = openpyxl.load_workbook(table)
    for text, label in (("a good book", "positive"), ("dull", "negative")) * 5:
        book["Other"].append([text, label])
    book["Other"]["B1"], book["Other"]["B2"] = "label", "negative"
    book.save(table)
    model = TextClassifier(learner="naive-bayes").fit_examples(read_examples(table, sheet="Other"))
    model.save(tmp_path / "sheet.lindy")
    with serving(tmp_path / "sheet.lindy") as own:
        shown = rows(own.ask("/v1/table?to=csv", sent, headers={"Content-Type": XLSX}).body)
    assert [row["text"] for row in shown] == ["dull"]


def test_what_the_command_line_reads(server: Server, reviews: Path, tmp_path: Path) -> None:
    """The same table in every format gives the labels that ``lindy predict`` gives."""
    texts = [*WORDS, "a good book", "a, b; c"]
    path = tmp_path / "texts.csv"
    path.write_text(as_csv(texts))
    expected = load(reviews).predict(texts).tolist()
    for kind in ("csv", "tsv", "jsonl", "parquet", "xlsx", "lines"):
        other = tmp_path / f"texts.{'txt' if kind == 'lines' else kind}"
        if kind != "csv":
            convert(path, other)
        for packed in (False, True) if kind not in ("xlsx", "parquet") else (False,):
            body = gzip.compress(other.read_bytes()) if packed else other.read_bytes()
            answer = server.ask(f"/v1/table?to=csv&name={other.name}{'.gz' * packed}", body, headers=ANY)
            assert [row["label"] for row in rows(answer.body)] == expected, (kind, packed, answer.body)
            assert [row["text"] for row in rows(answer.body)] == texts


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("I loved this book\ndull and boring\n", ["I loved this book", "dull and boring"]),
        ("I loved it,positive\na joy,positive\ndull,negative\n", ["I loved it", "a joy", "dull"]),
        (
            "1;the longest book that I have ever read\n2;dull\n",
            ["the longest book that I have ever read", "dull"],
        ),
    ],
)
def test_a_file_without_a_header_loses_no_row(server: Server, body: str, texts: list[str]) -> None:
    answer = server.ask("/v1/table", body.encode(), headers=CSV)
    back = rows(answer.body, ";" if ";" in body else ",")
    assert texts == [row["column_2" if ";" in body else "column_1"] for row in back]
    assert "the first line is read as data" in remarks(answer)[0]
    called = server.ask("/v1/table?header=yes", body.encode(), headers=CSV)
    assert called.body.count(b"\n") == len(texts) or "looks like data" in called.error["message"]
    wrong = server.ask("/v1/table", body.encode() + b'"', headers=CSV)
    assert f"line {len(texts) + 1}" in wrong.error["message"]


def test_what_looks_like_a_header_can_be_called_data(server: Server) -> None:
    body = b"good,x\ndull,y\n"
    plain = server.ask("/v1/table", body, headers=CSV)
    assert [row["label"] for row in rows(plain.body)] == ["negative"]
    assert remarks(plain) == ["the table: text from column 'good' (the longest values, 4 bytes on average)"]
    told = server.ask("/v1/table?header=no", body, headers=CSV)
    assert [row["column_1"] for row in rows(told.body)] == ["good", "dull"]


def test_a_text_file_is_one_text_in_a_line_unless_it_names_a_column(server: Server) -> None:
    body = "a good, long book\ndull\n"
    back = rows(server.ask("/v1/table?name=a.txt", body.encode(), headers=ANY).body)
    assert [row["text"] for row in back] == ["a good, long book", "dull"]
    table = "number\ttext\r\n1\ta good, long book\r\n"  # as Excel saves "Unicode text"
    back = rows(server.ask("/v1/table?name=a.txt", table.encode("utf-16"), headers=ANY).body, "\t")
    assert [row["text"] for row in back] == ["a good, long book"]


def test_a_workbook_must_not_be_large_when_it_is_unpacked(reviews: Path, tmp_path: Path) -> None:
    body = workbook(["a good book " * 20] * 5000, tmp_path / "book.xlsx")
    with limited([reviews], {"unpacked": 100_000, "whole": len(body)}) as server:
        answer = server.ask("/v1/table", body, headers=ANY)
        assert (answer.status, answer.error["code"]) == (400, "unusable-table")
        assert "unpacks to more than 100,000 bytes" in answer.error["message"]
        answer = server.ask("/v1/table", body + b" ", headers=ANY)
        assert (answer.status, answer.error["code"]) == (413, "too-large")
        plain = b"text\n" + b"a good book\n" * 20_000  # which is no workbook, and read piece by piece
        assert len(plain) > len(body)
        assert server.ask("/v1/table", plain, headers=CSV).status == 200


def test_labels_have_thresholds_of_their_own(server: Server) -> None:
    body = b"text\nI loved it wonderful\ndull\n"
    plain = [row["label"] for row in rows(server.ask("/v1/table", body, headers=CSV).body)]
    assert plain == ["positive", "negative"]
    asked = "?thresholds=" + quote('{"positive": 1}')
    back = rows(server.ask(f"/v1/table{asked}", body, headers=CSV).body)
    assert [row["label"] for row in back] == ["", "negative"]
    back = rows(server.ask(f"/v1/table{asked}&threshold=1", body, headers=CSV).body)
    assert [row["label"] for row in back] == ["", ""]


def test_two_models_in_a_table(server: Server) -> None:
    body = b"text\na good book\ndull\n"
    same = rows(server.ask("/v1/table?other=reviews", body, headers=CSV).body)
    assert [row["differs"] for row in same] == ["false", "false"]
    assert [row["other_label"] for row in same] == [row["label"] for row in same]


def test_a_model_of_several_columns(server: Server) -> None:
    body = b"sender,price,subject,x\nbank,9,free prize,1\nfriend,1,lunch,2\n"
    back = rows(server.ask("/v1/table?model=tickets", body, headers=CSV).body)
    assert [row["label"] for row in back] == ["spam", "ham"]
    assert [row["x"] for row in back] == ["1", "2"]


@pytest.mark.parametrize(
    ("query", "headers", "body", "status", "says"),
    [
        ("", {"Content-Type": "application/pdf"}, b"x", 415, "Content-Type"),
        ("?model=nope", CSV, b"text\na\n", 404, "no model"),
        ("?model=features", CSV, b"text\na\n", 400, "takes no tables"),
        ("?surprise=1", CSV, b"text\na\n", 400, "no parameter"),
        ("?threshold=2", CSV, b"text\na\n", 400, "threshold"),
        ("?threshold=NaN", CSV, b"text\na\n", 400, "threshold"),
        ("?threshold=0.5&model=hostile", CSV, b"text\na\n", 400, "no probabilities"),
        ("?thresholds=0.5", CSV, b"text\na\n", 400, '{"spam": 0.9}'),
        ("?thresholds=" + quote('{"positive": 2}'), CSV, b"text\na\n", 400, '{"spam": 0.9}'),
        ("?thresholds=" + quote("[" * 5000), CSV, b"text\na\n", 400, '{"spam": 0.9}'),
        ("?thresholds=" + quote('{"nope": 0.5}'), CSV, b"text\na\n", 400, "nope"),
        ("?text=body", CSV, b"text,x\na,b\n", 400, "the table: no column 'body'"),
        ("?keep=body", CSV, b"text,x\na,b\n", 400, "the table: no column 'body'"),
        ("?model=tickets", CSV, b"subject,price\na,1\n", 400, "no column 'sender'"),
        ("?model=tickets", CSV, b"subject,price,sender\na,dear,b\n", 400, "line 2"),
        ("", CSV, b"", 400, "empty"),
        ("", CSV, b"text,x\na\n", 400, "line 2"),
        ("", CSV, b"text\na\0b\n", 400, "the table, line 2: a NUL byte"),
        ("", CSV, b"\x1f\x8b\x08\x00", 400, "the table: the gzip data is truncated"),
        ("", CSV, b"PK\x03\x04", 400, "the table: not an Excel workbook, or damaged"),
        ("", CSV, b"PAR1", 400, "the table: not a Parquet file"),
        ("", CSV, b"text,text\na,b\n", 400, "twice"),
        ("", CSV, b"first,second\n", 400, "there is a header but no row"),
        ("?to=pdf", CSV, b"text\na\n", 400, "csv, tsv, jsonl"),
        ("?header=no", JSONL, b'{"text": "a"}\n', 400, "CSV and TSV"),
        ("?sheet=x", CSV, b"text\na\n", 400, "only Excel workbooks have sheets"),
        ("?name=a.eml", ANY, b"Subject: a\n\nb\n", 415, "messages"),
        ("", JSONL, b"", 400, "the table: the file is empty"),
        ("", JSONL, b'{"text": "a"}\n{"text"', 400, "line 2"),
        ("", JSONL, b'{"text": "a"}\n[1]\n', 400, "line 2"),
        ("", JSONL, b'{"text": "a"}\n{"text": null}\n', 400, "line 2"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(
    server: Server, query: str, headers: dict[str, str], body: bytes, status: int, says: str
) -> None:
    answer = server.ask(f"/v1/table{query}", body, headers=headers)
    assert answer.status == status, answer.body
    assert says in answer.error["message"]
    assert not re.search(r"--[a-z]|iconv|lindy [a-z]", answer.error["message"])  # nobody types a command here


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


HEAD = b"POST /v1/table HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n"
BLOCK = b"a wonderful book, they say\n" * 40_000  # about a megabyte


def read_until(sock: socket.socket, wanted: bytes) -> bytes:
    got = b""
    while wanted not in got:
        part = sock.recv(1 << 16)
        assert part, got[-500:]
        got += part
    return got


def test_rows_come_back_before_the_last_are_sent(server: Server) -> None:
    with server.connect() as sock:
        sock.sendall(HEAD + chunk(b"text\n"))
        for _ in range(3):
            sock.sendall(chunk(BLOCK.replace(b", ", b" ")))
        got = read_until(sock, b"positive")
        assert got.startswith(b"HTTP/1.1 200")
        sock.sendall(b"0\r\n\r\n")
        read_until(sock, b"\r\n0\r\n\r\n")


def test_a_client_that_sends_everything_before_it_reads_is_answered(server: Server) -> None:
    """As browsers do: more than all buffers of the system hold is kept until the client takes it."""
    lines = 500_000
    body = b"text\n" + b"a good book and a long story\n" * lines
    answer = server.ask("/v1/table", body, headers=CSV)
    assert answer.body.count(b"\n") == lines + 1


def test_an_error_far_into_a_table_breaks_the_answer_off(server: Server) -> None:
    with server.connect() as sock:
        sock.sendall(HEAD + chunk(b"text\n"))
        for _ in range(3):
            sock.sendall(chunk(BLOCK.replace(b", ", b" ")))
        read_until(sock, b"positive")
        sock.sendall(chunk(b"one,two\n") + b"0\r\n\r\n")
        got = b""
        while part := sock.recv(1 << 16):
            got += part
        assert not got.endswith(b"\r\n0\r\n\r\n")
    server.wait_for(r"broke off: the table, line 120002")


def test_too_many_tables_of_one_client(reviews: Path) -> None:
    with limited([reviews], {"tables": 1}) as server, server.connect() as first:
        first.sendall(HEAD + chunk(b"text\na good book\n"))
        while (answer := server.ask("/v1/table", b"text\na\n", headers=CSV)).status != 429:
            assert answer.status == 200
        assert answer.error["code"] == "too-many-tables"
        assert answer.headers["retry-after"]
        first.sendall(b"0\r\n\r\n")
        read_until(first, b"\r\n0\r\n\r\n")
        assert server.ask("/v1/predict", {"text": "a"}).status == 200


def test_a_table_has_a_largest_size(reviews: Path) -> None:
    with limited([reviews], {"table": 1000, "body": 500}) as server:
        large = b"text\n" + b"a good book\n" * 100
        answer = server.ask("/v1/table", large, headers=CSV)
        assert (answer.status, answer.error["code"]) == (413, "too-large")
        closing = HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        got = server.raw(closing + chunk(large) + b"0\r\n\r\n")
        assert got.startswith(b"HTTP/1.1 413")
        long_row = b"text\n" + b"x" * 700
        assert server.ask("/v1/table", long_row, headers=CSV).status == 400
        assert server.ask("/v1/table", b'{"text": "' + b"x" * 700, headers=JSONL).status in (400, 413)


def test_a_full_disk_is_said(reviews: Path) -> None:
    body = b"text\n" + b"a good book\n" * 50_000
    with limited([reviews], {}, room=100_000) as server:
        answer = server.ask("/v1/table", body, headers=CSV)
        assert (answer.status, answer.error["code"]) == (503, "disk-full")
        assert answer.headers["retry-after"]
        assert server.ask("/v1/table", b"text\na good book\n", headers=CSV).status == 200
        assert not [line for line in server.lines if "Traceback" in line]
