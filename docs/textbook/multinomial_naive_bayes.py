"""Multinomial naive Bayes."""

import numpy as np

from lindy import MultinomialNaiveBayes, plots
from lindy.bayes import odds_ratios
from lindy.labs import book_reviews, show
from lindy.textbook import multinomial_naive_bayes

# %% [markdown]
# A class is a distribution over words, a text a draw from it. Counting the words of each class, and taking
# every word as seen k more times, gives
#
# $$P(w \mid y) = \frac{n_{yw} + k}{\sum_{w'} (n_{yw'} + k)}$$
#
# $$\log P(x, y) = \log P(y) + \sum_w n_w(x) \log P(w \mid y)$$
#
# Code: lindy.textbook.multinomial_naive_bayes.counts
#
# Code: lindy.textbook.multinomial_naive_bayes.laplace
#
# Code: lindy.textbook.multinomial_naive_bayes.interpolated
#
# Code: lindy.textbook.multinomial_naive_bayes.joint
#
# Code: lindy.textbook.multinomial_naive_bayes.posterior
#
# How long a text is may be part of what its class says of it; around the mean length of the class, closely or
# widely:
#
# Code: lindy.textbook.multinomial_naive_bayes.mean_length
#
# Code: lindy.textbook.multinomial_naive_bayes.poisson_length
#
# Code: lindy.textbook.multinomial_naive_bayes.geometric_length
#
# ## The same numbers from lindy

# %%
reviews = book_reviews()
X, y = reviews.X_train, (reviews.y_train == "positive").astype(int)
n_y, n_yw = multinomial_naive_bayes.counts(X.toarray(), y, 2)
P_y = n_y / n_y.sum()
for name, model, P_wy in (
    ("Laplace, k = 1", MultinomialNaiveBayes(alpha=1), multinomial_naive_bayes.laplace(n_yw, 1.0)),
    (
        "interpolation",
        MultinomialNaiveBayes(interpolation=0.8),
        multinomial_naive_bayes.interpolated(n_yw, 0.8),
    ),
):
    new = reviews.X_test[:20]
    joint = multinomial_naive_bayes.joint(new.toarray(), P_y, P_wy)
    agree = np.allclose(
        model.fit(X, y).predict_proba(new), multinomial_naive_bayes.posterior(joint, P_y), atol=1e-9
    )
    print(f"{name}: P(y | x) agree: {agree}")
for length in ("poisson", "geometric"):
    of_length = getattr(multinomial_naive_bayes, f"{length}_length")(new.toarray(), n_y, n_yw)
    joint = (
        multinomial_naive_bayes.joint(new.toarray(), P_y, multinomial_naive_bayes.laplace(n_yw)) + of_length
    )
    model = MultinomialNaiveBayes(length=length).fit(X, y)
    print(f"{length} lengths: log P(x, y) agree: {np.allclose(model.joint_log_proba(new), joint)}")

# %%
model = MultinomialNaiveBayes().fit(X, y)
ranked = odds_ratios(model, reviews.words, 1, 0, top=12)
show(
    plots.top_features(ranked, label="positive", measure="odds ratio"),
    "odds",
    "Words that speak most for positive",
)

# %% [markdown]
# ## When to use it
#
# For word counts: as a first figure that others have to beat, on very small data, and where models are
# updated, merged or counted on many machines, because counts add up exactly. Training is one pass.
#
# Its probabilities are too sure, since words are not independent; calibrate them. With some thousand texts an
# [SVM](svm.md) or [NB-SVM](naive_bayes_svm.md) is better.
#
# On the command line `--learner naive-bayes`. Smoothing, unknown words, updating and merging: [naive
# Bayes](../concepts/naive-bayes.md).
