"""How commands read tables of any size: part by part, each as examples for a model, by the columns of the first rows.

A small plain table, and what cannot be cut (Excel, feature rows, folders, mail, images), is a single part.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes
from lindy.cli.io.reading import (
    Begun,
    chunks_of,
    label_rules,
    preparation,
    read,
    read_for,
    read_labelled,
    usable_begun,
    wanted_columns,
    wanted_mail,
    without_nulls,
)
from lindy.cli.options.shared import shown
from lindy.data.chunks.file_guard import changed, file_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import Table, TextData
    from lindy.data.columns.label_cleaning import Spellings
    from lindy.textclassifier import TextClassifier


def examples_in_parts(
    classifier: TextClassifier, args: argparse.Namespace, note: Notes, begun: Begun
) -> Iterator[TextData]:
    """Yield what is to be predicted: texts, or rows of several columns, without labels."""
    begun = usable_begun(classifier, args, begun)
    parts = None if begun else chunks_of(args, wanted_mail(args, classifier), preparation(classifier))
    if parts is None:
        yield read_for(classifier, args, note, need_label=False, begun=begun)
        return
    said = _Said(note)
    for table in parts:
        yield said.read(classifier, args, table, need_label=False)
    note.remarks(parts.left_out)


class LabelledParts:
    """Labelled examples for a model, part by part.

    Iterate once; then ``finish`` tells what the labels are called. ``class_numbers`` says which classes the labels
    are that have come so far.
    """

    def __init__(
        self, classifier: TextClassifier, args: argparse.Namespace, note: Notes, begun: Begun
    ) -> None:
        from lindy.data.chunks.label_parts import LabelParts

        self._classifier, self._args, self._note, self._begun = classifier, args, note, begun
        self._labels = LabelParts(label_rules(args, classifier))
        self._classes = [str(label) for label in classifier.classes_]

    def __iter__(self) -> Iterator[tuple[TextData, NDArray[Any]]]:
        """Yield examples and the numbers of their labels."""
        classifier, args, note = self._classifier, self._args, self._note
        begun = usable_begun(classifier, args, self._begun)
        parts = None if begun else chunks_of(args, wanted_mail(args, classifier), preparation(classifier))
        if parts is None:
            examples = read_for(classifier, args, note, begun=begun)
            yield examples, self._labels.add_cleaned(examples)
            return
        said = _Said(note)
        for table in parts:
            examples = said.read(classifier, args, table, is_part=True)
            numbers = self._labels.add_rows(table, examples)
            if len(numbers):
                yield examples, numbers
        note.remarks(parts.left_out)

    def class_numbers(self) -> NDArray[Any]:
        """Return, by the number of a label, that of its class; −1 where the model has no such class."""
        return self._labels.class_numbers(self._classes)

    def finish(self) -> list[str]:
        """Return the labels by their numbers, having remarked what was left out and merged."""
        names, _, remarks = self._labels.finish()
        self._note.remarks(remarks)
        return names


class TableParts:
    """A table with labels, part by part, for commands that learn from it or cut it and go over it more than once.

    Every iteration yields the examples and the numbers of their labels; the first one says what is read, and ``names``,
    the labels by their numbers, are known when it has ended (several labels of a row are one, with ``separator``
    between them), as are the ``columns`` that were found, ``spellings`` of labels and ``n_rows``, with those that have
    no label. With ``fill``, a missing text is an empty one; with
    ``through``, rows are counted through all inputs. Standard input and pipes, which can be read only once, are one
    part.
    """

    def __init__(
        self, args: argparse.Namespace, note: Notes, *, fill: bool = False, through: bool = False
    ) -> None:
        self._args, self._note, self._fill, self._through = args, note, fill, through
        self.columns: dict[str, Any] = {}
        self._whole: TextData | None = None
        self._states: list[Any] = []
        self.names: list[str] | None = None
        self.separator: str | None = None
        self.spellings: tuple[Spellings, ...] = ()
        self.n_rows = 0

    def __iter__(self) -> Iterator[tuple[TextData, NDArray[Any]]]:
        from lindy.data.chunks.label_parts import LabelParts

        args, is_first = self._args, self.names is None
        labels = LabelParts(label_rules(args))
        paths = args.data if isinstance(args.data, list) else [args.data]
        once = self._whole is not None or not all(path != "-" and os.path.isfile(path) for path in paths)
        parts = None if once else chunks_of(args, wanted_mail(args))
        states = [file_state(path) for path in paths]
        if parts is not None and states != (self._states or states):
            raise changed(shown(args.data))
        self._states = states
        note = self._note if is_first else Notes(quiet=True)
        if parts is None:
            self._whole = self._whole or read_labelled(args, note)
            yield self._whole, labels.add_cleaned(self._whole)
        else:
            said, n_before = _Said(note), 0
            for part in parts:
                table = part.counted_from(n_before) if self._through else part
                n_before += part.num_rows
                examples = said.told(self._examples(table))
                numbers = labels.add_rows(table, examples)
                if len(numbers):
                    yield examples, numbers
            note.remarks(parts.left_out)
        if is_first:
            self.names, self.spellings, remarks = labels.finish()
            self.separator = labels.separator
            self.n_rows = labels.n_rows
            note.remarks(remarks)

    def take(self, rows: NDArray[Any]) -> TextData:
        """Return some rows, ascending, as examples; their numbers and lines stay those of the file."""
        import numpy as np

        from lindy.core.column import text_column
        from lindy.data.columns.table import joined

        found, done, names = [], 0, self.names or []
        for examples, numbers in self:
            first, last = np.searchsorted(rows, [done, done + len(numbers)])
            if first < last:
                own = rows[first:last] - done
                spelled = text_column([names[k].encode() for k in numbers[own].tolist()])
                table = examples.table.take(own).with_column(str(examples.columns.label), spelled)
                found.append(replace(table, remarks=()))
            done += len(numbers)
        given = argparse.Namespace(**vars(self._args) | self.columns | {"merge_labels": "none"})
        return replace(read(joined(found), given, wanted_columns(given), None), spellings=self.spellings)

    def _examples(self, table: Table) -> TextData:
        given = argparse.Namespace(**vars(self._args) | {"is_part": True} | self.columns)
        table = without_nulls(table) if self._fill else table
        examples = read(table, given, wanted_columns(given), None)
        if not wanted_columns(self._args):
            self.columns["text"] = [examples.columns.text]
        self.columns |= {"label": examples.columns.label, "label_separator": _separator(examples)}
        return examples


def _separator(examples: TextData) -> str:
    """Return how later parts are read: labels that were not joined in the first one stay whole."""
    return examples.table.source.get("label_separator", "none")


class _Said:
    """Reads parts by the columns of the first one, and says everything once."""

    def __init__(self, note: Notes) -> None:
        self._note, self._known = note, set[str]()
        self._columns: dict[str, Any] = {}

    def read(
        self, classifier: TextClassifier, args: argparse.Namespace, table: Table, **other: Any
    ) -> TextData:
        """Return the examples of a part for a model."""
        quiet = Notes(quiet=True)
        examples = read_for(classifier, args, quiet, begun=lambda: table, **other | self._columns)
        if classifier.columns is None:
            self._columns["text"] = [examples.columns.text]
        if examples.columns.label is not None:
            self._columns |= {"label": examples.columns.label, "label_separator": _separator(examples)}
        return self.told(examples)

    def told(self, examples: TextData) -> TextData:
        """Return examples, having said which columns they are from and what is new in the remarks of their reader."""
        if not self._known:
            self._note(examples.columns.why)
            self._known.add(examples.columns.why)
        new = [remark for remark in examples.table.remarks if remark not in self._known]
        self._note.remarks(new)
        self._known.update(new)
        return examples
