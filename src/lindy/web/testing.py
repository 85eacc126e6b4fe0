"""Labelled texts that were given with ``--test``: how good each model is on them, and which labels look wrong."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from lindy.data.examples import TextData, examples_of
from lindy.data.labels import encode_labels
from lindy.data.read import read_table
from lindy.data.records import row_texts, rows_of
from lindy.errors import DataError
from lindy.evaluation.audit import can_judge, suspects
from lindy.evaluation.calibration import scores_of
from lindy.evaluation.metrics import Evaluation, evaluate
from lindy.evaluation.outcomes import ANOTHER, Outcomes
from lindy.web.messages import LabelError
from lindy.web.shelf import Served

RESAMPLES = 200  # for the intervals of figures that are no shares
_MOST_ERRORS = 50
_LONGEST_SHOWN = 500  # characters of a text on a card
_MOST_EXAMPLES = 12


@dataclass(frozen=True, slots=True)
class Tested:
    """What came out of a test: the figures, the counts for the slider, and labels that are probably wrong."""

    evaluation: Evaluation
    outcomes: Outcomes
    label_errors: list[LabelError]


class TestFile:
    """A table with labels, tested by a model when its card is first asked for."""

    __test__ = False  # not a test of pytest

    def __init__(self, path: str) -> None:
        self.path, self._table = path, read_table(path)
        self._lock = threading.Lock()
        self._tested: dict[int, tuple[Served, Tested]] = {}

    def check(self, served: Served) -> None:
        """Refuse a table that has not the columns of a model."""
        examples_with_labels(served, self._table)

    def __call__(self, served: Served) -> Tested:
        """Return how good a model is; measured once."""
        with self._lock:
            known = self._tested.get(id(served))
            if known is None or known[0] is not served:
                known = served, _test(served, examples_with_labels(served, self._table))
                self._tested = {
                    key: kept for key, kept in self._tested.items() if kept[0].name != served.name
                }
                self._tested[id(served)] = known
        return known[1]


def examples_with_labels(served: Served, table: Any, *, need_label: bool = True) -> TextData:
    """Return the examples of a table, by the columns that the model was trained on."""
    trained = served.classifier.columns_
    if served.takes == "features":
        raise DataError(
            f"{table.name}: the model {served.name!r} takes features with values, which no table here has",
            "leave out --test and --examples",
        )
    label = trained.get("label") if trained.get("label") in table.column_names else None
    if served.columns is not None:
        return rows_of(table, served.columns, label if need_label else None, need_label, trained=True)
    text = trained.get("text") if trained.get("text") in table.column_names else None
    mail = served.mail_words if served.takes == "mail" else None
    return examples_of(table, text, label if need_label else None, need_label, mail=mail)


def _test(served: Served, examples: TextData) -> Tested:
    labels: Any = examples.labels
    truth = np.array(labels.to_pylist(), object)
    answer = served.classifier.answers(examples.texts)
    names = np.array(served.labels, object)
    numbers = {label: k for k, label in enumerate(served.labels)}
    codes = np.array([numbers.get(label, ANOTHER) for label in truth.tolist()])
    evaluation = evaluate(truth, names[answer.best], resamples=RESAMPLES)
    p = answer.values[np.arange(len(codes)), answer.best] if answer.are_probabilities else None
    outcomes = Outcomes.of(codes, answer.best, p, len(names))
    errors = _label_errors(served, examples, answer.values, codes) if answer.are_probabilities else []
    return Tested(evaluation, outcomes, errors)


def _label_errors(served: Served, examples: TextData, p: Any, codes: Any) -> list[LabelError]:
    """Return the rows whose label the model contradicts (see ``lindy.evaluation.audit``), the surest first."""
    own = np.flatnonzero(codes != ANOTHER)
    if not can_judge(len(own), served.labels):
        return []
    rows, judged = suspects(scores_of(p[own]), codes[own], len(served.labels))
    chosen = own[rows[:_MOST_ERRORS]]
    texts = row_texts(examples.texts)
    listed = texts.to_pylist()
    row_of = examples.table.rows
    return [
        LabelError(
            row=int(i if row_of is None else row_of[i]) + 1,
            text=listed[i][:_LONGEST_SHOWN],
            label=served.labels[codes[i]],
            predicted=served.labels[k],
            probability=float(p[i, k]),
        )
        for i, k in zip(chosen.tolist(), judged.better[:_MOST_ERRORS].tolist(), strict=True)
    ]


def example_texts(served: Served, path: str) -> list[str]:
    """Return some texts of a table for people to try: of every label a few, where the table has labels."""
    table = read_table(path)
    try:
        examples = examples_with_labels(served, table)
    except DataError:
        examples = examples_with_labels(served, table, need_label=False)
    texts = row_texts(examples.texts).to_pylist()
    usable = [i for i, text in enumerate(texts) if text.strip() and len(text) <= _LONGEST_SHOWN]
    if examples.labels is None:
        return [texts[i] for i in usable[:_MOST_EXAMPLES]]
    codes = encode_labels(examples.labels).codes
    turn: dict[int, int] = {}
    ranked = []
    for i in usable:  # the first of every label, then the second of every label, …
        turn[int(codes[i])] = place = turn.get(int(codes[i]), 0) + 1
        ranked.append((place, i))
    return [texts[i] for _, i in sorted(ranked)[:_MOST_EXAMPLES]]
