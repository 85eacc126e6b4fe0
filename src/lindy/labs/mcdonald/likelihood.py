r"""Logistic regression.

McDonald, slides 40–58: the model

$$P(y \mid x) = \frac{e^{\omega \cdot \phi(x, y)}}{Z_x}, \quad Z_x = \sum_{y'} e^{\omega \cdot \phi(x, y')},$$

its most probable weights, their gradient, why this is also the maximum entropy model, and why the greatest likelihood
need not mean the fewest errors.
"""

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
# The partial derivative of the log-likelihood is the observed count of a feature minus its expected count under
# the model (slide 51),
#
# $$\frac{\partial L}{\partial \omega_i} = \sum_t \phi_i(x_t, y_t) - \sum_t \sum_{y'} P(y' \mid x_t) \phi_i(x_t, y').$$
#
# Compute the slope of $-L/n$ at $W$ along the direction $V$ below, by the formula and by finite differences, and
# check that it is convex: the value in the middle of $W$ and $V$ lies below the mean of theirs.
#
# Hint: the textbook's `objective(data, W, zero, "softmax", 0)` is $-L/n$, and `gradient(…)[0]` its gradient.
#
# Correction: one slide has gradient *ascent* "minimise" L. Ascent maximises the log-likelihood; descent
# minimises its negative.

# %% given
toy = toy_gaussians(120, means=[(-2, -1), (2, -1), (0, 2)], variances=3.0, random_state=1)
X, y = toy.X_train, toy.y_train.astype(np.int32)
data, zero, rng = Data(X, y, np.full(len(y), 1 / len(y))), np.zeros(3), np.random.default_rng(0)
W, V = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))  # a column for each class

# %%
h = 1e-6
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
# Minimise $-L/n + \frac{\lambda}{2} \lVert \omega \rVert^2$ with λ = 0.01 by steps against the gradient, each so
# short that the objective gets smaller (Armijo's rule). Compare the number of rounds and the value reached with
# the solvers below.
#
# Hint: `n_iter_`, `certificate_.objective` and `history_` of a fitted `MaxEnt`; `plots.objective_by_time` draws
# histories.

# %% given
solvers = ("gradient-descent", "conjugate-gradient", "lbfgs", "newton")
lbfgs = MaxEnt(lam=0.01, solver="lbfgs", fit_intercept=False, tol=1e-9, max_iter=100).fit(X, y)

# %%
W, values = batch_gradient_descent(X, y, 3, lam=0.01, rounds=300)
print(
    f"objective {values[0]:.4f} → {values[-1]:.6f} in {len(values) - 1} rounds, always falling:",
    (np.diff(values) <= 0).all(),
)
histories = {}
for solver in solvers:
    model = MaxEnt(lam=0.01, solver=solver, fit_intercept=False, tol=1e-9, max_iter=100).fit(X, y)
    histories[solver] = model.history_
    print(f"{solver:<18} {model.certificate_.objective:.6f} after {model.n_iter_} iterations")
show(plots.objective_by_time(histories), "solvers", "How far above the optimum, after how many seconds")

# %% [markdown]
# ## Logistic regression is maximum entropy
#
# At the optimum without penalty, observed and expected feature counts are equal. Compute both for the fitted
# model, and for iterative scaling, which scales all weights a little in every round until they are.
#
# Hint: the observed count of feature i and class y is the sum of $x_i$ over the examples of $y$, the expected one
# the sum of $x_i P(y \mid x)$ over all examples. The textbook's `improved_iterative_scaling(f, y, rounds=300)` returns
# weights for the features f below, `conditional(f, w)` their probabilities and `counts(f, P)` the counts.

# %% given
free = MaxEnt(penalty=None, tol=1e-7).fit(X, y)
positive = X - X.min(axis=0)  # scaling needs features that are not negative
f = np.einsum("ij,ky->ikyj", positive, np.eye(3)).reshape(len(y), 3, 6)  # φ(x, y) of every row x and label y

# %%
observed, expected = X.T @ np.eye(3)[y], X.T @ free.predict_proba(X)
print("observed counts:", observed.ravel().round(3).tolist())
print("expected counts:", expected.ravel().round(3).tolist())
w = improved_iterative_scaling(f, y, rounds=300)
gap = np.abs(counts(f, conditional(f, w)) - counts(f, np.eye(3)[y])).max()
print(f"iterative scaling: counts differ by at most {gap:.4f} after 300 rounds")

# %% [markdown]
# ## Fewest errors or greatest likelihood?
#
# A thousand points of class 0 with $\phi(x, 0) = (-1, 1, 0, 0)$, and one of class 1 with $\phi(x, 1) = (0, 0, 3, 1)$.
# How many errors and which log-likelihood have $\omega = (-1, 0, 1, 0)$ and $\omega = (-1, 7, 1, 0)$?
#
# Hint: $\phi$ moves to the other block for the other label, e.g. $\phi(x, 1) = (0, 0, -1, 1)$ for the thousand.
#
# Correction: the slide for the second $\omega$ compares $(-1, 1, 0, 0)$ with itself; the score −1 belongs to
# $(0, 0, -1, 1)$. The results −126.9 and −1.4 are right.

# %% given
g = np.array([[-1.0, 1.0]] * 1000 + [[3.0, 1.0]])  # a block of φ for each point
labels = np.array([0] * 1000 + [1], np.int32)

# %%
for omega in ((-1, 0, 1, 0), (-1, 7, 1, 0)):
    scores = g @ np.reshape(omega, (2, 2)).T
    errors = int((scores.argmax(axis=1) != labels).sum())
    print(f"ω = {omega}: {errors} errors, log-likelihood {-losses(scores, labels, 'softmax').sum():.1f}")

# %% [markdown]
# Likelihood does not count errors. Go from one to the other, with $\omega = (-1, b, 1, 0)$ for the values of $b$ below:
# where is the likelihood greatest, and where is the one point of class 1 lost?

# %% given
steps = (0.0, 2.0, 4.0, 5.0, 5.7, 6.5, 7.0, 9.0)

# %%
rows = []
for b in steps:
    scores = g @ np.array([[-1, b], [1, 0]]).T
    rows.append(
        (b, int((scores.argmax(axis=1) != labels).sum()), -float(losses(scores, labels, "softmax").sum()))
    )
table(("b", "errors", "log-likelihood"), rows, digits=1)
best, lost = max(rows, key=lambda row: row[2]), next(row for row in rows if row[1])
say(
    f"Of these the likelihood is greatest at b = {best[0]:g}, with {best[1]} errors; at b = {lost[0]:g},",
    "where the point",
    f"is lost, it is {lost[2]:.1f}, and {rows[0][2]:.1f} at b = 0, where nothing is.",
)
