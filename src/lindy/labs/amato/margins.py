"""Margins: MIRA and the SVM.

Amato's slides, last part: how far to move when a prediction is wrong, and the widest margin of all.
"""

import numpy as np

from lindy import SVM, MaxEnt, Mira, MultinomialNaiveBayes, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import messages, show, table
from lindy.text import CountVectorizer
from lindy.textbook.mira import mira, step

data = messages()
vectorizer = CountVectorizer()
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
noisy = np.where(np.arange(len(data.y_train)) % 7 == 3, "ham", data.y_train)  # some labels are wrong

# %% [markdown]
# ## MIRA: the smallest step that corrects
#
# From w = 0, a mistake on f = (1, 2): how large is τ = ((w_ŷ − w_y)·f + 1) / 2f·f, what are the scores
# afterwards, and what does a cap C = 0.05 change? What does the cap do when labels are wrong?
#
# Hint: after an uncapped step the right answer leads by exactly 1.

# %%
x = np.array([[1.0, 2.0]])
for C in (np.inf, 0.05):
    tau = step(loss=1.0, D=2 * float(x[0] @ x[0]), C=C, variant="PA-I")
    w, _ = mira(x, np.array([1]), 1 - np.eye(3), [0], C)
    learner = Mira(
        C=min(C, 1e9), constraints="predicted", fit_intercept=False, average=False, dtype="float64"
    ).partial_fit(
        x, [1], classes=[0, 1, 2]
    )
    lead = float(x[0] @ (w[:, 1] - w[:, 0]))
    print(f"C = {C}: τ = {tau}, lead {lead:g}, lindy agrees: {np.allclose(learner.W_, w)}")
rows = []
for C in (0.001, 0.01, 0.1, 1.0):
    model = Mira(C=C, constraints="predicted", epochs=15).fit(X, noisy)
    rows.append((f"MIRA, C = {C:g}", model.score(X, noisy), model.score(X_test, data.y_test)))
table(("with wrong labels", "train", "test"), rows)

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
