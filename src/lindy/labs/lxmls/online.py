"""Online algorithms: perceptron and MIRA.

LxMLS §1.4. Both look at one example at a time: predict with the current weights and, if the prediction is wrong, move
them towards the right answer and away from the wrong one. The perceptron takes a step of 1, MIRA the smallest step that
puts the example right, but at most 1/λ.
"""

import numpy as np

from lindy import Mira, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, say, show, table
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
order = list(range(len(X))) * 10
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
path = np.array([W[:, 0] for _, W, _ in traced.trace_])
late = path[len(path) // 2 :]
average = late.mean(axis=0)
away = np.linalg.norm(late - average, axis=1).max() / np.linalg.norm(average)
say(
    f"After {len(wide.y_train) * 10} examples the weights still move: in the second half of the run they stray by up",
    f"to {away:.0%} of the length of their average ({average[0]:.1f}, {average[1]:.1f}), which is what the averaged",
    "perceptron returns.",
)

# %% [markdown]
# If the classes can be separated, the perceptron stops after finitely many mistakes. Try it, and compare with
# the bound of the theorem.

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
last, average = rows[1][2], rows[0][2]
say(
    f"The average reads {average:.1%} of the test reviews right, the last weights {last:.1%}:",
    "averaging helps here." if average > last else "averaging does not help here.",
)

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
for lam in (0.01, 1.0, 100.0, 10_000.0):
    points = Mira(lam=lam, epochs=10, constraints="predicted").fit(X, y)
    texts = Mira(lam=lam, epochs=10, constraints="predicted").fit(reviews.X_train, reviews.y_train)
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
    "Exercise 1.5: MIRA with four caps, and the perceptron",
)

ordered = Mira(lam=1.0, constraints="predicted", shuffle=False, epochs=3, dtype="float64").fit(X, y)
_, average = binary_mira(with_one, y, 1 - np.eye(2), list(range(len(X))) * 3, C=1.0)
print("the textbook's average agrees:", np.allclose(np.append(ordered.W_[:, 0], ordered.b_), average))
length = float(np.median(np.asarray(reviews.X_train.power(2).sum(axis=1))))
test = {row[0]: row[4] for row in rows}
say(
    "With a small λ (a high cap) every mistake is put right at once. A typical review has ‖x‖² =",
    f"{length:.0f}, so a mistake that just happens asks for η = ℓ/(2‖x‖²) of about 1/{2 * length:.0f}, and a cap",
    f"of 1/λ matters only for λ above that: the test goes from {test['0.01']:.1%} (λ = 0.01)",
    f"and {test['1']:.1%} (λ = 1)",
    f"to {test['100']:.1%} (λ = 100) and {test['10000']:.1%} (λ = 10,000), where all steps are the same, as the",
    "perceptron's are.",
)
