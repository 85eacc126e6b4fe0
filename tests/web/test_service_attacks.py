"""An attacker with a socket of his own: requests that two servers could read differently, and those without an end."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from lindy.web.http.guards import Guard
from lindy.web.http.problems import Problem
from tests.web.servers import Server, drip, limited, rest
from tests.web.test_service_guards import TOKEN, asked

BODY = b'{"text":"a"}'
POST = b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
HIDDEN = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        POST + b"Content-Length: 12\r\nContent-Length: 12\r\n\r\n" + BODY,
        POST + b"Content-Length: 12\r\nContent-Length: 0\r\n\r\n" + BODY,
        POST + b"Content-Length: 12, 12\r\n\r\n" + BODY,
        POST + b"Content-Length: +12\r\n\r\n" + BODY,
        POST + b"Content-Length: -1\r\n\r\n" + BODY,
        POST + b"Content-Length: 99999999999999999999999\r\n\r\n" + BODY,
        POST + b"Content-Length: 4\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
        POST + CHUNKED + b"Content-Length: 4\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: identity\r\n\r\n" + BODY,
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        POST + CHUNKED + b"Transfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        POST + b"X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n" + BODY,
        POST + b"X: a\rContent-Length: 0\r\nContent-Length: 12\r\n\r\n" + BODY,
        POST + b"X: a\0b\r\nContent-Length: 12\r\n\r\n" + BODY,
        POST + CHUNKED + b"\r\n0xc\r\n" + BODY + b"\r\n0\r\n\r\n",
        POST + CHUNKED + b"\r\n-1\r\n" + BODY + b"\r\n0\r\n\r\n",
        POST + CHUNKED + b"\r\n10000000000000000c\r\n" + BODY + b"\r\n0\r\n\r\n",
        POST + CHUNKED + b"\r\nc\n" + BODY + b"\n0\n\n",
        b"CONNECT evil:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
)
def test_what_two_servers_could_read_differently_is_refused(server: Server, sent: bytes) -> None:
    got = server.raw(sent + HIDDEN)
    assert got.startswith(b"HTTP/1.1 400 ")
    assert got.count(b"HTTP/1.1 ") == 1  # the request behind it is not answered, and the connection closed
    assert b"connection: close" in got


def test_a_body_is_no_request(server: Server) -> None:
    head = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    got = server.raw(head + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN)
    assert got.count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize(
    "path",
    ["../pages.py", "..%2f..%2fserver.py", "%2e%2e/%2e%2e/server.py", "/etc/passwd", "....//x", "app.js%00.png",
     "app.js/", "%5c..%5cserver.py", "\\..\\x", ".", "%ff"],
)  # fmt: skip
def test_only_the_files_of_the_page_are_sent(server: Server, path: str) -> None:
    got = server.raw(
        b"GET /static/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n" % path.encode()
    )
    assert got.startswith(b"HTTP/1.1 404 ")
    assert b'"not-found"' in got


def test_tokens_are_compared_as_bytes_and_as_a_whole() -> None:
    guard = Guard("127.0.0.1", token=TOKEN)
    for scheme in ("Bearer", "bearer", "BEARER"):
        guard.check(asked("localhost", authorization=f"{scheme} {TOKEN}"), is_free=False)
    for wrong in (TOKEN[:-1], TOKEN + "0", TOKEN[:-1] + "é", " " + TOKEN, TOKEN.upper(), "", "é"):
        with pytest.raises(Problem, match="token"):
            guard.check(asked("localhost", authorization=f"Bearer {wrong}"), is_free=False)


@pytest.fixture(scope="module")
def quick(reviews: Path) -> Iterator[Server]:
    with limited([reviews], {"header_seconds": 1.0, "body_seconds": 20.0}) as running:
        yield running


def resident_mb(server: Server) -> float:
    return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * 4096 / 1e6


@pytest.mark.parametrize(
    ("head", "block"),
    [
        (b"\r\nc\r\n" + BODY + b"\r\n0\r\n", b"A: " + b"b" * 1000 + b"\r\n"),
        (b"\r\nc\r\n" + BODY + b"\r\n0\r\nA: ", b"b" * 1000),
        (b"\r\nc;", b"a" * 1000),
    ],
    ids=["trailers", "one trailer", "a chunk's extension"],
)
def test_what_has_no_end_around_a_body_is_refused(quick: Server, head: bytes, block: bytes) -> None:
    before, sent = resident_mb(quick), 0
    with quick.connect() as sock:
        sock.sendall(POST + CHUNKED + head)
        try:
            while sent < 200 << 20:
                sock.sendall(block * 100)
                sent += 100 * len(block)
        except OSError:
            pass
        answer = rest(sock)
    assert sent < 100 << 20
    assert not answer or b'"trailers-too-large"' in answer
    assert resident_mb(quick) < before + 50
    assert quick.ask("/v1/predict", {"text": "a"}).status == 200


def test_short_trailers_are_ignored(quick: Server) -> None:
    chunks = b"\r\nc\r\n" + BODY + b"\r\n0\r\nHost: evil\r\nContent-Type: text/plain\r\n\r\n"
    got = quick.raw(POST + b"Connection: close\r\n" + CHUNKED + chunks)
    assert got.startswith(b"HTTP/1.1 200")


def answered(socks: list[socket.socket], number: int) -> list[socket.socket]:
    """Return the connections that something has come back on, when there are so many."""
    while len(ready := select.select(socks, [], [], 1)[0]) < number:
        pass
    return ready


def test_half_sent_bodies_take_no_more_memory_than_they_may(reviews: Path) -> None:
    """60 of 13 MB took 784 MB. The largest ones make room, and small requests are answered meanwhile."""
    head = POST + b"Content-Length: %d\r\n\r\n" % (14 << 20)
    with limited([reviews], {"held": 32 << 20}) as server, ExitStack() as stack:
        before, socks = resident_mb(server), []
        for i in range(60):
            socks.append(stack.enter_context(server.connect()))
            with suppress(OSError):  # it was the largest one
                socks[-1].sendall(head + b'{"text": "' + b"x" * (13 << 20))
            assert i % 20 or server.ask("/v1/predict", {"text": "a good book"}).status == 200
            assert resident_mb(server) < before + 120
        answered(socks, 50)


@pytest.mark.parametrize(
    "sent", [b"GET /?" + b"x" * 30_000, POST + b"X: " + b"x" * 30_000], ids=["URL", "header"]
)
def test_addresses_and_headers_are_counted_with_bodies(reviews: Path, sent: bytes) -> None:
    with limited([reviews], {"held": 1 << 20, "header_seconds": 60.0}) as server, ExitStack() as stack:
        socks = [stack.enter_context(server.connect()) for _ in range(100)]
        for sock in socks:
            sock.sendall(sent)
        assert server.ask("/v1/predict", {"text": "a good book"}).status == 200
        answers = [sock.recv(1000) for sock in answered(socks, 50)]
        assert {answer.split(b"\r\n")[0] for answer in answers} == {b"HTTP/1.1 503 Service Unavailable"}
        for sock in socks:
            sock.close()
        body = {"texts": ["a good book " * 1000] * 70}  # there is room again
        assert server.ask("/v1/predict", body).status == 200


def test_many_small_headers_are_refused(quick: Server) -> None:
    got = quick.raw(POST + b"a:b\r\n" * 101 + b"Content-Length: 2\r\n\r\n{}")
    assert got.startswith(b"HTTP/1.1 431 ")
    got = quick.raw(POST + b"a:b\r\n" * 101)
    assert got.startswith(b"HTTP/1.1 431 ")


def test_headers_byte_by_byte_are_too_slow(quick: Server) -> None:
    with quick.connect() as sock:
        sock.sendall(POST + b"X: ")
        answer = drip(sock, b"x")
    assert answer.startswith(b"HTTP/1.1 408")
