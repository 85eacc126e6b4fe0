r"""Perceptron and SVM.

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
# If some $u$ of length 1 separates the data with margin $\gamma$,
#
# $$u \cdot \phi(x_t, y_t) - u \cdot \phi(x_t, y') \ge \gamma,$$
#
# the perceptron makes at most $R^2/\gamma^2$ mistakes, in whatever order it sees the examples, with
# $R \ge \lVert \phi(x_t, y_t) - \phi(x_t, y') \rVert$. Compute the bound for the points above, and follow the
# proof along a run: with every mistake $u \cdot \omega$ grows by at least $\gamma$, and $\lVert \omega \rVert^2$
# by at most $R^2$. How many mistakes do fifty orders make?
#
# Hint: the best $u$ is that of the hard-margin SVM. With one weight vector for two classes,
# $\phi(x, y) - \phi(x, y') = \pm x$.

# %% given
hard = SVM(loss="hinge", C=np.inf, fit_intercept=False, tol=1e-8).fit(with_one, y)

# %%
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
# Return the mean of the weights after every step instead of the last ones (slide 65). Compare both on the points below,
# five rounds in four orders: how often are they right on new points?
#
# Hint: `Perceptron(average=…, epochs=5, random_state=order)`, and `wide.source.accuracy(model)`.

# %% given
wide = toy_gaussians(400, variances=1.5, random_state=2)
data, order = np.column_stack([wide.X_train, np.ones(200)]), list(range(200)) * 5

# %%
rows = []
for seed in range(4):
    scores = [
        wide.source.accuracy(
            Perceptron(average=average, epochs=5, random_state=seed).fit(wide.X_train, wide.y_train)
        )
        for average in (False, True)
    ]
    rows.append((f"order {seed}", *scores))
table(("new points", "last weights", "average"), rows)
last, mean = ([row[k] for row in rows] for k in (1, 2))
say(
    f"Over the orders the last weights are right on {min(last):.1%} to {max(last):.1%} of new points, the averages on",
    f"{min(mean):.1%} to {max(mean):.1%}; the best possible is {wide.source.best_accuracy():.1%}.",
)
model = Perceptron(shuffle=False, epochs=5, dtype="float64").fit(wide.X_train, wide.y_train)
_, mean, _ = binary_perceptron(data, wide.y_train, order)
print("the textbook's average agrees:", np.allclose(mean, np.append(model.W_[:, 0], model.b_)))

# %% [markdown]
# ## Maximum margin is minimum norm
#
# Maximise $\gamma$ under $\lVert \omega \rVert \le 1$ and $\omega \cdot \Delta\phi \ge \gamma$, or minimise
# $\frac{1}{2} \lVert \omega \rVert^2$ under $\omega \cdot \Delta\phi \ge 1$, where
# $\Delta\phi = \phi(x_t, y_t) - \phi(x_t, y')$: show that the answers differ by a factor only. Compute the margin
# of the SVM below, and compare it with the widest over 100,000 directions in the plane. Draw its boundary beside
# that of a perceptron.
#
# Hint: divide the second answer by its length. Its margin is then $1/\lVert \omega \rVert$, and no other
# direction has a wider one.

# %% given
svm = SVM(loss="hinge", C=np.inf, tol=1e-8).fit(X, y)

# %%
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
# Why a wide margin? The error on new data is bounded by a quantity that grows like $R^2 / (\gamma^2 |T|)$, with
# $|T|$ training examples (slide 68). Move two clouds apart, by the distances below, and compare it with the error
# on new points.
#
# Hint: `margin_width_` of an `SVM(loss="hinge", C=1e4)` is γ.

# %% given
distances = (2.2, 2.8, 3.5, 5.0)
clouds = toy_gaussians(
    80, means=[(-1.1, 0), (1.1, 0)], variances=0.25, random_state=4
)  # half of them to train on

# %%
rows = []
for distance in distances:
    clouds = toy_gaussians(80, means=[(-distance / 2, 0), (distance / 2, 0)], variances=0.25, random_state=4)
    model = SVM(loss="hinge", C=1e4, tol=1e-4).fit(clouds.X_train, clouds.y_train)
    width, radius = float(model.margin_width_[0]), float(np.linalg.norm(clouds.X_train, axis=1).max())
    rows.append((distance, width, radius**2 / (width**2 * 40), 1 - clouds.source.accuracy(model)))
table(("distance", "margin γ", "R²/(γ²·|T|)", "error on new points"), rows, digits=4)
falls = all(np.diff([row[2] for row in rows]) < 0) and all(np.diff([row[3] for row in rows]) <= 0)
say(
    "Bound and error fall together" if falls else "Bound and error do not always fall together",
    f"as the margin grows. The bound is no estimate: {rows[0][2]:.0f} where the error is {rows[0][3]:.3f}.",
)

# %% [markdown]
# ## Soft margins
#
# What if no $\omega$ separates? Minimise $\frac{1}{2} \lVert \omega \rVert^2 + C \sum_t \xi_t$, or with
# $\lambda = 1/C$, $\frac{\lambda}{2} \lVert \omega \rVert^2 + \sum_t \xi_t$, where $\xi_t$ is the hinge loss.
# What does $C$ do to the margin, to the sum of the $\xi_t$, and to the number of support vectors?
#
# Hint: `margin_width_`, `slacks(X, y)` and `support_`.

# %% given
prices = (0.01, 0.1, 1.0, 10.0)
soft = SVM(loss="hinge", C=1.0, tol=1e-6).fit(wide.X_train, wide.y_train)

# %%
rows = []
for C in prices:
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
    f"From C = {rows[0][0]} to {rows[-1][0]}, Σ ξ goes from {rows[0][2]:.1f} to {rows[-1][2]:.1f}, the margin from",
    f"{rows[0][1]:.2f} to {rows[-1][1]:.2f}, and from {rows[0][3]} to {rows[-1][3]} examples lie inside it: a larger C",
    "pays for less slack with a narrower margin.",
)

# %% [markdown]
# The quadratic program is solved in its dual, one example at a time; the gap between primal and dual proves
# how good the answer is. Write passes over the examples of the points above (with a column of ones): for the example
# $(x, s)$ with $s = \pm 1$ change its $\alpha$ to
#
# $$\min\left(C, \max\left(0, \alpha + \frac{1 - s\, x \cdot \omega}{\lVert x \rVert^2}\right)\right)$$
#
# and add its change times $s\, x$ to $\omega$. Do 300 passes with C = 0.1 and lindy end at the same $\omega$?

# %% given
C, s = 0.1, np.where(wide.y_train == 1, 1.0, -1.0)
exact = SVM(loss="hinge", C=C, fit_intercept=False, tol=1e-8).fit(data, wide.y_train)

# %%
alpha, w = np.zeros(200), np.zeros(3)
for _ in range(300):
    margin_pass(hinge_step, data, s, C, alpha, w, np.arange(200))
gap = duality_gap("hinge", data, s, C, alpha)
print(f"textbook: ω = {w.round(4)}, gap {gap:.1e}; lindy: {exact.W_[:, 0].round(4)}")
