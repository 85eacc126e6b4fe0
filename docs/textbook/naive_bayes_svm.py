"""The SVM with log-count ratios (NB-SVM)."""

import numpy as np

from lindy import SVM, NaiveBayesSVM, plots
from lindy.labs import book_reviews, show
from lindy.textbook import dual, weighting

# %% [markdown]
# Naive Bayes knows which words matter before anything is optimised: its log-count ratio $r_j$ says how much more
# often word j is in texts of one class than in the others. A word that says much may have a large weight at a
# lower price:
#
# $$r_j = \log \frac{p_j / \|p\|_1}{q_j / \|q\|_1}$$
#
# $$s_j = \frac{\text{floor} + |r_j|}{z}$$
#
# $$\min_w \; \frac{1}{2} \sum_j \left( \frac{w_j}{s_j} \right)^2 + C \sum_i \max(0, 1 - m_i)^2$$
#
# $$m_i = y_i \, w \cdot x_i$$
#
# $p_j$ and $q_j$ count the texts with word j inside and outside of the class, each plus alpha; $z$ is the root mean
# square length of the scaled rows, so that C keeps its meaning. The problem is that of an SVM over the rows
# $s \circ x$, and the answer is a linear model of the rows as they are.
#
# Code: lindy.textbook.weighting.log_count_ratio
#
# Code: lindy.textbook.dual.squared_hinge_step
#
# Code: lindy.textbook.dual.margin_pass
#
# ## The same numbers from lindy

# %%
reviews = book_reviews()
X = reviews.X_train[:300].toarray().astype(float)
X /= np.maximum(np.sqrt((X**2).sum(axis=1, keepdims=True)), 1e-12)  # rows of length 1
y = (reviews.y_train[:300] == "positive").astype(int)
ratio = weighting.log_count_ratio(X, y, 2, 0.5)[:, 1]
scale = 1.0 + np.abs(ratio)
scale /= np.sqrt(np.mean(np.sum((scale * X) ** 2, axis=1)))
alpha, w, sign = np.zeros(300), np.zeros(X.shape[1]), np.where(y == 1, 1.0, -1.0)
for _ in range(300):
    dual.margin_pass(dual.squared_hinge_step, X, sign, 1.0, alpha, w, np.arange(300), scale)
model = NaiveBayesSVM(C=1.0, fit_intercept=False, tol=1e-9).fit(X, y)
print("weights agree:", np.allclose(model.W_[:, 0], w, atol=2e-3))

# %%
test, truth = reviews.X_test.toarray().astype(float), reviews.y_test == "positive"
test /= np.maximum(np.sqrt((test**2).sum(axis=1, keepdims=True)), 1e-12)
for n in (50, 150, 300):
    right = [np.mean((kind().fit(X[:n], y[:n]).predict(test) == 1) == truth) for kind in (NaiveBayesSVM, SVM)]
    print(f"{n:>3} reviews: NB-SVM {right[0]:.1%} right, SVM {right[1]:.1%}")
ranked = [(reviews.words[j], float(scale[j])) for j in np.argsort(-scale)[:12]]
ax = plots.top_features(ranked, label="either class", measure="scale s")
show(ax, "naive-bayes-svm", "Words whose weights are cheapest")

# %% [markdown]
# ## When to use it
#
# It is the first candidate of plain `lindy train`, because it did best in the mean over some twenty corpora. Naive
# Bayes wins with little data, the SVM with much; this is both.
#
# With the hinge or other penalties, or to give a cost for confusions, take the [SVM](svm.md).
#
# On the command line `--learner nb-svm`. How recipes are compared: [the automatic
# recipe](../concepts/recipe.md).
