"""Generative classifiers: naive Bayes.

LxMLS §1.1 and §1.2. A generative classifier estimates how often each class occurs, P(y), and how its members look,
P(x | y); Bayes' rule turns both into the decision ŷ = argmax_y P(y)·P(x | y). Naive Bayes takes the components of x for
independent given the class, which leaves one small table per component instead of one enormous table.
"""

import math

import numpy as np

from lindy import GaussianNaiveBayes, MultinomialNaiveBayes, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, say, show, table
from lindy.textbook import gaussian_naive_bayes, multinomial_naive_bayes

# %% [markdown]
# ## Figures 1.1 and 1.2: two Gaussians
#
# Draw 100 points in the plane, half of each class, around (−1, −1) and (1, 1): once with variance 1, once
# with ½. Four fifths are for training (squares), one fifth for testing (circles). Where is the boundary of
# the best classifier possible, and how often does even that one err?
#
# Hint: with equal variances and priors, a point belongs to the nearer mean. On the line through the means
# that is a question about one normal distribution.

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
# Draw 100 points to train on and 100 to test on, with variance 1. Estimate the priors and the class means by
# maximum likelihood, with the variance taken as known, and report the accuracy on both sets. Draw the
# boundary found.
#
# Hint: the estimates are relative frequencies and sample means (Eq. 1.8). In the lab's toolkit the data was
# `SimpleDataSet(nr_examples, g1, g2, balance, split)`; here it is `toy_gaussians(n, means, variances, priors,
# test_share)`.

# %%
toy = toy_gaussians(200, means=[(-1, -1), (1, 1)], variances=1.0, test_share=0.5, random_state=2)
model = GaussianNaiveBayes(variance=1.0).fit(toy.X_train, toy.y_train)
print("priors", np.exp(model.log_prior_), " means", model.mean_.T.round(3).tolist())
print(f"accuracy: train {model.score(toy.X_train, toy.y_train):.3f}", end=", ")
print(f"test {model.score(toy.X_test, toy.y_test):.3f}")
print("the textbook's means agree:", end=" ")
print(np.allclose(model.mean_, gaussian_naive_bayes.means(toy.X_train, toy.y_train, 2)))
show(plots.decision_boundary({"naive Bayes": model}, toy), "exercise-1-1", "Exercise 1.1: naive Bayes")

# %% [markdown]
# Now vary the variance, the balance of the classes and the number of points. What do you observe?
#
# Hint: compare with the best classifier possible, not with 100 %.

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
    # many points to test on, so that small differences show
    X_test, y_test = toy.source.draw(20_000, random_state=4)
    optimal = float((toy.source.predict(X_test) == y_test).mean())
    mean_error = float(np.abs(model.mean_.T - toy.source.means).max())
    words = ", ".join(f"{key} {value}" for key, value in change.items())
    rows.append((words, model.score(X_test, y_test), optimal, mean_error))
table(("changed", "test accuracy", "best possible", "largest error of a mean"), rows)
found = {row[0]: row[1:] for row in rows}
(line, circle, _), (rare, _, _) = found["variances (1.0, 4.0)"], found["priors (0.99, 0.01)"]
say(
    "The variance decides how far the clouds overlap, and with it the best accuracy possible:",
    f"{found['variances 0.25'][1]:.1%} for ¼, {found['variances 4.0'][1]:.1%} for 4.",
    "With unequal variances the best boundary is a circle, which a shared variance cannot follow:",
    f"{line:.1%} instead of {circle:.1%}.",
    f"With 1 % of rare points {rare:.1%} are right, where 99 % would be without finding a single one.",
    "The means' error falls by a factor of",
    f"{found['n 20'][2] / found['n 20000'][2]:.0f} from 20 to 20,000 points; 1/√n says {1000**0.5:.0f}.",
)

# %% [markdown]
# ## Exercise 1.2: multinomial naive Bayes on book reviews
#
# Every class is now a distribution over words, P(x | y) = Π_j P(w_j | y)^n_j(x). Load the book reviews,
# without features that are rare in training, train by maximum likelihood and report both accuracies. Why does
# the test suffer so much more than training?
#
# Hint: look at reviews with a word that one class has never used. How probable does that class find them?
#
# Correction: Eq. 1.10 and the add-one formula below it divide by the number of *documents* of the class. Then
# the probabilities of the words do not sum to 1; what has to be counted is the word *tokens* of the class.

# %%
reviews = book_reviews()
print(reviews)
X, y, X_test, y_test = reviews.X_train, reviews.y_train, reviews.X_test, reviews.y_test
likely = MultinomialNaiveBayes(alpha=0).fit(X, y)
impossible = np.isneginf(likely.joint_log_proba(X_test)).all(axis=1)
print(f"maximum likelihood: train {likely.score(X, y):.3f}, test {likely.score(X_test, y_test):.3f}")
print(f"test reviews that are impossible under both classes: {impossible.sum()} of {len(y_test)}")

n_y, n_yw = multinomial_naive_bayes.counts(X.toarray(), np.searchsorted(likely.classes_, y), 2)
print(
    "P(w | y) summed over the words, by tokens:", multinomial_naive_bayes.maximum_likelihood(n_yw).sum(axis=0)
)
print("                   and divided by documents:", (n_yw / n_y).sum(axis=0).round(1))

# %% [markdown]
# Add-one smoothing takes every word as seen once more in every class: P(w | y) = (1 + n_yw) / (J + Σ_w'
# n_yw') with J distinct words. It is the maximum a posteriori estimate under a prior that prefers no word.
# Report the new accuracies.

# %%
rows = []
for k in (0.0, 0.01, 0.1, 1.0, 10.0):
    smoothed = MultinomialNaiveBayes(alpha=k).fit(X, y)
    rows.append((f"{k:g}", smoothed.score(X, y), smoothed.score(X_test, y_test)))
table(("added to every count", "train", "test"), rows)
best = max(rows, key=lambda row: row[2])
say(
    f"Training falls from {rows[0][1]:.1%} without smoothing to {rows[-1][1]:.1%} with the most of it; the test",
    f"rises from {rows[0][2]:.1%} to {best[2]:.1%} with {best[0]} and has {rows[-1][2]:.1%} at the end.",
)

P = multinomial_naive_bayes.laplace(n_yw, 1.0)
smoothed = MultinomialNaiveBayes(alpha=1).fit(X, y)
print("the textbook's P(w | y) agree:", np.allclose(np.exp(smoothed.W_), P))
