"""``lindy merge``: several saved models as one."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, print_json, table
from lindy.cli.io.reading import read_for
from lindy.cli.options.shared import add_columns, add_force, add_threads_quiet_json, matching
from lindy.cli.parsing import UsageError, example_commands, refuse_reading
from lindy.sanitize import size

if TYPE_CHECKING:
    from lindy.textclassifier import TextClassifier


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "merge",
        epilog=example_commands("lindy merge a.lindy b.lindy -o both.lindy --test test.csv"),
        help="make one model of several",
        description="Make one model of several of the same kind, with the words and the labels of all: exactly that of"
        " all rows for naive Bayes and other counting models over counts, and for models that were trained with"
        " --keep-rows; the mean of the weights, each model as much as its rows are, for other linear models. --test"
        " measures what that costs.",
    )
    parser.add_argument(
        "models",
        nargs="+",
        metavar="model",
        help="model files, at least two; a pattern such as 'part-*.lindy' is all files that it fits",
    )
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="model file to write")
    parser.add_argument("--test", metavar="TABLE", help="table with labels on which all models are tested")
    add_columns(parser, label=True)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=merge)


def merge(args: argparse.Namespace) -> None:
    """Load, merge, test, save."""
    note, began = Notes(args.quiet), time.perf_counter()
    refuse_reading(args)
    args.models = [path for given in args.models for path in matching(given)]
    if len(args.models) < 2:
        raise UsageError(
            f"merging needs at least two models; got {args.models[0]}",
            "name all of them, or give a pattern that fits at least two: lindy merge A B -o AB",
        )
    from lindy.estimators.learners import learner_name
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import MODEL, note_input
    from lindy.textclassifier import load
    from lindy.updating.merging import merge_models

    for path in args.models:
        note_input(path)
    check_writable(args.output, MODEL)
    models = [load(path, n_jobs=args.threads) for path in args.models]
    with note.progress("merging"):
        merged = merge_models(models, args.models)
    model = merged.model
    tested = None if args.test is None else test(args, note, models, model)
    model.save(args.output)
    for line in merged.said:
        note(line)
    record = {
        "model": args.output,
        "learner": learner_name(model.learner_),
        "how": merged.how,
        "said": merged.said,
        "examples": model.class_counts_.sum().item(),
        "classes": {str(c): n for c, n in zip(model.classes_, model.class_counts_.tolist(), strict=True)},
        "features": int(model.vectorizer_.n_columns),
        "test": tested,
        "bytes": os.stat(args.output).st_size,
        "seconds": round(time.perf_counter() - began, 3),
    }
    note(
        f"merged {len(models)} models of {record['examples']:,} rows, {len(model.classes_):,} classes,"
        f" {record['features']:,} features\nsaved {args.output} ({size(record['bytes'])})"
        f" after {record['seconds']:.2f} s"
    )
    if args.json:
        print_json(record)
    elif tested is not None:
        sys.stdout.write(render(tested))


def test(
    args: argparse.Namespace, note: Notes, models: list[TextClassifier], merged: TextClassifier
) -> dict[str, Any]:
    """Return the accuracy of each model and of the merged one on a table, with intervals."""
    from collections import Counter

    from lindy.evaluation.intervals import wilson

    examples = read_for(merged, args, note, data=args.test)
    labels: Any = examples.labels
    truth = [str(label) for label in labels.to_pylist()]
    known = {str(label) for label in merged.classes_}
    unknown = dict(Counter(label for label in truth if label not in known))
    if unknown:
        note(
            f"warning: {sum(unknown.values()):,} of {len(truth):,} rows have labels that no model knows; they count as"
            f" wrong: {', '.join(unknown)}"
        )
    record = {}
    for name, model in [*zip(args.models, models, strict=True), ("merged", merged)]:
        if model.roles_of_examples(examples):
            note(f"warning: {name} has learned from this table: its figure on new texts will be lower")
        said = model.predict(examples.texts).tolist()
        share = sum(str(own) == label for own, label in zip(said, truth, strict=True)) / len(truth)
        record[name] = {"accuracy": share, "interval": list(wilson(share, len(truth)))}
    return {"table": args.test, "rows": len(truth), "models": record, "unknown_labels": unknown}


def render(tested: dict[str, Any]) -> str:
    """Return the accuracies as a table."""
    rows = [["model", "accuracy", "from", "to"]]
    for name, own in tested["models"].items():
        low, high = own["interval"]
        rows.append([name, f"{own['accuracy']:.4f}", f"{low:.4f}", f"{high:.4f}"])
    name = "standard input" if tested["table"] == "-" else tested["table"]
    return f"on {tested['rows']:,} rows of {name}\n{table(rows)}\n"
