r"""The methods compared.

LxMLS 1.6. The guide's table 1.1 says in words how the five methods differ:

| | naive Bayes | perceptron | MIRA | MaxEnt | SVM |
| --- | --- | --- | --- | --- | --- |
| generative or discriminative | G | D | D | D | D |
| if the true model is not among its hypotheses | bad | fair | good | good | good |
| if features overlap | fair | good | good | good | good |
| training | closed form | easy | easy | fair | fair |
| to tune | smoothing | nothing | λ | λ | λ |

Here it is measured.
"""

import time

import numpy as np

from lindy import SVM, GaussianNaiveBayes, MaxEnt, Mira, MultinomialNaiveBayes, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, choose, judged, say, show, table, verdict

STRENGTHS = {"MIRA": (1000.0, 100.0, 10.0), "MaxEnt": (0.1, 0.01, 0.001), "SVM": (0.1, 0.01, 0.001)}


def learners() -> dict[str, object]:
    """Return the five methods for points; where there is a λ, one for everything."""
    return {
        "naive Bayes": GaussianNaiveBayes(variance="shared"),
        "perceptron": Perceptron(epochs=20),
        "MIRA": Mira(lam=10.0, epochs=20, constraints="max-loss"),
        "MaxEnt": MaxEnt(lam=0.01),
        "SVM": SVM(loss="hinge", lam=0.01),
    }


def fitted(name: str, X, y) -> object:
    """Return a method that has learned from points, with its λ chosen on held-out parts of them."""
    learner = learners()[name]
    return (choose(learner, "lam", STRENGTHS[name], X, y).model if name in STRENGTHS else learner).fit(X, y)


# %% [markdown]
# ## Table 1.1, measured
#
# Fit all methods on four data sets, with λ chosen on held-out parts of the training data, and compare them in the test:
#
# - *Right model*: two Gaussians, for which naive Bayes is made.
# - *Wrong model*: class 1 consists of two clouds, at (1, 1) and far away at (7, 7). Its mean lies between
#   them, where nobody is.
# - *Overlap*: the first coordinate is given ten times. Naive Bayes counts the same evidence ten times.
# - *Reviews*: the book reviews, with naive Bayes of words; measure the seconds of training, too.
#
# Is MaxEnt, which has the same weights to choose but learns them discriminatively, better than naive Bayes?
#
# Hint: for the wrong model it is enough to draw three Gaussians and rename a label.

# %% given
right = toy_gaussians(2_000, variances=0.5, random_state=1)
wrong = toy_gaussians(
    2_000, means=[(-1, -1), (1, 1), (7, 7)], variances=0.5, priors=[0.5, 0.25, 0.25], random_state=1
)  # classes 1 and 2 are one: np.minimum(wrong.y_train, 1)
reviews = book_reviews()
print(reviews)


# %%
def tenfold(X: np.ndarray) -> np.ndarray:
    """Repeat the first column."""
    return np.column_stack([np.repeat(X[:, :1], 10, axis=1), X[:, 1]])


sets = {
    "right model": (right.X_train, right.y_train, right.X_test, right.y_test),
    "wrong model": (
        wrong.X_train,
        np.minimum(wrong.y_train, 1),
        wrong.X_test,
        np.minimum(wrong.y_test, 1),
    ),
    "overlap": (tenfold(right.X_train), right.y_train, tenfold(right.X_test), right.y_test),
    "reviews": (reviews.X_train, reviews.y_train, reviews.X_test, reviews.y_test),
}
results, seconds = {}, {}
for data, (X, y, X_test, y_test) in sets.items():
    for name in learners():
        words = data == "reviews" and name == "naive Bayes"  # words are counts, not measurements
        model = (
            choose(MultinomialNaiveBayes(), "alpha", (10.0, 1.0, 0.1), X, y).model
            if words
            else fitted(name, X, y)
        )
        start = time.perf_counter()
        model.fit(X, y)
        seconds[name] = time.perf_counter() - start
        results[data, name] = judged(name, model, X_test, y_test)
head = ("test (95 %)", *sets, "seconds")
table(head, [(name, *(str(results[data, name]) for data in sets), seconds[name]) for name in learners()])
say(
    "Naive Bayes beside MaxEnt, which has the same weights to choose and learns them discriminatively.",
    *(
        f"{data.capitalize()}: {verdict(results[data, 'MaxEnt'], results[data, 'naive Bayes'])}"
        for data in sets
    ),
)

# %% [markdown]
# ## Exercise 1.8: what the data does to the methods
#
# Run all methods (`learners()`) while the number of points (20, 200, 20,000), the variance (¼, 2) and the balance (10
# and 2 % of class 1) change, and compare the accuracy on new points with the best possible. What happens with more
# data, and what when the classes are very unbalanced?
#
# Hint: `toy.source.accuracy(model)`. With unbalanced classes look at the recall of the rare one, too: the share of its
# points that are found.

# %% given
toy = toy_gaussians(n=1_000, priors=(0.98, 0.02), random_state=5)
X_new, y_new = toy.source.draw(20_000, random_state=6)

# %%
rows = []
for change in (
    {"n": 20},
    {"n": 200},
    {"n": 20_000},
    {"variances": 0.25},
    {"variances": 2.0},
    {"priors": (0.9, 0.1)},
    {"priors": (0.98, 0.02)},
):
    toy = toy_gaussians(**{"n": 1_000, "random_state": 5, **change})
    scores = [toy.source.accuracy(model.fit(toy.X_train, toy.y_train)) for model in learners().values()]
    rows.append(
        (", ".join(f"{key} {value}" for key, value in change.items()), *scores, toy.source.best_accuracy())
    )
table(("changed", *learners(), "best possible"), rows)

rare, recalls = y_new == 1, {}
print(f"\nrecall of the rare class, {toy.source.priors[1]:.0%} of the points:")
for name, model in {"best possible": toy.source, **learners()}.items():
    if name in learners():
        model.fit(toy.X_train, toy.y_train)
    recalls[name] = judged(name, model, X_new[rare], y_new[rare])
    print(f"  {name:<13} {recalls[name]}")
few, many = (max(row[-1] - score for score in row[1:-1]) for row in (rows[0], rows[2]))
say(
    f"With 10 training points the weakest method is {100 * few:.1f} points below the best accuracy possible, with",
    f"10,000 {100 * many:.1f} points. When one class is rare, even the best boundary finds only",
    f"{recalls['best possible']} of it, since giving the rest away costs least.",
)

# %% [markdown]
# Write one function that draws the boundaries of several learners and reports their accuracies on new points, and call
# it for few, many and unbalanced points.
#
# Hint: in lindy it is `plots.boundaries(learners, points=…, variance=…, balance=…, seed=…)`.

# %% given
wanted = {"few": {"points": 40}, "many": {"points": 2_000}, "unbalanced": {"points": 400, "balance": 0.95}}

# %%
for name, options in wanted.items():
    found = plots.boundaries(learners(), seed=5, **options)
    show(found.ax, f"exercise-1-8-{name}", f"Exercise 1.8: all methods, {name} points")
    right = {kind: found.data.source.accuracy(model) for kind, model in found.models.items()}
    best = found.data.source.best_accuracy()
    print(
        f"{name} points, best possible {best:.1%}:",
        ", ".join(f"{k} {share:.1%}" for k, share in right.items()),
    )
