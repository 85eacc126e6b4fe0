"""Requests of the same moment are predicted together, and each gets its own answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lindy.web.model_registry import LoadedModel
from lindy.web.predicting import MicroBatcher
from tests.web.servers import Server


@pytest.fixture(scope="module")
def models(reviews: Path) -> tuple[LoadedModel, LoadedModel]:
    return LoadedModel("one", str(reviews)), LoadedModel("two", str(reviews))


def test_texts_of_a_turn_go_together(models: tuple[LoadedModel, LoadedModel]) -> None:
    calls: list[tuple[str, list[str]]] = []

    def predict(served: LoadedModel, texts: list[str]) -> list[str]:
        calls.append((served.name, texts))
        return [f"{served.name} {text}" for text in texts]

    async def ask() -> list[str]:
        together: MicroBatcher[str] = MicroBatcher(predict, 3)
        first = await asyncio.gather(*(together(models[i % 2], str(i)) for i in range(8)))
        return [*first, await together(models[0], "later")]

    assert asyncio.run(ask()) == [f"{('one', 'two')[i % 2]} {i}" for i in range(8)] + ["one later"]
    assert calls == [
        ("one", ["0", "2", "4"]),
        ("one", ["6"]),
        ("two", ["1", "3", "5"]),
        ("two", ["7"]),
        ("one", ["later"]),
    ]


def test_one_bad_text_is_nobody_elses_error(models: tuple[LoadedModel, LoadedModel]) -> None:
    def predict(_served: LoadedModel, texts: list[str]) -> list[str]:
        if "bad" in texts:
            raise ValueError("of this text")
        return [text.upper() for text in texts]

    async def ask() -> list[object]:
        together: MicroBatcher[str] = MicroBatcher(predict, 16)
        futures = [together(models[0], text) for text in ("a", "bad", "gone", "b")]
        futures[2].cancel()
        return list(await asyncio.gather(*futures, return_exceptions=True))

    a, bad, gone, b = asyncio.run(ask())
    assert (a, b) == ("A", "B")
    assert isinstance(bad, ValueError)
    assert isinstance(gone, asyncio.CancelledError)


def test_requests_in_one_packet_are_answered_in_their_order(server: Server) -> None:
    texts = ["a wonderful, warm book", "dull and boring", "zzz"] * 10
    alone = [server.ask("/v1/predict", {"text": text}).body for text in texts[:3]]
    sent = b""
    for i, text in enumerate(texts):
        body = b'{"text": "%s"}' % text.encode()
        last = b"Connection: close\r\n" if i == len(texts) - 1 else b""
        sent += b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        sent += last + b"Content-Length: %d\r\n\r\n" % len(body) + body
    got = server.raw(sent)
    assert got.count(b"HTTP/1.1 200") == 30
    bodies = [part.partition(b"\r\n\r\n")[2] for part in got.split(b"HTTP/1.1 200")[1:]]
    assert bodies == alone * 10
