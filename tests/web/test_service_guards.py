"""Who may ask: hosts, origins and tokens, and what every answer forbids the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lindy.errors import LindyError
from lindy.web.http.guards import CSP, Guard, client_of, is_loopback
from lindy.web.http.problems import Problem
from lindy.web.http.requests import Request
from lindy.web.start import read_token
from tests.web.conftest import HOSTILE
from tests.web.servers import Server, serving

TOKEN = "0123456789abcdef0123456789abcdef"


def asked(host: str, origin: str | None = None, authorization: str = "") -> Request:
    async def receive() -> dict[str, object]:
        return {}

    sent = None if origin is None else origin.encode()
    return Request("GET", "/", b"", "", receive, host.encode(), sent, authorization.encode())


@pytest.mark.parametrize("path", ["/health", "/v1/models", "/openapi.json", "/nothing", "/static/nothing"])
def test_every_answer_has_the_headers(server: Server, path: str) -> None:
    headers = server.ask(path).headers
    assert headers["content-security-policy"] == CSP
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8000", "", "[::2]", "localhost.", "169.254.0.1"]
)
def test_other_hosts_are_refused(server: Server, host: str) -> None:
    answer = server.ask("/v1/models", headers={"Host": host})
    assert (answer.status, answer.error["code"]) == (421, "wrong-host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:8000"])
def test_loopback_has_several_names(server: Server, host: str) -> None:
    assert server.ask("/v1/models", headers={"Host": host}).status == 200


def test_two_hosts_are_refused(server: Server) -> None:
    got = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 400")


def test_pages_of_other_sites_are_refused(server: Server) -> None:
    own = f"{server.host}:{server.port}"
    assert server.ask("/v1/predict", {"text": "a"}, headers={"Origin": f"http://{own}"}).status == 200
    for origin in (
        "http://evil.example",
        "null",
        f"http://{server.host}:1",
        f"http://{own}.evil.example",
        "",
    ):
        answer = server.ask("/v1/predict", {"text": "a"}, headers={"Origin": origin})
        assert (answer.status, answer.error["code"]) == (403, "wrong-origin"), origin


def test_nothing_of_a_model_is_html(server: Server) -> None:
    body = {"text": f"good {HOSTILE}", "model": "hostile"}
    for answer in (
        server.ask("/v1/predict", body),
        server.ask("/v1/explain", body),
        server.ask("/v1/models"),
    ):
        assert answer.headers["content-type"] == "application/json"
        assert HOSTILE.encode() in answer.body
    wrong = server.ask("/%3Cscript%3Ealert(1)%3C/script%3E")
    assert wrong.headers["content-type"] == "application/json"


@pytest.fixture(scope="module")
def guarded(reviews: Path, folder: Path) -> Iterator[Server]:
    path = folder / "token"
    path.write_text(f"{TOKEN}\n")
    with serving(reviews, "--token-file", path, "--allow-host", "lindy.example") as server:
        yield server


def test_a_token_is_asked_for(guarded: Server) -> None:
    for sent in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": TOKEN},
        {"Authorization": f"Basic {TOKEN}"},
    ):
        for path in ("/v1/models", "/v1/models/reviews", "/index.json", "/metrics", "/nothing"):
            answer = guarded.ask(path, headers=sent)
            assert (answer.status, answer.error["code"]) == (401, "token-needed")
            assert answer.headers["www-authenticate"] == "Bearer"
        assert guarded.ask("/v1/predict", {"text": "a"}, headers=sent).status == 401
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.ask("/v1/models", headers=right).status == 200
    assert guarded.ask("/v1/predict", {"text": "a"}, headers=right).status == 200


def test_what_needs_no_token_says_nothing_of_the_models(guarded: Server) -> None:
    for path in ("/health", "/ready", "/openapi.json"):
        answer = guarded.ask(path)
        assert answer.status == 200
        assert b"positive" not in answer.body
    assert guarded.ask("/health", headers={"Host": "lindy.example"}).status == 200


def test_a_service_on_all_addresses() -> None:
    guard = Guard("0.0.0.0", token=TOKEN)
    for host in ("10.0.0.7:8000", "[fe80::1]:8000", "localhost"):
        guard.check(asked(host, authorization=f"Bearer {TOKEN}"), is_free=False)
    with pytest.raises(Problem, match="not called 'evil"):
        guard.check(asked("evil.example"), is_free=True)
    named = Guard("192.168.1.5", token=TOKEN)
    named.check(asked("192.168.1.5:8000"), is_free=True)
    with pytest.raises(Problem):
        named.check(asked("192.168.1.6:8000"), is_free=True)


@pytest.mark.parametrize(
    ("peer", "said", "client"),
    [
        ("10.0.0.7", b",203.0.113.9", "10.0.0.7"),  # not a proxy of this machine: its word is nothing
        ("127.0.0.1", b"", "127.0.0.1"),
        ("127.0.0.1", b",203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", b",198.51.100.1, 203.0.113.9", "203.0.113.9"),  # the first may be a lie
        ("::1", b",203.0.113.9,,127.0.0.1, ", "203.0.113.9"),
        ("127.0.0.1", b",127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", b"," + b"x" * 10_000, "x" * 50),
    ],
)
def test_who_asks_is_what_a_proxy_here_says(peer: str, said: bytes, client: str) -> None:
    request = asked("localhost")
    request.peer, request.forwarded_for = peer, said
    assert client_of(request) == client


def test_loopback_is_known() -> None:
    assert all(map(is_loopback, ["127.0.0.1", "127.9.9.9", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "10.0.0.1", "example.org", "", "localhost.evil"]))


def test_tokens_come_from_files(tmp_path: Path) -> None:
    path = tmp_path / "token"
    assert read_token(None, "127.0.0.1") is None
    with pytest.raises(LindyError, match="a token is needed"):
        read_token(None, "0.0.0.0")
    with pytest.raises(LindyError, match="cannot read the token"):
        read_token(str(path), "127.0.0.1")
    for bad in ("", "short", "with a space in the middle of it", "0123456789abcdefé"):
        path.write_text(bad, encoding="utf-8")
        with pytest.raises(LindyError, match="token"):
            read_token(str(path), "127.0.0.1")
    path.write_text(f"{TOKEN}\n")
    assert read_token(str(path), "0.0.0.0") == TOKEN
