"""MIRA and passive-aggressive steps."""

import numpy as np

from lindy import Mira, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import show
from lindy.textbook import mira

# %% [markdown]
# The smallest change of the weights that puts the example right by the cost of the mistake, but no longer
# than C allows:
#
# $$d = f(x, y) - f(x, \hat y), \qquad w \leftarrow w + \tau \, d$$
#
# $$\tau = \min \left( C, \frac{\rho(\hat y, y) - w \cdot d}{\| d \|^2} \right)$$
#
# Code: lindy.textbook.mira.step
#
# Code: lindy.textbook.mira.mira
#
# Two classes are stored as the difference of their two vectors, which moves by 2τ:
#
# Code: lindy.textbook.mira.binary_mira
#
# Against several wrong labels at once, those among the k best or all, it is a small quadratic problem with one
# unknown, θ:
#
# Code: lindy.textbook.mira.all_constraints
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(120, means=[(-2, -1), (2, -1), (0, 2)], variances=1.0, random_state=1)
X, y, order = np.column_stack([toy.X_train, np.ones(60)]), toy.y_train, list(range(60)) * 3
for variant in ("PA", "PA-I", "PA-II"):
    for constraints in ("predicted", "max-loss", "k-best", "all"):
        options = {"variant": variant, "constraints": constraints, "k": 2, "C": 0.1}
        _, average = mira.mira(X, y, 1 - np.eye(3), order, **options)
        model = Mira(shuffle=False, dtype="float64", epochs=3, **options).fit(toy.X_train, y)
        agree = np.allclose(np.vstack([model.W_, model.b_]), average, atol=1e-9)
        print(f"{variant:<5} {constraints:<9} averages agree: {agree}")
two = toy_gaussians(120, variances=1.0, random_state=1)
_, average = mira.binary_mira(two.X_train, two.y_train, 1 - np.eye(2), order, C=1.0)
options = {"constraints": "predicted", "shuffle": False, "epochs": 3, "dtype": "float64"}
model = Mira(fit_intercept=False, **options).fit(two.X_train, two.y_train)
print("two classes, averages agree:", np.allclose(model.W_[:, 0], average))

# %%
noisy = two.y_train.copy()
noisy[np.argsort(two.X_train.sum(axis=1))[:3]] = 1  # the three surest examples of class 0
models = {
    f"MIRA, C = {C:g}": Mira(C=C, constraints="predicted").fit(two.X_train, noisy) for C in (0.001, 1.0)
}
models["perceptron"] = Perceptron().fit(two.X_train, noisy)
show(
    plots.decision_boundary(models, two),
    "mira",
    "Three labels are wrong: a low cap keeps them from doing harm",
)

# %% [markdown]
# ## When to use it
#
# Where a perceptron would do and a little more is wanted: MIRA also corrects answers that are right by too
# little, and is as fast. Where some mistakes cost more than others: the cost ρ is part of the step. A smaller
# `C` helps with noisy labels.
#
# On a fixed table that fits into memory an [SVM](svm.md) solves the same problem to its end.
#
# On the command line `--learner mira`. Constraints, costs and streams: [online
# learners](../concepts/online.md).
