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
