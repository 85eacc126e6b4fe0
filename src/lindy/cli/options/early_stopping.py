"""``lindy train --early-stop``: stop before a learner gets worse on texts it has not seen, and show how it went."""

from __future__ import annotations

from typing import Any

from lindy.cli.io.console import table
from lindy.cli.options.shared import between_0_and_1
from lindy.cli.parsing import Group, Parser, UsageError

_SHOWN = 12


def add_early_stop(parser: Parser | Group) -> None:
    """Add ``--early-stop``."""
    parser.add_argument(
        "--early-stop",
        type=between_0_and_1,
        nargs="?",
        const=0.1,
        metavar="SHARE",
        help="hold out a share of the texts (default: 0.1), stop after five epochs without improvement on them, keep"
        " the best epoch and show the curve; for perceptron and mira, between which --learner auto then chooses",
    )


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
