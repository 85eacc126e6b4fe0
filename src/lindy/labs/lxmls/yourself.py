r"""Write them yourself.

LxMLS asks for naive Bayes, perceptron, MIRA, MaxEnt and SVM in a student's own code. Every function below is a few
lines of NumPy; `check` runs it on small cases beside the textbook's and tells the first difference. Weights $W$ are
features × classes, and rows end in a 1 for the bias.
"""

import numpy as np

from lindy.labs import check

# %% [markdown]
# ## Multinomial naive Bayes (Exercise 1.2)
#
# Write `train(X, y)` for rows of word counts and classes $0, 1, \ldots$. It returns the shares of the classes, $\hat
# P(y)$, and the smoothed probabilities of words × classes,
#
# $$\hat P(w \mid y) = \frac{1 + n_{yw}}{\sum_{w'} (1 + n_{yw'})}.$$
#
# Hint: `X[y == c]` are the rows of class $c$; the probabilities of a class sum to 1.

# %% given
X = np.array([[2, 0, 1], [0, 3, 1], [1, 1, 0]])
y = np.array([0, 1, 1])


# %%
def train(X, y):
    """Return the shares of the classes, and the smoothed ones of words in each."""
    classes = range(y.max() + 1)
    shares = np.array([np.mean(y == c) for c in classes])
    counts = 1 + np.stack([X[y == c].sum(axis=0) for c in classes], axis=1)
    return shares, counts / counts.sum(axis=0)


print(train(X, y))
check.naive_bayes(train)

# %% [markdown]
# ## Gaussian naive Bayes (Exercise 1.1)
#
# Write `estimate(X, y)`, which returns the shares of the classes, and the means and variances of features × classes.
#
# Hint: the likelihood is largest with variances that are divided by $n$, not by $n - 1$.

# %% given
points = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 4.0], [6.0, 2.0]])
sides = np.array([0, 0, 1, 1])


# %%
def estimate(X, y):
    """Return the shares of the classes, means and variances."""
    classes = range(y.max() + 1)
    shares = np.array([np.mean(y == c) for c in classes])
    means = np.stack([X[y == c].mean(axis=0) for c in classes], axis=1)
    variances = np.stack([X[y == c].var(axis=0) for c in classes], axis=1)
    return shares, means, variances


print(estimate(points, sides))
check.gaussian_naive_bayes(estimate)

# %% [markdown]
# ## A step of the perceptron (Algorithm 2)
#
# Write `update(W, x, y)`: predict with $W$, and return the weights after the example; of equal scores the first
# class is predicted.
#
# Hint: `np.argmax` takes the first of equal ones. Copy $W$ before you change it, or change it in place and return
# nothing.

# %% given
W = np.zeros((3, 2))  # two features and the bias; two classes
x = np.array([1.0, 2.0, 1.0])


# %%
def update(W, x, y):
    """Return the weights after an example."""
    W = W.copy()
    predicted = np.argmax(x @ W)
    if predicted != y:
        W[:, y] += x
        W[:, predicted] -= x
    return W


print(update(W, x, 1))
check.perceptron(update)

# %% [markdown]
# ## The averaged perceptron (Algorithm 2)
#
# Write `average(X, y, K, epochs)`: go through the rows in their order, `epochs` times, and return the mean of the
# weights after every example.
#
# Hint: examples that are right count, too.

# %% given
rows = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
labels = np.array([0, 1])


# %%
def average(X, y, K, epochs):
    """Return the mean of the weights after every example."""
    W = np.zeros((X.shape[1], K))
    total = np.zeros_like(W)
    for _ in range(epochs):
        for x, label in zip(X, y, strict=True):
            W = update(W, x, label)
            total += W
    return total / (epochs * len(X))


print(average(rows, labels, 2, 3))
check.averaged_perceptron(average)

# %% [markdown]
# ## A step of MIRA (Algorithm 3)
#
# Write `mira(W, x, y, C)`: if the predicted class $\hat y$ is wrong, move by the smallest step that makes the right
# class win by 1, but by at most $C = 1/\lambda$.
#
# Hint: how long is $f(x, y) - f(x, \hat y)$, if two blocks change?

# %% given
C = 0.1

# %%


def mira(W, x, y, C):
    """Return the weights after an example."""
    scores = x @ W
    predicted = np.argmax(scores)
    if predicted == y:
        return W
    step = min(C, (scores[predicted] - scores[y] + 1) / (2 * x @ x))
    W = W.copy()
    W[:, y] += step * x
    W[:, predicted] -= step * x
    return W


print(mira(W, x, 1, C))
check.mira(mira)

# %% [markdown]
# ## The gradient of MaxEnt (Eq. 1.32)
#
# Write `gradient(W, X, y, lam)`, the gradient of
#
# $$\frac{1}{n} \sum_i -\log P(y_i \mid x_i) + \frac{\lambda}{2} \|W\|^2.$$
#
# Hint: it is what the model expects minus what was observed. `np.eye(K)[y]` has a row for each example, with a 1 at
# its class.

# %% given
lam = 0.5

# %%


def probabilities(scores):
    """Return P(y | x) for each row of scores."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def gradient(W, X, y, lam):
    """Return what is expected minus what was observed, and the penalty."""
    observed = np.eye(W.shape[1])[y]
    return X.T @ (probabilities(X @ W) - observed) / len(X) + lam * W


print(gradient(W, rows, labels, lam))
check.maxent(gradient)

# %% [markdown]
# ## A stochastic step of MaxEnt (Algorithm 5)
#
# Write `maxent_step(W, x, y, eta, lam)`, a step of length $\eta$ on one example: all weights shrink by
# $1 - \lambda\eta$, and every class moves along $x$.
#
# Hint: predict with the weights before they shrink.

# %% given
eta = 0.5

# %%


def maxent_step(W, x, y, eta, lam):
    """Return the weights after an example."""
    observed = np.eye(W.shape[1])[y]
    return (1 - lam * eta) * W + eta * np.outer(x, observed - probabilities(x @ W))


print(maxent_step(W, x, 1, eta, lam))
check.maxent_step(maxent_step)

# %% [markdown]
# ## A stochastic step of the SVM (Algorithm 6)
#
# Write `svm_step(W, x, y, eta, lam)`: all weights shrink as above, and two classes move, the right one and the one with
# the highest score after a cost of 1 was added to all wrong ones.
#
# Hint: which class has the highest score with the weights before they shrink? It may be the right one.

# %% given
cost = np.array([1, 0])  # if class 1 is right


# %%
def svm_step(W, x, y, eta, lam):
    """Return the weights after an example."""
    scores = x @ W + 1
    scores[y] -= 1
    worst = np.argmax(scores)
    W = (1 - lam * eta) * W
    if worst != y:
        W[:, y] += eta * x
        W[:, worst] -= eta * x
    return W


print(svm_step(W, x, 1, eta, lam))
check.svm_step(svm_step)
