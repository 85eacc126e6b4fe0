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
    from lindy.labs.corpora import Counted, Texts, book_reviews, messages, review_texts
    from lindy.labs.pictures import Images, digits
    from lindy.labs.stage import show, table

__all__ = [
    "Counted",
    "Images",
    "Texts",
    "book_reviews",
    "digits",
    "messages",
    "review_texts",
    "show",
    "table",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "corpora": "Counted Texts book_reviews messages review_texts",
        "pictures": "Images digits",
        "stage": "show table",
    },
)
