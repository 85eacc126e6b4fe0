"""``lindy train``: from a table to a saved model."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any

from lindy.cli.commands.shrink import summary as small_summary
from lindy.cli.io.console import Notes, as_options, print_json, usable
from lindy.cli.io.large import Large, add_memory, within_memory
from lindy.cli.io.reading import (
    announced,
    begin_reading,
    read,
    table_of,
    text_names,
    wanted_columns,
    wanted_mail,
)
from lindy.cli.options.feature_options import (
    add_affixes,
    add_embedding,
    add_lexicon,
    add_options,
    add_patterns,
    add_pixels,
    affix_features,
    check_scale,
    embedding_features,
    lexicon_features,
    mail_features,
    pattern_features,
    pixel_features,
)
from lindy.cli.options.input_kinds import input_of
from lindy.cli.options.learner_options import (
    OptionOrHelp,
    add_kernel,
    curve,
    has_lists,
    support,
    wanted_learner,
)
from lindy.cli.options.partitions import add_on, check_on, fit_on
from lindy.cli.options.row_options import add_division, add_weight
from lindy.cli.options.shared import (
    add_columns,
    add_force,
    add_id,
    add_inputs,
    add_seed,
    add_threads_quiet_json,
    at_least,
    shown,
)
from lindy.cli.parsing import Group, UsageError, example_commands, refuse
from lindy.data.formats.registry import without_format
from lindy.estimators.learners import InputKind
from lindy.sanitize import size
from lindy.tuning.text_options import FEATURES, TextOptions

if TYPE_CHECKING:
    from lindy.data import TextData
    from lindy.data.mail import MailWords
    from lindy.textclassifier import TextClassifier


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "train",
        epilog=example_commands(
            "lindy train reviews.csv",
            "lindy train reviews.csv --text body --label stars -o stars.lindy",
            "lindy train export.csv --encoding auto --report report.html",
            "lindy train reviews.csv --learner svm --ngrams 1-2 --param C=0.5",
        ),
        help="train a classifier on a table and save it",
        description="Train a classifier on a table of texts and labels and save it as one file.",
    )
    add_inputs(parser, "table (CSV, TSV, JSONL, Parquet, …; also .gz, .zst) or folder; '-' is stdin")
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="model file to write; default: the table's name with .lindy",
    )
    add_columns(parser, label=True)
    add_force(parser)
    add_threads_quiet_json(parser)
    _add_learning(parser.add_argument_group("what is learned"))
    _add_features(parser.add_argument_group("features of a text"))
    add_kernel(parser)
    _add_rows(parser.add_argument_group("rows, and what the model shall be good at"))
    _add_report(parser.add_argument_group("a page about the model"))
    parser.add_argument(
        "--small",
        action="store_true",
        help="save a small model of at most 1 MB: the features that matter most, weights of eight bits; says what that"
        " costs on a fifth of the table; other sizes: 'lindy shrink'",
    )
    larger = parser.add_argument_group("large inputs and clusters")
    add_memory(larger)
    add_on(larger)
    parser.set_defaults(run=train)


def _add_learning(group: Group) -> None:
    """Add the options that say which learner is trained, and how."""
    add_options(group, "learner", "fast", "thorough")
    group.add_argument(
        "--param",
        metavar="NAME=VALUE",
        action=OptionOrHelp,
        help="an option of the learner, e.g. alpha=0.5; repeatable; after --learner NAME, 'help' lists them",
    )
    add_options(group, "early_stop", "calibration", "tree", "trees", "keep_rows")
    add_seed(group, "seed of learners that draw at random")


def _add_features(group: Group) -> None:
    """Add the options that say what the features of a text are."""
    add_options(group, *FEATURES)
    group.add_argument(
        "--hash",
        type=at_least(2, 2**31 - 1),
        metavar="N",
        help="no vocabulary: words (--ngrams) or characters (--chars) fall into N columns by their hashes, such as"
        " 1048576; the memory of the model no longer grows with the texts",
    )
    add_options(group, "scaling")
    add_affixes(group)
    add_patterns(group)
    add_lexicon(group, "; with --learner lexicon the lists of its labels")
    add_embedding(group)
    add_pixels(group)


def _add_rows(group: Group) -> None:
    """Add the options that say how much rows and classes count, how rows are held out, and what is measured."""
    add_options(group, "metric", "class_weight", "hierarchy")
    add_weight(group)
    add_division(group)


def _add_report(group: Group) -> None:
    """Add the options of the report."""
    group.add_argument(
        "--report",
        metavar="FILE",
        help="also write a page about the model, tested on --test or else on a fifth of the table that is held out",
    )
    group.add_argument("--test", metavar="TABLE", help="table that the report tests on")
    add_id(group)


def train(args: argparse.Namespace) -> None:
    """Read, learn, save."""
    note = Notes(args.quiet)
    began = time.perf_counter()
    check_on(args)
    mail, target = wanted_mail(args), args.output or default_output(args.data)
    large = None if args.on is not None else Large.of(args, mail, target, note)
    begun = None if large or args.on is not None else begin_reading(args)
    learner = wanted_learner(args)
    _check_small(args, learner)
    from lindy.files.atomic import check_writable
    from lindy.files.output_guard import MODEL

    check_writable(target, MODEL)
    hashed_terms(args, learner)  # refused before anything is read
    if args.report:
        from lindy.cli.commands.report import check_report

        check_report(args.report)
    elif args.id:
        raise UsageError("argument --id: it has no effect without --report", "add --report FILE")
    elif args.test:
        raise UsageError(
            "argument --test: it has no effect without --report",
            f"add --report FILE, or train without it, then: lindy evaluate {target} {args.test}",
        )
    if args.hash is not None and args.hash < 32:  # other programs count bits
        note(f"warning: --hash {args.hash} is {args.hash} columns; if bits were meant, --hash {2**args.hash}")
    args.takes_several = args.on is None
    if args.on is not None:
        _train_on(args, learner, target, note, began)
        return
    with within_memory(args, large):
        columns = wanted_columns(args)
        if large is None:
            with note.progress("reading"):
                source = begun() if begun else table_of(args, args.format, mail)
        else:
            source = large.read()
        examples = announced(read(source, args, columns, mail), note)
        if args.id and args.id not in source.column_names:
            raise source.no_such_column(args.id)
        model = new_model(args, learner, text_names(examples, columns), mail)
        with usable(shown(args.data), input_of(examples.table).hint):
            fit(model, examples, note, mail=mail, weight=args.weight, group=args.group, time=args.time)
        if args.early_stop is not None:
            note(curve(model.learner_))
        model = _saved(model, examples, args, target, note)
        summary = _summary(model, examples, target, time.perf_counter() - began)
        note(describe(summary))
        warn(model, note)
        if args.report:
            from lindy.cli.commands.report import report_training

            report_training(model, examples, args)
        if args.json:
            print_json(summary)


def _saved(
    model: TextClassifier, examples: TextData, args: argparse.Namespace, target: str, note: Notes
) -> TextClassifier:
    """Save the model, or the small one that is asked for; return which it was."""
    if args.small:
        with note.hearing("shrinking"):
            model = model.shrink(examples.texts, examples.labels)
    model.save(target)
    return model


def _check_small(args: argparse.Namespace, learner: Any) -> None:
    """Refuse what a small model could not be learned anew with."""
    if args.small:
        refuse(
            args,
            ("keep_rows", "weight", "group", "time", "on", "report"),
            "--small learns from the texts and labels alone, and keeps no rows",
            "leave it out, or train without --small, then: lindy shrink",
        )
        if learner != "auto" and not hasattr(learner, "dense_weights"):
            raise UsageError(
                f"argument --small: {learner.class_name} has no weights of features that could be left out",
                "name a linear learner, such as svm, maxent or perceptron, or none",
            )


def _train_on(args: argparse.Namespace, learner: Any, target: str, note: Notes, began: float) -> None:
    """Train on files as partitions."""
    model = new_model(args, learner, None)
    with usable(shown(args.data)):
        fit_on(model, args, target, note)
    summary = _summary(model, None, target, time.perf_counter() - began)
    note(describe(summary))
    warn(model, note)
    if args.json:
        print_json(summary)


def _summary(model: TextClassifier, examples: TextData | None, target: str, seconds: float) -> dict[str, Any]:
    """Return what is said about a model that was trained and saved; texts in partitions have no examples here."""
    from lindy.estimators.learners import learner_name

    return {
        "model": target,
        "learner": learner_name(model.learner_),
        "recipe": model.recipe_,
        "why": model.why_,
        "examples": model.n_examples,
        **({} if examples is None else input_of(examples.table).summary),
        **({"columns": model.columns} if model.columns else {}),
        **({} if model.small_ is None else {"small": small_summary(model, target)}),
        "classes": {str(c): n for c, n in zip(model.classes_, model.class_counts_.tolist(), strict=True)},
        "features": int(model.learner_.n_features_in_),
        **support(model.learner_),
        "calibration": model.calibrator_.method if model.calibrator_ else None,
        "metric": model.metric_,
        "concerns": [as_options(said) for said in model.concerns_],
        "bytes": os.stat(target).st_size,
        "seconds": round(seconds, 3),
    }


def new_model(
    args: argparse.Namespace,
    learner: Any,
    columns: dict[str, list[str]] | None,
    mail: MailWords | None = None,
) -> TextClassifier:
    """Return the unfitted model that the options ask for."""
    from lindy.textclassifier import TextClassifier

    hashed, wanted = hashed_terms(args, learner), getattr(learner, "input_kind", InputKind.WEIGHTS)
    given = {name: getattr(args, name) for name in TextOptions.__annotations__ if hasattr(args, name)}
    if hashed is not None:  # it takes the place of the options of features
        given = {name: value for name, value in given.items() if name not in FEATURES}
    given |= {
        "learner": learner,
        "vectorizer": pixel_features(args) if hashed is None else hashed,
        "extra": [
            *affix_features(args, wanted),
            *pattern_features(args),
            *([] if has_lists(learner) else lexicon_features(args)),
            *mail_features(args, mail, wanted),
            *embedding_features(args),
        ],
        "columns": columns,
        "class_weight": args.class_weight if learner == "auto" else None,
        "n_jobs": args.threads,
    }
    return TextClassifier(**given)


def hashed_terms(args: argparse.Namespace, learner: Any) -> Any:
    """Return the vectorizer of ``--hash``; None without it. Learners of counts get counts, without signs."""
    check_scale(args)
    if args.hash is None:
        return None
    if args.ngrams and args.chars:
        raise UsageError("argument --hash: words or characters, not both", "give --ngrams or --chars")
    needing = [name for name in FEATURES if name not in ("ngrams", "chars")]
    refuse(args, needing, "it needs a vocabulary, and --hash has none", "leave out one of them")
    from lindy.text import HashingVectorizer

    are_counts = getattr(learner, "input_kind", None) is InputKind.COUNTS
    return HashingVectorizer(
        n_features=args.hash,
        norm=None if are_counts else "l2",
        alternate_sign=not are_counts,
        ngram_range=args.chars or args.ngrams or (1, 1),
        analyzer="char_wb" if args.chars else "unicode_words",
        n_jobs=args.threads,
    )


def fit(model: TextClassifier, examples: TextData, note: Notes, **columns: Any) -> None:
    """Train a model as ``fit_examples`` does, with a bar; what should be known about it is left to ``warn``.

    That labels are joined is said before: each combination is a class, which may take long, or too much memory.
    """
    import warnings

    from lindy.core.column import distinct, is_list
    from lindy.errors import RareClassWarning
    from lindy.evaluation.diagnostics import joined_labels

    if not is_list(examples.labels) and (joined := joined_labels(distinct(examples.labels)[0])):
        note(f"warning: {joined}")
    with note.hearing("learning"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RareClassWarning)
        model.fit_examples(examples, **columns)


def warn(model: TextClassifier, note: Notes) -> None:
    """Say what should be known about a model, but for joined labels, which were spoken of before the fit."""
    from lindy.evaluation.diagnostics import joined_labels

    joined = joined_labels(model.classes_.tolist())
    for said in model.concerns_:
        if said != joined:
            note(f"warning: {said}")


def default_output(data: str | list[str]) -> str:
    """Return where the model goes when the user did not say: ``reviews.csv.gz`` → ``reviews.lindy``."""
    if data == "-" or not isinstance(data, str):
        what = "the table comes from stdin" if data == "-" else "there are several inputs"
        raise UsageError(f"the model needs a file name when {what}", "add -o model.lindy")
    return without_format(os.path.basename(os.path.abspath(data))) + ".lindy"


def describe(summary: dict[str, Any]) -> str:
    """Return the lines that ``train`` ends with."""
    counts = sorted(summary["classes"].items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name} {count:,}" for name, count in counts[:6])
    more = f" and {len(counts) - 6} more" if len(counts) > 6 else ""
    calibrated = f"; probabilities by {summary['calibration']} calibration" if summary["calibration"] else ""
    of = "rows" if "columns" in summary or "bags" in summary else "texts"
    of = "images" if "images" in summary else of
    made_of, small = f"{summary['features']:,} features", ""
    if own := summary.get("small"):
        small = f"{own['features']:,} of {own['features_before']:,} features are left; {own['said']}\n"
    if "support examples" in summary:
        made_of = f"{summary['support examples']:,} support examples"
    chosen = "".join(f"{line}\n" for line in summary["why"] or [f"recipe: {summary['recipe']}"])
    return (
        f"{chosen}trained {summary['learner']} on {summary['examples']:,} {of}, {len(counts)} classes ({shown}{more}),"
        f" {made_of}{calibrated}\n{small}"
        f"saved {summary['model']} ({size(summary['bytes'])}) after {summary['seconds']:.2f} s"
    )
