"""Corrections: exactly what was sent, in a file that can be trained on, whoever writes at the same time."""

from __future__ import annotations

import csv
import os
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lindy import TextClassifier
from lindy.data import read_examples
from lindy.errors import DataError, OutputError
from lindy.web.feedback import Feedback
from lindy.web.messages import FeedbackRequest
from lindy.web.problems import Problem
from lindy.web.shelf import Served, Shelf
from lindy.web.start import Running, Settings
from tests.web.servers import Server, serving


def stored(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_corrections_of_many_clients_and_workers_are_all_there(reviews: Path, tmp_path: Path) -> None:
    path = tmp_path / "corrections.csv"
    odd = ['with "quotes", commas', "two\nlines", "=cmd|' /C calc'!A0", "ünï 🎉", "\r", "'"]
    texts = odd + [f"text {i} " + "long " * (i % 50) for i in range(194)]
    with serving(reviews, "--feedback", path, "--workers", "2") as server, ThreadPoolExecutor(8) as pool:

        def correct(text: str) -> int:
            body = {"text": text, "label": "positive", "predicted": "negative"}
            return server.ask("/v1/feedback", body).status

        assert set(pool.map(correct, texts)) == {200}
    rows = stored(path)
    assert sorted(row["text"] for row in rows) == sorted(texts)
    assert {(row["label"], row["predicted"], row["model"]) for row in rows} == {
        ("positive", "negative", "reviews")
    }
    data = read_examples(path)
    assert data.columns.text == "text"
    assert data.columns.label == "label"
    assert sorted(data.texts.to_pylist()) == sorted(texts)


def test_training_reads_the_corrections(server: Server, folder: Path, tmp_path: Path) -> None:
    for text, label in [("really bad", "negative"), ("really good", "positive"), ("so bad", "negative")]:
        assert server.ask("/v1/feedback", {"text": text, "label": label}).json() == {"stored": True}
    record = {"subject": "lunch", "price": 1.5, "sender": None}
    answer = server.ask("/v1/feedback", {"record": record, "label": "ham", "model": "tickets"})
    assert answer.json() == {"stored": True}
    path = folder / "corrections.csv"
    assert list(stored(path)[0]) == [
        "label",
        "text",
        "subject",
        "price",
        "sender",
        "predicted",
        "model",
        "time",
    ]
    (ticket,) = [row for row in stored(path) if row["model"] == "tickets"]
    assert (ticket["subject"], ticket["price"], ticket["sender"]) == ("lunch", "1.5", "")
    command = [
        sys.executable,
        "-m",
        "lindy",
        "train",
        path,
        "-o",
        tmp_path / "new.lindy",
        "--learner",
        "naive-bayes",
    ]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_cannot_be_kept(server: Server, reviews: Path) -> None:
    for body, code in [
        ({"text": "a", "label": " "}, "wrong-value"),
        ({"text": "a"}, "wrong-value"),
        ({"label": "positive"}, "wrong-inputs"),
        ({"text": "a", "record": {}, "label": "positive"}, "wrong-inputs"),
        ({"record": {"good": 1}, "label": "yes", "model": "features"}, "wrong-inputs"),
        ({"text": "a", "label": "ham", "model": "tickets"}, "wrong-inputs"),
        ({"record": {"subject": "a"}, "label": "ham", "model": "tickets"}, "missing-column"),
    ]:
        answer = server.ask("/v1/feedback", body)
        assert (answer.status, answer.error["code"]) == (400, code)
    with serving(reviews) as other:
        assert other.ask("/v1/models").json()["feedback"] is False
        answer = other.ask("/v1/feedback", {"text": "a", "label": "positive"})
        assert (answer.status, answer.error["code"]) == (404, "no-feedback")


@pytest.fixture
def model(reviews: Path) -> Served:
    return Shelf.load([str(reviews)]).default


REQUEST = FeedbackRequest(label="positive", text="a")


def test_a_file_without_its_last_line_break_is_mended(model: Served, tmp_path: Path) -> None:
    path = tmp_path / "corrections.csv"
    Feedback(str(path), [model])(model, REQUEST)
    os.truncate(path, path.stat().st_size - 1)
    Feedback(str(path), [model])(model, REQUEST)
    assert [row["text"] for row in stored(path)] == ["a", "a"]


def test_files_that_cannot_take_corrections(model: Served, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("text,label\n")
    with pytest.raises(DataError, match="has other columns"):
        Feedback(str(other), [model])
    assert other.read_text() == "text,label\n"
    with pytest.raises(OutputError, match="cannot write"):
        Feedback(str(tmp_path), [model])
    with pytest.raises(OutputError, match="cannot write"):
        Feedback(str(tmp_path / "no folder" / "x.csv"), [model])


@pytest.mark.parametrize("room", [0, 5], ids=["none", "for a part of the row"])
def test_a_full_disk_leaves_the_file_as_it_was(model: Served, tmp_path: Path, room: int) -> None:
    path = tmp_path / "corrections.csv"
    feedback = Feedback(str(path), [model])
    feedback(model, REQUEST)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (len(before) + room, hard)
    )  # to the process, a disk that is full
    try:
        with pytest.raises(Problem) as caught:
            feedback(model, REQUEST)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.status == 503
    assert path.read_bytes() == before


def test_the_file_does_not_grow_without_end(model: Served, tmp_path: Path) -> None:
    path = tmp_path / "corrections.csv"
    feedback = Feedback(str(path), [model])
    feedback(model, REQUEST)
    os.truncate(path, 1 << 30)  # a hole: nothing is written
    with pytest.raises(Problem, match="full"):
        feedback(model, REQUEST)
    assert path.stat().st_size == 1 << 30


def test_a_model_whose_corrections_the_file_has_no_column_for_is_not_loaded(
    reviews: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, corrections = tmp_path / "model.lindy", tmp_path / "corrections.csv"
    shutil.copy(reviews, path)
    running = Running(Settings([str(path)], feedback=str(corrections)))
    service = running.service
    assert service.feedback is not None
    service.feedback(service.shelf.default, REQUEST)
    fitted = TextClassifier(learner="naive-bayes").fit(["warm", "dull"], ["yes", "no"])
    fitted.columns_ = {"text": "body", "label": "label"}
    fitted.save(path)
    assert not running.reload()
    assert "kept the old models" in capsys.readouterr().err
    service.feedback(service.shelf.default, REQUEST)
    assert [row["text"] for row in stored(corrections)] == ["a", "a"]
    corrections.unlink()
    assert running.reload()
    service.feedback(service.shelf.default, REQUEST)
    assert [row["body"] for row in stored(corrections)] == ["a"]
