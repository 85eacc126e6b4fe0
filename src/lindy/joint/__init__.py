"""Joint feature maps: ŷ = argmax over the candidates y of x of  w·f(x, y).

Everywhere else in lindy a label has weights of its own, which is the block map f(x, y) = g(x) ⊗ e_y. Here f may look at
the label too, and every example may have candidates of its own: labels with properties, answers to choose from, the
n best outputs of another program. There is one weight vector, and each example is a group of candidate rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.joint.joint_candidates import Candidates
    from lindy.joint.joint_convex import JointMaxEnt, JointSVM
    from lindy.joint.joint_maps import BlockMap, JointMap
    from lindy.joint.joint_online import JointMira, JointPerceptron
    from lindy.joint.products import ProductMap

__all__ = [
    "BlockMap",
    "Candidates",
    "JointMap",
    "JointMaxEnt",
    "JointMira",
    "JointPerceptron",
    "JointSVM",
    "ProductMap",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "joint_candidates": "Candidates",
        "joint_convex": "JointMaxEnt JointSVM",
        "joint_maps": "BlockMap JointMap",
        "joint_online": "JointMira JointPerceptron",
        "products": "ProductMap",
    },
)
