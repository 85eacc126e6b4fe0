"""Mail on the command line: folders, mailboxes and tables of raw messages."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from lindy.evaluation.compare import vectorize
from lindy.textclassifier import load
from tests.cli.conftest import Command
from tests.cli.test_bad_input import assert_refused

SPAM = "From: x@prize.example\nSubject: FREE money\nContent-Type: text/html\n\n<p>Claim $500!!! <a href='http://1.2.3.4'>bank.example</a>"
HAM = "From: Anna <anna@friends.example>\nSubject: tea\n\nAt four, in the garden?"


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    """Four messages in two folders."""
    for kind, raw in (("spam", SPAM), ("ham", HAM)):
        (tmp_path / "mail" / kind).mkdir(parents=True)
        for number in (1, 2):
            (tmp_path / "mail" / kind / f"{number}.eml").write_text(raw)
    return tmp_path / "mail"


@pytest.fixture
def trained(mail: Path, tmp_path: Path, lindy: Command) -> Path:
    """A model of them."""
    model = tmp_path / "mail.lindy"
    outcome = lindy(
        "train", "--format", "mail", mail / "spam", mail / "ham", "-o", model, "--learner", "naive-bayes"
    )
    assert outcome.code == 0, outcome.err
    assert "ham 2, spam 2" in outcome.err
    return model


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_predict_a_message_a_mailbox_and_a_folder(
    trained: Path, mail: Path, tmp_path: Path, lindy: Command
) -> None:
    assert [row["label"] for row in rows(lindy("predict", trained, mail / "ham" / "1.eml").out)] == ["ham"]
    (tmp_path / "00001").write_text(SPAM)  # as mail servers call them
    assert [row["label"] for row in rows(lindy("predict", trained, tmp_path / "00001").out)] == ["spam"]
    (tmp_path / "new.mbox").write_text(f"From x Thu\n{SPAM}\n\nFrom y Thu\n{HAM}\n")
    found = rows(lindy("predict", trained, tmp_path / "new.mbox").out)
    assert [row["label"] for row in found] == ["spam", "ham"]
    assert found[1]["file"] == f"{tmp_path / 'new.mbox'}, message 2"
    assert [row["label"] for row in rows(lindy("predict", trained, mail).out)] == ["ham"] * 2 + ["spam"] * 2
    several = lindy("predict", trained, mail / "ham" / "1.eml", mail / "spam" / "1.eml", "--json").out
    assert [json.loads(line)["label"] for line in several.splitlines()] == ["ham", "spam"]
    assert lindy("evaluate", trained, mail).out.startswith("accuracy  1.0000")


def test_a_table_of_raw_messages(mail: Path, tmp_path: Path, lindy: Command) -> None:
    table, model = tmp_path / "mail.csv", tmp_path / "m.lindy"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([["text", "label"], [SPAM, "spam"], [HAM, "ham"]])
    assert lindy("train", table, "--text-is", "mail", "-o", model, "--learner", "naive-bayes").code == 0
    assert "subject_free" in load(model).vectorizer_.get_feature_names_out()
    assert lindy("evaluate", model, table).out.startswith("accuracy  1.0000")
    assert lindy("evaluate", model, mail).out.startswith("accuracy  1.0000")


def test_searches_and_comparisons_have_the_features_of_mail(
    mail: Path, tmp_path: Path, lindy: Command
) -> None:
    table, model = tmp_path / "mail.csv", tmp_path / "m.lindy"
    with table.open("w", newline="") as file:
        rows = [[f"{raw} {i}", kind] for i in range(6) for raw, kind in ((SPAM, "spam"), (HAM, "ham"))]
        csv.writer(file).writerows([["text", "label"], *rows])
    options = ["--text-is", "mail", "--learner", "naive-bayes", "--ngrams", "1"]
    assert lindy("tune", table, *options, "--points", "2", "-o", model).code == 0
    names = load(model).vectorizer_.get_feature_names_out().tolist()
    assert "subject_free" in names
    assert any(name.startswith("copies=") for name in names)
    assert lindy("evaluate", model, mail).out.startswith("accuracy  1.0000")  # which it reads as mail
    seen: list[str] = []

    def noted(*texts: Any, **options: Any) -> Any:
        found = vectorize(*texts, **options)
        seen.extend(found[2])
        return found

    with mock.patch("lindy.evaluation.compare.vectorize", noted):
        assert lindy("compare", table, *options).code == 0
    assert any(name.startswith("copies=") for name in seen)


def test_explain_a_message(trained: Path, mail: Path, lindy: Command) -> None:
    for given in (mail / "spam" / "1.eml", SPAM):
        outcome = lindy("explain", trained, given)
        assert "link_text_differs" in outcome.out
        assert "label spam" in outcome.out


def test_misspellings_copies_and_greetings_are_explained(tmp_path: Path, lindy: Command) -> None:
    lottery = "Dear {}, you have won the great lottery of a thousand pounds, claim your winnings by calling the number"
    for number, name in enumerate(("ann", "bob", "eve", "joe", "sue", "tom", "kim")):
        for kind, body in (("spam", lottery.format("friend")), ("ham", f"Hi {name}, tea at {number}?")):
            (tmp_path / kind).mkdir(exist_ok=True)
            raw = f"From: x@y.example\nTo: {name}@me.example\nSubject: {kind}\n\n{body}"
            (tmp_path / kind / f"{number}.eml").write_text(raw)
    model, new = tmp_path / "m.lindy", tmp_path / "new.eml"
    options = ("--format", "mail", "-o", model, "--learner", "svm")
    assert lindy("train", tmp_path / "spam", tmp_path / "ham", *options).code == 0
    new.write_text(
        "From: x@y.example\nTo: zoe@me.example\n\n" + lottery.format("friend").replace("winnings", "winings")
    )
    shown = lindy("explain", model, new, "--json").out
    for name in ("misspelled=1", "copies=5-8", "greets_without_name"):
        assert name in shown
    assert b"dear friend" not in model.read_bytes().lower()


def test_contacts_and_headers(mail: Path, tmp_path: Path, lindy: Command) -> None:
    contacts, model = tmp_path / "contacts.txt", tmp_path / "m.lindy"
    contacts.write_text("anna@friends.example\n")
    options = ("--format", "mail", "--contacts", contacts, "--headers", "From, X-Mailer")
    assert lindy("train", mail, "-o", model, "--learner", "naive-bayes", *options).code == 0
    kept = load(model)
    assert kept.columns_["headers"] == "from,x-mailer"
    assert "sender_in_contacts" in kept.vectorizer_.get_feature_names_out()
    assert b"anna@friends" not in model.read_bytes()
    assert "give yours with --contacts" in lindy("predict", model, mail).err
    assert "--contacts" not in lindy("predict", model, mail, "--contacts", contacts).err


def test_damage_is_a_note(trained: Path, tmp_path: Path, lindy: Command) -> None:
    broken = tmp_path / "broken.eml"
    broken.write_bytes(
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; charset=zzz\n\n\xff"
    )
    outcome = lindy("predict", trained, broken)
    assert outcome.code == 0
    assert len(rows(outcome.out)) == 1
    assert "1 of 1 messages are damaged" in outcome.err
    assert "unknown charset (1)" in outcome.err


def test_options_of_mail_need_mail(table: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("train", table, "--contacts", table, "-o", tmp_path / "m")
    assert_refused(outcome, "--contacts", "--text-is mail", code=2)


def test_convert_writes_what_is_seen(mail: Path, lindy: Command, tmp_path: Path) -> None:
    assert lindy("convert", mail, tmp_path / "seen.csv", "--from", "mail").code == 0
    found = rows((tmp_path / "seen.csv").read_text())
    assert list(found[0]) == ["text", "label", "subject", "sender", "problems", "file"]
    assert "link_to_number" in found[2]["text"]


def answers(text: str) -> list[tuple[str, str]]:
    return [(row["label"], row["probability"]) for row in rows(text)]


def test_a_message_is_mail_wherever_it_comes_from(
    mail: Path, tmp_path: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m.lindy"
    assert lindy("train", mail, "-o", model, "--learner", "naive-bayes").code == 0
    assert "subject_free" in load(model).vectorizer_.get_feature_names_out()
    assert load(model).columns_["format"] == "mail"
    in_folder = answers(lindy("predict", model, mail / "spam").out)[:1]
    by_path = answers(lindy("predict", model, mail / "spam" / "1.eml").out)
    raw = (mail / "spam" / "1.eml").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
    by_stdin = answers(lindy("predict", model, "-").out)
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(f"From x Thu\n{SPAM}\n\nFrom y Thu\n{HAM}\n".encode()))
    )
    box = answers(lindy("predict", model, "-").out)
    assert in_folder == by_path == by_stdin == box[:1]
    assert [label for label, _ in box] == ["spam", "ham"]


def test_messages_that_were_learned_as_they_are_stay_so(mail: Path, tmp_path: Path, lindy: Command) -> None:
    model = tmp_path / "raw.lindy"
    assert lindy("train", mail, "--format", "folder", "-o", model, "--learner", "naive-bayes").code == 0
    assert "subject_free" not in load(model).vectorizer_.get_feature_names_out()
    in_folder = answers(lindy("predict", model, mail / "spam").out)[:1]
    assert in_folder == answers(lindy("predict", model, mail / "spam" / "1.eml").out)


def test_a_model_of_other_texts_reads_a_folder_of_messages_as_mail(
    model: Path, mail: Path, lindy: Command
) -> None:
    both = [
        answers(lindy("predict", model, path).out)[0] for path in (mail / "spam", mail / "spam" / "1.eml")
    ]
    assert both[0] == both[1]


@pytest.mark.parametrize("learner", ["naive-bayes", "svm", "perceptron"])
def test_update_a_model_of_mail(learner: str, mail: Path, tmp_path: Path, lindy: Command) -> None:
    model, more = tmp_path / "m.lindy", tmp_path / "more.lindy"
    assert lindy("train", mail, "-o", model, "--learner", learner).code == 0
    for kind, raw in (("spam", SPAM), ("ham", HAM)):
        (tmp_path / "new" / kind).mkdir(parents=True)
        (tmp_path / "new" / kind / "9.eml").write_text(raw + " surprise")
    outcome = lindy("update", model, tmp_path / "new", "-o", more)
    assert outcome.code == 0, outcome.err
    assert "misspelled words and copies: told by what the first training learned" in outcome.err
    assert "too rare" not in outcome.err
    assert "surprise" in load(more).vectorizer_.get_feature_names_out()
    assert lindy("evaluate", more, mail).out.startswith("accuracy  1.0000")


def test_a_maildir_with_subfolders(tmp_path: Path, lindy: Command) -> None:
    for folder, raw in (("cur", HAM), (".Spam/cur", SPAM)):
        (tmp_path / "box" / folder).mkdir(parents=True)
        (tmp_path / "box" / folder / ".." / "new").mkdir()
        for number in (1, 2):
            (tmp_path / "box" / folder / f"{number}:2,S").write_text(f"{raw} {number}")
    outcome = lindy("train", tmp_path / "box", "-o", tmp_path / "m.lindy", "--learner", "naive-bayes")
    assert "Spam 2, box 2" in outcome.err
    assert "read as classes of their own: Spam; its own messages are of the class box" in outcome.err
    assert "read as mail (--format folder reads them as they are)" in outcome.err
    assert "read as mail" not in lindy("predict", tmp_path / "m.lindy", tmp_path / "box").err
