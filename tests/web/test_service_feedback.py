"""Corrections: exactly what was sent, in a file that can be trained on, whoever writes at the same time."""

from __future__ import annotations

import csv
import hashlib
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lindy import TextClassifier
from lindy.data import read_examples
from lindy.errors import DataError, OutputError
from lindy.web.feedback import Feedback
from lindy.web.http.problems import Problem
from lindy.web.messages import FeedbackRequest
from lindy.web.model_registry import LoadedModel, ModelRegistry
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
    own = ("lindy_label", "lindy_predicted", "lindy_model", "lindy_model_version")
    version = hashlib.sha256(reviews.read_bytes()).hexdigest()[:12]
    assert {tuple(row[name] for name in own) for row in rows} == {
        ("positive", "negative", "reviews", version)
    }
    data = read_examples(path)
    assert data.columns.text == "text"
    assert data.columns.label == "lindy_label"
    assert sorted(data.texts.to_pylist()) == sorted(texts)


def test_training_reads_the_corrections(server: Server, folder: Path, tmp_path: Path) -> None:
    for text, label in [("really bad", "negative"), ("really good", "positive"), ("so bad", "negative")]:
        assert server.ask("/v1/feedback", {"text": text, "label": label}).json()["stored"] is True
    record = {"subject": "lunch", "price": 1.5, "sender": None}
    answer = server.ask("/v1/feedback", {"record": record, "label": "ham", "model": "tickets"})
    assert answer.json()["stored"] is True
    path = folder / "corrections.csv"
    assert list(stored(path)[0]) == [
        "lindy_label",
        "text",
        "subject",
        "price",
        "sender",
        "lindy_predicted",
        "lindy_model",
        "lindy_model_version",
        "lindy_time",
    ]
    (ticket,) = [row for row in stored(path) if row["lindy_model"] == "tickets"]
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
        ({"text": "a", "label": "spam"}, "unknown-label"),
        ({"record": {"subject": "a"}, "label": "ham", "model": "tickets"}, "missing-column"),
    ]:
        answer = server.ask("/v1/feedback", body)
        assert (answer.status, answer.error["code"]) == (400, code)
    with serving(reviews) as other:
        assert other.ask("/v1/models").json()["feedback"] is False
        answer = other.ask("/v1/feedback", {"text": "a", "label": "positive"})
        assert (answer.status, answer.error["code"]) == (404, "no-feedback")


@pytest.fixture
def model(reviews: Path) -> LoadedModel:
    return ModelRegistry.load([str(reviews)]).default


REQUEST = FeedbackRequest(label="positive", text="a")


def test_a_file_without_its_last_line_break_is_mended(model: LoadedModel, tmp_path: Path) -> None:
    path = tmp_path / "corrections.csv"
    Feedback(str(path), [model])(model, REQUEST)
    os.truncate(path, path.stat().st_size - 1)
    Feedback(str(path), [model])(model, REQUEST)
    assert [row["text"] for row in stored(path)] == ["a", "a"]


def test_files_that_cannot_take_corrections(model: LoadedModel, tmp_path: Path) -> None:
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
def test_a_full_disk_leaves_the_file_as_it_was(model: LoadedModel, tmp_path: Path, room: int) -> None:
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


def test_the_file_does_not_grow_without_end(model: LoadedModel, tmp_path: Path) -> None:
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
    fitted = TextClassifier(learner="naive-bayes").fit(["warm", "dull"], ["positive", "negative"])
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


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., LoadedModel]:
    """Return what makes a model whose texts are in a column of some name."""

    def made(text: str, name: str = "model", **columns: list[str]) -> LoadedModel:
        fitted = TextClassifier(learner="naive-bayes")
        if columns:
            fitted = TextClassifier(learner="naive-bayes", columns={"text": [text], **columns})
            every = [text, *(own for names in columns.values() for own in names)]
            fitted.fit({own: ["warm", "dull"] for own in every}, ["yes", "no"])
        else:
            fitted.fit(["warm", "dull"], ["yes", "no"], source={"text": text, "label": "class"})
        fitted.save(tmp_path / f"{name}.lindy")
        return ModelRegistry.load([str(tmp_path / f"{name}.lindy")]).default

    return made


@pytest.mark.parametrize(
    "text", ["time", "model", "predicted", "label", "lindy_label", "lindy__time", "a\nb"]
)
def test_no_name_of_a_text_column_is_one_of_the_service(
    make: Callable[..., LoadedModel], tmp_path: Path, text: str
) -> None:
    path, model = tmp_path / "corrections.csv", make(text)
    feedback = Feedback(str(path), [model])
    for own in ("first", "second"):
        feedback(model, FeedbackRequest(label="yes", text=own))
    rows = stored(path)
    assert [row[text] for row in rows] == ["first", "second"]
    assert {len(row) for row in rows} == {6}
    (label,) = (name for name in rows[0] if name.endswith("_label") and name != text)
    assert [row[label] for row in rows] == ["yes", "yes"]


def test_no_column_of_a_table_is_overwritten(make: Callable[..., LoadedModel], tmp_path: Path) -> None:
    path, model = tmp_path / "corrections.csv", make("predicted", category=["label", "time"])
    record = {"predicted": "a text", "label": "own label", "time": "own time"}
    Feedback(str(path), [model])(model, FeedbackRequest(label="yes", record=record))
    (row,) = stored(path)
    assert {name: row[name] for name in record} == record
    assert (row["lindy_label"], row["lindy_model"]) == ("yes", "model")


def test_two_services_of_different_models_do_not_mix_rows(
    make: Callable[..., LoadedModel], tmp_path: Path
) -> None:
    path = tmp_path / "corrections.csv"
    first, second = make("text", "first"), make("body", "second", category=["kind"])
    mine, theirs = Feedback(str(path), [first]), Feedback(str(path), [second])  # no file is there yet
    mine(first, FeedbackRequest(label="yes", text="a"))
    before = path.read_bytes()
    with pytest.raises(Problem, match="other columns") as caught:
        theirs(second, FeedbackRequest(label="yes", record={"body": "a", "kind": "b"}))
    assert caught.value.status == 503
    assert path.read_bytes() == before


def test_a_file_that_is_replaced_is_looked_at_again(make: Callable[..., LoadedModel], tmp_path: Path) -> None:
    path, model = tmp_path / "corrections.csv", make("text")
    feedback = Feedback(str(path), [model])
    feedback(model, FeedbackRequest(label="yes", text="a"))
    good = path.read_bytes()
    (tmp_path / "other.csv").write_text("text,label\nmine,yes\n")
    (tmp_path / "other.csv").replace(path)
    with pytest.raises(Problem, match="other columns"):
        feedback(model, FeedbackRequest(label="yes", text="b"))
    assert path.read_text() == "text,label\nmine,yes\n"
    path.write_bytes(good)
    feedback(model, FeedbackRequest(label="yes", text="c"))
    path.unlink()
    feedback(model, FeedbackRequest(label="yes", text="d"))
    assert [row["text"] for row in stored(path)] == ["d"]


@pytest.mark.parametrize("torn", ['yes,"a torn text', 'yes,"two\nlines\n', "yes,a torn", "yes", '"'])
@pytest.mark.parametrize("is_new", [True, False], ids=["at the start", "while it runs"])
def test_a_row_that_a_crash_cut_short_is_set_aside(
    make: Callable[..., LoadedModel], tmp_path: Path, torn: str, is_new: bool
) -> None:
    path, model = tmp_path / "corrections.csv", make("text")
    feedback = Feedback(str(path), [model])
    feedback(model, FeedbackRequest(label="yes", text='whole, "quoted"\nand long'))
    with path.open("a") as file:
        file.write(torn)
    later = Feedback(str(path), [model]) if is_new else feedback
    for own in ("next", "last"):
        later(model, FeedbackRequest(label="no", text=own))
    assert [row["text"] for row in stored(path)] == ['whole, "quoted"\nand long', "next", "last"]
    assert read_examples(path).texts.to_pylist()[1:] == ["next", "last"]
    assert (tmp_path / "corrections.csv.torn").read_text().rstrip("\n") == torn.rstrip("\n")


def test_rows_that_others_wrote_stay_where_they_are(make: Callable[..., LoadedModel], tmp_path: Path) -> None:
    path, model = tmp_path / "corrections.csv", make("text")
    feedback = Feedback(str(path), [model])
    feedback(model, FeedbackRequest(label="yes", text="a"))
    with path.open("a") as file:
        file.write("a row,of an editor\n")
    feedback(model, FeedbackRequest(label="yes", text="b"))
    assert path.read_text().splitlines()[2] == "a row,of an editor"
    assert path.read_text().splitlines()[3].startswith("yes,b,")


def test_a_label_that_the_model_does_not_know_needs_leave(reviews: Path, tmp_path: Path) -> None:
    path = tmp_path / "corrections.csv"
    body = {"text": "a", "label": "positiv"}
    with serving(reviews, "--feedback", path) as server:
        answer = server.ask("/v1/feedback", body)
        assert (answer.status, answer.error["code"]) == (400, "unknown-label")
        assert "Did you mean 'positive'? Its labels are 'negative', 'positive'" in answer.error["message"]
        assert server.ask("/v1/models").json()["new_labels"] is False
    assert not path.exists()
    with serving(reviews, "--feedback", path, "--new-labels") as server:
        assert server.ask("/v1/models").json()["new_labels"] is True
        assert server.ask("/v1/feedback", body).status == 200
    assert [row["lindy_label"] for row in stored(path)] == ["positiv"]
    command = [sys.executable, "-m", "lindy", "serve", str(reviews), "--new-labels"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "no effect without --feedback" in done.stderr) == (2, True)
