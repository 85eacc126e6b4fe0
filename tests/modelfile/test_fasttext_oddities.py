"""What is odd about fastText's answers: kept, or sane unless ``strict`` is asked for (docs/guide/from-fasttext.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Command, lindy, model, table
from tests.modelfile.test_fasttext_models import (
    EPSILON,
    ODD,
    REVIEWS,
    TRAINED,
    Train,
    answers_of,
    check_same,
    first_of,
    lines,
    train,
)

import lindy as toolkit
from lindy.errors import DataError, LindyError
from lindy.modelfile.fasttext_models import answer_strictly

__all__ = ["lindy", "lines", "model", "table", "train"]  # fixtures

ALIKE = {  # texts that are one to fastText, and to lindy
    "a token </s> ends the text": ("a fine </s> dull and long book", "a fine"),
    "what begins like a label is no word": ("a __label__unheard fine __label__positive book", "a fine book"),
    "six bytes and NUL are white space": ("a\tfine\vbook\fand\rdull\0long", "a fine book and dull long"),
    "white space around a text is nothing": ("  a fine book \t", "a fine book"),
}
DIFFERENT = {  # texts that are not one, as people might think
    "case matters": ("A fine book", "a fine book"),
    "a full stop belongs to the word": ("a fine book.", "a fine book"),
    "a no-break space is no white space": ("a fine\u00a0book", "a fine book"),
    "an ideographic space is none either": ("a fine\u3000book", "a fine book"),
    "characters are not composed": ("a fine caf\u00e9", "a fine cafe\u0301"),
}


@pytest.mark.parametrize("why", ALIKE)
def test_texts_that_are_one(why: str, train: Train) -> None:
    oracle, path = train(TRAINED["subwords"])
    first, second = ALIKE[why]
    assert answers_of(oracle, first) == answers_of(oracle, second)
    one, other = toolkit.load(path).predict_proba([first, second])
    assert one.tolist() == other.tolist()


@pytest.mark.parametrize("why", DIFFERENT)
def test_texts_that_are_not_one(why: str, train: Train) -> None:
    oracle, path = train(TRAINED["subwords"])
    first, second = DIFFERENT[why]
    assert answers_of(oracle, first) != answers_of(oracle, second)
    one, other = toolkit.load(path).predict_proba([first, second])
    assert one.tolist() != other.tolist()
    check_same(oracle, toolkit.load(path), [first, second])


@pytest.mark.parametrize("name", TRAINED)
def test_a_strict_model_answers_as_fasttext_does_to_lines_too(
    name: str, train: Train, tmp_path: Path
) -> None:
    oracle, path = train(TRAINED[name])
    strict = toolkit.load(path)
    answer_strictly(strict)
    strict.save(tmp_path / "strict.lindy")
    texts = ["a fine\nbook", "\na fine book", "dull\n\n", "long\r\nand wise", *ODD, *REVIEWS[:20]]
    for own in (strict, toolkit.load(tmp_path / "strict.lindy")):
        for text, label, p in zip(texts, own.predict(texts).tolist(), own.predict_proba(texts), strict=True):
            wanted = answers_of(oracle, text)
            found = dict(zip(own.classes_.tolist(), p.tolist(), strict=True))
            assert {label: found[label] for label in wanted} == pytest.approx(wanted, abs=1e-5), text
            assert label == first_of(oracle, text), text


def test_probabilities_above_1_are_for_strict_models(train: Train) -> None:
    oracle, path = train({"loss": "softmax", "epoch": 200, "lr": 1.0})
    model = toolkit.load(path)
    texts = [text for text in REVIEWS if max(answers_of(oracle, text).values()) > 1]
    assert texts
    assert (model.predict_proba(texts).max(axis=1) == 1).all()
    answer_strictly(model)
    assert (model.predict_proba(texts).max(axis=1) > 1).all()


def test_a_text_has_the_same_answer_with_and_without_a_line_break_at_its_end(train: Train) -> None:
    """fastText takes a line without its end, as the last of a file, for one that does not end."""
    oracle, path = train(TRAINED["words 1-3"])
    said = [oracle.f.predict(text, -1, 0.0, "strict") for text in ("a fine book", "a fine book\n")]
    assert said[0] != said[1]
    model = toolkit.load(path)
    for _ in range(2):
        one, other = model.predict_proba(["a fine book", "a fine book\n"])
        assert one.tolist() == other.tolist()
        answer_strictly(model)


def test_independent_labels_have_probabilities_in_steps_that_end_at_0_and_1(train: Train) -> None:
    """Of one-vs-all, σ is taken from a table, and beyond ±8 it is 0 or 1."""
    oracle, path = train({"loss": "ova", "epoch": 300, "lr": 1.0})
    model = toolkit.load(path)
    scores = np.concatenate([model.decision_function(REVIEWS), [[-8.5, 8.5, 0.0]]]).astype(np.float32)
    p, _ = model.learner_.probabilities_and_best(scores)
    np.testing.assert_allclose(p[-1], [EPSILON, 1, 0.5 + EPSILON], atol=1e-7)
    assert len(np.unique(p)) <= 512 + 3
    check_same(oracle, model, REVIEWS[:50])


def test_of_equal_probabilities_the_last_label_of_the_file_comes_first(train: Train) -> None:
    oracle, path = train(TRAINED["one-vs-all"])
    model = toolkit.load(path)
    file_order = [label.removeprefix("__label__") for label in oracle.get_labels()]
    equal = np.zeros((1, len(file_order)), np.float32)
    _, best = model.learner_.probabilities_and_best(equal)
    assert model.classes_[best[0]] == file_order[-1]


def test_a_model_with_numbers_that_are_none_is_refused(train: Train, tmp_path: Path) -> None:
    """fastText answers some texts, and fails with others: Encountered NaN."""
    _, path = train(TRAINED["softmax"])
    data = bytearray(path.read_bytes())
    data[-4:] = np.float32(np.nan).tobytes()
    (tmp_path / "model.bin").write_bytes(bytes(data))
    with pytest.raises(LindyError, match="is too large to be a number"):
        toolkit.load(tmp_path / "model.bin").predict(["a fine book"])


def test_the_commands_take_the_flag(train: Train, tmp_path: Path, lindy: Command) -> None:
    oracle, path = train(TRAINED["words 1-3"])
    (tmp_path / "texts.csv").write_text('text\n"a fine book\ndull and long"\n', encoding="utf-8")
    said = lindy("predict", path, tmp_path / "texts.csv", "--strict-fasttext", "--to", "jsonl")
    assert f'"{first_of(oracle, "a fine book")}"' in said.out
    assert lindy("convert-model", path, tmp_path / "strict.lindy", "--strict-fasttext").code == 0
    assert (
        lindy("predict", tmp_path / "strict.lindy", tmp_path / "texts.csv", "--to", "jsonl").out == said.out
    )
    assert lindy("predict", path, tmp_path / "texts.csv", "--to", "jsonl").out != said.out


def test_other_models_have_no_oddities(model: Path, table: Path, lindy: Command) -> None:
    for command in ("predict", "evaluate"):
        outcome = lindy(command, model, table, "--strict-fasttext")
        assert outcome.code == 1
        assert "the model is none of fastText" in outcome.err
    with pytest.raises(DataError):
        answer_strictly(toolkit.load(model))
