"""Messages that are made to take long, to take much memory, or to break: all are read.

A reader that looks at a character more than a bounded number of times would take hours; the time limit only says so.
"""

from __future__ import annotations

import encodings.aliases
import pkgutil

import pytest

from lindy.data.mail import MailWords, read_message
from lindy.data.mail.message import LONGEST, read_html

SIZE = 1_000_000
ENDLESS = pytest.mark.timeout(120)


def nested(depth: int) -> bytes:
    heads = [b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(depth)]
    return b"".join(heads) + b"\nwords\n"


BOMBS = {
    "deep multiparts": nested(5000),
    "deep, but allowed": nested(30) + b"line\n" * 100_000,
    "many parts": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 50_000,
    "deep messages": b"Content-Type: message/rfc822\n\n" * 3000 + b"\nwords",
    "many headers": b"".join(b"X-%d: y\n" % i for i in range(100_000)) + b"\nwords",
    "one long header": b"Subject: " + b"a " * 500_000 + b"\n\nwords",
    "many encoded words": b"Subject: " + b"=?utf-8?q?" * 50_000 + b"\n\nwords",
    "many comments": b"From: " + b"(" * 100_000 + b"\n\nwords",
    "many quotes": b'Content-Type: text/plain; a="' + b';"' * 200_000 + b"\n\nwords",
    "many quotes in many parts": b"Content-Type: multipart/mixed; boundary=b\n\n"
    + (b'--b\nContent-Type: x/y; a="' + b';"' * 480 + b"\n\nx\n") * 1000,
    "folded content type": b"Content-Type: text/plain;\n" + b' a="b";\n' * 100_000 + b"\nwords",
    "parameters in pieces": b"Content-Type: text/plain;"
    + b";".join(b" a*%d=x" % i for i in range(50_000))
    + b"\n\nwords",
    "large": b"Subject: x\n\n" + b"words " * (3 * LONGEST // 6),
    "one long line": b"Subject: x\n\n" + b"w" * LONGEST,
    "base64": b"Content-Transfer-Encoding: base64\n\n" + b"QUFB" * 250_000,
    "quoted-printable": b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=" * 900_000,
    "uuencode": b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 x\n" + b"M" * 900_000,
    "slow charset": b"Content-Type: text/plain; charset=punycode\n\n" + b"a-" * 300_000,
    "utf-7": b"Content-Type: text/plain; charset=utf-7\n\n" + b"+" * 300_000,
    "capitals": b"Subject: x\n\n" + b"A" * 500_000,
    "dots": b"Content-Type: text/html\n\n<a href='http://"
    + b"a." * 100_000
    + b"'>"
    + b"a." * 100_000
    + b"</a>",
    "From lines": b"From x\n" * 100_000,
}


@ENDLESS
@pytest.mark.parametrize("case", BOMBS)
def test_bombs_are_read(case: str) -> None:
    message = read_message(BOMBS[case])
    text = MailWords(contacts=frozenset()).text(message)
    assert len(text) < 500_000


UNITS = [
    "<!--",
    "<a ",
    "<a href='",
    "<!",
    "<?",
    "</",
    "<![CDATA[",
    "&#",
    "&amp",
    '<a b="',
    "<",
    "<a<",
    "<script>",
    "<p>",
    "-->",
]


@ENDLESS
@pytest.mark.parametrize("unit", UNITS)
def test_pages_are_read(unit: str) -> None:
    page = read_html(unit * (SIZE // len(unit)))
    assert len(page.text) <= SIZE


def test_what_was_cut_is_told() -> None:
    problems = {
        case: read_message(BOMBS[case]).problems for case in ("deep multiparts", "many parts", "large")
    }
    assert problems["deep multiparts"] == ["too many parts", "more than 200,000 characters, cut"]
    assert "too many parts" in problems["many parts"]
    assert problems["large"] == ["longer than 1 MB, cut", "more than 200,000 characters, cut"]


def every_codec() -> list[str]:
    modules = {module.name for module in pkgutil.iter_modules(encodings.__path__)}
    return sorted(
        {*modules, *encodings.aliases.aliases, "none", "unknown-8bit", "a" * 200, "utf-8\udcff", "\0"}
    )


@pytest.mark.parametrize("packing", ["8bit", "base64", "quoted-printable", "x-uuencode", "nonsense"])
def test_whatever_charset_mail_claims(packing: str) -> None:
    for charset in every_codec():
        head = (
            f"From: =?{charset}?q?caf=E9?= <a@b.c>\nSubject: =?{charset}?b?Y2Fm6Q==?=\n"
            f'Content-Type: text/plain; charset="{charset}"\nContent-Transfer-Encoding: {packing}\n\n'
        )
        for body in (b"hello caf\xe9 \xff\xfe+AGE- xn--nxasmq6b", b"aGVsbG8gY2Fm6Q==\xe9", b"hello"):
            message = read_message(head.encode("utf-8", "surrogateescape") + body)
            MailWords().text(message).encode()
