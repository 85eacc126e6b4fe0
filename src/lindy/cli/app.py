"""The commands together, and what happens when one of them fails."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from lindy.cli.io.console import fail
from lindy.cli.io.interrupts import Interrupts
from lindy.cli.options.fasttext_flags import COMMANDS as FLAGGED
from lindy.cli.options.fasttext_flags import flag_of, refuse_flags, translated
from lindy.cli.parsing import CommandsParser, Parser, UsageError
from lindy.errors import LindyError
from lindy.files.output_guard import protecting

GROUPS = {  # each command the name of a module of cli/commands
    "make a model": ("train", "tune", "compare", "update", "calibrate", "merge", "shrink"),
    "use it": ("predict", "explain", "convert-model"),
    "look at it": ("evaluate", "inspect", "report", "plot", "drift"),
    "data": ("split", "convert", "audit", "embed"),
    "serve": ("serve", "export"),
    "learn": ("demo", "lab"),
}
"""The commands, as ``lindy --help`` lists them."""
COMMANDS = tuple(command for group in GROUPS.values() for command in group)
INTERRUPTED = 130
NO_READER = 141  # as of a program that the system ends because nobody reads what it writes
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # other outputs name their file
ELSEWHERE = {
    "supervised": "'lindy train FILE -o MODEL', which reads fastText's lines from .ft files or with --format fasttext",
    "test": "'lindy evaluate MODEL FILE', with --fasttext the three numbers that 'fasttext test' prints",
    "test-label": "'lindy evaluate MODEL FILE', which has precision, recall and F1 of every label",
    "predict-prob": "'lindy predict MODEL FILE --proba', or --top-k K for the K best labels",
    "quantize": "'lindy shrink MODEL -o SMALL --texts FILE', or 'lindy train FILE --small'",
    "dump": "'lindy inspect MODEL', or --weights FILE for all numbers of a model that lindy learned",
    "fit": "'lindy train FILE -o MODEL'",
    "skipgram": "'lindy embed FILE -o VECTORS', which learns word vectors by singular values",
    "cbow": "'lindy embed FILE -o VECTORS', which learns word vectors by singular values",
}
"""Names that other programs have for a command, and its name here."""
_VECTORS = "lindy learns classifiers, and no word vectors"
NOWHERE = {
    "nn": f"{_VECTORS} to have neighbours: 'lindy inspect MODEL' lists the words that speak for each label",
    "analogies": f"{_VECTORS} to add and subtract: 'lindy inspect MODEL' lists the words that speak for each label",
    "print-word-vectors": f"{_VECTORS}: 'lindy inspect MODEL --weights FILE' writes the weights of words",
    "print-sentence-vectors": f"{_VECTORS}: 'lindy predict MODEL FILE --proba' has a number for every label",
    "print-ngrams": f"{_VECTORS}: 'lindy explain MODEL TEXT' says what each word and n-gram adds",
}
"""Commands of fastText that have no counterpart, and what comes nearest."""
_COMPARED = "the page guide/from-fasttext compares the two"

EPILOG = """\
exit codes:
  0  done
  1  the data or a file could not be used
  2  the command was called wrongly
  3  lindy drift: something has changed
  130  interrupted
  141  whoever read the output went away, as in '| head'

Results go to stdout, everything else to stderr; '-' is stdin or stdout.
'lindy COMMAND --help' lists the options of a command."""


def parser(commands: tuple[str, ...] = COMMANDS) -> Parser:
    """Return the parser of the command line with these commands: the others need not be imported to run one."""
    about = "Linear text classifiers: train on a table, predict, evaluate."
    top = CommandsParser(prog="lindy", description=about, epilog=EPILOG)
    top.groups = GROUPS
    top.add_argument("--version", action="store_true", help="show the version and exit")
    top.add_argument(
        "--completion",
        choices=("bash", "zsh", "tcsh"),
        help='print a completion script for a shell and exit; for bash: eval "$(lindy --completion bash)"',
    )
    group = top.add_subparsers(title="commands", dest="command", metavar="COMMAND", parser_class=Parser)
    for command in commands:
        import_module(f"lindy.cli.commands.{command.replace('-', '_')}").add_to(group)
    return top


def run(args: list[str]) -> int:
    """Run one command; every expected failure becomes ``error:`` and ``hint:`` on stderr and an exit code."""
    interrupts, written = Interrupts(), list[str]()
    try:
        interrupts.listen()
        code = 0
        try:
            _run(args, written)
        except SystemExit as stop:  # --help
            code = int(stop.code or 0)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _discard_output()  # its reader went away
        return NO_READER
    except (LindyError, OSError, MemoryError, KeyboardInterrupt) as error:
        if interrupts.came or isinstance(error, KeyboardInterrupt):
            return _interrupted(written, interrupts)
        message, hint, code = explained(error, args)
        fail(message, hint)
        if _output_fails():
            _discard_output()
        return code
    except Exception as error:
        if interrupts.came:
            return _interrupted(written, interrupts)
        if not _lacks_threads(error):
            raise
        fail("the system gives no more threads", "use --threads 1, or allow more processes (ulimit -u)")
        return 1
    finally:
        interrupts.end()


def _interrupted(written: list[str], interrupts: Interrupts) -> int:
    """Say that the command was interrupted, and which file it had written before; once, however often Ctrl-C comes."""
    interrupts.end()
    fail(f"interrupted; {f'{written[-1]} had been written' if written else 'nothing was written'}", None)
    return INTERRUPTED


def _lacks_threads(error: Exception) -> bool:
    """Whether Python or the core could not start a thread."""
    said = ("can't start new thread", os.strerror(errno.EAGAIN))
    return isinstance(error, RuntimeError) and str(error) in said


def _run(args: list[str], written: list[str]) -> None:
    if args and args[0] in ELSEWHERE:
        raise UsageError(f"unknown command {args[0]!r}", f"in lindy this is {_elsewhere(args)}")
    if args and args[0] in NOWHERE:
        raise UsageError(f"unknown command {args[0]!r}", f"{NOWHERE[args[0]]}; {_COMPARED}")
    refuse_flags(args)
    top = parser((args[0],) if args and args[0] in COMMANDS else COMMANDS)
    wanted = top.parse_args(args)
    if wanted.version:
        from lindy import __version__

        sys.stdout.write(f"lindy {__version__}\n")
    elif wanted.completion:
        import shtab

        sys.stdout.write(shtab.complete(top, wanted.completion) + "\n")
    elif wanted.command is None:
        top.print_help()
    else:
        with protecting(force=getattr(wanted, "force", False), outputs=written):
            wanted.run(wanted)


def _elsewhere(args: list[str]) -> str:
    """Return what a command of another program is here; where it has flags of fastText, the whole command."""
    own = ELSEWHERE[args[0]]
    if args[0] in FLAGGED and any(map(flag_of, args[1:])):
        return f"{own}; {translated(args)}"
    return f"{own}; {_COMPARED}"


def _output_fails() -> bool:
    """Whether standard output has something that it cannot write."""
    try:
        sys.stdout.flush()
    except OSError:
        return True
    return False


def _discard_output() -> None:
    """Point standard output elsewhere, so that Python does not complain at exit about what it still has to write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def explained(error: Exception, args: Sequence[str] = ()) -> tuple[str, str | None, int]:
    """Return what went wrong, what to do about it, and the exit code; options among the arguments are not proposed."""
    if isinstance(error, LindyError):
        return str(error), error.hint, 2 if isinstance(error, UsageError) else 1
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        if not place and (error.errno in _NO_SPACE or _output_fails()):
            place = "cannot write to standard output: "
        return f"{place}{error.strerror or error}", None, 1
    given = {argument.split("=")[0] for argument in args}
    ways = {
        "--max-features": "use fewer features (--max-features N)",
        "--min-df": "leave out rare words (--min-df 2)",
        "--memory": "for 'lindy train' say how much there is (--memory SIZE)",
    }
    hint = ", or ".join(
        [*(way for option, way in ways.items() if option not in given), "take a smaller file"]
    )
    return "out of memory", hint, 1
