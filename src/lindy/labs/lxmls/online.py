"""Online algorithms: perceptron and MIRA.

LxMLS §1.4. Both look at one example at a time: predict with the current weights and, if the prediction is wrong, move
them towards the right answer and away from the wrong one. The perceptron takes a step of 1, MIRA the smallest step that
puts the example right, but at most 1/λ.
"""

import numpy as np

from lindy import Mira, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, show, table
from lindy.textbook.mira import binary_mira
from lindy.textbook.perceptron import binary_perceptron

toy = toy_gaussians(200, variances=0.5, test_share=0.5, random_state=2)
X, y = toy.X_train, toy.y_train
reviews = book_reviews()

# %% [markdown]
# ## Exercise 1.4: the averaged perceptron (Algorithm 2)
#
# 1. Run it on the toy data and report train and test accuracy. Does a plain NumPy version find the same
#    weights?
#
# Hint: the bias is the weight of a feature that is always 1. To compare, visit the rows in the same order:
# `shuffle=False`.

# %%
perceptron = Perceptron(epochs=10).fit(X, y)
print(f"toy data: train {perceptron.score(X, y):.3f}, test {perceptron.score(toy.X_test, toy.y_test):.3f}")
with_one = np.column_stack([X, np.ones(len(X))])
ordered = Perceptron(shuffle=False, epochs=10, dtype="float64").fit(X, y)
order = list(range(len(X))) * ordered.n_iter_
last, average, mistakes = binary_perceptron(with_one, y, order)
same = np.allclose(np.append(ordered.W_[:, 0], ordered.b_), average)
print(f"the textbook's average agrees: {same}; mistakes {ordered.mistakes_} and {mistakes}")

# %% [markdown]
# 2. Draw the boundary, and the weights after every fifth update. What do you observe?

# %%
wide = toy_gaussians(400, variances=1.0, random_state=2)  # clouds that overlap more
traced = Perceptron(epochs=10, average=False, trace=5).fit(wide.X_train, wide.y_train)
show(plots.decision_boundary({"perceptron": perceptron}, toy), "exercise-1-4", "Exercise 1.4: perceptron")
show(plots.weight_path(traced.trace_), "exercise-1-4-path", "Exercise 1.4: weights, every five updates")

# %% [markdown]
# The weights never come to rest: points in the overlap keep pulling them to and fro, along the direction (1,
# 1). Their average does settle. If the classes can be separated, the perceptron stops after finitely many
# mistakes.

# %%
apart = toy_gaussians(200, means=[(1, 0), (2, 2)], variances=0.1, random_state=1)
model = Perceptron(average=False).fit(apart.X_train, apart.y_train)
bound = model.mistake_bound_ or np.inf
print(
    f"two clouds apart: {model.mistakes_} mistakes in {model.n_iter_} rounds; the theorem allows {bound:.0f}"
)

# %% [markdown]
# 3. Run it on the reviews.

# %%
print(reviews)
rows = []
for name, learner in {
    "averaged": Perceptron(epochs=10),
    "last weights": Perceptron(epochs=10, average=False),
    "voted": Perceptron(epochs=10, average="vote"),
}.items():
    learner.fit(reviews.X_train, reviews.y_train)
    train, test = (
        learner.score(*part)
        for part in ((reviews.X_train, reviews.y_train), (reviews.X_test, reviews.y_test))
    )
    rows.append((name, train, test, learner.n_iter_, learner.mistakes_))
table(("perceptron", "train", "test", "rounds", "mistakes"), rows)

# %% [markdown]
# ## Exercise 1.5: MIRA (Algorithm 3)
#
# Change the step: η = min(1/λ, ℓ / ‖f(x, y) − f(x, ŷ)‖²) with ℓ = w·f(x, ŷ) − w·f(x, y) + ρ(ŷ, y). Run it for
# several λ on both data sets and compare the boundaries.
#
# Hint: with two classes and one weight vector w = w₁ − w₀, f(x, ±1) = ±x/2, so the denominator is ‖x‖² and the
# cap 2/λ: each of the lecture's two vectors moves by at most 1/λ.
#
# Correction: the constraint of Eq. 1.24 asks for a margin of 1 whatever the mistake, while the step uses the
# cost ρ(ŷ, y). The step is the solution of the problem with ρ in place of 1; lindy takes ρ, by default 0 or
# 1.

# %%
rows, models = [], {}
for lam in (0.01, 1.0, 100.0):
    points = Mira(lam=lam, constraints="predicted", epochs=10).fit(X, y)
    texts = Mira(lam=lam, constraints="predicted", epochs=10).fit(reviews.X_train, reviews.y_train)
    models[f"MIRA, λ = {lam:g}"] = points
    rows.append(
        (
            f"{lam:g}",
            points.score(X, y),
            points.score(toy.X_test, toy.y_test),
            texts.score(reviews.X_train, reviews.y_train),
            texts.score(reviews.X_test, reviews.y_test),
        )
    )
table(("λ", "toy train", "toy test", "reviews train", "reviews test"), rows)
models["perceptron"] = perceptron
show(
    plots.decision_boundary(models, toy),
    "exercise-1-5",
    "Exercise 1.5: MIRA with three caps, and the perceptron",
)

options = {"constraints": "predicted", "shuffle": False, "epochs": 3, "dtype": "float64"}
ordered = Mira(lam=1.0, **options).fit(X, y)
_, average = binary_mira(with_one, y, 1 - np.eye(2), list(range(len(X))) * 3, C=2.0)
print("the textbook's average agrees:", np.allclose(np.append(ordered.W_[:, 0], ordered.b_), average))

# %% [markdown]
# With a small λ (a high cap) every mistake is put right at once; with a large λ the steps are tiny and one
# noisy example cannot spoil much, but all weights stay small. Reviews have long rows, so ℓ/‖x‖² hardly ever
# reaches the cap: there λ matters only when it is large.
