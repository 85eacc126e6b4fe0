"""Perceptron and SVM.

McDonald, slides 59–77: why the perceptron stops, how many mistakes it can make, and the separator with the widest
margin.
"""

import numpy as np

from lindy import SVM, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import say, show, table
from lindy.textbook.dual import duality_gap, hinge_step, margin_pass
from lindy.textbook.perceptron import binary_perceptron

toy = toy_gaussians(120, means=[(1, 0), (2, 2)], variances=0.12, random_state=1)
X, y = toy.X_train, toy.y_train
sign = np.where(y == 1, 1.0, -1.0)
with_one = np.column_stack([X, np.ones(len(X))])

# %% [markdown]
# ## The theorem
#
# If some u of length 1 separates the data with margin γ, the perceptron makes at most R²/γ² mistakes, in
# whatever order it sees the examples. Follow the proof along a run: with every mistake u·ω grows by at least
# γ, and ‖ω‖² by at most R².
#
# Hint: the best u is that of the hard-margin SVM. With one weight vector for two classes, φ(x, y) − φ(x, y')
# = ±x.

# %%
hard = SVM(loss="hinge", C=np.inf, fit_intercept=False, tol=1e-8).fit(with_one, y)
u = hard.W_[:, 0] / np.linalg.norm(hard.W_)
gamma, R = float((sign * (with_one @ u)).min()), float(np.linalg.norm(with_one, axis=1).max())
omega, k, holds = np.zeros(3), 0, True
for m in list(range(len(X))) * 20:
    if sign[m] * (with_one[m] @ omega) <= 0:
        omega, k = omega + sign[m] * with_one[m], k + 1
        holds &= bool(u @ omega >= k * gamma - 1e-9 and omega @ omega <= k * R**2 + 1e-9)
print(f"γ = {gamma:.3f}, R = {R:.3f}: at most {R**2 / gamma**2:.1f} mistakes; this run made {k}")
print("k·γ ≤ u·ω and ‖ω‖² ≤ k·R² after every mistake:", holds)
runs = [
    Perceptron(average=False, fit_intercept=False, random_state=seed).fit(with_one, y).mistakes_
    for seed in range(50)
]
print(f"fifty orders: {min(runs)} to {max(runs)} mistakes")

# %% [markdown]
# ## Averaging
#
# Return the mean of the weights after every step instead of the last ones.

# %%
wide = toy_gaussians(400, variances=1.5, random_state=2)
rows = []
for seed in range(4):
    scores = [
        Perceptron(average=average, epochs=5, random_state=seed)
        .fit(wide.X_train, wide.y_train)
        .score(wide.X_test, wide.y_test)
        for average in (False, True)
    ]
    rows.append((f"order {seed}", *scores))
table(("", "last weights", "average"), rows)
last, mean = ([row[k] for row in rows] for k in (1, 2))
say(
    f"Over the orders the last weights read {min(last):.1%} to {max(last):.1%}, the averages {min(mean):.1%} to",
    f"{max(mean):.1%}.",
)
model = Perceptron(shuffle=False, epochs=5, dtype="float64").fit(wide.X_train, wide.y_train)
data, order = np.column_stack([wide.X_train, np.ones(200)]), list(range(200)) * 5
_, mean, _ = binary_perceptron(data, wide.y_train, order)
print("the textbook's average agrees:", np.allclose(mean, np.append(model.W_[:, 0], model.b_)))

# %% [markdown]
# ## Maximum margin is minimum norm
#
# max γ under ‖ω‖ ≤ 1 and ω·Δφ ≥ γ, or min ½‖ω‖² under ω·Δφ ≥ 1: show that the answers differ by a factor
# only.
#
# Hint: divide the second answer by its length. Its margin is then 1/‖ω‖, and no other direction has a wider
# one.

# %%
svm = SVM(loss="hinge", C=np.inf, tol=1e-8).fit(X, y)
print(
    f"min norm: ‖ω‖ = {np.linalg.norm(svm.W_):.4f}, smallest ω·Δφ = {svm.margins(X, y).min():.4f}", end=", "
)
print(f"margin 1/‖ω‖ = {svm.margin_width_[0]:.4f}")
angles = np.linspace(0, 2 * np.pi, 100_000, endpoint=False)
around = np.column_stack([np.cos(angles), np.sin(angles)])
ahead, behind = (X[y == 1] @ around.T).min(axis=0), (X[y == 0] @ around.T).max(axis=0)
print(f"widest margin over all directions: {((ahead - behind) / 2).max():.4f}")
perceptron = Perceptron(average=False).fit(X, y)
ax = plots.decision_boundary({"SVM": svm, "perceptron": perceptron}, toy, optimal=False)
show(ax, "margin", "The perceptron stops at some separator, the SVM at the one in the middle")

# %% [markdown]
# Why a wide margin? The error on new data is bounded by a quantity that grows like R²/(γ²·|T|). Move two
# clouds apart and compare it with the error.

# %%
rows = []
for distance in (2.2, 2.8, 3.5, 5.0):
    clouds = toy_gaussians(80, means=[(-distance / 2, 0), (distance / 2, 0)], variances=0.25, random_state=4)
    model = SVM(loss="hinge", C=1e4, tol=1e-4).fit(clouds.X_train, clouds.y_train)
    new, truth = clouds.source.draw(50_000, random_state=5)
    width, radius = float(model.margin_width_[0]), float(np.linalg.norm(clouds.X_train, axis=1).max())
    rows.append((distance, width, radius**2 / (width**2 * 40), 1 - model.score(new, truth)))
table(("distance", "margin γ", "R²/(γ²·|T|)", "test error"), rows, digits=4)
falls = all(np.diff([row[2] for row in rows]) < 0) and all(np.diff([row[3] for row in rows]) <= 0)
say(
    "Bound and error fall together" if falls else "Bound and error do not always fall together",
    f"as the margin grows. The bound is no estimate: {rows[0][2]:.0f} where the error is {rows[0][3]:.3f}.",
)

# %% [markdown]
# ## Soft margins
#
# What if no ω separates? ½‖ω‖² + C·Σ ξ_t, or with λ = 1/C: ½·λ·‖ω‖² + Σ ξ_t, where ξ_t is the hinge loss.
# What does C do?

# %%
rows = []
for C in (0.01, 0.1, 1.0, 10.0):
    model = SVM(loss="hinge", C=C, tol=1e-6).fit(wide.X_train, wide.y_train)
    slack = model.slacks(wide.X_train, wide.y_train)
    rows.append(
        (
            f"{C:g}",
            float(model.margin_width_[0]),
            float(slack.sum()),
            int((slack > 1e-3).sum()),
            len(model.support_),
        )
    )
table(("C", "margin", "Σ ξ", "examples with ξ > 0", "support vectors"), rows)
say(
    f"A larger C buys less slack (Σ ξ {rows[0][2]:.1f} → {rows[-1][2]:.1f}) with a narrower margin"
    f" ({rows[0][1]:.2f} → {rows[-1][1]:.2f}), and fewer examples lie inside it.",
)

# %% [markdown]
# The quadratic program is solved in its dual, one example at a time; the gap between primal and dual proves
# how good the answer is. Do the textbook's passes and lindy end at the same ω?

# %%
C, alpha, w = 0.1, np.zeros(200), np.zeros(3)
s = np.where(wide.y_train == 1, 1.0, -1.0)
for _ in range(300):
    margin_pass(hinge_step, data, s, C, alpha, w, np.arange(200))
model = SVM(loss="hinge", C=C, fit_intercept=False, tol=1e-8).fit(data, wide.y_train)
print(
    f"textbook: ω = {w.round(4)}, gap {duality_gap('hinge', data, s, C, alpha):.1e}; lindy: {model.W_[:, 0].round(4)}"
)
