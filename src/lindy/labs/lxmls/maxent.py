"""Maximum entropy.

LxMLS §1.5.1. Among all distributions that agree with what was observed, take the one that assumes least. It has the
form P(y | x) = exp(w·f(x, y)) / Z(x), and fitting it means minimising the mean of −log P(y | x), plus ½·λ·‖w‖².
"""

import warnings

import numpy as np

from lindy import MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.joint import JointMap, JointMaxEnt
from lindy.labs import book_reviews, say, show, table
from lindy.textbook.batch_gradient import batch_gradient_descent
from lindy.textbook.iterative_scaling import conditional, improved_iterative_scaling
from lindy.textbook.objectives import Data, gradient, objective, probabilities

toy = toy_gaussians(200, variances=0.5, test_share=0.5, random_state=2)
X, y = toy.X_train, toy.y_train
reviews = book_reviews()

# %% [markdown]
# ## The die
#
# Of 40 throws, 10 showed 1, 2 or 3 and 30 showed 4, 5 or 6. Which distribution over the six sides has the
# greatest entropy?
#
# Hint: one feature, "the side is 4, 5 or 6", whose expectation has to be 30/40. Nothing is known beyond it.

# %%
high = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
f = np.tile(high[:, None], (40, 1, 1))  # f[i, y, j]: the throws have no input, so every row is the same
throws = np.repeat([0, 5], [10, 30])  # which side of its group a throw showed makes no difference
die = conditional(f, improved_iterative_scaling(f, throws, rounds=60))[0]
print("P(side) =", die.round(4), "= 1/12 and 1/4")
joint = JointMap(lambda _, side: ["high"] if side > 3 else [], candidates=[1, 2, 3, 4, 5, 6])
model = JointMaxEnt(lam=1e-9, tol=1e-8).fit(joint.fit_transform([None] * 40, [1] * 10 + [6] * 30))
print("lindy agrees:", np.allclose(model.predict_proba(joint.transform([None])), die, atol=1e-6))
tilted = die + np.array([0.02, -0.02, 0, 0, 0, 0])  # agrees with the observations as well
print(f"entropy {-(die @ np.log(die)):.4f}; of one that tells 1 from 2: {-(tilted @ np.log(tilted)):.4f}")

# %% [markdown]
# ## The gradient of log Z is the expected feature vector (Eq. 1.29)
#
# Check it by finite differences, and with it the gradient of the objective (Eq. 1.32): expected minus
# observed features.

# %%
W = np.random.default_rng(0).normal(size=(2, 2))


def slopes(function) -> np.ndarray:
    """Return the partial derivatives at W, by finite differences."""
    steps = 1e-6 * np.eye(4).reshape(4, 2, 2)
    return np.reshape([(function(W + step) - function(W - step)) / 2e-6 for step in steps], (2, 2))


expected = np.outer(X[0], probabilities((X[0] @ W)[None])[0])
print("E[f(x, Y)] =", expected.ravel().round(6), end="; ")
print("∇ log Z agrees:", np.allclose(slopes(lambda W: np.log(np.exp(X[0] @ W).sum())), expected))
data, zero = Data(X, y.astype(np.int32), np.full(len(y), 1 / len(y))), np.zeros(2)
formula, _ = gradient(data, W, zero, "softmax", 1.0)
print("∇ F agrees:", np.allclose(slopes(lambda W: objective(data, W, zero, "softmax", 1.0)), formula))

# %% [markdown]
# ## Exercise 1.6: batch and online training (Algorithms 4 and 5)
#
# 1. Train with L-BFGS on the toy data for several λ, and compare with the methods before. Draw the
#    boundaries.

# %%
rows, models = [], {}
for lam in (0.001, 0.1, 1.0, 10.0):
    model = MaxEnt(lam=lam, solver="lbfgs").fit(X, y)
    models[f"λ = {lam:g}"] = model
    length = float(np.linalg.norm(model.W_))
    rows.append((f"{lam:g}", model.score(X, y), model.score(toy.X_test, toy.y_test), length))
table(("λ", "train", "test", "‖w‖"), rows)
show(
    plots.decision_boundary(models, toy),
    "exercise-1-6",
    "Exercise 1.6: MaxEnt for four strengths of the penalty",
)
weak, strong = models["λ = 0.001"].W_[:, 0], models["λ = 10"].W_[:, 0]
turned = np.degrees(np.arccos(weak @ strong / np.linalg.norm(weak) / np.linalg.norm(strong)))
say(
    f"The penalty shortens w from {rows[0][3]:.2f} to {rows[-1][3]:.2f}, which flattens the probabilities; the line",
    f"turns by {turned:.0f}°, and the test goes from {rows[0][2]:.0%} to {rows[-1][2]:.0%}.",
)

# %% [markdown]
# Algorithm 4 is gradient descent with Armijo's rule for the step. Does it arrive at the same place, and its
# textbook version too?

# %%
W, values = batch_gradient_descent(X, y.astype(np.int32), 2, lam=0.1, rounds=200)
descent = MaxEnt(lam=0.05, solver="gradient-descent", fit_intercept=False, tol=1e-9).fit(X, y)
newton = MaxEnt(lam=0.05, solver="lbfgs", fit_intercept=False, tol=1e-9).fit(X, y)
print(
    "textbook:",
    (W[:, 1] - W[:, 0]).round(5),
    "Armijo:",
    descent.W_[:, 0].round(5),
    "L-BFGS:",
    newton.W_[:, 0].round(5),
)
print("(two weight vectors w₀ = −w₁ share the penalty of one, w = w₁ − w₀: λ on both is λ/2 on one)")

# %% [markdown]
# 2. Train with L-BFGS on the reviews for several λ. What do you observe?

# %%
print(reviews)
rows = []
for lam in (1.0, 0.1, 0.01, 0.001, 0.0001):
    model = MaxEnt(lam=lam, solver="lbfgs").fit(reviews.X_train, reviews.y_train)
    train = model.score(reviews.X_train, reviews.y_train)
    rows.append((f"{lam:g}", train, model.score(reviews.X_test, reviews.y_test), model.n_iter_))
table(("λ", "train", "test", "iterations"), rows)
strongest, best, weakest = rows[0], max(rows, key=lambda row: row[2]), rows[-1]
say(
    f"With λ = 1 the model underfits ({strongest[1]:.1%} in training, {strongest[2]:.1%} in the test): a mean loss of",
    f"at most log 2 cannot pay for weights of any size. The test is best at λ = {best[0]} with {best[2]:.1%}; at the",
    f"smallest λ training has {weakest[1]:.1%} and the test {weakest[2]:.1%},",
    "a loss by overfitting." if weakest[2] < best[2] else "no loss by overfitting on these reviews.",
    f"L-BFGS takes {strongest[3]} iterations for the largest λ and {weakest[3]} for the smallest: the problem is",
    "worse conditioned.",
)

# %% [markdown]
# 3. Fix λ = 1 and train with SGD. Compare the objective during training with that of L-BFGS.
#
# Hint: the steps have to shrink. `eta0` is the first step; η_t = η₀·t^−½ here.
#
# Correction: the guide suggests steps η₀·t^−α with α between 1 and 2. With α > 1 the steps sum to a finite
# length, so SGD may stop short of the optimum; Σ η_t = ∞ needs α ≤ 1. And footnote 7 gives the prior of the
# penalty ½·λ·‖w‖² as N(0; 1/λ²): log-densities −½·w²/σ² match it with σ² = 1/λ, or 1/(λM) when the losses are
# averaged over M examples.

# %%
histories = {}
for name, options in {
    "L-BFGS": {"solver": "lbfgs", "tol": 1e-8},
    "SGD, η₀ = 0.5": {"solver": "sgd", "solver_options": {"eta0": 0.5, "epochs": 50}},
    "SGD, η₀ = 0.01": {"solver": "sgd", "solver_options": {"eta0": 0.01, "epochs": 50}},
    "SGD, η₀ = 0.01, α = 1.5": {
        "solver": "sgd",
        "solver_options": {"eta0": 0.01, "epochs": 50, "power": 1.5},
    },
}.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MaxEnt(lam=1.0, **options).fit(reviews.X_train, reviews.y_train)
    histories[name] = model.history_
    test = model.score(reviews.X_test, reviews.y_test)
    print(f"{name:<24} objective {model.history_.objective[-1]:.4f}, test {test:.3f}")
ends = {name: history.objective[-1] for name, history in histories.items()}
optimum, fast = ends.pop("L-BFGS"), min(ends, key=ends.__getitem__)
say(
    f"{fast} comes nearest to the optimum {optimum:.4f}, with {ends[fast]:.4f}.",
    f"With η₀ = 0.5 the first steps are too long ({ends['SGD, η₀ = 0.5']:.4f} after 50 rounds), with α = 1.5 the",
    f"later ones too short to arrive ({ends['SGD, η₀ = 0.01, α = 1.5']:.4f}).",
)
ax = plots.objective_by_time(histories)
show(ax, "exercise-1-6-objectives", "Exercise 1.6: how far above the optimum, after how many seconds")
