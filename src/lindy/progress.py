"""Progress of long work: who works tells what is being done, who waits listens.

    with listening(print):  # 0.4 recipe 2 of 2, round 12, gap 2.1e-03 → 1e-04 (words 1-2, tf-idf; SVM)
        with step(0.2, 0.5, "recipe 2 of 2", "words 1-2, tf-idf; SVM"):
            round_done(12, 2.1e-3, 1e-4)

Steps nest: what is told within one is a share of it. Nothing is computed while nobody listens.
"""

from __future__ import annotations

import importlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from lindy.estimators.notebook import progress_html
from lindy.sanitize import sanitize

Listener = Callable[[float, str], object]
"""Called with the share of the work that is done, from 0 to 1, and with what is being done."""


class _Ear:
    """Who listens; shares never fall, though several threads may tell at once."""

    def __init__(self, listener: Listener, every: float) -> None:
        self.listener, self.every, self.share, self.heard = listener, every, 0.0, 0.0
        self.lock = threading.Lock()

    def hear(self, share: float, news: str) -> None:
        with self.lock:
            self.share, self.heard = max(self.share, min(share, 1.0)), time.monotonic()
            self.listener(self.share, news)

    def is_due(self) -> bool:
        """Whether another round is to be told."""
        return time.monotonic() >= self.heard + self.every


@dataclass(frozen=True, slots=True)
class _Step:
    ear: _Ear
    begin: float = 0.0
    end: float = 1.0
    names: tuple[str, ...] = ()
    about: str = ""

    def tell(self, share: float, *news: str) -> None:
        said = ", ".join((*self.names, *news)) + (f" ({self.about})" if self.about else "")
        self.ear.hear(self.begin + share * (self.end - self.begin), said)


_step: ContextVar[_Step | None] = ContextVar("step", default=None)


@contextmanager
def listening(listener: Listener | None, *, every: float = 0.1) -> Iterator[None]:
    """Let a listener hear what is told meanwhile, rounds only ``every`` so many seconds; None changes nothing."""
    if listener is None:
        yield
        return
    token = _step.set(_Step(_Ear(listener, every)))
    try:
        yield
    finally:
        _step.reset(token)


@contextmanager
def step(begin: float, end: float, name: str = "", about: str = "") -> Iterator[None]:
    """Do a part of the work, from one share of it to another; ``name`` says what, ``about`` more of it."""
    own = _step.get()
    if own is None:
        yield
        return
    width = own.end - own.begin
    names = (*own.names, name) if name else own.names
    begin, end = own.begin + begin * width, own.begin + end * width
    inner = replace(own, begin=begin, end=end, names=names, about=about or own.about)
    token = _step.set(inner)
    try:
        inner.tell(0.0)
        yield
    finally:
        _step.reset(token)


def round_done(number: int, gap: float, tol: float) -> None:
    """Tell that a round of an optimiser is done, and the relative gap that is left; it ends at ``tol``."""
    own = _step.get()
    if own is None or not own.ear.is_due():
        return
    known = 0 < gap < 1
    share = min(math.log(gap) / math.log(tol), 1.0) if known and tol < 1 else 0.0
    own.tell(share, f"round {number:,}", *([f"gap {gap:.1e} → {tol:.0e}"] if known else []))


def pass_done(number: int, total: int) -> None:
    """Tell that a pass over the rows is done, of so many at the most."""
    own = _step.get()
    if own is not None and own.ear.is_due():
        own.tell(number / total, f"pass {number:,} of {total:,}")


def share_done(share: float, news: str) -> None:
    """Tell that a share of the present step is done."""
    own = _step.get()
    if own is not None and own.ear.is_due():
        own.tell(min(share, 1.0), news)


def rows_done(rows: int, n_bytes: int, total: int, seconds: float) -> None:
    """Tell how many rows of a stream are done, and how fast; ``total`` bytes, if it is not 0, are all of it."""
    rate = n_bytes / max(seconds, 1e-3) / 1e6
    share_done(n_bytes / total if total else 0.0, f"{rows:,} rows, {rate:,.0f} MB/s")


def shown(progress: bool | Listener | None, what: str) -> Any:
    """Return the context in which work is shown as ``fit(progress=…)`` asks: by a bar, a function, or not at all."""
    if callable(progress):
        return listening(progress)
    return _shown_bar(what) if progress else listening(None)


@contextmanager
def _shown_bar(what: str) -> Iterator[None]:
    if in_notebook():
        with _notebook_bar(what) as listener, listening(listener):
            yield
    elif sys.stderr.isatty():
        with terminal_bar(what, 1.0) as advance, listening(shares(advance)):
            yield
    else:
        yield


def shares(advance: Callable[[float, str], object]) -> Listener:
    """Return the listener that moves a bar which wants to know how much more was done."""
    last = [0.0]

    def hear(share: float, news: str) -> None:
        advance(share - last[0], news)
        last[0] = share

    return hear


@contextmanager
def terminal_bar(what: str, total: float | None = None) -> Iterator[Any]:
    """Show a bar on stderr once the work has taken a second; yields a function of what was done, and news."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    last = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    known = [
        TextColumn("left", table_column=Column(width=4)),
        TimeRemainingColumn(table_column=Column(width=7)),
    ]
    bar = Progress(
        BarColumn(bar_width=12, table_column=Column(width=12)),
        TextColumn(
            "{task.percentage:>3.0f} %" if total else "", table_column=Column(width=5 if total else 0)
        ),
        TimeElapsedColumn(table_column=Column(width=7)),
        *(known if total else []),
        TextColumn("{task.description}", markup=False, table_column=last),
        expand=True,
        console=Console(stderr=True),
        transient=True,
        disable=False,
    )
    with _after_a_second(bar):
        task = bar.add_task(what, total=total)
        yield lambda done, news="": bar.update(
            task, advance=done, description=sanitize(f"{what}: {news}" if news else what)
        )


@contextmanager
def _after_a_second(bar: Any) -> Iterator[None]:
    timer = threading.Timer(1.0, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        try:
            timer.join()
        finally:  # the bar hides the cursor: also after another Ctrl-C it must be shown again
            bar.stop()


def in_notebook() -> bool:
    """Return whether this runs in a notebook, which IPython's shell with a kernel means."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def _notebook_bar(what: str) -> Iterator[Listener]:
    """Show a bar below the cell, which is gone when the work is done."""
    ipython: Any = importlib.import_module("IPython.display")
    began = time.monotonic()
    handle = ipython.display(ipython.HTML(progress_html(0.0, what)), display_id=True)

    def hear(share: float, news: str) -> None:
        passed = time.monotonic() - began
        left = f", about {_clock(passed / share - passed)} left" if share > 0.02 else ""
        handle.update(ipython.HTML(progress_html(share, f"{what} ({_clock(passed)}{left}): {news}")))

    try:
        yield hear
    finally:
        handle.update(ipython.HTML(""))


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
