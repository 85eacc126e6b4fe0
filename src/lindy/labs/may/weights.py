"""Classifiers that learn weights.

May §8–12. Features of a sentence and a label, weights that need not be probabilities, and four ways to find them: by
trial and error, in closed form, with a margin, and by likelihood. At the end all seven models, on the same reviews.
"""

import warnings

import numpy as np

from lindy import SVM, LeastSquares, Lexicon, MaxEnt, MultinomialNaiveBayes, Perceptron, WordLists
from lindy.features import FunctionVectorizer, contains, word_count, word_ending
from lindy.labs import review_texts, say, table
from lindy.text import CountVectorizer
from lindy.textbook.least_squares import least_squares
from lindy.textbook.objectives import losses, probabilities, residuals
from lindy.textbook.stochastic_gradient import cost_augmented_direction, stochastic_gradient

# %% [markdown]
# ## Features in blocks (§8)
#
# Three features of a sentence: its number of words, whether a word ends in s, whether it contains *happy*.
# Three labels: +, −, ∅. Write f(x, y) for "it rocks", with and without a bias.
#
# Correction: the vector with a bias is printed with thirteen entries; three labels with four features make
# twelve. And the weights that make θ·f(x, y) the score of naive Bayes are *logarithms* of probabilities, log
# P(x | y) and log P(y).

# %%
functions = FunctionVectorizer(functions=[word_count(), word_ending("s"), contains("happy")])
g = functions.fit_transform(["it rocks"]).toarray()[0].astype(int)
for name, features in (("", g), (" with bias", np.append(g, 1))):
    for y, label in enumerate("+−∅"):
        print(f"f(x, {label}){name} = {np.kron(np.eye(3, dtype=int)[y], features).tolist()}")

# %% [markdown]
# ## Perceptron (§9)
#
# Feature values 2, 1 and 0, three classes, and weights θ as below; class 1 is right. What are the model's
# scores, which class does it choose, and what are the scores after one update?
#
# Hint: θ ← θ + f(x, y) − f(x, ŷ). Weights of class 3 and of the feature with value 0 stay as they are.

# %%
theta = np.array([[0.3, -0.2, -4], [0.7, 2.2, -4], [0.8, 4, -4]])  # a column for each class
x = np.array([[2.0, 1, 0]])
learner = Perceptron(average=False, fit_intercept=False, start=theta, dtype="float64").partial_fit(
    x, [1], classes=[1, 2, 3]
)
print(
    "before:", (x @ theta)[0].round(2).tolist(), " after:", learner.decision_function(x)[0].round(2).tolist()
)
print("θ after:", learner.W_.T.round(2).tolist())

# %% [markdown]
# ## The loss behind it (§10)
#
# The perceptron's loss is max_y θ·f(x, y) − θ·f(x, y*). Check by finite differences that its gradient is f(x,
# ŷ) − f(x, y*).


# %%
def loss(theta: np.ndarray) -> float:
    """Return how far the best score is above that of class 1."""
    scores = x[0] @ theta
    return float(scores.max() - scores[0])


h = 1e-6
steps = [h * np.eye(9)[i].reshape(3, 3) for i in range(9)]
slopes = np.reshape([(loss(theta + step) - loss(theta - step)) / (2 * h) for step in steps], (3, 3))
print(f"loss {loss(theta):.1f}; gradient by class:", slopes.T.round(3).tolist())

# %% [markdown]
# ## Least squares in closed form (§10)
#
# Labels as numbers B = ±1, features as rows of A: W = (AᵀA)⁻¹AᵀB. Compute it for the reviews' twenty most
# frequent words, and compare with the pseudo-inverse.
#
# Correction: AᵀA is F × F, so it is many *features* that make the inverse slow, not many examples. And
# numbering more than two classes 1, 2, 3 … would say that 2 lies between 1 and 3: take one target of ±1 for
# each class instead.

# %%
data = review_texts()
vectorizer = CountVectorizer(max_features=20)
A = vectorizer.fit_transform(data.train).toarray().astype(float)
B = np.where(data.y_train == "positive", 1.0, -1.0)
W, b = least_squares(A, B[:, None])
by_pinv = np.linalg.pinv(np.column_stack([A, np.ones(len(A))])) @ B
model = LeastSquares(l2=0).fit(A, data.y_train)
print("textbook = pseudo-inverse:", np.allclose(W[:, 0], by_pinv[:-1]), end=", ")
print("lindy = textbook:", np.allclose(model.W_, W, atol=1e-6))

# %% [markdown]
# ## SVM: cost and shrinking (§11)
#
# Two changes to the perceptron: add the cost c(y*, y) before choosing ŷ, and shrink the old weights at every
# step.
#
# Correction: the notes multiply by λ; as their footnote says, 1 − λ is what the derivation gives, and then a
# larger λ means a stronger penalty. lindy takes (1 − η·λ).

# %%
lam = 0.01
X = A[:60]
y = (B[:60] > 0).astype(int)
options = {"schedule": "constant", "eta0": 1.0, "epochs": 2, "shuffle": False, "dtype": "float64"}
svm = SVM(loss="multiclass_hinge", lam=lam, solver="subgradient", fit_intercept=False, solver_options=options)
with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore"
    )  # constant steps of 1 end above all weights 0 here: the numbers are what counts
    svm.fit(X, y)
direction = cost_augmented_direction(1 - np.eye(2))
last, _ = stochastic_gradient(X, y, np.zeros((20, 2)), list(range(60)) * 2, direction, lambda _: 0.5, lam)
print("lindy's weights are the textbook's:", np.allclose(svm.W_[:, 0], last[:, 1] - last[:, 0]))

# %% [markdown]
# ## Softmax and cross-entropy (§12)
#
# Turn the scores 1.3, 1.8 and −12 into probabilities. Why does dividing by their sum not work? What is the
# cross-entropy if class 1 is right, and its gradient?

# %%
scores = x @ theta
shares, q = (scores / scores.sum())[0], probabilities(scores)[0]
print("divided by the sum:", shares.round(3), "(negative, and the order turned round)")
print("softmax:", q.round(4), " loss:", losses(scores, np.array([0]), "softmax").round(4)[0])
print("gradient in the scores, q − p:", residuals(scores, np.array([0]), "softmax").round(4)[0])

# %% [markdown]
# ## All seven models

# %%
vectorizer = CountVectorizer(token_pattern=r"\w+")
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
print(data)
rows = [("lexicon", Lexicon().fit(data.train, data.y_train).score(data.test, data.y_test))]
for name, model in {
    "word lists": WordLists(),
    "naive Bayes": MultinomialNaiveBayes(),
    "perceptron": Perceptron(),
    "least squares": LeastSquares(l2=1.0),
    "SVM": SVM(loss="hinge", lam=0.01),
    "logistic regression": MaxEnt(lam=0.01),
}.items():
    rows.append((name, model.fit(X, data.y_train).score(X_test, data.y_test)))
table(("model", "test accuracy"), rows)
scores = dict(rows)
lexicon, lists, bayes, *learned = scores.values()
best = max(list(scores)[3:], key=scores.__getitem__)
say(
    "The notes go from rules to learned weights, each model to mend what the one before gets wrong. From best to",
    f"worst: {', '.join(f'{name} {score:.1%}' for name, score in sorted(rows, key=lambda row: -row[1]))}.",
    f"So here learning the lists {'beats' if lists > lexicon else 'does not beat'} writing them, probabilities",
    f"{'beat' if bayes > lists else 'do not beat'} lists, and the best of the learned weights ({best})",
    f"{'beat' if max(learned) > bayes else 'do not beat'} naive Bayes.",
)
