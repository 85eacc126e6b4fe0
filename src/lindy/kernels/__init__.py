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
    from lindy.kernels.features import Nystroem, RandomFourier, TensorSketch
    from lindy.kernels.kernel import Kernel, Normalized, Product, Scaled, Sum
    from lindy.kernels.matrices import KernelReport, check_kernel, gram, gram_blocks, pair_gram
    from lindy.kernels.perceptron import KernelPerceptron
    from lindy.kernels.row_kernels import RBF, Cosine, Intersection, Linear, Polynomial
    from lindy.kernels.strings import Mismatch, Spectrum, Subsequence
    from lindy.kernels.svm import KernelSVM
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
        "Cosine": "lindy.kernels.row_kernels",
        "Intersection": "lindy.kernels.row_kernels",
        "Kernel": "lindy.kernels.kernel",
        "KernelPerceptron": "lindy.kernels.perceptron",
        "KernelReport": "lindy.kernels.matrices",
        "KernelSVM": "lindy.kernels.svm",
        "Linear": "lindy.kernels.row_kernels",
        "Mismatch": "lindy.kernels.strings",
        "Spectrum": "lindy.kernels.strings",
        "Subsequence": "lindy.kernels.strings",
        "SubsetTree": "lindy.kernels.trees",
        "Subtree": "lindy.kernels.trees",
        "Nystroem": "lindy.kernels.features",
        "RandomFourier": "lindy.kernels.features",
        "TensorSketch": "lindy.kernels.features",
        "Normalized": "lindy.kernels.kernel",
        "Polynomial": "lindy.kernels.row_kernels",
        "Product": "lindy.kernels.kernel",
        "RBF": "lindy.kernels.row_kernels",
        "Scaled": "lindy.kernels.kernel",
        "Sum": "lindy.kernels.kernel",
        "check_kernel": "lindy.kernels.matrices",
        "gram": "lindy.kernels.matrices",
        "gram_blocks": "lindy.kernels.matrices",
        "pair_gram": "lindy.kernels.matrices",
    },
)
