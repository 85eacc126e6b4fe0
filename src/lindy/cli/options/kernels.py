"""The options of ``lindy train`` that ask for a kernel."""

from __future__ import annotations

import argparse
from typing import Any

from lindy.cli.options.unused import refuse
from lindy.cli.parsing import UsageError

_OPTIONS = {
    "degree": ("poly",),
    "gamma": ("poly", "rbf"),
    "coef0": ("poly",),
    "length": ("spectrum", "subsequence", "mismatch"),
    "decay": ("subsequence", "subset-tree", "subtree"),
}
"""The kernels that have an option."""


def add_kernel(parser: argparse.ArgumentParser) -> None:
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
        f"{name}={getattr(args, name)}" for name in ("kernel", *_OPTIONS) if getattr(args, name) is not None
    ]
    if not given:
        return args.learner, args.param
    if args.kernel is None and args.learner not in _kernel_learners():
        name = given[0].partition("=")[0]
        raise UsageError(
            f"argument --{name}: it is an option of a kernel", f"e.g. --kernel {_OPTIONS[name][0]}"
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
        for name, kernels in _OPTIONS.items():
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
