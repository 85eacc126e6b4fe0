"""Subword units.

May 6.1: byte-pair encoding cuts words into pieces, and so makes OOV and smoothing less important. Why can it replace
neither? How many terms stay unknown, and what that is worth, in three languages.
"""

from collections import Counter

import numpy as np

from lindy import MultinomialNaiveBayes
from lindy.labs import choose, judged, judged_table, say, table, texts_in, verdict
from lindy.text import CountVectorizer
from lindy.textbook import byte_pairs as textbook

# %% [markdown]
# ## Byte-pair encoding by hand
#
# Every word is a sequence of characters, of which all but the first are marked with ##. Again and again the most
# frequent pair of neighbours becomes one piece; of equally frequent ones the first in the alphabet. Find the first
# four merges of the words below by hand (the number says how often a word occurs), then cut *lowest* and *newer*
# with them.
#
# Hint: count (##e, ##s) first: it is in every *newest* and every *widest*.

# %% given
words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}

# %%
merges = textbook.learn(words, 4)
for number, (left, right) in enumerate(merges, 1):
    print(f"{number}. {left} + {right}")
for word in ("lowest", "newer"):
    print(f"{word}: {' '.join(textbook.encode(word, merges))}")
vectorizer = CountVectorizer(analyzer="bpe", n_merges=4)
vectorizer.fit([" ".join([word] * times) for word, times in words.items()])
print("lindy agrees:", vectorizer.merges_ == merges)

# %% [markdown]
# ## What is unknown
#
# For English, German and Thai, learn 0, 100, 1,000 and 4,000 merges from the training texts. For each number compute
# which share of the pieces of the test texts is unknown, and beside it the same for words. Choose the $k$ of add-$k$
# smoothing on held-out parts of the training texts, and report the test accuracy of naive Bayes for the number of
# merges with the best held-out accuracy, beside that of words.
#
# Hint: `CountVectorizer(analyzer="bpe", n_merges=100)`; `build_analyzer()` cuts a text, `get_feature_names_out()`
# has the known pieces.

# %% given
languages = ("English", "German", "Thai")
numbers = (0, 100, 1_000, 4_000)
strengths = (10.0, 1.0, 0.1, 0.01)


def unknown(vectorizer: CountVectorizer, texts: list[str]) -> float:
    """Return the share of the terms of some texts that a vectorizer does not know."""
    known, cut = set(vectorizer.get_feature_names_out()), vectorizer.build_analyzer()
    return float(np.mean([term not in known for text in texts for term in cut(text)]))


# %%
best = {}
for language in languages:
    data = texts_in(language)
    print(f"{language}: {data}")
    makers = {"words": CountVectorizer(analyzer="word", token_pattern=r"\w+")}
    makers |= {
        f"{n:,} merges": CountVectorizer(analyzer="bpe", n_merges=n, token_pattern=r"\w+") for n in numbers
    }
    rows, chosen = [], {}
    for name, make in makers.items():
        X = make.fit_transform(data.train)
        chosen[name] = choose(MultinomialNaiveBayes(), "alpha", strengths, X, data.y_train)
        rows.append((name, X.shape[1], unknown(make, data.test), max(chosen[name].held_out)))
    table(("terms", "columns", "unknown in test", "held out"), rows, digits=4)
    winner = max(list(makers)[1:], key=lambda name: max(chosen[name].held_out))
    results = []
    for name in ("words", winner):
        X, X_test = makers[name].transform(data.train), makers[name].transform(data.test)
        results.append(judged(name, chosen[name].model.fit(X, data.y_train), X_test, data.y_test))
    judged_table("terms", results)
    more = []
    if rows[-1][2] > rows[1][2]:  # than without a merge
        more.append(
            f"After {numbers[-1]:,} merges {rows[-1][2]:.2%} of the pieces are unknown, more than without"
        )
        more.append("any: a piece that training always merged further has no column of its own.")
    say(
        f"Of the words {rows[0][2]:.1%} are unknown, of the pieces after {winner}",
        f"{rows[list(makers).index(winner)][2]:.2%}.",
        verdict(results[1], results[0]),
        *more,
    )
    best[language] = makers[winner]

# %% [markdown]
# ## Why not?
#
# Two things are left, however few merges there are. Which characters of the test texts did no training text have?
# And of the known pieces in the test texts, which share never occurred with every class, so that without smoothing
# some class would have probability 0?
#
# Hint: a piece is a sequence of characters that the training texts had; and counts are counted by class.

# %% given
three = {language: texts_in(language) for language in languages}

# %%
rows = []
for language in languages:
    data, make = three[language], best[language]
    cut = make.build_analyzer()
    new = set("".join(data.test).lower()) - set("".join(data.train).lower())
    classes = {label: Counter() for label in sorted(set(data.y_train.tolist()))}
    for text, label in zip(data.train, data.y_train.tolist(), strict=True):
        classes[label].update(cut(text))
    known = set(make.get_feature_names_out())
    pieces = [piece for text in data.test for piece in cut(text) if piece in known]
    zero = float(np.mean([any(not counts[piece] for counts in classes.values()) for piece in pieces]))
    rows.append((language, len(new), zero))
table(("language", "new characters", "pieces new to a class"), rows, digits=4)
say(
    "A new character is unknown however words are cut: that is what OOV is for. And a known piece may be new to a",
    "class: that is what smoothing is for.",
)
