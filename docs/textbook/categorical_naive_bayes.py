"""Categorical naive Bayes."""

import numpy as np

from lindy import BernoulliNaiveBayes, CategoricalNaiveBayes, plots
from lindy.images import image_shapes
from lindy.labs import digits, show
from lindy.textbook import categorical_naive_bayes
from lindy.textbook.image_shapes import image_shape

# %% [markdown]
# Every feature has one of a few values, and every class a table with the probability of each value:
#
# $$P(f_i = v \mid y) = \frac{n_{yiv} + k}{\sum_{v'} (n_{yiv'} + k)}$$
#
# $$\log P(x, y) = \log P(y) + \sum_i \log P(f_i = x_i \mid y)$$
#
# Code: lindy.textbook.categorical_naive_bayes.tables
#
# Code: lindy.textbook.categorical_naive_bayes.joint
#
# Shapes of digits are categories: how many pieces of ink, how many loops.
#
# Code: lindy.textbook.image_shapes.count_pieces
#
# Code: lindy.textbook.image_shapes.image_shape
#
# ## The same numbers from lindy
#
# For features that are 0 or 1 it is the Bernoulli model.

# %%
images = digits(500, 100)
X, X_test = ((part > 0.5).astype(int) for part in (images.X_train, images.X_test))
y, P_y = images.y_train, np.bincount(images.y_train) / len(images.y_train)
categorical = CategoricalNaiveBayes(n_values=2).fit(X, y)
tables = categorical_naive_bayes.tables(X, y, 10)
agree = [np.allclose(a, b) for a, b in zip(categorical.value_proba_, tables, strict=True)]
print("tables agree:", all(agree))
joint = categorical_naive_bayes.joint(X_test, P_y, tables)
bernoulli = BernoulliNaiveBayes().fit(X.astype(float), y)
print(
    "log P(x, y) agree with Bernoulli's:", np.allclose(bernoulli.joint_log_proba(X_test.astype(float)), joint)
)
pictures = images.X_test.reshape(-1, *images.shape) > 0.5
print("shapes agree:", np.array_equal(image_shapes(pictures), [image_shape(picture) for picture in pictures]))

# %%
on = np.stack([table[1] if len(table) > 1 else np.zeros(10) for table in tables])
ax = plots.weight_pictures(on - 0.5, images.shape, list(range(10)))
show(ax, "categories", "P(pixel is on | digit), less ½")

# %% [markdown]
# ## When to use it
#
# For tables of categories, such as answers of a form or shapes of digits: few features, each with a handful
# of values. Values that training never saw get the smoothed probability 0 + k. For texts take the
# [multinomial model](multinomial_naive_bayes.md).
#
# On the command line `--learner categorical-naive-bayes`. [Naive Bayes](../concepts/naive-bayes.md) compares
# the five models.
