"""Dual coordinate ascent: one example at a time."""

import numpy as np

from lindy import SVM, MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.labs import show
from lindy.textbook import dual

# %% [markdown]
# Every example has a dual variable, its price; the weights are the examples weighted by their prices. The
# best price of one example, all others fixed, has a closed form for the hinges.
#
# $$\max_{0 \le \alpha \le C} \; \sum_i \alpha_i - \frac{1}{2} \| w \|^2$$
#
# $$w = \sum_i \alpha_i s_i x_i$$
#
# Code: lindy.textbook.dual.hinge_step
#
# Code: lindy.textbook.dual.squared_hinge_step
#
# Code: lindy.textbook.dual.logistic_step
#
# Code: lindy.textbook.dual.margin_pass
#
# Code: lindy.textbook.dual.crammer_singer_step
#
# Code: lindy.textbook.dual.project_on_simplex
#
# No answer is better than the dual says, so the gap between both objectives proves how good the weights are.
#
# Code: lindy.textbook.dual.duality_gap
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(120, variances=1.0, random_state=1)
X, y, C, everyone = toy.X_train, toy.y_train, 0.5, np.arange(60)
s = np.where(y == 1, 1.0, -1.0)
for loss, step, model in (
    ("hinge", dual.hinge_step, SVM(loss="hinge", C=C, fit_intercept=False, tol=1e-9)),
    ("squared_hinge", dual.squared_hinge_step, SVM(loss="squared_hinge", C=C, fit_intercept=False, tol=1e-9)),
    ("log", dual.logistic_step, MaxEnt(C=C, fit_intercept=False, tol=1e-9)),
):
    alpha, w, gaps = np.full(60, 0.01 if loss == "log" else 0.0), np.zeros(2), []
    w += X.T @ (s * alpha)
    for _ in range(40 if loss == "log" else 200):
        dual.margin_pass(step, X, s, C, alpha, w, everyone)
        gaps.append(max(dual.duality_gap(loss, X, s, C, alpha), 1e-16))
    agree = np.allclose(model.fit(X, y).W_[:, 0], w, atol=1e-4)
    print(f"{loss:<13} {w.round(5)} gap {gaps[-1]:.0e}; lindy agrees: {agree}")

three = toy_gaussians(120, means=[(-2, -1), (2, -1), (0, 2)], variances=1.0, random_state=1)
Z, W = C * np.eye(3)[three.y_train], np.zeros((2, 3))
rho = 1 - np.eye(3)[three.y_train]
for _ in range(100):
    dual.joint_pass(dual.crammer_singer_step, three.X_train, rho, C, Z, W, everyone)
model = SVM(loss="multiclass_hinge", C=C, fit_intercept=False, tol=1e-9).fit(three.X_train, three.y_train)
print("Crammer–Singer with three classes, lindy agrees:", np.allclose(model.W_, W, atol=1e-3))

# %%
hinge = SVM(loss="hinge", C=C, tol=1e-6).fit(X, y)
ax = plots.decision_boundary({"SVM": hinge}, toy, optimal=False)
ax.plot(*X[hinge.support_].T, "o", markersize=13, fillstyle="none", color="black", label="support vectors")
ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
show(ax, "support-vectors", "Only examples at or inside the margin have a price")

# %% [markdown]
# ## When to use it
#
# It is what `SVM` and `MaxEnt` do by default: no step size, and a proof at the end.
# [Optimisers](../concepts/optimizers.md) lists the others, and when they are better.
#
# In the library `SVM(solver="dual")`; `certificate_` is the gap.
