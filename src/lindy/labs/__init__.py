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

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.labs import check as check
    from lindy.labs.comparisons import Choice as Choice
    from lindy.labs.comparisons import Judged as Judged
    from lindy.labs.comparisons import choose as choose
    from lindy.labs.comparisons import judged as judged
    from lindy.labs.comparisons import judged_table as judged_table
    from lindy.labs.comparisons import verdict as verdict
    from lindy.labs.comparisons import verdicts as verdicts
    from lindy.labs.corpora import Counted as Counted
    from lindy.labs.corpora import Texts as Texts
    from lindy.labs.corpora import book_reviews as book_reviews
    from lindy.labs.corpora import messages as messages
    from lindy.labs.corpora import review_texts as review_texts
    from lindy.labs.languages import texts_in as texts_in
    from lindy.labs.pictures import Images as Images
    from lindy.labs.pictures import digits as digits
    from lindy.labs.stage import say as say
    from lindy.labs.stage import show as show
    from lindy.labs.stage import table as table
