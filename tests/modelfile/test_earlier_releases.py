"""Model files of every release load for ever, and predict what they predicted."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.modelfile.keep import FILES, from_json, predictions

import lindy
from lindy.modelfile import read_model
from lindy.modelfile.earlier import present_parameters

RELEASES = sorted(FILES.glob("*.tar.xz"))


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.stem)
def test_models_of_a_release_predict_as_before(release: Path, tmp_path: Path) -> None:
    with tarfile.open(release) as archive:
        archive.extractall(tmp_path, filter="data")
    expected = json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    assert sorted(path.stem for path in tmp_path.glob("*.lindy")) == sorted(expected)
    assert len(expected) > 200
    for name, said in expected.items():
        model = lindy.load(tmp_path / f"{name}.lindy", n_jobs=1)
        now = predictions(model, from_json(said["examples"]))
        assert now["labels"] == said["labels"], name
        np.testing.assert_allclose(now["values"], said["values"], rtol=1e-9, atol=1e-12, err_msg=name)


def test_the_first_release_has_every_kind(tmp_path: Path) -> None:
    with tarfile.open(FILES / "0.1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    headers = [read_model(path).header for path in tmp_path.glob("*.lindy")]
    assert len({header["learner"]["name"] for header in headers}) == 18
    assert len({header["vectorizer"]["kind"] for header in headers}) == 17
    assert any("rule" in header for header in headers)
    assert sum("calibration" in header for header in headers) > 100
    assert (FILES / "0.1.tar.xz").stat().st_size < 300_000


@pytest.mark.parametrize(
    ("stored", "now"),
    [
        ({"averaging": "average"}, {"average": True}),
        ({"averaging": "last"}, {"average": False}),
        ({"average": "before"}, {"average": "before"}),
        ({"bias": False, "penalize_bias": True}, {"fit_intercept": False, "penalize_intercept": True}),
        ({"learning_rate": 0.5}, {"eta0": 0.5}),
        ({"prior": "empirical"}, {"class_prior": None}),
        ({"prior": [0.5, 0.5]}, {"class_prior": [0.5, 0.5]}),
        ({"penalty": "none"}, {"penalty": None}),
        ({"loss": "none"}, {"loss": "none"}),
        (
            {"solver_options": {"pairs": [["batch", 3], ["epochs", 2]]}},
            {"solver_options": {"pairs": [["batch_size", 3], ["epochs", 2]]}},
        ),
        ({"solver_options": None, "C": 2.0}, {"solver_options": None, "C": 2.0}),
    ],
)
def test_options_of_earlier_releases_have_the_names_of_today(
    stored: dict[str, Any], now: dict[str, Any]
) -> None:
    assert present_parameters(stored) == now
