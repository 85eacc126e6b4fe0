"""Kernels: the non-linear half of the linear model.

A kernel κ(x, z) = φ(x)·φ(z) is a product in a feature space that need not be written down. A classifier that needs
only products of examples, f(x) = Σ_t c_t·κ(x_t, x) + b, is linear there and need not be here.

- Kernels of sparse rows: ``Linear``, ``Polynomial``, ``RBF``, ``Cosine``, ``Intersection``; of texts: ``Spectrum``,
  ``Subsequence``, ``Mismatch``; of bracketed trees: ``SubsetTree``, ``Subtree``. ``a + b``, ``a * b``, ``2 * a`` and
  ``a.normalized()`` are kernels again.
- Learners: ``KernelSVM``, ``KernelPerceptron``.
- Feature maps that approximate a kernel: ``RandomFourier``, ``Nystroem``, ``TensorSketch``.
- ``gram``, ``gram_blocks``, ``pair_gram``, ``check_kernel``: matrices, and whether they are what a kernel's should be.
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.kernels.kernel import Kernel as Kernel
    from lindy.kernels.kernel import Normalized as Normalized
    from lindy.kernels.kernel import Product as Product
    from lindy.kernels.kernel import Scaled as Scaled
    from lindy.kernels.kernel import Sum as Sum
    from lindy.kernels.kernel_features import Nystroem as Nystroem
    from lindy.kernels.kernel_features import RandomFourier as RandomFourier
    from lindy.kernels.kernel_features import TensorSketch as TensorSketch
    from lindy.kernels.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from lindy.kernels.kernel_svm import KernelSVM as KernelSVM
    from lindy.kernels.matrices import KernelReport as KernelReport
    from lindy.kernels.matrices import check_kernel as check_kernel
    from lindy.kernels.matrices import gram as gram
    from lindy.kernels.matrices import gram_blocks as gram_blocks
    from lindy.kernels.matrices import pair_gram as pair_gram
    from lindy.kernels.row_kernels import RBF as RBF
    from lindy.kernels.row_kernels import Cosine as Cosine
    from lindy.kernels.row_kernels import Intersection as Intersection
    from lindy.kernels.row_kernels import Linear as Linear
    from lindy.kernels.row_kernels import Polynomial as Polynomial
    from lindy.kernels.strings import Mismatch as Mismatch
    from lindy.kernels.strings import Spectrum as Spectrum
    from lindy.kernels.strings import Subsequence as Subsequence
    from lindy.kernels.trees import SubsetTree as SubsetTree
    from lindy.kernels.trees import Subtree as Subtree
