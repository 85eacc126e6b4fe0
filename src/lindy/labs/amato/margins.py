r"""Margins: MIRA and the SVM.

Amato's slides, last part: how far to move when a prediction is wrong, and the widest margin of all.
"""

import numpy as np

from lindy import SVM, MaxEnt, Mira, MultinomialNaiveBayes, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import choose, judged, judged_table, messages, say, show, table, verdicts
from lindy.text import CountVectorizer
from lindy.textbook.mira import mira, step

data = messages()
vectorizer = CountVectorizer()
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)

# %% [markdown]
# ## MIRA: the smallest step that corrects
#
# From $w = 0$, a mistake on $f = (1, 2)$, where $y$ was predicted and $y^*$ is right. Compute the step
#
# $$\tau = \min\left(\frac{(w_y - w_{y^*}) \cdot f + 1}{2 f \cdot f}, C\right)$$
#
# without a cap and with $C$ = 0.05, and by how much $y^*$ leads after $w_y \leftarrow w_y - \tau f$ and
# $w_{y^*} \leftarrow w_{y^*} + \tau f$.
#
# Hint: after an uncapped step the right answer leads by exactly 1.

# %% given
x = np.array([[1.0, 2.0]])

# %%
for C in (np.inf, 0.05):
    tau = step(loss=1.0, D=2 * float(x[0] @ x[0]), C=C, variant="PA-I")
    w, _ = mira(x, np.array([1]), 1 - np.eye(3), [0], C)
    learner = Mira(
        C=C, constraints="predicted", fit_intercept=False, average=False, dtype="float64"
    ).partial_fit(x, [1], classes=[0, 1, 2])
    lead = float(x[0] @ (w[:, 1] - w[:, 0]))
    print(f"C = {C}: τ = {tau}, lead {lead:g}, lindy agrees: {np.allclose(learner.W_, w)}")

# %% [markdown]
# What does the cap do when every fifth label is wrong? Go once through the points below, correcting wherever the
# lead is below 1, in twenty orders, for the caps $C$ = 0.01, 0.1, 1 and 10: compute the accuracy on new points,
# in the mean and in the worst order.
#
# Hint: after an uncapped step the right answer leads by 1, for a wrong label too.
# `Mira(C=…, epochs=1, average=False, random_state=order)`.

# %% given
toy = toy_gaussians(400, variances=1.0, random_state=2)
wrong = np.random.default_rng(1).random(len(toy.y_train)) < 0.2
noisy = toy.y_train ^ wrong  # the labels to learn from

# %%
rows = []
for C in (0.01, 0.1, 1.0, 10.0):
    learner = Mira(C=C, epochs=1, average=False, constraints="max-loss")
    scores = [
        toy.source.accuracy(learner.set_params(random_state=order).fit(toy.X_train, noisy), steps=300)
        for order in range(20)
    ]
    rows.append((f"MIRA, C = {C:g}", min(scores), float(np.mean(scores))))
table(("a fifth of the labels wrong", "worst order", "mean"), rows)
say(
    *(
        f"{name}: {mean:.1%} of new points in the mean and {worst:.1%} at worst."
        for name, worst, mean in rows
    ),
    "A low cap keeps a wrong label from undoing what was learned.",
)

# %% [markdown]
# ## Support vectors
#
# The SVM is MIRA over all examples at once: the smallest weights that put every example right by 1,
#
# $$\min_w \frac{1}{2} \lVert w \rVert^2 \quad \text{with } w_{y^*} \cdot f(x_i) \ge w_y \cdot f(x_i) + 1$$
#
# for all $i$ and $y$.
#
# Only the examples at the margin matter: train a hard-margin SVM on the points below, remove all others than its
# support vectors, and train again. How far does $w$ move? Draw its boundary beside a perceptron's.
#
# Hint: `SVM(loss="hinge", C=np.inf, tol=1e-8)` and `support_`.

# %% given
toy = toy_gaussians(80, means=[(-1.5, -1.5), (1.5, 1.5)], variances=0.4, random_state=3)

# %%
hard = SVM(loss="hinge", C=np.inf, tol=1e-8).fit(toy.X_train, toy.y_train)
again = SVM(loss="hinge", C=np.inf, tol=1e-8).fit(toy.X_train[hard.support_], toy.y_train[hard.support_])
print(
    f"{len(hard.support_)} of {len(toy.y_train)} are support vectors; without the others w moves by", end=" "
)
print(f"{np.abs(hard.W_ - again.W_).max():.5f}; margin 1/‖w‖ = {hard.margin_width_[0]:.3f}")
perceptron = Perceptron(average=False).fit(toy.X_train, toy.y_train)
ax = plots.decision_boundary({"SVM": hard, "perceptron": perceptron}, toy, optimal=False)
ax.plot(
    *toy.X_train[hard.support_].T,
    "o",
    markersize=14,
    fillstyle="none",
    color="black",
    label="support vectors",
)
ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
show(ax, "support", "A separator that was found first, and the one with the widest margin")

# %% [markdown]
# ## The methods side by side, on messages
#
# Train naive Bayes, perceptron, MIRA, MaxEnt and SVM on the messages, with the strengths of naive Bayes, MIRA,
# MaxEnt and SVM chosen on held-out parts of the training messages, and report the test accuracy. Is one of them
# better than naive Bayes?
#
# Hint: `choose(learner, option, values, X, data.y_train)`, and `verdicts` for the pairs with naive Bayes.

# %% given
learners = {
    "naive Bayes": (MultinomialNaiveBayes(), "alpha", (10.0, 1.0, 0.1)),
    "perceptron": (Perceptron(), None, ()),
    "MIRA": (Mira(constraints="predicted"), "C", (0.01, 0.1, 1.0)),
    "MaxEnt": (MaxEnt(), "lam", (0.1, 0.01, 0.001)),
    "SVM": (SVM(), "C", (0.01, 0.1, 1.0)),
}
print(data)

# %%
results = {}
for name, (learner, option, values) in learners.items():
    model = choose(learner, option, values, X, data.y_train).model if option else learner
    results[name] = judged(name, model.fit(X, data.y_train), X_test, data.y_test)
judged_table("", results.values())
say(*verdicts([(results[name], results["naive Bayes"]) for name in list(learners)[1:]]))
