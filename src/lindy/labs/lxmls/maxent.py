r"""Maximum entropy.

LxMLS 1.5.1. Among all distributions that agree with what was observed, take the one that assumes least. It has the
form

$$P_w(y \mid x) = \frac{\exp(w \cdot f(x, y))}{Z(w, x)}, \tag{1.27}$$

with $Z(w, x) = \sum_{y'} \exp(w \cdot f(x, y'))$ (Eq. 1.28), and fitting it means to minimise

$$-\frac{1}{M} \sum_m \log P_w(y^m \mid x^m) + \frac{\lambda}{2} \lVert w \rVert^2. \tag{1.31}$$
"""

import warnings

import numpy as np

from lindy import MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.errors import ConvergenceWarning
from lindy.joint import JointMap, JointMaxEnt
from lindy.labs import book_reviews, choose, judged, say, show, table
from lindy.textbook.batch_gradient import batch_gradient_descent
from lindy.textbook.iterative_scaling import conditional, improved_iterative_scaling
from lindy.textbook.objectives import Data, gradient, objective, probabilities

toy = toy_gaussians(200, variances=0.5, test_share=0.5, random_state=2)
X, y = toy.X_train, toy.y_train
reviews = book_reviews()

# %% [markdown]
# ## The die
#
# Of 40 throws, 10 showed 1, 2 or 3 and 30 showed 4, 5 or 6. Compute the distribution over the six sides that has
# the greatest entropy $-\sum_s P(s) \log P(s)$ among those that agree with it, and the entropy of another one.
#
# Hint: one feature, "the side is 4, 5 or 6", whose expectation has to be 30/40. Nothing is known beyond it.

# %% given
throws = [1] * 10 + [6] * 30  # which side of its group a throw showed makes no difference

# %%
high = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
f = np.tile(high[:, None], (40, 1, 1))  # f[i, y, j]: the throws have no input, so every row is the same
die = conditional(f, improved_iterative_scaling(f, np.array(throws) - 1, rounds=60))[0]
print("P(side) =", die.round(4), "= 1/12 and 1/4")
joint = JointMap(lambda _, side: ["high"] if side > 3 else [], candidates=[1, 2, 3, 4, 5, 6])
model = JointMaxEnt(lam=1e-9, tol=1e-8).fit(joint.fit_transform([None] * 40, throws))
print("lindy agrees:", np.allclose(model.predict_proba(joint.transform([None])), die, atol=1e-6))
tilted = die + np.array([0.02, -0.02, 0, 0, 0, 0])  # agrees with the observations as well
print(f"entropy {-(die @ np.log(die)):.4f}; of one that tells 1 from 2: {-(tilted @ np.log(tilted)):.4f}")

# %% [markdown]
# ## The gradient of log Z is the expected feature vector (Eq. 1.29)
#
# $$\nabla_w \log Z(w, x) = \sum_{y'} P_w(y' \mid x) f(x, y') \tag{1.29}$$
#
# Check it by finite differences for the weights and the point below, and with it the gradient of the objective
# (Eq. 1.32): expected minus observed features, in the mean over the examples, plus $\lambda w$.
#
# Hint: the slope of a function F along a coordinate is about $(F(w + h) - F(w - h)) / 2h$ with h = 10⁻⁶. With block
# features $f(x, y)$ the expected vector is the outer product of $x$ and the probabilities.

# %% given
W = np.random.default_rng(0).normal(size=(2, 2))  # a column for each class
x = X[0]

# %%


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
# 1. Train with L-BFGS on the toy data for λ = 0.001, 0.1, 1 and 10, and compare with the methods before: training
#    accuracy, accuracy on new points, length of $w$. Draw the boundaries.
#
# Hint: `MaxEnt(lam=…, solver="lbfgs")`; `toy.source.accuracy(model)` is the accuracy on all points that could be drawn.

# %% given
model = MaxEnt(lam=0.1, solver="lbfgs").fit(X, y)

# %%
rows, models = [], {}
for lam in (0.001, 0.1, 1.0, 10.0):
    model = MaxEnt(lam=lam, solver="lbfgs").fit(X, y)
    models[f"λ = {lam:g}"] = model
    length = float(np.linalg.norm(model.W_))
    rows.append((f"{lam:g}", model.score(X, y), toy.source.accuracy(model), length))
table(("λ", "train", "new points", "‖w‖"), rows)
show(
    plots.decision_boundary(models, toy),
    "exercise-1-6",
    "Exercise 1.6: MaxEnt for four strengths of the penalty",
)
weak, strong = models["λ = 0.001"].W_[:, 0], models["λ = 10"].W_[:, 0]
turned = np.degrees(np.arccos(weak @ strong / np.linalg.norm(weak) / np.linalg.norm(strong)))
say(
    f"The penalty shortens w from {rows[0][3]:.2f} to {rows[-1][3]:.2f}, which flattens the probabilities; the line",
    f"turns by {turned:.0f}°, and of new points {rows[0][2]:.1%} to {rows[-1][2]:.1%} are right; the best",
    "line possible has",
    f"{toy.source.best_accuracy():.1%}.",
)

# %% [markdown]
# Algorithm 4 is gradient descent, $w \leftarrow w - \eta_t \nabla F(w)$ (Eq. 1.33), with Armijo's rule for the
# step: halve $\eta$ until the objective falls by at least a small share of $\eta \lVert \nabla F \rVert^2$. Write
# it for λ = 0.1 without a bias, and compare its weights with those of L-BFGS.
#
# Hint: `gradient(data, W, zero, "softmax", lam)[0]` and `objective(…)` are the textbook's $\nabla F$ and $F$. lindy
# keeps $w = w_1 - w_0$ of the two vectors, $w_0 = -w_1$: a penalty of λ on both is one of λ/2 on $w$.

# %% given
lbfgs = MaxEnt(lam=0.1, solver="lbfgs", fit_intercept=False, tol=1e-9).fit(X, y)
data, zero = Data(X, y.astype(np.int32), np.full(len(y), 1 / len(y))), np.zeros(2)

# %%
W, values = batch_gradient_descent(X, y.astype(np.int32), 2, lam=0.1, rounds=200)
descent = MaxEnt(lam=0.1, solver="gradient-descent", fit_intercept=False, tol=1e-9).fit(X, y)
print("textbook:", (W[:, 1] - W[:, 0]).round(5), end=" ")
print("Armijo:", descent.W_[:, 0].round(5), "L-BFGS:", lbfgs.W_[:, 0].round(5))

# %% [markdown]
# 2. Train with L-BFGS on the reviews for λ = 1, 0.1, …, 0.0001 and report training and held-out accuracy and
#    the number of iterations. Choose λ on held-out parts, and report its test accuracy with its interval. What do you
#    observe?

# %% given
strengths = (1.0, 0.1, 0.01, 0.001, 0.0001)
print(reviews)

# %%
chosen = choose(MaxEnt(solver="lbfgs"), "lam", strengths, reviews.X_train, reviews.y_train)
iterations = [
    MaxEnt(lam=lam, solver="lbfgs").fit(reviews.X_train, reviews.y_train).n_iter_ for lam in strengths
]
rows = zip((f"{lam:g}" for lam in strengths), chosen.training, chosen.held_out, iterations, strict=True)
table(("λ", "training", "held out", "iterations"), list(rows))
best = judged("MaxEnt", chosen.model.fit(reviews.X_train, reviews.y_train), reviews.X_test, reviews.y_test)
say(
    f"From λ = 1 to 0.0001 training goes from {chosen.training[0]:.1%} to {chosen.training[-1]:.1%}, and what was held",
    f"out from {chosen.held_out[0]:.1%} to {chosen.held_out[-1]:.1%}: a strong penalty leaves no room to",
    "follow the data,",
    f"a weak one follows its accidents, too. Held-out reviews choose λ = {chosen.best:g}, which has",
    f"{best} in the test.",
    f"L-BFGS takes {iterations[0]} iterations for the largest λ and {iterations[-1]} for the smallest.",
)

# %% [markdown]
# 3. Fix λ = 1 and train for 50 rounds with SGD (Algorithm 5), whose steps are $\eta_t = \eta_0 t^{-\alpha}$:
#    $\eta_0$ = 0.5 and 0.01 with $\alpha$ = ½, and 0.01 with $\alpha$ = 1.5. Compare the objective during
#    training with that of L-BFGS.
#
# Hint: the steps have to shrink. `MaxEnt(solver="sgd", solver_options={"eta0": …, "power": α, "epochs": …})`, and
# `history_.objective` has the values. lindy warns with a ConvergenceWarning where a solver ends far from the optimum;
# that one of these does is what the exercise is about, so the solution silences it.
#
# Correction: the guide suggests steps $\eta_0 t^{-\alpha}$ with $\alpha$ between 1 and 2. With $\alpha > 1$ the
# steps sum to a finite length, so SGD may stop short of the optimum; $\sum_t \eta_t = \infty$ needs
# $\alpha \le 1$. And footnote 7 gives the prior of the penalty $\frac{\lambda}{2} \lVert w \rVert^2$ as
# $N(0; 1/\lambda^2)$: log-densities $-w^2/2\sigma^2$ match it with $\sigma^2 = 1/\lambda$, or $1/(\lambda M)$
# when the losses are averaged over $M$ examples.

# %% given
exact = MaxEnt(lam=1.0, solver="lbfgs", tol=1e-8).fit(reviews.X_train, reviews.y_train)

# %%
histories = {"L-BFGS": exact.history_}
for eta0, power in ((0.5, 0.5), (0.01, 0.5), (0.01, 1.5)):
    options = {"eta0": eta0, "epochs": 50, "power": power}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MaxEnt(lam=1.0, solver="sgd", solver_options=options).fit(reviews.X_train, reviews.y_train)
    histories[f"SGD, η₀ = {eta0}, α = {power}"] = model.history_
ends = {name: history.objective[-1] for name, history in histories.items()}
table(("solver", "objective"), list(ends.items()), digits=4)
optimum = ends.pop("L-BFGS")
above = {name: value / optimum - 1 for name, value in ends.items()}
say(
    f"After 50 rounds {min(above, key=above.__getitem__)} is nearest to the optimum {optimum:.4f}:",
    f"{'; '.join(f'{name} ends {share:.1%} above it' for name, share in above.items())}. Steps that are too long at",
    "first have to be made good again, and steps that shrink too fast do not arrive.",
)
ax = plots.objective_by_time(histories)
show(ax, "exercise-1-6-objectives", "Exercise 1.6: how far above the optimum, after how many seconds")
