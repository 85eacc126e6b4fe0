"""Tables in, the same rows with predictions out: while they are still being sent, in constant memory."""

from __future__ import annotations

import csv
import io
import json
import socket
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from lindy.data import samples
from lindy.textclassifier import load
from tests.web.servers import Server, limited

CSV = {"Content-Type": "text/csv"}
JSONL = {"Content-Type": "application/x-ndjson"}


def rows(body: bytes, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode()), delimiter=delimiter))


def test_a_table_comes_back_with_predictions(server: Server, reviews: Path) -> None:
    path = samples.path("reviews-test")
    answer = server.ask("/v1/table", path.read_bytes(), headers=CSV)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    sent, back = rows(path.read_bytes()), rows(answer.body)
    assert [{name: row[name] for name in sent[0]} for row in back] == sent
    answers = load(reviews).answers([row["text"] for row in sent])
    assert [row["prediction"] for row in back] == load(reviews).classes_[answers.best].tolist()
    p = [float(row["probability"]) for row in back]
    np.testing.assert_allclose(p, answers.values.max(axis=1), atol=5e-7)


def test_quotes_line_breaks_and_marks_survive(server: Server) -> None:
    texts = ['a "good" book', "two\nlines, and a comma", "ünï 🎉", "=1+1", " spaces "]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "text", "prediction"])
    writer.writerows([i, text, "mine"] for i, text in enumerate(texts))
    body = b"\xef\xbb\xbf" + out.getvalue().encode()
    back = rows(server.ask("/v1/table", body, headers=CSV).body)
    assert [row["text"] for row in back] == texts
    assert [row["prediction"] for row in back] == ["mine"] * 5
    assert {row["predicted_prediction"] for row in back} <= {"positive", "negative"}
    safe = rows(server.ask("/v1/table?spreadsheet_safe=true&keep=text", body, headers=CSV).body)
    assert safe[3]["text"] == "'=1+1"
    assert list(safe[0]) == ["text", "prediction", "probability"]


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
    assert [row["prediction"] for row in back] == [None, None]
    kept = server.ask("/v1/table?keep=id&other=hostile", body, headers=JSONL).body.splitlines()
    assert set(json.loads(kept[0])) == {
        "id",
        "prediction",
        "probability",
        "other_prediction",
        "other_score",
        "differs",
    }
    assert json.loads(kept[0])["differs"] is True


def test_labels_have_thresholds_of_their_own(server: Server) -> None:
    body = b"text\nI loved it wonderful\ndull\n"
    plain = [row["prediction"] for row in rows(server.ask("/v1/table", body, headers=CSV).body)]
    assert plain == ["positive", "negative"]
    asked = "?thresholds=" + quote('{"positive": 1}')
    back = rows(server.ask(f"/v1/table{asked}", body, headers=CSV).body)
    assert [row["prediction"] for row in back] == ["", "negative"]
    back = rows(server.ask(f"/v1/table{asked}&threshold=1", body, headers=CSV).body)
    assert [row["prediction"] for row in back] == ["", ""]


def test_two_models_in_a_table(server: Server) -> None:
    body = b"text\na good book\ndull\n"
    same = rows(server.ask("/v1/table?other=reviews", body, headers=CSV).body)
    assert [row["differs"] for row in same] == ["false", "false"]
    assert [row["other_prediction"] for row in same] == [row["prediction"] for row in same]


def test_a_model_of_several_columns(server: Server) -> None:
    body = b"sender,price,subject,x\nbank,9,free prize,1\nfriend,1,lunch,2\n"
    back = rows(server.ask("/v1/table?model=tickets", body, headers=CSV).body)
    assert [row["prediction"] for row in back] == ["spam", "ham"]
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
        ("", CSV, b"text\n\xff\n", 400, "UTF-8"),
        ("", CSV, b"\x1f\x8b\x08\x00", 400, "unpacked"),
        ("", CSV, b"PK\x03\x04", 400, "unpacked"),
        ("", JSONL, b"", 400, "no rows"),
        ("", JSONL, b'{"text": "a"}\n{"text"', 400, "line 2"),
        ("", JSONL, b'{"text": "a"}\n[1]\n', 400, "line 2"),
        ("", JSONL, b'{"text": "a"}\n{"text": null}\n', 400, "line 2"),
        ("", JSONL, b'{"text": "\xff"}\n', 400, "line 1"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(
    server: Server, query: str, headers: dict[str, str], body: bytes, status: int, says: str
) -> None:
    answer = server.ask(f"/v1/table{query}", body, headers=headers)
    assert answer.status == status, answer.body
    assert says in answer.error["message"]


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
