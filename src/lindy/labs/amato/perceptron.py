r"""The perceptron.

Amato's slides, third part: a linear unit, what it can compute, and how it learns from its mistakes.
"""

import itertools

import numpy as np

from lindy import SVM, Perceptron, plots
from lindy.data import toy_gaussians
from lindy.labs import say, show, table

# %% [markdown]
# ## A unit
#
# A mail has features *free*, *your name*, *misspelled* and *from a friend*, with weights 4, −1, 1 and −3.
# Compute the activations
#
# $$\text{activation}_w(x) = \sum_i w_i f_i(x) = w \cdot f(x)$$
#
# of (2, 0, 2, 0) and (0, 1, 1, 1), and their sigmoids $1/(1 + e^{-a})$. Which is spam? With a bias of −3 and weights
# 4 for *free* and 2 for *money*, which mails lie on the boundary?

# %% given
w = np.array([4, -1, 1, -3])
mails = ([2, 0, 2, 0], [0, 1, 1, 1])

# %%
for f in mails:
    print(
        f,
        "→ activation",
        w @ f,
        "→",
        "spam" if w @ f > 0 else "ham",
        f"(sigmoid {1 / (1 + np.exp(-(w @ f))):.3f})",
    )
print(
    "boundary: 4·free + 2·money = 3, e.g. (0.75, 0) and (0, 1.5):",
    [4 * a + 2 * b - 3 for a, b in ((0.75, 0), (0, 1.5))],
)

# %% [markdown]
# ## Logical functions
#
# Find weights and bias for AND, OR, NOT and the majority of three, by hand or by letting a perceptron learn them,
# $w \leftarrow w + y^* f$ after each mistake with $y^* = \pm 1$. Does any input lie exactly on the boundary?
# Which weights leave room on both sides? And XOR?
#
# Hint: the bias moves the threshold. With weights of 1 and 1, AND needs a threshold between 1 and 2, OR one
# between 0 and 1.


# %% given
def truth_table(n: int) -> np.ndarray:
    """Return all rows of n bits."""
    return np.array(list(itertools.product((0, 1), repeat=n)), float)


functions = (
    ("AND", 2, lambda x: x.all()),
    ("OR", 2, lambda x: x.any()),
    ("NOT", 1, lambda x: not x[0]),
    ("majority", 3, lambda x: x.sum() >= 2),
    ("XOR", 2, lambda x: x.sum() == 1),
)

# %%
ties: list[str] = []
for name, n, function in functions:
    X, y = truth_table(n), np.array([int(function(x)) for x in truth_table(n)])
    unit = Perceptron(average=False, epochs=1000).fit(X, y)
    right = unit.score(X, y)
    verdict = "cannot be learned by any line"
    if right == 1:
        ties += [name] * int((unit.decision_function(X) == 0).any())
        room = SVM(loss="hinge", C=np.inf, tol=1e-8).fit(X, y)  # the widest margin
        w, b = room.W_[:, 0].round(3).tolist(), float(room.b_[0])
        verdict = f"w = {unit.W_[:, 0].tolist()}, b = {unit.b_[0]:g}; with room w = {w}, b = {b:.3g}"
    print(f"{name:<9} {right:4.0%} right after {unit.mistakes_:>4} mistakes: {verdict}")
say(
    f"Units of the perceptron with an input exactly on the boundary: {', '.join(ties) or 'none'}. lindy",
    "counts a score of",
    "0 for the second class; a unit that fires only above 0 would get it wrong. The widest margin leaves room.",
)

# %% [markdown]
# ## Learning: three headlines
#
# Classes sports, politics and tech; all weights begin at 0 except the bias of sports, which is 1. Learn from
# "win the vote" (politics), "win the election" (politics) and "win the game" (sports), one after the other:
#
# $$w_y \leftarrow w_y - f(x), \quad w_{y^*} \leftarrow w_{y^*} + f(x)$$
#
# if $y$ is predicted and $y^*$ is right. Compute the scores before each update, and the weights at the end.
#
# Hint: the second headline needs no update.

# %% given
names = ["BIAS", "win", "game", "vote", "the", "election"]
classes = ["politics", "sports", "tech"]
texts, labels = ["win the vote", "win the election", "win the game"], ["politics", "politics", "sports"]
f = np.array([[float(name in ("BIAS", *text.split())) for name in names] for text in texts])
start = np.zeros((6, 3))
start[0, classes.index("sports")] = 1  # a row for each feature, a column for each class

# %%
learner = Perceptron(average=False, fit_intercept=False, shuffle=False, start=start, dtype="float64")
W = start
for text, x, label in zip(texts, f, labels, strict=True):
    print(f"{text:<17} scores {dict(zip(classes, map(int, x @ W), strict=True))}, should be {label}")
    W = learner.partial_fit(x[None], [label], classes=classes).W_
table(("", *classes), [(name, *map(int, row)) for name, row in zip(names, W, strict=True)])

# %% [markdown]
# ## What is wrong with the perceptron
#
# On data that no line separates the weights thrash. Watch training and held-out accuracy, for 1 to 20 rounds, of
# the last weights and of their average, and draw both. By how much does the accuracy on new points move?
#
# Hint: `Perceptron(average=…, epochs=n)`, `toy.source.accuracy(model)` and
# `plots.accuracy_by_epoch(training, held_out)`.
#
# Correction: the bound "mistakes < $k/\delta^2$, with $k$ features" holds for features of 0 and 1 and a margin
# $\delta$ of a weight vector of length 1: then $\lVert f \rVert^2 \le k$. In general it is $R^2/\delta^2$ with
# $R$ the length of the longest row.

# %% given
toy = toy_gaussians(400, variances=2.0, random_state=3)

# %%
curves = {}
for name, average in (("last", False), ("average", True)):
    models = [Perceptron(average=average, epochs=n).fit(toy.X_train, toy.y_train) for n in range(1, 21)]
    curves[name] = [(m.score(toy.X_train, toy.y_train), toy.source.accuracy(m)) for m in models]
    held_out = [test for _, test in curves[name]]
    print(f"{name:<8} accuracy on new points from {min(held_out):.3f} to {max(held_out):.3f}")
for name, pairs in curves.items():
    ax = plots.accuracy_by_epoch(*zip(*pairs, strict=True))
    show(ax, f"rounds-{name}", f"Training and held-out accuracy by round: {name} weights")
spread = {name: max(held) - min(held) for name, held in ((n, [t for _, t in c]) for n, c in curves.items())}
say(
    f"Over the rounds the accuracy on new points moves by {100 * spread['last']:.1f} points with the last",
    "weights and by",
    f'{100 * spread["average"]:.1f} with their average. The third complaint is "barely separating": the',
    "perceptron stops at",
    "the first line that separates, however close it runs to the points.",
)
