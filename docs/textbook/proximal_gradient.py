"""The L1 penalty: proximal gradient."""

import numpy as np

from lindy import MaxEnt, plots
from lindy.labs import book_reviews, show
from lindy.textbook.objectives import Data
from lindy.textbook.proximal_gradient import proximal_gradient

# %% [markdown]
# The L1 norm has a kink at 0, which holds weights there. A gradient step on the smooth part, then a step
# towards 0 that stops at 0:
#
# $$W \leftarrow \text{soft}(W - \eta \nabla P, \; \eta \lambda)$$
#
# $$\text{soft}(v, a) = \text{sign}(v) \max(|v| - a, 0)$$
#
# Code: lindy.textbook.proximal_gradient.soft
#
# Code: lindy.textbook.proximal_gradient.proximal_gradient
#
# ## The same numbers from lindy

# %%
rng = np.random.default_rng(0)
X = rng.normal(size=(100, 12))
y = (X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=100) > 0).astype(np.int32)
W, b = proximal_gradient(Data(X, y, np.full(100, 0.01)), "logistic", 1, (0.05, 0.0), rounds=3000)
model = MaxEnt(penalty="l1", lam=0.05, tol=1e-10).fit(X, y)
print("textbook:", W[:, 0].round(4))
print(
    "lindy:   ",
    model.W_[:, 0].round(4),
    " agree:",
    np.allclose(model.W_, W, atol=1e-4),
    np.allclose(model.b_, b, atol=1e-4),
)

# %%
reviews = book_reviews()
model = MaxEnt(penalty="l1", lam=0.01).fit(reviews.X_train, reviews.y_train)
kept = np.flatnonzero(model.W_[:, 0])
ranked = sorted(((reviews.words[j], float(model.W_[j, 0])) for j in kept), key=lambda pair: -pair[1])
print(f"{len(kept)} of {len(reviews.words):,} words have a weight")
show(plots.top_features(ranked, label="positive"), "l1", "All words that the L1 penalty leaves")

# %% [markdown]
# ## When to use it
#
# Where few features should be left: to read the model, to make its file small, or because most columns are
# noise. Where many features say the same, L1 keeps one of them more or less by chance; the elastic net
# (`penalty="elasticnet"`) keeps them together. The accuracy on text is usually a little lower than with L2.
#
# In the library `MaxEnt(penalty="l1")`, on the command line `--learner maxent --param penalty=l1`; lindy
# solves it by proximal Newton steps ([optimisers](../concepts/optimizers.md)).
