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

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.kernels.kernel import Kernel, Normalized, Product, Scaled, Sum
    from lindy.kernels.kernel_features import Nystroem, RandomFourier, TensorSketch
    from lindy.kernels.kernel_perceptron import KernelPerceptron
    from lindy.kernels.kernel_svm import KernelSVM
    from lindy.kernels.matrices import KernelReport, check_kernel, gram, gram_blocks, pair_gram
    from lindy.kernels.row_kernels import RBF, Cosine, Intersection, Linear, Polynomial
    from lindy.kernels.strings import Mismatch, Spectrum, Subsequence
    from lindy.kernels.trees import SubsetTree, Subtree

__all__ = [
    "RBF",
    "Cosine",
    "Intersection",
    "Kernel",
    "KernelPerceptron",
    "KernelReport",
    "KernelSVM",
    "Linear",
    "Mismatch",
    "Normalized",
    "Nystroem",
    "Polynomial",
    "Product",
    "RandomFourier",
    "Scaled",
    "Spectrum",
    "Subsequence",
    "SubsetTree",
    "Subtree",
    "Sum",
    "TensorSketch",
    "check_kernel",
    "gram",
    "gram_blocks",
    "pair_gram",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kernel_features": "Nystroem RandomFourier TensorSketch",
        "kernel": "Kernel Normalized Product Scaled Sum",
        "matrices": "KernelReport check_kernel gram gram_blocks pair_gram",
        "kernel_perceptron": "KernelPerceptron",
        "row_kernels": "Cosine Intersection Linear Polynomial RBF",
        "strings": "Mismatch Spectrum Subsequence",
        "kernel_svm": "KernelSVM",
        "trees": "SubsetTree Subtree",
    },
)
