"""Interrupt every kind of fit once, in this process, and print which of them ended by it.

    python -m tests.hostile.interrupt_fits

A fit that does not answer Ctrl-C never ends.
"""

from __future__ import annotations

import signal
from collections.abc import Callable

from tests.hostile.long_fits import long_fits

# seconds of the processor, so that a busy machine does not interrupt a fit before it has begun; again, in case that the
# first came where Python swallows exceptions
SOON, AGAIN = 0.03, 20.0


def interrupted(fit: Callable[[], None]) -> bool:
    """Whether a fit that has no end ends by Ctrl-C."""
    try:
        signal.setitimer(signal.ITIMER_PROF, SOON, AGAIN)
        fit()
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return False


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPROF, lambda number, frame: signal.raise_signal(signal.SIGINT))
    for name, fit in long_fits(n=200, d=15, n_texts=200).items():
        print(f"{name}: {'interrupted' if interrupted(fit) else 'ended'}", flush=True)  # noqa: T201
