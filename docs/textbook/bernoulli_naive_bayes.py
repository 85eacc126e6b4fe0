"""Bernoulli naive Bayes."""

import numpy as np

from lindy import BernoulliNaiveBayes, plots
from lindy.labs import digits, show
from lindy.textbook import bernoulli_naive_bayes

# %% [markdown]
# Features that are there or not: a text also speaks through the words it lacks, a picture through its dark
# pixels.
#
# $$P(x \mid y) = \prod_{w \in x} p_{yw} \prod_{w \notin x} (1 - p_{yw})$$
#
# Code: lindy.textbook.bernoulli_naive_bayes.presence
#
# Code: lindy.textbook.bernoulli_naive_bayes.joint
#
# ## The same numbers from lindy

# %%
images = digits(500, 100)
X, X_test = ((part > 0.5).astype(float) for part in (images.X_train, images.X_test))
y, P_y = images.y_train, np.bincount(images.y_train) / len(images.y_train)
bernoulli = BernoulliNaiveBayes().fit(X, y)
p = bernoulli_naive_bayes.presence(X, y, 10)
joint = bernoulli_naive_bayes.joint(X_test, P_y, p)
print("Bernoulli, log P(x, y) agree:", np.allclose(bernoulli.joint_log_proba(X_test), joint))

# %%
ax = plots.weight_pictures(p - 0.5, images.shape, list(range(10)))
show(ax, "presence", "How often each pixel is on, less ½, for the ten digits")

# %% [markdown]
# ## When to use it
#
# For very short texts and for pictures, where what is *not* there says something, too. For long texts the
# [multinomial model](multinomial_naive_bayes.md) is better: how often a word occurs is lost here, and
# thousands of absent words drown the few that are present.
#
# On the command line `--learner bernoulli-naive-bayes`. [Naive Bayes](../concepts/naive-bayes.md) compares
# the five models.
