"""The kinds of input in commands: which options each refuses, how each is read for a model and written."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from lindy.cli.parsing import UsageError, refuse
from lindy.data.formats.registry import FEATURE_FORMATS
from lindy.errors import DataError, ModelFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.cli.io.console import Notes
    from lindy.core.feature_rows import FeatureRows
    from lindy.data import Table, TextData
    from lindy.textclassifier import TextClassifier

GivenText = Callable[[argparse.Namespace, Any], str]
"""Reads the text that ``lindy explain`` was given."""

_ABOUT_TEXTS = (
    "text", "numeric", "category", "text_is", "contacts", "headers", "ngrams", "chars", "subwords", "oov", "prefixes",
    "suffixes", "patterns", "lexicon", "embedding",
)  # fmt: skip
_ABOUT_WORDS = ("weighting", "max_features", "min_df")  # of images, which have none
_SUFFIX = {"svmlight": "svm", "vw": "vw", "review": "review"}
_SHOWN = 5  # features that a remark lists


class TableInput:
    """Tables of texts and other columns.

    Attributes
    ----------
    files : str
        What such files hold, in words.
    refused : tuple of str
        Options that say nothing about them.
    hint : str
        What to look at where nothing can be learned from them.
    summary : dict
        What ``lindy train --json`` says about them.
    has_names : bool
        Whether their features have names, which a lexicon can list.
    """

    files: ClassVar[str] = "texts"
    why_refused: ClassVar[str] = ""
    refused: ClassVar[tuple[str, ...]] = ()
    hint: ClassVar[str] = "check the table, --ngrams, --chars, --min-df, --min-count and --param"
    summary: ClassVar[dict[str, bool]] = {}
    has_names: ClassVar[bool] = True

    def check_options(self, args: argparse.Namespace, table: Table) -> None:
        """Refuse options that say nothing about such a table."""
        refuse(args, ("pixel_threshold", "no_shapes"), f"{table.name} holds no images")
        self._refuse(args, table)

    def _refuse(self, args: argparse.Namespace, table: Table) -> None:
        for name in self.refused:
            given = getattr(args, name, None)
            lists = name == "lexicon" and getattr(args, "learner", None) in ("lexicon", ["lexicon"])
            if not given or given in ("auto", "counts") or (name == "min_df" and given == 1) or lists:
                continue
            raise UsageError(
                f"argument --{name.replace('_', '-')}: {table.name} holds {self.why_refused}; it has no texts",
                "leave it out",
            )

    def check_file(self, table: Table) -> None:
        """Refuse a table of another kind than a model of this one was trained on."""
        holds = INPUTS[table.kind].files
        if holds != self.files:
            raise DataError(
                f"{table.name}: the model was trained on {self.files}, but this file holds {holds}",
                f"Give it a file of {self.files}, or train a model on files such as this one.",
            )

    def as_trained(self, classifier: TextClassifier, table: Table, *, to_test: bool) -> Table:  # noqa: ARG002
        """Return a table as the model's training would have read it."""
        return table

    def example(self, args: argparse.Namespace, classifier: TextClassifier, given: GivenText) -> Any:
        """Return the example that ``lindy explain`` was given, as the model takes it."""
        for name in ("row", "sheet"):
            if getattr(args, name) is not None:
                raise UsageError(
                    f"argument --{name}: it is for images, which this model does not take", "leave it out"
                )
        return self.parsed(classifier, given(args, classifier))

    def parsed(self, classifier: TextClassifier, text: str) -> Any:  # noqa: ARG002
        """Return the example that a text stands for."""
        return text

    def check_rewriting(self) -> None:
        """Refuse to write a table of these again, with corrections, where that cannot be done."""

    def suffix(self, table: Table) -> str:
        """Return how the name of a part ends that `write` writes."""
        raise NotImplementedError

    def write(self, examples: TextData, rows: NDArray[Any], path: str) -> None:
        """Write some of the examples in a format that is not a table's."""
        raise NotImplementedError


class _Records(TableInput):
    def parsed(self, classifier: TextClassifier, text: str) -> dict[str, Any]:
        """Return a row out of JSON; columns that it does not name count as missing."""
        names = [name for own in classifier.vectorizer_.columns.values() for name in own]
        given = _json_object(text)
        example = f"e.g. '{json.dumps(dict.fromkeys(names, '…'), ensure_ascii=False)}'"
        if given is None:
            raise UsageError(
                "this model explains rows: expected a JSON object with the values of its columns", example
            )
        if unknown := [name for name in given if name not in names]:
            raise UsageError(f"the model has no column {unknown[0]!r}", example)
        return {name: given.get(name) for name in names}


class _Dictionaries(TableInput):
    files = "dictionaries of features"

    def check_file(self, table: Table) -> None:
        """Refuse every file."""
        raise DataError(
            f"{table.name}: the model was trained on dictionaries of features, and reads no files",
            "Give it dictionaries in Python, lindy.load(…).predict([{…}, …]), or one of them to 'lindy explain'.",
        )

    def parsed(self, classifier: TextClassifier, text: str) -> dict[str, Any]:
        """Return a dictionary of features out of JSON."""
        example = """e.g. '{"length": 7, "colour": "red", "tags": ["a", "b"]}'"""
        given = _json_object(text)
        if given is None:
            raise UsageError(
                "this model explains dictionaries: expected a JSON object of names and values", example
            )
        try:
            classifier.vectorizer_.transform_csr([given])
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"this model cannot take the dictionary: {error}", example) from error
        return given


class _Features(TableInput):
    files = f"features with values ({', '.join(FEATURE_FORMATS)})"
    why_refused = "features with values, which are used as they are"
    refused = _ABOUT_TEXTS
    hint = "check the table, --min-df, --min-count and --param"
    summary: ClassVar[dict[str, bool]] = {"bags": True}

    def as_trained(self, classifier: TextClassifier, table: Table, *, to_test: bool) -> Table:
        """Return it with labels as the training file named them, and a remark on what is unknown.

        A table to test on must have at least one feature that the model knows.
        """
        from lindy.data.formats.feature_row_tables import FEATURES, LABEL

        features: FeatureRows = table.texts(FEATURES)
        numbering = features.numbering
        named = _named_labels(classifier)
        if named and numbering is not None and not numbering.labels and LABEL in table.column_names:
            import pyarrow as pa

            labels = [named.get(label, label) for label in table.column(LABEL).to_pylist()]
            table = table.with_column(LABEL, pa.chunked_array([pa.array(labels, pa.large_string())]))
        unknown = classifier.vectorizer_.unknown(features)
        if not unknown:
            return table
        some = ", ".join(map(repr, unknown[:_SHOWN])) + (", …" if len(unknown) > _SHOWN else "")
        known = len(features.names) - len(unknown)
        if to_test and not known:
            raise DataError(
                f"{table.name}: the model knows none of its {len(features.names):,} features: {some}",
                "Give a file whose features are called, or numbered, as in training.",
            )
        what = f"{known:,}" if known else "none"
        of = f"{len(features.names):,} features; these are ignored: {some}"
        remark = f"{table.name}: the model knows {what} of its {of}"
        return replace(table, remarks=(*table.remarks, remark))

    def parsed(self, classifier: TextClassifier, text: str) -> dict[str, float]:
        """Return a feature row out of a JSON object, or out of a line as in the file that the model was trained on."""
        if (found := _json_object(text)) is not None:
            return found
        kind = classifier.columns_.get("features", "review")
        from lindy.data.chunks.source import Source
        from lindy.data.formats.feature_row_tables import FEATURES
        from lindy.data.formats.registry import REGISTRY, Reading

        line, first = text, text.split()[:1]
        if kind == "svmlight" and (not first or ":" in first[0]):
            line = f"0 {text}"
        elif kind == "vw" and "|" not in text:
            line = f"| {text}"
        (table,) = REGISTRY[kind].chunks(Source("-", kept=line.encode()), Reading())
        if table.num_rows != 1:
            raise UsageError(
                f"one line is explained at a time; there are {table.num_rows:,}", "give one, or a JSON object"
            )
        row: dict[str, float] = table.texts(FEATURES)[0]
        return row

    def suffix(self, table: Table) -> str:
        """Return that of the format of the file."""
        return _SUFFIX[table.source["features"]]

    def write(self, examples: TextData, rows: NDArray[Any], path: str) -> None:
        """Write some of the examples in the format of their file."""
        from lindy.data.formats.feature_lines import Collected
        from lindy.data.write.convert import write_feature_lines

        labels: Any = examples.labels
        part = Collected(examples.texts.take(rows), [labels[int(row)].as_py() for row in rows], rows.tolist())
        write_feature_lines(path, examples.table.source["features"], list(part.each()), path)


class _Images(TableInput):
    files = why_refused = "images"
    refused = (*_ABOUT_TEXTS, *_ABOUT_WORDS)
    hint = "check the images and --param"
    summary: ClassVar[dict[str, bool]] = {"images": True}
    has_names = False

    def check_options(self, args: argparse.Namespace, table: Table) -> None:
        """Refuse options of texts."""
        self._refuse(args, table)

    def example(self, args: argparse.Namespace, classifier: TextClassifier, given: GivenText) -> Any:  # noqa: ARG002
        """Return the image in a file, or one of those in it; it must be as large as those of the training."""
        if args.text == "-":
            raise UsageError("this model explains images, which are read from files", "give the path of one")
        from lindy.cli.io.console import usable
        from lindy.images.image_files import one_image

        found = one_image(args.text, args.row or 1, args.sheet).images
        with usable(args.text, "scale the image to that size"):
            classifier.vectorizer_.transform_csr(found)
        return found[0]

    def check_rewriting(self) -> None:
        """Refuse."""
        raise UsageError(
            "argument --apply: images are not written again",
            "move the files of the sheet into the right folders",
        )

    def suffix(self, table: Table) -> str:  # noqa: ARG002
        """Return that of NumPy's archives."""
        return "npz"

    def write(self, examples: TextData, rows: NDArray[Any], path: str) -> None:
        """Write some of the images and their labels."""
        from lindy.core.column import take_rows
        from lindy.images.image_files import write_npz

        write_npz(path, examples.texts.take(rows), take_rows(examples.labels, rows).to_pylist())


INPUTS: dict[str, TableInput] = {
    "texts": TableInput(),
    "records": _Records(),
    "dictionaries": _Dictionaries(),
    "features": _Features(),
    "images": _Images(),
}
"""By the kind of a table, and by what a vectorizer takes."""


def input_of(table: Table) -> TableInput:
    """Return what commands know about a table of its kind."""
    return INPUTS[table.kind]


def as_trained(classifier: TextClassifier, table: Table, args: argparse.Namespace, *, to_test: bool) -> Table:
    """Return a table as a model's training would have read it; one of another kind is an error."""
    INPUTS[classifier.vectorizer_.takes].check_file(table)
    own = input_of(table)
    own.check_options(args, table)
    return own.as_trained(classifier, table, to_test=to_test)


def _json_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is as JSON, or None."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _named_labels(classifier: TextClassifier) -> dict[str, str]:
    """Return the labels of an svmlight file by their numbers, as the file of the model has them."""
    try:
        named = json.loads(classifier.columns_.get("labels", "{}"))
    except (ValueError, RecursionError):
        named = None
    if not isinstance(named, dict) or not all(isinstance(label, str) for label in named.values()):
        raise ModelFileError(
            "the model's file has no valid names for the labels of svmlight files", "Train the model again."
        )
    return named


def usable_learners(examples: TextData, command: str, note: Notes) -> list[str]:
    """Return the learners of a command that can learn from such values, and say which cannot."""
    from lindy.estimators.learners import usual_learners
    from lindy.tuning.input_recipes import recipes_for

    names = usual_learners(command)
    usable = recipes_for(examples.inputs).usable(names)
    if cannot := [name for name in names if name not in (*usable, "lexicon")]:
        note(f"left out: {', '.join(cannot)}, which take no negative values")
    return usable
