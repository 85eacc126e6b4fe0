r"""Well motivated counting.

McDonald, slides 1–39: a first model from counts, features of inputs and outputs, linear classifiers, and naive Bayes
with categorical features.
"""

import numpy as np

from lindy import BernoulliNaiveBayes, CategoricalNaiveBayes, MaxEnt, WordVotes, plots
from lindy.data import toy_gaussians
from lindy.features import FunctionVectorizer, contains
from lindy.joint import BlockMap
from lindy.labs import say, show, table
from lindy.text import CountVectorizer
from lindy.textbook import categorical_naive_bayes, word_votes

# %% [markdown]
# ## Four documents
#
# | document | words | label |
# | --- | --- | --- |
# | 1 | ★ ◇ ○ | 0 |
# | 2 | ★ ♥ △ | 0 |
# | 3 | ★ △ ♠ | 1 |
# | 4 | ◇ △ ○ | 1 |
#
# Which label has ★ ◇ ♥, and which ★ △ ○? Compute $P(y \mid w)$ for the words of both, and with them the model
#
# $$P(y \mid w_1 \ldots w_n) = \frac{1}{n} \sum_i P(y \mid w_i).$$
#
# Hint: P(0 | ★) = 2/3, because two of the three documents with ★ have label 0. In lindy the model is `WordVotes`.

# %% given
documents, labels = ["★ ◇ ○", "★ ♥ △", "★ △ ♠", "◇ △ ○"], [0, 0, 1, 1]
symbols = CountVectorizer(token_pattern=r"\S")
X = symbols.fit_transform(documents)

# %%
model = WordVotes().fit(X, labels)
n_yw = np.stack([X.toarray()[np.array(labels) == y].sum(axis=0) for y in (0, 1)], axis=1).astype(float)
print("the textbook's P(y | w) agree:", np.allclose(model.W_, word_votes.word_votes(n_yw)))
votes = dict(zip(symbols.get_feature_names_out(), model.W_.tolist(), strict=True))
for new in ("★ ◇ ♥", "★ △ ○"):
    shown = ", ".join(f"P(0|{word}) = {votes[word][0]:.2f}" for word in new.split())
    P = model.predict_proba(symbols.transform([new]))[0]
    print(f"{new}: {shown}; mean {P[0]:.3f} against {P[1]:.3f}")
    tie = np.isclose(P[0], P[1])
    say(
        f"{new}: "
        + ("the evidence is balanced, this model has no answer." if tie else f"label {P.argmax()}.")
    )

# %% [markdown]
# ## Features of names
#
# Four features of a name, "contains George / Washington / Bridge / General", and the labels person and
# object. Write $\phi(x, y)$ for the names below, the first of a person and the others of objects, and both labels: one
# block per label, without and with a bias.
#
# Hint: `FunctionVectorizer(functions=[contains("George"), …])` has the features of names, `BlockMap(bias=…)` the
# blocks.

# %% given
names = ["General George Washington", "George Washington Bridge", "George Washington George"]
parts = ["George", "Washington", "Bridge", "General"]

# %%
g = FunctionVectorizer(functions=[contains(part) for part in parts])
X = g.fit_transform(names)
for bias in (False, True):
    blocks = BlockMap(bias=bias).fit(X, ["0 person", "1 object", "1 object"]).transform(X)
    for i, phi in enumerate(blocks.rows.to_scipy().toarray().astype(int)):
        print(f"φ({names[i // 2]}, {('person', 'object')[i % 2]}) = {phi.tolist()}")

# %% [markdown]
# ## A line, and regions
#
# With weights (1, −1) and bias 1, which points have a score of 0? Draw them among the two clouds below. And what
# do three classes do with the plane? Train a linear classifier on the three clouds, and draw its regions.
#
# Hint: `plots.decision_boundary` draws where a `decision_function` is 0, `plots.decision_regions` what a
# classifier says in the plane.


# %% given
class Line:
    """The classifier x₁ − x₂ + 1 > 0."""

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the scores."""
        return X[:, 0] - X[:, 1] + 1


toy = toy_gaussians(60, means=[(-1.5, 1.5), (1.5, -1.5)], variances=0.8, random_state=1)
three = toy_gaussians(150, means=[(-2, -1), (2, -1), (0, 2)], variances=0.8, random_state=1)

# %%
show(
    plots.decision_boundary({"score 0": Line()}, toy, optimal=False),
    "line",
    "Points on the line have a score of 0",
)
regions = plots.decision_regions(MaxEnt().fit(three.X_train, three.y_train), three)
show(regions, "regions", "Three classes divide the plane into three regions")

# %% [markdown]
# ## Naive Bayes with categorical features
#
# Three documents with two features of 0 or 1: (1, 1) and (0, 1) have label 0, (1, 0) has label 1. Estimate
# all parameters of
#
# $$P(y)\, P(\phi_0 \mid y)\, P(\phi_1 \mid y)$$
#
# as normalised counts. How many are there, and what are $P(\phi_0 = 1 \mid y = 0)$ and $P(\phi_1 = 0 \mid y = 1)$?
#
# Hint: two for the labels, and 2 labels × 2 features × 2 values. `CategoricalNaiveBayes(alpha=0, n_values=2)` has the
# tables as `value_proba_`.

# %% given
F, y = np.array([[1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1])

# %%
model = CategoricalNaiveBayes(alpha=0, n_values=2).fit(F, y)
by_hand = categorical_naive_bayes.tables(F, y, 2, k=0)
print(
    "P(y) =", np.exp(model.log_prior_).round(4), " parameters:", 2 + sum(P.size for P in model.value_proba_)
)
print("P(φ₀ = 1 | y = 0) =", model.value_proba_[0][1, 0], " P(φ₁ = 0 | y = 1) =", model.value_proba_[1][0, 1])
print(
    "the textbook agrees:", all(np.allclose(a, b) for a, b in zip(by_hand, model.value_proba_, strict=True))
)

# %% [markdown]
# Why normalised counts? $\sum_v n(v) \log p(v)$ under $\sum_v p(v) = 1$ is greatest where $n(v)/p(v)$ is the same
# for all $v$. Compute it for the counts below, normalised, and for the thousand other distributions.

# %% given
count = np.array([5.0, 3, 2])
others = np.random.default_rng(0).dirichlet([1, 1, 1], 1000)

# %%
best = float(count @ np.log(count / count.sum()))
print(f"normalised counts {best:.4f}, best of a thousand others {(np.log(others) @ count).max():.4f}")

# %% [markdown]
# ## Hockey and politics
#
# "hockey is fast" is about sports, "politicians talk fast" and "washington is sleazy" about politics. What is
# "washington hockey is fast" about? Every word is a feature that is there or not. Compute $P(x, y)$ and $P(y \mid x)$
# without smoothing, then with α = 0.1 and 1 added to every count,
#
# $$p(v) = \frac{n(v) + \alpha}{\sum_{v'} (n(v') + \alpha)}.$$
#
# Hint: features of 0 and 1 are what `BernoulliNaiveBayes` is for; a word that is absent counts too.

# %% given
texts = ["hockey is fast", "politicians talk fast", "washington is sleazy"]
topics = ["sports", "politics", "politics"]

# %%
words = CountVectorizer(binary=True)
X, new = words.fit_transform(texts), words.transform(["washington hockey is fast"])
rows = []
for alpha in (0.0, 0.1, 1.0):
    model = BernoulliNaiveBayes(alpha=alpha).fit(X, topics)
    joint = np.exp(model.joint_log_proba(new))[0]
    rows.append((f"{alpha:g}", *(f"{p:.2e}" for p in joint), *model.predict_proba(new)[0].tolist()))
table(("α", "P(x, politics)", "P(x, sports)", "P(politics | x)", "P(sports | x)"), rows)
say(
    "Without smoothing both classes find it impossible: sports has never seen *washington*, politics never *hockey*,",
    f"and only the prior is left. With α = 1 sports has {rows[-1][4]:.1%}.",
)
