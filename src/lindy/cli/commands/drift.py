"""``lindy drift``: whether new texts look different from earlier ones, and what a model is worth on them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from lindy.cli.io.console import Notes, clean, print_json, table
from lindy.cli.io.reading import begin_reading, read_for, usable_begun
from lindy.cli.options.shared import (
    add_columns,
    add_inputs,
    add_threads_quiet_json,
    at_least,
    between_0_and_1,
)
from lindy.cli.parsing import example_commands
from lindy.errors import DataError

if TYPE_CHECKING:
    from lindy.core.inputs import Inputs
    from lindy.evaluation.drift import Difference, LabelShares
    from lindy.textclassifier import TextClassifier

DRIFTED = 3
"""The exit code that says that something has changed."""
_MOST_LABELS = 30


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "drift",
        epilog=example_commands(
            "lindy drift reviews.lindy today.csv --reference reviews-train.csv",
            "lindy drift reviews.lindy today.csv --json",
        ),
        help="compare new texts, which need no labels, with earlier ones",
        description="Compare new texts with earlier ones, without labels: whether they look different, which words"
        " changed, how the shares of labels moved, and what accuracy is to be expected. Exits with 3 if the texts look"
        " different, or the expected accuracy is below that of the training.",
    )
    parser.add_argument("model", help="model file")
    add_inputs(parser, "table with new texts; '-' is stdin")
    parser.add_argument(
        "--reference",
        metavar="FILE",
        help="table with earlier texts, such as that of the training: without it, only labels are compared",
    )
    parser.add_argument(
        "--alpha",
        type=between_0_and_1,
        default=0.05,
        metavar="P",
        help="texts look different if they would be told apart as well with at most this probability by chance;"
        " default: %(default)s",
    )
    parser.add_argument("--top", type=at_least(1), default=15, metavar="N", help="words to show; default: 15")
    add_columns(parser, label=False)
    add_threads_quiet_json(parser)
    parser.set_defaults(run=drift)


def drift(args: argparse.Namespace) -> None:
    """Load, read, compare; exit with ``DRIFTED`` if something has changed."""
    note = Notes(args.quiet)
    begun = begin_reading(args)
    from lindy.evaluation.drift import FEWEST, difference
    from lindy.textclassifier import load

    model = load(args.model, n_jobs=args.threads)
    new = read_for(model, args, note, need_label=False, begun=usable_begun(model, args, begun)).inputs
    found = None
    if args.reference is not None:
        quiet = Notes(quiet=True)
        old = read_for(model, args, quiet, need_label=False, data=args.reference).inputs
        for path, inputs in ((args.data, new), (args.reference, old)):
            if len(inputs) < FEWEST:
                raise DataError(
                    f"{path}: {len(inputs)} texts are too few to compare, which takes {FEWEST}",
                    "collect more of them, or leave out --reference to compare labels only",
                )
        with note.progress("comparing"):
            found = difference(model, old, new, top=args.top)
    shares = shares_of(model, new, note)
    worse = shares is not None and shares.interval[1] < held_out(model)[0]
    differs = found is not None and found.p_value <= args.alpha
    if args.json:
        print_json(record(model, found, shares, len(new)) | {"drift": differs or worse})
    else:
        sys.stdout.write(render(model, found, shares, differs=differs))
    if differs or worse:
        raise SystemExit(DRIFTED)


def held_out(model: TextClassifier) -> tuple[float, int]:
    """Return the accuracy on examples that were held out in training, and how many they were."""
    return model.outcomes_.accuracy[0], model.outcomes_.n  # type: ignore[union-attr]


def shares_of(model: TextClassifier, new: Inputs, note: Notes) -> LabelShares | None:
    """Return what the probabilities of new texts say; None, and a remark, where the model has none to rely on."""
    import numpy as np

    from lindy.evaluation.drift import label_shares
    from lindy.evaluation.predictions import Predictions

    missing = {
        "it gives any number of labels to a text": model.several_labels,
        "it has no probabilities": not model.has_probabilities,
        "no examples were held out of its training (lindy calibrate does that)": model.outcomes_ is None,
    }
    for why, lacks in missing.items():
        if lacks:
            note(f"note: the model says nothing of its accuracy on new texts: {why}")
            return None
    if not len(new):
        raise DataError("there are no texts to compare", "name a table with texts")
    with note.progress("predicting"):
        said = Predictions.joined([model.predictions(batch) for batch in new.chunks()])
    counts = np.asarray(model.class_counts_, np.float64)
    return label_shares(said.values, said.best, counts / counts.sum(), held_out(model))


def record(
    model: TextClassifier, found: Difference | None, shares: LabelShares | None, n: int
) -> dict[str, Any]:
    """Return everything as plain values, ready for JSON."""
    made: dict[str, Any] = {"examples": n, "p_value": None, "area_under_curve": None, "words": []}
    if found is not None:
        words = [{"word": own.feature, "old": own.old, "new": own.new, "z": own.z} for own in found.features]
        made |= {"p_value": found.p_value, "area_under_curve": found.auc, "words": words}
    if shares is None:
        return made | {"label_shares": None, "expected_accuracy": None}
    columns = zip(shares.old.tolist(), shares.predicted.tolist(), shares.new.tolist(), strict=True)
    names = map(str, model.classes_.tolist())
    made["label_shares"] = {
        name: dict(zip(("training", "predicted", "corrected"), row, strict=True))
        for name, row in zip(names, columns, strict=True)
    }
    accuracy, known = held_out(model)
    return made | {
        "expected_accuracy": shares.accuracy,
        "expected_accuracy_interval": list(shares.interval),
        "held_out_accuracy": accuracy,
        "held_out_examples": known,
    }


def render(
    model: TextClassifier, found: Difference | None, shares: LabelShares | None, *, differs: bool
) -> str:
    """Return everything as text."""
    said = []
    if found is not None:
        verdict = "the new texts look different" if differs else "no difference is seen"
        said.append(
            f"{verdict} (p = {found.p_value:.4f}; told apart with an area under the ROC curve of {found.auc:.3f})\n"
        )
    if found is not None and found.features:
        rows = [["", "earlier", "new", "z"]]
        rows += [
            [clean(own.feature), f"{own.old:.1%}", f"{own.new:.1%}", f"{own.z:+.1f}"]
            for own in found.features
        ]
        said.append(f"share of texts that have a word\n{table(rows)}\n")
    if shares is not None:
        order = (-abs(shares.new - shares.old)).argsort(kind="stable")[:_MOST_LABELS]
        rows = [["", "training", "predicted", "corrected"]]
        for k in order.tolist():
            own = (shares.old[k], shares.predicted[k], shares.new[k])
            rows.append([clean(str(model.classes_[k])), *(f"{share:.1%}" for share in own)])
        said.append(f"shares of labels\n{table(rows)}\n")
        (low, high), (accuracy, known) = shares.interval, held_out(model)
        said.append(
            f"expected accuracy  {shares.accuracy:.4f}  ({low:.4f} to {high:.4f} with 95 % confidence);"
            f" {accuracy:.4f} on {known:,} examples held out in training\n"
        )
    return "\n".join(said)
