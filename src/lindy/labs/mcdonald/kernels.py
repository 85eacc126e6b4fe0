r"""Kernels.

McDonald, slides 96–107: similarity functions that are products in a larger space, the perceptron written with them
alone, and what they separate that no line can.
"""

import numpy as np

from lindy import SVM, KernelPerceptron, KernelSVM, Perceptron, plots
from lindy.data import ToyData, toy_gaussians
from lindy.kernels import RBF, Linear, Polynomial, RandomFourier, check_kernel, gram
from lindy.labs import judged, say, show, table, verdict
from lindy.textbook import kernel_perceptron, kernels

# %% [markdown]
# ## What a kernel is
#
# $\kappa$ is symmetric, and its Gram matrix $M$ of any points is positive semi-definite: $v M v^T \ge 0$ for all
# $v$. Check it on the points below for the polynomial kernel $(x \cdot z + 1)^2$ and the Gaussian kernel
# $\exp(-\lVert x - z \rVert^2 / 2\sigma^2)$ with σ = 1, and find a similarity that is no kernel.
#
# Hint: $M$ is positive semi-definite if no eigenvalue is negative. Try $-\lVert x - z \rVert^2$.
# `gram(kernel, X)` is the matrix, `check_kernel` looks at its eigenvalues.
#
# Correction: the slide prints the Gaussian kernel with $2\sigma$ in the denominator; it is $2\sigma^2$, or
# $\gamma = 1/(2\sigma^2)$.

# %% given
X = np.random.default_rng(0).normal(size=(30, 2))

# %%
for name, M in {
    "(x·z + 1)²": gram(Polynomial(degree=2), X),
    "exp(−‖x − z‖²/2σ²)": gram(RBF(gamma=0.5), X),
    "−‖x − z‖²": -((X[:, None] - X) ** 2).sum(axis=2),
}.items():
    found = check_kernel(M)
    print(f"{name:<19} smallest eigenvalue {found.smallest:+.1e}, {found.negative} below 0")
print("the textbook's values agree:", np.isclose(gram(RBF(gamma=0.5), X)[0, 1], kernels.rbf(X[0], X[1], 0.5)))

# %% [markdown]
# ## The polynomial kernel, written out
#
# For two coordinates $(x \cdot z + 1)^2$ is the product $\phi(x) \cdot \phi(z)$ with
#
# $$\phi(x) = (x_1^2, x_2^2, \sqrt{2} x_1, \sqrt{2} x_2, \sqrt{2} x_1 x_2, 1).$$
#
# Check it for the two points below. How many features has $\phi$ for $m$ coordinates and degree $d$ (2 and 2, 100
# and 2, 10,000 and 2, 10,000 and 3), and how many multiplications does the kernel need?
#
# Hint: there are $(m + d)! / (m!\, d!)$ monomials up to degree $d$.

# %% given
x, z = X[0], X[1]

# %%
phi = [np.array([a**2, b**2, np.sqrt(2) * a, np.sqrt(2) * b, np.sqrt(2) * a * b, 1]) for a, b in (x, z)]
print(
    f"φ(x)·φ(z) = {phi[0] @ phi[1]:.6f}, (x·z + 1)² = {(x @ z + 1) ** 2:.6f}, lindy: {gram(Polynomial(2), X)[0, 1]:.6f}"
)
by_textbook = kernels.squares_and_products(x) @ kernels.squares_and_products(z)
print("the textbook's φ agrees:", np.isclose(by_textbook, (x @ z + 1) ** 2))
for m, d in ((2, 2), (100, 2), (10_000, 2), (10_000, 3)):
    features = np.prod([(m + i) / i for i in range(1, d + 1)])
    print(f"m = {m:>6,}, d = {d}: {features:.3g} features, {m:,} multiplications")

# %% [markdown]
# ## The kernel perceptron
#
# Each mistake on example $t$ with prediction $\hat y$ adds $\phi(x_t, y_t) - \phi(x_t, \hat y)$ to $\omega$.
# Count the mistakes, $\alpha_{y,t}$, instead of adding vectors: scores need only kernels (slide 102). Write it
# for five rounds over the points below, in their order, with the linear kernel: it must make the same mistakes,
# in the same order, as the perceptron itself.
#
# Hint: kernels over pairs have block form: $\kappa((x, y), (x', y'))$ is $\kappa(x, x')$ if $y = y'$, and 0
# otherwise. lindy's `KernelPerceptron` has its mistakes as `mistake_order_`.

# %% given
toy = toy_gaussians(80, means=[(-2, -1), (2, -1), (0, 2)], variances=3.0, random_state=1)
y, order = toy.y_train, list(range(40)) * 5

# %%
primal = Perceptron(average=False, fit_intercept=False, shuffle=False, epochs=5, dtype="float64").fit(
    toy.X_train, y
)
dual = KernelPerceptron(kernel=Linear(), average=False, shuffle=False, epochs=5).fit(toy.X_train, y)
alpha, _, mistakes = kernel_perceptron.kernel_perceptron(gram(Linear(), toy.X_train), y, 3, order)
print(
    "mistakes:",
    primal.mistakes_,
    dual.mistakes_,
    len(mistakes),
    " in the same order:",
    dual.mistake_order_.tolist() == mistakes,
)
weights = toy.X_train.T @ kernel_perceptron.coefficients(alpha, y)
print("Σ α·(φ(x, y) − φ(x, ŷ)) is ω:", np.allclose(weights, primal.W_))

# %% [markdown]
# ## What no line separates
#
# XOR, and a ring around a disc: train kernel perceptrons and kernel SVMs (C = 10) with a linear, a polynomial
# (degree 2) and a Gaussian kernel (γ = 5) on the first hundred points of each, and test on the others. Does a
# curve beat the line?
#
# Hint: `KernelSVM(kernel=RBF(gamma=5.0), C=10.0)`. Draw with `plots.decision_boundary` and `ToyData`.

# %% given
rng = np.random.default_rng(3)
square = rng.uniform(-1, 1, (200, 2))
angle, radius = (
    rng.uniform(0, 2 * np.pi, 200),
    np.where(np.arange(200) % 2, 1.0, 0.35) + 0.08 * rng.normal(size=200),
)
problems = {
    "XOR": (square, (square[:, 0] * square[:, 1] > 0).astype(int)),
    "ring": (np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.arange(200) % 2),
}

# %%
rows, results = [], {}
for name, (points, labels) in problems.items():
    for kernel in (Linear(), Polynomial(degree=2), RBF(gamma=5.0)):
        learners = (KernelPerceptron(kernel=kernel), KernelSVM(kernel=kernel, C=10.0, tol=1e-3))
        found = [
            judged(repr(kernel), m.fit(points[:100], labels[:100]), points[100:], labels[100:])
            for m in learners
        ]
        results[name, repr(kernel)] = found[1]
        rows.append((name, repr(kernel), *map(str, found), len(learners[1].support_)))
table(("data", "kernel", "perceptron (95 %)", "SVM (95 %)", "support vectors"), rows)
for name in problems:
    curve, line = results[name, repr(Polynomial(degree=2))], results[name, repr(Linear())]
    say(f"{name}, SVM: {verdict(curve, line)}")
for name, (points, labels) in problems.items():
    model = KernelSVM(kernel=Polynomial(degree=2), C=10.0).fit(points, labels)
    data = ToyData(points[:100], labels[:100], points[100:], labels[100:], toy.source)
    ax = plots.decision_boundary({"(x·z + 1)²": model}, data, optimal=False)
    show(ax, f"kernel-{name.lower()}", f"{name}: a curve in the plane is a plane in the space of φ")

# %% [markdown]
# ## Back to a linear model
#
# The Gaussian kernel has infinitely many features; random ones have almost the same products. Map the ring with
# 10, 100 and 1,000 of them and train a *linear* SVM on the first hundred points. Compute the mean error of the products
# against the kernel, and the test accuracy.
#
# Hint: the more features, the nearer their products are to the kernel, like $1/\sqrt{D}$.
# `RandomFourier(gamma=5.0, n_components=D, random_state=0)`.

# %% given
points, labels = problems["ring"]

# %%
M, rows = gram(RBF(gamma=5.0), points), []
for D in (10, 100, 1000):
    features = RandomFourier(gamma=5.0, n_components=D, random_state=0)
    Z = features.fit_transform(points)
    model = SVM(loss="hinge", C=10.0, tol=1e-3).fit(Z[:100], labels[:100])
    error = float(np.abs(np.asarray(Z @ Z.T) - M).mean())
    rows.append((D, error, str(judged(f"{D} features", model, Z[100:], labels[100:]))))
table(("features", "mean error of the kernel", "test (95 %)"), rows)
say(
    f"A hundred times as many features make the error {rows[0][1] / rows[2][1]:.0f} times smaller; 1/√D says 10.",
    f"With {rows[0][0]} of them {rows[0][2]} of the test are right.",
)
