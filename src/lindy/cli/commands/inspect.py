"""``lindy inspect``: what is in a model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, clean, print_json, table, table_format
from lindy.cli.options.shared import (
    add_force,
    add_spreadsheet_safe,
    add_threads_quiet_json,
    at_least,
    check_spreadsheet_safe,
)
from lindy.cli.parsing import example_commands, refuse
from lindy.data.formats.registry import TABLES
from lindy.sanitize import size

if TYPE_CHECKING:
    from lindy.explain import Inspection

_MOST_CLASSES = 50  # that a terminal shows


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "inspect",
        epilog=example_commands(
            "lindy inspect reviews.lindy",
            "lindy inspect reviews.lindy --feature wonderful",
            "lindy inspect reviews.lindy --weights weights.csv",
        ),
        help="show what is in a model",
        description=(
            "Show a model's recipe, sizes, classes, certificate, and the features that count most for each class:"
            " by their weights, for naive Bayes by their odds ratios or how far apart the means are."
        ),
    )
    parser.add_argument("model", help="model file")
    parser.add_argument("--class", dest="label", metavar="LABEL", help="only this class's features")
    parser.add_argument(
        "--feature", metavar="WORD", help="show the weights of a word or phrase, and nothing else"
    )
    parser.add_argument(
        "--top", type=at_least(0), metavar="N", default=10, help="features per class; default: 10"
    )
    parser.add_argument(
        "--weights",
        metavar="FILE",
        help="also write all weights as a table: feature, class, weight and, for models that count, how often the class"
        f" had the feature; the name sets the format: {', '.join(f'.{name}' for name in TABLES)}; '-' is stdout as CSV",
    )
    add_spreadsheet_safe(parser)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=inspect)


def inspect(args: argparse.Namespace) -> None:
    """Load, look, write."""
    from lindy.cli.commands.explain import known_label
    from lindy.explain import inspect as look
    from lindy.textclassifier import load

    if args.feature is not None and not args.json:
        refuse(args, ("label", "top"), "it is about the lists of features, which --feature leaves out")
    kind = None if args.weights is None else table_format(args.weights, "--weights")
    check_spreadsheet_safe(args, kind)
    if args.json:
        refuse(args, ["weights"] if args.weights == "-" else [], "--json goes to stdout, too", "name a file")
    classifier = load(args.model, n_jobs=args.threads)
    if kind is not None:
        write_weights(args, classifier, kind)
        if args.weights == "-":
            return
    label = known_label(classifier, args.label)
    found = look(classifier, top=args.top, label=label, feature=args.feature)
    n_bytes = Path(args.model).stat().st_size
    if args.json:
        print_json({"file": args.model, "bytes": n_bytes, **found.to_dict()})
        return
    sys.stdout.write(render(found, f"{args.model} ({size(n_bytes)})", args.feature))


def write_weights(args: argparse.Namespace, classifier: Any, kind: str) -> None:
    """Write the weights of a model as a table."""
    from lindy.data.write.table_writer import writing_pieces
    from lindy.explain import weight_pieces

    n_written = 0
    with writing_pieces(args.weights, kind, spreadsheet_safe=args.spreadsheet_safe) as write:
        for piece in weight_pieces(classifier):
            write(piece)
            n_written += len(piece["weight"])
    if args.weights != "-":
        Notes(args.quiet)(f"wrote {n_written:,} weights to {args.weights}")


def render(found: Inspection, name: str, word: str | None) -> str:
    """Return an inspection as text."""
    if word is not None:
        return f"{_features(found, word)}\n"
    blocks = [_head(found, name), _classes(found)]
    if found.top:
        shown = [(label, ranked) for label, ranked in found.top.items() if ranked]
        blocks += [
            f"largest {found.measure}s for {clean(label)}\n"
            + table([[f"  {clean(name)[:60]}", _number(value)] for name, value in ranked])
            for label, ranked in shown[:_MOST_CLASSES]
        ]
        if len(shown) > _MOST_CLASSES:
            blocks.append(
                f"and {len(shown) - _MOST_CLASSES:,} more classes: --class LABEL shows one, --json all"
            )
    return "\n\n".join(blocks) + "\n"


def _head(found: Inspection, name: str) -> str:
    from lindy.explain.inspection import called_with

    facts = {"model": name, "recipe": found.recipe, "learner": called_with(found.learner, found.parameters)}
    if not found.made_of_parts:  # the parts would fill the screen; --json has them
        facts["features"] = called_with(found.vectorizer, found.vectorizer_parameters)
    weights = f", {found.n_weights:,} weights, {found.nonzero:,} of them not 0" if found.n_weights else ""
    facts["sizes"] = (
        f"{found.n_features:,} features{weights}"
        if found.support is None
        else f"{found.support:,} support examples of {sum(c.examples for c in found.classes):,}"
    )
    facts |= found.facts()
    roles = [role for role in ("text", "numeric", "category") if found.columns.get(role)]
    if roles:
        shown = [f"{role} {found.columns.get(role, '')!r}" for role in (*roles, "label")]
        facts["columns"] = ", ".join(shown)
    kept = (
        "text_is",
        "merge_labels",
        "label_bins",
        "label_separator",
        "strict",
        "format",
        "encoding",
        "sheet",
        "header_row",
    )
    reading = [f"{name.replace('_', '-')} {found.columns[name]}" for name in kept if name in found.columns]
    if reading and reading != ["text-is plain"]:
        facts["tables"] = f"{', '.join(reading)}, as in training"
    return "\n".join(f"{key:<15}{clean(value)}" for key, value in facts.items())


def _classes(found: Inspection) -> str:
    with_prior = any(c.prior is not None for c in found.classes)
    rows = [["class", "examples", "share", *(["prior"] if with_prior else [])]]
    for c in found.classes[:_MOST_CLASSES]:
        prior = [f"{c.prior:.4f}" if c.prior is not None else ""] if with_prior else []
        rows.append([clean(c.label), f"{c.examples:,}", f"{c.share:.1%}", *prior])
    more = (
        f"\n… and {len(found.classes) - _MOST_CLASSES} more classes"
        if len(found.classes) > _MOST_CLASSES
        else ""
    )
    return table(rows) + more


def _features(found: Inspection, word: str) -> str:
    if not found.features:
        return f"not known: {clean(word)!r} is not a feature of this model; 'lindy explain' shows what parts of it add"
    blocks = []
    for feature in found.features:
        rows = [["", "separation" if found.measure == "separation" else "weight"]]
        labels = list(feature.weights)
        if feature.counts is not None:
            rows[0].append("count")
            labels = list(feature.counts)
        if feature.odds is not None:
            rows[0].append("odds ratio")
        for label in labels:
            cells = [f"{feature.weights[label]:+.4f}" if label in feature.weights else ""]
            cells += [f"{feature.counts[label]:g}"] if feature.counts is not None else []
            cells += [_number(feature.odds[label])] if feature.odds is not None else []
            rows.append([f"  {clean(label)}", *cells])
        blocks.append(f"feature {clean(feature.name)}\n{table(rows)}")
    return "\n\n".join(blocks)


def _number(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:.4g}"
