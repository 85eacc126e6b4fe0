"""Models in fastText's format: what lindy has read it writes back, and fastText itself reads it."""

from __future__ import annotations

import tarfile
from pathlib import Path

import fasttext
import numpy as np
import pytest
from tests.cli.conftest import Command, lindy, model, table
from tests.modelfile.keep import FILES
from tests.modelfile.test_fasttext_models import (
    LANGUAGES,
    ODD,
    QUANTISED,
    REVIEWS,
    TRAINED,
    Train,
    lines,
    train,
)

import lindy as toolkit
from lindy.errors import DataError

__all__ = ["lindy", "lines", "model", "table", "train"]  # fixtures


def check_round_trip(path: Path, tmp_path: Path, texts: list[str]) -> None:
    """The file that is written has the same answers for lindy, to the bit, and for fastText."""
    first = toolkit.load(path)
    first.save(tmp_path / "kept.lindy")
    kept = toolkit.load(tmp_path / "kept.lindy")
    kept.save_fasttext(tmp_path / "back.bin")
    back = toolkit.load(tmp_path / "back.bin")
    assert back.classes_.tolist() == first.classes_.tolist()
    for own in (kept, back):
        np.testing.assert_array_equal(own.predict_proba(texts), first.predict_proba(texts))
        assert own.predict(texts).tolist() == first.predict(texts).tolist()
    old, new = (fasttext.load_model(str(own)) for own in (path, tmp_path / "back.bin"))
    for text in texts:
        if "\n" not in text:
            assert new.f.predict(text + "\n", -1, 0.0, "strict") == old.f.predict(
                text + "\n", -1, 0.0, "strict"
            )


@pytest.mark.parametrize("name", TRAINED)
def test_a_trained_model_comes_back(name: str, train: Train, tmp_path: Path) -> None:
    check_round_trip(train(TRAINED[name])[1], tmp_path, [*ODD, *REVIEWS[:20]])


@pytest.mark.parametrize("quantised", QUANTISED)
@pytest.mark.parametrize("name", ["subwords", "hierarchical"])
def test_a_quantised_one_does_too(name: str, quantised: str, train: Train, tmp_path: Path) -> None:
    check_round_trip(train(TRAINED[name], QUANTISED[quantised])[1], tmp_path, [*ODD, *REVIEWS[:20]])


def test_the_model_of_languages_comes_back(tmp_path: Path) -> None:
    check_round_trip(LANGUAGES, tmp_path, [*ODD, *REVIEWS[:20]])


def test_a_quantised_output_comes_back(tmp_path: Path) -> None:
    lines = [f"__label__{k} fine number{k}" for k in range(300)] * 3
    (tmp_path / "train.ft").write_text("\n".join(lines), encoding="utf-8")
    oracle = fasttext.train_supervised(
        str(tmp_path / "train.ft"), dim=8, epoch=5, lr=0.5, bucket=2000, wordNgrams=2, thread=1, verbose=0
    )
    oracle.quantize(str(tmp_path / "train.ft"), qout=True, qnorm=True, thread=1, verbose=0)
    oracle.save_model(str(tmp_path / "model.ftz"))
    check_round_trip(tmp_path / "model.ftz", tmp_path, ["fine number7", "fine number299", ""])


def test_what_does_not_fit_is_told(train: Train, tmp_path: Path) -> None:
    learned = toolkit.TextClassifier(learner="naive-bayes").fit(
        ["a fine book", "a dull book"], ["good", "bad"]
    )
    with pytest.raises(DataError, match="was learned by lindy"):
        learned.save_fasttext(tmp_path / "new.bin")
    assert not (tmp_path / "new.bin").exists()


def test_the_command_writes_both_formats(train: Train, tmp_path: Path, lindy: Command) -> None:
    path = train(TRAINED["subwords"])[1]
    ours, theirs = tmp_path / "m.lindy", tmp_path / "m.bin"
    outcome = lindy("convert-model", path, ours)
    assert (outcome.code, outcome.out) == (0, "")
    assert f"saved {ours} in lindy's format: fasttext, 3 classes" in outcome.err
    assert lindy("convert-model", ours, theirs, "--json").code == 0
    assert lindy("convert-model", theirs, ours).code == 0  # which is a model, and may be replaced
    explained = {lindy("explain", own, "a fine book").out for own in (path, ours, theirs)}
    assert len(explained) == 1


def test_the_command_says_why_a_model_does_not_fit(model: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("convert-model", model, tmp_path / "new.bin")
    assert outcome.code == 1
    assert "does not fit fastText's format: it was learned by lindy" in outcome.err
    assert "lindy export" in outcome.err
    assert not (tmp_path / "new.bin").exists()


def test_the_command_renews_files_of_earlier_versions(tmp_path: Path, lindy: Command) -> None:
    with tarfile.open(FILES / "0.1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    old = min(tmp_path.glob("*naive-bayes*.lindy"))
    assert lindy("convert-model", old, tmp_path / "new.lindy").code == 0
    assert toolkit.load(tmp_path / "new.lindy").classes_.tolist() == toolkit.load(old).classes_.tolist()
