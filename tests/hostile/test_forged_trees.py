"""Model files whose tree of terms was forged: refused when they are loaded, never used."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.hostile.model_forgery import contents
from tests.hostile.tree_forgery import FORGERIES, TREE

import lindy
from lindy.errors import ModelFileError
from lindy.modelfile import read_model

TEXTS = ["aa bb cc dd", "bb aa cc", "aa dd cc aa cc", "dd dd aa bb aa"] * 3
PART = "vectorizer."


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    path = tmp_path_factory.mktemp("tree") / "model"
    vectorizer = lindy.text.TfidfVectorizer(ngram_range=(1, 3))
    lindy.TextClassifier(vectorizer=vectorizer, learner="svm", calibration="none").fit(
        TEXTS, ["x", "y", "x", "z"] * 3
    ).save(path)
    file = read_model(path, mapped=False)
    return file.header, file.arrays


def loaded(path: Path, header: dict[str, Any], arrays: dict[str, Any]) -> Any:
    path.unlink(missing_ok=True)
    path.write_bytes(contents(header, arrays))
    return lindy.load(path, n_jobs=1)


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_forged_trees_are_refused(forge: Any, sound: Any, tmp_path: Path) -> None:
    header, arrays = sound
    config = dict(header["vectorizer"])
    own = {name: arrays[PART + name] for name in TREE}
    forge(config, own)
    forged = {name: array for name, array in arrays.items() if name.removeprefix(PART) not in TREE}
    forged |= {PART + name: array for name, array in own.items()}
    with pytest.raises(ModelFileError):
        loaded(tmp_path / "model", {**header, "vectorizer": config}, forged)


def test_a_changed_number_is_refused_or_spells_the_model_that_answers(sound: Any, tmp_path: Path) -> None:
    """What loads shows the terms that it finds: every term, asked for, is found under its own column."""
    header, arrays = sound
    rng, answered = random.Random(4), 0
    numbers = [0, 1, 2, 3, 5, 2**31, 2**32 - 2, 2**32 - 1]
    for name, value in itertools.product(("word_columns", "starts", "phrases"), numbers):
        for _ in range(12):
            array = arrays[PART + name].copy()
            array.reshape(-1)[rng.randrange(array.size)] = value
            try:
                model = loaded(tmp_path / "model", header, {**arrays, PART + name: array})
            except ModelFileError:
                continue
            answered += 1
            terms = model.vectorizer_.get_feature_names_out().tolist()
            assert len(set(terms)) == len(terms)
            rows = model.vectorizer_.transform_csr(terms)
            for column, term in enumerate(terms):
                assert column in rows.indices[rows.indptr[column] : rows.indptr[column + 1]], term
            assert np.isfinite(model.predictions(TEXTS).values).all()
    assert answered > 0
