"""Kernels, the kernel perceptron and SMO."""

import numpy as np

from lindy import KernelPerceptron, KernelSVM, plots
from lindy.data import ToyData, toy_gaussians
from lindy.kernels import RBF, Cosine, Intersection, Polynomial, gram
from lindy.labs import show
from lindy.textbook import kernel_perceptron, kernel_svm, kernels

# %% [markdown]
# A kernel is a product in a space that need not be written down; a learner that needs only products of
# examples becomes non-linear by changing the kernel.
#
# $$\kappa(x, z) = \varphi(x) \cdot \varphi(z) \qquad (x \cdot z + 1)^2 \qquad e^{-\gamma \|x - z\|^2}$$
#
# Code: lindy.textbook.kernels.polynomial
#
# Code: lindy.textbook.kernels.squares_and_products
#
# Code: lindy.textbook.kernels.rbf
#
# The perceptron only has to count how often each example was given which wrong label:
#
# Code: lindy.textbook.kernel_perceptron.coefficients
#
# Code: lindy.textbook.kernel_perceptron.kernel_perceptron
#
# The SVM moves two dual variables at a time, so that their sum stays 0:
#
# Code: lindy.textbook.kernel_svm.smo
#
# Code: lindy.textbook.kernel_svm.objectives
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

model = KernelPerceptron(kernel=RBF(), average=True, shuffle=False, epochs=5).fit(X, y)
alpha, average, mistakes = kernel_perceptron.kernel_perceptron(gram(RBF(), X), y, 3, list(range(40)) * 5)
print(
    "kernel perceptron agrees:",
    np.allclose(model.dual_coef_.T, average[model.support_]),
    model.mistakes_ == len(mistakes),
)

two, sign = (y > 0).astype(int), np.where(y > 0, 1.0, -1.0)
svm = KernelSVM(kernel=RBF(), C=1.0, tol=1e-9).fit(X, two)
beta = kernel_svm.smo(gram(RBF(), X), sign, 1.0, 1e-8)
primal, dual = kernel_svm.objectives(gram(RBF(), X), sign, 1.0, beta, float(svm.b_[0]))
print(
    "SVM agrees:",
    np.allclose(svm.dual_coef_[0], beta[svm.support_], atol=1e-4),
    f"gap {primal - dual:.0e}",
)

# %%
rng = np.random.default_rng(3)
turn, side = rng.uniform(0, np.pi, 120), np.arange(120) % 2
moons = np.column_stack([np.cos(turn) + side, np.where(side, 0.4 - np.sin(turn), np.sin(turn))])
moons += 0.1 * rng.normal(size=moons.shape)
model = KernelSVM(kernel=RBF(gamma=2.0), C=10.0).fit(moons[:60], side[:60])
data = ToyData(moons[:60], side[:60], moons[60:], side[60:], toy.source)
ax = plots.decision_boundary({"Gaussian kernel": model}, data, optimal=False)
show(ax, "kernels", "Two moons, and an SVM with the Gaussian kernel")
