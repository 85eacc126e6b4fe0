"""Why a text got its label: the score taken apart, word by word.

    score_y = bias_y + Σ_j x_j·W_jy          what feature j adds to class y is x_j·W_jy

The sum is the learner's own, so an explanation is exact: it ends in the score that ``decision_function`` gives. For
naive Bayes the bias is log P(y) and every word adds n_w·log P(w | y).

How much a word of the text counts follows one rule. A feature's part is divided equally among its occurrences in the
text (hashed terms that count negatively get theirs with the opposite sign), and the part of an occurrence equally among
the words that it covers (n-grams of characters: among the characters). So "not good" gives half of what it adds to
"not" and half to "good", and the parts of all words add up to the score without the bias.
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.explain.explanation import Explanation as Explanation
    from lindy.explain.explanation_parts import Feature as Feature
    from lindy.explain.explanation_parts import Flip as Flip
    from lindy.explain.inspection import Inspection as Inspection
    from lindy.explain.inspection import inspect as inspect
    from lindy.explain.inspection import weight_pieces as weight_pieces
    from lindy.explain.make import explain as explain
