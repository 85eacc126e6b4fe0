"""The same bits at every instruction-set level."""

from __future__ import annotations

from tests.instruction_sets import printed_at_every_level

_RUN = """
import hashlib
import numpy as np
from lindy import KernelPerceptron, KernelSVM
from lindy.kernels import Intersection, Linear, Mismatch, Spectrum, Subsequence
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 7)) * (rng.random((200, 7)) < 0.6)
y = rng.integers(0, 3, 200)
digest = hashlib.sha256()
for model in (
    KernelSVM(gamma=0.3, C=5),
    KernelSVM(loss="multiclass_hinge", dtype="float32"),
    KernelSVM(multiclass="one-vs-one", kernel="poly", C=100.0, gamma=1.0),
    KernelPerceptron(kernel="rbf", gamma=0.5),
):
    model.fit(X, y)
    digest.update(model.dual_coef_.tobytes() + model.decision_function(X).tobytes())
texts = ["".join(rng.choice(list("abcd "), size=rng.integers(0, 40))) for _ in range(40)]
for kernel in (Subsequence(4), Spectrum(3), Mismatch(3)):
    digest.update(kernel(texts).tobytes())
ones = (X > 0).astype(float)
digest.update(Linear()(ones).tobytes() + Intersection()(ones / 2).tobytes())
print(digest.hexdigest())
"""


def test_every_level_gives_the_same_bits() -> None:
    assert len(printed_at_every_level(_RUN)) == 1
