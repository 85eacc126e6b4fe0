"""The course: five lectures on linear classifiers as scripts that run.

Every lab is a plain script with cells (``# %%``), which editors and notebooks know: exercises in comments, what is
given and solutions in code. What a run shows is said by its code (``say``), from its own numbers; options are chosen
on held-out data and test sets asked once (``choose``, ``judged``, ``verdict``). ``lindy lab`` runs the scripts in the
terminal or writes them as notebooks, and the documentation is built from the same files.

::

    catalog ──▶ script (cells) ──▶ running (outputs, figures) ──▶ terminal, docs
                 │                    └── stage: what scripts ask for: ``show``, ``say`` and the corpora
                 └──▶ notebook (exercises or solutions)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.labs import check
    from lindy.labs.comparisons import Choice, Judged, choose, judged, judged_table, verdict, verdicts
    from lindy.labs.corpora import Counted, Texts, book_reviews, messages, review_texts
    from lindy.labs.languages import texts_in
    from lindy.labs.pictures import Images, digits
    from lindy.labs.stage import say, show, table

__all__ = [
    "Choice",
    "Counted",
    "Images",
    "Judged",
    "Texts",
    "book_reviews",
    "check",
    "choose",
    "digits",
    "judged",
    "judged_table",
    "messages",
    "review_texts",
    "say",
    "show",
    "table",
    "texts_in",
    "verdict",
    "verdicts",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "comparisons": "Choice Judged choose judged judged_table verdict verdicts",
        "corpora": "Counted Texts book_reviews messages review_texts",
        "languages": "texts_in",
        "pictures": "Images digits",
        "stage": "say show table",
    },
    rooms="check",
)
