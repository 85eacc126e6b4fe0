"""Complement naive Bayes."""

import numpy as np

from lindy import ComplementNaiveBayes, MultinomialNaiveBayes, plots
from lindy.labs import book_reviews, show
from lindy.textbook import complement_naive_bayes, multinomial_naive_bayes

# %% [markdown]
# A small class has few words to count. All *other* classes together have many: the complement model asks how
# unlike them a text is.
#
# $$P(w \mid \bar y) = \frac{\sum_{y' \neq y} n_{y'w} + k}{\sum_{w'} \left( \sum_{y' \neq y} n_{y'w'} + k \right)}$$
#
# $$\hat y = \arg\max_y \; - \sum_w n_w(x) \, \log P(w \mid \bar y)$$
#
# Code: lindy.textbook.complement_naive_bayes.weights
#
# ## The same numbers from lindy

# %%
reviews = book_reviews()
X, y = reviews.X_train, (reviews.y_train == "positive").astype(int)
_, n_yw = multinomial_naive_bayes.counts(X.toarray(), y, 2)
for norm in (False, True):
    model = ComplementNaiveBayes(norm=norm).fit(X, y)
    by_hand = complement_naive_bayes.weights(n_yw, normalize=norm)
    print(f"{'weights of length 1' if norm else 'weights'} agree: {np.allclose(model.W_, by_hand)}")

# %%
rows = np.random.default_rng(0).permutation(len(y))
kept = [*rows[y[rows] == 0], *rows[y[rows] == 1][:150]]  # few positive reviews
models = {
    "complement": ComplementNaiveBayes().fit(X[kept], y[kept]),
    "multinomial": MultinomialNaiveBayes().fit(X[kept], y[kept]),
}
truth = (reviews.y_test == "positive").astype(int)
for name, model in models.items():
    print(
        f"{name:<12} finds {np.mean(model.predict(reviews.X_test)[truth == 1]):.0%} of the positive reviews"
    )
gain = models["complement"].W_[:, 1] - models["complement"].W_[:, 0]
ranked = [(reviews.words[j], float(gain[j])) for j in np.argsort(-gain)[:12]]
ax = plots.top_features(ranked, label="positive", measure="log P(w | not positive), turned round")
show(ax, "complement", "Words that the other class hardly has")

# %% [markdown]
# ## When to use it
#
# For classes of very different size, and for many classes with few texts each, where the [multinomial
# model](multinomial_naive_bayes.md) favours the large ones. It is as fast, and merges and updates in the same
# way.
#
# It has no probabilities of its own; lindy calibrates its scores.
#
# On the command line `--learner complement-naive-bayes`. [Naive Bayes](../concepts/naive-bayes.md) compares
# the five models.
