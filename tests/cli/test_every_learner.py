"""Every registered learner from the command line: train, evaluate, predict, explain, inspect, compare."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from lindy import load
from lindy.estimators.learners import REGISTRY, learner_class
from lindy.images import write_idx
from tests.cli.conftest import Command

TEXTS = [
    "a good and lovely book",
    "bad, boring, bad",
    "good fun, lovely",
    "an awful and boring end",
    "a lovely good film",
    "an awful bad mess",
]
LABELS = ["pos", "neg"] * 3
LOOKS_AT_NOTHING = ("majority", "random")
NAMES = list(REGISTRY)
OF_TEXTS = [name for name in NAMES if learner_class(name).spec.input_kind == "words"]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    rows = [f'{label},"{text}"' for text, label in zip(TEXTS * 4, LABELS * 4, strict=True)]
    path.write_text("\n".join(["label,text", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_texts(name: str, texts: Path, tmp_path: Path, lindy: Command) -> None:
    model = tmp_path / "model.lindy"
    told = lindy("train", texts, "-o", model, "--learner", name)
    assert told.code == 0, told.err
    assert f"trained {name} on 24 texts" in told.err
    assert type(load(model).learner_) is learner_class(name)
    told = lindy("evaluate", model, texts, "--json")
    assert told.code == 0, told.err
    record = json.loads(told.out)
    assert record["accuracy"] == (1.0 if name not in LOOKS_AT_NOTHING else pytest.approx(0.5, abs=0.5))
    rows = list(csv.DictReader(io.StringIO(lindy("predict", model, texts).out)))
    assert [row["label"] for row in rows] == load(model).predict(TEXTS * 4).tolist()
    told = lindy("explain", model, TEXTS[0], "--json", "--html", tmp_path / "why.html")
    assert told.code == 0, told.err
    explained = json.loads(told.out)
    assert explained["label"] == rows[0]["label"]
    assert "<!DOCTYPE html>" in (tmp_path / "why.html").read_text(encoding="utf-8")
    adds = [feature["lead"] for feature in explained["features"]] + explained.get("support", [])
    assert any(adds) == (name not in LOOKS_AT_NOTHING)
    told = lindy("inspect", model, "--top", 3)
    assert told.code == 0, told.err
    assert max(map(len, told.out.splitlines())) < 400
    found = json.loads(lindy("inspect", model, "--json", "--top", 500).out)
    if name not in LOOKS_AT_NOTHING and "examples" not in learner_class(name)().capabilities:
        assert {"good", "lovely"} & {entry["feature"] for entry in found["top"]["pos"]}
        assert "lovely" in lindy("inspect", model, "--feature", "lovely").out


def test_all_are_compared(texts: Path, lindy: Command) -> None:
    told = lindy("compare", texts, "--json", *(word for name in NAMES for word in ("--learner", name)))
    assert told.code == 0, told.err
    assert {result["name"] for result in json.loads(told.out)["results"]} == set(NAMES)


def digits(folder: Path, n: int = 24) -> Path:
    """Write bars that stand or lie, as an idx file with its labels."""
    images = np.zeros((n, 5, 5), np.uint8)
    for i in range(n):
        images[i, :, 1 + i // 2 % 3] = 200 * (i % 2)
        images[i, 1 + i // 2 % 3, :] += 200 * (1 - i % 2)
        images[i, i % 5, (i // 5) % 5] = 220
    write_idx(folder / "bars-images-idx3-ubyte", images)
    write_idx(folder / "bars-labels-idx1-ubyte", np.arange(n, dtype=np.uint8) % 2)
    return folder / "bars-images-idx3-ubyte"


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OF_TEXTS])
def test_images(name: str, tmp_path: Path, lindy: Command) -> None:
    path, model = digits(tmp_path), tmp_path / "model.lindy"
    told = lindy("train", path, "-o", model, "--learner", name)
    assert told.code == 0, told.err
    assert "24 images of 5 × 5 pixels, and their labels" in told.err
    record = json.loads(lindy("evaluate", model, path, "--json").out)
    assert record["accuracy"] >= (0.7 if name not in LOOKS_AT_NOTHING else 0.3)
    told = lindy("explain", model, path, "--row", 2, "--html", tmp_path / "why.html")
    assert told.code == 0, told.err
    assert '<svg class="pixels"' in (tmp_path / "why.html").read_text(encoding="utf-8")
    assert lindy("inspect", model).code == 0


@pytest.mark.parametrize("name", OF_TEXTS)
def test_learners_of_words_refuse_images(name: str, tmp_path: Path, lindy: Command) -> None:
    told = lindy("train", digits(tmp_path), "-o", tmp_path / "model.lindy", "--learner", name)
    assert told.code == 1
    assert "takes texts, but the examples are images" in told.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--ngrams", "1-2"), "ngrams has no effect"),
        (("--chars", "2-3"), "chars has no effect"),
        (("--weighting", "tfidf"), "weighting has no effect"),
    ],
)
def test_a_lexicon_refuses_what_it_would_ignore(
    options: tuple[str, ...], says: str, texts: Path, tmp_path: Path, lindy: Command
) -> None:
    told = lindy("train", texts, "-o", tmp_path / "m.lindy", "--learner", "lexicon", *options)
    assert told.code == 1
    assert says in told.err


def test_a_lexicon_without_any_of_its_words_is_left_out_of_a_comparison(texts: Path, lindy: Command) -> None:
    told = lindy("compare", texts, "--ngrams", 2)
    assert told.code == 0, told.err
    assert "'lexicon' is left out: none of its words is a feature" in told.err
    told = lindy("compare", texts, "--ngrams", 2, "--learner", "lexicon")
    assert told.code == 2
