"""Options that say how labels follow from probabilities: ``--reject``, ``--cost``, and limits of their number."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lindy.cli.options.shared import as_number, at_least, between_0_and_1, numbers_by_label
from lindy.cli.parsing import UsageError

if TYPE_CHECKING:
    from lindy.core.hierarchy import Hierarchy
    from lindy.evaluation.coverage import LabelSets
    from lindy.evaluation.decisions import Decision, LabelLimits
    from lindy.textclassifier import TextClassifier


def add_decision(parser: Any, rejected: str = "") -> None:
    """Add ``--reject`` and ``--cost``, which `decision` reads; ``rejected`` says what becomes of rejected labels."""
    parser.add_argument(
        "--reject",
        type=thresholds,
        metavar="P or LABEL=P,…",
        help="give no label where its probability is below P (or below its own LABEL=P): better no label than a wrong"
        f" one{rejected}",
    )
    parser.add_argument(
        "--cost",
        type=cost,
        action="append",
        metavar="TRUE:PREDICTED=COST",
        help="what a confusion costs (others cost 1): the label of least expected cost is predicted; repeatable",
    )


def add_coverage(parser: Any, what: str) -> None:
    """Add ``--coverage`` and ``--coverage-per-class``, which `label_sets` reads; ``what`` is what they make."""
    parser.add_argument(
        "--coverage",
        type=below_1,
        metavar="C",
        help=f"{what}: the smallest sets of labels that hold the right one in a share C of all texts like those of the"
        " training; of several labels, that share of each text's labels",
    )
    parser.add_argument(
        "--coverage-per-class",
        action="store_true",
        help="with --coverage: hold the right label in a share C of the texts of each class",
    )


def label_sets(args: argparse.Namespace, classifier: TextClassifier) -> LabelSets | None:
    """Return the sets of labels that ``--coverage`` asks for; None without it."""
    if args.coverage is None:
        if args.coverage_per_class:
            raise UsageError(
                "argument --coverage-per-class: it has no effect without --coverage", "add --coverage 0.95"
            )
        return None
    for option in ("reject", "cost"):
        if getattr(args, option, None) is not None:
            raise UsageError(
                f"argument --coverage: --{option} asks for another decision",
                f"leave out --coverage or --{option}",
            )
    from lindy.evaluation.coverage import NOT_HELD_OUT

    if classifier.true_probabilities_ is None:
        again = (
            "calibrate it on a labelled table (lindy calibrate), or train it again with --calibrate sigmoid"
        )
        raise UsageError(f"argument --coverage: {NOT_HELD_OUT}", again)
    return classifier.label_sets(args.coverage, per_class=args.coverage_per_class)


def add_label_limits(parser: Any) -> None:
    """Add ``--at-least-one`` and ``--at-most``, which `label_limits` reads."""
    parser.add_argument(
        "--at-least-one",
        action="store_true",
        help="of several labels: give the most probable one where none reaches its threshold",
    )
    parser.add_argument(
        "--at-most",
        type=at_least(1),
        metavar="N",
        help="of several labels: give the N most probable ones at most",
    )


def label_limits(args: argparse.Namespace, classifier: TextClassifier) -> LabelLimits:
    """Return the limits that ``--at-least-one`` and ``--at-most`` ask for."""
    from lindy.evaluation.decisions import LabelLimits

    limits = LabelLimits(args.at_least_one, args.at_most)
    if limits != LabelLimits() and not classifier.several_labels:
        name = "--at-least-one" if args.at_least_one else "--at-most"
        raise UsageError(f"argument {name}: the model gives one label to each text", f"leave out {name}")
    return limits


def decision(
    args: argparse.Namespace, classifier: TextClassifier, hierarchy: Hierarchy | None = None
) -> Decision:
    """Return the rule that ``--cost`` and ``--reject`` ask for, in a hierarchy if there is one."""
    from lindy.evaluation.decisions import Decision, cost_matrix, named_numbers

    limits, costs = None, None
    names = classifier.classes_ if hierarchy is None else hierarchy.all_names
    try:
        if args.reject is not None:
            default = args.reject.get(None, 0.0)
            by_label = {label: p for label, p in args.reject.items() if label is not None}
            limits = named_numbers(by_label, names, default)
        if args.cost:
            costs = cost_matrix(dict(args.cost), classifier.classes_)
    except ValueError as error:
        raise UsageError(str(error), "labels are written as in the training table") from None
    if costs is not None and classifier.several_labels:
        raise UsageError(
            "argument --cost: the model gives any number of labels to a text", "leave out --cost"
        )
    rule = Decision(costs, limits, hierarchy)
    if rule.needs_probabilities and not classifier.has_probabilities:
        raise UsageError(
            "--reject and --cost need probabilities, which this model does not have",
            "train it without --calibrate none",
        )
    return rule


def below_1(text: str) -> float:
    """Return a share, 0 and 1 excluded."""
    if (value := between_0_and_1(text)) == 1:
        raise argparse.ArgumentTypeError(
            f"{text!r}: only the set of all labels is sure; ask for a number below 1"
        )
    return value


def thresholds(text: str) -> dict[str | None, float]:
    """Return {None: 0.8} for ``0.8`` and {"spam": 0.9, "ham": 0.6} for ``spam=0.9,ham=0.6``."""
    limits: dict[str | None, float] = {label or None: p for label, p in numbers_by_label(text).items()}
    if not all(0 <= limit <= 2 for limit in limits.values()):  # above 1: never
        raise argparse.ArgumentTypeError(f"{text!r} is neither a probability nor LABEL=PROBABILITY,…")
    return limits


def cost(text: str) -> tuple[tuple[str, str], float]:
    """Return (("ham", "spam"), 10.0) for ``ham:spam=10``."""
    pair, _, number = text.rpartition("=")
    true, colon, predicted = pair.partition(":")
    value = as_number(number)
    if not colon or not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not TRUE:PREDICTED=COST with a cost of at least 0")
    return (true, predicted), value
