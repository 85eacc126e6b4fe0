"""``lindy train --on``: files as partitions, held by worker processes, Dask or Spark."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes
from lindy.cli.io.reading import label_rules, paths_of, wanted_mail
from lindy.cli.options.row_options import without_row_columns
from lindy.cli.options.shared import at_least, shown
from lindy.cli.parsing import Group, Once, Parser, UsageError
from lindy.data.formats.registry import CHUNKED

if TYPE_CHECKING:
    from lindy.distributed.partitions import Wanted
    from lindy.distributed.tasks import LabelCounts
    from lindy.textclassifier import TextClassifier

_UNABLE = {
    "report": "--report",
    "test": "--test",
    "id": "--id",
    "label_bins": "--label-bins",
    "numeric": "--numeric",
    "category": "--category",
    "text_is": "--text-is",
    "group": "--group",
    "time": "--time",
    "skip_bad": "--skip-bad",
    "memory": "--memory",
    "cache": "--cache",
}


def add_on(parser: Parser | Group) -> None:
    """Add ``--on`` and ``--workers``; ``--resume`` is that of large inputs."""
    parser.add_argument(
        "--on",
        metavar="WHERE",
        action=Once,
        help="train past one process, each file a partition: 'processes', 'dask' or 'spark' (begun here), or the"
        " address of a cluster, tcp://HOST:PORT (Dask) or sc://HOST:PORT (Spark Connect)",
    )
    parser.add_argument(
        "--workers",
        type=at_least(1),
        metavar="N",
        help="workers that --on begins here; default: one per core",
    )


def check_on(args: argparse.Namespace) -> None:
    """Refuse options that have no meaning with, or without, partitions."""
    if args.on is None:
        if args.workers:
            raise UsageError("argument --workers: it has no effect without --on", "add --on processes")
        return
    for name, option in _UNABLE.items():
        if getattr(args, name, None):
            raise UsageError(f"argument {option}: not with --on", "leave it out, or train without --on")
    if len(args.text or ()) > 1:
        raise UsageError("argument --text: only one text column with --on", "name one")
    if args.merge_labels == "case":
        raise UsageError(
            "argument --merge-labels: 'case' needs all labels in one place",
            "leave it out, or train without --on",
        )
    if wanted_mail(args) is not None:
        raise UsageError("argument --on: mail has no partitions", "train without --on")
    if "-" in ([args.data] if isinstance(args.data, str) else args.data):
        raise UsageError("argument data: standard input has no partitions", "give files")


def fit_on(model: TextClassifier, args: argparse.Namespace, target: str, note: Notes) -> None:
    """Fit a model to files as partitions, and save it."""
    from lindy.distributed.cluster_fit import Checkpoint, fit_partitions
    from lindy.distributed.clusters import check_place, engine_at

    check_place(args.on)
    paths = [os.path.abspath(file) for path in paths_of(args) for file in _files(path)]
    wanted = _wanted(args, paths, note)
    checkpoint = Checkpoint(f"{target}.checkpoint", resume=args.resume)
    if "://" in args.on:
        note(f"waiting for the cluster at {args.on}")
    with note.hearing("learning"), engine_at(args.on, paths, wanted, args.workers) as engine:
        _check_joined(engine.total("labels_of"), args, wanted, note)
        fit_partitions(model, engine, checkpoint)
        note(f"{engine.n_partitions} partition{'s' * (engine.n_partitions != 1)} on {args.on}")
    model.columns_ = {"text": wanted.text, "label": wanted.label or "", "text_is": "plain"}
    from lindy.data.columns.preparation import READING, label_source

    kept = {name: value for name, value in wanted.reading.items() if name in READING}
    model.columns_ |= {name: str(value) for name, value in kept.items()} | label_source(wanted.rules)
    if model.several_labels:
        model.columns_.setdefault("label_separator", "")
    model.save(target)
    checkpoint.done()


def _check_joined(labels: LabelCounts, args: argparse.Namespace, wanted: Wanted, note: Notes) -> None:
    """Refuse labels that look joined, of which the first file did not tell, and say which others might be."""
    from lindy.data.columns.several_labels import found_separator
    from lindy.errors import DataError
    from lindy.evaluation.diagnostics import joined_labels

    classes = labels.classes.tolist()
    if labels.several:
        return
    is_open = wanted.rules is None or wanted.rules.separator is None
    if is_open and (mark := found_separator(classes, labels.counts)):
        raise DataError(
            f"{shown(args.data)}: rows have several labels, joined by {mark!r}, but not those of the first file",
            f"Say so: `label_separator={mark!r}`; `label_separator='none'` keeps joined labels whole.",
        )
    if joined := joined_labels(classes):
        note(f"warning: {joined}")


def _files(path: str) -> list[str]:
    """Return the partitions of an input: itself, or the files of a folder of tables."""
    if not os.path.isdir(path):
        return [path]
    from lindy.data.formats.folder_kinds import folder_format, table_files

    parts = table_files(path) if folder_format(path) in CHUNKED else []
    if any(part.columns for part in parts):
        raise UsageError(
            f"argument data: {path} has partitions whose names are columns, which --on does not read",
            "train without --on",
        )
    return [part.path for part in parts] or [path]


def _wanted(args: argparse.Namespace, paths: list[str], note: Notes) -> Any:
    """Return the columns to take, found in the first file with rows unless both are given."""
    from lindy.data import find_columns
    from lindy.data.columns.several_labels import gathered, separator_of
    from lindy.distributed.partitions import Wanted
    from lindy.errors import NoRowsError

    names = ("encoding", "sheet", "header_row", "longest_row")
    reading = {name: value for name in names if (value := getattr(args, name, None)) is not None}
    reading |= {} if args.format is None else {"format": args.format}
    text, label, rules = (args.text or [None])[0], args.label, label_rules(args)
    first = (
        None if text and label and rules.separator else _first_table(paths, threads=args.threads, **reading)
    )
    if first is None and (text is None or label is None):
        raise NoRowsError(f"{shown(args.data)}: there is no row", "Give files with rows.")
    if first is not None:
        table = gathered(first, label)
        found = find_columns(without_row_columns(table, args), text, label)
        if text is None or label is None:
            note(found.why)
        text, label = found.text, str(found.label)
        own = separator_of(table, label, replace(rules, finds=True))
        if own and "label_separator" not in table.source:
            note(
                f"note: rows have several labels, joined by {own!r}: --label-separator none keeps them whole"
            )
            rules = replace(rules, separator=own)
    return Wanted(text, label, rules, reading, args.weight)


def _first_table(paths: list[str], **reading: Any) -> Any:
    """Read the first rows of the first file that has any; None if none has."""
    from lindy.data import read_chunks
    from lindy.errors import NoRowsError

    for path in paths:
        try:
            return next(iter(read_chunks(path, **reading)))
        except NoRowsError:
            continue
    return None
