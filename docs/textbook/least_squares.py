"""Least squares in closed form."""

import numpy as np

from lindy import LeastSquares, MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.labs import show
from lindy.textbook.least_squares import least_squares

# %% [markdown]
# Labels as numbers ±1, and the weights that come nearest to them:
#
# $$W = (A^T A + n \lambda I)^{-1} A^T B$$
#
# on columns from which their means are taken, so that the bias is free of the penalty.
#
# Code: lindy.textbook.least_squares.least_squares
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(120, means=[(-2, -1), (2, -1), (0, 2)], variances=1.0, random_state=1)
targets = 2 * np.eye(3)[toy.y_train] - 1
for l2 in (0.0, 0.1):
    W, b = least_squares(toy.X_train, targets, l2)
    model = LeastSquares(l2=l2).fit(toy.X_train, toy.y_train)
    print(f"l2 = {l2}: agree: {np.allclose(model.W_, W)}, {np.allclose(model.b_, b)}")

# %%
far = toy_gaussians(
    80, means=[(-1, -1), (1, 1), (6, 6)], variances=0.3, priors=[0.5, 0.4, 0.1], random_state=2
)
labels = np.minimum(far.y_train, 1)
models = {
    "least squares": LeastSquares(l2=0).fit(far.X_train, labels),
    "MaxEnt": MaxEnt(C=10).fit(far.X_train, labels),
}
ax = plots.decision_boundary(models, far, optimal=False)
show(
    ax,
    "least-squares",
    "Classes 1 and 2 against 0: points that are far on the right side pull least squares away",
)

# %% [markdown]
# ## When to use it
#
# As a baseline, and in a lecture: the only learner here that is a formula. Its loss also punishes answers
# that are too right, which the picture shows; every loss of the other pages was made to mend that.
#
# On the command line `--learner least-squares`. [Baselines](../concepts/baselines.md).
