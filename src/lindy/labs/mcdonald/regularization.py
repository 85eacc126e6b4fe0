"""Regularisation and online learning.

McDonald, slides 78–95: penalties against overfitting, the same objectives by stochastic steps, and MIRA as the SVM of
one example.
"""

import numpy as np

from lindy import SVM, MaxEnt, Mira, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, say, show, table
from lindy.textbook.mira import all_constraints, mira
from lindy.textbook.objectives import Data, gradient, objective
from lindy.textbook.stochastic_gradient import hinge_direction, log_direction, stochastic_gradient

reviews = book_reviews()
X, y, X_test, y_test = reviews.X_train, reviews.y_train, reviews.X_test, reviews.y_test

# %% [markdown]
# ## Overfitting, and what a penalty does
#
# Train logistic regression on the reviews with stronger and weaker penalties, L2 and L1. How many weights are
# not 0, how long is ω, and what does the test say?
#
# Correction: L0 is printed as the number of weights greater than 0; it counts those that are *not* 0. And
# "L2: ‖ω‖" is used as ½·λ·‖ω‖², whose derivative is λ·ω_i.

# %%
print(reviews)
rows = []
for penalty, strengths in (("l2", (1e-4, 1e-2, 1e-1)), ("l1", (1e-4, 2e-3, 1e-2))):
    for lam in strengths:
        model = MaxEnt(penalty=penalty, lam=lam, tol=1e-3).fit(X, y)
        W = model.W_
        rows.append(
            (
                f"{penalty.upper()}, λ = {lam:g}",
                int((W != 0).sum()),
                float(np.linalg.norm(W)),
                model.score(X, y),
                model.score(X_test, y_test),
            )
        )
table(("penalty", "weights ≠ 0", "‖ω‖", "train", "test"), rows)
best = max(rows, key=lambda row: row[4])
say(
    f"L2 makes the weights small and keeps them all; of {W.shape[0]:,} L1 keeps {rows[3][1]:,} down to {rows[5][1]:,},",
    "which stands in for L0, the one nobody can minimise.",
    f"The weakest penalties read {rows[0][3]:.1%} and {rows[3][3]:.1%} of the training reviews right, and",
    f"{rows[0][4]:.1%} and {rows[3][4]:.1%} of the test. Best in the test is {best[0]} with {best[4]:.1%}.",
)

# %% [markdown]
# The gradient with the penalty has one more term. Check it by finite differences.

# %%
toy = toy_gaussians(60, variances=1.0, random_state=1)
data = Data(toy.X_train, toy.y_train.astype(np.int32), np.full(30, 1 / 30))
W, zero, lam, h = np.array([[0.5, -1.0], [2.0, 0.3]]), np.zeros(2), 0.7, 1e-6
E = np.array([[0, 1.0], [0, 0]])
slope = (
    objective(data, W + h * E, zero, "softmax", lam) - objective(data, W - h * E, zero, "softmax", lam)
) / (2 * h)
plain, full = (gradient(data, W, zero, "softmax", strength)[0][0, 1] for strength in (0.0, lam))
print(f"slope {slope:.6f} = {plain:.6f} + λ·ω = {full:.6f}")

# %% [markdown]
# ## Batch against online
#
# Logistic regression and SVM by stochastic gradient steps, and by their batch optimisers: the objective,
# round by round.

# %%
histories, lam = {}, 0.01
for name, model in {
    "MaxEnt, batch": MaxEnt(lam=lam, solver="lbfgs", tol=1e-6),
    "MaxEnt, online": MaxEnt(lam=lam, solver="sgd", solver_options={"eta0": 0.5, "epochs": 30}),
    "SVM, batch": SVM(loss="hinge", lam=lam, tol=1e-6),
    "SVM, online": SVM(loss="hinge", lam=lam, solver="sgd", solver_options={"eta0": 0.5, "epochs": 30}),
}.items():
    model.fit(X, y)
    histories[name] = model.history_
    print(f"{name:<15} objective {model.history_.objective[-1]:.4f}, test {model.score(X_test, y_test):.3f}")
parts = {kind: {n: h for n, h in histories.items() if n.startswith(kind)} for kind in ("MaxEnt", "SVM")}
for kind, part in parts.items():
    show(plots.objective_by_time(part), f"online-{kind.lower()}", f"{kind}: batch and online")

# %% [markdown]
# ## The perceptron is stochastic descent on a hinge without margin
#
# Take SGD on max(0, max_{y'≠y} ω·φ(x, y') − ω·φ(x, y)) with η = 1 and no penalty: it is the perceptron. With
# the 1 inside, it is the SVM.
#
# Correction: in the decoded slides the hinge of the perceptron still has its "1 +"; without it the sentence
# is true.

# %%
A, labels = toy.X_train, toy.y_train


def no_margin(o: np.ndarray, y: int) -> np.ndarray:
    """Return the direction of the hinge at 0; a score of 0 counts for class 1."""
    return np.array([1.0 if y == 1 else -1.0]) if (o[0] >= 0) != (y == 1) else np.zeros(1)


order = list(range(30)) * 3
sgd, _ = stochastic_gradient(A, labels, np.zeros((2, 1)), order, no_margin, lambda _: 1.0, 0.0)
perceptron = Perceptron(average=False, fit_intercept=False, shuffle=False, epochs=3, dtype="float64").fit(
    A, labels
)
print("the same weights:", np.allclose(sgd, perceptron.W_), perceptron.W_[:, 0].round(4))
for loss, model, direction in (("log", MaxEnt, log_direction), ("hinge", SVM, hinge_direction)):
    options = {"schedule": "constant", "eta0": 0.1, "epochs": 3, "shuffle": False, "dtype": "float64"}
    settings = {"lam": 0.1, "solver": "sgd", "fit_intercept": False, "solver_options": options}
    learner = model(**settings, **({"loss": "hinge"} if model is SVM else {})).fit(A, labels)
    last, _ = stochastic_gradient(A, labels, np.zeros((2, 1)), order, direction, lambda _: 0.1, 0.1)
    print(f"online {loss} loss, lindy and textbook agree:", np.allclose(learner.W_, last, rtol=1e-5))

# %% [markdown]
# ## MIRA with all constraints
#
# Change ω as little as possible so that the right label beats *every* other one by 1. One example x = (1, 1),
# label 2 of 0, 1 and 2, from ω = 0: how far do the weights move, compared with correcting only against the
# predicted label?
#
# Hint: by symmetry both wrong labels get the same α. ω₂ moves by 2α·x, each wrong one by −α·x, and 2·(2α + α)
# = 1.

# %%
x = np.array([[1.0, 1.0]])
print("α =", all_constraints(np.array([1.0, 1.0]), 2.0, np.inf, "PA"), "(1/6 each)")
for constraints in ("predicted", "all"):
    learner = Mira(constraints=constraints, variant="PA", fit_intercept=False, average=False, dtype="float64")
    learner.partial_fit(x, [2], classes=[0, 1, 2])
    w, _ = mira(x, np.array([2]), 1 - np.eye(3), [0], np.inf, variant="PA", constraints=constraints)
    scores, change = learner.decision_function(x)[0].round(3).tolist(), np.linalg.norm(learner.W_)
    print(f"{constraints:<9} scores {scores}, change {change:.3f}; agree: {np.allclose(w, learner.W_)}")
