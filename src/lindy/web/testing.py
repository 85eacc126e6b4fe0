"""Labelled texts that were given with ``--test``: how good each model is on them, and which labels look wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lindy.core.column import distinct, is_list
from lindy.core.targets import OneLabel, as_lists, as_targets
from lindy.data.columns.examples import TextData, examples_of
from lindy.data.columns.preparation import Preparation
from lindy.data.columns.records import rows_of
from lindy.data.columns.table import Table
from lindy.errors import DataError
from lindy.evaluation.audit.table_audit import can_judge, suspects
from lindy.evaluation.calibration.calibrators import scores_of
from lindy.evaluation.metrics.class_metrics import Evaluation
from lindy.evaluation.metrics.label_metrics import LabelEvaluation
from lindy.evaluation.metrics.model_evaluation import evaluate_predictions
from lindy.evaluation.outcomes import ANOTHER, Outcomes
from lindy.web.messages import LabelError
from lindy.web.model_registry import LoadedModel
from lindy.web.page_examples import LONGEST, varied

RESAMPLES = 200  # for the intervals of figures that are no shares
_MOST_ERRORS = 50
_MOST_EXAMPLES = 12
_LISTED, _LISTED_LENGTH = 5, 40  # labels that a message names, and characters of each


@dataclass(frozen=True, slots=True)
class Tested:
    """The result of a test: the metrics, the counts for the slider, and labels that are probably wrong."""

    evaluation: Evaluation | LabelEvaluation
    outcomes: Outcomes | None  # None where a text may have several labels
    label_errors: list[LabelError]


class TestFile:
    """A table with labels, tested by a model when its card is first asked for.

    It is a test of the models that read its columns and know at least one of its labels.
    """

    __test__ = False  # not a test of pytest

    def __init__(self, path: str) -> None:
        self.path = path
        self._tables: dict[Preparation, Table] = {}
        self._lock = threading.Lock()
        self._tested: dict[int, tuple[LoadedModel, Tested | None]] = {}

    def _table(self, served: LoadedModel) -> Table:
        """Return the table, read as that of the model's training was."""
        trained = Preparation.of(served.classifier)
        if trained not in self._tables:
            self._tables[trained] = trained.read(self.path)
        return self._tables[trained]

    def check(self, models: Iterable[LoadedModel]) -> list[str]:
        """Return why the table is no test of some of the models, each reason beginning with the model's name.

        Raises
        ------
        DataError
            If it is a test of none of them.
        """
        asked = list(models)
        reasons = {served.name: reason for served in asked if (reason := self._unfit(served))}
        if len(reasons) == len(asked):
            first, *others = (f"{name}: {reason}" for name, reason in reasons.items())
            raise DataError(
                f"{self.path}: no test of the model {first}" + "".join(f"; {other}" for other in others),
                "give --test a table with the columns and labels of a model that is served, or leave it out",
            )
        return [f"{name}: {reason}" for name, reason in reasons.items()]

    def _unfit(self, served: LoadedModel) -> str | None:
        """Return why the table is no test of a model; None if it is one."""
        try:
            labels = examples_with_labels(served, self._table(served)).labels
        except DataError as error:
            return str(error).removeprefix(f"{self.path}: ")
        assert labels is not None  # they are asked for
        if is_list(labels) and served.thresholds is None:
            return "its rows have several labels, and the model gives one to each text"
        found = as_lists(labels).names.tolist() if is_list(labels) else distinct(labels)[0]
        if set(found) & set(served.labels):
            return None
        return f"its labels are {_some(served.labels)}; those of the table are {_some(found)}"

    def __call__(self, served: LoadedModel) -> Tested | None:
        """Return how good a model is, measured once; None if the table is no test of it."""
        with self._lock:
            known = self._tested.get(id(served))
            if known is None or known[0] is not served:
                unfit = self._unfit(served) is not None
                known = (
                    served,
                    None if unfit else _test(served, examples_with_labels(served, self._table(served))),
                )
                self._tested = {
                    key: kept for key, kept in self._tested.items() if kept[0].name != served.name
                }
                self._tested[id(served)] = known
        return known[1]


def _some(labels: list[str]) -> str:
    others = f" and {len(labels) - _LISTED:,} more" if len(labels) > _LISTED else ""
    return ", ".join(repr(label[:_LISTED_LENGTH]) for label in labels[:_LISTED]) + others


def examples_with_labels(served: LoadedModel, table: Any, *, need_label: bool = True) -> TextData:
    """Return the examples of a table, by the columns that the model was trained on."""
    trained = served.classifier.columns_
    if not served.form.in_tables:
        raise DataError(
            f"{table.name}: the model {served.name!r} takes features with values, which no table here has",
            "leave out --test and --examples",
        )
    label = trained.get("label") if need_label and trained.get("label") in table.column_names else None
    rules = Preparation.of(served.classifier).rules(served.labels)
    if served.columns is not None:
        return rows_of(table, served.columns, label, need_label, trained=True, rules=rules)
    text = trained.get("text") if trained.get("text") in table.column_names else None
    mail = served.mail_words
    return examples_of(table, text, label, need_label, mail=mail, rules=rules)


def _test(served: LoadedModel, examples: TextData) -> Tested:
    labels: Any = examples.labels
    said = served.classifier.predictions(examples.texts)
    truth, names = as_targets(labels, several=True), np.array(served.labels, object)
    thresholds = None if served.thresholds is None else list(served.thresholds.values())
    evaluation = evaluate_predictions(
        said,
        truth,
        names,
        thresholds=thresholds,
        hierarchy=served.classifier.hierarchy_,
        of_probabilities=False,
        resamples=RESAMPLES,
    )
    if isinstance(evaluation, LabelEvaluation):
        return Tested(evaluation, None, [])
    numbers = {label: k for k, label in enumerate(served.labels)}
    codes = np.array([numbers.get(label, ANOTHER) for label in truth.names.tolist()])[truth.codes]
    p = said.confidence if said.are_probabilities else None
    outcomes = Outcomes.of_codes(codes, said.best, p, len(names))
    errors = _label_errors(served, examples, said.values, codes) if said.are_probabilities else []
    return Tested(evaluation, outcomes, errors)


def _label_errors(served: LoadedModel, examples: TextData, p: Any, codes: Any) -> list[LabelError]:
    """Return the rows whose label the model contradicts (see ``lindy.evaluation.audit``), the surest first."""
    own = np.flatnonzero(codes != ANOTHER)
    if not can_judge(len(own), served.labels):
        return []
    rows, judged = suspects(scores_of(p[own]), OneLabel(np.arange(len(served.labels)), codes[own]))
    chosen = own[rows[:_MOST_ERRORS]]
    texts = examples.inputs.written
    listed = texts.to_pylist()
    row_of = examples.table.rows
    return [
        LabelError(
            row=int(i if row_of is None else row_of[i]) + 1,
            text=listed[i][:LONGEST],
            label=served.labels[codes[i]],
            predicted=served.labels[k],
            probability=float(p[i, k]),
        )
        for i, k in zip(chosen.tolist(), judged.better[:_MOST_ERRORS].tolist(), strict=True)
    ]


def example_texts(models: Iterable[LoadedModel], path: str) -> list[str]:
    """Return some texts of a table for people to try: of every label a few, where the table has labels.

    They are what the first model reads that can.
    """
    examples = _first_examples(list(models), path)
    texts = examples.inputs.written.to_pylist()
    return [texts[i] for i in varied(texts, examples, _MOST_EXAMPLES)]


def _first_examples(models: list[LoadedModel], path: str) -> TextData:
    errors = []
    for need_label in (True, False):
        for served in models:
            try:
                table = Preparation.of(served.classifier).read(path)
                return examples_with_labels(served, table, need_label=need_label)
            except DataError as error:
                errors.append(error)
    raise errors[len(models)]
