"""``lindy serve``: models over HTTP, with a page to try them on."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from lindy.cli.options import UsageError, at_least


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "serve",
        help="answer for models over HTTP, with a page to try them on",
        description="Answer for models over HTTP, with a page to try them on. Only this machine can ask, unless --host"
        " says otherwise, which needs a token. SIGHUP loads the files again; Ctrl-C ends when the last requests are"
        " answered.",
    )
    parser.add_argument(
        "models", nargs="+", metavar="model", help="model files; the first is the default model"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; default: 127.0.0.1")
    parser.add_argument(
        "--port", type=port, default=8000, metavar="N", help="port; 0 takes a free one; default: 8000"
    )
    parser.add_argument("--workers", type=at_least(1), default=1, metavar="N", help="processes; default: 1")
    parser.add_argument("--token-file", metavar="FILE", help="file with the token that clients must send")
    parser.set_defaults(run=serve)


def port(text: str) -> int:
    """Return a port."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number from 0 to 65535")
    return int(text)


def serve(args: argparse.Namespace) -> None:
    """Listen, load, answer."""
    from lindy.web.application import Application
    from lindy.web.guards import Guard, is_loopback
    from lindy.web.limits import Limits
    from lindy.web.server import Worker, listen
    from lindy.web.service import Service
    from lindy.web.shelf import Shelf

    token = None if args.token_file is None else Path(args.token_file).read_text().strip()
    if token is None and not is_loopback(args.host):
        raise UsageError(
            f"--host {args.host} can be reached by others, so a token is needed",
            "write one into a file and give it with --token-file FILE",
        )
    limits = Limits()
    shelf = Shelf.load(args.models)
    service = Service(shelf, limits)
    sock = listen(args.host, args.port)
    application = Application(service.routes, Guard(args.host, (), token), limits)
    name = f"[{args.host}]" if ":" in args.host else args.host
    sys.stderr.write(f"serving {', '.join(shelf.models)} at http://{name}:{sock.getsockname()[1]}/\n")
    sys.stderr.flush()
    Worker(application, limits, lambda: None).run([sock])
