"""``lindy serve``: models over HTTP, with a page to try them on."""

from __future__ import annotations

import argparse
from typing import Any

from lindy.cli.options.shared import at_least
from lindy.cli.parsing import UsageError, example_commands
from lindy.errors import MissingPackageError

MOST_WORKERS = 256


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "serve",
        epilog=example_commands(
            "lindy serve reviews.lindy", "lindy serve reviews.lindy other.lindy --test test.csv --port 8080"
        ),
        help="answer for models over HTTP, with a page to try them on",
        description="Answer for models over HTTP, with a page to try them on. Only this machine can ask, unless --host"
        " says otherwise, which needs a token. SIGHUP (not on Windows) loads the files again, Ctrl-C ends when the last"
        " requests are answered.",
    )
    parser.add_argument(
        "models", nargs="+", metavar="model", help="model files; the first is the default model"
    )
    parser.add_argument(
        "--host", metavar="ADDRESS", default="127.0.0.1", help="address to listen on; default: 127.0.0.1"
    )
    parser.add_argument(
        "--port",
        type=port,
        metavar="N",
        default=8000,
        help="port to listen on; 0 takes a free one; default: 8000",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        metavar="NAME",
        default=[],
        help="a name by which clients may call the service, such as that of a proxy in front of it; repeatable",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="file with the token that clients send; needed for other machines",
    )
    parser.add_argument(
        "--workers",
        type=workers,
        metavar="N",
        default=1,
        help="processes that answer (one on Windows); default: 1",
    )
    parser.add_argument(
        "--examples", metavar="TABLE", help="table with texts to try on the page; default: that of --test"
    )
    parser.add_argument(
        "--test",
        metavar="TABLE",
        help="table with labels, of which the models' cards then show figures and likely label errors;"
        " default: examples that were held out in training",
    )
    parser.add_argument("--feedback", metavar="FILE", help="CSV file that corrections are appended to")
    parser.add_argument(
        "--new-labels",
        action="store_true",
        help="let corrections have labels that the model does not know; default: they are refused",
    )
    parser.add_argument(
        "--access-log", action="store_true", help="write a line of JSON to stdout for every request"
    )
    parser.add_argument("--check", action="store_true", help="check options and files, and end")
    parser.set_defaults(run=serve)


def port(text: str) -> int:
    """Return a port."""
    if not (text.isascii() and text.isdecimal() and int(text) < 1 << 16):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number from 0 to 65535")
    return int(text)


def workers(text: str) -> int:
    """Return a number of processes."""
    number: int = at_least(1)(text)
    if number > MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {MOST_WORKERS} processes")
    return number


def serve(args: argparse.Namespace) -> None:
    """Answer, or only check that it could be done."""
    if args.new_labels and args.feedback is None:
        raise UsageError("argument --new-labels: it has no effect without --feedback", "add --feedback FILE")
    try:
        from lindy.web import start
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"lindy serve needs the package {error.name}", "install it with: pip install 'lindy[serve]'"
        ) from error
    settings = start.Settings(
        models=args.models,
        host=args.host,
        port=args.port,
        workers=args.workers,
        token=start.read_token(args.token_file, args.host),
        names=args.allow_host,
        examples=args.examples,
        test=args.test,
        feedback=args.feedback,
        new_labels=args.new_labels,
        access_log=args.access_log,
    )
    if args.check:
        start.check(settings)
    else:
        start.serve(settings)
