r"""Classifiers that learn weights.

May 8–12. Features of a sentence and a label, $f(x, y)$; weights $\theta$ that need not be probabilities; the score
$\Psi(x, y) = \theta \cdot f(x, y)$; and four ways to find the weights: by trial and error, in closed form, with a
margin, and by likelihood. At the end all seven models, on the same reviews.
"""

import warnings

import numpy as np

from lindy import SVM, LeastSquares, Lexicon, MaxEnt, MultinomialNaiveBayes, Perceptron, WordLists
from lindy.errors import ConvergenceWarning
from lindy.features import FunctionVectorizer, contains, word_count, word_ending
from lindy.labs import choose, judged, judged_table, review_texts, say, table, verdicts
from lindy.text import CountVectorizer
from lindy.textbook.least_squares import least_squares
from lindy.textbook.objectives import losses, probabilities, residuals
from lindy.textbook.stochastic_gradient import cost_augmented_direction, stochastic_gradient

# %% [markdown]
# ## Features in blocks (8)
#
# Three features of a sentence: its number of words, whether a word ends in s, whether it contains *happy*.
# Three labels: +, −, ∅. Write $f(x, y)$ for "it rocks" and each label, with and without a bias.
#
# Hint: `np.kron(e_y, g)` puts the features $g$ into the block of label $y$.
#
# Correction: the vector with a bias is printed with thirteen entries; three labels with four features make
# twelve. And the weights that make $\theta \cdot f(x, y)$ the score of naive Bayes are *logarithms* of probabilities,
# $\log P(x \mid y)$ and $\log P(y)$.

# %% given
functions = FunctionVectorizer(functions=[word_count(), word_ending("s"), contains("happy")])
g = functions.fit_transform(["it rocks"]).toarray()[0].astype(int)

# %%
for name, features in (("", g), (" with bias", np.append(g, 1))):
    for y, label in enumerate("+−∅"):
        print(f"f(x, {label}){name} = {np.kron(np.eye(3, dtype=int)[y], features).tolist()}")

# %% [markdown]
# ## Perceptron (9)
#
# Feature values 2, 1 and 0, three classes, and the weights θ below; class 1 is right. Compute the model's
# scores, the class it chooses, the weights after one update
#
# $$\theta \leftarrow \theta + f(x, y) - f(x, \hat y),$$
#
# and the scores with them.
#
# Hint: weights of class 3 and of the feature with value 0 stay as they are.

# %% given
theta = np.array(
    [[0.3, -0.2, -4], [0.7, 2.2, -4], [0.8, 4, -4]]
)  # a row for each feature, a column for each class
x = np.array([[2.0, 1, 0]])

# %%
learner = Perceptron(average=False, fit_intercept=False, start=theta, dtype="float64").partial_fit(
    x, [1], classes=[1, 2, 3]
)
print(
    "before:", (x @ theta)[0].round(2).tolist(), " after:", learner.decision_function(x)[0].round(2).tolist()
)
print("θ after, by class:", learner.W_.T.round(2).tolist())

# %% [markdown]
# ## The loss behind it (10)
#
# The perceptron's loss is
#
# $$\ell(\theta; x, y) = \max_{y'} \theta \cdot f(x, y') - \theta \cdot f(x, y).$$
#
# Compute it for θ and x above and class 1, and check by finite differences that its gradient is
# $f(x, \hat y) - f(x, y)$.
#
# Hint: change one weight at a time by $\pm 10^{-6}$, and divide the change of the loss by $2 \cdot 10^{-6}$.


# %% given
def slope(function, theta: np.ndarray, i: int, j: int) -> float:
    """Return the partial derivative of a function of θ by the weight of feature i and class j."""
    step = np.zeros_like(theta)
    step[i, j] = 1e-6
    return (function(theta + step) - function(theta - step)) / 2e-6


# %%
def loss(theta: np.ndarray) -> float:
    """Return how far the best score is above that of class 1."""
    scores = x[0] @ theta
    return float(scores.max() - scores[0])


slopes = [[round(slope(loss, theta, i, j), 3) for i in range(3)] for j in range(3)]
print(f"loss {loss(theta):.1f}; gradient by class: {slopes}")

# %% [markdown]
# ## Least squares in closed form (10)
#
# Labels as numbers $B = \pm 1$, features as rows of $A$:
#
# $$W = (A^T A)^{-1} A^T B.$$
#
# Compute it for the reviews' twenty most frequent words and a bias, and compare with the pseudo-inverse and with
# lindy's `LeastSquares(l2=0)`.
#
# Hint: the bias is the weight of a column of ones.
#
# Correction: $A^T A$ is $F \times F$, so it is many *features* that make the inverse slow, not many examples. And
# numbering more than two classes 1, 2, 3 … would say that 2 lies between 1 and 3: take one target of ±1 for
# each class instead.

# %% given
data = review_texts()
A = CountVectorizer(max_features=20).fit_transform(data.train).toarray().astype(float)
B = np.where(data.y_train == "positive", 1.0, -1.0)

# %%
W, b = least_squares(A, B[:, None])
by_pinv = np.linalg.pinv(np.column_stack([A, np.ones(len(A))])) @ B
model = LeastSquares(l2=0).fit(A, data.y_train)
print("textbook = pseudo-inverse:", np.allclose(W[:, 0], by_pinv[:-1]), end=", ")
print("lindy = textbook:", np.allclose(model.W_, W, atol=1e-6))

# %% [markdown]
# ## SVM: cost and shrinking (11)
#
# Two changes to the perceptron: add the cost $c(y, y')$, 0 for the right label and 1 for others, before choosing,
# $\hat y = \arg\max_{y'} \theta \cdot f(x, y') + c(y, y')$, and shrink the old weights at every step,
#
# $$\theta \leftarrow (1 - \eta \lambda)\, \theta + \eta\, (f(x, y) - f(x, \hat y)).$$
#
# Write it for two rounds over the sixty rows below, in their order, without a bias, with η = ½ and λ = 0.01, and
# compare $w_1 - w_0$ with lindy's weights.
#
# Hint: lindy keeps the difference of the two vectors, which moves twice as far: its constant step is 1. It warns with a
# ConvergenceWarning that such steps end above all weights 0; here only the numbers count.
#
# Correction: the notes multiply by $\lambda$; as their footnote says, $1 - \lambda$ is what the derivation gives,
# and then a larger $\lambda$ means a stronger penalty. lindy takes $1 - \eta \lambda$.

# %% given
X60, y60 = A[:60], (B[:60] > 0).astype(int)
options = {"schedule": "constant", "eta0": 1.0, "epochs": 2, "shuffle": False, "dtype": "float64"}
svm = SVM(
    loss="multiclass_hinge", lam=0.01, solver="subgradient", fit_intercept=False, solver_options=options
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    svm.fit(X60, y60)

# %%
order, direction = list(range(60)) * 2, cost_augmented_direction(1 - np.eye(2))
last, _ = stochastic_gradient(X60, y60, np.zeros((20, 2)), order, direction, eta=lambda _: 0.5, lam=0.01)
print("lindy's weights are the textbook's:", np.allclose(svm.W_[:, 0], last[:, 1] - last[:, 0]))

# %% [markdown]
# ## Softmax and cross-entropy (12)
#
# Turn the scores below into probabilities,
#
# $$q(y \mid x) = \frac{\exp \Psi(x, y)}{\sum_{y'} \exp \Psi(x, y')}. \tag{1}$$
#
# Why does dividing by their sum not work? Compute the cross-entropy, $-\log q(y \mid x)$, if class 1 is right, and its
# gradient in the scores.
#
# Hint: the gradient is $q - p$, where $p$ is 1 for the right class and 0 for the others.

# %% given
scores = np.array([[1.3, 1.8, -12.0]])

# %%
shares, q = (scores / scores.sum())[0], probabilities(scores)[0]
print("divided by the sum:", shares.round(3), "(negative, and the order turned round)")
print("softmax:", q.round(4), " loss:", losses(scores, np.array([0]), "softmax").round(4)[0])
print("gradient in the scores, q − p:", residuals(scores, np.array([0]), "softmax").round(4)[0])

# %% [markdown]
# ## All seven models
#
# Train lexicon, word lists, naive Bayes, perceptron, least squares, SVM and logistic regression on the same words
# of the reviews. Where a model has a strength ($k$, λ), choose it on held-out parts of the training reviews. Then
# ask the test once: do lists from data beat those that somebody wrote, probabilities lists, and learned weights
# probabilities?
#
# Hint: `choose(learner, option, values, X, y)`, with the options below; compare neighbours with `verdicts`.

# %% given
vectorizer = CountVectorizer(token_pattern=r"\w+")
X, X_test = vectorizer.fit_transform(data.train), vectorizer.transform(data.test)
models = {
    "word lists": (WordLists(), None, ()),
    "naive Bayes": (MultinomialNaiveBayes(), "alpha", (10.0, 1.0, 0.1)),
    "perceptron": (Perceptron(), None, ()),
    "least squares": (LeastSquares(), "l2", (10.0, 1.0, 0.1)),
    "SVM": (SVM(loss="hinge", tol=1e-2), "lam", (0.1, 0.01, 0.001)),
    "logistic regression": (MaxEnt(), "lam", (0.1, 0.01, 0.001)),
}
print(data)

# %%
lexicon = Lexicon().fit(data.train, data.y_train)
results, rows = {"lexicon": judged("lexicon", lexicon, data.test, data.y_test)}, []
for name, (learner, option, values) in models.items():
    model = learner
    if option is not None:
        chosen = choose(learner, option, values, X, data.y_train)
        model = chosen.model
        rows.append((name, f"{option} = {chosen.best:g}", max(chosen.held_out)))
    results[name] = judged(name, model.fit(X, data.y_train), X_test, data.y_test)
table(("model", "chosen", "held out"), rows)
judged_table("model", results.values())
say(
    "The notes go from rules to learned weights, each model to mend what the one before gets wrong.",
    *verdicts(
        [
            (results["word lists"], results["lexicon"]),
            (results["naive Bayes"], results["word lists"]),
            (results["logistic regression"], results["naive Bayes"]),
        ]
    ),
)
