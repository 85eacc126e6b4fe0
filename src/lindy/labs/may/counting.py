"""Classifiers that count words.

May §1–6. From a list of words that somebody wrote to naive Bayes, on book reviews.
"""

from collections.abc import Callable

import numpy as np

from lindy import Lexicon, MultinomialNaiveBayes, WordLists
from lindy.data import split
from lindy.labs import review_texts, say
from lindy.text import CountVectorizer

# %% [markdown]
# ## Data, and how to know that we do well (§2, §3)
#
# Accuracy is the share of right answers. Cut the labelled reviews into train, dev and test, with most of them
# for training. What is each part for?
#
# Hint: dev may be looked at as often as one likes while choosing; test only once, at the end. A blind test
# set is one that the people who choose cannot look at.

# %%
data = review_texts()
print(data)
rows = split(data.y_train, {"train": 0.8, "dev": 0.2}, random_state=1)
train, dev = ([data.train[i] for i in rows[part]] for part in ("train", "dev"))
y_train, y_dev = (data.y_train[rows[part]] for part in ("train", "dev"))
print(f"{len(train)} to train on, {len(dev)} to choose with, {len(data.test)} for the end")

# %% [markdown]
# ## A framework (§4)
#
# Every model of the notes is a function *evaluate*, which scores a label for a sentence; *classify* takes the
# best.


# %%
def classify(sentence: str, options: list[str], evaluate: Callable[[str, str], float]) -> str:
    """Return the option with the highest score."""
    return max(options, key=lambda option: evaluate(sentence, option))


options = ["negative", "positive"]

# %% [markdown]
# ## Rules from a lexicon (§5)
#
# Count the words of a sentence that are on the list of each label.

# %%
lexicon = Lexicon().fit(train, y_train)  # the small lists that come with lindy
by_hand = Lexicon(words={"positive": ["yay", "love"], "negative": ["terrible", "boo"]}).fit(train, y_train)


def count_words(sentence: str, option: str) -> float:
    """Return how many words of the sentence are on the list of the option."""
    return float(by_hand.votes([sentence])[0, options.index(option)])


print(classify("I love it, yay", options, count_words), by_hand.predict(["I love it, yay"])[0])
shipped, short = (model.score(dev, y_dev) for model in (lexicon, by_hand))
print(f"shipped lists on dev: {shipped:.3f}; short lists: {short:.3f}")
silent = float((lexicon.votes(dev).sum(axis=1) == 0).mean())
say(
    f"{silent:.0%} of the reviews have no word of either shipped list: for them the lexicon can only guess.",
    "And no list knows when *terrible* is said of a storm in the plot.",
)

# %% [markdown]
# ## Word lists from data (§6)
#
# Let the training data write the lists: a word belongs to the label it occurs with most often.

# %%
vectorizer = CountVectorizer(token_pattern=r"\w+")
X, X_dev = vectorizer.fit_transform(train), vectorizer.transform(dev)
lists = WordLists().fit(X, y_train)
sizes = {label: len(numbers) for label, numbers in lists.word_numbers().items()}
learned = lists.score(X_dev, y_dev)
print(f"lists of {sizes} words; dev accuracy {learned:.3f}")
say(
    f"Lists from data read {learned:.1%} right, those that somebody wrote {shipped:.1%}:",
    "the data knows better."
    if learned > shipped
    else "on this corpus the data's many chance words know less.",
)

# %% [markdown]
# ## Naive Bayes (§6)
#
# Estimate P(y) and P(w | y) and choose argmax_y P(y)·Π P(w | y).
#
# Correction: in the notes it is the label, given a word, that does not depend on the other words, and P(s, y)
# goes up and down with P(s | y). What naive Bayes assumes is that the *word, given the label*, does not
# depend on the other words; and because P(s) is the same for all labels, P(s, y) ranks them as P(y | s) does.

# %%
unsmoothed = MultinomialNaiveBayes(alpha=0).fit(X, y_train)
zero = np.isneginf(unsmoothed.joint_log_proba(X_dev))
print(
    f"dev accuracy {unsmoothed.score(X_dev, y_dev):.3f}; impossible under one class {zero.any(axis=1).mean():.0%}",
    end=", ",
)
print(f"under both {zero.all(axis=1).mean():.0%} of the reviews")
