"""N-grams of characters are as long as the script of most letters asks for, and can be asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lindy import TextClassifier, load
from lindy.core.column import TextColumn
from lindy.data import read_examples
from lindy.tuning.candidates import ALPHABETS, SPACELESS, SYLLABLES, CharLengths, candidates_for, char_lengths

CHINESE = ["房间很好，服务也不错", "非常失望，房间很脏", "早餐很好吃", "设施陈旧，不会再来"]
KOREAN = ["정말 재미있는 영화", "시간이 아까운 영화", "배우들의 연기가 좋다", "지루하고 뻔하다"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["A warm and funny book"], ALPHABETS),
        (["Прекрасная книга", "उत्तम पुस्तक", "كتاب رائع"], ALPHABETS),
        (CHINESE, SPACELESS),
        (["とても面白い本", "ภาพยนตร์ดีมาก", "សៀវភៅល្អ"], SPACELESS),
        (KOREAN, SYLLABLES),
        (["iPhone 14 很好用，推荐购买这款手机，值得拥有"], SPACELESS),
        (["the word 好 means good, and 坏 means bad"], ALPHABETS),
        (["", "12 👍", None, 3.0], ALPHABETS),
        ([], ALPHABETS),
    ],
)
def test_most_letters_decide(texts: list[Any], expected: CharLengths) -> None:
    assert char_lengths([texts]) is expected
    assert char_lengths([texts, texts]) is expected
    strings = pa.chunked_array([[text if isinstance(text, str) else None for text in texts]], pa.string())
    assert char_lengths([strings]) is expected


def test_columns_of_all_kinds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "hotel.csv"
    path.write_text("text,label\n" + "".join(f"{text},{i % 2}\n" for i, text in enumerate(CHINESE)), "utf-8")
    column = read_examples(path).texts
    assert isinstance(column, TextColumn)
    assert char_lengths([column]) is SPACELESS
    assert char_lengths([iter(KOREAN)]) is SYLLABLES


def test_texts_from_the_whole_column_are_looked_at() -> None:
    assert char_lengths([["short text"] * 2_000 + [CHINESE[0]] * 8_000]) is SPACELESS


def test_n_grams_of_characters_become_fewer_step_by_step() -> None:
    def n_grams(size: int) -> int:
        lengths = ALPHABETS.beside(size)
        return 0 if lengths is None else size * (lengths[1] - lengths[0] + 1)

    sizes = [int(1e5 * 1.05**i) for i in range(130)]
    assert max(map(n_grams, sizes)) <= 20_000_000
    # half the texts never have many more of them, until words alone take as much
    assert all(n_grams(size) <= 1.7 * n_grams(2 * size) for size in sizes if size <= 10_000_000)


def test_candidates_have_the_lengths_of_the_script() -> None:
    found = {str(r.features) for r in candidates_for(None, "auto", lengths=SYLLABLES)}
    assert {"words 1-2 and characters 1-4, tf-idf", "characters 1-4, tf-idf"} <= found
    many = {str(r.features) for r in candidates_for(None, "auto", lengths=SYLLABLES, n_bytes=9_000_000)}
    assert "words 1-2 and characters 2-3, tf-idf" in many
    sizes = {1: (1, 5), 4_000_000: (1, 5), 4_000_001: (4, 5), 20_000_000: (4, 4), 20_000_001: None}
    for size, lengths in sizes.items():
        assert {r.features.chars for r in candidates_for(None, "auto", n_bytes=size)} == {lengths}
    assert {r.features.words for r in candidates_for(None, "auto", (2, 5))} == {None}
    both = candidates_for((1, 1), "auto", (2, 5))
    assert {(r.features.words, r.features.chars) for r in both} == {((1, 1), (2, 5))}
    assert both[0].learner == "nb-svm"
    assert len({str(r) for r in both}) == len(both)


@pytest.mark.parametrize(
    ("options", "described"),
    [
        ({"learner": "svm"}, "words 1, tf-idf"),
        ({"learner": "svm", "chars": (2, 3)}, "characters 2-3, tf-idf"),
        (
            {"learner": "svm", "ngrams": (1, 2), "chars": (2, 3)},
            "words 1-2 and characters 2-3, tf-idf",
        ),
        ({"fast": True, "chars": (2, 3)}, "characters 2-3, tf-idf"),
        ({"fast": True}, "words 1-2, tf-idf"),
        ({"chars": (1, 2)}, "characters 1-2, tf-idf"),
    ],
)
def test_characters_can_be_asked_for(options: dict[str, Any], described: str, tmp_path: Path) -> None:
    texts, labels = CHINESE * 3, ["good", "bad", "good", "bad"] * 3
    model = TextClassifier(**options).fit(texts, labels)
    assert model.recipe_.startswith(described)
    assert model.predict(["房间很好"]).tolist() == ["good"]
    model.save(tmp_path / "model.lindy")
    loaded = load(tmp_path / "model.lindy")
    assert loaded.predict_proba(CHINESE) == pytest.approx(model.predict_proba(CHINESE))
    assert loaded.explain("房间很好").label == "good"


@pytest.mark.parametrize("lengths", [(5, 2), (0, 3), (2.5, 3), (2,)])
@pytest.mark.parametrize("option", ["chars", "ngrams"])
def test_lengths_that_are_none_are_refused(option: str, lengths: Any) -> None:
    with pytest.raises(ValueError, match=rf"\({option}\).*1 ≤ shortest ≤ longest"):
        TextClassifier(learner="svm", **{option: lengths}).fit(CHINESE, [1, 0, 1, 0])
    with pytest.raises(ValueError, match="1 ≤ shortest ≤ longest"):
        TextClassifier(**{option: lengths}).fit(CHINESE, [1, 0, 1, 0])
