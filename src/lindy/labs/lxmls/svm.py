r"""Support vector machines.

LxMLS 1.5.2. Instead of a probability, ask for the right answer with a margin: the hinge loss

$$\ell(w; x, y) = \max_{y'} w \cdot f(x, y') - w \cdot f(x, y) + \rho(y', y) \tag{1.34}$$

is 0 only where $w \cdot f(x, y)$ beats every other answer $y'$ by at least the cost $\rho(y', y)$. The SVM minimises
its mean over the examples, plus $\frac{\lambda}{2} \lVert w \rVert^2$ (Eq. 1.35).
"""

import numpy as np

from lindy import SVM, MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, choose, judged, say, show, table, verdict
from lindy.textbook.stochastic_gradient import cost_augmented_direction, stochastic_gradient

toy = toy_gaussians(200, variances=0.5, test_share=0.5, random_state=2)
X, y = toy.X_train, toy.y_train
reviews = book_reviews()
strengths = (1.0, 0.1, 0.01, 0.001)

# %% [markdown]
# ## The hinge loss (Eq. 1.34 and its footnote)
#
# Two definitions are in use: Eq. 1.34, and
#
# $$\max(0, 1 + \max_{y' \ne y} w \cdot f(x, y') - w \cdot f(x, y)).$$
#
# Compute both for the scores below, whose first column belongs to the right label, with the cost 0 or 1. Are they
# equal, and are they ever negative?
#
# Hint: $y' = y$ contributes exactly 0 to the first.

# %% given
scores = np.random.default_rng(0).normal(size=(1000, 4))

# %%
own = scores[:, 0]
first = (scores - own[:, None] + np.array([0, 1, 1, 1])).max(axis=1)
second = np.maximum(0, 1 + scores[:, 1:].max(axis=1) - own)
print("equal:", np.allclose(first, second), " never negative:", bool((first >= 0).all()))

# %% [markdown]
# ## Exercise 1.7: stochastic subgradient descent (Algorithm 6)
#
# It is Algorithm 5 with the cost-augmented prediction $\tilde y = \arg\max_{y'} w \cdot f(x, y') + \rho(y', y)$ in
# place of the expected features:
#
# $$w \leftarrow (1 - \lambda \eta_t) w + \eta_t (f(x, y) - f(x, \tilde y)).$$
#
# Train on the toy data for λ = 0.001, …, 1: 20 rounds of such steps with $\eta_0$ = 0.1, averaged, and the optimum.
# Compare the objectives and the accuracy on new points, and draw the boundaries of the optima.
#
# Hint: `SVM(loss="multiclass_hinge", lam=…)` proves its optimum; `solver="subgradient"` takes the steps.
#
# Correction: Eq. 1.35 *sums* the losses, while Algorithm 6 takes λ out of every example's step, which solves
# the problem with their *mean*. lindy always means the mean; the λ of a sum is M times as large.

# %% given
options = {"eta0": 0.1, "epochs": 20, "average": True}
step = SVM(loss="multiclass_hinge", lam=0.1, solver="subgradient", solver_options=options).fit(X, y)

# %%
rows, models = [], {}
for lam in strengths[::-1]:
    step = SVM(loss="multiclass_hinge", lam=lam, solver="subgradient", solver_options=options).fit(X, y)
    exact = SVM(loss="multiclass_hinge", lam=lam).fit(X, y)
    models[f"λ = {lam:g}"] = exact
    scores = [toy.source.accuracy(model) for model in (step, exact)]
    objectives = (step.history_.objective[-1], exact.certificate_.objective)
    rows.append((f"{lam:g}", step.score(X, y), *scores, *objectives))
table(("λ", "train", "new points", "at the optimum", "objective", "optimum"), rows)
models["MaxEnt, λ = 0.01"] = MaxEnt(lam=0.01).fit(X, y)
show(plots.decision_boundary(models, toy), "exercise-1-7", "Exercise 1.7: SVM for four λ, and MaxEnt")

# %% [markdown]
# Write the steps yourself, for three rounds over the rows in their order, without a bias, with $\eta_t = 0.05/\sqrt{t}$
# and λ = 0.1, and compare the weights with those below. (You have two weight vectors; lindy keeps their difference,
# which moves twice as far as each: hence its first step of 0.1.)

# %% given
settings = {"eta0": 0.1, "epochs": 3, "shuffle": False, "dtype": "float64"}
same = SVM(
    loss="multiclass_hinge", lam=0.1, solver="subgradient", fit_intercept=False, solver_options=settings
).fit(X, y)
print("w₁ − w₀ =", same.W_[:, 0])

# %%
direction = cost_augmented_direction(1 - np.eye(2))
order = list(range(len(X))) * 3
last, _ = stochastic_gradient(
    X, y, np.zeros((2, 2)), order, direction, eta=lambda t: 0.05 / np.sqrt(t), lam=0.1
)
print("textbook:", last[:, 1] - last[:, 0], " agree:", np.allclose(last[:, 1] - last[:, 0], same.W_[:, 0]))

# %% [markdown]
# Now the reviews. Choose λ for the optimum on held-out parts of the training reviews, and compare its test
# accuracy with that of the subgradient steps for the same λ. What does λ do to the number of support vectors
# (`support_`)?

# %% given
print(reviews)

# %%
chosen = choose(SVM(loss="multiclass_hinge"), "lam", strengths, reviews.X_train, reviews.y_train)
counts = [
    len(SVM(loss="multiclass_hinge", lam=lam).fit(reviews.X_train, reviews.y_train).support_)
    for lam in strengths
]
rows = zip((f"{lam:g}" for lam in strengths), chosen.training, chosen.held_out, counts, strict=True)
table(("λ", "training", "held out", "support vectors"), list(rows))
best = judged(
    "the optimum", chosen.model.fit(reviews.X_train, reviews.y_train), reviews.X_test, reviews.y_test
)
step = SVM(loss="multiclass_hinge", lam=chosen.best, solver="subgradient", solver_options=options)
stepped = judged("20 rounds", step.fit(reviews.X_train, reviews.y_train), reviews.X_test, reviews.y_test)
say(
    f"From λ = 1 to 0.001 the number of support vectors goes from {counts[0]} to {counts[-1]} of",
    f"{len(reviews.y_train):,} reviews: with shorter weights more of them lie inside the margin.",
    f"Held-out reviews choose λ = {chosen.best:g}: the optimum has {best} in the test, 20 rounds have {stepped}.",
    verdict(best, stepped),
)
