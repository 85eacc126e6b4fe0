"""Processes: how the service starts, ends, loads again, and shares its work."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy import TextClassifier
from lindy.cli.app import run
from lindy.data import samples
from lindy.features import DictVectorizer
from lindy.images import PixelFeatures
from lindy.web.application import Application
from lindy.web.http.guards import Guard
from lindy.web.http.request_limits import Limits
from lindy.web.http.requests import Request, Response
from lindy.web.http.routes import Route, Routes
from lindy.web.model_registry import LoadedModel
from tests.web.servers import Server, rest, serving


def label(server: Server, text: str = "a wonderful, warm book") -> str:
    found: str = server.ask("/v1/predict", {"text": text}).json()["results"][0]["label"]
    return found


def other_model(path: Path) -> None:
    TextClassifier(learner="naive-bayes").fit(["wonderful", "dull"], ["new yes", "new no"]).save(path)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_models_are_loaded_again_if_they_are_good(reviews: Path, tmp_path: Path, workers: str) -> None:
    path = tmp_path / "model.lindy"
    shutil.copy(reviews, path)
    with serving(path, "--workers", workers) as server:
        assert label(server) == "positive"
        (tmp_path / "bad").write_bytes(b"no model")
        os.replace(tmp_path / "bad", path)
        server.signal(signal.SIGHUP)
        server.wait_for(r"kept the old models: .*not a lindy model")
        assert label(server) == "positive"
        other_model(path)
        server.signal(signal.SIGHUP)
        server.wait_for("loaded again: model")
        in_a_row = 0
        for _ in range(2000):  # every worker loads them for itself
            in_a_row = in_a_row + 1 if label(server) == "new yes" else 0
            if in_a_row == 50:
                break
        assert in_a_row == 50


def no_longer_listens(server: Server) -> bool:
    for _ in range(2000):
        try:
            server.connect().close()
        except ConnectionRefusedError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("workers", ["1", "2"])
def test_requests_in_flight_are_answered_before_the_end(reviews: Path, workers: str) -> None:
    with serving(reviews, "--workers", workers) as server:
        with server.connect() as sock:
            body = json.dumps({"text": "a wonderful, warm book"}).encode()
            head = b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            sock.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
            begun = b"HTTP/1.1 100 Continue\r\n\r\n"
            assert sock.recv(len(begun), socket.MSG_WAITALL) == begun  # the service waits for the body
            server.signal(signal.SIGTERM)
            assert no_longer_listens(server)
            sock.sendall(body)
            assert b'"label":"positive"' in rest(sock)
        assert server.process.wait(60) == 0


def test_a_worker_that_dies_is_replaced(reviews: Path) -> None:
    with serving(reviews, "--workers", "2") as server:
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(server.process.pid)],
            capture_output=True,
            text=True,
            check=True,
        )
        first, second = map(int, children.stdout.split())
        os.kill(first, signal.SIGKILL)
        server.wait_for(r"worker \d has died \(signal 9\); another takes its place")
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(lambda _: label(server), range(40))) == {"positive"}
        os.kill(second, 0)


def test_workers_end_with_the_process_that_watches_over_them(reviews: Path) -> None:
    with serving(reviews, "--workers", "2", code=-signal.SIGKILL) as server:
        server.process.kill()
        assert no_longer_listens(server)


def test_workers_share_the_counts(reviews: Path) -> None:
    with serving(reviews, "--workers", "2") as server:
        for _ in range(30):
            label(server)
        server.ask("/v1/predict", {"texts": ["zzz", "qqq"], "threshold": 1})
        server.ask("/nothing")
        wanted = {
            'lindy_requests_total{route="/v1/predict",status="200"} 31',
            'lindy_requests_total{route="(none)",status="404"} 1',
            'lindy_request_seconds_count{route="/v1/predict"} 31',
            'lindy_texts_total{model="reviews"} 32',
            'lindy_rejected_total{model="reviews"} 2',
            'lindy_unknown_total{model="reviews"} 2',
            "lindy_workers 2",
        }
        for _ in range(
            2000
        ):  # an answer is counted when it has been sent: another worker may be asked before
            figures = server.ask("/metrics")
            if wanted <= set(figures.body.decode().splitlines()):
                break
        assert wanted - set(figures.body.decode().splitlines()) == set()
        assert figures.headers["content-type"].startswith("text/plain")


def test_the_access_log_is_json_without_texts(reviews: Path, tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"
    with log.open("wb") as file, serving(reviews, "--access-log", stdout=file) as server:
        label(server)
        server.ask("/index.json?text=secret")
        server.ask("/nothing%0A%22")
        server.ask("/health", headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.9"})
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("POST", "/v1/predict", 200),
        ("GET", "/index.json", 200),
        ("GET", '/nothing\n"', 404),
        ("GET", "/health", 200),
    ]
    assert all(line["ms"] >= 0 for line in lines)
    assert [line["client"] for line in lines] == ["127.0.0.1"] * 3 + ["203.0.113.9"]


def test_figures_of_a_test_file(reviews: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "test.csv"
    lines = samples.path("reviews-test").read_text(encoding="utf-8").splitlines()
    wrong.write_text("\n".join([*lines, '"a wonderful, warm, charming and brilliant book",negative', ""]))
    with serving(reviews, "--test", wrong) as server:
        card = server.ask("/v1/models/reviews").json()
        assert card["held_out"] == 101
        assert card["tested_on"] == "test file"
        (suspect, *_) = [error for error in card["label_errors"] if error["row"] == 101]
        assert (suspect["label"], suspect["predicted"]) == ("negative", "positive")
        assert suspect["text"].startswith("a wonderful")
        counts = card["confusion"]["counts"]
        assert sum(map(sum, counts)) == 101
        assert server.ask("/v1/models/reviews/decisions").json()["n"] == 101
        assert len(server.ask("/v1/examples").json()["examples"]) == 12


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run the command, which must end with an error before it serves, and return what it says."""

    def call(*words: object) -> str:
        code = run(["serve", *map(str, words)])
        said = capsys.readouterr().err
        assert code in (1, 2), said
        assert said.startswith("error: ")
        return said

    return call


def test_a_service_that_cannot_start_says_why(
    refused: Callable[..., str], reviews: Path, tickets: Path, tmp_path: Path
) -> None:
    foreign = tmp_path / "foreign.lindy"
    foreign.write_bytes(b"\x80\x04pickle")
    token = tmp_path / "token"
    token.write_text("0123456789abcdef")
    assert "not a lindy model file" in refused(foreign)
    assert "does not exist" in refused(tmp_path / "none.lindy")
    assert "a token is needed" in refused(reviews, "--host", "0.0.0.0")
    assert "cannot read the token" in refused(reviews, "--host", "0.0.0.0", "--token-file", tmp_path / "none")
    assert "not a port" in refused(reviews, "--port", "70000")
    assert "more than 256" in refused(reviews, "--workers", "1000")
    assert "cannot listen" in refused(reviews, "--host", "192.0.2.1", "--token-file", token)
    assert "cannot listen" in refused(reviews, "--host", "x" * 300, "--token-file", token)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused(reviews, "--port", taken.getsockname()[1])
    assert "is in use" in said
    assert "--port" in said
    assert "no column" in refused(tickets, "--test", samples.path("reviews-test"))
    assert "no such file" in refused(reviews, "--examples", tmp_path / "none.csv")
    assert "has other columns" in refused(reviews, "--feedback", samples.path("reviews-test"))


def test_models_that_take_no_request_are_refused_at_the_start(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    dicts, images = tmp_path / "dicts.lindy", tmp_path / "images.lindy"
    rows, labels = [{"a": 1}, {"b": "x"}] * 5, ["p", "n"] * 5
    TextClassifier(vectorizer=DictVectorizer(), learner="svm").fit(rows, labels).save(dicts)
    pixels = np.arange(10 * 16).reshape(10, 4, 4) % 7
    TextClassifier(vectorizer=PixelFeatures(), learner="svm").fit(pixels, labels).save(images)
    assert "a model of dictionaries of features, which the service cannot" in refused(dicts, "--check")
    assert "a model of images, which the service cannot" in refused(images, "--check")


def test_a_test_of_other_labels_is_refused(
    reviews: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    """The card would have shown an accuracy of 0 %."""
    other = tmp_path / "other.csv"
    other.write_text("text,label\na good book,spam\nlunch,ham\n")
    said = refused(reviews, "--test", other)
    assert "no test of the model reviews: its labels are 'negative', 'positive'" in said
    assert "those of the table are 'spam', 'ham'" in said


def test_a_test_is_shown_for_the_models_that_it_fits(reviews: Path, tickets: Path) -> None:
    with serving(tickets, reviews, "--test", samples.path("reviews-test")) as server:
        assert "no column 'subject'" in server.wait_for("--test is not shown for tickets")
        own, other = (server.ask(f"/v1/models/{name}").json() for name in ("reviews", "tickets"))
        assert (own["tested_on"], other["tested_on"]) == ("test file", None)  # which held nothing out
        decisions = [server.ask(f"/v1/models/{name}/decisions").json() for name in ("reviews", "tickets")]
        assert [reply["tested_on"] for reply in decisions] == ["test file", None]
        assert own["metrics"][0]["value"] > 0.5


def test_labels_of_a_test_are_spelled_as_in_training(reviews: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.csv"
    test.write_text('text,label\nwonderful," positive "\ndull,negative \nno label,\n')
    with serving(reviews, "--test", test) as server:
        card = server.ask("/v1/models/reviews").json()
        assert (card["held_out"], card["metrics"][0]["value"]) == (2, 1.0)


def test_a_check_starts_nothing(reviews: Path) -> None:
    command = [sys.executable, "-m", "lindy", "serve", str(reviews), str(reviews), "--port", "0", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert "reviews, reviews-2 could be served" in done.stderr


def test_ctrl_c_ends_it(reviews: Path) -> None:
    with serving(reviews) as server:
        server.signal(signal.SIGINT)
        assert server.process.wait(60) == 0
        server.wait_for("ended")


def test_a_model_is_named_by_its_file(reviews: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    shutil.copy(reviews, path)
    os.utime(path, (0, 1.6e9))
    digest = hashlib.sha256(reviews.read_bytes()).hexdigest()
    served = LoadedModel("reviews", str(path))
    path.unlink()
    assert (served.fingerprint, served.version) == (digest, digest[:12])
    assert served.trained_at == "2020-09-13T12:26:40Z"


def test_a_worker_that_cannot_begin_says_why() -> None:
    script = (
        "import socket\n"
        "from lindy.web.server import Supervisor\n"
        "def begin(number, lifeline): raise RuntimeError('no luck')\n"
        "Supervisor(1, begin, lambda: True, socket.socket()).run(lambda: None)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if "has died" in line:
                break
        process.terminate()
    assert "RuntimeError: no luck" in said
    assert "worker 1 has died (exit code 1)" in said


def test_a_mistake_in_the_middle_of_an_answer_is_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"first"
        raise RuntimeError("no luck")

    async def handler(_request: Request) -> Response:
        return Response(200, (), pieces=pieces())

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    sent = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    routes = Routes([Route("GET", "/", handler, "Break.")])
    application = Application(routes, Guard("127.0.0.1"), Limits())
    scope = {"method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", b"127.0.0.1")]}
    with pytest.raises(
        RuntimeError, match="no luck"
    ):  # by which the server knows that the answer is not complete
        asyncio.run(application(scope, receive, send))
    assert [message.get("body") for message in sent] == [None, b"first"]
    assert "RuntimeError: no luck" in capsys.readouterr().err
    assert application.in_flight == 0
