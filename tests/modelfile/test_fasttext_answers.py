"""Texts of every kind to models of fastText in every setting: a sample of ``benchmarks.fasttext_answers``."""

from __future__ import annotations

from pathlib import Path

import fasttext
import pytest
from tests.hostile.fasttext_answers import CLOSE, NGRAMS, QUANTISED, disagreements, settings, texts, trained
from tests.modelfile.test_fasttext_models import LANGUAGES, REVIEWS

from lindy import load


def test_languages() -> None:
    wrong, largest = disagreements(
        fasttext.load_model(str(LANGUAGES)), LANGUAGES, list(texts(2000, 1, REVIEWS))
    )
    assert wrong == []
    assert 0 < largest < CLOSE


@pytest.mark.parametrize(("loss", "quantised", "ngrams"), settings()[::7])
def test_every_setting(loss: str, quantised: str, ngrams: str, tmp_path: Path) -> None:
    n_labels = 300 if "qout" in (QUANTISED[quantised] or {}) else 3
    oracle, path = trained(tmp_path, {"loss": loss, **NGRAMS[ngrams]}, QUANTISED[quantised], n_labels)
    wrong, largest = disagreements(oracle, path, list(texts(200, 2, REVIEWS, longest=1000)))
    assert wrong == []
    assert 0 < largest < CLOSE


def test_of_labels_with_hardly_different_scores_the_same_one_is_first(tmp_path: Path) -> None:
    """A model that has learned next to nothing: its probabilities have few different logarithms in 32 bits."""
    options = {"loss": "softmax", **NGRAMS["subwords 0-3"], "epoch": 1, "lr": 1e-7}
    oracle, path = trained(tmp_path, options, None, 300)
    p = load(path).predict_proba(["fine"])[0]
    assert p.max() - p.min() < 1e-5
    assert disagreements(oracle, path, list(texts(300, 3, REVIEWS, longest=1000)))[0] == []
