"""Joint features: one weight vector over candidates."""

import numpy as np

from lindy.joint import BlockMap, Candidates, JointMaxEnt, JointMira, JointPerceptron
from lindy.labs import show
from lindy.plots import objective_by_round
from lindy.textbook import joint

# %% [markdown]
# Every example brings its own candidates, each with features that may look at both x and y:
#
# $$\hat y = \arg\max_{y \in Y(x)} w \cdot f(x, y)$$
#
# Code: lindy.textbook.joint.block_map
#
# Code: lindy.textbook.joint.perceptron
#
# Code: lindy.textbook.joint.mira
#
# Against several candidates at once, the step is found by moving weight between pairs of them:
#
# Code: lindy.textbook.joint.smallest_alpha
#
# Code: lindy.textbook.joint.log_loss
#
# ## The same numbers from lindy

# %%
rng = np.random.default_rng(0)
F = [rng.normal(size=(rng.integers(2, 6), 4)) for _ in range(40)]  # 40 examples with 2 to 5 candidates
truth = np.array([1.0, -1.0, 0.5, 0.0])
gold = [int((f @ truth).argmax()) for f in F]
data, order = Candidates.of(F, gold), list(range(40)) * 3
_, average, mistakes = joint.perceptron(F, gold, order)
model = JointPerceptron(epochs=3, shuffle=False).fit(data)
print("perceptron agrees:", np.allclose(model.w_, average))
costs = [np.where(np.arange(len(f)) == g, 0.0, 1.0) for f, g in zip(F, gold, strict=True)]
_, average = joint.mira(F, gold, costs, order, C=1.0)
print("MIRA agrees:", np.allclose(JointMira(epochs=3, shuffle=False).fit(data).w_, average))
_, average = joint.mira(F, gold, costs, order, C=1.0, constraints="k-best", k=3)
three = JointMira(constraints="k-best", k=3, epochs=3, shuffle=False).fit(data)
print("against the best three:", np.allclose(three.w_, average))

w, values = np.zeros(4), []
for _ in range(400):
    value, gradient = joint.log_loss(F, gold, w, 0.01)
    values.append(value)
    w = w - gradient
model = JointMaxEnt(lam=0.01, tol=1e-9).fit(data)
print("MaxEnt agrees:", np.allclose(model.w_, w, atol=1e-4), " w =", w.round(3))
blocks = BlockMap(bias=False).fit([[1.0, 2.0]] * 3, [0, 1, 2]).transform([[1.0, 2.0]])
print(
    "block map agrees:",
    np.array_equal(blocks.rows.to_scipy().toarray(), joint.block_map(np.array([1.0, 2.0]), 3)),
)

# %%
show(objective_by_round(values[:60]), "joint", "Gradient descent on the log loss over candidates")

# %% [markdown]
# ## When to use it
#
# Where features should look at the label (its name, its place in a taxonomy), or every example has candidates
# of its own. For ordinary labels the other learners give the same models without building the blocks ([joint
# features](../concepts/joint.md)).
