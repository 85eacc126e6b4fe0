"""Whether a call is worth loading the core of lindy for.

A small script ends before that has paid. So the first calls stay with scikit-learn until the work they had is about
what the loading costs; whoever buys then has at most doubled the cost of the best choice made in hindsight.
"""

from __future__ import annotations

import sys

from lindy.accel.table import UnsupportedError

LOADING = 0.15  # seconds: importing lindy's parts; half of it on a fast machine
CHARACTERS = 2e6  # that scikit-learn reads in a second
PRODUCTS = 5e7  # of stored values and weights that a solver of scikit-learn computes in a second

_spent = 0.0


def needs_loading(module: str, seconds: float) -> None:
    """Refuse a call whose work, in seconds, does not pay for loading a module of lindy that is not loaded yet."""
    global _spent  # noqa: PLW0603 - of the process, like its modules
    if module in sys.modules:
        return
    _spent += seconds
    if _spent < LOADING:
        raise UnsupportedError("little to do: loading lindy would take longer")
