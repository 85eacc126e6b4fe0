"""One page about a model: what was trained on what, how good it is, what it looks at, and where it errs.

The page is a single HTML file that needs no network and runs no script. The same model and data give the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.report.comparison import comparison_report
    from lindy.report.measure import LearningCurve, learning_curve
    from lindy.report.page import report

__all__ = ["LearningCurve", "comparison_report", "learning_curve", "report"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "comparison": "comparison_report",
        "measure": "LearningCurve learning_curve",
        "page": "report",
    },
)
