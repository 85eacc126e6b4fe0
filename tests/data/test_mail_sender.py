"""What a message says about its sender and to its recipient, as words."""

from __future__ import annotations

import pytest

from lindy.data.mail import MailWords, read_message
from lindy.data.mail.words import sender_words, site

GOOD = """Return-Path: <bounce@mail.shop.example>
Received: from mx.shop.example (mx.shop.example [10.0.0.1]) by in.me.example with ESMTP id 1; Mon
Received: from web.shop.example by mx.shop.example with SMTP id 2; Mon
From: "The shop" <news@shop.example>
Reply-To: help@shop.example
To: "Anna Lee" <a.lee@me.example>

"""
BAD = """Return-Path: <x@bulk.example>
Received: from relay.bulk.example by in.me.example with ESMTP id 1; Mon
Received: from home.dial.example by other.third.example with SMTP id 2; Mon
From: "security@bank.example" <x@evil.example>
Reply-To: pay@elsewhere.example
To: a.lee@me.example

"""


def words(raw: str) -> set[str]:
    return set(MailWords().seen(read_message(raw)))


def test_a_consistent_sender() -> None:
    found = words(GOOD + "Dear Anna,\nyour order")
    assert {"sender_consistent", "received_from_sender", "greets_by_name"} <= found
    assert not found & {
        "reply_to_differs",
        "return_path_differs",
        "received_not_from_sender",
        "received_chain_breaks",
        "sender_shows_other_address",
        "greets_without_name",
    }


def test_an_inconsistent_sender() -> None:
    found = words(BAD + "Dear customer,\nyour account")
    assert {
        "reply_to_differs",
        "return_path_differs",
        "received_not_from_sender",
        "received_chain_breaks",
        "sender_shows_other_address",
        "greets_without_name",
    } <= found
    assert "sender_consistent" not in found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Hi Lee!\nhow are you", "greets_by_name"),
        ("\n\nAnna,\nhow are you", "greets_by_name"),
        ("Liebe Anna, wie geht es dir", "greets_by_name"),
        ("Good morning dear friend", "greets_without_name"),
        ("Hello,\nplease", "greets_without_name"),
        ("We saw Anna at the station. Hello there", None),
        ("one\n\ntwo\nthree\n \nfour\nDear Anna,", "greets_by_name"),
        ("one\ntwo\nthree\nfour\nfive\nDear Anna,", None),
        ("one\ntwo\nthree\nfour\nAnna", "greets_by_name"),
        ("x" * 5000 + "\nDear Anna,", "greets_by_name"),
        ("Dear Sir,\nDear Anna,", "greets_without_name"),
        ("Somebody,\nDear Anna,", "greets_by_name"),
        ("Anna and Lee", None),
        ("", None),
    ],
)
def test_greetings(body: str, expected: str | None) -> None:
    found = {word for word in words(GOOD + body) if word.startswith("greets_")}
    assert found == ({expected} if expected else set())


def test_a_name_that_is_a_greeting() -> None:
    raw = "From: x@y.example\nTo: cher@me.example\n\n"
    assert "greets_without_name" in words(raw + "Cher client,")
    assert "greets_by_name" in words(raw + "Dear Cher,")


@pytest.mark.parametrize("header", ["To", "Delivered-To", "X-Original-To"])
def test_everybody_who_is_addressed_has_a_name(header: str) -> None:
    others = ", ".join(f"Other{'abcdefghij'[i % 10]} <{'xyz'[i % 3]}@y.example>" for i in range(60))
    for told in (
        f"{header}: {others}, Zoe <z@me.example>\n",
        f"{header}: {others}\n" * 4 + f"{header}: zoe@x.example\n",
    ):
        assert "greets_by_name" in words(f"From: x@y.example\n{told}\nHi Zoe")
        assert "greets_without_name" in words(f"From: x@y.example\n{told}\nHi Me")  # a host is no name
    assert "greets_without_name" in words(f"From: x@y.example\n{header}: info@me.example\n\nHi info")


SENDER = "From: Ann <ann@own.example>\n"
OTHER = "x@other.example"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ("Reply-To: a@own.example\n", {"sender_consistent"}),
        ("Return-Path: <a@sub.own.example>\n", {"sender_consistent"}),
        ("Received: from own.example by me.example\n", {"received_from_sender", "sender_consistent"}),
        ("Received: from other.example by me.example\n", {"received_not_from_sender"}),
        ("Received: by nobody\n", set()),
        ("Reply-To: nobody\n", set()),
        (f"Reply-To: {OTHER}\n", {"reply_to_differs"}),
        (f"Reply-To: {OTHER}, a@own.example\n", {"sender_consistent"}),
        (f"Reply-To: {f'{OTHER}, ' * 50}a@own.example\n", {"sender_consistent"}),
        (f"Reply-To: {OTHER}\nReply-To: a@own.example\n", {"reply_to_differs"}),
        (f"Reply-To: a@own.example\nReply-To: {OTHER}\n", {"sender_consistent"}),
        (f"Reply-To: a@own.example\nReturn-Path: {OTHER}\n", {"sender_consistent", "return_path_differs"}),
        (f"Reply-To: {OTHER}\nReturn-Path: a@own.example\n", {"sender_consistent", "reply_to_differs"}),
        (
            "Reply-To: a@own.example\nReceived: from other.example by me.example\n",
            {"sender_consistent", "received_not_from_sender"},
        ),
        (
            "Received: from other.example by other.example\n" * 40
            + "Received: from own.example by other.example\n",
            {"sender_consistent", "received_from_sender"},
        ),
        (
            f"Received: {'a.other.example ' * 50}own.example\n",
            {"sender_consistent", "received_from_sender"},
        ),
        ("From: second@other.example\n", set()),
    ],
)
def test_what_agrees_with_the_sender(headers: str, expected: set[str]) -> None:
    found = set(sender_words(read_message(f"{SENDER}{headers}\n")))
    assert found == expected


@pytest.mark.parametrize(
    ("sender", "expected"),
    [
        ('"ann@other.example" <ann@own.example>', {"sender_shows_other_address"}),
        ('"ann@mail.own.example" <ann@own.example>', set()),
        ("ann@own.example", set()),
        ("ann@own.example, bob@other.example", set()),
        ("ann@[10.0.0.1] (bob@other.example)", set()),  # there is no name in front
        ("Ann", {"sender_without_address"}),
        ("ann@localhost", {"sender_without_address"}),
    ],
)
def test_what_the_name_of_the_sender_shows(sender: str, expected: set[str]) -> None:
    assert set(sender_words(read_message(f"From: {sender}\n\n"))) == expected
    second = "From: <x@third.example>\n"
    assert set(sender_words(read_message(f"From: {sender}\n{second}\n"))) == expected


@pytest.mark.parametrize(
    ("later", "earlier", "breaks"),
    [
        ("from b.example by c.example", "from a.example by b.example", False),
        ("from mx.b.example by c.example", "from a.example by in.b.example", False),
        ("from x.example by c.example", "from a.example by b.example", True),
        (
            "from x.example by b.example",
            "from a.example by b.example",
            True,
        ),  # itself is not where it came from
        ("from x.example (b.example [10.0.0.1]) by c.example", "from a.example by b.example", False),
        (f"from {'x.example ' * 20} b.example by c.example", "from a.example by b.example", False),
        ("from b.example", "from a.example by b.example", False),
        ("from x.example", "from a.example by b.example", True),
        ("from x.example by c.example", "from a.example", False),
        ("from x.example by c.example", "from a.example by localhost", False),
        ("by c.example", "from a.example by b.example", False),
    ],
)
def test_every_server_got_it_from_the_one_before(later: str, earlier: str, breaks: bool) -> None:
    raw = f"{SENDER}Received: {later}\nReceived: {earlier}\n\n"
    assert ("received_chain_breaks" in words(raw)) == breaks


def test_the_local_part_of_an_address_is_a_name() -> None:
    assert "greets_by_name" in words("From: x@y.example\nTo: anna.lee42@me.example\n\nHey anna, tea?")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("ann@mail.example.com", "example.com"),
        ("www.example.co.uk", "example.co.uk"),
        ("x@a.b.example.co.uk", "example.co.uk"),
        ("example.co.uk", "example.co.uk"),
        ("mail.example.com.br", "example.com.br"),
        ("mail.example.de", "example.de"),
        ("mail.bank.de", "bank.de"),
        ("example.de", "example.de"),
        ("3.mail.example.com", "example.com"),
        ("mail.163.com", "163.com"),
        ("Example.COM.", "example.com"),
        ("10.0.0.1", "10.0.0.1"),
        ("ann@[10.0.0.1]", "10.0.0.1"),
        ("localhost", ""),
        ("", ""),
    ],
)
def test_sites(address: str, expected: str) -> None:
    assert site(address) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "From:\n\n",
        "From: <>\nReturn-Path: <>\n\nHi",
        "From: " + "a@b." * 5000 + "\n\nDear " + "x" * 100_000,
        "From: a@b.example\n" + "Received: from " + "x." * 900 + " by " + "y." * 900 + "\n" * 1 + "\n",
        "From: a@b.example\n" + "Received: from a.example by b.example\n" * 5000 + "\n" + "Dear " * 40_000,
        "From: a@b.example\nTo: " + "Ann, " * 20_000 + "\n\n" + "\n" * 100_000,
        "From: \x00@\ud83d\nReply-To: =?utf-8?B?//79?=\n\n\x00",
    ],
)
def test_hostile_messages_are_harmless(raw: str) -> None:
    assert isinstance(MailWords().text(read_message(raw)), str)
