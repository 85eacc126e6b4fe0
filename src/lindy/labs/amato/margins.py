"""Margins: MIRA and the SVM.

Amato's slides, last part: how far to move when a prediction is wrong, and the widest margin of all.
"""

import numpy as np

from lindy import SVM, MaxEnt, Mira, MultinomialNaiveBayes, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import messages, say, show, table
from lindy.text import CountVectorizer
from lindy.textbook.mira import mira, step

data = messages()
vectorizer = CountVectorizer()
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)

# %% [markdown]
# ## MIRA: the smallest step that corrects
#
# From w = 0, a mistake on f = (1, 2): how large is τ = ((w_ŷ − w_y)·f + 1) / 2f·f, what are the scores
# afterwards, and what does a cap C = 0.05 change? What does the cap do when every fifth label is wrong? Go
# once through the data, correcting wherever the lead is below 1, in twenty orders.
#
# Hint: after an uncapped step the right answer leads by exactly 1, for a wrong label too.

# %%
x = np.array([[1.0, 2.0]])
for C in (np.inf, 0.05):
    tau = step(loss=1.0, D=2 * float(x[0] @ x[0]), C=C, variant="PA-I")
    w, _ = mira(x, np.array([1]), 1 - np.eye(3), [0], C)
    learner = Mira(
        C=C, constraints="predicted", fit_intercept=False, average=False, dtype="float64"
    ).partial_fit(x, [1], classes=[0, 1, 2])
    lead = float(x[0] @ (w[:, 1] - w[:, 0]))
    print(f"C = {C}: τ = {tau}, lead {lead:g}, lindy agrees: {np.allclose(learner.W_, w)}")
toy = toy_gaussians(400, variances=1.0, random_state=2)
wrong = np.random.default_rng(1).random(len(toy.y_train)) < 0.2
rows = []
for C in (0.01, 0.1, 1.0, 10.0):
    learner = Mira(C=C, epochs=1, average=False, constraints="max-loss")
    scores = [
        learner.set_params(random_state=order)
        .fit(toy.X_train, toy.y_train ^ wrong)
        .score(toy.X_test, toy.y_test)
        for order in range(20)
    ]
    rows.append((f"MIRA, C = {C:g}", min(scores), float(np.mean(scores))))
table(("a fifth of the labels wrong", "worst order", "mean"), rows)
best = max(rows, key=lambda row: row[2])
say(
    f"{best[0]} reads {best[2]:.1%} of new points in the mean and {best[1]:.1%} at worst, {rows[-1][0]} only",
    f"{rows[-1][2]:.1%} and {rows[-1][1]:.1%}: a cap keeps a wrong label from undoing what was learned.",
)

# %% [markdown]
# ## Support vectors
#
# The SVM is MIRA over all examples at once: the smallest weights that put every example right by 1. Only the
# examples at the margin matter; remove all others and train again.

# %%
toy = toy_gaussians(80, means=[(-1.5, -1.5), (1.5, 1.5)], variances=0.4, random_state=3)
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

# %%
rows = []
for name, model in {
    "naive Bayes": MultinomialNaiveBayes(),
    "perceptron": Perceptron(),
    "MIRA": Mira(constraints="predicted"),
    "MaxEnt": MaxEnt(lam=0.001),
    "SVM": SVM(),
}.items():
    model.fit(X, data.y_train)
    rows.append((name, model.score(X, data.y_train), model.score(X_test, data.y_test)))
table(("", "train", "test"), rows)
say(f"From best to worst in the test: {', '.join(row[0] for row in sorted(rows, key=lambda row: -row[2]))}.")
