"""Gaussian naive Bayes."""

import numpy as np

from lindy import GaussianNaiveBayes, plots
from lindy.data import toy_gaussians
from lindy.labs import show
from lindy.textbook import gaussian_naive_bayes

# %% [markdown]
# In each class every feature is normally distributed, independently of the others.
#
# $$P(x_j \mid y) = \frac{1}{\sqrt{2\pi\sigma_{yj}^2}} \, e^{-(x_j - \mu_{yj})^2 / 2\sigma_{yj}^2}$$
#
# With one variance for all classes the squares of x cancel and the classifier is linear, w_y = μ_y/σ².
#
# Code: lindy.textbook.gaussian_naive_bayes.means
#
# Code: lindy.textbook.gaussian_naive_bayes.variances
#
# Code: lindy.textbook.gaussian_naive_bayes.joint
#
# Code: lindy.textbook.gaussian_naive_bayes.linear_form
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(200, variances=(0.5, 1.5), random_state=1)
X, y = toy.X_train, toy.y_train
per_class = GaussianNaiveBayes(var_smoothing=0).fit(X, y)
mu, var = gaussian_naive_bayes.means(X, y, 2), gaussian_naive_bayes.variances(X, y, 2)
P_y = np.bincount(y) / len(y)
joint = gaussian_naive_bayes.joint(X, P_y, mu, var)
print("means and variances agree:", np.allclose(per_class.mean_, mu), np.allclose(per_class.variance_, var))
print("log P(x, y) agree:", np.allclose(per_class.joint_log_proba(X), joint))

shared = GaussianNaiveBayes(variance=1.0).fit(X, y)
w, b = gaussian_naive_bayes.linear_form(P_y, mu, 1.0)
print("linear form agrees:", np.allclose(shared.W_, w), np.allclose(shared.b_, b))

# %%
models = {"variance per class": per_class, "variance 1 for both": shared}
show(
    plots.decision_boundary(models, toy),
    "gaussian",
    "A circle where the variances differ, a line where they are shared",
)

# %% [markdown]
# ## When to use it
#
# For a few measured numbers (lengths, prices, pixels in grey) that are roughly bell-shaped in each class. It
# makes rows dense, so it is not for words. With one shared variance it is a linear classifier, and a picture
# of what all others do.
#
# On the command line `--learner gaussian-naive-bayes`. [Naive Bayes](../concepts/naive-bayes.md) compares the
# five models.
