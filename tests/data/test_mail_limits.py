"""How much of a message is read, as the guide says: what is within is read whole, what is beyond is cut and told."""

from __future__ import annotations

from base64 import b64encode

import pytest
from tests.hostile.oddities.mail_messages import message

from lindy.data.mail import MailWords, read_message
from lindy.data.mail.message import Link, Message, read_html


def test_a_megabyte() -> None:
    start = b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: image/png\n\n"
    end = b"\n--b\n\nthe end\n--b--"
    fill = (1 << 20) - len(start) - len(end)
    whole = read_message(start + b"x" * fill + end)
    assert (whole.body, whole.problems) == ("the end", [])
    cut = read_message(start + b"x" * (fill + 1) + end)
    assert cut.problems == ["longer than 1 MB, cut", "multipart that does not end"]
    assert cut.body == "the end\n--b-"


def test_characters_of_a_body() -> None:
    words = "ä" * 199_999 + "z"
    whole = read_message(message("Subject: x", "", words))
    assert (whole.body, whole.problems) == (words, [])
    cut = read_message(message("Subject: x", "", words + "!"))
    assert (cut.body, cut.problems) == (words, ["more than 200,000 characters, cut"])
    parts = [line for letter in "abc" for line in ("--b", "", letter * 150_000)]
    several = read_message(message("Content-Type: multipart/mixed; boundary=b", "", *parts, "--b--"))
    assert several.body.split() == ["a" * 150_000, "b" * 50_000]
    assert several.problems == ["more than 200,000 characters, cut"]


def test_number_of_headers() -> None:
    lines = [f"X-{i}: {i}" for i in range(201)]
    whole = read_message(message(*lines[:200], "", "words"))
    assert [value for _, value in whole.headers] == [str(i) for i in range(200)]
    assert whole.problems == []
    cut = read_message(message(*lines, "", "words"))
    assert cut.headers == whole.headers
    assert cut.problems == ["more than 200 headers"]


def test_length_of_a_header() -> None:
    whole = read_message(message(f"Subject: {'x' * 2000}", "", "words"))
    assert (whole.subject, whole.problems) == ("x" * 2000, [])
    cut = read_message(message(f"Subject: {'x' * 1999}yz", "", "words"))
    assert cut.subject == "x" * 1999 + "y"
    assert cut.problems == ["header that is too long"]


@pytest.mark.parametrize("before", ["", "x"])
def test_a_header_may_be_cut_within_a_character(before: str) -> None:
    found = read_message(message(f"Subject: {before}{'ä' * 2000}", "", "words"))
    assert found.subject == before + "ä" * ((2000 - len(before)) // 2)  # of two bytes each
    assert found.problems == ["header that is too long"]


@pytest.mark.parametrize("charset", ["utf-8", "gb2312", "shift_jis", "euc-kr", "iso-2022-jp", "utf-16"])
@pytest.mark.parametrize("packing", ["8bit", "base64"])
def test_a_message_may_be_cut_within_a_character(charset: str, packing: str) -> None:
    words = "чай " * 200_000
    head = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {packing}\nX: "
    stored = words.encode(charset)
    for before in range(4):
        body = b64encode(stored) if packing == "base64" else stored
        found = read_message(head.encode() + b"x" * before + b"\n\n" + body)
        assert words.startswith(found.body)
        assert len(found.body) > 140_000
        assert "longer than 1 MB, cut" in found.problems
        assert "bytes that are not of their charset" not in found.problems


def test_length_of_all_headers() -> None:
    lines = [b"X-%02d: " % i + b"x" * 1017 for i in range(64)]  # of 1,023 bytes, and a line break
    assert len(b"\n".join(lines)) == (1 << 16) - 1
    lines[-1] += b"x"
    whole = read_message(b"\n".join(lines) + b"\n\nwords")
    assert (len(whole.headers), whole.body, whole.problems) == (64, "words", [])
    cut = read_message(b"\n".join(lines) + b"yz\n\nwords")
    assert cut.headers == whole.headers
    assert (cut.body, cut.problems) == ("yz\n\nwords", ["header that is too long"])
    endless = read_message(b"\n".join([*lines, *lines]))
    assert endless.headers == whole.headers
    assert endless.problems == ["header that is too long"]
    assert read_message(b"Subject: x\n\n" + b"x" * 100_000).problems == []


def mixed(*parts: bytes, boundary: bytes = b"b") -> bytes:
    inner = b"".join(b"--" + boundary + b"\n" + part + b"\n" for part in parts)
    return b"Content-Type: multipart/mixed; boundary=" + boundary + b"\n\n" + inner + b"--" + boundary + b"--"


def words_of(found: Message) -> list[str]:
    return [word for word in found.body.split() if word.startswith("word")]


def test_number_of_parts() -> None:
    parts = [b"\nword%d" % i for i in range(200)]
    whole = read_message(mixed(*parts[:199]))  # and the message itself
    assert (len(words_of(whole)), len(whole.kinds), whole.problems) == (199, 200, [])
    cut = read_message(mixed(*parts))
    assert (words_of(cut), cut.problems) == (words_of(whole), ["too many parts"])


def test_depth_of_parts() -> None:
    raw = b"\nword"
    for depth in range(20):
        raw = mixed(raw, boundary=b"b%d" % depth)
    whole = read_message(raw)
    assert (whole.body, whole.problems) == ("word", [])
    deeper = read_message(mixed(raw))
    assert (deeper.body, deeper.problems) == ("", ["too many parts"])


def test_number_of_multiparts() -> None:
    parts = [mixed(b"\nword%d" % i, boundary=b"c%d" % i) for i in range(30)]
    whole = read_message(mixed(*parts[:29]))  # and the message itself
    assert (len(words_of(whole)), len(whole.kinds), whole.problems) == (29, 59, [])
    as_one = read_message(mixed(*parts))
    assert (len(words_of(as_one)), as_one.kinds) == (30, ["multipart/mixed"])
    assert "too many parts" in as_one.problems


def test_lines_like_boundaries() -> None:
    lines = b"\n--" * 2998  # and the two of the multipart
    whole = read_message(mixed(b"\nword" + lines))
    assert (whole.kinds, whole.problems) == (["multipart/mixed", "text/plain"], [])
    as_one = read_message(mixed(b"\nword" + lines + b"\n--"))
    assert as_one.kinds == ["multipart/mixed"]
    assert "too many parts" in as_one.problems
    assert read_message(b"Subject: x\n\nword" + lines * 2).problems == []


@pytest.mark.parametrize("name", ["Content-Type", "CONTENT-TYPE"])
@pytest.mark.parametrize("fold", [" ", "\n ", "\r\n\t"])
def test_length_of_a_content_type(name: str, fold: str) -> None:
    before, after = f"{name}: text/plain;{fold}x=", "; charset=koi8-r"
    fill = "x" * (1000 - len(before) - len(after))
    for lines_before in ("", "Subject: tea\n"):
        whole = read_message(message(lines_before + before + fill + after, "", b"\xde\xc1\xca"))
        assert (whole.body, whole.charsets) == ("чай", ["koi8-r"])
        cut = read_message(message(lines_before + before + fill + "x" + after, "", b"\xde\xc1\xca"))
        assert (cut.body, cut.charsets) == ("ÞÁÊ", ["koi8-"])


def test_links_and_tags_of_a_page() -> None:
    page = "".join(f"<a href='http://x.example/{i}'>{i}</a>" for i in range(501))
    links = read_html(page).links
    assert links == [Link(str(i), f"http://x.example/{i}") for i in range(500)]
    tags = read_html("".join(f"<t{i}><t{i}>" for i in range(101))).tags
    assert tags == [f"t{i}" for i in range(100)]


def test_the_text_of_a_link() -> None:
    assert read_html(f"<a href=x>{'ab  ' * 400}</a>").links == [Link(("ab " * 400)[:500], "x")]


def test_words_of_a_header() -> None:
    names = [f"a{i}" for i in range(41)]
    found = words(f"Subject: {' '.join(names)}\nX-Mailer: {' '.join(names)}\n\n")
    for header in ("subject", "x_mailer"):
        assert {word for word in found if word.startswith(header)} == {f"{header}_{a}" for a in names[:40]}


def test_headers_of_one_name() -> None:
    found = words("".join(f"Received: a{i}\n" for i in range(11)) + "\n")
    assert {word for word in found if word.startswith("received_a")} == {f"received_a{i}" for i in range(10)}


def test_length_of_a_word() -> None:
    long = "x" * 99
    assert f"has_{long}y" in words(f"{long}yz: 1\n\n")
    assert f"subject_{long}y" in words(f"Subject: {long}yz\n\n")


def words(raw: str) -> list[str]:
    return list(MailWords().seen(read_message(raw)))
