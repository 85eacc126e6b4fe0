"""Settings of the whole test run."""

from __future__ import annotations

import os
import signal

import hypothesis

# before SciPy is imported anywhere: scikit-learn's array API check needs it, and no check is skipped
os.environ["SCIPY_ARRAY_API"] = "1"

# labs and benchmarks would read real corpora there; what tests say holds for the samples
os.environ.pop("LINDY_DATA", None)

# the same examples in every run: a failure is found by whoever causes it
hypothesis.settings.register_profile("lindy", derandomize=True, deadline=None)
hypothesis.settings.load_profile("lindy")

# a run in the background ignores Ctrl-C and would hand that down to the processes that tests interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
