"""The support vector machine."""

import numpy as np

from lindy import SVM, plots
from lindy.data import toy_gaussians
from lindy.labs import show
from lindy.textbook import dual
from lindy.textbook.stochastic_gradient import pegasos

# %% [markdown]
# Of all lines that part two classes, take the one that is farthest from the nearest examples. Examples that
# cannot be parted pay for how far they lie on the wrong side:
#
# $$\min_w \; \frac{1}{2} \|w\|^2 + C \sum_i \max(0, 1 - s_i \, w \cdot x_i)$$
#
# $s_i$ is +1 for one class and −1 for the other; the margin is $1/\|w\|$. The squared hinge, lindy's default, takes
# the square of each loss. With several classes there is one such problem for each class against the rest, or one
# for all together (Crammer and Singer):
#
# $$\max_k \left( \rho(k, y) + o_k \right) - o_y$$
#
# Two ways to solve it fit on a screen. Either one example after the other gets the dual variable that is best for it:
#
# Code: lindy.textbook.dual.hinge_step
#
# Code: lindy.textbook.dual.squared_hinge_step
#
# Code: lindy.textbook.dual.margin_pass
#
# Or the weights shrink a little at every step, and examples inside the margin are added to them:
#
# Code: lindy.textbook.stochastic_gradient.pegasos
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(120, variances=1.0, random_state=1)
X, y, C = toy.X_train, toy.y_train, 0.5
s = np.where(y == 1, 1.0, -1.0)
for loss, step in (("hinge", dual.hinge_step), ("squared_hinge", dual.squared_hinge_step)):
    alpha, w = np.zeros(60), np.zeros(2)
    for _ in range(200):
        dual.margin_pass(step, X, s, C, alpha, w, np.arange(60))
    model = SVM(loss=loss, C=C, fit_intercept=False, tol=1e-9).fit(X, y)
    gap = dual.duality_gap(loss, X, s, C, alpha)
    print(f"{loss:<13} {w.round(4)} agree: {np.allclose(model.W_[:, 0], w, atol=1e-4)}, gap {gap:.0e}")
order = list(range(60)) * 3
W, _ = pegasos(X, y, np.zeros((2, 1)), [[m] for m in order], 0.1, project=False)
options = {"epochs": 3, "shuffle": False, "dtype": "float64"}
model = SVM(loss="hinge", lam=0.1, solver="pegasos", fit_intercept=False, solver_options=options).fit(X, y)
print("Pegasos       weights agree:", np.allclose(model.W_, W, rtol=1e-5))

# %%
apart = toy_gaussians(80, means=[(-2, -1), (2, 1)], variances=0.5, random_state=3)
soft = SVM(loss="hinge", C=10, tol=1e-6).fit(apart.X_train, apart.y_train)
ax = plots.decision_boundary(
    {"C = 10": soft, "C = 0.01": SVM(loss="hinge", C=0.01).fit(apart.X_train, apart.y_train)},
    apart,
    optimal=False,
)
ax.plot(
    *apart.X_train[soft.support_].T,
    "o",
    markersize=13,
    fillstyle="none",
    color="0.5",
    label="support vectors",
)
ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
show(ax, "svm", "A large C looks at the nearest examples only, a small one at all of them")

# %% [markdown]
# ## When to use it
#
# For text, unless something speaks against it: `squared_hinge` on tf-idf is fast, accurate and has one number
# to choose. `hinge` has fewer support vectors; `multiclass_hinge` takes a `cost` for each confusion.
#
# Scores are not probabilities: `TextClassifier` calibrates them, [MaxEnt](maxent.md) has its own. On less
# than some thousand texts [NB-SVM](naive_bayes_svm.md) is often a little better.
#
# On the command line `--learner svm`. λ and C, the bias, the hard margin and paths: [support vector
# machines](../concepts/svm.md).
