"""``lindy evaluate --fasttext``: the three lines of ``fasttext test``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fasttext
import pytest

from lindy.data import samples
from tests.cli.conftest import Command

REVIEWS = [text.replace("\n", " ") for text in samples.load("reviews-test").texts.to_pylist()]
LABELS = samples.load("reviews-test").labels.to_pylist()


def told_by(oracle: Any, path: Path, k: int) -> str:
    """Return the lines that the program ``fasttext test`` prints of these numbers, with three digits."""
    n, precision, recall = oracle.test(str(path), k)
    return f"N\t{n}\nP@{k}\t{precision:.3g}\nR@{k}\t{recall:.3g}\n"


@pytest.fixture(scope="module", params=["softmax", "hs", "ova"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A model of several labels per text, and its file."""
    folder = tmp_path_factory.mktemp("several")
    rows = [
        f"__label__{label} {'__label__long' if len(text) > 120 else ''} {text}"
        for label, text in zip(LABELS, REVIEWS, strict=True)
    ]
    (folder / "train.ft").write_text(
        "\n".join([*rows, *rows[:5], "__label__rare odd"]) + "\n", encoding="utf-8"
    )
    model = fasttext.train_supervised(
        str(folder / "train.ft"), loss=request.param, dim=6, epoch=4, lr=0.3, thread=1, verbose=0
    )
    model.save_model(str(folder / "model.bin"))
    return model, folder / "model.bin"


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_numbers_are_those_of_fasttext(k: int, trained: tuple[Any, Path], lindy: Command) -> None:
    oracle, path = trained
    asked = [] if k == 1 else [k]
    outcome = lindy("evaluate", path, path.parent / "train.ft", "--fasttext", *asked)
    assert outcome.code == 0, outcome.err
    assert outcome.out == told_by(oracle, path.parent / "train.ft", k if k < 5 else 5)


def test_rows_whose_labels_are_unknown_do_not_count(
    trained: tuple[Any, Path], tmp_path: Path, lindy: Command
) -> None:
    oracle, path = trained
    table = tmp_path / "test.ft"
    table.write_text(
        "__label__never a fine book\n__label__positive __label__never a fine book\n", encoding="utf-8"
    )
    outcome = lindy("evaluate", path, table, "--fasttext")
    assert outcome.out == told_by(oracle, table, 1)
    assert "1 rows have no label that the model knows" in outcome.err


def test_models_of_lindy_have_the_numbers_too(model: Path, table: Path, lindy: Command) -> None:
    assert lindy("evaluate", model, table, "--fasttext").out == "N\t4\nP@1\t1\nR@1\t1\n"
    assert (
        lindy("evaluate", model, table, "--fasttext", "2", "--json").out
        == '{"N": 4, "P@2": 0.5, "R@2": 1.0}\n'
    )


def test_what_prints_more_is_refused(model: Path, table: Path, lindy: Command) -> None:
    outcome = lindy("evaluate", model, table, "--fasttext", "--reliability")
    assert outcome.code == 2
    assert "argument --reliability: --fasttext prints its three numbers only" in outcome.err
