"""Settings of the whole test run."""

from __future__ import annotations

import os

# before SciPy is imported anywhere: scikit-learn's array API check needs it, and no check is skipped
os.environ["SCIPY_ARRAY_API"] = "1"
