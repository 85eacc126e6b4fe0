r"""Training as optimisation: SVM, logistic regression, Pegasos.

Johansson, slides of lecture 3, second half, and the assignment that goes with them: one objective for both models, and
the Pegasos algorithm with its two tricks for sparse vectors.
"""

import time
import warnings

import numpy as np

from lindy import SVM, MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.errors import ConvergenceWarning
from lindy.labs import book_reviews, choose, judged, judged_table, say, show, table, verdict
from lindy.textbook.stochastic_gradient import hinge_direction, logistic_direction, pegasos, sparse_pegasos

reviews = book_reviews()
X, X_test = reviews.X_train, reviews.X_test
y, y_test = ((part == "positive").astype(int) for part in (reviews.y_train, reviews.y_test))

# %% [markdown]
# ## The logistic function
#
# $$P(\text{positive} \mid x) = \frac{1}{1 + e^{-\text{score}}}$$
#
# Compute it for the scores below: does it lie between 0 and 1, and do both classes' probabilities sum to 1? The
# likelihood $L(w) = \prod_i P(y_i \mid x_i)$ is the product of the probabilities: compute its logarithm for the
# model below, and compare with $-\sum_i \log(1 + e^{-y_i\, \text{score}_i})$.

# %% given
score = np.array([-4.0, -1, 0, 1, 4])
toy = toy_gaussians(40, variances=1.0, random_state=2)
model = MaxEnt(lam=0.1).fit(toy.X_train, toy.y_train)

# %%
P = 1 / (1 + np.exp(-score))
print("P(positive):", P.round(4), " plus P(negative):", P + 1 / (1 + np.exp(score)))
own = model.predict_proba(toy.X_train)[np.arange(20), toy.y_train]
losses = np.log1p(np.exp(-np.where(toy.y_train == 1, 1, -1) * model.decision_function(toy.X_train)))
print(f"log of the product {np.log(own.prod()):.6f} = −Σ log(1 + exp(−y·score)) = {-losses.sum():.6f}")

# %% [markdown]
# ## Margins, hard and soft
#
# The SVM takes the $w$ with the widest margin; where one example lies badly, a soft margin may ignore it. Train
# both on the points below, report margin, number of support vectors and $\sum \xi$, and draw both boundaries.
#
# Hint: a hard margin is C = ∞. `margin_width_`, `support_`, `slacks(X, y)`.

# %% given
points = toy_gaussians(40, means=[(-1.5, -1.5), (1.5, 1.5)], variances=0.3, random_state=4)
points.X_train[0], points.y_train[0] = (-0.6, -0.6), 1  # an example on the wrong side of the gap

# %%
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
# $$\min_w \lambda |w|^2 + \frac{1}{m} \sum_i \text{Loss}(w, x_i, y_i)$$
#
# With the hinge loss $\max(0, 1 - y \cdot \text{score})$ it is the SVM, with the log loss
# $\log(1 + \exp(-y \cdot \text{score}))$ logistic regression. Train both on the reviews for the strengths below:
# what do λ and C do in training and on held-out parts of it? Choose λ there, and compare both in the test.
#
# Hint: `SVM(loss="hinge", lam=…)` and `MaxEnt(multiclass="one-vs-rest", lam=…)`; `choose` tries values.
#
# Correction: the slides weigh $|w|^2$ with $\lambda$, Pegasos and lindy with $\lambda/2$. So the slides'
# $\lambda$ is half of `lam`. $C$ goes the other way: $\lambda = 1/(C m)$. The slides have one weight vector for
# two classes, as one-vs-rest models have; the multinomial MaxEnt would count the penalty of two.

# %% given
strengths = (1.0, 0.1, 0.01, 0.001)  # lindy's lam
print(reviews)

# %%
svm = choose(SVM(loss="hinge", tol=1e-2), "lam", strengths, X, y)
lr = choose(MaxEnt(multiclass="one-vs-rest"), "lam", strengths, X, y)
rows = [
    (f"{lam:g}", f"{1 / (lam * len(y)):.3g}", *shares)
    for lam, *shares in zip(strengths, svm.training, svm.held_out, lr.training, lr.held_out, strict=True)
]
table(("lam", "C", "SVM, training", "held out", "logistic regression, training", "held out"), rows)
results = [
    judged(f"{name}, lam = {chosen.best:g}", chosen.model.fit(X, y), X_test, y_test)
    for name, chosen in (("SVM", svm), ("logistic regression", lr))
]
judged_table("chosen", results)
say(verdict(*results), "A small λ, or a large C, lets the loss rule; a large λ keeps the weights short.")

# %% [markdown]
# ## Pegasos
#
# At step $t = 1, 2, \ldots, T$ take an example and a step of $\eta_t = 1/(\lambda t)$:
#
# $$w \leftarrow (1 - \eta_t \lambda)\, w + \eta_t\, y\, x \quad \text{if } y\, (w \cdot x) < 1,$$
#
# and without the last term otherwise. Write it for the 2,000 steps below, and compare the weights with lindy's. Then
# compare the objective of ten passes with the optimum, for λ = 0.01. What do averaging and the projection into a ball
# (the optional line of the paper) change?
#
# Hint: $T$ counts steps, not passes over the data. In lindy Pegasos is `solver="pegasos"`, with the options
# `average` and `projection`. Its first steps are long: where they end above the objective of $w = 0$, lindy warns
# with a ConvergenceWarning, which is silenced below, since objectives are what is compared.

# %% given
lam = 0.01
order = np.random.default_rng(1).integers(0, len(y), 2000)  # the rows of the steps


def quietly(learner, X, y):
    """Fit a learner without that warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return learner.fit(X, y)


def pegasos_svm(**options) -> SVM:
    """Return an SVM without a bias that Pegasos will train."""
    return SVM(loss="hinge", lam=lam, solver="pegasos", fit_intercept=False, solver_options=options)


same = quietly(pegasos_svm(epochs=1, shuffle=False, dtype="float64"), X[order], y[order])
exact = SVM(loss="hinge", lam=lam, fit_intercept=False, tol=1e-6).fit(X, y)

# %%
dense = X.toarray()
w, _ = pegasos(dense, y, np.zeros((X.shape[1], 1)), [[m] for m in order], lam, project=False)
print("lindy's steps are the textbook's:", np.allclose(same.W_, w, rtol=1e-4, atol=1e-6))


def objective(w: np.ndarray) -> float:
    """Return mean hinge loss + ½·λ·|w|²."""
    margins = np.where(y == 1, 1, -1) * (X @ w.ravel())
    return float(np.maximum(0, 1 - margins).mean() + lam / 2 * (w**2).sum())


rows = [("optimum", objective(exact.W_))]
for name, extra in {
    "10 passes": {},
    "averaged": {"average": True},
    "with projection": {"projection": True},
}.items():
    rows.append((f"Pegasos, {name}", objective(quietly(pegasos_svm(epochs=10, **extra), X, y).W_)))
table(("", "objective"), rows)
optimum, plain, average, ball = (row[1] for row in rows)
say(
    f"Ten passes end {plain - optimum:.3f} above the optimum, with the projection {ball - optimum:.3f}, and with the",
    f"average over all steps {average - optimum:.3f}: it keeps the enormous first steps, 1/λ, 1/(2λ), …",
)

# %% [markdown]
# ## The two tricks, and logistic regression
#
# Sparse rows: touch only the document's features. But $(1 - 1/t)\, w$ touches all of $w$, so keep $w$ as
# $s \cdot v$: shrinking is one multiplication. Write it with the sparse rows below, and compare time and weights
# with the dense version. With the log loss in place of the hinge, the same loop is logistic regression: its step
# adds $\eta_t\, y\, x / (1 + e^{y\, (w \cdot x)})$.
#
# Hint: $w \cdot x$ is $s\, (v \cdot x)$, and to add $x$ to $w$ means to add $x/s$ to $v$. At $t = 1$ the scale
# becomes 0: begin again with $s = 1$ and $v = 0$.

# %% given
sparse = [(X.indices[a:b], X.data[a:b]) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]

# %%
dense = X.toarray()
start = time.process_time()
pegasos(dense, y, np.zeros((X.shape[1], 1)), [[m] for m in order], lam, project=False)
middle = time.process_time()
v = sparse_pegasos(sparse, y, X.shape[1], order, hinge_direction, lam)
end = time.process_time()
print(
    f"seconds: dense {middle - start:.3f}, sparse and scaled {end - middle:.3f}; the same w:",
    np.allclose(v, w[:, 0]),
)
w = sparse_pegasos(sparse, y, X.shape[1], order, logistic_direction, lam)
options = {"schedule": "pegasos", "epochs": 1, "shuffle": False, "dtype": "float64"}
lr = MaxEnt(multiclass="one-vs-rest", lam=lam, solver="sgd", fit_intercept=False, solver_options=options)
quietly(lr, X[order], y[order])
print("logistic regression, lindy and textbook:", np.allclose(lr.W_[:, 0], w, rtol=1e-3, atol=1e-5), end="; ")
print(f"test {judged('logistic regression', lr, X_test, y_test)}")
