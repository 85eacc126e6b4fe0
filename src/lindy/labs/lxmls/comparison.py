"""The methods compared.

LxMLS §1.6. The guide's table 1.1 says in words how the five methods differ. Here every cell of it is measured.
"""

import time

import numpy as np

from lindy import SVM, GaussianNaiveBayes, MaxEnt, Mira, MultinomialNaiveBayes, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import book_reviews, say, show, table

EPOCHS = 20


def learners() -> dict[str, object]:
    """Return the five methods for points, each with one setting for everything below."""
    return {
        "naive Bayes": GaussianNaiveBayes(variance="shared"),
        "perceptron": Perceptron(epochs=EPOCHS),
        "MIRA": Mira(lam=10.0, epochs=EPOCHS, constraints="max-loss"),
        "MaxEnt": MaxEnt(lam=0.01),
        "SVM": SVM(loss="hinge", lam=0.01),
    }


# %% [markdown]
# ## Table 1.1, measured
#
# - *Right model*: two Gaussians, for which naive Bayes is made.
# - *Wrong model*: class 1 consists of two clouds, at (1, 1) and far away at (7, 7). Its mean lies between
#   them, where nobody is.
# - *Overlap*: the first coordinate is given ten times. Naive Bayes counts the same evidence ten times.
# - *Reviews*: accuracy and seconds of training on the book reviews.
#
# Hint: for the wrong model it is enough to draw three Gaussians and rename a label.

# %%
right = toy_gaussians(2_000, variances=0.5, random_state=1)
wrong = toy_gaussians(
    2_000, means=[(-1, -1), (1, 1), (7, 7)], variances=0.5, priors=[0.5, 0.25, 0.25], random_state=1
)
reviews = book_reviews()


def tenfold(X: np.ndarray) -> np.ndarray:
    """Repeat the first column."""
    return np.column_stack([np.repeat(X[:, :1], 10, axis=1), X[:, 1]])


columns = {name: [] for name in learners()}
for name, model in learners().items():
    model.fit(right.X_train, right.y_train)
    columns[name].append(model.score(right.X_test, right.y_test))
    model.fit(wrong.X_train, np.minimum(wrong.y_train, 1))
    columns[name].append(model.score(wrong.X_test, np.minimum(wrong.y_test, 1)))
    model.fit(tenfold(right.X_train), right.y_train)
    columns[name].append(model.score(tenfold(right.X_test), right.y_test))
    reader = MultinomialNaiveBayes() if name == "naive Bayes" else model  # words are counts, not measurements
    start = time.perf_counter()
    reader.fit(reviews.X_train, reviews.y_train)
    seconds = time.perf_counter() - start
    columns[name] += [reader.score(reviews.X_test, reviews.y_test), seconds]
kinds = ["generative", *["discriminative"] * 4]
training = ["closed form", "easy", "easy", "convex", "convex"]
tunable = ["smoothing", "none", "λ", "λ", "λ"]
head = ("", "kind", "right model", "wrong model", "overlap", "reviews", "seconds", "training", "to tune")
described = zip(columns, kinds, training, tunable, strict=True)
table(head, [(name, kind, *columns[name], how, tune) for name, kind, how, tune in described])
bayes = columns.pop("naive Bayes")
rest = [(min(scores), max(scores)) for scores in zip(*columns.values(), strict=True)]
first = max(columns, key=lambda name: columns[name][3])
say(
    f"Where its model is right naive Bayes reads {bayes[0]:.1%}, the others {rest[0][0]:.1%} to {rest[0][1]:.1%}.",
    f"Where it is wrong it reads {bayes[1]:.1%}, and the others {rest[1][0]:.1%} or more.",
    f"Given the same evidence ten times it reads {bayes[2]:.1%}, and the others, which can divide a weight among",
    f"copies, {rest[2][0]:.1%} or more.",
    f"On these reviews {first} is first of the others with {columns[first][3]:.1%}; naive Bayes reads {bayes[3]:.1%},",
    "though words do not come independently of each other.",
)

# %% [markdown]
# ## Exercise 1.8: what the data does to the methods
#
# Run all methods while the number of points, the variance and the balance change. What happens with more
# data, and what when the classes are very unbalanced?
#
# Hint: with unbalanced classes look at the recall of the rare one, too.

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
    # many points to test on, so that small differences show
    X_test, y_test = toy.source.draw(20_000, random_state=6)
    scores = [model.fit(toy.X_train, toy.y_train).score(X_test, y_test) for model in learners().values()]
    optimal = float((toy.source.predict(X_test) == y_test).mean())
    rows.append((", ".join(f"{key} {value}" for key, value in change.items()), *scores, optimal))
table(("changed", *learners(), "best possible"), rows)

rare, recalls = y_test == 1, {}
print(f"\nrecall of the rare class, {toy.source.priors[1]:.0%} of the points:")
for name, model in {"best possible": toy.source, **learners()}.items():
    if name in learners():
        model.fit(toy.X_train, toy.y_train)
    recalls[name] = float((model.predict(X_test[rare]) == 1).mean())
    print(f"  {name:<13} {recalls[name]:.2f}")
few, many = (max(row[-1] - score for score in row[1:-1]) for row in (rows[0], rows[2]))
penalised = " and ".join(f"{name} {recalls[name]:.0%}" for name in ("MaxEnt", "SVM"))
say(
    f"With 10 training points the weakest method is {few:.1%} below the best accuracy possible, with 10,000",
    f"{many:.1%}: with more data all of them come together. When one class is rare, even the best boundary finds only",
    f"{recalls['best possible']:.0%} of it, since giving the rest away costs least. {penalised}: the penalty keeps",
    "weights short, but not the bias, which is free.",
)

# %% [markdown]
# Write one function that draws the boundaries of several learners and reports their accuracies, and call it for
# few, many and unbalanced points.
#
# Hint: in lindy it is `plots.boundaries(learners, points=…, variance=…, balance=…, seed=…)`.

# %%
for name, options in {
    "few": {"points": 40},
    "many": {"points": 2_000},
    "unbalanced": {"points": 400, "balance": 0.95},
}.items():
    found = plots.boundaries(learners(), seed=5, **options)
    show(found.ax, f"exercise-1-8-{name}", f"Exercise 1.8: all methods, {name} points")
    print(f"{name} points\n{found}\n")
