"""Joint feature maps: ŷ = argmax over the candidates y of x of  w·f(x, y).

Everywhere else in lindy a label has weights of its own, which is the block map f(x, y) = g(x) ⊗ e_y. Here f may look at
the label too, and every example may have candidates of its own: labels with properties, answers to choose from, the
n best outputs of another program. There is one weight vector, and each example is a group of candidate rows.
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.joint.joint_convex import JointMaxEnt as JointMaxEnt
    from lindy.joint.joint_convex import JointSVM as JointSVM
    from lindy.joint.joint_maps import BlockMap as BlockMap
    from lindy.joint.joint_maps import JointMap as JointMap
    from lindy.joint.joint_model import Candidates as Candidates
    from lindy.joint.joint_online import JointMira as JointMira
    from lindy.joint.joint_online import JointPerceptron as JointPerceptron
    from lindy.joint.products import ProductMap as ProductMap
