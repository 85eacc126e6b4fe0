"""A messy export of a help desk: 5,000 tickets with everything that goes wrong in such files, and the truth about them.

    python -m tests.cli.messy_tickets FOLDER [ENCODING]

writes ``tickets.csv`` (six columns) and ``new.csv``, the next month's tickets, most of them without a category.
"""

from __future__ import annotations

import csv
import io
import random
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252")
HEADER = ["ticket", "created", "channel", "customer", "message", "category"]
SPELLINGS = {
    "Refund": ["Refund", "refund", "Refund ", "REFUND"],
    "Delivery": ["Delivery", "Delivery\u00a0", " delivery"],
    "Login": ["Login", "login"],
    "Café": ["Café", "Cafe\u0301", "café"],
}
_SENTENCES = {
    "Refund": [
        "I sent the {thing} back {when} and still have no money on my account.",
        "Please return the {n} € that you charged twice for order {order}.",
        "The {thing} was broken, I want my money back, not another one.",
        "When will you pay back the amount for the cancelled order {order}?",
        "Your invoice says {n} € but I had a voucher for the {thing}.",
        "I cancelled the {thing} {when} and you charged my card all the same.",
        "You only paid back half of the price of the {thing}.",
        "The bank tells me that no transfer from you has come since {when}.",
    ],
    "Delivery": [
        "My {thing} was to arrive {when} and it is still on its way.",
        "The parcel with order {order} was left with a neighbour in {town} that I do not know.",
        "The tracking page has shown the same place in {town} since {when}.",
        "The box was open and the {thing} was missing.",
        "The courier did not ring and took the {thing} back to {town}.",
        "Can you send order {order} to my office in {town} instead?",
        "You sent a wrong {thing}, I ordered another colour.",
        "How long does shipping to {town} take?",
    ],
    "Login": [
        "I cannot log in since {when}, the page says that my password is wrong.",
        "The link to reset my password has expired before I could open it.",
        "My account is locked after {n} attempts, please open it again.",
        "The app asks for a code that never comes to my phone.",
        "I have a new mail address and cannot sign in with the old one.",
        "After the update the app logs me out every {n} minutes.",
        "Somebody from {town} signed in to my account, please block it.",
        "The confirmation mail for my new account does not arrive.",
    ],
    "Café": [
        "I would like to book a table for {n} in the café in {town}.",
        "Does your café in {town} have oat milk and a cake without gluten?",
        "The waiter in {town} was rude when we asked for another espresso {when}.",
        "We waited for our breakfast for {n} minutes {when}.",
        "Until when is the café in {town} open on Sundays?",
        "Can we bring {n} children to the brunch in {town}?",
        "The cappuccino {when} was cold, and so was the soup.",
        "Is the terrace of the café in {town} open in the rain?",
    ],
}
_ANY = [
    "I have called you {n} times already.",
    "My order number is {order}.",
    "I have been a customer for {n} years.",
    "Please answer soon.",
    "I bought a {thing} from you {when}.",
    "I am not happy with your service in {town}.",
    "A colleague of yours promised to look into it {when}.",
]
_GREETINGS = ["Hello,", "Dear team,", "Good morning,", "Hi there,", ""]
_ENDINGS = ["Kind regards, {name}", "Thank you! {name}", "{name}", "Best, {name}", ""]
_SLOTS = {
    "thing": ["kettle", "toaster", "lamp", "jacket", "rucksack", "blender", "radio", "chair", "tent", "mug"],
    "town": ["Zürich", "Lyon", "Köln", "Málaga", "Graz", "Oxford", "Ghent", "Aarhus", "Turin", "Besançon"],
    "when": ["yesterday", "last Monday", "on Friday", "two weeks ago", "this morning", "in March"],
    "name": ["Ana", "Björn", "Chloé", "Dénes", "Eva", "Göran", "Hélène", "Inés", "José", "Karin", "Luís"],
}


@dataclass
class Tickets:
    """The rows of the export, and which of them (from 1) are what; ``truth`` has the right label of every row."""

    rows: list[list[str]] = field(default_factory=list)
    truth: list[str] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    blank_labels: list[int] = field(default_factory=list)
    blank_texts: list[int] = field(default_factory=list)
    duplicates: list[int] = field(default_factory=list)
    contradictions: list[int] = field(default_factory=list)

    def write(self, path: Path, encoding: str = "utf-8") -> None:
        """Write the export; cp1252 has no combining marks, so its labels are all composed."""
        text = io.StringIO()
        csv.writer(text).writerows([HEADER, *self.rows])
        content = text.getvalue()
        if encoding == "cp1252":
            content = unicodedata.normalize("NFC", content)
        path.write_bytes(content.encode(encoding))


def tickets(n: int = 5000, seed: int = 1) -> Tickets:
    """Return an export of ``n`` tickets."""
    rng = random.Random(seed)
    made = Tickets()
    labels = list(SPELLINGS)
    for row in range(1, n + 1):
        kind, drawn = rng.choices(labels, (4, 3, 2, 1))[0], rng.random()
        message, label = _message(rng, kind), _spelled(rng, kind)
        if drawn < 0.05:
            made.wrong.append(row)
            label = _spelled(rng, rng.choice([other for other in labels if other != kind]))
        elif drawn < 0.09:
            made.blank_labels.append(row)
            label = rng.choice(["", " ", "\u00a0"])
        elif drawn < 0.10:
            made.blank_texts.append(row)
            message = rng.choice(["", "  ", "\n"])
        elif drawn < 0.14 and row > 100:
            earlier = rng.choice([i for i in range(row - 100, row - 1) if _is_sound(made, i)])
            message, kind = made.rows[earlier - 1][4], made.truth[earlier - 1]
            same = drawn < 0.125
            label = _spelled(rng, kind if same else rng.choice([k for k in labels if k != kind]))
            (made.duplicates if same else made.contradictions).append(row)
        made.truth.append(kind)
        made.rows.append(_row(rng, seed * 10_000 + row, message, label))
    return made


def newer(n: int = 1500, seed: int = 2) -> Tickets:
    """Return the tickets of the next month, two of three without a label, the others rightly labelled."""
    rng = random.Random(seed)
    made = Tickets()
    for row in range(1, n + 1):
        kind = rng.choices(list(SPELLINGS), (4, 3, 2, 1))[0]
        label = kind if row % 3 == 0 else ""
        made.truth.append(kind)
        made.rows.append(_row(rng, seed * 10_000 + row, _message(rng, kind), label))
    return made


def _is_sound(made: Tickets, row: int) -> bool:
    others = (made.wrong, made.blank_labels, made.blank_texts, made.duplicates, made.contradictions)
    return not any(row in rows for rows in others)


def _row(rng: random.Random, number: int, message: str, label: str) -> list[str]:
    created = f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    channel, customer = rng.choice(["mail", "web form", "chat"]), f"C{rng.randint(1, 9999):04}"
    return [f"T-{number}", created, channel, customer, message, label]


def _message(rng: random.Random, kind: str) -> str:
    """Return sentences about the kind of trouble between others; one ticket in eight also mentions another kind."""
    said = rng.sample(_SENTENCES[kind], rng.choice([1, 2, 2])) + rng.sample(_ANY, rng.choice([1, 2]))
    if rng.random() < 0.12:
        said.append(rng.choice(_SENTENCES[rng.choice([other for other in SPELLINGS if other != kind])]))
    rng.shuffle(said)
    gap = rng.choice([" ", " ", " ", "\n", "\n\n"])
    parts = [rng.choice(_GREETINGS), *said, rng.choice(_ENDINGS)]
    return gap.join(_filled(rng, part) for part in parts if part)


def _filled(rng: random.Random, sentence: str) -> str:
    slots = {name: rng.choice(words) for name, words in _SLOTS.items()}
    return sentence.format(**slots, n=rng.randint(2, 90), order=rng.randint(10_000, 99_999))


def _spelled(rng: random.Random, kind: str) -> str:
    usual, *others = SPELLINGS[kind]
    return usual if rng.random() < 0.7 else rng.choice(others)


def write_both(folder: Path, encoding: str) -> tuple[Tickets, Tickets]:
    """Write both exports in one encoding."""
    both = tickets(), newer()
    for made, name in zip(both, ("tickets.csv", "new.csv"), strict=True):
        made.write(folder / name, encoding)
    return both


if __name__ == "__main__":
    write_both(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "utf-8")
