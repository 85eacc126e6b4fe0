"""The commands together, and what happens when one of them fails."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from typer.exceptions import Abort, Exit, TyperException

from lindy.cli import demo, evaluate, predict, train
from lindy.cli.manners import fail
from lindy.errors import LindyError

EPILOG = (
    "Exit codes: 0 done, 1 the data or a file could not be used, 2 the command was called wrongly, 130 interrupted."
    " Results go to stdout, everything else to stderr; '-' is stdin or stdout."
)

INTERRUPTED = 130

app = typer.Typer(
    name="lindy",
    help="Linear text classifiers: train on a table, predict, evaluate.",
    epilog=EPILOG,
    rich_markup_mode=None,  # Rich's help costs more start-up time than the rest together
    pretty_exceptions_enable=False,
)
app.command("train")(train.train)
app.command("predict")(predict.predict)
app.command("evaluate")(evaluate.evaluate)
app.command("demo")(demo.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        from lindy import __version__

        typer.echo(f"lindy {__version__}")
        raise Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and stop.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    pass


def run(args: list[str]) -> int:
    """Run one command; every expected failure becomes ``error:`` and ``hint:`` on stderr and an exit code."""
    try:
        code = typer.main.get_command(app).main(args or ["--help"], prog_name="lindy", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # Typer has caught the KeyboardInterrupt
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except Exit as stop:
        return stop.exit_code
    except BrokenPipeError:
        # the reader of our output went away: point stdout elsewhere so that the exit does not complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (TyperException, LindyError, OSError, MemoryError, KeyboardInterrupt, Abort) as error:
        message, hint, code = explained(error, args)
        fail(message, hint)
        return code


def explained(error: BaseException, args: list[str]) -> tuple[str, str | None, int]:
    """Return what went wrong, what to do about it, and the exit code."""
    if isinstance(error, TyperException):
        known = {command.name for command in app.registered_commands}
        command = f"lindy {args[0]}" if args and args[0] in known else "lindy"
        return error.format_message(), f"'{command} --help' lists what it takes", 2
    if isinstance(error, LindyError):
        return str(error), error.hint, 1
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}", None, 1
    if isinstance(error, MemoryError):
        return "out of memory", "use fewer features (--max-features, --min-df) or a smaller file", 1
    return "interrupted; nothing was written", None, INTERRUPTED
