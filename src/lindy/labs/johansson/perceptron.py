"""Linear classifiers and the perceptron, dense and sparse.

Johansson, slides of lecture 3, first half: scores, separability and how features make it, and what a perceptron costs
when most of its numbers are zero.
"""

import time

import numpy as np

from lindy import SVM, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.features import DictVectorizer, TokenConjunctions
from lindy.labs import review_texts, say, show, table
from lindy.text import CountVectorizer, UnionVectorizer
from lindy.textbook.feature_maps import word_pairs
from lindy.textbook.perceptron import binary_perceptron, sparse_perceptron

# %% [markdown]
# ## Vectors
#
# The four operations everything here is made of: scaling, adding, the dot product and the length. Compute
# them for v = (1, 2, 2) and w = (2, 0, 1).

# %%
v, w = np.array([1.0, 2, 2]), np.array([2.0, 0, 1])
print("3·v =", 3 * v, " v + w =", v + w, " v·w =", v @ w, " |v| =", np.linalg.norm(v))

# %% [markdown]
# ## A scoring function
#
# Score "a really good movie" with weights 0.3 for *really*, 1.5 for *good* and −0.1 for *movie*. The features
# are scored independently: the score is their sum. Then score three texts at once, with a matrix.
#
# Hint: a document becomes a dictionary of features, and `DictVectorizer` makes the rows.
#
# Correction: the slides return the first class for scores "> 0" in one place and "≥ 0" in another. lindy
# gives a score of exactly 0 to the second of the two classes, in training as in prediction.

# %%
texts = ["a really good movie", "a really bad movie", "a movie"]
vectorizer = DictVectorizer()
X = vectorizer.fit_transform([dict.fromkeys(text.split(), 1) for text in texts])
weight = {"really": 0.3, "good": 1.5, "movie": -0.1, "bad": -1.4}
w = np.array([weight.get(name, 0.0) for name in vectorizer.get_feature_names_out()])
for text, score in zip(texts, X @ w, strict=True):
    print(f"{text:<20} score {score:+.1f} → {'positive' if score >= 0 else 'negative'}")

# %% [markdown]
# ## Separable or not
#
# *very good* is positive, *very bad* negative, *not good* negative, *not bad* positive. No weights for single
# words get all four right; why? Add the combinations *very-good* … and try again.
#
# Hint: add up the scores of the two positive texts, and of the two negative ones. It is the same sum.

# %%
phrases, labels = (
    ["very good", "very bad", "not good", "not bad"],
    ["positive", "negative", "negative", "positive"],
)
both = UnionVectorizer(vectorizers=[("word", CountVectorizer()), ("pair", TokenConjunctions())])
for name, vectorizer in (("single words", CountVectorizer()), ("with combinations", both)):
    X = vectorizer.fit_transform(phrases)
    model = Perceptron(average=False, epochs=100).fit(X, labels)
    print(
        f"{name:<18} {X.shape[1]} features, {model.score(X, labels):.0%} right after {model.mistakes_} mistakes"
    )
print(word_pairs(["very", "very", "good"], window=1), "are the textbook's combinations of a text")

data = review_texts()
for window in (1, 3, 10):
    pairs = TokenConjunctions(window=window).fit_transform(data.train[:100])
    print(f"100 reviews, words at most {window:>2} apart: {pairs.shape[1]:>7,} features")

# %% [markdown]
# ## The perceptron, three times
#
# Write it with dense vectors, then with sparse ones (only the features of the document are touched), and
# compare the time on reviews. The slides report 17 and 3 seconds.
#
# Hint: for a sparse row with indices j and values x, the score is x·w[j] and the update w[j] += ±x.

# %%
pieces = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5), max_features=30_000, dtype=float)
X, y = pieces.fit_transform(data.train[:300]), (data.y_train[:300] == "positive").astype(int)
print(f"{data.source}: {X.shape[0]} reviews with {X.shape[1]:,} features, pieces of 3 to 5 letters")
order = list(range(len(y))) * 10
dense = X.toarray()
rows = [(X.indices[a:b], X.data[a:b]) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]


def seconds(run) -> tuple[float, np.ndarray]:
    """Return how long it took, and what came out."""
    start = time.perf_counter()
    w = run()
    return time.perf_counter() - start, np.asarray(w).ravel()


learner = Perceptron(average=False, fit_intercept=False, shuffle=False, epochs=10, dtype="float64")
times = {
    "dense, NumPy": seconds(lambda: binary_perceptron(dense, y, order)[0]),
    "sparse, NumPy": seconds(lambda: sparse_perceptron(rows, y, (X.shape[1], 1), order)),
    "sparse, lindy": seconds(lambda: learner.fit(X, y).W_),
}
slowest, sparse, native = (taken for taken, _ in times.values())
table(("", "seconds", "times faster"), [(name, t, slowest / t) for name, (t, _) in times.items()])
weights = [w for _, w in times.values()]
print(
    f"{X.nnz / np.prod(X.shape):.2%} of the numbers are not 0; the same weights:",
    np.allclose(weights[0], weights[1]),
    end=", ",
)
print("and", np.allclose(weights[1], weights[2]))
say(
    f"In NumPy sparse rows are {slowest / sparse:.1f} times as fast as dense ones, where the slides have {17 / 3:.1f}:",
    f"the more zeros, the more is gained. In the compiled core they are {slowest / native:.0f} times as fast.",
)

# %% [markdown]
# ## Two separators
#
# The perceptron's answer depends on the order of the examples, the SVM's does not. Draw both for a few
# orders.

# %%
toy = toy_gaussians(60, means=[(1, 0), (2, 2)], variances=0.15, random_state=1)
models = {
    f"perceptron, order {seed}": Perceptron(average=False, random_state=seed).fit(toy.X_train, toy.y_train)
    for seed in range(3)
}
for seed in range(2):
    models[f"SVM, order {seed}"] = SVM(loss="hinge", C=100, random_state=seed).fit(toy.X_train, toy.y_train)
show(
    plots.decision_boundary(models, toy, optimal=False),
    "orders",
    "Perceptrons for three orders, and the SVM for two",
)
