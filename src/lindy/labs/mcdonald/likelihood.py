"""Logistic regression.

McDonald, slides 40–58: the most probable weights, their gradient, why this is also the maximum entropy model, and why
the greatest likelihood need not mean the fewest errors.
"""

import warnings

import numpy as np

from lindy import MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.labs import say, show, table
from lindy.textbook.batch_gradient import batch_gradient_descent
from lindy.textbook.iterative_scaling import conditional, counts, improved_iterative_scaling
from lindy.textbook.objectives import Data, gradient, losses, objective

# %% [markdown]
# ## The partial derivatives
#
# ∂L/∂ω_i is the observed count of feature i minus its expected count under the model. Check it by finite
# differences, and check that the objective is convex: along any line, the middle lies below the chord.
#
# Correction: one slide has gradient *ascent* "minimise" L. Ascent maximises the log-likelihood; descent
# minimises its negative.

# %%
toy = toy_gaussians(120, means=[(-2, -1), (2, -1), (0, 2)], variances=3.0, random_state=1)
X, y = toy.X_train, toy.y_train.astype(np.int32)
data, zero, rng = Data(X, y, np.full(len(y), 1 / len(y))), np.zeros(3), np.random.default_rng(0)
W, V, h = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), 1e-6
slope = (objective(data, W + h * V, zero, "softmax", 0) - objective(data, W - h * V, zero, "softmax", 0)) / (
    2 * h
)
print(
    f"slope along a direction {slope:.6f}, by the formula {(gradient(data, W, zero, 'softmax', 0)[0] * V).sum():.6f}"
)
ends = [objective(data, M, zero, "softmax", 0) for M in (W, V)]
print("the middle lies below the chord:", objective(data, (W + V) / 2, zero, "softmax", 0) < np.mean(ends))

# %% [markdown]
# ## Gradient descent
#
# Minimise −L by steps against the gradient, each so short that L gets better (Armijo's rule), and compare
# with a quasi-Newton method.

# %%
W, values = batch_gradient_descent(X, y, 3, lam=0.01, rounds=300)
print(
    f"objective {values[0]:.4f} → {values[-1]:.6f} in {len(values) - 1} rounds, always falling:",
    (np.diff(values) <= 0).all(),
)
histories = {}
for solver in ("gradient-descent", "conjugate-gradient", "lbfgs", "newton"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that one of them does not arrive is what the picture shows
        model = MaxEnt(lam=0.01, solver=solver, fit_intercept=False, tol=1e-9, max_iter=100).fit(X, y)
    histories[solver] = model.history_
    print(f"{solver:<18} {model.certificate_.objective:.6f} after {model.n_iter_} iterations")
show(plots.objective_by_time(histories), "solvers", "How far above the optimum, after how many seconds")

# %% [markdown]
# ## Logistic regression is maximum entropy
#
# At the optimum without penalty, observed and expected feature counts are equal. Check it for the fitted
# model, and for iterative scaling, which scales all weights a little in every round until they are.

# %%
free = MaxEnt(penalty=None, tol=1e-7).fit(X, y)
observed, expected = X.T @ np.eye(3)[y], X.T @ free.predict_proba(X)
print("observed counts:", observed.ravel().round(3).tolist())
print("expected counts:", expected.ravel().round(3).tolist())
positive = X - X.min(axis=0)  # scaling needs features that are not negative
f = np.einsum("ij,ky->ikyj", positive, np.eye(3)).reshape(len(y), 3, 6)
w = improved_iterative_scaling(f, y, rounds=300)
gap = np.abs(counts(f, conditional(f, w)) - counts(f, np.eye(3)[y])).max()
print(f"iterative scaling: counts differ by at most {gap:.4f} after 300 rounds")

# %% [markdown]
# ## Fewest errors or greatest likelihood?
#
# A thousand points of class 0 with φ(x, 0) = (−1, 1, 0, 0), and one of class 1 with φ(x, 1) = (0, 0, 3, 1).
# How many errors and which log-likelihood have ω = (−1, 0, 1, 0) and ω = (−1, 7, 1, 0)?
#
# Hint: φ moves to the other block for the other label, e.g. φ(x, 1) = (0, 0, −1, 1) for the thousand.
#
# Correction: the slide for the second ω compares (−1, 1, 0, 0) with itself; the score −1 belongs to (0, 0,
# −1, 1). The results −126.9 and −1.4 are right.

# %%
g = np.array([[-1.0, 1.0]] * 1000 + [[3.0, 1.0]])
labels = np.array([0] * 1000 + [1], np.int32)
for omega in ((-1, 0, 1, 0), (-1, 7, 1, 0)):
    scores = g @ np.reshape(omega, (2, 2)).T
    errors = int((scores.argmax(axis=1) != labels).sum())
    print(f"ω = {omega}: {errors} errors, log-likelihood {-losses(scores, labels, 'softmax').sum():.1f}")

# %% [markdown]
# Likelihood does not count errors. Go from one to the other, with ω = (−1, b, 1, 0): where is the likelihood
# greatest, and where is the one point of class 1 lost?

# %%
rows = []
for b in (0.0, 2.0, 4.0, 5.0, 5.7, 6.5, 7.0, 9.0):
    scores = g @ np.array([[-1, b], [1, 0]]).T
    rows.append(
        (b, int((scores.argmax(axis=1) != labels).sum()), -float(losses(scores, labels, "softmax").sum()))
    )
table(("b", "errors", "log-likelihood"), rows, digits=1)
best, lost = max(rows, key=lambda row: row[2]), next(row for row in rows if row[1])
say(
    f"The likelihood is greatest near b = {best[0]:g}, before the point is lost; at b = {lost[0]:g}, where it is lost,",
    f"{lost[2]:.1f} is still far better than {rows[0][2]:.1f} at b = 0, where nothing is.",
)
