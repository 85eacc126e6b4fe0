"""``lindy audit``: what may be wrong with a table of labelled texts."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from lindy.cli.commands.fixes import apply, read_audited, write_sheet
from lindy.cli.io.audit_tables import render
from lindy.cli.io.chunked_reading import ExampleChunks
from lindy.cli.io.console import Notes, print_json, table_format, usable
from lindy.cli.io.reading import (
    as_in_training,
    chunks_of,
    is_large,
    text_names,
    vectorizer_of,
    wanted_columns,
    wanted_mail,
)
from lindy.cli.options.row_options import add_division, division_of
from lindy.cli.options.shared import (
    add_columns,
    add_force,
    add_id,
    add_inputs,
    add_seed,
    add_spreadsheet_safe,
    add_threads_quiet_json,
    at_least,
    between_0_and_1,
    check_spreadsheet_safe,
    shown,
)
from lindy.cli.parsing import example_commands, refuse
from lindy.data.formats.registry import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lindy.core.csr import Csr
    from lindy.data import TextData
    from lindy.data.columns.row_ids import RowNames
    from lindy.evaluation.audit.table_audit import Audit

MOST_LISTED = 10_000
"""Findings of each kind of a large table that are listed; all of them are counted."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "audit",
        epilog=example_commands(
            "lindy audit reviews.csv",
            "lindy audit reviews.csv -o fixes.xlsx",
            "lindy audit reviews.csv --apply fixes.xlsx -o clean.csv",
        ),
        help="find label errors, duplicates and other problems in a table",
        description="Find likely label errors (with the probability that the label is wrong, by learners that did not"
        " see the row; of rows with several labels, those that are missing or wrong, and labels that are hardly two),"
        " texts with two labels, duplicates, near duplicates, empty texts, blank labels, rare classes and"
        " labels with several spellings. -o writes them to a sheet with a column 'new label' to edit; --apply corrects"
        " the table with it. Rows are counted from 1, without the header; of several files, through all of them.",
    )
    add_inputs(parser, "table with texts and labels; '-' is stdin")
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="write a sheet of rows to correct, one per line; its name sets the format:"
        f" {', '.join(f'.{name}' for name in TABLES)}; '-' is stdout; with --apply, the corrected table, in any format"
        " that 'lindy convert' writes",
    )
    parser.add_argument(
        "--apply",
        metavar="SHEET",
        help="do not search; correct the table with this sheet, in which 'new label' is a label, '(delete)' to leave"
        " the row out, or empty to leave it as it is",
    )
    parser.add_argument(
        "--show", type=at_least(0), metavar="N", default=5, help="findings of each kind to show; default: 5"
    )
    parser.add_argument(
        "--similarity",
        type=between_0_and_1,
        metavar="J",
        default=0.8,
        help="share of words and word pairs that near duplicates have in common; default: 0.8",
    )
    parser.add_argument(
        "--sample",
        type=at_least(20),
        metavar="ROWS",
        default=200_000,
        help="rows to learn from in a larger table, which is then read part by part: near duplicates are looked for"
        " among these; label errors, duplicates and all else in all rows (with --group or --time, label errors among"
        " these); default: 200,000",
    )
    add_division(parser)
    add_seed(parser, "seed of the folds and of the sample")
    parser.add_argument(
        "--model",
        metavar="MODEL",
        help="read the table as the training of this model did: columns, spellings of labels, mail, encoding, …",
    )
    add_columns(parser, label=True)
    add_id(parser)
    add_spreadsheet_safe(parser, "; with --apply, the sheet was written so")
    add_force(parser)
    add_threads_quiet_json(parser, json="print all findings as one JSON object on stdout")
    parser.set_defaults(run=audit)


def audit(args: argparse.Namespace) -> None:
    """Read, look, tell; or correct what was found."""
    if args.model:
        from lindy.textclassifier import load

        args = as_in_training(args, load(args.model))
    args.takes_several = True
    if args.apply:
        refuse(
            args,
            ("show", "similarity", "sample", "seed", "id"),
            "it is about the search, which --apply leaves out",
        )
        apply(args)
        return
    note = Notes(args.quiet)
    if args.json or args.output == "-":
        refuse(args, ["show"], f"{'--json has' if args.json else 'the sheet on stdout has'} all findings")
    check_spreadsheet_safe(args, table_format(args.output) if args.output else None)
    from lindy.core.targets import as_targets
    from lindy.data.chunks.label_parts import one_label
    from lindy.evaluation.audit.table_audit import audit as look
    from lindy.linear import SVM

    parts, large = sampled(args, note)
    if parts is not None and large:
        data, labels = parts.take(large["sample"]), large["survey"].labels(parts.names or [])
        separator = parts.separator
    else:
        source, data = read_audited(args, note if parts is None else Notes(quiet=True))
        cells, separator = one_label(data)
        labels, n_rows = as_targets(cells), source.num_rows
        large = {"division": division_of(args, data)}
    with note.progress("looking"), usable(shown(args.data)):
        learner = SVM(random_state=args.seed, n_jobs=args.threads)
        vectorizer, examples, X = vectorized(data, args, note)
        if "sample" in large:  # whose words the other rows are scored by, and so must its own
            large |= {"examples": examples, "vectorizer": vectorizer}
        found = look(
            data.inputs.comparable,
            labels,
            X,
            learner,
            similarity=args.similarity,
            random_state=args.seed,
            n_jobs=args.threads,
            separator=separator,
            **large,
        )
        if parts is not None and "sample" in large:
            found, data = listed_rows(found, parts)
            source, n_rows = data.table, parts.n_rows

    def guess(rows: Any) -> list[str]:
        if len(labels.names) < 2:
            return [str(labels.names[0])] * len(rows)
        if vectorizer is None:
            return [""] * len(rows)
        learner.fit(X, labels)
        return [str(label) for label in learner.predict(vectorizer.transform_csr(rows))]

    if args.output:
        write_sheet(args, source, data, found, guess, note)
    tell(args, found, data, n_rows)


def sampled(args: argparse.Namespace, note: Notes) -> tuple[ExampleChunks | None, dict[str, Any]]:
    """Go over a large table; return it, and for an audit what is kept of its rows, and which of them are the sample.

    There is no sample of one that has not more rows than ``--sample``; None where it is not large or cannot be cut.
    """
    if not is_large(args) or chunks_of(args, wanted_mail(args)) is None:
        return None, {}
    import numpy as np

    from lindy.data.columns.metadata_columns import DivisionParts
    from lindy.evaluation.audit.table_audit import Survey
    from lindy.text import HashingVectorizer

    parts = ExampleChunks(None, args, note, fill=True, through=not isinstance(args.data, str))
    survey, roles = Survey(), DivisionParts(args.group, args.time)
    words = None if wanted_columns(args) else HashingVectorizer(norm=None, n_jobs=args.threads)
    with note.progress("reading"):
        for examples, numbers in parts:
            texts = examples.inputs.comparable
            survey.add(texts, numbers, None if words is None else words.transform_csr(texts))
            roles.add(examples.table)
    if (n := len(survey)) <= args.sample:
        return parts, {}
    note(
        f"note: the table has {n:,} labelled rows: learners learn from {args.sample:,} of them, drawn with the"
        " seed; near duplicates are looked for among these (--sample changes their number)"
    )
    return parts, {
        "survey": survey,
        "sample": np.sort(np.random.default_rng(args.seed).choice(n, args.sample, replace=False)),
        "chunks": (chunk for examples, _ in parts for chunk in examples.inputs.chunks()),
        "division": roles.division(shown(args.data)),
        "most": MOST_LISTED,
    }


def listed_rows(found: Audit, parts: ExampleChunks) -> tuple[Audit, TextData]:
    """Return findings with only the rows of a large table that they are about."""
    import numpy as np

    pairs = [(f.row, f.row if f.other is None else f.other) for f in found.findings]
    rows, place = np.unique(pairs or [(0, 0)], return_inverse=True)
    findings = [
        replace(f, row=row, other=None if f.other is None else other)
        for f, (row, other) in zip(found.findings, place.reshape(-1, 2).tolist(), strict=False)
    ]
    return replace(found, findings=findings), parts.take(rows)


def tell(args: argparse.Namespace, found: Audit, data: TextData, n_rows: int) -> None:
    """Write what was found to stdout; the table has ``n_rows`` rows, those without a label included."""
    from lindy.data.columns.row_ids import RowNames

    names = RowNames(data.table, args.id, several=not isinstance(args.data, str))
    data = replace(data, texts=data.inputs.written)
    if args.json:
        print_json(summary(found, data, names, n_rows))
    elif args.output != "-":
        sys.stdout.write(render(found, data, names, args.show, n_rows))


def vectorized(data: TextData, args: argparse.Namespace, note: Notes) -> tuple[Any, Any, Csr]:
    """Return a fitted vectorizer, the examples as it takes them, and their rows.

    Columns without a word are left out, with a note. Where no column is left, there is no vectorizer, and rows have no
    columns.
    """
    import numpy as np

    from lindy.core.csr import Csr
    from lindy.text import TfidfVectorizer

    words = TfidfVectorizer(sublinear_tf=True, dtype=np.float32, n_jobs=args.threads)
    vectorizer = vectorizer_of(data, args, words)
    try:
        return vectorizer, data.texts, vectorizer.fit_csr(data.texts)
    except ValueError:
        columns = text_names(data, wanted_columns(args))
        names = [data.columns.text] if columns is None else columns["text"]
        silent = [n for n in names if not has_words(words, data.texts if columns is None else data.texts[n])]
        if data.table.find is not None or not silent:
            raise
    listed = ", ".join(map(repr, silent))
    note(
        f"note: no text of {listed} has a word of at least two letters: it is not looked at for label errors"
    )
    if columns is not None and any(name not in silent for own in columns.values() for name in own):
        from lindy.features.table_vectorizer import of_columns

        kept = columns | {"text": [name for name in columns["text"] if name not in silent]}
        vectorizer = of_columns(kept, vectorizer=words if kept["text"] else None)
        examples = data.texts.select([name for own in kept.values() for name in own])
        return vectorizer, examples, vectorizer.fit_csr(examples)
    none = np.zeros(0, np.int32)
    return None, data.texts, Csr(np.zeros(len(data.texts) + 1, np.int64), none, none.astype(np.float32), 0)


def has_words(words: Any, column: Any) -> bool:
    """Whether a text of a column has a word."""
    try:
        words.fresh().fit(column)
    except ValueError:
        return False
    return True


def records(found: Audit, data: TextData, names: RowNames) -> Iterator[dict[str, Any]]:
    """Yield every finding as plain values; rows from 1."""
    for f, name in zip(found.findings, names(f.row for f in found.findings), strict=True):
        yield {
            "kind": f.kind,
            **{key: value for key, value in asdict(name).items() if key != "file" or names.has_files},
            "label": f.label,
            "suggestion": f.suggestion,
            **({} if found.separator is None else {"about": f.about}),
            "score": None if f.score is None else round(f.score, 4),
            "suggestion_score": None if f.right is None else round(f.right, 4),
            "other_row": None if f.other is None else data.table.number(f.other),
            "text": data.texts[f.row].as_py(),
        }


def summary(found: Audit, data: TextData, names: RowNames, n_rows: int) -> dict[str, Any]:
    """Return everything as plain values; the table has ``n_rows`` rows, those without a label included."""
    return {
        "rows": found.rows,
        "unlabelled": n_rows - found.rows,
        "classes": found.classes,
        "rare_classes": found.rare,
        "labels_joined_by": found.separator if found.joined is None else found.joined[0],
        **({} if found.separator is None else {"pairs": [asdict(pair) for pair in found.pairs]}),
        "spellings": [asdict(spellings) for spellings in data.spellings],
        **({"counts": found.counts} if found.counts else {}),
        "findings": list(records(found, data, names)),
    }
