"""Support vector machines.

LxMLS §1.5.2. Instead of a probability, ask for the right answer with a margin: the hinge loss is 0 only where w·f(x, y)
beats every other answer y' by at least the cost ρ(y', y).
"""

import numpy as np

from lindy import SVM, MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, say, show, table
from lindy.textbook.stochastic_gradient import cost_augmented_direction, stochastic_gradient

toy = toy_gaussians(200, variances=0.5, test_share=0.5, random_state=2)
X, y = toy.X_train, toy.y_train
reviews = book_reviews()

# %% [markdown]
# ## The hinge loss (Eq. 1.34 and its footnote)
#
# Two definitions are in use: max_y' (w·f(x, y') − w·f(x, y) + ρ(y', y)), and max(0, 1 + max_{y'≠y} w·f(x, y')
# − w·f(x, y)). For the 0/1 cost they agree; show it on random scores.
#
# Hint: y' = y contributes exactly 0 to the first.

# %%
scores = np.random.default_rng(0).normal(size=(1000, 4))
own = scores[:, 0]
first = (scores - own[:, None] + np.array([0, 1, 1, 1])).max(axis=1)
second = np.maximum(0, 1 + scores[:, 1:].max(axis=1) - own)
print("equal:", np.allclose(first, second), " never negative:", bool((first >= 0).all()))

# %% [markdown]
# ## Exercise 1.7: stochastic subgradient descent (Algorithm 6)
#
# It is Algorithm 5 with the cost-augmented prediction in place of the expected features. Train for several λ
# on both data sets.
#
# Hint: only one line differs from MaxEnt: which vector is subtracted.
#
# Correction: Eq. 1.35 *sums* the losses, while Algorithm 6 takes λ out of every example's step, which solves
# the problem with their *mean*. lindy always means the mean; the λ of a sum is M times as large.

# %%
rows, models = [], {}
for lam in (0.001, 0.01, 0.1, 1.0):
    options = {"eta0": 0.1, "epochs": 20, "average": True}
    step = SVM(loss="multiclass_hinge", lam=lam, solver="subgradient", solver_options=options).fit(X, y)
    exact = SVM(loss="multiclass_hinge", lam=lam).fit(X, y)
    models[f"λ = {lam:g}"] = exact
    scores = (step.score(X, y), step.score(toy.X_test, toy.y_test), exact.score(toy.X_test, toy.y_test))
    rows.append((f"{lam:g}", *scores, step.history_.objective[-1], exact.certificate_.objective))
table(("λ", "train", "test", "test at optimum", "objective", "optimum"), rows)
models["MaxEnt, λ = 0.01"] = MaxEnt(lam=0.01).fit(X, y)
show(plots.decision_boundary(models, toy), "exercise-1-7", "Exercise 1.7: SVM for four λ, and MaxEnt")

# %% [markdown]
# Take the toolkit's subgradient steps and the textbook's in the same order of rows: are they the same numbers?

# %%
lam, eta = 0.1, lambda t: 0.1 / np.sqrt(t)
same = SVM(
    loss="multiclass_hinge",
    lam=lam,
    solver="subgradient",
    fit_intercept=False,
    solver_options={"eta0": 0.1, "epochs": 3, "shuffle": False, "dtype": "float64"},
).fit(X, y)
direction = cost_augmented_direction(1 - np.eye(2))
last, _ = stochastic_gradient(X, y, np.zeros((2, 1)), list(range(len(X))) * 3, direction, eta, lam)
print("lindy:", same.W_[:, 0], "textbook:", last[:, 0])

# %% [markdown]
# Now the reviews: compare subgradient steps with the proven optimum. What does λ do to the support vectors?

# %%
print(reviews)
rows = []
for lam in (1.0, 0.1, 0.01, 0.001):
    options = {"eta0": 0.1, "epochs": 20, "average": True}
    step = SVM(loss="multiclass_hinge", lam=lam, solver="subgradient", solver_options=options)
    exact = SVM(loss="multiclass_hinge", lam=lam)
    for model in (step, exact):
        model.fit(reviews.X_train, reviews.y_train)
    tests = [model.score(reviews.X_test, reviews.y_test) for model in (step, exact)]
    rows.append((f"{lam:g}", exact.score(reviews.X_train, reviews.y_train), *tests, len(exact.support_)))
table(("λ", "train", "test, subgradient", "test, optimum", "support vectors"), rows)
best, n = max(rows, key=lambda row: row[3]), len(reviews.y_train)
say(
    f"From λ = 1 to 0.001 the number of support vectors goes from {rows[0][4]} to {rows[-1][4]} of {n} reviews: with",
    "shorter weights more of them lie inside the margin.",
    f"At the optimum λ = {best[0]} reads most test reviews right, {best[3]:.1%}; λ = 1 has {rows[0][3]:.1%}.",
)
