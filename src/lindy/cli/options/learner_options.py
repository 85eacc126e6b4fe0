"""The options of ``lindy train`` that name a learner and set it: ``--learner``, ``--param``, ``--class-weight``."""

from __future__ import annotations

import argparse
import math
import sys
from typing import Any

from lindy.cli.options.early_stopping import check_early_stop
from lindy.cli.options.kernels import kernel_learner
from lindy.cli.options.shared import numbers_by_label
from lindy.cli.options.unused import refuse
from lindy.cli.parsing import UsageError
from lindy.errors import did_you_mean
from lindy.estimators.learners import InputKind


def learner_called(text: str) -> str:
    """Return the name of a learner that is called so; what no learner is called stays as it is, to be refused later."""
    from lindy.estimators.learners import canonical_name

    return canonical_name(text)


def learner_help() -> str:
    """Return the line of help that names the learners."""
    from lindy.estimators.learners import REGISTRY

    return f"what to train: auto (chosen on held-out texts), {', '.join(REGISTRY)}; default: auto"


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


def class_weights(text: str) -> str | dict[str, float]:
    """Return ``balanced``, or {"spam": 5.0} for ``spam=5``."""
    if text == "balanced":
        return text
    weights = numbers_by_label(text)
    if not all(label and 0 < weight < float("inf") for label, weight in weights.items()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither 'balanced' nor LABEL=WEIGHT,… with weights above 0"
        )
    return weights


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
