"""How commands read tables: with the options that were given, and by the columns that a model was trained on."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes
from lindy.cli.options.input_kinds import as_trained, input_of
from lindy.cli.options.row_options import with_weight, without_row_columns
from lindy.cli.parsing import UsageError
from lindy.data.formats.registry import CHUNKED, format_by_name

if TYPE_CHECKING:
    from lindy.data import Chunks, Table, TextData
    from lindy.data.columns.preparation import Preparation
    from lindy.textclassifier import TextClassifier

Begun = Callable[[], "Table"] | None
"""The result of `begin_reading`."""

_USUAL = {"text", "label", "text_is"}  # what every model of texts keeps about its table
AT_ONCE = 1 << 24
"""Bytes of a file that a command which can read it part by part still reads as a whole: that begins earlier."""


def begin_reading(args: argparse.Namespace, *, parts: bool = False) -> Callable[[], Table] | None:
    """Begin to read a plain table while the rest is imported; None where more must be known to read it.

    With ``parts``, a large table is not begun, so that it can be read part by part.
    """
    if args.format not in (None, "csv", "tsv") or not isinstance(args.data, str) or args.header_row:
        return None
    if not args.data.lower().endswith((".csv", ".tsv")) or not os.path.isfile(args.data):
        return None
    if parts and is_large(args):
        return None
    from lindy.data import begin_table
    from lindy.errors import DataError

    try:
        return begin_table(args.data, args.format, **_options(args))
    except DataError:  # a model may know how such a table is read; otherwise the same error comes again
        return None


def is_large(args: argparse.Namespace) -> bool:
    """Whether files are so large that a command which can read them part by part does so."""
    paths = paths_of(args)
    size = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
    return size > AT_ONCE and "-" not in paths


def require_one_label(examples: TextData, command: str) -> TextData:
    """Return examples of one label each; raises DataError for those of a command that cannot take several yet."""
    from lindy.core.column import is_list
    from lindy.errors import DataError

    if is_list(examples.labels):
        raise DataError(
            f"{examples.table.path}: rows have several labels, and 'lindy {command}' is for one label per row",
            "'lindy train' learns several, 'lindy evaluate' tests; --label-separator none keeps joined labels whole",
        )
    return examples


def read_labelled(args: argparse.Namespace, note: Notes, **other: Any) -> TextData:
    """Read the table of a command that trains or compares, and say what was read.

    ``other`` stands in the place of arguments: ``data=args.test`` reads a second table with the same options.
    """
    given = _replaced(args, other)
    with note.progress("reading"):
        table = read_all(given)
        examples = read(table, given, wanted_columns(given), wanted_mail(given))
    return announced(examples, note)


def read_all(args: argparse.Namespace) -> Table:
    """Read the table of a command, all its rows as they are."""
    return table_of(args, args.format, wanted_mail(args))


def table_of(
    args: argparse.Namespace, kind: str | None, mail: Any, trained: Preparation | None = None
) -> Table:
    """Read a table of a format, or images where no format is given and that is what the input is.

    ``trained`` is how the table of the model's training was read.
    """
    if kind is None and holds_images(args.data):
        from lindy.images.image_files import image_table

        if args.encoding is not None:
            raise UsageError("argument --encoding: images have none", "leave it out")
        return image_table(args.data if isinstance(args.data, list) else [args.data], args.sheet)
    from lindy.data import read_table

    options = reading_options(args, mail)
    if trained is not None:
        options |= trained.reading(paths_of(args), vars(args) | {"format": kind})
        kind = options.pop("format")
    return read_table(args.data, kind, **options)


def holds_images(data: str | list[str]) -> bool:
    """Whether an input is images; where a name says that it is a table, nothing is imported to find out."""
    paths = data if isinstance(data, list) else [data]
    if paths == ["-"] or any(map(format_by_name, paths)):
        return False
    from lindy.images.image_files import holds_images

    return holds_images(paths)


def read_other(args: argparse.Namespace, note: Notes, path: str) -> TextData:
    """Read a second table with the same options; of what it holds, only oddities are said."""
    examples = read_labelled(args, Notes(quiet=True), data=path, weight=None)
    note.remarks(examples.table.remarks)
    return examples


def read_for(
    classifier: TextClassifier,
    args: argparse.Namespace,
    note: Notes,
    *,
    need_label: bool = True,
    begun: Begun = None,
    **other: Any,
) -> TextData:
    """Read a table for a model, preferring the columns that it was trained on, and say what was read.

    ``begun`` is what `begin_reading` returned; ``other`` is as for `read_labelled`.
    """
    given = _replaced(args, other)
    trained = preparation(classifier)
    mail = wanted_mail(given, classifier)
    with note.progress("reading"):
        table = begun() if begun else table_of(given, given.format, mail, trained)
        table = with_weight(table, given)
        if mail is not None and mail.contacts is None and "contacts" in classifier.columns_:
            hint = (
                "the model was trained with contacts, which are not stored in it: give yours with --contacts"
            )
            table = replace(table, remarks=(*table.remarks, hint))
        table = as_trained(classifier, table, given, to_test=need_label)
        if classifier.columns is not None:
            examples = _rows_for(classifier, table, given, need_label)
        else:
            examples = _texts_for(classifier, table, given, need_label, mail)
    return announced(examples, note)


def announced(examples: TextData, note: Notes) -> TextData:
    """Return examples, having said which columns they are from and what the reader remarked."""
    note(examples.columns.why)
    note.remarks(examples.table.remarks)
    return examples


def reading_options(args: argparse.Namespace, mail: Any) -> dict[str, Any]:
    """Return what the options say about reading a table."""
    return {"mail": mail, "threads": args.threads, "like": getattr(args, "like", None), **_options(args)}


def _options(args: argparse.Namespace) -> dict[str, Any]:
    return {
        name: getattr(args, name) for name in ("encoding", "sheet", "header_row", "longest_row", "skip_bad")
    }


def chunks_of(
    args: argparse.Namespace, mail: Any, trained: Preparation | None = None, size: int | None = None
) -> Chunks | None:
    """Return the chunks of the inputs, of so many bytes; None if they are of a kind that is read as a whole."""
    paths = paths_of(args)
    own = {name: getattr(args, name) for name in ("format", "encoding", "sheet", "header_row")}
    own = own if trained is None else trained.reading(paths, own)
    kind = own.pop("format")
    kinds = {kind or path_format([path]) or format_by_name(path) for path in paths if path != "-"}
    kinds |= {kind} if kind else set()
    if mail is not None or not kinds <= {*CHUNKED}:
        return None
    from lindy.data.chunks.chunks import CHUNK, read_chunks

    given = {"like": getattr(args, "like", None), "threads": args.threads} | own
    given |= {"longest_row": args.longest_row, "skip_bad": args.skip_bad}
    return read_chunks(paths, kind, size=size or CHUNK, **given)


def path_format(paths: list[str]) -> str | None:
    """Return the format of inputs that are mail by their names, or folders; None for files."""
    if not any(map(os.path.isdir, paths)):
        return "mail" if all(format_by_name(path) == "mail" for path in paths) else None
    from lindy.data.formats.detect import format_of

    return format_of(paths)


def _replaced(args: argparse.Namespace, other: dict[str, Any]) -> argparse.Namespace:
    return argparse.Namespace(**vars(args) | other)


def preparation(classifier: TextClassifier) -> Preparation | None:
    """Return how the table of a model's training was read; None if that was as any table is read."""
    if classifier.columns_.get("text_is") == "plain" and classifier.columns_.keys() <= _USUAL:
        return None
    from lindy.data.columns.preparation import Preparation

    return Preparation.of(classifier)


def as_in_training(args: argparse.Namespace, classifier: TextClassifier) -> argparse.Namespace:
    """Return options that read tables as the training did, except for what was given."""
    from lindy.data.columns.preparation import Preparation

    trained, columns = Preparation.of(classifier), classifier.columns or {}
    kept: dict[str, Any] = {role: list(names) for role, names in columns.items()}
    kept = kept or {"text": list(trained.names)}
    kept |= {name: classifier.columns_.get(name) for name in ("label", "headers")}
    kept |= {name: getattr(trained, name) for name in ("merge_labels", "strict", "label_separator")}
    kept |= {"text_is": "mail"} if trained.text_is == "mail" else {}
    own = {name: value for name, value in kept.items() if value and getattr(args, name) is None}
    return _replaced(args, own | trained.reading(paths_of(args), vars(args)))


def usable_begun(classifier: TextClassifier, args: argparse.Namespace, begun: Begun) -> Begun:
    """Return what `begin_reading` has begun; None if the table of the model's training was read in another way."""
    trained = preparation(classifier) if begun else None
    if trained is None:
        return begun
    own = trained.reading(paths_of(args), vars(args))
    return begun if own == {name: getattr(args, name, None) for name in own} else None


def paths_of(args: argparse.Namespace) -> list[str]:
    """Return the inputs as a list."""
    return args.data if isinstance(args.data, list) else [args.data]


def _texts_for(
    classifier: TextClassifier, table: Table, args: argparse.Namespace, need_label: bool, mail: Any
) -> TextData:
    from lindy.data import examples_of
    from lindy.data.columns.several_labels import has_label

    if wanted_columns(args):
        raise UsageError(
            "the model reads one text column, not several, numbers or categories",
            "give --text once, and no --numeric or --category; or train a model with all of them",
        )
    present = {role: name for role, name in classifier.columns_.items() if has_label(table, name)}
    text = args.text[0] if args.text else present.get("text")
    label = (args.label or present.get("label")) if need_label else None
    rules = label_rules(args, classifier)
    examples = examples_of(table, text=text, label=label, need_label=need_label, mail=mail, rules=rules)
    if not args.text and not (need_label and args.label) and present:
        why = examples.columns.why.replace("(as asked)", "(as in training)")
        return replace(examples, columns=replace(examples.columns, why=why))
    return examples


def _rows_for(
    classifier: TextClassifier, table: Table, args: argparse.Namespace, need_label: bool
) -> TextData:
    """Return the columns of a table that a model of several columns was trained on."""
    from lindy.data.columns.records import rows_of
    from lindy.data.columns.several_labels import has_label

    columns = classifier.columns or {}
    asked = {"text": args.text, "numeric": args.numeric, "category": args.category}
    if any(names and sorted(names) != sorted(columns.get(role, ())) for role, names in asked.items()):
        own = ", ".join(repr(name) for names in columns.values() for name in names)
        raise UsageError(
            "argument --text, --numeric, --category: this model reads several columns, always by their names",
            f"its columns: {own}",
        )
    label = None
    if need_label:
        trained = classifier.columns_.get("label")
        label = args.label or (trained if trained and has_label(table, trained) else None)
    return rows_of(
        table, classifier.columns or {}, label, need_label, trained=True, rules=label_rules(args, classifier)
    )


def wanted_columns(args: argparse.Namespace) -> dict[str, list[str]]:
    """Return the columns of texts, numbers and categories; none where there is but one text."""
    texts = args.text or []
    if len(texts) < 2 and not args.numeric and not args.category:
        return {}
    return {"text": texts, "numeric": args.numeric or [], "category": args.category or []}


def read(table: Table, args: argparse.Namespace, columns: dict[str, list[str]], mail: Any) -> TextData:
    """Take texts and labels from a table, or rows of several columns and labels."""
    from lindy.data import examples_of

    input_of(table).check_options(args, table)
    table = with_weight(table, args)
    rules, searched = label_rules(args), without_row_columns(table, args)
    if not columns:
        examples = examples_of(searched, (args.text or [None])[0], args.label, mail=mail, rules=rules)
    else:
        from lindy.data.columns.records import rows_of

        if mail is not None:
            raise UsageError(
                "mail is one text and cannot be combined with other columns",
                "leave out --numeric and --category",
            )
        examples = rows_of(searched, columns, args.label, rules=rules)
    return replace(examples, table=replace(examples.table, column_names=table.column_names))


def without_nulls(table: Table) -> Table:
    """Return a table in which a missing text is an empty one."""
    from lindy.core.column import is_list

    def filled(name: str) -> Any:
        column = table.fetch(name)
        if not column.null_count or is_list(column):
            return column
        import pyarrow.compute as pc

        return pc.fill_null(column, "")

    return replace(table, fetch=filled)


def text_names(examples: TextData, columns: dict[str, list[str]]) -> dict[str, list[str]] | None:
    """Return the columns of a model of several, with a text column that was found; None for a model of one text."""
    if not columns:
        return None
    others = (*columns["numeric"], *columns["category"])
    return {**columns, "text": [name for name in examples.texts.column_names if name not in others]}


def vectorizer_of(examples: TextData, args: argparse.Namespace, words: Any) -> Any:
    """Return the vectorizer of examples that were read by ``read_labelled``, in which ``words`` is that of a text."""
    columns = text_names(examples, wanted_columns(args))
    if columns is None:
        from lindy.features.inputs import KINDS

        kind = KINDS[examples.inputs.kind]
        return kind.vectorizer(words, args.threads, **kind.usual_weighting(examples.inputs))
    from lindy.features.table_vectorizer import of_columns

    return of_columns(columns, vectorizer=words)


def label_rules(args: argparse.Namespace, classifier: TextClassifier | None = None) -> Any:
    """Return what is done about blank labels and different spellings, those of a model's classes included."""
    from lindy.data.columns.label_cleaning import LabelRules

    trained = None if classifier is None else preparation(classifier)
    strict, merge = getattr(args, "strict", None), getattr(args, "merge_labels", None)
    bins, separator = getattr(args, "label_bins", None), getattr(args, "label_separator", None)
    if strict and bins is not None:
        raise UsageError("argument --strict: --label-bins leaves rows out", "leave out one of them")
    known = () if classifier is None else tuple(str(label) for label in classifier.classes_)
    is_part = getattr(args, "is_part", False)
    if trained is not None:
        return trained.rules(
            known,
            strict=strict,
            merge_labels=merge,
            label_bins=bins,
            label_separator=separator,
            is_part=is_part,
        )
    finds = classifier is None and getattr(args, "takes_several", False)
    return LabelRules(bool(strict), merge or "spaces", known, is_part, bins, separator, finds)


def wanted_mail(args: argparse.Namespace, classifier: TextClassifier | None = None) -> Any:
    """Return how messages become texts, as was said or as a model was trained; None if it is no mail."""
    trained = {} if classifier is None else classifier.columns_
    paths = paths_of(args)
    kind = args.format
    if classifier is not None and (own := preparation(classifier)) is not None:
        kind = own.reading(paths, vars(args))["format"]
    is_mail = (kind or path_format(paths)) == "mail"
    if (args.text_is or ("mail" if is_mail else trained.get("text_is"))) != "mail":
        for name, value in (("--contacts", args.contacts), ("--headers", args.headers)):
            if value:
                raise UsageError(
                    f"argument {name}: the texts are not mail", "add --format mail or --text-is mail"
                )
        return None
    from lindy.data.mail import MailWords

    return MailWords.from_state(trained, args.contacts, args.headers)
