"""``lindy compare``: all learners on one split of a table, side by side."""

from __future__ import annotations

import argparse
import inspect
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, print_json, table, usable, write_page
from lindy.cli.io.reading import (
    read_labelled,
    read_other,
    text_names,
    wanted_columns,
    wanted_mail,
)
from lindy.cli.options.feature_options import (
    add_options,
    add_patterns,
    learner_called,
    mail_features,
    pattern_features,
)
from lindy.cli.options.input_kinds import input_of, usable_learners
from lindy.cli.options.row_options import add_division, add_weight, division_of, present, weights_of
from lindy.cli.options.shared import (
    add_columns,
    add_force,
    add_seed,
    add_threads_quiet_json,
    between_0_and_1,
    word_lists,
)
from lindy.cli.parsing import UsageError, example_commands, refuse
from lindy.errors import DataError
from lindy.sanitize import size
from lindy.text.weighting.weighting_registry import WEIGHTINGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.core.targets import Targets
    from lindy.data import SplitPolicy, TextData
    from lindy.estimators.base import Classifier
    from lindy.evaluation.compare import Comparison


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "compare",
        epilog=example_commands(
            "lindy compare reviews.csv",
            "lindy compare reviews.csv --learner svm --learner naive-bayes --ngrams 1-2",
        ),
        help="try all learners on one table",
        description="Train every learner on the same part of a table, test it on the rest, and show accuracy with its"
        " 95 % interval, whether the gap to the best may be due to chance (exact McNemar test, corrected for all pairs"
        " of learners), times and sizes. Of several labels per text, all is by micro F1 or another --metric.",
    )
    parser.add_argument("data", help="table with texts and labels; '-' is stdin")
    parser.add_argument("--test", metavar="FILE", help="test on this table instead of a part of the first")
    parser.add_argument(
        "--share",
        type=between_0_and_1,
        default=0.2,
        metavar="P",
        help="share of the rows to test on; default: 0.2, stratified",
    )
    parser.add_argument(
        "--learner",
        type=learner_called,
        metavar="NAME",
        action="append",
        help="only this learner; repeatable; default: all",
    )
    parser.add_argument(
        "--lexicon",
        type=word_lists,
        metavar="LABEL=FILE,…",
        help="word lists (one word per line) for the row 'lexicon'; default: the shipped positive and negative lists",
    )
    add_options(parser, "ngrams", "chars", about="1")
    parser.add_argument(
        "--weighting",
        choices=tuple(WEIGHTINGS),
        help="how words are weighted, for learners that do not need counts; default: tfidf, or values as they are where"
        " the file has features with values",
    )
    add_options(parser, "min_df", "min_count", "select")
    add_patterns(parser)
    parser.add_argument(
        "--curve", action="store_true", help="learning curves: accuracy with 1/32, 1/16, … of the rows"
    )
    add_options(parser, "metric", about="learners are ranked by it, each with the thresholds that suit it")
    parser.add_argument("--report", metavar="FILE", help="also write the comparison as one HTML page")
    add_division(parser)
    add_weight(
        parser,
        ", to learn from; learners that cannot weigh rows are left out, and every test row counts once",
    )
    add_seed(parser, "seed of the split and the learners")
    add_columns(parser, label=True)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=compare)


def compare(args: argparse.Namespace) -> None:
    """Read, split, vectorise once, fit and test all."""
    note = Notes(args.quiet)
    from lindy.core.targets import ManyLabels, as_lists, as_targets
    from lindy.evaluation.compare import CURVE, Experiment, vectorize
    from lindy.evaluation.compare import compare as run

    if args.test is not None:
        refuse(args, ["share"], "all rows of --test are tested on", "leave one out")
    if args.learner and "lexicon" not in args.learner:
        refuse(args, ["lexicon"], "only the learner 'lexicon' has word lists", "add --learner lexicon")
    if args.report:
        from lindy.cli.commands.report import check_report

        check_report(args.report)
    args.takes_several = True
    data = present(args, read_labelled(args, note))
    other = None if args.test is None else tested_on(args, data, note)
    args.weighting = args.weighting or ("counts" if data.table.find else "tfidf")
    labels, columns = as_targets(data.labels, several=True), text_names(data, wanted_columns(args))
    several = isinstance(labels, ManyLabels)
    if len(labels.names) < 2 and not several:
        raise DataError(
            f"{args.data}: all labels are {labels.names[0]!r}", "a comparison needs at least two classes"
        )
    weight = weights_of(args, data)
    division = division_of(args, data, other)
    kept, tested = held_out(labels, division, other, args, note)
    train_texts, labels, known = data.inputs.take(kept).values, labels.take(kept), labels
    if other is None:
        test_texts, truth = data.inputs.take(tested).values, known.take(tested)
    else:
        test_texts, truth = other.texts, (as_lists if several else as_targets)(other.labels)
    usual = args.learner or usable_learners(data, "compare", note)
    usual = of_several(usual, args, note) if several else usual
    extra = [*pattern_features(args), *mail_features(args, wanted_mail(args))]
    leaks = _leaks(train_texts, test_texts)
    if leaks:
        note(f"warning: {leaks:,} of the {len(truth):,} test texts are also among the training texts")
    with note.progress("vectorising"), usable(args.data):
        train, test, words = vectorize(
            train_texts,
            test_texts,
            ngrams=args.ngrams,
            chars=args.chars,
            min_df=args.min_df,
            min_count=args.min_count,
            select=args.select,
            weighting=args.weighting,
            y=labels.row_codes,
            n_jobs=args.threads,
            columns=columns,
            extra=extra,
            weight=None if weight is None else weight[kept],
        )
    has_words = columns is None and args.chars is None and not extra and input_of(data.table).has_names
    chosen = learners(usual, labels.names, words if has_words else None, args, note)
    with note.progress("learning", len(chosen)) as advance, usable(args.data):
        result = run(
            chosen,
            Experiment(
                train, labels, test, truth, division.take(tested), None if weight is None else weight[kept]
            ),
            curve=CURVE if args.curve else (),
            random_state=args.seed,
            metric=args.metric,
            progress=lambda _name: advance(1 / (len(CURVE) if args.curve else 1)),
        )
    if args.json:
        print_json({"leaks": leaks, "pairs": result.pairs} | asdict(result))
    else:
        sys.stdout.write(render(result))
    if args.report:
        write_report(args, result, note)


def held_out(
    labels: Targets, division: SplitPolicy, other: TextData | None, args: argparse.Namespace, note: Notes
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows to train on and those to test on, which are a part of the table, or a second one below it."""
    import numpy as np

    rows = np.arange(len(labels))
    if other is not None:
        test = len(labels) + np.arange(other.table.num_rows)
        train = division.cleared(rows, test)
        if len(labels.take(train).seen().names) < (1 if labels.row_codes is None else 2):
            raise division.undivided(len(labels))
        if len(train) < len(rows):
            what = (
                "their group is in" if args.time is None else "they are not earlier than, or of a group in,"
            )
            note(f"left out {len(rows) - len(train):,} rows to train on: {what} the table to test on")
        return train, test
    if args.share == 1:
        raise UsageError("argument --share: nothing would be left to train on", "e.g. --share 0.2")
    if division.is_free and not division.can_hold_out(labels, args.share):
        raise DataError(f"{args.data}: too few rows to test on", "use --test, or a larger --share")
    with usable(args.data):
        return division.hold_out(labels, args.share, args.seed)


def tested_on(args: argparse.Namespace, data: TextData, note: Notes) -> TextData:
    """Read the table to test on, whose rows have one label or several as those to learn from."""
    from lindy.core.column import is_list

    args.takes_several = is_list(data.labels)
    if args.takes_several and args.label_separator is None:
        args.label_separator = data.table.source.get("label_separator") or None
    other = read_other(args, note, args.test)
    if is_list(other.labels) and not args.takes_several:
        raise DataError(
            f"{args.test}: rows have several labels, and those of {args.data} have one",
            "give tables of the same kind; --label-separator none keeps joined labels whole",
        )
    return other


def write_report(args: argparse.Namespace, result: Comparison, note: Notes) -> None:
    """Write the page."""
    from lindy.cli.commands.report import described
    from lindy.report import comparison_report

    words = ["lindy", "compare", args.data, *(["--test", args.test] if args.test else [])]
    for option, given in (("--ngrams", args.ngrams), ("--chars", args.chars)):
        words += [option, "{}-{}".format(*given)] if given else []
    words += ["--weighting", args.weighting]
    words += [] if args.metric == "accuracy" else ["--metric", args.metric]
    for role in ("group", "time", "weight"):
        words += [f"--{role}", getattr(args, role)] if getattr(args, role) else []
    words += [*(["--curve"] if args.curve else []), "--seed", str(args.seed)]
    page = comparison_report(
        result,
        title=f"Learners compared on {Path(args.data).name}",
        facts=described({"trained on": args.data, "tested on": args.test}),
        commands=shlex.join([*words, "--report", args.report]),
    )
    write_page(args.report, page, note)


def of_several(names: list[str], args: argparse.Namespace, note: Notes) -> list[str]:
    """Return the learners that can learn several labels per text; refuses others, and weightings, that cannot."""
    from lindy.estimators.learners import learner_class
    from lindy.estimators.output_weights import no_single_classes, one_label_only
    from lindy.text.vocabulary.terms import term_vectorizer

    if term_vectorizer((1, 1), None, args.weighting, select=args.select).uses_labels:
        raise no_single_classes()
    cannot = [name for name in names if not learner_class(name).learns_labels]
    if cannot and args.learner:
        raise one_label_only(learner_class(cannot[0])())
    if cannot:
        note(f"left out: {', '.join(cannot)}, which cannot learn several labels per text")
    return [name for name in names if name not in cannot]


def learners(
    names: list[str], classes: NDArray[Any], words: list[str] | None, args: argparse.Namespace, note: Notes
) -> dict[str, Classifier]:
    """Return the learners by name, each with the seed and the threads."""
    from lindy.estimators.learners import InputKind, learner_class

    chosen: dict[str, Classifier] = {}
    for name in names:
        given: dict[str, Any] = {"random_state": args.seed, "n_jobs": args.threads}
        try:
            kind = learner_class(name)
        except ValueError as error:
            raise UsageError(f"argument --learner: {error}", "'lindy compare --help' says more") from None
        if kind.spec.input_kind is InputKind.WORDS:
            if words is None:
                if args.learner:
                    raise UsageError(
                        f"argument --learner: {name!r} counts the words of one text",
                        "give --text once, alone, and no --chars; images have no words",
                    )
                continue
            lists = own_lists(args.lexicon, classes)
            listed = {word.casefold() for own in (lists or {}).values() for word in own}
            some_known = any(word.casefold() in listed for word in words)
            if not some_known and args.lexicon:
                note("warning: no word of the lists of --lexicon is a feature of this table")
            elif not some_known:
                why, hint = (
                    (
                        "none of its words is a feature of this table",
                        "leave out --ngrams, or give other lists",
                    )
                    if lists
                    else (
                        "the shipped word lists are only for positive and negative texts",
                        "give others with --lexicon LABEL=FILE,…",
                    )
                )
                if args.learner:
                    raise UsageError(
                        f"argument --learner: {name!r} has no word lists for this table: {why}", hint
                    )
                note(f"{name!r} is left out: {why} ({hint})")
                continue
            given |= {"words": lists, "feature_names": words}
        fit: Any = getattr(kind, "fit", None)
        if args.weight is not None and "sample_weight" not in inspect.signature(fit).parameters:
            if args.learner:
                raise UsageError(
                    f"argument --learner: {name!r} cannot weigh examples",
                    "leave out --weight, or this learner",
                )
            note(f"{name!r} is left out: it cannot weigh examples")
            continue
        known = kind._parameter_names()
        chosen[name] = kind(**{key: value for key, value in given.items() if key in known})
    return chosen


def own_lists(paths: dict[str, str] | None, classes: NDArray[Any]) -> dict[Any, Any] | None:
    """Return word lists by label: the user's, or those shipped with lindy if there is one for every class."""
    from lindy.baselines.lexicon import read_words, shipped_for

    if paths is None:
        lists = {label: shipped_for(label) for label in classes.tolist()}
        return lists if all(lists.values()) else None
    labels = {str(label): label for label in classes.tolist()}
    if unknown := [label for label in paths if label not in labels]:
        raise UsageError(
            f"argument --lexicon: no class is called {unknown[0]!r}",
            f"there are: {', '.join([*labels][:20])}",
        )
    return {labels[label]: read_words(path) for label, path in paths.items()}


def render(result: Comparison) -> str:
    """Return a comparison as a table, and what follows from it in words."""
    lines = [
        f"{result.train_rows:,} texts to learn from, {result.test_rows:,} to test on,"
        f" {result.n_features:,} features",
        "",
    ]
    rows = [
        [*cells, what]
        for cells, what in zip(result.cells(), ["size", *(size(r.size) for r in result.results)], strict=True)
    ]
    lines += [table(rows), ""]
    best = result.results[0]
    equal = [r.name for r in result.results[1:] if r.p_value >= 0.05]
    if equal:
        lines.append(f"{best.name} is not shown to be better than {', '.join(equal)} (p ≥ 0.05).")
    elif len(result.results) > 1:
        lines.append(f"{best.name} is better than all others (p < 0.05).")
    lines.append(f"p: {result.test}.")
    if result.several_labels:
        lines.append("exact: share of the texts that get exactly their labels; all others are mistakes.")
    lines.append("same mistakes: share of the best's mistakes that are made here too.")
    if result.never_right:
        lines.append(f"{result.never_right:,} test texts are wrong with every learner.")
    if result.curve:
        lines += ["", *_curve(result)]
    return "\n".join(lines) + "\n"


def _curve(result: Comparison) -> list[str]:
    sizes = list(result.curve[result.results[0].name])
    rows = [[f"{result.curve_metric} with", *(f"{n:,}" for n in sizes), "texts"]]
    rows += [[r.name, *(f"{result.curve[r.name][n]:.4f}" for n in sizes), ""] for r in result.results]
    return [table(rows)]


def _leaks(train: Any, test: Any) -> int:
    """Return how many test texts occur among the training texts, to the letter."""
    import pyarrow as pa

    from lindy.core.column import as_arrow, distinct
    from lindy.core.inputs import as_inputs

    columns = [as_arrow(as_inputs(texts).written).cast(pa.large_string()) for texts in (train, test)]
    _, numbers = distinct(pa.chunked_array([chunk for column in columns for chunk in column.chunks]))
    known = set(numbers[: len(train)].tolist())
    return sum(number in known for number in numbers[len(train) :].tolist())
