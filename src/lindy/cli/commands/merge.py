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
    from lindy.core.targets import ManyLabels
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
    from lindy.updating.model_parts import rows_of

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
        "examples": rows_of(model),
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
    """Return the accuracy (of several labels, the mean F1 of rows) of each model and of the merged one on a table."""
    from lindy.core.targets import as_lists
    from lindy.evaluation.metrics.intervals import of_mean

    examples = read_for(merged, args, note, data=args.test)
    truth = as_lists(examples.labels)
    known = {str(label) for label in merged.classes_.tolist()}
    names, counts = [str(label) for label in truth.names.tolist()], truth.counts.tolist()
    unknown = {names[k]: counts[k] for k in dict.fromkeys(truth.codes.tolist()) if names[k] not in known}
    if unknown:
        note(
            f"warning: {sum(unknown.values()):,} of {len(truth):,} rows have labels that no model knows; they count as"
            f" wrong: {', '.join(unknown)}"
        )
    measure = "example F1" if merged.several_labels else "accuracy"
    record = {}
    for name, model in [*zip(args.models, models, strict=True), ("merged", merged)]:
        if model.roles_of_examples(examples):
            note(f"warning: {name} has learned from this table: its figure on new texts will be lower")
        gains = _gains(model, examples.texts, truth)
        record[name] = {
            measure.replace(" ", "_").lower(): float(gains.mean()),
            "interval": list(of_mean(gains)),
        }
    return {"table": args.test, "rows": len(truth), "models": record, "unknown_labels": unknown}


def _gains(model: TextClassifier, texts: Any, truth: ManyLabels) -> Any:
    """Return whether each text gets its label; of several labels, the F1 of its labels."""
    if model.several_labels:
        from lindy.evaluation.metrics.label_metrics import label_gains

        return label_gains("example-f1", truth, model.predictions(texts), model.classes_)
    return model.predict(texts).astype(str) == truth.names.astype(str)[truth.codes]


def render(tested: dict[str, Any]) -> str:
    """Return the accuracies as a table."""
    measure = next(iter(next(iter(tested["models"].values()))))
    rows = [["model", measure.replace("_f1", " F1"), "from", "to"]]
    for name, own in tested["models"].items():
        low, high = own["interval"]
        rows.append([name, f"{own[measure]:.4f}", f"{low:.4f}", f"{high:.4f}"])
    name = "standard input" if tested["table"] == "-" else tested["table"]
    return f"on {tested['rows']:,} rows of {name}\n{table(rows)}\n"
