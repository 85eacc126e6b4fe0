"""The learner that ``lindy train`` is asked for, by ``--learner``, ``--param``, ``--early-stop`` or a kernel."""

from __future__ import annotations

import argparse
import math
import sys
from typing import Any

from lindy.cli.io.console import table
from lindy.cli.parsing import Parser, UsageError, refuse
from lindy.errors import did_you_mean
from lindy.estimators.learners import InputKind

_SHOWN = 12  # epochs of a curve
_KERNEL_OPTIONS = {
    "degree": ("poly",),
    "gamma": ("poly", "rbf"),
    "coef0": ("poly",),
    "length": ("spectrum", "subsequence", "mismatch"),
    "decay": ("subsequence", "subset-tree", "subtree"),
}
"""The kernels that have an option."""


def wanted_learner(args: argparse.Namespace) -> Any:
    """Return "auto", or the learner that was named with its options."""
    name, params = kernel_learner(args)
    if name != "auto":
        for option in ("fast", "thorough"):
            if getattr(args, option):
                said = f"argument --{option}: it chooses the learner, but --learner already names one"
                raise UsageError(said, "leave one out")
        learner = named_learner(name, params or [], args.seed)
        weigh_classes(learner, name, args.class_weight)
        check_early_stop(learner, name, args.early_stop)
        if args.lexicon and has_lists(learner):
            learner.set_params(words=args.lexicon)
        return learner
    if params:
        raise UsageError("argument --param: it needs a named learner", "e.g. --learner nb-svm")
    check_early_stop("auto", name, args.early_stop)
    if not args.report:  # which draws the rows that it tests on
        refuse(
            args, ["seed"], "it is for a learner that is named", "e.g. --learner perceptron, or leave it out"
        )
    return "auto"


def named_learner(name: str, params: list[str], seed: int) -> Any:
    """Return the learner of that name with the given ``name=value`` options and, if it draws at random, the seed."""
    from lindy.estimators.learners import learner_class, options_of

    try:
        kind: Any = learner_class(name)
    except ValueError as error:
        raise UsageError(f"argument --learner: {error}", "'lindy train --help' lists what it takes") from None
    known = kind().get_params()
    given = {"random_state": seed} if "random_state" in known else {}
    for param in params:
        key, equals, value = param.partition("=")
        if not equals or key not in known:
            wrong = f"{name} has no option {key!r}" if equals else f"{param!r} is not NAME=VALUE for {name}"
            raise UsageError(
                f"argument --param: {wrong}",
                f"{did_you_mean(key, known)}Its options: {', '.join(options_of(kind))}; --learner {name} --param help"
                " explains them",
            )
        given[key] = parse_value(value)
        if isinstance(known[key], int | float) and isinstance(given[key], str):
            raise UsageError(
                f"argument --param: {key} takes a number, not {value!r}", f"e.g. {key}={known[key]}"
            )
    return kind(**given)


class OptionOrHelp(argparse._AppendAction):
    """``--param NAME=VALUE``; ``--param help`` shows the options of the learner that was named before it."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: Any = None) -> None:
        """Keep the option, or show the help and stop."""
        if values != "help":
            super().__call__(parser, namespace, values, option)
            return
        sys.stdout.write(options_help(namespace.learner))
        raise SystemExit(0)


def options_help(name: str) -> str:
    """Return the options of a learner, a line each."""
    from lindy.estimators.learners import learner_class, options_of

    try:
        kind = learner_class(name)
    except ValueError:
        raise UsageError("--param help needs a learner", "e.g. --learner svm --param help") from None
    options = options_of(kind)
    width = max(map(len, options), default=0)
    lines = [f"{option:<{width}}  {says.replace('`', '')}\n" for option, says in options.items()]
    return "".join(lines) or f"{name} has no options\n"


def weigh_classes(learner: Any, name: str, weights: str | dict[str, float] | None) -> None:
    """Give a learner its class weights, if it can use them."""
    if weights is None:
        return
    if "class_weight" not in learner.get_params():
        from lindy.estimators.learners import learners_with

        raise UsageError(
            f"argument --class-weight: {name} does not support class weights",
            f"these do: {', '.join(learners_with('class_weight'))}; naive-bayes has --param class_prior=uniform",
        )
    learner.set_params(class_weight=weights)


def parse_value(text: str) -> Any:
    """Return a number, true, false, none, inf (in any case) or a list as Python writes it; anything else is text."""
    from lindy.data.columns.literals import literal

    if (word := text.lower()) in (words := {"none": None, "true": True, "false": False, "inf": math.inf}):
        return words[word]
    return literal(text)


def has_lists(learner: Any) -> bool:
    """Whether word lists are what the learner itself is made of, not further features."""
    return not isinstance(learner, str) and learner.input_kind is InputKind.WORDS


def check_early_stop(learner: Any, name: str, share: float | None) -> None:
    """Refuse a share that leaves nothing, and a learner that does not go over texts in epochs."""
    if share is None:
        return
    if share >= 1:
        raise UsageError(f"argument --early-stop: {share:g} leaves nothing to learn from", "e.g. 0.1")
    if learner != "auto" and "patience" not in learner.get_params():
        from lindy.estimators.learners import learners_with

        raise UsageError(
            f"argument --early-stop: {name} does not learn in epochs",
            f"it is for {' and '.join(learners_with('patience'))}; where a learner has C, a smaller one helps",
        )


def curve(learner: Any) -> str:
    """Return the epochs as a table: mistakes in training against accuracy on the held-out texts."""
    history = learner.history_
    if not history.held_out:
        return "no row could be held out to stop early by: the usual number of epochs was taken"
    best = max(range(len(history.held_out)), key=history.held_out.__getitem__)
    last = len(history.held_out) - 1
    step = max(1, -(-last // _SHOWN))
    shown = sorted({*range(0, last, step), best, last})
    rows = [["epoch", "mistakes in training", "accuracy on held-out texts"]]
    rows += [
        [
            f"{epoch + 1}",
            f"{history.mistakes[epoch]:,}",
            f"{history.held_out[epoch]:.4f}" + (" ← kept" if epoch == best else "       "),
        ]
        for epoch in shown
    ]
    return table(rows, left=0)


def add_kernel(parser: Parser) -> None:
    """Declare the options."""
    group = parser.add_argument_group(
        "kernels",
        "a classifier that is not linear in the features: a kernel SVM, or --learner kernel-perceptron",
    )
    group.add_argument(
        "--kernel",
        metavar="NAME",
        help="of words: linear, poly, rbf, cosine, intersection; of raw texts: spectrum, subsequence, mismatch; of"
        " bracketed trees: subset-tree, subtree",
    )
    group.add_argument("--degree", metavar="D", help="poly: the exponent d of (γ·x·z + c)^d; default: 2")
    group.add_argument("--gamma", metavar="G", help="poly and rbf: γ; default: scale, 1/(columns·variance)")
    group.add_argument("--coef0", metavar="C", help="poly: the constant c; default: 1")
    group.add_argument(
        "--length", metavar="N", help="kernels of texts: characters of a substring; default: 3"
    )
    group.add_argument(
        "--decay", metavar="L", help="subsequence: λ of a gap; trees: λ of a node; default: 0.5"
    )


def kernel_learner(args: argparse.Namespace) -> tuple[str, list[str] | None]:
    """Return the learner and its ``name=value`` options with what the options of a kernel say."""
    given = [
        f"{name}={getattr(args, name)}"
        for name in ("kernel", *_KERNEL_OPTIONS)
        if getattr(args, name) is not None
    ]
    if not given:
        return args.learner, args.param
    if args.kernel is None and args.learner not in _kernel_learners():
        name = given[0].partition("=")[0]
        raise UsageError(
            f"argument --{name}: it is an option of a kernel", f"e.g. --kernel {_KERNEL_OPTIONS[name][0]}"
        )
    learner = "kernel-svm" if args.learner == "auto" else args.learner
    if learner not in _kernel_learners():
        raise UsageError(
            f"argument --kernel: {learner} has none",
            f"leave out --learner, or use {' or '.join(_kernel_learners())}",
        )
    if args.kernel is not None:
        from lindy.kernels.named import NAMED

        if args.kernel not in NAMED:
            known = ", ".join(NAMED)
            raise UsageError(f"argument --kernel: no kernel is called {args.kernel!r}", f"there are: {known}")
        for name, kernels in _KERNEL_OPTIONS.items():
            if args.kernel not in kernels:
                refuse(args, [name], f"{args.kernel} has no such option", f"these have: {', '.join(kernels)}")
    return learner, [*given, *(args.param or [])]


def _kernel_learners() -> list[str]:
    from lindy.estimators.learners import learners_with

    return learners_with("kernel")


def support(learner: Any) -> dict[str, int]:
    """Return how many support examples a kernel learner has, for the summary."""
    found = getattr(learner, "support_", None)
    return {} if found is None or not learner.has_influences else {"support examples": len(found)}
