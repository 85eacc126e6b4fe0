"""Word lists and word votes."""

import numpy as np

from lindy import WordLists, WordVotes, plots
from lindy.labs import book_reviews, show
from lindy.textbook import word_votes

# %% [markdown]
# The first models of the course only count. A word votes for the label it was seen with most often (May), or
# splits its vote among the labels as the counts say (McDonald); the label of a text is the mean of its words'
# votes.
#
# $$P(y \mid w) = \frac{n_{yw}}{n_w}$$
#
# $$P(y \mid x) = \frac{1}{|x|} \sum_{w \in x} P(y \mid w)$$
#
# Code: lindy.textbook.word_votes.word_lists
#
# Code: lindy.textbook.word_votes.word_votes
#
# Code: lindy.textbook.word_votes.mean_vote
#
# ## The same numbers from lindy

# %%
reviews = book_reviews()
X, y = reviews.X_train, (reviews.y_train == "positive").astype(int)
n_yw = np.stack([X[y == c].sum(axis=0).A1 for c in (0, 1)], axis=1)
votes, lists = WordVotes().fit(X, y), WordLists().fit(X, y)
print("P(y | w) agree:", np.allclose(votes.W_, word_votes.word_votes(n_yw)))
print("lists agree:", np.array_equal(lists.W_, word_votes.word_lists(n_yw)))
new = reviews.X_test[:50]
by_hand = word_votes.mean_vote(new.toarray(), votes.W_, np.array([0.5, 0.5]))
print("P(y | x) agree:", np.allclose(votes.predict_proba(new), by_hand))

# %%
seen = np.flatnonzero(n_yw.sum(axis=1) >= 10)  # rare words vote as surely as frequent ones, so look at these
order = seen[np.argsort(-votes.W_[seen, 1])][:12]
ranked = [(reviews.words[j], float(votes.W_[j, 1])) for j in order]
ax = plots.top_features(ranked, label="positive", measure="P(positive | w)")
show(ax, "word-votes", "Frequent words that vote most for positive")

# %% [markdown]
# ## When to use it
#
# Never for the best result: to show what counting alone achieves, and what a learned weight adds. A word that
# was seen once votes as surely as one that was seen a thousand times; [naive
# Bayes](multinomial_naive_bayes.md) is the repair.
#
# On the command line `--learner word-lists` and `--learner word-votes`. [Baselines](../concepts/baselines.md)
# has these, lexicons and the most frequent label.
