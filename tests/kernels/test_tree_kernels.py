"""Kernels of trees against the enumeration of shared fragments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import KernelSVM
from lindy.kernels import SubsetTree, Subtree, check_kernel
from lindy.textbook import tree_kernels as textbook


def written(node) -> str:
    if isinstance(node, str):
        return node
    return f"({' '.join([node[0], *map(written, node[1])])})"


WORDS = st.sampled_from(["a", "b"])
TREES = st.recursive(
    st.tuples(st.sampled_from("XY"), st.tuples(WORDS)),
    lambda inner: st.tuples(
        st.sampled_from("XYZ"), st.lists(st.one_of(inner, WORDS), min_size=1, max_size=2).map(tuple)
    ),
    max_leaves=5,
)


@pytest.mark.parametrize(("kernel", "whole"), [(SubsetTree, False), (Subtree, True)])
@settings(max_examples=20)
@given(X=st.lists(TREES, min_size=1, max_size=4), lam=st.sampled_from([0.4, 1.0]))
def test_shared_fragments(kernel, whole, X, lam):
    texts = [written(tree) for tree in X]
    assert [textbook.parse(text) for text in texts] == X
    counted = [[textbook.by_enumeration(a, b, lam, whole=whole) for b in X] for a in X]
    recursive = [[textbook.by_recursion(a, b, lam, whole=whole) for b in X] for a in X]
    np.testing.assert_allclose(recursive, counted, rtol=1e-12)
    np.testing.assert_allclose(kernel(lam)(texts), counted, rtol=1e-12)
    assert check_kernel(kernel(lam), texts, tol=1e-9).is_kernel


def test_the_fragments_of_a_small_tree():
    # (NP (D the) (N dog)): the two leaves, and NP with each of its children kept or cut
    assert SubsetTree(1.0)(["(NP (D the) (N dog))"])[0, 0] == 6
    assert Subtree(1.0)(["(NP (D the) (N dog))"])[0, 0] == 3


def test_a_machine_learns_from_trees():
    X = ["(S (NP (D the) (N dog)) (VP (V barks)))", "(S (NP (D a) (N dog)) (VP (V runs)))"]
    X += ["(Q (W who) (VP (V barks)))", "(Q (W what) (VP (V runs)))"]
    model = KernelSVM(kernel="subset-tree", C=10.0).fit(X, [0, 0, 1, 1])
    assert model.predict(
        ["(S (NP (D the) (N cat)) (VP (V sits)))", "(Q (W who) (VP (V sits)))"]
    ).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("S NP", r"text 0 is no bracketed tree: a tree begins with '\('"),
        ("(S (NP dog)", r"a '\(' is never closed"),
        ("(S dog) cat", "something follows the tree"),
        ("  ", "there is no tree"),
        ("(" * 100_000, "never closed"),
    ],
)
def test_what_is_no_tree_is_named(text, message):
    with pytest.raises(ValueError, match=message):
        SubsetTree()([text])
