r"""Regularisation and online learning.

McDonald, slides 78–95: penalties against overfitting, the same objectives by stochastic steps, and MIRA as the SVM of
one example.
"""

import numpy as np

from lindy import SVM, MaxEnt, Mira, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, choose, judged, judged_table, say, show, table, verdict
from lindy.textbook.mira import all_constraints, mira
from lindy.textbook.objectives import Data, gradient, objective
from lindy.textbook.stochastic_gradient import hinge_direction, log_direction, stochastic_gradient

reviews = book_reviews()
X, y, X_test, y_test = reviews.X_train, reviews.y_train, reviews.X_test, reviews.y_test

# %% [markdown]
# ## Overfitting, and what a penalty does
#
# Train logistic regression on the reviews with stronger and weaker penalties, L2 and L1:
#
# $$\arg\max_\omega L(T; \omega) - \lambda R(\omega)$$
#
# with $R(\omega) = \frac{1}{2} \lVert \omega \rVert^2$ or $\sum_i |\omega_i|$.
#
# How many weights are not 0, and how long is $\omega$? Choose λ for each on held-out parts of the training reviews, and
# compare both in the test.
#
# Hint: `MaxEnt(penalty="l1", lam=…)`.
#
# Correction: L0 is printed as the number of weights greater than 0; it counts those that are *not* 0. And "L2:
# $\lVert \omega \rVert$" is used as $\frac{\lambda}{2} \lVert \omega \rVert^2$, whose derivative is
# $\lambda \omega_i$.

# %% given
strengths = {"l2": (0.1, 0.01, 0.0001), "l1": (0.01, 0.002, 0.0001)}
print(reviews)

# %%
rows, results = [], []
for penalty, values in strengths.items():
    chosen = choose(MaxEnt(penalty=penalty, tol=1e-3), "lam", values, X, y)
    for lam, training, held_out in zip(values, chosen.training, chosen.held_out, strict=True):
        W = MaxEnt(penalty=penalty, lam=lam, tol=1e-3).fit(X, y).W_
        size = (int((W != 0).sum()), float(np.linalg.norm(W)))
        rows.append((f"{penalty.upper()}, λ = {lam:g}", *size, training, held_out))
    name = f"{penalty.upper()}, λ = {chosen.best:g}"
    results.append(judged(name, chosen.model.fit(X, y), X_test, y_test))
table(("penalty", "weights ≠ 0", "‖ω‖", "training", "held out"), rows)
judged_table("chosen", results)
say(
    f"L2 makes the weights small and leaves at least {min(row[1] for row in rows[:3]):,} of {W.shape[0]:,} that",
    f"are not 0; L1 leaves {rows[3][1]:,} to {rows[5][1]:,}, and stands in for L0, the number of weights,",
    "which nobody can minimise.",
    f"With the weakest penalties {rows[2][3]:.1%} and {rows[5][3]:.1%} are right in training, and",
    f"{rows[2][4]:.1%} and {rows[5][4]:.1%} of what was held out.",
    verdict(*results),
)

# %% [markdown]
# The gradient with the penalty has one more term, $\lambda \omega_i$. Check it by finite differences for one weight of
# those below, with λ = 0.7.
#
# Hint: the textbook's `objective(data, W, zero, "softmax", lam)` and `gradient(…)[0]`.

# %% given
toy = toy_gaussians(60, variances=1.0, random_state=1)
data = Data(toy.X_train, toy.y_train.astype(np.int32), np.full(30, 1 / 30))
W, zero, lam = np.array([[0.5, -1.0], [2.0, 0.3]]), np.zeros(2), 0.7

# %%
h = 1e-6
E = np.array([[0, 1.0], [0, 0]])
slope = (
    objective(data, W + h * E, zero, "softmax", lam) - objective(data, W - h * E, zero, "softmax", lam)
) / (2 * h)
plain, full = (gradient(data, W, zero, "softmax", strength)[0][0, 1] for strength in (0.0, lam))
print(f"slope {slope:.6f} = {plain:.6f} + λ·ω = {full:.6f}")

# %% [markdown]
# ## Batch against online
#
# Train logistic regression and the SVM on the reviews by stochastic gradient steps, 30 rounds with a first step of 0.5,
# and by their batch optimisers, for λ = 0.01. Compare the objective, round by round.
#
# Hint: `history_.objective` and `history_.seconds`; `plots.objective_by_time` draws several histories.

# %% given
options = {"eta0": 0.5, "epochs": 30}
learners = {
    "MaxEnt, batch": MaxEnt(lam=0.01, solver="lbfgs", tol=1e-6),
    "MaxEnt, online": MaxEnt(lam=0.01, solver="sgd", solver_options=options),
    "SVM, batch": SVM(loss="hinge", lam=0.01, tol=1e-6),
    "SVM, online": SVM(loss="hinge", lam=0.01, solver="sgd", solver_options=options),
}

# %%
histories = {name: model.fit(X, y).history_ for name, model in learners.items()}
table(("", "objective"), [(name, history.objective[-1]) for name, history in histories.items()], digits=4)
parts = {kind: {n: h for n, h in histories.items() if n.startswith(kind)} for kind in ("MaxEnt", "SVM")}
for kind, part in parts.items():
    show(plots.objective_by_time(part), f"online-{kind.lower()}", f"{kind}: batch and online")

# %% [markdown]
# ## The perceptron is stochastic descent on a hinge without margin
#
# Take SGD on
#
# $$\max(0, \max_{y' \ne y} \omega \cdot \phi(x, y') - \omega \cdot \phi(x, y))$$
#
# with $\eta = 1$ and no penalty: it is the perceptron. With a 1 inside, $1 + \max \ldots$, it is the SVM. Write
# both for three rounds over the points below, in their order and without a bias, the SVM with η = 0.1 and λ =
# 0.1, and compare with lindy's weights.
#
# Hint: with two classes and one vector, a step adds $\pm \eta x$ where the loss is not 0.
#
# Correction: in the decoded slides the hinge of the perceptron still has its "1 +"; without it the sentence
# is true.

# %% given
A, labels = toy.X_train, toy.y_train
perceptron = Perceptron(average=False, fit_intercept=False, shuffle=False, epochs=3, dtype="float64").fit(
    A, labels
)
print("ω =", perceptron.W_[:, 0].round(4))


# %%
def no_margin(o: np.ndarray, y: int) -> np.ndarray:
    """Return the direction of the hinge at 0; a score of 0 counts for class 1."""
    return np.array([1.0 if y == 1 else -1.0]) if (o[0] >= 0) != (y == 1) else np.zeros(1)


order = list(range(30)) * 3
sgd, _ = stochastic_gradient(A, labels, np.zeros((2, 1)), order, no_margin, lambda _: 1.0, 0.0)
print("the same weights:", np.allclose(sgd, perceptron.W_))
for loss, model, direction in (("log", MaxEnt, log_direction), ("hinge", SVM, hinge_direction)):
    options = {"schedule": "constant", "eta0": 0.1, "epochs": 3, "shuffle": False, "dtype": "float64"}
    settings = {"lam": 0.1, "solver": "sgd", "fit_intercept": False, "solver_options": options}
    settings |= (
        {"loss": "hinge"} if model is SVM else {"multiclass": "one-vs-rest"}
    )  # one vector for two classes
    learner = model(**settings).fit(A, labels)
    last, _ = stochastic_gradient(A, labels, np.zeros((2, 1)), order, direction, lambda _: 0.1, 0.1)
    print(f"online {loss} loss, lindy and textbook agree:", np.allclose(learner.W_, last, rtol=1e-5))

# %% [markdown]
# ## MIRA with all constraints
#
# Change $\omega$ as little as possible so that the right label beats *every* other one by 1 (slide 93). One example
# $x = (1, 1)$, label 2 of 0, 1 and 2, from $\omega = 0$: compute the new scores, and how far the weights move, compared
# with correcting only against the predicted label.
#
# Hint: by symmetry both wrong labels get the same $\alpha$: $\omega_2$ moves by $2\alpha x$, each wrong one by
# $-\alpha x$, and $2 (2\alpha + \alpha) = 1$. In lindy it is `Mira(constraints="all", variant="PA")`.

# %% given
x = np.array([[1.0, 1.0]])

# %%
print("α =", all_constraints(np.array([1.0, 1.0]), 2.0, np.inf, "PA"), "(1/6 each)")
for constraints in ("predicted", "all"):
    learner = Mira(constraints=constraints, variant="PA", fit_intercept=False, average=False, dtype="float64")
    learner.partial_fit(x, [2], classes=[0, 1, 2])
    w, _ = mira(x, np.array([2]), 1 - np.eye(3), [0], np.inf, variant="PA", constraints=constraints)
    scores, change = learner.decision_function(x)[0].round(3).tolist(), np.linalg.norm(learner.W_)
    print(f"{constraints:<9} scores {scores}, change {change:.3f}; agree: {np.allclose(w, learner.W_)}")
