"""Vectors learned from texts without labels: the singular vectors themselves, the same bytes, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from lindy.core.csr import as_csr
from lindy.errors import DataError
from lindy.features import StaticEmbedding
from lindy.features.learned_vectors import learn_vectors, orthonormal, right_singular_vectors, write_vectors
from lindy.features.vector_files import read_vectors
from lindy.textbook import static_embedding as textbook

TEXTS = [
    f"{drink} {'hot' if drink in ('tea', 'coffee') else 'cold'} {cup} number {i}"
    for i in range(6)
    for drink, cup in (("tea", "cup"), ("coffee", "cup"), ("beer", "glass"), ("water", "glass"))
]


def decaying(n: int, d: int) -> np.ndarray:
    """Return a matrix whose singular values shrink by a third each."""
    rng = np.random.default_rng(n)
    U, _ = np.linalg.qr(rng.normal(size=(n, min(n, d))))
    V, _ = np.linalg.qr(rng.normal(size=(d, min(n, d))))
    return np.asarray(U * 0.67 ** np.arange(min(n, d)) @ V.T)


@pytest.mark.parametrize(("n", "d", "k"), [(80, 50, 8), (30, 60, 5), (7, 4, 4), (1, 5, 3)])
def test_singular_vectors_are_those_of_the_textbook(n: int, d: int, k: int) -> None:
    A = decaying(n, d)
    V, values = right_singular_vectors(as_csr(A), k)
    expected, sizes = textbook.right_singular_vectors(A, min(k, n, d))
    np.testing.assert_allclose(values, sizes, rtol=1e-6)
    np.testing.assert_allclose(V, expected, atol=1e-5)


def test_columns_become_orthonormal_and_dependent_ones_are_left_out() -> None:
    Y = np.random.default_rng(0).normal(size=(40, 5)) * 10.0 ** np.arange(5)
    Q = orthonormal(np.column_stack([Y, Y[:, 4]]))
    np.testing.assert_allclose(Q.T @ Q, np.eye(5), atol=1e-12)


def test_words_that_are_used_alike_have_vectors_alike() -> None:
    vectors = learn_vectors(TEXTS, 2)
    assert vectors.words is not None
    of = {word: own / np.linalg.norm(own) for word, own in zip(vectors.words, vectors.matrix, strict=True)}
    assert of["tea"] @ of["coffee"] > of["tea"] @ of["beer"]
    assert of["beer"] @ of["water"] > of["tea"] @ of["water"]


def test_the_same_texts_and_seed_give_the_same_bytes_with_any_threads(tmp_path: Path) -> None:
    for threads in (1, 2):
        write_vectors(tmp_path / f"{threads}", learn_vectors(TEXTS, 4, seed=3, n_jobs=threads))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_the_file_is_one_that_others_read_too(tmp_path: Path) -> None:
    vectors = learn_vectors(TEXTS, 4)
    write_vectors(tmp_path / "v.safetensors", vectors)
    others = safetensors.numpy.load_file(tmp_path / "v.safetensors")
    np.testing.assert_array_equal(others["vectors"], vectors.matrix)
    read = read_vectors(tmp_path / "v.safetensors")
    assert read.words == vectors.words
    np.testing.assert_array_equal(read.matrix, vectors.matrix)
    assert StaticEmbedding(path=tmp_path / "v.safetensors").transform(["hot tea"]).shape == (1, 4)


@pytest.mark.parametrize("texts", [["one", "two"], ["", ""], []])
def test_texts_without_a_frequent_word_are_refused(texts: list[str]) -> None:
    with pytest.raises(DataError, match="no word is in 2 of the texts"):
        learn_vectors(texts)
