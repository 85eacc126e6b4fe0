"""Bernoulli and categorical naive Bayes."""

import numpy as np

from lindy import BernoulliNaiveBayes, CategoricalNaiveBayes, plots
from lindy.images import image_shapes
from lindy.labs import digits, show
from lindy.textbook import bernoulli_naive_bayes, categorical_naive_bayes
from lindy.textbook.image_shapes import image_shape

# %% [markdown]
# Features that are there or not: a text also speaks through the words it lacks, a picture through its dark
# pixels.
#
# $$\log P(x, y) = \log P(y) + \sum_{w \in x} \log p_{yw} + \sum_{w \notin x} \log (1 - p_{yw})$$
#
# Code: lindy.textbook.bernoulli_naive_bayes.presence
#
# Code: lindy.textbook.bernoulli_naive_bayes.joint
#
# The categorical model has a table of probabilities for every value of every feature; for values 0 and 1 it
# is the same model.
#
# Code: lindy.textbook.categorical_naive_bayes.tables
#
# Code: lindy.textbook.categorical_naive_bayes.joint
#
# Shapes are categories, too: how many pieces of ink, how many loops.
#
# Code: lindy.textbook.image_shapes.count_pieces
#
# Code: lindy.textbook.image_shapes.image_shape
#
# ## The same numbers from lindy

# %%
images = digits(500, 100)
X, X_test = ((part > 0.5).astype(float) for part in (images.X_train, images.X_test))
y, P_y = images.y_train, np.bincount(images.y_train) / len(images.y_train)
bernoulli = BernoulliNaiveBayes().fit(X, y)
p = bernoulli_naive_bayes.presence(X, y, 10)
joint = bernoulli_naive_bayes.joint(X_test, P_y, p)
print("Bernoulli, log P(x, y) agree:", np.allclose(bernoulli.joint_log_proba(X_test), joint))
categorical = CategoricalNaiveBayes(n_values=2).fit(X, y)
tables = categorical_naive_bayes.tables(X.astype(int), y, 10)
print(
    "categorical tables agree:",
    all(np.allclose(a, b) for a, b in zip(categorical.value_proba_, tables, strict=True)),
)
same = categorical_naive_bayes.joint(X_test.astype(int), P_y, tables)
print("and are the Bernoulli model:", np.allclose(same, joint))
by_hand = [image_shape(picture > 0.5) for picture in images.X_test.reshape(-1, *images.shape)]
print("shapes agree:", np.array_equal(image_shapes(images.X_test.reshape(-1, *images.shape) > 0.5), by_hand))

# %%
ax = plots.weight_pictures(p - 0.5, images.shape, list(range(10)))
show(ax, "presence", "How often each pixel is on, less ½, for the ten digits")
