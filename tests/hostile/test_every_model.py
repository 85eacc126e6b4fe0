"""Models of every learner and every vectorizer: damaged ones are refused, forged ones are refused or answer.

`make torture` does the same to every pair of them, bit by bit, and forges a hundred thousand.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.hostile.damage import accepted, flips, truncations
from tests.hostile.forging import judge_forgeries, judged, keep_zoo, kept_zoo
from tests.hostile.model_forgery import contents, forge

from lindy.estimators.learners import REGISTRY
from lindy.text.vectorizer_registry import vectorizer_kinds


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("zoo")
    refused = keep_zoo(folder, pairs=False)
    assert all("sequences" in name or "Negative values" in why for name, why in refused.items()), refused
    return folder


def test_every_learner_and_every_vectorizer_is_there(folder: Path) -> None:
    headers = [model.header for model in kept_zoo(folder)]
    assert {header["learner"]["name"] for header in headers} == set(REGISTRY)
    assert {header["vectorizer"]["kind"] for header in headers} == set(vectorizer_kinds())


def test_sound_models_answer(folder: Path) -> None:
    for model in kept_zoo(folder):
        made = contents(model.header, model.arrays)
        assert judged(folder / "sound", made, model.header["classes"], model.examples) != "refused", (
            model.name
        )


def test_truncations_and_flipped_bits_are_refused(folder: Path) -> None:
    outcomes: Counter[str] = Counter()
    for number, path in enumerate(sorted(folder.glob("*.lindy"))):
        whole = path.read_bytes()
        assert accepted(truncations, whole, outcomes, 23 + number) == [], path
        assert accepted(flips, whole, outcomes, 211 + number) == [], path
    assert outcomes["refused"] > 5000


def test_forged_models_are_refused_or_answer(folder: Path) -> None:
    counts, broken = judge_forgeries(folder, rounds=1000, seed=3)
    assert broken == []
    assert counts["refused"] > 500
    assert counts["answered"] > 100


def test_a_forgery_is_made_from_its_number_alone(folder: Path) -> None:
    pool = kept_zoo(folder)
    assert forge(pool, random.Random("3/5"))[1] == forge(pool, random.Random("3/5"))[1]
