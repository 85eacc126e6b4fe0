"""Kernels of strings and trees."""

import numpy as np
from matplotlib.figure import Figure

from lindy.kernels import Mismatch, Spectrum, Subsequence, SubsetTree, Subtree, gram
from lindy.labs import show
from lindy.textbook import string_kernels, tree_kernels

# %% [markdown]
# Two strings are alike by the substrings or subsequences they share, two trees by their fragments; the
# features are never written down, because there are far too many.
#
# $$\kappa(s, t) = \sum_u \varphi_u(s) \, \varphi_u(t)$$
#
# $$\varphi_u(s) = \sum_{i: \, s[i] = u} \lambda^{l(i)}$$
#
# Code: lindy.textbook.string_kernels.spectrum_features
#
# Code: lindy.textbook.string_kernels.mismatch_features
#
# Code: lindy.textbook.string_kernels.subsequence_features
#
# Code: lindy.textbook.string_kernels.subsequence_kernel
#
# A fragment of a tree keeps all children of a node or none:
#
# Code: lindy.textbook.tree_kernels.fragments
#
# Code: lindy.textbook.tree_kernels.by_recursion
#
# ## The same numbers from lindy

# %%
words = ["perceptron", "perception", "kernel", "colonel", "naive", "native"]


def matrix(features: list[dict[str, float]]) -> np.ndarray:
    """Return all products."""
    return np.array([[string_kernels.dot(a, b) for b in features] for a in features])


spectrum = matrix([string_kernels.spectrum_features(word, 3) for word in words])
print("spectrum agrees:", np.array_equal(gram(Spectrum(length=3), words), spectrum))
letters = "".join(sorted(set("".join(words))))
mismatch = matrix([string_kernels.mismatch_features(word, 2, 1, letters) for word in words])
found = gram(Mismatch(length=2, mismatches=1, alphabet=len(letters)), words)
print("mismatch agrees:", np.array_equal(found, mismatch))
subsequence = matrix([string_kernels.subsequence_features(word, 3, 0.5) for word in words])
quick = [[string_kernels.subsequence_kernel(s, t, 3, 0.5) for t in words] for s in words]
native = gram(Subsequence(length=3, decay=0.5), words)
print("subsequences agree:", np.allclose(quick, subsequence), np.allclose(native, subsequence))

trees = [
    "(S (NP (D the) (N dog)) (VP (V barks)))",
    "(S (NP (D a) (N dog)) (VP (V runs)))",
    "(NP (D the) (N dog))",
]
parsed = [tree_kernels.parse(tree) for tree in trees]
for kernel, whole in ((SubsetTree(decay=0.5), False), (Subtree(decay=0.5), True)):
    by_hand = [[tree_kernels.by_recursion(a, b, 0.5, whole=whole) for b in parsed] for a in parsed]
    counted = [[tree_kernels.by_enumeration(a, b, 0.5, whole=whole) for b in parsed] for a in parsed]
    print(
        f"{type(kernel).__name__} agrees:",
        np.allclose(gram(kernel, trees), by_hand),
        np.allclose(by_hand, counted),
    )

# %%
alike = gram(Subsequence(length=3, decay=0.5).normalized(), words)
ax = Figure(figsize=(5.4, 4.4), layout="constrained").subplots()
ax.imshow(alike, cmap="cividis", vmin=0, vmax=1)
ax.set_xticks(range(len(words)), words, rotation=45)
ax.set_yticks(range(len(words)), words)
for i, j in np.ndindex(alike.shape):
    ax.text(
        j, i, f"{alike[i, j]:.2f}", ha="center", va="center", color="white" if alike[i, j] < 0.5 else "black"
    )
show(ax, "strings", "How alike six words are, by their subsequences of three letters")

# %% [markdown]
# ## When to use it
#
# Where characters and their order matter and there are some thousand texts at most: names, words of an
# unknown language, parse trees. For longer texts, character n-grams (`--chars 2-5`) with a linear learner are
# nearly as good, and a thousand times faster.
#
# On the command line `--kernel spectrum`, `subsequence`, `mismatch`, `subset-tree` or `subtree`.
# [Kernels](../concepts/kernels.md).
