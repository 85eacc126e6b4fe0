"""Probabilities that come true, and near duplicates."""

import numpy as np

from lindy import SVM, plots
from lindy.data import toy_gaussians
from lindy.evaluation import calibration_error, fit_calibrator
from lindy.labs import show
from lindy.textbook import calibration, minhash

# %% [markdown]
# Scores of an SVM are no probabilities. Platt's method bends them through a sigmoid, temperature scaling
# divides all scores by one number, isotonic regression takes the rising steps nearest to the facts, and lets each rise
# within what its rows can tell, so that no two scores have the same probability.
#
# $$P(y = 1 \mid s) = \frac{1}{1 + e^{-(a s + c)}}$$
#
# Code: lindy.textbook.calibration.platt
#
# Code: lindy.textbook.calibration.temperature
#
# Code: lindy.textbook.calibration.steps
#
# Code: lindy.textbook.calibration.rising
#
# Code: lindy.textbook.calibration.calibration_error
#
# ## The same numbers from lindy

# %%
toy = toy_gaussians(2_000, variances=2.0, random_state=1)
model = SVM(loss="hinge", lam=0.1).fit(toy.X_train, toy.y_train)
held_out, y = toy.source.draw(500, random_state=7)
s = model.decision_function(held_out).astype(float)
a, c = calibration.platt(s, y)
platt = fit_calibrator(s, y, 2, "sigmoid")
P = platt(s)
print("Platt agrees:", np.allclose(P[:, 1], 1 / (1 + np.exp(-(a * s + c))), atol=1e-6))
limit = 1 / (len(s) + 2)  # lindy never says that something is certain
g = calibration.rising(s, (y == 1).astype(float), limit, 1 - limit)
isotonic = fit_calibrator(s, y, 2, "isotonic")(s)[:, 1]
print("isotonic agrees:", np.allclose(isotonic, g))
print("calibration error agrees:", np.isclose(calibration.calibration_error(P, y), calibration_error(P, y)))
S = model.decision_function(toy.X_test).astype(float)
Q = platt(S)
print(f"on new points: {calibration_error(Q, toy.y_test):.3f}")

# %%
right = Q.argmax(axis=1) == toy.y_test
show(
    plots.reliability(right, Q.max(axis=1)),
    "reliability",
    "Calibrated probabilities of an SVM, and how often they came true",
)

# %% [markdown]
# ## Near duplicates
#
# The audit of a corpus finds texts that are almost the same without comparing all pairs: the smallest hash of
# two sets is the same with a probability of their Jaccard index.
#
# Code: lindy.textbook.minhash.jaccard
#
# Code: lindy.textbook.minhash.sketch

# %%
a, b = set(range(100)), set(range(20, 120))
estimate = float((minhash.sketch(a, 256) == minhash.sketch(b, 256)).mean())
print(f"Jaccard index {minhash.jaccard(a, b):.3f}, estimated from 256 bins {estimate:.3f}")

# %% [markdown]
# ## When to use it
#
# Whenever a probability is read by a person or compared with a threshold. `TextClassifier` and `lindy train`
# calibrate by themselves, on texts that the model did not learn from; `--calibrate` chooses the method
# ([calibration](../concepts/calibration.md)).
