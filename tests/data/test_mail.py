"""Mail: what is read of messages, good and broken, and the words that are made of them."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.oddities.mail_messages import BODIES, PLAIN, SUBJECTS, message

from lindy.data import read_examples, read_table
from lindy.data.mail import HEADERS, MailWords, read_contacts, read_message
from lindy.data.mail.boxes import split_mbox, told
from lindy.data.mail.message import Link, read_html
from lindy.errors import DataError


@pytest.mark.parametrize("case", BODIES)
def test_bodies(case: str) -> None:
    raw, body, problems = BODIES[case]
    found = read_message(raw)
    assert body in found.body
    assert found.problems == problems
    assert "rich" not in found.body
    assert "no()" not in found.body


@pytest.mark.parametrize("raw", SUBJECTS)
def test_subjects(raw: str) -> None:
    assert read_message(f"Subject: {raw}\n\n".encode()).subject == SUBJECTS[raw]


def test_raw_bytes_in_a_header() -> None:
    assert read_message("Subject: Grüße\n\n".encode()).subject == "Grüße"
    assert read_message("Subject: Grüße\n\n".encode("latin-1")).subject == "Grüße"


def test_text_that_was_decoded_before_ignores_the_charset_of_unpacked_parts() -> None:
    assert read_message("Content-Type: text/plain; charset=iso-8859-1\n\nGrüße").body == "Grüße"
    packed = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe"
    assert read_message(packed).body == "Grüße"


def test_sender_and_headers() -> None:
    found = read_message(PLAIN)
    assert found.sender == "anna@example.org"
    assert found.headers == [("from", "Anna <Anna@Example.org>"), ("subject", "tea"), ("x-mailer", "Post 2")]


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_anything_can_be_read(raw: bytes | str) -> None:
    found = read_message(raw)
    text = MailWords(contacts=frozenset()).text(found)
    text.encode()
    assert "\0" not in text


PIECES = st.sampled_from(
    [
        b"\n", b"\n\n", b"\r\n", b"Subject: ", b"=?utf-8?B?", b"?=", b"Content-Type: ", b"multipart/mixed; ",
        b"boundary=",
        b'boundary="', b"--b", b"--b--", b"b", b";", b'"', b"text/html", b"text/plain; charset=", b"utf-16", b"utf-7",
        b"hz", b"message/rfc822", b"Content-Transfer-Encoding: base64", b"x-uuencode", b"quoted-printable", b"<a href=",
        b"http://[", b"</a>", b"&#99;", b"<!--", b"\xff", b"\0", b"From: ", b"a@b", b"(", b"*0*='", b"charset*=", b" ",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map(b"".join))
def test_broken_mime_is_read_as_far_as_possible(raw: bytes) -> None:
    MailWords(contacts=frozenset()).text(read_message(raw)).encode()


def test_pages() -> None:
    page = read_html(
        '<head><title>x</title></head><P>a<br>b<b>c</b> <A HREF="http://x.org/?a&amp;b">go <i>there</i></A>'
    )
    assert page.text.split() == ["a", "bc", "go", "there"]
    assert page.links == [Link("go there", "http://x.org/?a&b")]
    assert page.tags == ["head", "title", "p", "br", "b", "a", "i"]


def test_odd_pages() -> None:
    assert read_html("1 < 2 and 3 > 2 &lt;&eacute;&#233;&#xe9;").text == "1 < 2 and 3 > 2 <ééé"
    assert read_html("a<!-- never closed").text == "a"
    assert read_html("a<script>never closed").text == "a"
    assert read_html("<a href=x>unclosed <a href='y'>two</a>").links == [
        Link("unclosed", "x"),
        Link("two", "y"),
    ]
    assert read_html("&#" + "9" * 5000 + ";").text.startswith("&#999")


@pytest.mark.parametrize(
    ("page", "seen"),
    [
        ("a<script>no()</b>no()<script>no()</script>b", "ab"),
        ("a<style>no</style>b<title>no</title>c", "abc"),
        ("a<script>no()</SCRIPT >b", "ab"),
        ("<b>a</b></script>b", "a\nb"),
        ("a</head>b", "a\nb"),
        ("a <p> b", "a\nb"),
    ],
)
def test_what_is_hidden_on_a_page(page: str, seen: str) -> None:
    assert read_html(page).text == seen


def test_comments_and_declarations_are_no_tags() -> None:
    assert read_html("<!doctype html><!-- <i> --><?xml?><b>").tags == ["b"]


def test_links_end_where_the_next_begins() -> None:
    page = "<a href='x'>one</a href='y'>two</a><a>three</a><a href='z'>four"
    assert read_html(page).links == [Link("one", "x")]
    assert read_html(page + "</a>five").links == [Link("one", "x"), Link("four", "z")]
    assert read_html("<p>one</p><a href=''>two</a><a href=' '>three</a>").links == []


def words(raw: bytes, **options: object) -> set[str]:
    text = MailWords(**options).text(read_message(raw))  # type: ignore[arg-type]
    return set(text.rpartition("\n")[2].split())


def test_subject_and_body_come_first() -> None:
    assert MailWords().text(read_message(PLAIN)).startswith("tea\nAt four?\n\nsubject_tea from_anna")


def test_words_of_headers() -> None:
    assert {
        "subject_tea",
        "from_anna",
        "from_example",
        "x_mailer_post",
        "has_x_mailer",
        "part_text_plain",
    } <= words(PLAIN)
    only = words(PLAIN, headers=("x-mailer",))
    assert "x_mailer_2" in only
    assert "from_anna" not in only


def test_received_without_what_is_unique() -> None:
    raw = message(
        "Received: from a.example (1.2.3.4) by b.example with SMTP id XyZ9; Mon, 1 Jan 2026 10:00:00", "", "x"
    )
    found = {word for word in words(raw) if word.startswith("received")}
    assert found == {f"received_{w}" for w in ("from", "a", "example", "by", "b", "with", "smtp", *"1234")}


def test_only_of_the_route_something_is_unique() -> None:
    found = words(message("X-Mailer: Post id 7; for ever", "", "x"))
    assert {f"x_mailer_{w}" for w in ("post", "id", "7", "for", "ever")} <= found


SPANS = {
    1: "1",
    2: "2",
    3: "3_4",
    4: "3_4",
    5: "5_8",
    8: "5_8",
    9: "9_16",
    16: "9_16",
    17: "more",
    99: "more",
}


@pytest.mark.parametrize("count", SPANS)
def test_spans_of_counts(count: int) -> None:
    found = words(message("Subject: x", "", "now! " * count))
    assert {word for word in found if word.startswith("calls")} == {f"calls_{SPANS[count]}"}


def test_patterns_and_capitals() -> None:
    found = words(
        message(
            "Subject: x", "", "WIN $500, $20 and 30 dollars NOW!! http://x.example www.y.example CALL 5551234"
        )
    )
    assert {"money_3_4", "links_2", "calls_1", "numbers_1", "shouts_1", "capitals_30_percent"} <= found


def link(text: str, target: str) -> set[str]:
    return words(message("Content-Type: text/html", "", f'<a href="{target}">{text}</a>'))


def test_links_that_lie() -> None:
    assert "link_text_differs" in link("www.bank.example", "http://evil.example/bank.example")
    assert "link_text_differs" in link("https://bank.example/login", "http://bank.example.evil.org/")
    assert "link_text_differs" not in link("bank.example", "https://www.bank.example/login")
    assert "link_text_differs" not in link("login.bank.example", "https://bank.example")
    assert "link_text_differs" not in link("https://bank.example/login", "http://bank.example/")
    assert "link_text_differs" not in link("WWW.BANK.EXAMPLE", "http://bank.example/")
    assert "link_text_differs" not in link("click here", "http://evil.example")
    assert {"link_to_number", "host_10_0_0_1"} <= link("x", "http://10.0.0.1:80/y")
    assert "link_to_number" in link("x", "http://3232235777/")
    assert not {w for w in link("x", "http://[broken/") if w.startswith(("host", "link_"))}


def test_contacts(tmp_path: Path) -> None:
    path = tmp_path / "contacts.vcf"
    path.write_text("BEGIN:VCARD\nEMAIL;TYPE=home:ANNA@example.org\nEND:VCARD\nBob <bob@example.org>\n")
    contacts = read_contacts(path)
    assert contacts == {"anna@example.org", "bob@example.org"}
    assert "sender_in_contacts" in words(PLAIN, contacts=contacts)
    assert "sender_not_in_contacts" in words(PLAIN, contacts=frozenset({"x@y.org"}))
    assert not any("contacts" in word for word in words(PLAIN))
    path.write_text("nobody\n")
    with pytest.raises(DataError, match="no mail address"):
        read_contacts(path)
    path.write_bytes(b"anna@example.org\nJ\xfcrgen <j@example.org>\n")
    with pytest.raises(DataError, match="line 2: byte 0xfc is not valid UTF-8"):
        read_contacts(path)


MBOX = (
    b"From a@x Thu Jan  1 00:00:00 2026\nSubject: one\n\nbody\nFrom here on\n\nFrom now on it is text\n>From quoted\n\n"
    b"From b@x Thu Jan  1 00:00:00 2026\nSubject: two\n\nbody\n"
)


def test_mailboxes_are_split_where_a_header_follows() -> None:
    assert [read_message(part).subject for part in split_mbox(MBOX)] == ["one", "two"]
    assert [read_message(part).subject for part in split_mbox(MBOX.replace(b"\n", b"\r\n"))] == ["one", "two"]
    assert split_mbox(b"Subject: x\n\ny") == [b"Subject: x\n\ny"]
    assert split_mbox(b"") == [b""]
    before = b"Subject: none\n\nbody\n\n"
    assert split_mbox(before + MBOX) == [before, *split_mbox(MBOX)]


@given(st.lists(st.text("ab \n", max_size=20), min_size=1, max_size=5))
def test_every_message_of_a_mailbox_comes_back(bodies: list[str]) -> None:
    raw = [f"From x Thu\nSubject: {i}\n\n{body}\n\n".encode() for i, body in enumerate(bodies)]
    assert split_mbox(b"".join(raw)) == raw


def subjects(table: object) -> list[str]:
    return table.column("subject").to_pylist()  # type: ignore[attr-defined,no-any-return]


def test_folders_files_and_mailboxes(tmp_path: Path) -> None:
    for name in ("spam/1", "spam/2.eml", "ham/1"):
        (tmp_path / "all" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / name).write_bytes(PLAIN)
    (tmp_path / "all/ham/more.mbox").write_bytes(MBOX)
    table = read_table(tmp_path / "all", "mail")
    assert table.column("label").to_pylist() == ["ham"] * 3 + ["spam"] * 2
    assert subjects(table) == ["tea", "one", "two", "tea", "tea"]
    assert table.place(2) == f"{tmp_path / 'all/ham/more.mbox'}, message 2"
    both = read_table([tmp_path / "all/spam", tmp_path / "all/ham"], "mail")
    assert both.column("label").to_pylist() == ["spam"] * 2 + ["ham"] * 3
    (tmp_path / "spam.mbox").write_bytes(MBOX)
    assert read_table(tmp_path / "spam.mbox").column("label").to_pylist() == ["spam", "spam"]
    (tmp_path / "inbox").write_bytes(MBOX)
    assert subjects(read_table(tmp_path / "inbox", "mail")) == ["one", "two"]
    (tmp_path / "one.eml").write_bytes(PLAIN)
    assert subjects(read_table(tmp_path / "one.eml")) == ["tea"]


def test_which_files_hold_many_messages(tmp_path: Path) -> None:
    """Those that are called .mbox, and given ones that begin like one unless they are called .eml."""
    for name in ("box", "box.eml", "box.mbox"):
        (tmp_path / name).write_bytes(MBOX)
    assert subjects(read_table(tmp_path, "mail")) == ["one", "one", "one", "two"]
    for name, expected in (("box", ["one", "two"]), ("box.eml", ["one"]), ("box.mbox", ["one", "two"])):
        assert subjects(read_table(tmp_path / name, "mail")) == expected
    (tmp_path / "box").write_bytes(b"Subject: none\n\n" + MBOX)
    assert subjects(read_table(tmp_path / "box", "mail")) == ["none"]


def test_messages_of_standard_input_have_no_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MBOX)))
    table = read_table("-", "mail")
    assert subjects(table) == ["one", "two"]
    assert table.column_names == ["text", "subject", "sender", "problems", "file"]
    assert table.place(1) == "standard input, message 2"


def test_columns_of_a_folder_of_messages(tmp_path: Path) -> None:
    (tmp_path / "ham").mkdir()
    (tmp_path / "ham/1").write_bytes(PLAIN)
    (tmp_path / "ham/2").write_bytes(BODIES["multipart without a boundary"][0])
    table = read_table(tmp_path, "mail")
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    assert columns.pop("text") == [
        MailWords().text(read_message((tmp_path / "ham" / name).read_bytes())) for name in ("1", "2")
    ]
    assert columns == {
        "label": ["ham", "ham"],
        "subject": ["tea", ""],
        "sender": ["anna@example.org", ""],
        "problems": ["", "multipart without a boundary, multipart without parts"],
        "file": [str(tmp_path / "ham/1"), str(tmp_path / "ham/2")],
    }
    assert read_examples(tmp_path, format="mail", mail=MailWords()).texts == table.column("text")


def test_a_maildir_is_one_class(tmp_path: Path) -> None:
    for name in ("cur", "new", "tmp"):
        (tmp_path / "Inbox" / name).mkdir(parents=True)
    (tmp_path / "Inbox/cur/1:2,S").write_bytes(PLAIN)
    (tmp_path / "Inbox/new/2").write_bytes(PLAIN)
    assert read_table(tmp_path / "Inbox", "mail").column("label").to_pylist() == ["Inbox", "Inbox"]


def test_a_column_of_raw_messages(tmp_path: Path) -> None:
    path = tmp_path / "mail.csv"
    path.write_text('text,label\n"Subject: tea\n\nAt four?",ham\n"Content-Type: multipart/mixed\n\nx",spam\n')
    data = read_examples(path, mail=MailWords())
    assert data.texts[0].as_py().startswith("tea\nAt four?")
    assert data.labels is not None
    assert data.labels.to_pylist() == ["ham", "spam"]
    assert data.table.remarks == (
        "1 of 2 messages are damaged, read as far as possible: multipart without a boundary (1),"
        " multipart without parts (1)",
    )


def test_damage_is_told_once() -> None:
    assert told([[], []]) == ()
    assert "2 of 3 messages" in told([["a"], [], ["a", "b"]])[0]
    assert "a (2), b (1)" in told([["a"], [], ["a", "b"]])[0]
    many = [f"problem {i}" for i in range(20)]
    assert told([many])[0].endswith(", ".join(f"{problem} (1)" for problem in many))


def test_what_a_model_keeps(tmp_path: Path) -> None:
    kept = MailWords(contacts=frozenset({"anna@example.org"})).to_state()
    assert kept == {"text_is": "mail", "headers": ",".join(HEADERS), "contacts": "used"}
    assert MailWords().to_state() == {"text_is": "mail", "headers": ",".join(HEADERS)}
    path = tmp_path / "contacts.txt"
    path.write_text("bob@example.org\n")
    assert MailWords.from_state({}) == MailWords()
    assert MailWords.from_state(kept) == MailWords()  # who the contacts are is not kept
    assert MailWords.from_state(kept, str(path)) == MailWords(contacts=frozenset({"bob@example.org"}))
    assert MailWords.from_state({"headers": "from"}) == MailWords(("from",))
    assert MailWords.from_state({"headers": ""}) == MailWords(())
    assert MailWords.from_state({"headers": "from"}, headers="To, X-Mailer") == MailWords(("to", "x-mailer"))
    assert MailWords.from_state({"headers": "from"}, headers="") == MailWords(())
