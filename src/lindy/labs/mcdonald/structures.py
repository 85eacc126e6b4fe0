"""Kernels of strings and trees.

McDonald, slide 106: kernels need not be of vectors. Strings are alike by the subsequences they share, trees by their
fragments.
"""

import numpy as np

from lindy import KernelPerceptron, KernelSVM
from lindy.kernels import Spectrum, Subsequence, SubsetTree, Subtree, gram
from lindy.labs import review_texts, say, table
from lindy.textbook import string_kernels, tree_kernels

# %% [markdown]
# ## cat, car, bat, bar
#
# The features of a string are its subsequences of two letters, gaps allowed; a subsequence that spans l
# letters counts λ^l. Write the features of *cat*, and the normalised similarity of *cat* and *car*.
#
# Hint: c-a and a-t span two letters, c-t three. The two words share only c-a.

# %%
lam, words = 0.7, ["cat", "car", "bat", "bar"]
print(
    "φ(cat) =",
    {pair: round(value, 4) for pair, value in string_kernels.subsequence_features("cat", 2, lam).items()},
)
print(f"κ(cat, car) = λ⁴ / (2λ⁴ + λ⁶) = {lam**4 / (2 * lam**4 + lam**6):.4f}")
M = gram(Subsequence(length=2, decay=lam).normalized(), words)
table(("", *words), [(word, *row.tolist()) for word, row in zip(words, M, strict=True)])

# %% [markdown]
# Enumerating all subsequences takes exponential time; dynamic programming takes n·|s|·|t| steps. Do both agree
# on longer words, and with lindy?

# %%
pairs = [("science is organized", "knowledge organized"), ("kernel", "colonel"), ("naive", "native")]
for s, t in pairs:
    slow = string_kernels.dot(*(string_kernels.subsequence_features(text, 3, lam) for text in (s, t)))
    quick = string_kernels.subsequence_kernel(s, t, 3, lam)
    native = gram(Subsequence(length=3, decay=lam), [s], [t])[0, 0]
    print(f"{s} / {t}: {slow:.6f}, agree: {np.allclose([quick, native], slow)}")

# %% [markdown]
# ## Trees
#
# A fragment of a parse tree keeps all children of a node or none. How many fragments has (NP (D the) (N
# dog)), and how many do two sentences share?
#
# Hint: the two words' nodes are fragments; NP may keep or cut what is below each of its children, four ways.

# %%
small = "(NP (D the) (N dog))"
print(
    "fragments of",
    small,
    "=",
    gram(SubsetTree(decay=1.0), [small])[0, 0],
    " whole subtrees:",
    gram(Subtree(decay=1.0), [small])[0, 0],
)
a, b = "(S (NP (D the) (N dog)) (VP (V barks)))", "(S (NP (D the) (N cat)) (VP (V barks)))"
for decay in (1.0, 0.5):
    left, right = tree_kernels.parse(a), tree_kernels.parse(b)
    counted = tree_kernels.by_enumeration(left, right, decay, whole=False)
    recursive = tree_kernels.by_recursion(left, right, decay, whole=False)
    native = gram(SubsetTree(decay=decay), [a], [b])[0, 0]
    print(f"shared fragments, decay {decay}: {counted}, agree: {np.allclose([recursive, native], counted)}")
trees = [a, b, "(Q (W who) (VP (V barks)))", "(Q (W what) (VP (V runs)))"]
model = KernelPerceptron(kernel=SubsetTree(decay=0.5), epochs=20).fit(
    trees, ["sentence", "sentence", "question", "question"]
)
print("a new tree:", model.predict(["(Q (W who) (VP (V sits)))"])[0])

# %% [markdown]
# ## Reviews as strings
#
# No words, no counts: compare reviews by the letters they share. Take the beginnings of some reviews and
# classify them with string kernels.

# %%
data = review_texts()
train, test = [text[:200] for text in data.train[:150]], [text[:200] for text in data.test[:80]]
rows = []
for kernel in (Spectrum(length=3), Spectrum(length=5), Subsequence(length=4, decay=0.5)):
    model = KernelSVM(kernel=kernel.normalized(), C=10.0, tol=1e-2).fit(train, data.y_train[:150])
    rows.append((repr(kernel), model.score(test, data.y_test[:80]), len(model.support_)))
print(f"{data.source}, 150 beginnings of 200 letters")
table(("kernel", "test accuracy", "support vectors"), rows)
often = max(np.unique(data.y_test[:80], return_counts=True)[1]) / 80
best = max(row[1] for row in rows)
say(
    f"Always the more frequent label would be right {often:.1%} of the time: letters alone",
    f"tell {'something' if best > often else 'nothing'} here.",
)
