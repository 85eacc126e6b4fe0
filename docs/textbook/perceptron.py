"""The perceptron."""

import numpy as np

from lindy import Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import show
from lindy.textbook import perceptron

# %% [markdown]
# Predict; if the prediction is wrong, raise the right label's weights by x and lower the predicted one's.
#
# $$\hat y = \arg\max_y w_y \cdot x$$
#
# $$w_y \leftarrow w_y + x, \quad w_{\hat y} \leftarrow w_{\hat y} - x \quad \text{if } \hat y \neq y$$
#
# Averaged over all steps, the weights no longer depend on the last examples met.
#
# Code: lindy.textbook.perceptron.averaged_perceptron
#
# Two classes need one weight vector only, sparse rows touch only their own features, and instead of
# averaging, all weight vectors may vote.
#
# Code: lindy.textbook.perceptron.binary_perceptron
#
# Code: lindy.textbook.perceptron.sparse_perceptron
#
# Code: lindy.textbook.perceptron.voted_perceptron
#
# Code: lindy.textbook.perceptron.vote
#
# ## The same numbers from lindy
#
# `shuffle=False` visits the rows in their order, as the textbook does; the bias is the weight of a column of ones.

# %%
toy = toy_gaussians(120, means=[(-2, -1), (2, -1), (0, 2)], variances=2.0, random_state=1)
X, y = np.column_stack([toy.X_train, np.ones(60)]), toy.y_train
order = list(range(60)) * 5
last, average, mistakes = perceptron.averaged_perceptron(X, y, 3, order)
model = Perceptron(shuffle=False, epochs=5, dtype="float64").fit(toy.X_train, y)
print(
    "averages agree:",
    np.allclose(np.vstack([model.W_, model.b_]), average),
    " mistakes:",
    model.mistakes_,
    mistakes,
)
ballots = perceptron.voted_perceptron(X, y, 3, order)
votes = np.array([perceptron.vote(ballots, np.append(x, 1)) for x in toy.X_test])
voted = Perceptron(average="vote", shuffle=False, epochs=5, dtype="float64").fit(toy.X_train, y)
print(
    "votes agree:", np.allclose(voted.decision_function(toy.X_test), votes / votes.sum(axis=1, keepdims=True))
)

two = toy_gaussians(120, variances=1.0, random_state=1)
rows = [(np.arange(2, dtype=np.int32), x) for x in two.X_train]
binary, _, _ = perceptron.binary_perceptron(two.X_train, two.y_train, order)
sparse = perceptron.sparse_perceptron(rows, two.y_train, (2, 1), order)
model = Perceptron(average=False, fit_intercept=False, shuffle=False, epochs=5, dtype="float64").fit(
    two.X_train, two.y_train
)
print(
    "one column, dense, sparse and native agree:",
    np.allclose(binary, sparse[:, 0]),
    np.allclose(binary, model.W_[:, 0]),
)

# %%
traced = Perceptron(average=False, trace=1, epochs=5).fit(two.X_train, two.y_train)
show(plots.weight_path(traced.trace_), "perceptron", "The way of two weights, update by update")

# %% [markdown]
# ## When to use it
#
# First, for its speed and because it has nothing to tune: one pass over the texts is a usable model, and
# averaging makes it a good one. In streams (`partial_fit`), where rows are seen once. To teach: the update is
# one line.
#
# Rather not where probabilities matter (calibrate, or take [MaxEnt](maxent.md)), or where the last percent
# does: an [SVM](svm.md) is usually better, and says how far it is from its optimum.
#
# On the command line `--learner perceptron`. Steps, averaging, votes, bounds and limits: [online
# learners](../concepts/online.md).
