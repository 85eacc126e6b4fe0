"""``lindy explain``: why a text gets its label."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import Any

from lindy.cli.io.console import Notes, print_json, write_page
from lindy.cli.options.input_kinds import INPUTS
from lindy.cli.options.shared import add_force, add_threads_quiet_json, at_least
from lindy.cli.parsing import FormerName, UsageError, example_commands, refuse


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "explain",
        epilog=example_commands(
            'lindy explain reviews.lindy "Not bad at all"',
            'lindy explain reviews.lindy "Not bad at all" --html why.html',
        ),
        help="show why a text gets its label",
        description=(
            "Break down the score of a text: what every word adds for or against its label, the running total,"
            " and the words without which the label would be different."
        ),
    )
    parser.add_argument("model", help="model file")
    parser.add_argument(
        "text",
        help="the text (for a model of mail: the raw message or an .eml file; for one of several columns: a JSON object"
        " with their names; for one of features with values: a line of its training file, or a JSON object; for one of"
        " images: an image file, or an idx or npz file with --row); '-' reads it from stdin",
    )
    parser.add_argument(
        "--row", type=at_least(1), metavar="N", help="which image of an idx or npz file; default: the first"
    )
    parser.add_argument("--sheet", metavar="NAME", help="part of an npz file: test takes its x_test")
    parser.add_argument("--contacts", metavar="FILE", help="mail addresses of known senders")
    parser.add_argument(
        "--class", dest="label", metavar="LABEL", help="explain this class; default: the predicted one"
    )
    parser.add_argument("--label", dest="label", action=FormerName, const="--class", help=argparse.SUPPRESS)
    parser.add_argument("--against", metavar="LABEL", help="compare with this class; default: the next best")
    parser.add_argument(
        "--top", type=at_least(1), metavar="N", help="features that are listed; default: 15, all with --json"
    )
    parser.add_argument("--in-order", action="store_true", help="features in the order of the text")
    parser.add_argument("--html", metavar="FILE", help="also write the explanation as a page ('-' is stdout)")
    add_force(parser)
    add_threads_quiet_json(parser, json="print the explanation as JSON on stdout")
    parser.set_defaults(run=explain)


def explain(args: argparse.Namespace) -> None:
    """Load, explain, write."""
    note = Notes(args.quiet)
    from lindy.explain.explanation_html import explanation_page
    from lindy.explain.terminal import render
    from lindy.textclassifier import load

    classifier = load(args.model, n_jobs=args.threads)
    if args.json:
        refuse(args, ["in_order"], "--json has the places of every feature")
    if args.json and not args.html:
        refuse(args, ("label", "against"), "--json has what is added to every label")
    if classifier.columns_.get("text_is") != "mail":
        refuse(args, ["contacts"], "the model was not trained on mail")
    label, other = (known_label(classifier, given) for given in (args.label, args.against))
    explanation = classifier.explain(
        INPUTS[classifier.vectorizer_.takes].example(args, classifier, given_text)
    )
    shown = {"top": args.top or 15, "label": label, "other": other}
    if args.html:
        write_page(args.html, explanation_page(explanation, **shown), note)
    if args.json:
        print_json(explanation.to_dict(args.top))
    elif args.html != "-":
        text = render(explanation, **shown, colour=in_colour(), in_text_order=args.in_order)
        sys.stdout.write(text)


def given_text(args: argparse.Namespace, classifier: Any) -> str:
    """Return the text that was given, or comes from standard input; of a model of mail, that of the message."""
    given = sys.stdin.buffer.read() if args.text == "-" else args.text
    is_mail = classifier.columns_.get("text_is") == "mail"
    if args.text != "-" and os.path.isfile(args.text) and not (is_mail and is_message(args.text)):
        Notes(args.quiet)(
            f"note: this explains the words {args.text!r}; to explain what is in the file of that name, give its text:"
            f" lindy explain {args.model} - < {shlex.quote(args.text)}"
        )
    if is_mail:
        return mail_text(args, classifier, given)
    return given.decode("utf-8", "replace") if isinstance(given, bytes) else given


def is_message(text: str) -> bool:
    """Whether the text is the name of a file with a message."""
    return text.lower().endswith(".eml")


def mail_text(args: argparse.Namespace, classifier: Any, raw: str | bytes) -> str:
    """Return a raw message, or the one in a file of that name, as the text that a model of mail takes."""
    from lindy.data.chunks.source import Source
    from lindy.data.mail import MailWords, read_message

    if isinstance(raw, str) and is_message(raw):
        raw = Source(raw).read()
    words = MailWords.from_state(classifier.columns_, args.contacts)
    return words.text(read_message(raw))


def known_label(classifier: Any, given: str | None) -> Any:
    """Return the class that is written so; None for None."""
    if given is None:
        return None
    for label in classifier.classes_.tolist():
        if str(label) == given:
            return label
    known = ", ".join(str(label) for label in classifier.classes_[:20])
    raise UsageError(f"the model has no label {given!r}", f"its labels: {known}")


def in_colour() -> bool:
    """Whether stdout is a terminal whose user has not asked for no colour (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
