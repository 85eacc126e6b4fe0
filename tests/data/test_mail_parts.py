"""Messages of several parts: what is known of each besides its words, and what is decoded of broken base64."""

from __future__ import annotations

from base64 import b64encode

import pytest
from tests.hostile.oddities.mail_messages import message

from lindy.data.mail import MailWords, read_message
from lindy.data.mail.message import Link

PARTS = message(
    "Content-Type: multipart/mixed; boundary=b", "",
    "--b", "Content-Type: text/plain; charset=koi8-r", "", b"\xde\xc1\xca",
    "--b", "Content-Type: text/html; charset=BIG5", "", "<p>one <a href='http://x.example'>two</a>",
    "--b", "Content-Type: text/html", "", "<p><i>three</i>",
    "--b", "Content-Type: image/png; charset=none", "", "",
    "--b--",
)  # fmt: skip


def test_what_is_known_of_parts() -> None:
    found = read_message(PARTS)
    assert found.body.split() == ["чай", "one", "two", "three"]
    assert found.kinds == ["multipart/mixed", "text/plain", "text/html", "text/html", "image/png"]
    assert found.charsets == ["koi8-r", "big5"]
    assert found.tags == ["p", "a", "i"]
    assert found.links == [Link("two", "http://x.example")]
    assert found.problems == []
    words = set(MailWords().seen(found))
    assert {"part_image_png", "charset_koi8_r", "charset_big5", "tag_i", "host_x_example"} <= words


def test_html_that_is_not_read_is_known_as_well() -> None:
    raw = message(
        "Content-Type: multipart/alternative; boundary=b", "", "--b", "", "plain", "--b",
        "Content-Type: text/html", "", "<a href='http://x.example'>rich</a>", "--b--",
    )  # fmt: skip
    found = read_message(raw)
    assert found.body == "plain"
    assert found.links == [Link("rich", "http://x.example")]
    assert found.tags == ["a"]


def in_base64(stored: str) -> tuple[str, list[str]]:
    found = read_message(message("Content-Transfer-Encoding: base64", "", stored))
    return found.body, found.problems


WORDS = "At four, or at five?"


@pytest.mark.parametrize("length", range(len(WORDS) + 1))
def test_sound_base64_of_any_length(length: int) -> None:
    stored = b64encode(WORDS[:length].encode()).decode()
    assert in_base64(stored) == (WORDS[:length], [])
    assert in_base64("\n ".join(stored)) == (WORDS[:length], [])


@pytest.mark.parametrize("cut", range(1, 28))
def test_base64_that_is_cut_off_is_decoded_as_far_as_it_goes(cut: int) -> None:
    stored = b64encode(WORDS.encode()).decode().rstrip("=")[:cut]
    whole = len(stored) * 6 // 8  # bytes: every character has six bits
    assert in_base64(stored) == (WORDS[:whole], ["broken base64"] if cut % 4 else [])


@pytest.mark.parametrize("rubbish", ["*", "**", "***", "****", "é", "-_"])
@pytest.mark.parametrize("words", ["At four", "At four?", "At four??"])  # with two, one and no "=" at the end
def test_base64_with_rubbish_is_decoded_without_it(words: str, rubbish: str) -> None:
    stored = b64encode(words.encode()).decode()
    body, problems = in_base64(stored[:5] + rubbish + stored[5:])
    assert body == words
    assert problems == ["broken base64"]


def test_base64_whose_end_is_rubbish() -> None:
    stored = b64encode(WORDS.encode()).decode().rstrip("=")[:24]
    assert in_base64(stored[:-3] + "***") == (WORDS[:15], ["broken base64"])
