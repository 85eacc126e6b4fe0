"""One page about a model: what was trained on what, how good it is, what it looks at, and where it errs.

The page is a single HTML file that needs no network and runs no script. The same model and data give the same bytes.
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.report.comparison import comparison_report as comparison_report
    from lindy.report.measure import LearningCurve as LearningCurve
    from lindy.report.measure import learning_curve as learning_curve
    from lindy.report.page import report as report
