"""How commands read tables of any size: chunk by chunk, each as examples, by the columns of the first rows.

A small plain table, and what cannot be cut (Excel, feature rows, folders, mail, images), is a single chunk.
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
    paths_of,
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

    from lindy.data import Chunks, Table, TextData
    from lindy.data.chunks.label_parts import LabelParts
    from lindy.data.columns.label_cleaning import Spellings
    from lindy.textclassifier import TextClassifier


class ExampleChunks:
    """The examples of a command's table, chunk by chunk, for a model or to learn from and cut.

    Every iteration yields labelled examples and the numbers of their labels. The first one says what is read; when it
    has ended, ``names``, the labels by their numbers, are known (several labels of a row are one, with ``separator``
    between them), as are the ``columns`` that were found, ``spellings`` of labels and ``n_rows``, with those that have
    no label. With ``fill``, a missing text is an empty one; with ``through``, rows are counted through all inputs.
    Without a model, commands go over a table more than once: standard input and pipes, which can be read only once, are
    one chunk.
    """

    def __init__(
        self,
        classifier: TextClassifier | None,
        args: argparse.Namespace,
        note: Notes,
        begun: Begun = None,
        *,
        fill: bool = False,
        through: bool = False,
    ) -> None:
        self._classifier, self._args, self._note, self._begun = classifier, args, note, begun
        self._fill, self._through = fill, through
        self._whole: TextData | None = None
        self._states: list[Any] = []
        self._labels: LabelParts | None = None
        self.columns: dict[str, Any] = {}
        self.names: list[str] | None = None
        self.separator: str | None = None
        self.spellings: tuple[Spellings, ...] = ()
        self.n_rows = 0

    def __iter__(self) -> Iterator[tuple[TextData, NDArray[Any]]]:
        from lindy.data.chunks.label_parts import LabelParts

        is_first = self.names is None
        labels = self._labels = LabelParts(label_rules(self._args, self._classifier))
        note = self._note if is_first else Notes(quiet=True)
        for table, examples in self._pairs(note):
            numbers = labels.add_cleaned(examples) if table is None else labels.add_rows(table, examples)
            if table is None or len(numbers):
                yield examples, numbers
        if is_first:
            self.names, self.spellings, remarks = labels.finish()
            self.separator, self.n_rows = labels.separator, labels.n_rows
            note.remarks(remarks)

    def unlabelled(self) -> Iterator[TextData]:
        """Yield examples without their labels."""
        return (examples for _, examples in self._pairs(self._note, need_label=False))

    def _pairs(self, note: Notes, *, need_label: bool = True) -> Iterator[tuple[Table | None, TextData]]:
        """Yield chunks and their examples; of a table that is read as a whole, only the examples."""
        if (chunks := self._chunks()) is None:
            if self._whole is None and self._classifier is None:
                self._whole = read_labelled(self._args, note)
            yield None, self._whole or self._read_for(note, self._begun, need_label=need_label)
            return
        known, n_before = set[str](), 0
        for chunk in chunks:
            table = chunk.counted_from(n_before) if self._through else chunk
            n_before += chunk.num_rows
            examples = self._examples(table, need_label)
            new = [remark for remark in examples.table.remarks if remark not in known]
            if not known:
                note(examples.columns.why)
            note.remarks(new)
            known |= {examples.columns.why, *new}
            yield table, examples
        note.remarks(chunks.left_out)

    def _chunks(self) -> Chunks | None:
        """Return the chunks of a table that is not read as a whole."""
        args, classifier = self._args, self._classifier
        if classifier is not None:
            self._begun = usable_begun(classifier, args, self._begun)
            if self._begun:
                return None
            return chunks_of(args, wanted_mail(args, classifier), preparation(classifier))
        paths = paths_of(args)
        once = self._whole is not None or not all(path != "-" and os.path.isfile(path) for path in paths)
        chunks = None if once else chunks_of(args, wanted_mail(args))
        states = [file_state(path) for path in paths]
        if chunks is not None and states != (self._states or states):
            raise changed(shown(args.data))
        self._states = states
        return chunks

    def _examples(self, table: Table, need_label: bool) -> TextData:
        given = {"is_part": need_label} | self.columns
        if self._classifier is None:
            own = argparse.Namespace(**vars(self._args) | given)
            examples = read(without_nulls(table) if self._fill else table, own, wanted_columns(own), None)
            has_one_text = not wanted_columns(self._args)
        else:
            examples = self._read_for(Notes(quiet=True), lambda: table, need_label=need_label, **given)
            has_one_text = self._classifier.columns is None
        if has_one_text:
            self.columns["text"] = [examples.columns.text]
        if examples.columns.label is not None:  # labels that were not joined in the first chunk stay whole
            separator = examples.table.source.get("label_separator", "none")
            self.columns |= {"label": examples.columns.label, "label_separator": separator}
        return examples

    def _read_for(self, note: Notes, begun: Begun, **other: Any) -> TextData:
        assert self._classifier is not None
        return read_for(self._classifier, self._args, note, begun=begun, **other)

    def class_numbers(self) -> NDArray[Any]:
        """Return, by the number of a label that has come, that of the model's class; −1 where it has no such class."""
        assert self._classifier is not None
        assert self._labels is not None
        return self._labels.class_numbers([str(label) for label in self._classifier.classes_])

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
