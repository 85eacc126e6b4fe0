"""The kernel perceptron."""

import numpy as np

from lindy import KernelPerceptron, plots
from lindy.data import toy_gaussians, toy_shape
from lindy.kernels import RBF, gram
from lindy.labs import show
from lindy.textbook import kernel_perceptron

# %% [markdown]
# The weights of a perceptron are a sum of the examples it got wrong. So it is enough to count how often example
# t was given the wrong label y, and products of weights become sums of kernel values:
#
# $$\hat y = \arg\max_{y'} \sum_t c_{t y'} \, \kappa(x_t, x)$$
#
# $$c_{t y'} = \sum_y \alpha_{y t} \left( [y' = y_t] - [y' = y] \right)$$
#
# $$\alpha_{\hat y t} \leftarrow \alpha_{\hat y t} + 1 \quad \text{if } \hat y \neq y_t$$
#
# Code: lindy.textbook.kernel_perceptron.coefficients
#
# Code: lindy.textbook.kernel_perceptron.kernel_perceptron
#
# Every state that the perceptron was in may vote, as long as it stood:
#
# Code: lindy.textbook.kernel_perceptron.voted
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(80, means=[(-2, -1), (2, -1), (0, 2)], variances=3.0, random_state=1)
X, y, order = toy.X_train, toy.y_train, list(range(40)) * 5
model = KernelPerceptron(kernel=RBF(), average=True, shuffle=False, epochs=5).fit(X, y)
alpha, average, mistakes = kernel_perceptron.kernel_perceptron(gram(RBF(), X), y, 3, order)
print("averages agree:", np.allclose(model.dual_coef_.T, average[model.support_]))
print("mistakes agree:", model.mistakes_ == len(mistakes), f"({model.mistakes_} in {len(order)} visits)")
votes = kernel_perceptron.voted(gram(RBF(), X), y, 3, order, gram(RBF(), toy.X_test, X))
voted = KernelPerceptron(kernel=RBF(), average="vote", shuffle=False, epochs=5).fit(X, y)
print("votes agree:", np.allclose(voted.decision_function(toy.X_test), votes))

# %%
rings = toy_shape("rings", 200)
models = {
    "Gaussian kernel": KernelPerceptron(kernel=RBF(gamma=1.0)).fit(rings.X_train, rings.y_train),
    "linear": KernelPerceptron(kernel="linear").fit(rings.X_train, rings.y_train),
}
show(
    plots.decision_boundary(models, rings, optimal=False),
    "kernel-perceptron",
    "Rings: no line can part them, products in a larger space can",
)

# %% [markdown]
# ## When to use it
#
# To see the kernel trick in ten lines; where examples come one by one; and with `budget`, where only so many
# support examples may be kept. The [kernel SVM](kernel_svm.md) is more accurate on a fixed table.
#
# On the command line `--learner kernel-perceptron --kernel rbf`. [Kernels](../concepts/kernels.md).
