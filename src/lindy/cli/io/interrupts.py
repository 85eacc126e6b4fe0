"""Ctrl-C while a command runs."""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any, ClassVar

from lindy.cli import end_at_once

AGAIN = 0.5
"""Seconds after which an interrupt that did not end the command is raised once more."""


def interrupt_handled() -> None:
    """Say that the interrupt was answered by a command that goes on: it is not raised again."""
    if Interrupts.listening is not None:
        Interrupts.listening.handled()


class Interrupts:
    """Ctrl-C as a KeyboardInterrupt that ends the command.

    Python drops an exception that is raised in a destructor or in a callback of its own (an import has some), and
    libraries catch it or turn it into an error of theirs. So it is remembered (``came``), and raised again until
    the command has ended, or has said that it is ``handled``.
    """

    listening: ClassVar[Interrupts | None] = None
    """That of the command that runs."""

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None
        self._alarm_before: Any = None
        self._timer_before = (0.0, 0.0)
        self._report_before = sys.unraisablehook

    def listen(self) -> None:
        """Answer Ctrl-C from now on, unless the process was started to ignore it."""
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) in (end_at_once, signal.default_int_handler):
            self._before = signal.signal(signal.SIGINT, self._raise)
            sys.unraisablehook = self._report
            Interrupts.listening = self

    def handled(self) -> None:
        """Forget the interrupt: the command goes on, until the next one."""
        self.came = False
        self._stop_raising()

    def end(self) -> None:
        """Answer Ctrl-C as before; at the end of a process of the command line, where nothing is left to stop, not."""
        if self._before is not None:
            over = self._before is end_at_once
            signal.signal(signal.SIGINT, signal.SIG_IGN if over else self._before)
            self._stop_raising()
            sys.unraisablehook = self._report_before
            Interrupts.listening = None

    def _stop_raising(self) -> None:
        if self._alarm_before is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._alarm_before)
            signal.setitimer(signal.ITIMER_REAL, *self._timer_before)
            self._alarm_before = None

    def _raise(self, number: int, frame: Any) -> None:  # noqa: ARG002
        if not self.came and hasattr(signal, "setitimer"):  # not on Windows
            self._alarm_before = signal.signal(signal.SIGALRM, self._raise)
            self._timer_before = signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        self.came = True
        raise KeyboardInterrupt

    def _report(self, dropped: Any) -> None:
        """Report an exception that Python dropped; not an interrupt, which comes again."""
        if not (self.came and issubclass(dropped.exc_type, KeyboardInterrupt)):
            self._report_before(dropped)
