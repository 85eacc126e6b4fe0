"""The course: five lectures on linear classifiers as scripts that run.

Every lab is a plain script with cells (``# %%``), which editors and notebooks know: exercises in comments, solutions in
code. ``lindy lab`` runs them in the terminal, and the documentation is built from the same files.

::

    catalog ──▶ script (cells) ──▶ running (outputs, figures) ──▶ terminal, docs
                                      └── stage: what scripts ask for: ``show`` and the corpora
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.labs.corpora import Counted, book_reviews
    from lindy.labs.stage import show, table

__all__ = ["Counted", "book_reviews", "show", "table"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Counted": "lindy.labs.corpora",
        "book_reviews": "lindy.labs.corpora",
        "show": "lindy.labs.stage",
        "table": "lindy.labs.stage",
    },
)
