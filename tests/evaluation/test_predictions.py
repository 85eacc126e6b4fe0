"""Predictions as a table: what was chosen, and the columns that are written of it, for one label and for several."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lindy.data import read_table
from lindy.data.write.table_writer import piece_writer, writing_pieces
from lindy.evaluation import Answers
from lindy.evaluation.decisions import Decision, LabelLimits, SeveralLabels
from lindy.evaluation.predictions import REJECTED, LabelLists, PredictionColumns, Predictions

CLASSES = ["art", "law", "sport"]
P = np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25], [0.1, 0.3, 0.6]])
ONE = Predictions(P.argmax(axis=1), P, are_probabilities=True)
SEVERAL = SeveralLabels([0.5, 0.2, 0.3])(ONE)
"""Of the second row only law reaches its threshold, though art is more probable."""


def written(kind: str, columns: Any) -> str:
    out = io.BytesIO()
    with piece_writer(out, kind, "memory") as write:
        write(columns)
    return out.getvalue().decode()


def test_the_best_class_is_given_unless_a_decision_gives_another() -> None:
    assert ONE.chosen is ONE.best
    assert not ONE.rejected.any()
    assert ONE.confidence.tolist() == [0.7, 0.4, 0.6]
    assert ONE.measure == "probability"
    unsure = Decision(thresholds=0.5)(ONE)
    assert unsure.chosen.tolist() == [0, REJECTED, 2]
    assert unsure.rejected.tolist() == [False, True, False]
    assert unsure.best.tolist() == [0, 0, 2]
    dear = Decision(cost=[[0, 9, 9], [1, 0, 1], [1, 1, 0]], thresholds=[0.5, 0.3, 0.5])(ONE)
    assert dear.best.tolist() == [1, 1, 2]
    assert dear.chosen.tolist() == [REJECTED, 1, 2]


def test_scores_have_neither_costs_nor_thresholds() -> None:
    scores = Predictions(P.argmax(axis=1), P, are_probabilities=False)
    assert scores.measure == "score"
    with pytest.raises(ValueError, match="only scores"):
        Decision(thresholds=0.5)(scores)
    assert SeveralLabels(0.25)(scores).chosen.rows() == [[0], [0, 1, 2], [2, 1]]


def test_several_labels_are_those_that_reach_their_threshold() -> None:
    assert isinstance(SEVERAL.chosen, LabelLists)
    assert SEVERAL.chosen.rows() == [[0, 1], [1], [2, 1]]
    assert SEVERAL.best.tolist() == [0, 1, 2]
    none = SeveralLabels(0.65)(ONE)
    assert none.chosen.rows() == [[0], [], []]
    assert none.rejected.tolist() == [False, True, True]
    assert none.best.tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    "decide", [SeveralLabels([0.5, 0.2, 0.3]), Decision(thresholds=0.5), lambda made: made]
)
def test_decided_or_not_predictions_are_joined(decide: Any) -> None:
    parts = [decide(Predictions(ONE.best[rows], P[rows], True)) for rows in ([0], [1, 2], [])]
    joined, whole = Predictions.joined(parts), decide(ONE)
    assert joined.best.tolist() == whole.best.tolist()
    assert joined.labels(np.array(CLASSES)).tolist() == whole.labels(np.array(CLASSES)).tolist()
    assert joined.rejected.tolist() == whole.rejected.tolist()


@given(
    arrays.arrays(float, st.tuples(st.integers(0, 6), st.integers(1, 5)), elements=st.floats(0, 1)),
    st.floats(0, 1),
)
def test_several_labels_by_their_definition(p: Any, threshold: float) -> None:
    made = SeveralLabels(threshold)(Predictions(p.argmax(axis=1), p, are_probabilities=True))
    for values, labels, best in zip(p.tolist(), made.chosen.rows(), made.best.tolist(), strict=True):
        reached = [k for k, value in enumerate(values) if value >= threshold]
        assert labels == sorted(reached, key=lambda k: -values[k])
        assert best == labels[0] if labels else values[best] == max(values)


def test_the_best_class_is_ranked_first_whatever_its_value() -> None:
    ruled = Predictions(np.array([2, 0, 1]), P, are_probabilities=True)
    assert ruled.ranked(3).tolist() == [[2, 0, 1], [0, 1, 2], [1, 2, 0]]
    assert ruled.ranked(2).tolist() == [[2, 0], [0, 1], [1, 2]]


def test_parts_are_joined() -> None:
    known = np.array([3, 0, 2])
    whole = Predictions(ONE.best, P, are_probabilities=True, known=known)
    parts = [Predictions(ONE.best[rows], P[rows], True, known[rows]) for rows in (slice(1), slice(1, 3))]
    joined = Predictions.joined(parts)
    assert np.array_equal(joined.values, whole.values)
    assert (joined.best.tolist(), joined.known.tolist()) == (whole.best.tolist(), known.tolist())
    assert Predictions.joined([ONE, ONE]).known is None
    assert Answers is Predictions


def test_columns_of_one_label() -> None:
    columns = PredictionColumns(CLASSES, top=2, every=True, guess=True)
    unsure = Decision(thresholds=0.5)(ONE)
    header, first, second, _ = csv.reader(io.StringIO(written("csv", columns(unsure))))
    names = ["label", "probability", "label_1", "probability_1", "label_2", "probability_2"]
    assert header == [*names, *CLASSES]
    assert first == ["art", "0.7", "art", "0.7", "law", "0.2", "0.7", "0.2", "0.1"]
    assert second == ["", "0.4", "art", "0.4", "law", "0.35", "0.4", "0.35", "0.25"]
    taken = ["label", "art", "predicted_art"]
    assert list(PredictionColumns(CLASSES, every=True)(ONE, taken)) == [
        "predicted_label", "probability", "predicted_predicted_art", "law", "sport",
    ]  # fmt: skip
    assert list(PredictionColumns(CLASSES, prefix="other_")(ONE)) == ["other_label", "other_probability"]


def test_nested_columns_are_those_of_json() -> None:
    columns = PredictionColumns(CLASSES, top=3, every=True, nested=True)
    line = json.loads(written("jsonl", columns(ONE)).splitlines()[0])
    assert line == {
        "label": "art",
        "probability": 0.7,
        "next": [{"label": "law", "probability": 0.2}, {"label": "sport", "probability": 0.1}],
        "probabilities": {"art": 0.7, "law": 0.2, "sport": 0.1},
    }


def test_several_labels_are_a_list_or_joined(tmp_path: Path) -> None:
    columns = PredictionColumns(CLASSES)
    none = SeveralLabels(0.65)(ONE)
    assert written("csv", columns(SEVERAL)).splitlines() == [
        "label,probability", "art|law,0.7", "law,0.35", "sport|law,0.6",
    ]  # fmt: skip
    assert written("tsv", columns(none)).splitlines()[1:] == ["art\t0.7", "\t0.4", "\t0.6"]
    lines = [json.loads(line) for line in written("jsonl", columns(none)).splitlines()]
    assert [line["label"] for line in lines] == [["art"], [], []]
    for kind in ("parquet", "xlsx"):
        with writing_pieces(str(tmp_path / f"out.{kind}"), kind) as write:
            write(columns(SEVERAL))
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["label"].to_pylist() == [["art", "law"], ["law"], ["sport", "law"]]
    assert read_table(tmp_path / "out.xlsx").column("label").to_pylist() == ["art|law", "law", "sport|law"]
    frame = columns.frame(SEVERAL)
    assert frame["label"].tolist() == [["art", "law"], ["law"], ["sport", "law"]]
    assert frame["probability"].tolist() == [0.7, 0.35, 0.6]


def test_a_frame_has_labels_as_they_are_and_none_for_no_label() -> None:
    years = PredictionColumns(np.array([1990, 2000, 2010]), every=True)
    frame = years.frame(ONE, index=["a", "b", "c"])
    assert frame["label"].tolist() == [1990, 1990, 2010]
    assert frame["label"].dtype == np.int64
    assert frame.columns.tolist() == ["label", "probability", 1990, 2000, 2010]
    unsure = years.frame(Decision(thresholds=0.5)(ONE))
    assert unsure["label"].tolist() == [1990, None, 2010]


@given(st.integers(0, 300), st.booleans(), st.one_of(st.none(), st.integers(1, 4)))
def test_limits_of_how_many_labels(seed: int, at_least_one: bool, at_most: int | None) -> None:
    values = np.random.default_rng(seed).random((20, 5)).round(1)
    made = SeveralLabels(0.6)(Predictions(values.argmax(axis=1), values, True))
    assert isinstance(made.given, LabelLists)
    limited = LabelLimits(at_least_one, at_most)(made).given
    assert isinstance(limited, LabelLists)
    for row, before, after in zip(values, made.given.rows(), limited.rows(), strict=True):
        assert before == [k for k in np.argsort(-row, kind="stable").tolist() if row[k] >= 0.6]
        expected = before[:at_most]
        assert after == (expected or ([int(row.argmax())] if at_least_one else []))
