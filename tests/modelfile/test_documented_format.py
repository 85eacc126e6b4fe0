"""The page about model files says what is so: its examples run, and files of every version still load."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.hostile.forgery import signed

import lindy
from lindy import TextClassifier
from lindy.data import samples
from lindy.errors import ModelFileError
from lindy.modelfile import read_model, write_model

PAGE = (Path(__file__).parents[2] / "docs/concepts/modelfile.md").read_text(encoding="utf-8")
FILES = Path(__file__).parent / "files"
DATA = samples.load("reviews-train")
TEXTS, LABELS = DATA.texts.to_pylist()[:60], DATA.labels.to_pylist()[:60]


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for example in examples():
        exec(example, names)
    assert names["model"].arrays["W"].sum() == 6.0
    assert (tmp_path / "predictions.csv").read_text() == "label\n"
    header, pieces = names["header_and_arrays"]("tiny.lindy")
    assert header == {"classes": ["no", "yes"]}
    assert np.frombuffer(pieces["W"], "<f4").tolist() == [1.0] * 6


def test_the_head_is_as_shown(tmp_path):
    shown = re.search(r"```json\n(.*?)\n```", PAGE, re.DOTALL)[1].replace("\n ", "").encode()
    arrays = {"W": np.ones((3, 2), np.float32), "b": np.zeros(2)}
    write_model(tmp_path / "model", {"classes": ["no", "yes"]}, arrays)
    contents = (tmp_path / "model").read_bytes()
    assert contents[8 : 8 + len(shown)] == shown
    assert contents[8:53] == b'{"__metadata__":{"format":"lindy","version":"'


def test_files_of_version_1_load():
    model = read_model(FILES / "version-1.lindy")
    assert model.header == {"alpha": 0.1, "classes": ["nein", "ja ✓"], "non_finite": ["b"]}
    assert model.arrays["W"].tolist() == [[0.5, -2.0], [3.0, 0.25]]
    assert model.arrays["b"].tolist() == [-np.inf, 0.5]
    assert model.arrays["offsets"].tolist() == [0, 4, 7]
    assert model.arrays["words"].tobytes() == b"goodbad"


def test_a_file_of_version_1_becomes_one_of_version_2(tmp_path):
    model = read_model(FILES / "version-1.lindy")
    write_model(tmp_path / "again", model.header, model.arrays)
    again = read_model(tmp_path / "again")
    assert (model.version, again.version) == (1, 2)
    assert again.header == model.header
    assert all(again.arrays[name].tobytes() == array.tobytes() for name, array in model.arrays.items())


def test_version_2_is_written_as_it_always_was(tmp_path):
    model = lindy.load(FILES / "version-2.lindy")
    assert model.predict(["not good", "not so bad"]).tolist() == ["bad", "good"]
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (FILES / "version-2.lindy").read_bytes()


def test_version_3_is_that_of_packed_arrays_alone(tmp_path):
    file = read_model(FILES / "version-3.lindy")
    assert file.version == 3
    assert set(file.header["packed"]) >= {"vectorizer.terms", "learner.W"}
    model = lindy.load(FILES / "version-3.lindy")
    assert model.predict(["not good", "not so bad"]).tolist() == ["bad", "good"]
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (FILES / "version-3.lindy").read_bytes()
    header = {name: value for name, value in file.header.items() if name != "packed"}
    write_model(tmp_path / "plain", header, file.arrays)
    assert read_model(tmp_path / "plain").version == 2
    for path, old, new in ((FILES / "version-3.lindy", b"3", b"2"), (tmp_path / "plain", b"2", b"3")):
        contents = path.read_bytes().replace(b'"version":"' + old, b'"version":"' + new)
        (tmp_path / "forged").write_bytes(signed(contents))
        with pytest.raises(ModelFileError, match="version is not that of its arrays"):
            read_model(tmp_path / "forged")


def test_the_documented_reader_finds_the_terms(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for example in examples():
        exec(example, names)
    for file in (FILES / "version-2.lindy", tmp_path / "larger"):
        if not file.exists():
            TextClassifier(ngrams=(1, 3), learner="svm").fit(TEXTS, LABELS).save(file)
        expected = lindy.load(file).vectorizer_.get_feature_names_out().tolist()
        assert names["terms_of"](names["header_and_arrays"](file)[1]) == expected
    assert len(expected) > 1000
