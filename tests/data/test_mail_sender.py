"""What a message says about its sender and to its recipient, as words."""

from __future__ import annotations

import pytest

from lindy.data.mail import MailWords, read_message
from lindy.data.mail.sender import site

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
        ("", None),
    ],
)
def test_greetings(body: str, expected: str | None) -> None:
    found = {word for word in words(GOOD + body) if word.startswith("greets_")}
    assert found == ({expected} if expected else set())


def test_the_local_part_of_an_address_is_a_name() -> None:
    assert "greets_by_name" in words("From: x@y.example\nTo: anna.lee42@me.example\n\nHey anna, tea?")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("ann@mail.example.com", "example.com"),
        ("www.example.co.uk", "example.co.uk"),
        ("10.0.0.1", "10.0.0.1"),
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
