"""Stochastic gradient: SGD, subgradient, Pegasos, AdaGrad."""

import numpy as np

from lindy import SVM, MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.labs import show
from lindy.textbook import stochastic_gradient as sgd

# %% [markdown]
# One example per step: along the negative (sub)gradient of its loss, while the penalty shrinks the weights.
#
# $$W \leftarrow (1 - \lambda \eta_t) W + \eta_t \, x \, d^T$$
#
# $$\eta_t = \frac{\eta_0}{\sqrt t} \quad \text{or} \quad \frac{1}{\lambda t}$$
#
# The direction d is all that differs between the learners.
#
# Code: lindy.textbook.stochastic_gradient.log_direction
#
# Code: lindy.textbook.stochastic_gradient.hinge_direction
#
# Code: lindy.textbook.stochastic_gradient.cost_augmented_direction
#
# Code: lindy.textbook.stochastic_gradient.stochastic_gradient
#
# Pegasos takes steps of 1/(λt); with sparse rows the weights are kept as a number times a vector, so that
# shrinking costs one multiplication.
#
# Code: lindy.textbook.stochastic_gradient.pegasos
#
# Code: lindy.textbook.stochastic_gradient.sparse_pegasos
#
# AdaGrad gives every weight its own step; an L1 penalty is paid off bit by bit.
#
# Code: lindy.textbook.stochastic_gradient.adagrad
#
# Code: lindy.textbook.stochastic_gradient.cumulative_penalty
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(120, variances=1.0, random_state=1)
X, y, lam, order, zero = toy.X_train, toy.y_train, 0.1, list(range(60)) * 3, np.zeros((2, 1))
options = {"epochs": 3, "shuffle": False, "dtype": "float64", "eta0": 0.1}


def steps(t: int) -> float:
    """Return 0.1/√t."""
    return 0.1 / np.sqrt(t)


# lam is the λ of a model with one weight vector per class; on their difference, which W is here, it is λ/2
cases = {
    "MaxEnt by SGD": (
        MaxEnt(lam=lam, solver="sgd", fit_intercept=False, solver_options=options),
        sgd.stochastic_gradient(X, y, zero, order, sgd.log_direction, steps, lam / 2)[0],
    ),
    "SVM by subgradients": (
        SVM(
            loss="multiclass_hinge",
            lam=lam,
            solver="subgradient",
            fit_intercept=False,
            solver_options=options,
        ),
        sgd.stochastic_gradient(
            X, y, zero, order, sgd.cost_augmented_direction(1 - np.eye(2)), steps, lam / 2
        )[0],
    ),
    "SVM by Pegasos": (
        SVM(loss="hinge", lam=lam, solver="pegasos", fit_intercept=False, solver_options=options),
        sgd.pegasos(X, y, zero, [[m] for m in order], lam, project=False)[0],
    ),
    "MaxEnt by AdaGrad": (
        MaxEnt(
            penalty=None, solver="sgd", fit_intercept=False, solver_options=options | {"schedule": "adagrad"}
        ),
        sgd.adagrad(X, y, zero, order, sgd.log_direction, 0.1),
    ),
    "MaxEnt with L1": (
        MaxEnt(penalty="l1", lam=lam, solver="sgd", fit_intercept=False, solver_options=options),
        sgd.cumulative_penalty(X, y, zero, order, sgd.log_direction, steps, lam),
    ),
}
for name, (model, W) in cases.items():
    print(f"{name:<20} {model.fit(X, y).W_[:, 0].round(5)} agree: {np.allclose(model.W_, W, rtol=1e-5)}")

# %%
histories = {}
for name, extra in {"0.5/√t": {"eta0": 0.5}, "0.5, constant": {"eta0": 0.5, "schedule": "constant"}}.items():
    model = MaxEnt(lam=0.01, solver="sgd", solver_options={"epochs": 60, **extra}).fit(X, y)
    histories[f"SGD, steps {name}"] = model.history_
histories["L-BFGS"] = MaxEnt(lam=0.01, solver="lbfgs", tol=1e-8).fit(X, y).history_
show(
    plots.objective_by_time(histories),
    "sgd",
    "Constant steps stop short of the optimum, shrinking ones near it slowly",
)

# %% [markdown]
# ## When to use it
#
# For streams, for rows that are too many to visit twice, and to watch the algorithms of the lectures at work.
# On a table that fits into memory, [dual coordinate ascent](dual.md) needs no step size and proves its
# answer.
#
# In the library `MaxEnt(solver="sgd")`, `SVM(solver="pegasos")` and `SVM(solver="subgradient")`; [online
# learners](../concepts/online.md) says how steps are chosen.
