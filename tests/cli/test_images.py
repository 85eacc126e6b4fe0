"""Images from the command line, in folders and in idx and npz files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lindy.images.image_files import image_table
from tests.cli.conftest import Command
from tests.images.bars import bars, folder


def test_a_folder_from_the_command_line(tmp_path: Path, lindy: Command) -> None:
    data, model = folder(tmp_path / "bars"), tmp_path / "m.lindy"
    told = lindy("train", data, "-o", model, "--learner", "svm", "--report", tmp_path / "report.html")
    assert told.code == 0, told.err
    assert "trained svm on 20 images" in told.err
    told = lindy("predict", model, data, "--json")
    assert [json.loads(line)["file"] for line in told.out.splitlines()] == image_table([str(data)]).files
    one = next((data / "lies").iterdir())
    assert lindy("predict", model, one).out.splitlines()[1].startswith(f"{one},lies,")
    assert "label lies" in lindy("explain", model, one).out
    told = lindy("split", data, "--folder", tmp_path / "parts", "--parts", "train=0.5,test=0.5")
    assert told.code == 0, told.err
    told = lindy("evaluate", model, tmp_path / "parts" / "bars-test.npz", "--mistakes", tmp_path / "m.csv")
    assert told.code == 0, told.err
    assert lindy("tune", data, "--learner", "naive-bayes", "-o", tmp_path / "t.lindy").code == 0
    told = lindy("audit", data, "-o", tmp_path / "sheet.csv")
    assert told.code == 0, told.err
    assert lindy("audit", data, "--apply", tmp_path / "sheet.csv", "-o", tmp_path / "x.csv").code == 2
    told = lindy("convert", data, tmp_path / "x.csv")
    assert told.code == 1
    assert "holds images, which cannot be converted" in told.err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--ngrams", "2"), 2, "--ngrams: "),
        (("--min-df", "2"), 2, "--min-df: "),
        (("--text", "t"), 2, "--text: "),
        (("--patterns",), 2, "--patterns: "),
        (("--weighting", "bm25"), 2, "--weighting: "),
        (("--encoding", "cp1252"), 2, "--encoding: images have none"),
        (("--sheet", "dev"), 1, "no array holds the images"),
        ((), 1, "several arrays could be the images"),
        ((), 1, "Choose with --sheet train"),
        (("--sheet", "bare"), 1, "the images have no labels"),
        (("--sheet", "same"), 1, "only one class|one class"),
        (("--label", "t", "--sheet", "train"), 1, "no column 't'"),
    ],
    ids=str,
)
def test_wrong_options(words: tuple[str, ...], code: int, says: str, tmp_path: Path, lindy: Command) -> None:
    images, labels = bars(8)
    arrays = {"x_train": images, "y_train": labels.astype(str), "x_bare": images}
    arrays |= {"x_same": images, "y_same": np.zeros(8, int)}
    np.savez(tmp_path / "a.npz", **arrays)
    if words and code == 2 and "--sheet" not in words:
        words = (*words, "--sheet", "train")
    told = lindy("train", tmp_path / "a.npz", "-o", tmp_path / "m.lindy", "--learner", "svm", *words)
    assert told.code == code, told.err
    assert any(part in told.err for part in says.split("|")), told.err
    assert "error:" in told.err


def test_models_of_texts_and_of_images_are_told_apart(tmp_path: Path, lindy: Command) -> None:
    images, labels = bars(8)
    np.savez(tmp_path / "a.npz", images=images, labels=labels.astype(str))
    (tmp_path / "t.csv").write_text("text,label\na b,x\nc d,y\n" * 3)
    for name, data in (("i", "a.npz"), ("t", "t.csv")):
        told = lindy("train", tmp_path / data, "-o", tmp_path / f"{name}.lindy", "--learner", "naive-bayes")
        assert told.code == 0, told.err
    told = lindy("evaluate", tmp_path / "i.lindy", tmp_path / "t.csv")
    assert told.code == 1
    assert "the model was trained on images, but this file holds texts" in told.err
    told = lindy("evaluate", tmp_path / "t.lindy", tmp_path / "a.npz")
    assert told.code == 1
    assert "the model was trained on texts, but this file holds images" in told.err
    for words, says in [
        (("i", "no such text"), "no such file"),
        (("i", tmp_path / "a.npz", "--row", 9), "there is no image 9: it has 8"),
        (("i", tmp_path), "is a folder"),
        (("i", "-"), "read from files"),
        (("t", "a", "--row", 2), "it is for images"),
        (("t", "a", "--sheet", "x"), "it is for images"),
    ]:
        told = lindy("explain", tmp_path / f"{words[0]}.lindy", *words[1:])
        assert told.code in (1, 2)
        assert says in told.err, told.err
    np.savez(tmp_path / "b.npz", images=images[:, :3])
    told = lindy("explain", tmp_path / "i.lindy", tmp_path / "b.npz")
    assert told.code == 1
    assert "the images are 3 × 7 pixels, expected 6 × 7" in told.err
    told = lindy("predict", tmp_path / "i.lindy", tmp_path / "b.npz")
    assert told.code == 1, told.err


def test_pixels_alone_with_a_threshold_of_one_half(tmp_path: Path, lindy: Command) -> None:
    data, model = folder(tmp_path / "bars"), tmp_path / "m.lindy"
    told = lindy("train", data, "-o", model, "--learner", "svm", "--pixel-threshold", "0.5", "--no-shapes")
    assert told.code == 0, told.err
    assert "recipe: pixels;" in told.err
    from lindy import load

    assert load(model).vectorizer_.threshold == 0.5
    table = tmp_path / "t.csv"
    table.write_text("text,label\na good one,x\na bad one,y\n")
    told = lindy("train", table, "-o", model, "--no-shapes")
    assert told.code == 2
    assert "argument --no-shapes: " in told.err
    assert "holds no images" in told.err
