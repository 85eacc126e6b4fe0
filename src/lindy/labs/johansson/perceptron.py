r"""Linear classifiers and the perceptron, dense and sparse.

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
# The four operations everything here is made of: scaling, adding, the dot product
# $v \cdot w = v_1 w_1 + \ldots + v_n w_n$ and the length $|v| = \sqrt{v \cdot v}$. Compute $3v$, $v + w$,
# $v \cdot w$ and $|v|$ for the vectors below.

# %% given
v, w = np.array([1.0, 2, 2]), np.array([2.0, 0, 1])

# %%
print("3·v =", 3 * v, " v + w =", v + w, " v·w =", v @ w, " |v| =", np.linalg.norm(v))

# %% [markdown]
# ## A scoring function
#
# Score "a really good movie" with the weights below, $\text{score} = w \cdot x$. The features are scored
# independently: the score is their sum. Then score the three texts at once, with a matrix, and say which are
# positive.
#
# Hint: a document becomes a dictionary of features, and `DictVectorizer` makes the rows.
#
# Correction: the slides return the first class for scores "> 0" in one place and "≥ 0" in another. lindy
# gives a score of exactly 0 to the second of the two classes, in training as in prediction.

# %% given
texts = ["a really good movie", "a really bad movie", "a movie"]
weight = {"really": 0.3, "good": 1.5, "movie": -0.1, "bad": -1.4}

# %%
vectorizer = DictVectorizer()
X = vectorizer.fit_transform([dict.fromkeys(text.split(), 1) for text in texts])
w = np.array([weight.get(name, 0.0) for name in vectorizer.get_feature_names_out()])
for text, score in zip(texts, X @ w, strict=True):
    print(f"{text:<20} score {score:+.1f} → {'positive' if score >= 0 else 'negative'}")

# %% [markdown]
# ## Separable or not
#
# *very good* is positive, *very bad* negative, *not good* negative, *not bad* positive. No weights for single
# words get all four right; why? Train a perceptron on them, add the combinations *very-good* … and try again. How many
# features have a hundred reviews, if words at most 1, 3 and 10 apart are combined?
#
# Hint: add up the scores of the two positive texts, and of the two negative ones. It is the same sum.
# `TokenConjunctions(window=…)` makes combinations, `UnionVectorizer` puts them beside the words.

# %% given
phrases = ["very good", "very bad", "not good", "not bad"]
labels = ["positive", "negative", "negative", "positive"]
data = review_texts()

# %%
both = UnionVectorizer(vectorizers=[("word", CountVectorizer()), ("pair", TokenConjunctions())])
for name, vectorizer in (("single words", CountVectorizer()), ("with combinations", both)):
    X = vectorizer.fit_transform(phrases)
    model = Perceptron(average=False, epochs=100).fit(X, labels)
    print(
        f"{name:<18} {X.shape[1]} features, {model.score(X, labels):.0%} right after {model.mistakes_} mistakes"
    )
print(word_pairs(["very", "very", "good"], window=1), "are the textbook's combinations of a text")

for window in (1, 3, 10):
    pairs = TokenConjunctions(window=window).fit_transform(data.train[:100])
    print(f"100 reviews, words at most {window:>2} apart: {pairs.shape[1]:>7,} features")

# %% [markdown]
# ## The perceptron, three times
#
# Write it with dense vectors: with $y = \pm 1$, whenever $y\, (w \cdot x) \le 0$,
#
# $$w \leftarrow w + y\, x.$$
#
# Then write it with sparse ones (only the features of the document are touched), run ten rounds over the reviews
# below and compare the time. The slides report 17 and 3 seconds.
#
# Hint: for a sparse row with indices j and values x, the score is `x @ w[j]` and the update `w[j] += y * x`.
# lindy answers a score of exactly 0 with the positive class: for its weights, update there only if $y = -1$.

# %% given
pieces = CountVectorizer(analyzer="char_wb", ngram_range=(3, 8), max_features=30_000, dtype=float)
X, y = pieces.fit_transform(data.train[:300]), (data.y_train[:300] == "positive").astype(int)
print(f"{data.source}: {X.shape[0]} reviews with {X.shape[1]:,} features, pieces of 3 to 8 letters")
order = list(range(len(y))) * 10
dense = X.toarray()
rows = [(X.indices[a:b], X.data[a:b]) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]


# %%
def seconds(run) -> tuple[float, np.ndarray]:
    """Return how many seconds of the processor it took, the shorter of two runs, and what came out."""
    taken = []
    for _ in range(2):
        start = time.process_time()
        w = run()
        taken.append(time.process_time() - start)
    return max(min(taken), 1e-6), np.asarray(w).ravel()


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
    f"In NumPy dense rows take {slowest / sparse:.1f} times the time of sparse ones, where the slides",
    f"have {17 / 3:.1f};",
    f"and {slowest / native:.0f} times that of the compiled core.",
)

# %% [markdown]
# ## Two separators
#
# The perceptron's answer depends on the order of the examples, the SVM's does not. Draw the boundaries of both
# for a few orders (`random_state=`).

# %% given
toy = toy_gaussians(60, means=[(1, 0), (2, 2)], variances=0.15, random_state=1)

# %%
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
