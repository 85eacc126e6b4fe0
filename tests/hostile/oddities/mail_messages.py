"""Messages: what is read of each, and what is said to be wrong with it."""

from __future__ import annotations


def message(*lines: str | bytes) -> bytes:
    return b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)


PLAIN = message("From: Anna <Anna@Example.org>", "Subject: tea", "X-Mailer: Post 2", "", "At four?", "")

# raw → (part of the body, problems)
BODIES: dict[str, tuple[bytes, str, list[str]]] = {
    "plain": (PLAIN, "At four?", []),
    "no header": (b"\njust words", "just words", []),
    "nothing": (b"", "", []),
    "utf-8": (message("Content-Type: text/plain; charset=utf-8", "", "Grüße"), "Grüße", []),
    "latin-1": (message("Content-Type: text/plain; charset=iso-8859-1", "", b"Gr\xfc\xdfe"), "Grüße", []),
    "no charset, latin-1": (message("Subject: x", "", b"Gr\xfc\xdfe"), "Grüße", []),
    "windows characters called latin-1": (
        message("Content-Type: text/plain; charset=iso-8859-1", "", b"\x93so\x94"),
        "“so”",
        [],
    ),
    "koi8-r": (message("Content-Type: text/plain; charset=koi8-r", "", "чай".encode("koi8-r")), "чай", []),
    "shift_jis": (message('Content-Type: text/plain; charset="Shift_JIS"', "", "茶".encode("shift_jis")), "茶", []),
    "iso-2022-jp": (message("Content-Type: text/plain; charset=ISO-2022-JP", "", "茶".encode("iso2022_jp")), "茶", []),
    "chinese superset": (message("Content-Type: text/plain; charset=gb2312", "", "镕".encode("gbk")), "镕", []),
    "unknown charset": (
        message("Content-Type: text/plain; charset=klingon", "", "Grüße"),
        "Grüße",
        ["unknown charset"],
    ),
    "a codec that is no charset": (
        message("Content-Type: text/plain; charset=zlib", "", "words"),
        "words",
        ["unknown charset"],
    ),
    "a charset that is a trap": (
        message("Content-Type: text/plain; charset=idna", "", "words"),
        "words",
        ["unknown charset"],
    ),
    "charset with a NUL": (
        message(b"Content-Type: text/plain; charset=a\0b", "", "words"),
        "words",
        ["unknown charset"],
    ),
    "wrong charset": (
        message("Content-Type: text/plain; charset=utf-8", "", b"Gr\xfc\xdfe"),
        "Grüße",
        ["bytes that are not of their charset"],
    ),
    "unknown charset, Latin-1": (
        message("Content-Type: text/plain; charset=klingon", "", b"Gr\xfc\xdfe"),
        "Grüße",
        ["unknown charset"],
    ),
    "cut off within a character": (
        message("Content-Type: text/plain; charset=utf-8", "", "Grüße, 茶".encode()[:-1]),
        "Grüße, ",
        ["last character that is cut off"],
    ),
    "cut off within a character, no charset": (
        message("Subject: x", "", "Grüße, 茶".encode()[:-2]),
        "Grüße, ",
        ["last character that is cut off"],
    ),
    "cut off within a character, unknown charset": (
        message("Content-Type: text/plain; charset=klingon", "", "Grüße, 茶".encode()[:-2]),
        "Grüße, ",
        ["unknown charset"],
    ),
    "cut off within a character, wrong charset": (
        message("Content-Type: text/plain; charset=iso-2022-jp", "", "Grüße, 茶".encode()[:-2]),
        "Grüße, ",
        ["bytes that are not of their charset"],
    ),
    "a last letter of Latin-1": (
        message("Content-Type: text/plain; charset=utf-8", "", b"At the caf\xe9"),
        "At the café",
        ["bytes that are not of their charset"],
    ),
    "quoted-printable": (
        message("Content-Transfer-Encoding: quoted-printable", "", "Gr=C3=BC=", "n"),
        "Grün",
        [],
    ),
    "base64": (message("Content-Transfer-Encoding: base64", "", "QXQgZm91cj8="), "At four?", []),
    "base64 cut off": (
        message("Content-Transfer-Encoding: base64", "", "QXQgZm91cj"),
        "At four",
        ["broken base64"],
    ),
    "base64 with rubbish": (
        message("Content-Transfer-Encoding: base64", "", "QXQg***ZmO1cj8="),
        "At f",
        ["broken base64"],
    ),
    "html": (message("Content-Type: text/html", "", "<p>At <b>four</b>?<script>no()</script>"), "At four?", []),
    "html called plain": (message("Content-Type: text/plain", "", "<html><p>At four?</html>"), "At four?", []),
    "multipart": (
        message("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "one", "--b", "", "two", "--b--"),
        "one\ntwo",
        [],
    ),
    "alternative: the plain text is read": (
        message(
            "Content-Type: multipart/alternative; boundary=b", "", "--b", "", "plain", "--b",
            "Content-Type: text/html", "", "<b>rich</b>", "--b--",
        ),
        "plain",
        [],
    ),
    "message in a message": (
        message("Content-Type: message/rfc822", "", "Subject: inner", "", "inner words"),
        "inner words",
        [],
    ),
    "multipart that does not end": (
        message("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "one"),
        "one",
        ["multipart that does not end"],
    ),
    "multipart without a boundary": (
        message("Content-Type: multipart/mixed", "", "words"),
        "words",
        ["multipart without a boundary", "multipart without parts"],
    ),
    "boundary that does not occur": (
        message("Content-Type: multipart/mixed; boundary=b", "", "words"),
        "words",
        ["multipart whose boundary does not occur", "multipart without parts"],
    ),
    "header that does not end": (
        message("Subject: x", "no colon here", "words"),
        "words",
        ["header that does not end"],
    ),
    "NUL in the body": (message("Subject: x", "", b"a\0b"), "a b", []),

    "only a header": (message("Subject: x"), "", []),
    "header and blank line": (message("Subject: x", "", ""), "", []),
    "only an attachment": (
        message("Content-Type: application/pdf", "Content-Transfer-Encoding: base64", "", "JVBERi0="),
        "",
        [],
    ),
    "text and attachment": (
        message(
            "Content-Type: multipart/mixed; boundary=b", "", "--b", "", "see the file", "--b",
            "Content-Type: application/zip", "Content-Transfer-Encoding: base64", "", "UEsDBA==", "--b--",
        ),
        "see the file",
        [],
    ),
    "CRLF": (b"Subject: x\r\n\r\nAt four?\r\n", "At four?", []),
    "CR alone": (b"Subject: x\r\rAt four?\r", "At four?", []),
    "utf-16": (message("Content-Type: text/plain; charset=utf-16", "", "tea".encode("utf-16")), "tea", []),
    "utf-7": (message("Content-Type: text/plain; charset=utf-7", "", "Gr+APwA3w-e"), "Gr", []),
    "big5": (message("Content-Type: text/plain; charset=big5", "", "茶".encode("big5")), "茶", []),
    "euc-kr": (message("Content-Type: text/plain; charset=euc-kr", "", "차".encode("euc-kr")), "차", []),
    "windows-1251": (message("Content-Type: text/plain; charset=windows-1251", "", "чай".encode("cp1251")), "чай", []),
    "macintosh": (message("Content-Type: text/plain; charset=macintosh", "", "Grüße".encode("mac-roman")), "Grüße", []),
    "iso-8859-8-i": (message("Content-Type: text/plain; charset=iso-8859-8", "", "תה".encode("iso-8859-8")), "תה", []),
    "an empty charset": (message("Content-Type: text/plain; charset=", "", "words"), "words", []),
    "quoted-printable that is broken": (
        message("Content-Transfer-Encoding: quoted-printable", "", "a=ZZb=", "c="),
        "a=ZZbc",
        [],
    ),
    "an unknown transfer encoding": (message("Content-Transfer-Encoding: rot13", "", "jbeqf"), "jbeqf", []),
    "base64 of nothing": (message("Content-Transfer-Encoding: base64", "", ""), "", []),
    "an unknown kind of text": (message("Content-Type: text/x-odd", "", "words"), "words", []),
    "a content type without a slash": (message("Content-Type: plain", "", "words"), "words", []),
    "an mbox line first": (message("From anna Thu Jan  1 00:00:00 2026", "Subject: x", "", "words"), "words", []),
    "quoted From": (message("Subject: x", "", ">From here on"), ">From here on", []),
    "a header twice": (message("Subject: one", "Subject: two", "", "words"), "words", []),
    "HTML beside plain text": (
        message(
            "Content-Type: multipart/mixed; boundary=b", "", "--b", "", "plain", "--b",
            "Content-Type: text/html", "", "<b>more</b>", "--b--",
        ),
        "plain\nmore",
        [],
    ),
    "alternative without plain text": (
        message(
            "Content-Type: multipart/alternative; boundary=b", "", "--b", "Content-Type: text/calendar", "", "date",
            "--b", "Content-Type: text/html", "", "<b>At four?</b>", "--b--",
        ),
        "date\nAt four?",
        [],
    ),
    "alternative: what is not HTML is read, too": (
        message(
            "Content-Type: multipart/alternative; boundary=b", "", "--b", "", "plain", "--b",
            "Content-Type: text/calendar", "", "date", "--b--",
        ),
        "plain\ndate",
        [],
    ),
    "alternative within another part": (
        message(
            "Content-Type: multipart/alternative; boundary=b", "", "--b", "", "plain", "--b",
            "Content-Type: multipart/related; boundary=c", "", "--c", "Content-Type: text/html", "", "<b>more</b>",
            "--c--", "--b--",
        ),
        "plain\nmore",
        [],
    ),
    "a boundary in an impossible charset": (
        message("Content-Type: multipart/mixed; boundary*=idna''b", "", "--b", "", b"At the caf\xe9?", "--b--"),
        "At the café?",
        ["structure that cannot be read"],
    ),
    "the name of a charset that cannot be decoded": (
        message(b"Content-Type: text/plain; charset*=a\0b''x", "", b"At the caf\xe9?"),
        "At the café?",
        [],
    ),
    "a charset in pieces that cannot be put in order": (
        message("Content-Type: text/plain; charset*=x; charset*0=y", "", b"At the caf\xe9?"),
        "At the café?",
        [],
    ),
    "a boundary in pieces that cannot be put in order": (
        message("Content-Type: multipart/mixed; boundary*=b; boundary*0=b", "", "--b", "", "At four?", "--b--"),
        "At four?",
        ["structure that cannot be read"],
    ),
    "base64 with a byte that is none, in an impossible charset": (
        message(
            "Content-Type: text/plain; charset=idna", "Content-Transfer-Encoding: base64", "", b"QXQgZm91cj8=\xe9"
        ),
        "At four?",
        ["broken base64", "unknown charset"],
    ),
    "broken uuencode": (
        message("Content-Transfer-Encoding: x-uuencode", "", "begin 644 x", b"$\x01\x02", "`", "end"),
        "",
        [],
    ),
    "an encoded word in an unknown charset": (
        message("Subject: =?klingon?Q?words?=", "", "At four?"),
        "At four?",
        ["unknown charset"],
    ),
    "an encoded word that is broken": (
        message("Subject: =?utf-8?B?R?=", "", "At four?"),
        "At four?",
        ["encoded word that cannot be decoded"],
    ),
    "format=flowed": (message("Content-Type: text/plain; format=flowed", "", "one ", "two"), "one \ntwo", []),
}  # fmt: skip

SUBJECTS = {
    "tea": "tea",
    "=?utf-8?Q?Gr=C3=BC=C3=9Fe?=": "Grüße",
    "=?ISO-8859-1?B?R3L832U=?= =?utf-8?Q?_an_alle?=": "Grüße an alle",
    "=?klingon?Q?words?=": "words",
    "=?utf-8?B?R?=": "=?utf-8?B?R?=",
    "=?utf-8?X?words?=": "=?utf-8?X?words?=",
    "two\n lines": "two lines",
    "a\0b =?utf-8?Q?c=00d?=": "a b c d",
}
