"""Training as optimisation: SVM, logistic regression, Pegasos.

Johansson, slides of lecture 3, second half, and the assignment that goes with them: one objective for both models, and
the Pegasos algorithm with its two tricks for sparse vectors.
"""

import time

import numpy as np

from lindy import SVM, MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, say, show, table
from lindy.textbook.stochastic_gradient import hinge_direction, logistic_direction, pegasos, sparse_pegasos

reviews = book_reviews()
X, X_test = reviews.X_train, reviews.X_test
y, y_test = ((part == "positive").astype(int) for part in (reviews.y_train, reviews.y_test))

# %% [markdown]
# ## The logistic function
#
# P(positive | x) = 1 / (1 + e^−score). Check that it lies between 0 and 1, that both classes' probabilities
# sum to 1, and that the likelihood of data is the product of the probabilities.

# %%
score = np.array([-4.0, -1, 0, 1, 4])
P = 1 / (1 + np.exp(-score))
print("P(positive):", P.round(4), " plus P(negative):", P + 1 / (1 + np.exp(score)))
toy = toy_gaussians(40, variances=1.0, random_state=2)
model = MaxEnt(lam=0.1).fit(toy.X_train, toy.y_train)
own = model.predict_proba(toy.X_train)[np.arange(20), toy.y_train]
losses = np.log1p(np.exp(-np.where(toy.y_train == 1, 1, -1) * model.decision_function(toy.X_train)))
print(f"log of the product {np.log(own.prod()):.6f} = −Σ log(1 + exp(−y·score)) = {-losses.sum():.6f}")

# %% [markdown]
# ## Margins, hard and soft
#
# The SVM takes the w with the widest margin; where one example lies badly, a soft margin may ignore it. Draw
# both.

# %%
points = toy_gaussians(40, means=[(-1.5, -1.5), (1.5, 1.5)], variances=0.3, random_state=4)
points.X_train[0], points.y_train[0] = (-0.6, -0.6), 1  # an example on the wrong side of the gap
models = {
    "hard margin": SVM(loss="hinge", C=np.inf, tol=1e-6).fit(points.X_train, points.y_train),
    "soft margin, C = 0.1": SVM(loss="hinge", C=0.1).fit(points.X_train, points.y_train),
}
for name, model in models.items():
    slack = model.slacks(points.X_train, points.y_train).sum()
    print(
        f"{name:<21} margin {model.margin_width_[0]:.3f}, {len(model.support_)} support vectors, Σ ξ = {slack:.2f}"
    )
show(plots.decision_boundary(models, points, optimal=False), "soft", "One outlier, and two answers to it")

# %% [markdown]
# ## One objective for both
#
# min λ|w|² + (1/m)·Σ Loss: with the hinge loss it is the SVM, with the log loss logistic regression. Train
# both on the reviews; what do λ and C do?
#
# Correction: the slides weigh |w|² with λ, Pegasos and lindy with λ/2. So the slides' λ is half of `lam`. C
# goes the other way: lam = 1/(C·m).

# %%
print(reviews)
rows = []
for lam in (1.0, 0.1, 0.01, 0.001):
    svm, lr = SVM(loss="hinge", lam=lam).fit(X, y), MaxEnt(lam=lam).fit(X, y)
    rows.append(
        (f"{lam:g}", f"{1 / (lam * len(y)):.3g}", svm.score(X_test, y_test), lr.score(X_test, y_test))
    )
table(("λ", "C", "SVM", "logistic regression"), rows)
svm, lr = (max(rows, key=lambda row, k=k: row[k]) for k in (2, 3))
say(
    f"The SVM reads most right at λ = {svm[0]} ({svm[2]:.1%}), logistic regression at λ = {lr[0]} ({lr[3]:.1%}).",
    "A small λ, or a large C, lets the loss rule; a large λ keeps the weights short.",
)

# %% [markdown]
# ## Pegasos
#
# At step t take an example and a step of 1/(λt): w ← (1 − 1/t)·w, plus y·x/(λt) if the margin is below 1.
# Compare the plain version with lindy, and its objective with the optimum. What do averaging and the
# projection into a ball, the optional line of the paper, change?
#
# Hint: T counts steps, not passes over the data.

# %%
lam = 0.01
dense = X.toarray()
order = np.random.default_rng(1).integers(0, len(y), 2000)
w, _ = pegasos(dense, y, np.zeros((X.shape[1], 1)), [[m] for m in order], lam, project=False)
options = {"epochs": 1, "shuffle": False, "dtype": "float64"}
same = SVM(loss="hinge", lam=lam, solver="pegasos", fit_intercept=False, solver_options=options).fit(
    X[order], y[order]
)
print("lindy's steps are the textbook's:", np.allclose(same.W_, w, rtol=1e-4, atol=1e-6))
exact = SVM(loss="hinge", lam=lam, fit_intercept=False, tol=1e-6).fit(X, y)


def objective(w: np.ndarray) -> float:
    """Return mean hinge loss + ½·λ·|w|²."""
    margins = np.where(y == 1, 1, -1) * (X @ w.ravel())
    return float(np.maximum(0, 1 - margins).mean() + lam / 2 * (w**2).sum())


rows = [("optimum", objective(exact.W_), exact.score(X_test, y_test))]
for name, extra in {
    "10 passes": {},
    "averaged": {"average": True},
    "with projection": {"projection": True},
}.items():
    settings = {"epochs": 10, **extra}
    model = SVM(loss="hinge", lam=lam, solver="pegasos", fit_intercept=False, solver_options=settings).fit(
        X, y
    )
    rows.append((f"Pegasos, {name}", objective(model.W_), model.score(X_test, y_test)))
table(("", "objective", "test"), rows)
optimum, plain, average, ball = (row[1] for row in rows)
say(
    f"Ten passes end {plain - optimum:.3f} above the optimum, with the projection {ball - optimum:.3f}, and with the",
    f"average over all steps {average - optimum:.3f}, which does not forget the enormous first ones: 1/λ, 1/(2λ), …",
)

# %% [markdown]
# ## The two tricks, and logistic regression
#
# Sparse rows: touch only the document's features. But (1 − 1/t)·w touches all of w, so keep w as s·v:
# shrinking is one multiplication. And with the log loss in place of the hinge, the same loop is logistic
# regression.

# %%
sparse = [(X.indices[a:b], X.data[a:b]) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
start = time.perf_counter()
pegasos(dense, y, np.zeros((X.shape[1], 1)), [[m] for m in order], lam, project=False)
middle = time.perf_counter()
v = sparse_pegasos(sparse, y, X.shape[1], order, hinge_direction, lam)
end = time.perf_counter()
print(
    f"dense {middle - start:.3f} s, sparse and scaled {end - middle:.3f} s; the same w:",
    np.allclose(v, w[:, 0]),
)
w = sparse_pegasos(sparse, y, X.shape[1], order, logistic_direction, lam)
options = {"schedule": "pegasos", "epochs": 1, "shuffle": False, "dtype": "float64"}
lr = MaxEnt(lam=lam, solver="sgd", fit_intercept=False, solver_options=options).fit(X[order], y[order])
print("logistic regression, lindy and textbook:", np.allclose(lr.W_[:, 0], w, rtol=1e-3, atol=1e-5), end="; ")
print(f"test accuracy {((X_test @ w >= 0) == (y_test == 1)).mean():.3f}")
