r"""Write Pegasos yourself.

The slides give the pseudocode. `check` runs your function beside the textbook's and tells the first difference.
"""

import numpy as np

from lindy.labs import check

# %% [markdown]
# ## A step of Pegasos
#
# Write `step(w, x, y, lam, t)` for a label $y = \pm 1$ and $t = 1, 2, \ldots$: the step is $\eta = 1/(\lambda t)$, the
# weights shrink by $1 - \eta\lambda$, and an example with $y\, w \cdot x < 1$ is added,
# $w \leftarrow w + \eta\, y\, x$.
#
# Hint: measure the margin before the weights shrink.

# %% given
w = np.zeros(3)  # two features and the bias
x = np.array([1.0, 2.0, 1.0])


# %%
def step(w, x, y, lam, t):
    """Return the weights after an example."""
    eta = 1 / (lam * t)
    inside = y * (w @ x) < 1
    w = (1 - eta * lam) * w
    return w + eta * y * x if inside else w


print(step(w, x, 1, 0.1, 1))
check.pegasos(step)
