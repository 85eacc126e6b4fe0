"""``lindy plot``: pictures of toy data, training and results, as PNG, SVG or PDF."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from lindy.cli.io.console import Notes, usable
from lindy.cli.options.feature_options import learner_called
from lindy.cli.options.row_options import add_division
from lindy.cli.options.shared import (
    above_0,
    add_columns,
    add_force,
    add_seed,
    add_threads_quiet_json,
    at_least,
    between_0_and_1,
)
from lindy.cli.parsing import READING, UsageError, example_commands, refuse

KINDS = {
    "boundary": "learners on two Gaussians, with the Bayes optimal boundary and accuracies; no input",
    "regions": "one learner on three Gaussians; no input",
    "path": "[TABLE]: accuracy and features of MaxEnt along L1 penalties; without a table, the weights of an online"
    " learner during training on two Gaussians",
    "objective": "TABLE: objective against time of MaxEnt's optimisers",
    "epochs": "TABLE: training and held-out accuracy of an online learner by epoch",
    "learning-curve": "TABLE: accuracy by the number of training examples, of what 'lindy train' takes",
    "weights": "MODEL: the largest weights or odds ratios of a class",
    "confusion": "MODEL TABLE: true against predicted labels",
    "reliability": "MODEL TABLE: whether probabilities come true",
    "f1-by-frequency": "MODEL TABLE: F1 of each of several labels by how many texts it was learned from",
    "threshold": "MODEL TABLE: precision, recall and F1 of one of several labels by its threshold (--class)",
    "cooccurrence": "TABLE: which of several labels go together",
}


def add_to(commands: Any) -> None:
    """Declare the command."""
    kinds = "\n".join(f"  {name:<15} {what}" for name, what in KINDS.items())
    parser = commands.add_parser(
        "plot",
        epilog=example_commands(
            "lindy plot confusion reviews.lindy test.csv",
            "lindy plot learning-curve reviews.csv -o curve.svg",
        ),
        help="draw data, training and results",
        description=f"Draw a picture and save it as PNG, SVG or PDF.\n\nkinds of pictures and their input:\n{kinds}",
    )
    parser.add_argument("kind", choices=tuple(KINDS), metavar="KIND", help="what to draw; see above")
    parser.add_argument(
        "input", nargs="*", metavar="INPUT", help="model file and table, as the kind needs them"
    )
    parser.add_argument(
        "--output", "-o", type=Path, metavar="FILE", help="picture to write; default: KIND.png"
    )
    parser.add_argument(
        "--learner",
        type=learner_called,
        action="append",
        metavar="NAME",
        help="learner to draw; repeatable for boundary, learning-curve; default for learning-curve: auto, what"
        " 'lindy train' takes",
    )
    parser.add_argument("--class", dest="class_label", metavar="LABEL", help="class of the weights")
    parser.add_argument(
        "--points", type=at_least(4), metavar="N", default=100, help="toy points; default: 100"
    )
    parser.add_argument(
        "--shape",
        choices=("xor", "rings", "moons"),
        help="boundary, regions: points that no line separates instead of Gaussians",
    )
    parser.add_argument(
        "--variance", type=above_0, metavar="V", help="boundary: variance of the Gaussians; default: 1"
    )
    parser.add_argument(
        "--balance",
        type=between_0_and_1,
        metavar="SHARE",
        help="boundary: share of the first class; default: 0.5",
    )
    parser.add_argument(
        "--penalty", choices=("l1", "l2"), default="l1", help="path of a table: which penalty; default: l1"
    )
    parser.add_argument("--epochs", type=at_least(1), metavar="N", default=10, help="default: 10")
    parser.add_argument(
        "--every", type=at_least(1), metavar="K", default=1, help="path: a point every K updates"
    )
    add_columns(parser, label=True)
    add_division(parser)
    add_seed(parser, "seed of toy data, splits and learners")
    add_force(parser)
    add_threads_quiet_json(parser, json=None)
    parser.set_defaults(run=plot)


_WITHOUT_TABLE, _WITH_TABLE = "path", "path of a table"
_TOYS = ("boundary", "regions", _WITHOUT_TABLE)
_LEARNING = (_WITH_TABLE, "epochs", "learning-curve")
_LABELS = ("f1-by-frequency", "threshold", "cooccurrence")
_TABLES = (*_LEARNING, "objective", "confusion", "reliability", *_LABELS)
_OF = {
    "learner": (*_TOYS, *_LEARNING),
    "class_label": ("weights", "threshold"),
    "points": _TOYS,
    "shape": ("boundary", "regions"),
    "penalty": (_WITH_TABLE,),
    "epochs": (_WITHOUT_TABLE, "epochs"),
    "every": (_WITHOUT_TABLE,),
    "seed": (*_TOYS, *_LEARNING),
    **dict.fromkeys(READING, _TABLES),
}
"""The pictures that an option says something about."""


def check_options(args: argparse.Namespace) -> None:
    """Refuse options that say nothing about this picture."""
    picture = _WITH_TABLE if args.kind == "path" and args.input else args.kind
    for name, pictures in _OF.items():
        if picture not in pictures:
            refuse(
                args, [name], f"it has no effect on 'plot {args.kind}'", f"it is for {', '.join(pictures)}"
            )


def plot(args: argparse.Namespace) -> None:
    """Draw and save."""
    needed = KINDS[args.kind].partition(":")[0].split() if ":" in KINDS[args.kind] else []
    fewest = len([name for name in needed if not name.startswith("[")])
    if not fewest <= len(args.input) <= len(needed):
        raise UsageError(
            f"plot {args.kind} takes {' '.join(needed) or 'no input'}", "'lindy plot --help' lists all kinds"
        )
    for name in ("variance", "balance"):
        if getattr(args, name) is not None and (args.kind != "boundary" or args.shape):
            raise UsageError(
                f"argument --{name}: it is about the Gaussians of 'plot boundary'",
                "leave it out" if args.kind != "boundary" else "leave it out, or leave out --shape",
            )
    check_options(args)
    held_out = args.kind in ("epochs", "learning-curve") or (args.kind == "path" and args.input)
    for name in ("group", "time"):
        if getattr(args, name) is not None and not held_out:
            raise UsageError(
                f"argument --{name}: plot {args.kind} holds no rows out",
                "it is for learning-curve, epochs and path of a table",
            )
    target = args.output or Path(f"{args.kind}.png")
    if target.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UsageError(
            f"cannot save a picture as {target.name!r}", "use a name that ends in .png, .svg or .pdf"
        )
    from lindy.cli.io import draw
    from lindy.plots import save

    with usable(" and ".join(args.input) or args.kind):
        ax = getattr(draw, args.kind.replace("-", "_"))(args)
    save(ax, target)
    Notes(args.quiet)(f"wrote {target}")
