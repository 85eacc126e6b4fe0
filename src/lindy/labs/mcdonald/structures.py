r"""Kernels of strings and trees.

McDonald, slide 106: kernels need not be of vectors. Strings are alike by the subsequences they share, trees by their
fragments.
"""

import numpy as np

from lindy import KernelPerceptron, KernelSVM
from lindy.kernels import Spectrum, Subsequence, SubsetTree, Subtree, gram
from lindy.labs import Judged, choose, judged, judged_table, review_texts, say, table, verdict
from lindy.textbook import string_kernels, tree_kernels

# %% [markdown]
# ## cat, car, bat, bar
#
# The features of a string are its subsequences of two letters, gaps allowed; a subsequence that spans $l$
# letters counts $\lambda^l$. Compute the features of *cat*, and the normalised similarity of *cat* and *car*,
# $\kappa(s, t) / \sqrt{\kappa(s, s)\, \kappa(t, t)}$, for λ = 0.7.
#
# Hint: c-a and a-t span two letters, c-t three. The two words share only c-a. In lindy the kernel is
# `Subsequence(length=2, decay=0.7).normalized()`.

# %% given
lam, words = 0.7, ["cat", "car", "bat", "bar"]

# %%
print(
    "φ(cat) =",
    {pair: round(value, 4) for pair, value in string_kernels.subsequence_features("cat", 2, lam).items()},
)
print(f"κ(cat, car) = λ⁴ / (2λ⁴ + λ⁶) = {lam**4 / (2 * lam**4 + lam**6):.4f}")
M = gram(Subsequence(length=2, decay=lam).normalized(), words)
table(("", *words), [(word, *row.tolist()) for word, row in zip(words, M, strict=True)])

# %% [markdown]
# Enumerating all subsequences takes exponential time; dynamic programming takes $n |s| |t|$ steps. Do both agree
# on the pairs below for subsequences of three letters, and with lindy?
#
# Hint: `string_kernels.subsequence_features` enumerates, `string_kernels.subsequence_kernel` is the recursion.

# %% given
pairs = [("science is organized", "knowledge organized"), ("kernel", "colonel"), ("naive", "native")]

# %%
for s, t in pairs:
    slow = string_kernels.dot(*(string_kernels.subsequence_features(text, 3, lam) for text in (s, t)))
    quick = string_kernels.subsequence_kernel(s, t, 3, lam)
    native = gram(Subsequence(length=3, decay=lam), [s], [t])[0, 0]
    print(f"{s} / {t}: {slow:.6f}, agree: {np.allclose([quick, native], slow)}")

# %% [markdown]
# ## Trees
#
# A fragment of a parse tree keeps all children of a node or none. How many fragments has the small tree, and how
# many do the two sentences share? Train a kernel perceptron on the four trees and their labels, and ask it for
# "who sits".
#
# Hint: the two words' nodes are fragments; NP may keep or cut what is below each of its children, four ways.
# `SubsetTree(decay=1.0)` counts shared fragments.

# %% given
small = "(NP (D the) (N dog))"
a, b = "(S (NP (D the) (N dog)) (VP (V barks)))", "(S (NP (D the) (N cat)) (VP (V barks)))"
trees = [a, b, "(Q (W who) (VP (V barks)))", "(Q (W what) (VP (V runs)))"]
kinds = ["sentence", "sentence", "question", "question"]

# %%
print(
    "fragments of",
    small,
    "=",
    gram(SubsetTree(decay=1.0), [small])[0, 0],
    " whole subtrees:",
    gram(Subtree(decay=1.0), [small])[0, 0],
)
for decay in (1.0, 0.5):
    left, right = tree_kernels.parse(a), tree_kernels.parse(b)
    counted = tree_kernels.by_enumeration(left, right, decay, whole=False)
    recursive = tree_kernels.by_recursion(left, right, decay, whole=False)
    native = gram(SubsetTree(decay=decay), [a], [b])[0, 0]
    print(f"shared fragments, decay {decay}: {counted}, agree: {np.allclose([recursive, native], counted)}")
model = KernelPerceptron(kernel=SubsetTree(decay=0.5), epochs=20).fit(trees, kinds)
print("a new tree:", model.predict(["(Q (W who) (VP (V sits)))"])[0])

# %% [markdown]
# ## Reviews as strings
#
# No words, no counts: compare reviews by the letters they share. Take the beginnings of some reviews, 200 letters each,
# and train kernel SVMs with the string kernels below, with C = 10, 1 or 0.1 chosen on held-out parts of the training
# reviews. Are the letters better in the test than always the more frequent label?
#
# Hint: `choose(KernelSVM(kernel=kernel.normalized(), tol=1e-2), "C", (0.1, 1.0, 10.0), train, y, parts=3)`.

# %% given
data = review_texts()
train, test = (np.array([text[:200] for text in part]) for part in (data.train[:150], data.test[:80]))
y, y_test = data.y_train[:150], data.y_test[:80]
kernels = (Spectrum(length=3), Spectrum(length=5), Subsequence(length=4, decay=0.5))
print(f"{data.source}: {len(train)} beginnings of 200 letters to train on, {len(test)} to test on")

# %%
rows, results = [], []
for kernel in kernels:
    chosen = choose(KernelSVM(kernel=kernel.normalized(), tol=1e-2), "C", (0.1, 1.0, 10.0), train, y, parts=3)
    rows.append((repr(kernel), f"{chosen.best:g}", max(chosen.held_out)))
    results.append(judged(repr(kernel), chosen.model.fit(train, y), test, y_test))
table(("kernel", "C", "held out"), rows)
labels, counts = np.unique(y, return_counts=True)
always = Judged(f"always {labels[counts.argmax()]}", y_test == labels[counts.argmax()])
judged_table("kernel", (*results, always))
best = results[int(np.argmax([row[2] for row in rows]))]
say(f"Held-out reviews choose {best.name}.", verdict(best, always))
