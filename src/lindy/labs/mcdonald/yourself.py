r"""Write kernels yourself.

Two kernels and the perceptron that needs nothing else. `check` runs your functions beside the textbook's and tells the
first difference.
"""

import numpy as np

from lindy.labs import check

# %% [markdown]
# ## The polynomial kernel
#
# Write `polynomial(x, z, d)`, $(x \cdot z + 1)^d$.
#
# Hint: it is 1 where $x$ is zero.

# %% given
x, z = np.array([1.0, 2.0]), np.array([0.0, -1.0])


# %%
def polynomial(x, z, d):
    """Return (x·z + 1)^d."""
    return (x @ z + 1) ** d


print(polynomial(x, z, 2))
check.polynomial_kernel(polynomial)

# %% [markdown]
# ## The Gaussian kernel
#
# Write `gaussian(x, z, gamma)`, $e^{-\gamma \|x - z\|^2}$.
#
# Hint: it is 1 where $x - z$ is zero.

# %% given
gamma = 0.5


# %%
def gaussian(x, z, gamma):
    """Return the Gaussian kernel."""
    return np.exp(-gamma * np.sum((x - z) ** 2))


print(gaussian(x, z, gamma))
check.rbf_kernel(gaussian)

# %% [markdown]
# ## The kernel perceptron
#
# Write `train(K, y, epochs)` for the kernels $K_{tr} = \kappa(x_t, x_r)$ and labels $y = \pm 1$. It returns $\alpha$,
# how often each example was got wrong; the score of example $t$ is $\sum_r \alpha_r\, y_r\, K_{rt}$, and 0 counts for
# $+1$.
#
# Hint: go through the examples in their order, `epochs` times.

# %% given
points = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])
labels = np.array([1, -1, 1])


# %%
def train(K, y, epochs):
    """Return how often each example was got wrong."""
    alpha = np.zeros(len(y))
    for _ in range(epochs):
        for t in range(len(y)):
            predicted = 1 if (alpha * y) @ K[:, t] >= 0 else -1
            alpha[t] += predicted != y[t]
    return alpha


kernels = np.array([[polynomial(a, b, 2) for b in points] for a in points])
print(train(kernels, labels, 3))
check.kernel_perceptron(train)
