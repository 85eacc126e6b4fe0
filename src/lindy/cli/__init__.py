"""The command line, one file per command; ``app`` has their names."""

from __future__ import annotations

import gc
import os
import sys
from io import TextIOWrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> int:
    """Run the command line and return its exit code."""
    args = sys.argv[1:]
    _open_streams()
    if args == ["--version"]:
        # answered before anything else is imported
        from lindy import __version__

        try:
            sys.stdout.write(f"lindy {__version__}\n")
            sys.stdout.flush()
        except OSError:  # which the command below meets again and explains
            pass
        else:
            return 0
    _answer_interrupts()
    # the modules make tens of thousands of objects that stay: looking for garbage among them takes a tenth of the start
    gc.set_threshold(100_000, *gc.get_threshold()[1:])
    # NumPy's BLAS would start its threads with the process; the kernels have their own
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from lindy.cli.app import run

    try:
        code = run(args)
    except KeyboardInterrupt:  # one more, before the first was answered
        sys.stderr.write("error: interrupted\n")
        code = 130
    if code == 130:  # an interrupt may leave a thread in the core, which would end the process with an abort
        import contextlib

        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    # the end of the process would look for garbage once more, among everything that was imported
    gc.freeze()
    return code


def end_at_once(number: int = 0, frame: object = None) -> NoReturn:  # noqa: ARG001
    """Answer Ctrl-C with one line and the exit code, until the command runs, which then answers it itself."""
    try:
        os.write(2, b"error: interrupted; nothing was written\n")
    finally:  # even if stderr is closed
        os._exit(130)


def _answer_interrupts() -> None:
    """Let Ctrl-C end the command, before anything is imported whose import would make an error of its own of it.

    This import does so itself: Python 3.11 raises RuntimeError where an interrupt comes while an enumeration is made.
    Nothing else can make it fail.
    """
    try:
        import signal
    except (KeyboardInterrupt, RuntimeError):
        end_at_once()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)


def _open_streams() -> None:
    """Give a process that was started without stdin, stdout or stderr ones that are empty, closed and silent.

    What stdout's encoding does not have, such as a label in another script, is written as an escape.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        from lindy.cli.io.closed import closed_output

        sys.stdout = closed_output()
    elif isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
        if sys.platform == "win32":  # whose own encoding of pipes and files has a few hundred characters
            sys.stdout.reconfigure(encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
