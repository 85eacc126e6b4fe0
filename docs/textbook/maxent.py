"""Maximum entropy (logistic regression)."""

import numpy as np

from lindy import MaxEnt, plots
from lindy.data import toy_gaussians
from lindy.labs import show
from lindy.textbook import objectives
from lindy.textbook.batch_gradient import batch_gradient_descent

# %% [markdown]
# $$P(y \mid x) = \frac{e^{o_y}}{\sum_k e^{o_k}}, \quad o = W^T x + b$$
#
# $$\min_W \; -\frac{1}{n} \sum_i \log P(y_i \mid x_i) + \frac{\lambda}{2} \|W\|^2$$
#
# The gradient of the loss in the scores is what the model expects minus what was observed.
#
# Code: lindy.textbook.objectives.probabilities
#
# Code: lindy.textbook.objectives.losses
#
# Code: lindy.textbook.objectives.residuals
#
# Code: lindy.textbook.objectives.objective
#
# Code: lindy.textbook.objectives.gradient
#
# Gradient descent takes steps that are halved until the objective falls enough (Armijo's rule):
#
# Code: lindy.textbook.batch_gradient.batch_gradient_descent
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(120, means=[(-2, -1), (2, -1), (0, 2)], variances=1.0, random_state=1)
X, y, lam = toy.X_train, toy.y_train.astype(np.int32), 0.05
W, values = batch_gradient_descent(X, y, 3, lam, rounds=500)
for solver in ("gradient-descent", "conjugate-gradient", "lbfgs", "newton", "dual"):
    model = MaxEnt(lam=lam, fit_intercept=False, solver=solver, tol=1e-10, max_iter=5000).fit(X, y)
    print(f"{solver:<18} weights agree: {np.allclose(model.W_, W, atol=1e-4)}")
print("P(y | x) agree:", np.allclose(model.predict_proba(X), objectives.probabilities(X @ W), atol=1e-4))
print(
    f"objective {values[-1]:.8f} and {model.certificate_.objective:.8f}, proven to within {model.certificate_.gap:.0e}"
)

# %%
show(plots.objective_by_round(values[:20]), "descent", "The objective of gradient descent, round by round")
show(plots.decision_regions(MaxEnt(lam=lam).fit(X, y), toy), "maxent", "The regions of three classes")

# %% [markdown]
# ## When to use it
#
# When probabilities matter: they are the model's own, and at the optimum the mean probability of a class is
# its share of the data. With `penalty="l1"` most weights are exactly 0, which makes small files and short
# explanations.
#
# For labels alone a [SVM](svm.md) is as good, and faster for many classes.
#
# On the command line `--learner maxent`. Solvers, λ and the bias: [maximum entropy](../concepts/maxent.md).
