"""Digits.

Amato's second task: which digit does a picture show? Its features are pixels that are on or off, and shapes.
"""

import numpy as np

from lindy import SVM, BernoulliNaiveBayes, MaxEnt, Mira, Perceptron, plots
from lindy.images import PixelFeatures, ShapeFeatures, image_shapes, side_by_side
from lindy.labs import digits, say, show, table
from lindy.textbook.image_shapes import image_shape

images = digits(3_000, 1_000)
pictures, test = (part.reshape(-1, *images.shape) for part in (images.X_train, images.X_test))
y, y_test = images.y_train, images.y_test
print(images)

# %% [markdown]
# ## Naive Bayes for pixels
#
# One feature per pixel: on where the intensity is above ½. Learn P(pixel on | digit) and look at it as a
# picture.
#
# Hint: with on/off features the model is `BernoulliNaiveBayes`.

# %%
pixels = PixelFeatures(threshold=0.5)
X, X_test = pixels.fit_transform(pictures), pixels.transform(test)
bayes = BernoulliNaiveBayes().fit(X, y)
print(
    f"test accuracy {bayes.score(X_test, y_test):.3f}; first columns: {pixels.get_feature_names_out()[:3].tolist()}"
)
shares = np.stack([(X[y == d].sum(axis=0).A1 + 1) / ((y == d).sum() + 2) for d in range(10)], axis=1)
ax = plots.weight_pictures(shares - 0.5, images.shape, list(range(10)))
show(ax, "digits", "P(pixel on | digit) − ½: orange pixels are mostly on, violet ones mostly off")

# %% [markdown]
# ## Shapes
#
# How many pieces of ink has a digit, how many loops, and how tall is it for its width? Compute them; which
# digits have loops?
#
# Hint: a loop is a piece of paper that does not reach the border. Ink holds together over corners, paper does
# not.

# %%
ring = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]], bool)
print(
    "ring: components, loops, height, width =",
    image_shape(ring),
    " lindy:",
    image_shapes(ring[None])[0].tolist(),
)
found = image_shapes(pictures[:300] > 0.5)
by_hand = [image_shape(picture > 0.5) for picture in pictures[:300]]
print("the textbook agrees on 300 digits:", np.array_equal(found, by_hand))
found = image_shapes(pictures > 0.5)
rows = []
for digit in range(10):
    components, loops, height, width = found[y == digit].T
    rows.append((str(digit), float(components.mean()), float(loops.mean()), float((height / width).mean())))
table(("digit", "components", "loops", "height / width"), rows, digits=2)
loops, narrow = max(rows, key=lambda row: row[2]), max(rows, key=lambda row: row[3])
say(
    f"{loops[0]} has the most loops, {loops[2]:.1f} in the mean, and {narrow[0]} is the narrowest. Noise makes pieces",
    "and loops of its own, so that means are not whole numbers.",
)

# %% [markdown]
# ## All learners, on pixels and on shapes

# %%
shapes = ShapeFeatures(threshold=0.5).fit(pictures)
both = side_by_side([pixels.transform_csr(pictures), shapes.transform_csr(pictures)])
both_test = side_by_side([pixels.transform_csr(test), shapes.transform_csr(test)])
rows = []
for name, model in {
    "naive Bayes": BernoulliNaiveBayes(),
    "perceptron": Perceptron(),
    "MIRA": Mira(),
    "MaxEnt": MaxEnt(lam=0.001, tol=1e-2),
    "SVM": SVM(lam=0.01, tol=1e-2),
}.items():
    scores = [
        model.fit(Z, y).score(Z_test, y_test)
        for Z, Z_test in (
            (X, X_test),
            (shapes.transform(pictures), shapes.transform(test)),
            (both, both_test),
        )
    ]
    rows.append((name, *scores))
table(("test accuracy", "pixels", "shapes", "both"), rows)
gained = [name for name, alone, _, together in rows if together > alone]
say(f"Shapes beside pixels help {', '.join(gained)}." if gained else "Shapes beside pixels help nobody here.")
model = MaxEnt(lam=0.01, tol=1e-2).fit(X, y)
ax = plots.weight_pictures(model.W_, images.shape, list(range(10)))
show(ax, "digit-weights", "Weights of MaxEnt: what speaks for a digit, and what against it")
