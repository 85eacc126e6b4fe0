"""Short texts in three languages: English, German with its compounds, Thai without spaces between words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import numpy as np

from lindy.labs.corpora import Texts, public_texts, review_texts

_SIZES = (300, 200)  # texts to train and to test on
_WRONG = 0.06  # of the embedded labels

_GERMAN = {
    "beginnings": "Ein|Endlich ein|Wieder ein|Hier liegt ein|Gekauft, weil es ein|Noch ein",
    "first": "Kriminal|Liebes|Familien|Abenteuer|Geschichts|Koch|Reise|Kinder|Märchen|Sach|Bilder|Wörter|Schul|Natur",
    "second": "roman|buch|erzählung|geschichte|sammlung|bericht|führer|märchen|heft|band",
    "positive": "lesenswert|wunderschön geschrieben|unterhaltsam|herzerwärmend|spannungsgeladen|liebevoll erzählt"
    "|gelungen|empfehlenswert|geistreich|unvergesslich",
    "negative": "langatmig|enttäuschend|oberflächlich|lieblos geschrieben|sterbenslangweilig|vorhersehbar|misslungen"
    "|unglaubwürdig|zusammengestückelt|vergessenswert",
    "links": "und|aber auch|, dazu|, außerdem|, wie immer",
}
_THAI = {
    "beginnings": "หนังสือเล่มนี้|นิยายเรื่องนี้|เรื่องสั้นชุดนี้|คู่มือเล่มนี้|ตำราอาหารเล่มนี้|บันทึกการเดินทางนี้",
    "first": "เนื้อเรื่อง|ตัวละคร|ภาษา|ภาพประกอบ|ตอนจบ|สำนวน|บทสนทนา|ฉาก",
    "second": "อ่านแล้ว|เขียน|เล่า|ดำเนินเรื่อง|แปล|เรียบเรียง",
    "positive": "ดีมาก|สนุกมาก|ประทับใจ|น่าติดตาม|สวยงาม|ลึกซึ้ง|ไพเราะ|ชวนยิ้ม|ยอดเยี่ยม|คุ้มค่า",
    "negative": "แย่มาก|น่าเบื่อ|ผิดหวัง|สับสน|ยืดเยื้อ|ตื้นเขิน|ไม่สมจริง|เสียเวลา|ซ้ำซาก|จืดชืด",
    "links": "และ|แต่ก็|ทั้งยัง|แล้วก็",
}


def texts_in(language: str) -> Texts:
    """Return texts of "English", "German" or "Thai", with labels.

    English are the book reviews of ``review_texts``. German are tweets (``germeval2018``) and Thai are messages
    (``wisesight``) if the data folder holds them, otherwise short opinions about books that are put together from
    phrases.
    """
    if language == "English":
        return review_texts()
    if language == "German":
        return public_texts("germeval2018", "GermEval 2018") or _opinions(
            _GERMAN, " ", "embedded German opinions"
        )
    if language == "Thai":
        return public_texts("wisesight", "Wisesight") or _opinions(_THAI, "", "embedded Thai opinions")
    raise ValueError(f"language must be English, German or Thai; got {language!r}")


def _opinions(phrases: dict[str, str], space: str, source: str) -> Texts:
    """Return opinions in whose nouns two parts are joined; most combinations occur once."""
    random = Random(7)
    part = {name: own.split("|") for name, own in phrases.items()}
    nouns = ["".join(pair) for pair in product(part["first"], part["second"])]

    def opinion(label: str) -> str:
        other = "negative" if label == "positive" else "positive"
        said: Sequence[str] = part[label if random.random() > _WRONG else other]
        first, second = random.sample(said, 2)
        words = [
            random.choice(part["beginnings"]),
            random.choice(nouns),
            first,
            random.choice(part["links"]),
            second,
        ]
        return space.join(words).replace(" ,", ",")

    labels = np.array(["positive", "negative"] * (sum(_SIZES) // 2))
    texts = [opinion(label) for label in labels.tolist()]
    n = _SIZES[0]
    return Texts(texts[:n], labels[:n], texts[n:], labels[n:], source)
