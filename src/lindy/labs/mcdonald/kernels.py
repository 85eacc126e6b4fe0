"""Kernels.

McDonald, slides 96–107: similarity functions that are products in a larger space, the perceptron written with them
alone, and what they separate that no line can.
"""

import numpy as np

from lindy import SVM, KernelPerceptron, KernelSVM, Perceptron, plots
from lindy.data import ToyData, toy_gaussians
from lindy.kernels import RBF, Linear, Polynomial, RandomFourier, check_kernel, gram
from lindy.labs import say, show, table
from lindy.textbook import kernel_perceptron, kernels

# %% [markdown]
# ## What a kernel is
#
# κ is symmetric, and its Gram matrix M of any points is positive semi-definite: v·M·v ≥ 0 for all v. Check it
# for the polynomial and the Gaussian kernel, and find a similarity that is no kernel.
#
# Hint: M is positive semi-definite if no eigenvalue is negative. Try −‖x − z‖².
#
# Correction: the slide prints the Gaussian kernel with 2σ in the denominator; it is 2σ², or γ = 1/(2σ²).

# %%
X = np.random.default_rng(0).normal(size=(30, 2))
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
# For two coordinates (x·z + 1)² is the product of φ(x) = (x₁², x₂², √2·x₁, √2·x₂, √2·x₁x₂, 1) with φ(z).
# Check it. How many features has φ for m coordinates and degree d, and how many multiplications does the
# kernel need?
#
# Hint: there are (m + d over d) monomials up to degree d.

# %%
x, z = X[0], X[1]
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
# Each mistake on example t with prediction ŷ adds φ(x_t, y_t) − φ(x_t, ŷ) to ω. Count the mistakes, α_{y,t},
# instead of adding vectors: scores need only kernels. With the linear kernel this must make the same
# mistakes, in the same order, as the perceptron itself.
#
# Hint: kernels over pairs have block form, κ((x, y), (x', y')) = [y = y']·κ(x, x').

# %%
toy = toy_gaussians(80, means=[(-2, -1), (2, -1), (0, 2)], variances=3.0, random_state=1)
y, order = toy.y_train, list(range(40)) * 5
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
# XOR, and a ring around a disc: compare linear, polynomial and Gaussian kernels.

# %%
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
rows = []
for name, (points, labels) in problems.items():
    for kernel in (Linear(), Polynomial(degree=2), RBF(gamma=5.0)):
        learners = (KernelPerceptron(kernel=kernel), KernelSVM(kernel=kernel, C=10.0, tol=1e-3))
        scores = [m.fit(points[:100], labels[:100]).score(points[100:], labels[100:]) for m in learners]
        rows.append((name, repr(kernel), *scores, len(learners[1].support_)))
table(("data", "kernel", "perceptron", "SVM", "support vectors"), rows)
lines, curves = ([row[3] for row in rows if (row[1] == repr(Linear())) is flag] for flag in (True, False))
say(
    f"No line gets beyond {max(lines):.0%} of the test; the curves get {min(curves):.0%} to {max(curves):.0%}."
)

# %%
for name, (points, labels) in problems.items():
    model = KernelSVM(kernel=Polynomial(degree=2), C=10.0).fit(points, labels)
    data = ToyData(points[:100], labels[:100], points[100:], labels[100:], toy.source)
    ax = plots.decision_boundary({"(x·z + 1)²": model}, data, optimal=False)
    show(ax, f"kernel-{name.lower()}", f"{name}: a curve in the plane is a plane in the space of φ")

# %% [markdown]
# ## Back to a linear model
#
# The Gaussian kernel has infinitely many features; random ones have almost the same products. Map the ring with
# 10, 100 and 1,000 of them and train a *linear* SVM.
#
# Hint: the more features, the nearer their products are to the kernel, like 1/√D.

# %%
points, labels = problems["ring"]
M, rows = gram(RBF(gamma=5.0), points), []
for D in (10, 100, 1000):
    features = RandomFourier(gamma=5.0, n_components=D, random_state=0)
    Z = features.fit_transform(points)
    model = SVM(loss="hinge", C=10.0, tol=1e-3).fit(Z[:100], labels[:100])
    rows.append((D, float(np.abs(np.asarray(Z @ Z.T) - M).mean()), model.score(Z[100:], labels[100:])))
table(("features", "mean error of the kernel", "test accuracy"), rows)
say(
    f"A hundred times as many features make the error {rows[0][1] / rows[2][1]:.0f} times smaller; 1/√D says 10.",
    f"{rows[0][0]} of them already read {rows[0][2]:.0%} of the test right.",
)
