"""Iterative scaling."""

import numpy as np

from lindy.joint import JointMap, JointMaxEnt
from lindy.labs import show
from lindy.plots import objective_by_round
from lindy.textbook import iterative_scaling

# %% [markdown]
# How maximum entropy models were trained before gradients: move every weight until the expected count of its
# feature equals the observed one.
#
# $$w_j \leftarrow w_j + \frac{1}{C} \log \frac{\text{observed}_j}{\text{expected}_j}$$
#
# Code: lindy.textbook.iterative_scaling.conditional
#
# Code: lindy.textbook.iterative_scaling.generalised_iterative_scaling
#
# Code: lindy.textbook.iterative_scaling.improved_iterative_scaling
#
# ## The same numbers from lindy
#
# A tagger's choice among three labels, with features that look at label and word together; lindy's
# `JointMaxEnt` finds the same distribution by L-BFGS, with a penalty too small to matter.

# %%
words = ["fake", "fake", "bank", "bank", "bank", "run"]
tags = ["adj", "noun", "noun", "noun", "verb", "verb"]
labels = ["adj", "noun", "verb"]


def f(word: str, tag: str) -> list[str]:
    """Return the names of the features."""
    return [tag, f"{tag} & {word[0]}"]


maps = JointMap(f, candidates=labels)
data = maps.fit_transform(words, tags)
F = data.rows.to_scipy().toarray().reshape(len(words), 3, -1)
gold = np.array([labels.index(tag) for tag in tags])
model = JointMaxEnt(lam=1e-6, tol=1e-9).fit(data)
P = np.reshape(model.predict_proba(maps.transform(words)), (len(words), 3))
likelihoods = []
for rounds in (1, 2, 5, 10, 20, 50, 100, 200):
    w = iterative_scaling.improved_iterative_scaling(F, gold, rounds)
    Q = iterative_scaling.conditional(F, w)
    likelihoods.append(-np.log(Q[np.arange(len(words)), gold]).mean())
print("P(tag | bank):", P[2].round(3), "and by scaling:", Q[2].round(3))
print("after 200 rounds both agree:", np.allclose(P, Q, atol=0.02))

# %%
ax = objective_by_round(likelihoods)
ax.set_xlabel("1, 2, 5, 10, 20, 50, 100, 200 rounds")
show(ax, "scaling", "Mean −log P of iterative scaling: quick at first, then slow")

# %% [markdown]
# ## When to use it
#
# To read older papers, and to see why the model is called maximum entropy. It is slow near the optimum;
# [MaxEnt](maxent.md) is the same model, solved in other ways.
