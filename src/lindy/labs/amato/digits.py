r"""Digits.

Amato's second task: which digit does a picture show? Its features are pixels that are on or off, and shapes.
"""

import numpy as np

from lindy import SVM, BernoulliNaiveBayes, MaxEnt, Mira, Perceptron, plots
from lindy.images import PixelFeatures, ShapeFeatures, image_shapes, side_by_side
from lindy.labs import choose, digits, judged, say, show, table, verdicts
from lindy.textbook.image_shapes import image_shape

images = digits(3_000, 1_000)
pictures, test = (part.reshape(-1, *images.shape) for part in (images.X_train, images.X_test))
y, y_test = images.y_train, images.y_test
print(images)

# %% [markdown]
# ## Naive Bayes for pixels
#
# One feature per pixel: on where the intensity is above ½,
#
# $$P(Y \mid F_{0,0} \ldots) \propto P(Y) \prod_{i,j} P(F_{i,j} \mid Y).$$
#
# Learn $P(F_{i,j} = \text{on} \mid y)$, with one added to every count, look at it as a picture, and report the
# test accuracy with its interval.
#
# Hint: with on/off features the model is `BernoulliNaiveBayes`; `plots.weight_pictures` draws a column of numbers
# per digit.

# %% given
pixels = PixelFeatures(threshold=0.5)
X, X_test = pixels.fit_transform(pictures), pixels.transform(test)

# %%
bayes = BernoulliNaiveBayes().fit(X, y)
print(f"test {judged('naive Bayes', bayes, X_test, y_test)}", end="; ")
print(f"first columns: {pixels.get_feature_names_out()[:3].tolist()}")
shares = np.stack([(X[y == d].sum(axis=0).A1 + 1) / ((y == d).sum() + 2) for d in range(10)], axis=1)
ax = plots.weight_pictures(shares - 0.5, images.shape, list(range(10)))
show(ax, "digits", "P(pixel on | digit) − ½: orange pixels are mostly on, violet ones mostly off")

# %% [markdown]
# ## Shapes
#
# How many pieces of ink has a digit, how many loops, and how tall is it for its width? Write a function that
# counts them for the ring below, compare it with `image_shapes`, and compute the means for each digit: which
# digits have loops?
#
# Hint: a loop is a piece of paper that does not reach the border. Ink holds together over corners, paper does
# not.

# %% given
ring = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]], bool)
print("components, loops, height, width =", image_shapes(ring[None])[0].tolist())

# %%
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
    f"{loops[0]} has the most loops, {loops[2]:.1f} in the mean, and {narrow[0]} is the narrowest. Handwriting and",
    "noise make pieces and loops of their own, so that means are not whole numbers.",
)

# %% [markdown]
# ## All learners, on pixels and on shapes
#
# Train naive Bayes, perceptron, MIRA, MaxEnt and SVM on the pixels, on the shapes, and on both, with the λ of
# MaxEnt and SVM chosen on held-out parts of the training digits. Which of them are better in the test with both
# than with pixels alone?
#
# Hint: the features below are ready; `choose`, `judged` and, for several pairs, `verdicts`.

# %% given
shapes = ShapeFeatures(threshold=0.5).fit(pictures)
both, both_test = (
    side_by_side([pixels.transform_csr(part), shapes.transform_csr(part)]).to_scipy()
    for part in (pictures, test)
)
features = {
    "pixels": (X, X_test),
    "shapes": (shapes.transform(pictures), shapes.transform(test)),
    "both": (both, both_test),
}
learners = {
    "naive Bayes": (BernoulliNaiveBayes(), ()),
    "perceptron": (Perceptron(), ()),
    "MIRA": (Mira(constraints="predicted"), ()),
    "MaxEnt": (MaxEnt(tol=1e-2), (0.01, 0.001)),
    "SVM": (SVM(tol=1e-2), (0.1, 0.01)),
}

# %%
results = {}
for name, (learner, strengths) in learners.items():
    for kind, (Z, Z_test) in features.items():
        model = choose(learner, "lam", strengths, Z, y, parts=2).model if strengths else learner
        results[name, kind] = judged(f"{name}, {kind}", model.fit(Z, y), Z_test, y_test)
table(
    ("test (95 %)", *features),
    [(name, *(str(results[name, kind]) for kind in features)) for name in learners],
)
say(*verdicts([(results[name, "both"], results[name, "pixels"]) for name in learners]))
model = MaxEnt(lam=0.01, tol=1e-2).fit(X, y)
ax = plots.weight_pictures(model.W_, images.shape, list(range(10)))
show(ax, "digit-weights", "Weights of MaxEnt: what speaks for a digit, and what against it")
