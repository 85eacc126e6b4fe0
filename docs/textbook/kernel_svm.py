"""The kernel SVM."""

import numpy as np

from lindy import KernelSVM, plots
from lindy.data import toy_gaussians, toy_shape
from lindy.kernels import RBF, gram
from lindy.labs import show
from lindy.textbook import kernel_svm

# %% [markdown]
# The dual of the support vector machine needs only products of examples, and a kernel takes their place. With
# $\beta_i = y_i \alpha_i$ and a bias that is free,
#
# $$\max_\beta \; \sum_i y_i \beta_i - \frac{1}{2} \sum_{i,j} \beta_i \beta_j \, \kappa(x_i, x_j)$$
#
# $$\sum_i \beta_i = 0, \qquad 0 \le y_i \beta_i \le C$$
#
# $$f(x) = \sum_i \beta_i \, \kappa(x_i, x) + b$$
#
# The sum stays 0 if two of the variables move at a time: the one whose gradient is largest goes up, the one whose
# gradient is least goes down, as far as the box allows (SMO).
#
# Code: lindy.textbook.kernel_svm.smo
#
# Both objectives bracket the optimum; what lies between them is the certificate.
#
# Code: lindy.textbook.kernel_svm.objectives
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(80, variances=3.0, random_state=1)
X, two, sign = toy.X_train, toy.y_train, np.where(toy.y_train > 0, 1.0, -1.0)
svm = KernelSVM(kernel=RBF(), C=1.0, tol=1e-9).fit(X, two)
beta = kernel_svm.smo(gram(RBF(), X), sign, 1.0, 1e-8)
primal, dual = kernel_svm.objectives(gram(RBF(), X), sign, 1.0, beta, float(svm.b_[0]))
print("β agree:", np.allclose(svm.dual_coef_[0], beta[svm.support_], atol=1e-4))
print(
    f"objective {primal:.6f}, proved to within {primal - dual:.0e}; {len(svm.support_)} support vectors of {len(X)}"
)

# %%
moons = toy_shape("moons", 200)
model = KernelSVM(kernel=RBF(gamma=2.0), C=10.0).fit(moons.X_train, moons.y_train)
ax = plots.decision_boundary({"kernel SVM": model}, moons, optimal=False)
ax.plot(
    *moons.X_train[model.support_].T,
    "o",
    markersize=12,
    fillstyle="none",
    color="0.5",
    label="support vectors",
)
ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
show(ax, "kernel-svm", "Two moons: only the examples near the boundary are needed")

# %% [markdown]
# ## When to use it
#
# For dense, low-dimensional data with curved boundaries, for strings and for trees, up to some ten thousand
# rows: time grows with their square. For bags of words the linear [SVM](svm.md) is as accurate.
#
# The answer is explained by training examples, not by words.
#
# On the command line `--kernel rbf`, `--kernel poly --degree 2` or `--kernel subsequence`.
# [Kernels](../concepts/kernels.md).
