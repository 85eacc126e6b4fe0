"""Static embeddings: files of vectors, means of them, what each word adds, model files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

import lindy
from lindy.errors import DataError, MissingPackageError
from lindy.features import StaticEmbedding
from lindy.features.vector_files import package_vectors, read_vectors
from lindy.modelfile.files import read_model, write_model
from lindy.textbook.static_embedding import mean_vector, smooth_inverse_frequency

WORDS = ["the", "good", "bad", "film", "naïve", "."]
VECTORS = np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32)
TEXTS = ["The good film.", "bad bad naïve", "nothing known", "", "a good, good film"]
TOKENS = [["the", "good", "film", "."], ["bad", "bad", "naïve"], [], [], ["good", "good", "film"]]


def lines() -> str:
    return "".join(
        f"{word} {' '.join(map(str, own))}\n" for word, own in zip(WORDS, VECTORS.tolist(), strict=True)
    )


def word2vec_text(path: Path) -> None:
    path.write_text(f"6 5\n{lines()}", "utf-8")


def word2vec_binary(path: Path) -> None:
    own = (word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(WORDS, VECTORS, strict=True))
    path.write_bytes(b"6 5\n" + b"".join(own))


def glove(path: Path) -> None:
    path.write_text(lines(), "utf-8")


def with_words(path: Path) -> None:
    words = np.frombuffer("\n".join(WORDS).encode(), np.uint8)
    safetensors.numpy.save_file({"vectors": VECTORS, "words": words}, path)


def with_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)} | {"?": 6}, "?"))
    made.normalizer, made.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    made.save(str(path.with_name("tokenizer.json")))
    matrix = np.vstack([VECTORS, np.zeros((1, 5), np.float32)])
    safetensors.numpy.save_file({"embedding.weight": matrix}, path)


FORMATS = [word2vec_text, word2vec_binary, glove, with_words, with_tokenizer]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    word2vec_text(tmp_path / "words.vec")
    return tmp_path / "words.vec"


@pytest.mark.parametrize("write", FORMATS)
@pytest.mark.parametrize("weighting", ["mean", "sif"])
def test_rows_are_the_means_of_the_textbook(
    tmp_path: Path, write: Callable[[Path], None], weighting: str
) -> None:
    write(tmp_path / "vectors")
    vectorizer = StaticEmbedding(path=tmp_path / "vectors", weighting=weighting, length=2.0)
    n = 7 if write is with_tokenizer else 6
    scale = smooth_inverse_frequency(n) if weighting == "sif" else np.ones(n)
    known = {word: VECTORS[i] * scale[i] for i, word in enumerate(WORDS)}
    rows = vectorizer.transform_csr(TEXTS).to_dense()
    for row, tokens in zip(rows, TOKENS, strict=True):
        np.testing.assert_allclose(row, mean_vector(tokens, known, 5, length=2.0), atol=1e-6)
    assert rows.dtype == np.float32
    other = StaticEmbedding(path=tmp_path / "vectors", weighting=weighting, length=2.0, n_jobs=1)
    np.testing.assert_array_equal(rows, other.transform(iter(TEXTS)).toarray())


def test_a_word_that_is_there_twice_has_its_first_vector(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("aa 1 0\nbb 0 1\naa 0 -1\ncc 3 4\n")
    made = StaticEmbedding(path=tmp_path / "v").transform(["aa", "cc"]).toarray()
    np.testing.assert_allclose(made, np.array([[1, 0], [0.6, 0.8]]), atol=1e-7)


def test_words_with_capitals_are_found_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("Bonn 1 0\nbonn 0 1\n")
    assert StaticEmbedding(path=tmp_path / "v").transform(["Bonn", "bonn"]).toarray().tolist() == [
        [1, 0],
        [0, 1],
    ]


@pytest.mark.parametrize("write", [word2vec_text, with_tokenizer])
def test_what_the_words_add_is_the_whole_score(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path / "vectors")
    vectorizer = StaticEmbedding(path=tmp_path / "vectors")
    texts = ["the good film", "the bad film", "good", "bad bad"]
    model = lindy.TextClassifier(learner="maxent", vectorizer=vectorizer).fit(
        texts, ["yes", "no", "yes", "no"]
    )
    found = model.explain("the good film")
    parts = {part.text: part.credit for part in found.segments() if part.is_word}
    score = float(model.learner_.decision_function(model.vectorizer_.transform_csr(["the good film"]))[0])
    assert sum(parts.values()) == pytest.approx(score - float(model.learner_.b_[0]), abs=1e-5)
    assert max(parts, key=lambda word: parts[word]) == "good"


@pytest.mark.parametrize("write", FORMATS)
def test_a_model_file_carries_the_vectors(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path / "vectors")
    extra = [StaticEmbedding(path=tmp_path / "vectors", weighting="sif")]
    texts, labels = ["the good film", "the bad film", "good", "bad bad"], ["yes", "no", "yes", "no"]
    model = lindy.TextClassifier(learner="svm", extra=extra, calibration="none").fit(texts, labels)
    model.save(tmp_path / "m.lindy")
    for file in tmp_path.glob("vectors"):
        file.unlink()
    read = lindy.load(tmp_path / "m.lindy")
    np.testing.assert_array_equal(read.decision_function(TEXTS), model.decision_function(TEXTS))


def test_half_precision_is_kept(tmp_path: Path) -> None:
    words = np.frombuffer("\n".join(WORDS).encode(), np.uint8)
    safetensors.numpy.save_file({"vectors": VECTORS.astype(np.float16), "words": words}, tmp_path / "v")
    made = StaticEmbedding(path=tmp_path / "v")
    config, arrays = made.to_state()
    assert sum(array.nbytes for array in arrays.values()) < VECTORS.nbytes
    read = StaticEmbedding.from_state(config, arrays)
    np.testing.assert_array_equal(read.transform_csr(TEXTS).values, made.transform_csr(TEXTS).values)


FORGED = {
    "no matrix": lambda c, a: a.pop("vectors"),
    "no texts": lambda c, a: a.pop("texts"),
    "a list": lambda c, a: a.update(vectors=a["vectors"].ravel()),
    "a word less": lambda c, a: a.update(texts=a["texts"][: bytes(a["texts"]).rindex(b"\n")]),
    "infinity": lambda c, a: a.update(vectors=np.full_like(a["vectors"], np.inf)),
    "a tokenizer": lambda c, a: c.update(words=False),
    "no kind of words": lambda c, a: c.update(words=1),
    "weighting": lambda c, a: c.update(weighting="max"),
    "length": lambda c, a: c.update(length=-1.0),
    "name": lambda c, a: c.update(name=3),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_state_is_refused(path: Path, name: str) -> None:
    config, arrays = StaticEmbedding(path=path).to_state()
    FORGED[name](config, arrays)
    with pytest.raises(ValueError):  # noqa: PT011
        StaticEmbedding.from_state(config, arrays)


def test_a_forged_model_file_is_refused(path: Path, tmp_path: Path) -> None:
    model = lindy.TextClassifier(learner="svm", vectorizer=StaticEmbedding(path=path), calibration="none")
    model.fit(["good", "bad"], [1, 0]).save(tmp_path / "m.lindy")
    header, arrays = read_model(tmp_path / "m.lindy")[:2]
    name = next(own for own in arrays if own.endswith("vectors"))
    forged = {key: np.array(own) for key, own in arrays.items()} | {name: np.array(arrays[name][:3])}
    write_model(tmp_path / "m.lindy", header, forged)
    with pytest.raises(lindy.ModelFileError):
        lindy.load(tmp_path / "m.lindy")


def header_of(size: int, **entry: object) -> bytes:
    """Return a safetensors file with so many bytes of data, whose header says something about an array."""
    own = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]} | entry
    text = json.dumps({"vectors": own}).encode()
    return len(text).to_bytes(8, "little") + text + bytes(size)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no vectors"),
        (b"2 2\na 1 2\n", "line 1 says that there are 2 vectors, but there are 1"),
        (b"a 1 2\nb 1\n", "line 2: expected a word and 2 numbers"),
        (b"a 1 2\nb 1 x\n", "line 2: expected a word and 2 numbers"),
        (b"a 1 2\nb 1 nan\n", r"vector 1 \('b'\) has no number at place 1"),
        (b"a 1 inf\n", "has no number at place 1"),
        (b"9999999 300\na \x00\x01", "too short"),
        (b"\xba\x16\x4f\x2f" + bytes(40), "a fastText model"),
        (b"\x1f\x8b\x08\x00" + bytes(40), "compressed"),
        (header_of(8), "says nothing sound about 'vectors'"),
        (header_of(16, shape=[2, 3]), "has 16 bytes where its shape needs 24"),
        (header_of(16, shape=[-1, 2]), "says nothing sound"),
        (header_of(16, shape="x"), "says nothing sound"),
        (header_of(16, shape=[2**40, 2**40]), "where its shape needs"),
        (header_of(16, shape=[4]), "expected one matrix"),
        (header_of(16, dtype="I64"), "expected one matrix"),
        (header_of(16), "there is no file"),
        ((2**39).to_bytes(8, "little") + b"{" + bytes(20), "does not fit into"),
        ((9).to_bytes(8, "little") + b"{ no json" + bytes(20), "not JSON"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "vectors").write_bytes(content)
    with pytest.raises(DataError, match=said) as caught:
        read_vectors(tmp_path / "vectors")
    assert str(tmp_path) in str(caught.value)


def test_a_tokenizer_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with_tokenizer(tmp_path / "vectors")
    safetensors.numpy.save_file({"vectors": VECTORS[:3]}, tmp_path / "vectors")
    with pytest.raises(
        DataError, match=r"the tokenizer does not fit: it has a token 6, and there are 3 vectors"
    ):
        read_vectors(tmp_path / "vectors")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(DataError, match="not a tokenizer file"):
        read_vectors(tmp_path / "vectors")


def test_a_file_that_is_not_there_and_a_package_that_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_vectors(tmp_path / "nothing.vec")
    with pytest.raises(MissingPackageError, match="not installed"):
        package_vectors("no_such_package_of_vectors")


def test_the_vectors_in_the_package_wordllama() -> None:
    vectorizer = StaticEmbedding(path="wordllama")
    rows = vectorizer.transform_csr(["a splendid book", "an excellent novel", "the train is late"])
    assert rows.shape == (3, 256)
    near = rows.to_dense() @ rows.to_dense().T
    np.testing.assert_allclose(np.diagonal(near), 1.0, atol=1e-5)
    assert near[0, 1] > near[0, 2]
    (found,) = vectorizer.occurrences("a splendid book", np.arange(256))
    assert found.spans[-1].tolist() == [len("a splendid "), len("a splendid book")]


@pytest.mark.parametrize("told", [True, False])
def test_the_automatic_recipe_leaves_vectors_out_that_say_nothing(tmp_path: Path, told: bool) -> None:
    rng = np.random.default_rng(0)
    topics = [[f"{side}{i}" for i in range(150)] for side in ("warm", "cold")]
    side = {
        word: (1.0 if told else rng.normal()) * (1 - 2 * k) for k, own in enumerate(topics) for word in own
    }
    own = (f"{word} {side[word]} {rng.normal() if not told else 0.1}\n" for word in side)
    (tmp_path / "v.vec").write_text("".join(own))
    y = np.arange(120) % 2
    texts = [" ".join(rng.choice(topics[k], 2)) for k in y]
    model = lindy.TextClassifier(extra=[StaticEmbedding(path=tmp_path / "v.vec")], calibration="none")
    model.fit(texts, y)
    names = model.vectorizer_.get_feature_names_out().tolist()
    assert ("v.vec" in str(model.recipe_)) == any(name.startswith("embedding") for name in names)
    assert "compared 6 recipes" in model.why_[0]
    if told:
        assert model.score(texts, y) == 1.0
        assert "v.vec" in str(model.recipe_)
