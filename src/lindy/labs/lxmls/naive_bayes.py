r"""Generative classifiers: naive Bayes.

LxMLS 1.1 and 1.2. A generative classifier estimates how often each class occurs, $P(y)$, and how its members look,
$P(x \mid y)$; Bayes' rule turns both into the decision

$$\hat y = \arg\max_y \hat P(y)\, \hat P(x \mid y). \tag{1.4}$$

Naive Bayes takes the components of $x$ for independent given the class,

$$P(x \mid y) = \prod_j P(x_j \mid y), \tag{1.6}$$

which leaves one small table per component instead of one enormous table.
"""

import math

import numpy as np

from lindy import GaussianNaiveBayes, MultinomialNaiveBayes, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, choose, judged, judged_table, say, show, table, verdict
from lindy.textbook import gaussian_naive_bayes, multinomial_naive_bayes

# %% [markdown]
# ## Figures 1.1 and 1.2: two Gaussians
#
# Draw 100 points in the plane, half of each class, around (−1, −1) and (1, 1): once with variance 1, once
# with ½. Four fifths are for training (squares), one fifth for testing (circles). Compute how often the best
# classifier possible is right, and draw its boundary with the points.
#
# Hint: with equal variances and priors, a point belongs to the nearer mean. On the line through the means
# that is a question about one normal distribution, whose $\Phi$ is `0.5 * (1 + math.erf(z / math.sqrt(2)))`.

# %% given
toy = toy_gaussians(100, means=[(-1, -1), (1, 1)], variances=1.0, test_share=0.2, random_state=2)
ax = plots.decision_boundary({}, toy)  # learners by name; without any, the points and the best boundary

# %%
for name, variance in (("figure-1-1", 1.0), ("figure-1-2", 0.5)):
    toy = toy_gaussians(100, means=[(-1, -1), (1, 1)], variances=variance, test_share=0.2, random_state=2)
    ax = plots.decision_boundary({}, toy)
    show(ax, name, f"Two Gaussians with variance {variance} and the Bayes optimal boundary")
    # Φ(√2/σ): the means are √2 from the line
    best = 0.5 * (1 + math.erf(math.sqrt(2 / variance) / math.sqrt(2)))
    print(f"variance {variance}: the best classifier is right {best:.1%} of the time")

# %% [markdown]
# ## Exercise 1.1: Gaussian naive Bayes
#
# Take 100 points to train on and 100 to test on, with variance 1. Estimate the priors and the class means by
# maximum likelihood, with the variance taken as known: with $J_k$ the training points of class $k$ and $M$
# points in all,
#
# $$\hat P(k) = \frac{|J_k|}{M}, \quad \mu_k = \frac{1}{|J_k|} \sum_{m \in J_k} x^m. \tag{1.8}$$
#
# Report the estimates and the accuracy on both sets, with the interval of that on the test set, and draw the
# boundary found.
#
# Hint: `GaussianNaiveBayes(variance=1.0)` has the estimates as `log_prior_` and `mean_`. In the guide's
# toolkit the data was `SimpleDataSet(nr_examples, g1, g2, balance, split)`.

# %% given
toy = toy_gaussians(200, means=[(-1, -1), (1, 1)], variances=1.0, test_share=0.5, random_state=2)

# %%
model = GaussianNaiveBayes(variance=1.0).fit(toy.X_train, toy.y_train)
print("priors", np.exp(model.log_prior_), " means", model.mean_.T.round(3).tolist())
print(f"accuracy: train {model.score(toy.X_train, toy.y_train):.3f}", end=", ")
print(f"test {judged('naive Bayes', model, toy.X_test, toy.y_test)}")
print("the textbook's means agree:", end=" ")
print(np.allclose(model.mean_, gaussian_naive_bayes.means(toy.X_train, toy.y_train, 2)))
show(plots.decision_boundary({"naive Bayes": model}, toy), "exercise-1-1", "Exercise 1.1: naive Bayes")

# %% [markdown]
# Now vary the variance, the balance of the classes and the number of points (at first 400, half of them to
# train on): fit, and compare the accuracy on new points with the best possible. What do you observe?
#
# Hint: `toy.source` is the distribution: it has the `accuracy(model)` of a fitted classifier on all points that
# it could draw, and its own `best_accuracy()`. The changes of the solution are variances ¼, 1, 4 and (1, 4),
# priors (0.9, 0.1) and (0.99, 0.01), and n = 20, 2,000 and 20,000.

# %% given
toy = toy_gaussians(n=400, variances=0.25, random_state=3)
print(f"best possible: {toy.source.best_accuracy():.1%}")

# %%
rows = []
for change in (
    {"variances": 0.25},
    {"variances": 1.0},
    {"variances": 4.0},
    {"variances": (1.0, 4.0)},
    {"priors": (0.9, 0.1)},
    {"priors": (0.99, 0.01)},
    {"n": 20},
    {"n": 2_000},
    {"n": 20_000},
):
    toy = toy_gaussians(**{"n": 400, "random_state": 3, **change})
    model = GaussianNaiveBayes(variance=1.0).fit(toy.X_train, toy.y_train)
    mean_error = float(np.abs(model.mean_.T - toy.source.means).max())
    words = ", ".join(f"{key} {value}" for key, value in change.items())
    rows.append((words, toy.source.accuracy(model), toy.source.best_accuracy(), mean_error))
table(("changed", "accuracy on new points", "best possible", "largest error of a mean"), rows)
found = {row[0]: row[1:] for row in rows}
say(
    "The variance decides how far the clouds overlap, and with it the best accuracy possible, Φ(√2/σ):",
    f"{found['variances 0.25'][1]:.1%} for ¼, {found['variances 4.0'][1]:.1%} for 4.",
    "With unequal variances the best boundary is a circle, which a shared variance cannot follow:",
    f"{found['variances (1.0, 4.0)'][0]:.1%}, where the circle has {found['variances (1.0, 4.0)'][1]:.1%}.",
    f"With 1 % of rare points {found['priors (0.99, 0.01)'][0]:.1%} are right, where 99 % would be without finding a",
    "single one. The means' error changes by a factor of",
    f"{found['n 20'][2] / found['n 20000'][2]:.0f} from 20 to 20,000 points; 1/√n says {1000**0.5:.0f}.",
)

# %% [markdown]
# ## Exercise 1.2: multinomial naive Bayes on book reviews
#
# Every class is now a distribution over words,
#
# $$P(x \mid y) = \prod_j P(w_j \mid y)^{n_j(x)}, \tag{1.9}$$
#
# with $n_j(x)$ the number of times word $j$ occurs in $x$. Load the book reviews, without features that are
# rare in training. Train by maximum likelihood, $\hat P(w_j \mid y) = n_{yj} / \sum_i n_{yi}$ with $n_{yj}$ the number
# of times class $y$ has word $j$ (Eq. 1.10, corrected), and report both accuracies. How many test reviews are
# impossible under both classes?
#
# Hint: look at reviews with a word that one class has never used. How probable does that class find them?
# `MultinomialNaiveBayes(alpha=0)` is maximum likelihood, and its `joint_log_proba` has $\log P(x, y)$.
#
# Correction: Eq. 1.10 and the add-one formula below it divide by the number of *documents* of the class. Then
# the probabilities of the words do not sum to 1; what has to be counted is the word *tokens* of the class.

# %% given
reviews = book_reviews()
print(reviews)
X, y, X_test, y_test = reviews.X_train, reviews.y_train, reviews.X_test, reviews.y_test

# %%
likely = MultinomialNaiveBayes(alpha=0).fit(X, y)
impossible = np.isneginf(likely.joint_log_proba(X_test)).all(axis=1)
unsmoothed = judged("maximum likelihood", likely, X_test, y_test)
print(f"maximum likelihood: train {likely.score(X, y):.3f}, test {unsmoothed}")
print(f"test reviews that are impossible under both classes: {impossible.sum()} of {len(y_test)}")
n_y, n_yw = multinomial_naive_bayes.counts(X.toarray(), np.searchsorted(likely.classes_, y), 2)
sums = multinomial_naive_bayes.maximum_likelihood(n_yw).sum(axis=0)
print("P(w | y) summed over the words, by tokens:", sums)
print("                   and divided by documents:", (n_yw / n_y).sum(axis=0).round(1))

# %% [markdown]
# Add-one smoothing takes every word as seen once more in every class,
#
# $$\hat P(w_j \mid y) = \frac{1 + n_{yj}}{J + \sum_i n_{yi}},$$
#
# with $J$ distinct words. It is the maximum a posteriori estimate under a prior that prefers no word. Report
# its test accuracy beside that of maximum likelihood. Then let the amount $k$ that is added be 0, 0.01, 0.1, 1
# and 10: choose $k$ on held-out parts of the training reviews, and ask the test once.
#
# Hint: `choose(MultinomialNaiveBayes(), "alpha", values, X, y)` holds out a fifth at a time; `show` prints
# what it found, and `model` is the learner with the best value. `judged` and `verdict` compare on the test.

# %% given
add_one = MultinomialNaiveBayes(alpha=1.0).fit(X, y)

# %%
smoothed = judged("add one", add_one, X_test, y_test)
chosen = choose(MultinomialNaiveBayes(), "alpha", (10.0, 1.0, 0.1, 0.01, 0.0), X, y)
chosen.show("k")
best = judged(f"k = {chosen.best:g}, chosen", chosen.model.fit(X, y), X_test, y_test)
judged_table("smoothing", (unsmoothed, smoothed, best))
say(
    verdict(smoothed, unsmoothed),
    f"Training goes from {chosen.training[-1]:.1%} without smoothing to {chosen.training[0]:.1%} with the most of it;",
    f"on held-out reviews k = {chosen.best:g} has most right, {max(chosen.held_out):.1%}, and in the test {best}.",
)
P = multinomial_naive_bayes.laplace(n_yw, 1.0)
print("the textbook's P(w | y) agree:", np.allclose(np.exp(add_one.W_), P))
