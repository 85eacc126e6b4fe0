"""Kernels of rows."""

import numpy as np

from lindy import KernelSVM, plots
from lindy.data import toy_gaussians, toy_shape
from lindy.kernels import RBF, Cosine, Intersection, Polynomial, gram
from lindy.labs import show
from lindy.textbook import kernels

# %% [markdown]
# A kernel is a product in a space that need not be written down; a learner that needs only products of
# examples becomes non-linear by changing the kernel.
#
# $$\kappa(x, z) = \varphi(x) \cdot \varphi(z)$$
#
# $$(x \cdot z + 1)^2 \quad \text{or} \quad e^{-\gamma \|x - z\|^2}$$
#
# Code: lindy.textbook.kernels.polynomial
#
# Code: lindy.textbook.kernels.squares_and_products
#
# Code: lindy.textbook.kernels.rbf
#
# Code: lindy.textbook.kernels.cosine
#
# Code: lindy.textbook.kernels.intersection
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(80, means=[(-2, -1), (2, -1), (0, 2)], variances=3.0, random_state=1)
X, y = toy.X_train, toy.y_train
for kernel, twin in (
    (Polynomial(), kernels.polynomial),
    (RBF(), kernels.rbf),
    (Cosine(), kernels.cosine),
    (Intersection(), kernels.intersection),
):
    rows = np.abs(X)  # histograms are not negative
    by_hand = [[twin(x, z) for z in rows] for x in rows]
    print(f"{type(kernel).__name__:<12} matrices agree: {np.allclose(gram(kernel, rows), by_hand)}")
phi = np.array([kernels.squares_and_products(x) for x in X])
print("φ(x)·φ(z) agree:", np.allclose(phi @ phi.T, gram(Polynomial(), X)))

# %%
moons = toy_shape("moons", 200)
models = {
    "polynomial of degree 3": KernelSVM(kernel=Polynomial(degree=3), C=10.0).fit(
        moons.X_train, moons.y_train
    ),
    "Gaussian": KernelSVM(kernel=RBF(gamma=2.0), C=10.0).fit(moons.X_train, moons.y_train),
    "linear": KernelSVM(kernel="linear", C=10.0).fit(moons.X_train, moons.y_train),
}
ax = plots.decision_boundary(models, moons, optimal=False)
show(ax, "kernels", "Two moons, and the same machine with three kernels")

# %% [markdown]
# ## When to use it
#
# For features that mean little one by one: pixels, a few measurements, shapes in the plane. Bags of words are
# nearly separable by a line, and a linear learner is hundreds of times faster there.
#
# The learners that take them are the [kernel SVM](kernel_svm.md) and the [kernel
# perceptron](kernel_perceptron.md); [kernels](../concepts/kernels.md) has those of texts and trees, sums and
# products, and feature maps for more rows.
