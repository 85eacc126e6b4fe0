"""``lindy tune``: the best recipe of a space, on held-out texts."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lindy.cli.commands.train import fit, warn
from lindy.cli.io.console import Notes, clean, print_json, table, usable
from lindy.cli.io.interrupts import interrupt_handled
from lindy.cli.io.reading import (
    read_labelled,
    read_other,
    text_names,
    wanted_columns,
    wanted_mail,
)
from lindy.cli.options.feature_options import (
    add_lexicon,
    add_options,
    add_patterns,
    learner_called,
    lexicon_features,
    mail_features,
    pattern_features,
)
from lindy.cli.options.input_kinds import usable_learners
from lindy.cli.options.row_options import add_division, add_weight, division_of, weights_of
from lindy.cli.options.shared import (
    add_columns,
    add_force,
    add_seed,
    add_threads_quiet_json,
    as_number,
    at_least,
    between_0_and_1,
)
from lindy.cli.parsing import UsageError, example_commands, refuse
from lindy.progress import shares
from lindy.sanitize import size
from lindy.text.weighting.weighting_registry import SEARCHED, WEIGHTINGS

if TYPE_CHECKING:
    from lindy.data import TextData
    from lindy.textclassifier import TextClassifier
    from lindy.tuning.recipe import Space


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "tune",
        epilog=example_commands("lindy tune reviews.csv --budget 60s -o best.lindy"),
        help="search for the best features, learner and strength",
        description="Search features, learners and their options on held-out texts; Ctrl-C keeps the best so far.",
    )
    parser.add_argument("data", help="table with texts and labels; '-' is stdin")
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        metavar="FILE",
        help="train the best recipe on the whole table and save the model",
    )
    parser.add_argument(
        "--strategy",
        choices=("halving", "grid", "random"),
        default="halving",
        help="halving: all recipes on a ninth of the texts, the best third of them on a third, of those the best"
        " third on all; grid: every recipe; random: some of them; default: halving",
    )
    parser.add_argument(
        "--folds", type=at_least(2), metavar="K", help="cross-validate; default: one dev part"
    )
    parser.add_argument(
        "--dev",
        type=share_or_file,
        default=0.2,
        metavar="P or FILE",
        help="share of the rows that recipes are compared on, or a separate table; default: 0.2",
    )
    parser.add_argument(
        "--trials", type=at_least(1), default=40, metavar="N", help="recipes that 'random' draws"
    )
    add_options(parser, "metric", about="recipes are compared by it, and the saved model decides for it")
    parser.add_argument(
        "--learner",
        type=learner_called,
        action="append",
        metavar="NAME",
        help="only this learner; repeatable",
    )
    add_options(parser, "ngrams", "chars", about="several are searched, with and without characters")
    add_options(parser, "min_df", "min_count", "select")
    add_patterns(parser)
    add_lexicon(parser)
    parser.add_argument(
        "--weighting",
        action="append",
        choices=tuple(WEIGHTINGS),
        help="only this weighting (learners that need counts get counts); repeatable;"
        f" default: {' and '.join(SEARCHED)}",
    )
    parser.add_argument(
        "--points", type=at_least(1), default=9, metavar="N", help="values of C or k per path"
    )
    parser.add_argument("--budget", type=seconds, metavar="TIME", help="stop after 60s, 10m or 1h")
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help="record finished trials in this file, and resume from it"
    )
    add_weight(parser)
    add_division(parser)
    add_seed(parser, "seed of the split and of 'random'")
    add_columns(parser, label=True)
    add_force(parser)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=tune)


def tune(args: argparse.Namespace) -> None:
    """Read, search, show; train and save the best where asked."""
    note = Notes(args.quiet)
    from lindy.core.column import is_list
    from lindy.estimators.learners import make_learner
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import MODEL
    from lindy.textclassifier import TextClassifier
    from lindy.tuning.input_recipes import recipes_for
    from lindy.tuning.search import tune as search

    space = wanted_space(args)
    check_options(args)
    args.takes_several = True
    examples = read_labelled(args, note)
    space = recipes_for(examples.inputs).space(space, args.weighting)
    if not args.learner:
        names = usable_learners(examples, "tune", note)
        if is_list(examples.labels):
            names = [name for name in names if make_learner(name).solves_together]
        space = replace(space, learners={name: space.learners[name] for name in names})
    if args.output:
        check_writable(args.output, MODEL)
    dev = read_other(args, note, str(args.dev)) if isinstance(args.dev, Path) else None
    common, limited = in_common(args, examples), limits(args, examples)
    texts, labels, held_out = with_dev(examples, dev, args.dev)
    with note.progress("tuning", 1.0) as advance, usable(args.data):
        hear = shares(advance)

        def progress(done: int, total: int, best: Any) -> None:
            hear(done / total, f"best so far {abs(best.gain):.4f}: {best.recipe}" if best else "")

        found = search(
            texts,
            labels,
            space=space,
            strategy=args.strategy,
            k=args.folds or 1,
            dev=held_out,
            n_random=args.trials,
            journal=args.journal,
            random_state=args.seed,
            n_jobs=args.threads,
            budget=args.budget,
            progress=progress,
            interrupted=interrupt_handled,
            metric=args.metric,
            options=limited,
            sample_weight=weights_of(args, examples, dev),
            groups=division_of(args, examples, dev),
            **common,
        )
    metric = str(found.criterion.metric) if found.criterion.several else args.metric
    top = [
        {
            metric: found.figure(r),
            "recipe": r.recipe.to_dict(),
            "says": str(r.recipe),
            "share": found.share(r),
        }
        for r in found.results[:10]
    ]
    note(f"tried {len(found.results)} recipes ({found.ended}); best: {top[0]['says']}")
    if args.output:
        model = TextClassifier(
            recipe=found.choice, metric=args.metric, n_jobs=args.threads, **limited, **common
        )
        _save(args, model, examples, dev, note)
    if args.json:
        print_json({"ended": found.ended, "best": top})
    else:
        sys.stdout.write(render(top, metric))


def wanted_space(args: argparse.Namespace) -> Space:
    """Return what is searched, where the examples are texts."""
    from lindy.estimators.learners import usual_learners
    from lindy.tuning.recipe import FEATURES, Features, Space, strengths

    given = [Features(args.ngrams, args.chars)] if args.ngrams or args.chars else None
    try:
        return Space(
            features=given or tuple(FEATURES.values()),
            weightings=args.weighting or SEARCHED,
            learners={name: strengths(name, args.points) for name in args.learner or usual_learners("tune")},
        )
    except ValueError as error:
        raise UsageError(f"argument --learner: {error}", "'lindy train --help' lists them") from None


def check_options(args: argparse.Namespace) -> None:
    """Refuse options that contradict each other, or would have no effect."""
    if args.folds and isinstance(args.dev, Path):
        raise UsageError("argument --dev: a table cannot be combined with --folds", "leave one out")
    if args.folds:
        refuse(args, ["dev"], "all rows are held out in turn with --folds", "leave one out")
    if args.strategy != "random":
        how = f"--strategy {args.strategy} does not draw recipes"
        refuse(args, ["trials"], how, "add --strategy random, or leave it out")


def render(top: list[dict[str, Any]], metric: str) -> str:
    """Return the best recipes as a table; where some learned from a part of the rows only, it says from how many."""
    rows = [["recipe", clean(metric)], *([entry["says"], f"{entry[metric]:.4f}"] for entry in top)]
    if any(entry["share"] < 1 for entry in top):
        rows[0].append("learned from")
        for row, entry in zip(rows[1:], top, strict=True):
            row.append("all rows" if entry["share"] == 1 else f"1/{round(1 / entry['share'])} of them")
    return table(rows) + "\n"


def with_dev(examples: TextData, dev: TextData | None, share: Any) -> tuple[Any, list[Any], Any]:
    """Return all texts and labels, and what is held out of them: a share, or the rows of the dev table."""
    labels: Any = listed(examples)
    if dev is None:
        return examples.texts, labels, share
    import numpy as np

    others = listed(dev)
    both = type(examples.inputs).joined([examples.inputs, dev.inputs])
    return both.values, labels + others, np.arange(len(examples.texts), len(both))


def listed(examples: TextData) -> list[Any]:
    """Return the labels as a list, of sets where rows have several."""
    from lindy.core.column import is_list

    labels: Any = examples.labels
    own = labels.to_pylist()
    return [set(row or ()) for row in own] if is_list(labels) else own


def limits(args: argparse.Namespace, examples: TextData) -> dict[str, Any]:
    """Return which words are left out, of the recipes that are compared and of the model that is saved."""
    from lindy.tuning.automatic import rare_limit

    return {
        "min_df": rare_limit(examples.inputs, args.min_df),
        "min_count": args.min_count,
        "select": args.select,
    }


def in_common(args: argparse.Namespace, examples: TextData) -> dict[str, Any]:
    """Return what all recipes have in common: the columns, and the features beside theirs."""
    extra = [*pattern_features(args), *lexicon_features(args), *mail_features(args, wanted_mail(args))]
    return {"columns": text_names(examples, wanted_columns(args)), "extra": extra}


def _save(
    args: argparse.Namespace, model: TextClassifier, examples: TextData, dev: TextData | None, note: Notes
) -> None:
    """Train the best recipe on the whole table."""
    rows = {"weight": args.weight, "group": args.group, "time": args.time}
    fit(model, examples, note, mail=wanted_mail(args), **rows)
    warn(model, note)
    held_out = dev or examples
    model.remember("tuning", held_out.texts, held_out.labels)
    model.save(args.output)
    note(f"saved {args.output} ({size(args.output.stat().st_size)})")


def share_or_file(text: str) -> float | Path:
    """Return 0.2 for ``0.2``, and the path of a table for anything that is not a number."""
    return Path(text) if math.isnan(as_number(text)) else between_0_and_1(text)


def seconds(text: str) -> float:
    """Return 60.0 for ``60s`` or ``1m``."""
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
    value = as_number(text[:-1] if unit else text) * (unit or 1)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 60s, 10m or 1h")
    return value
