"""Joint classifiers save and load: the same answers after it, no code in the file, hostile files refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy import DataError, JointClassifier, ModelFileError, NotFittedError, TextClassifier, load
from lindy.features import PatternVectorizer, TokenConjunctions
from lindy.joint import (
    BlockMap,
    JointMap,
    JointMaxEnt,
    JointMira,
    JointPerceptron,
    JointSVM,
    ProductMap,
)
from lindy.modelfile import read_model, write_model
from lindy.text import CountVectorizer, UnionVectorizer

TEXTS = [
    "it flies high",
    "it swims deep",
    "a bird that flies",
    "it swims and swims",
    "flies, eats $5",
    "deep water",
]
LABELS = ["robin", "pike", "robin", "pike", "robin", "pike"]
KINDS = {"robin": ["bird", "robin"], "heron": ["bird"], "pike": ["fish"], "carp": ["fish"]}
LEARNERS = [
    JointPerceptron(epochs=3),
    JointMira(C=0.5, constraints="max-loss"),
    JointMaxEnt(C=2),
    JointSVM(C=2.0, cost=lambda candidate, right: 2.0),
]
VECTORIZERS = [
    CountVectorizer(),
    TokenConjunctions(),
    UnionVectorizer(vectorizers=[("", CountVectorizer()), ("", PatternVectorizer())]),
]


def cost(_candidate: Any, _right: Any) -> float:
    return 1.0


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=lambda vectorizer: type(vectorizer).__name__)
def test_products_are_saved_and_loaded(learner: Any, vectorizer: Any, tmp_path: Path) -> None:
    model = JointClassifier(learner, ProductMap(vectorizer, attributes=KINDS)).fit(TEXTS, LABELS)
    path = tmp_path / "joint.lindy"
    model.save(path)
    again = JointClassifier.load(path)
    unseen = [*TEXTS, "deep", "nothing known", ""]
    assert again.predict(unseen) == model.predict(unseen)
    others = ["heron", "carp", "pike"]
    assert again.decision_function(unseen, candidates=others) == model.decision_function(
        unseen, candidates=others
    )
    assert again.score(TEXTS, LABELS) == model.score(TEXTS, LABELS) > 0.5
    assert again.weights(5) == model.weights(5)
    assert again.training_ == model.training_
    if isinstance(learner, JointMaxEnt):
        assert again.predict_proba(unseen) == model.predict_proba(unseen)
    again.save(tmp_path / "again.lindy")
    assert (tmp_path / "again.lindy").read_bytes() == path.read_bytes()


def test_what_is_learned_about_an_attribute_helps_labels_that_were_never_seen(tmp_path: Path) -> None:
    model = JointClassifier(JointMaxEnt(), ProductMap(CountVectorizer(), attributes=KINDS)).fit(TEXTS, LABELS)
    model.save(tmp_path / "joint.lindy")
    again = JointClassifier.load(tmp_path / "joint.lindy")
    assert again.predict(["it flies", "it swims"], candidates=["heron", "carp"]) == ["heron", "carp"]


@pytest.mark.parametrize("labels", [[0, 1, 2, 0, 1, 2], [False, True] * 3, list("abcabc")])
@pytest.mark.parametrize("bias", [True, False])
def test_blocks_are_saved_and_loaded(labels: list[Any], bias: bool, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(6, 4))
    model = JointClassifier(JointMira(cost=cost), BlockMap(bias=bias)).fit(X, labels)
    model.save(tmp_path / "joint.lindy")
    again = JointClassifier.load(tmp_path / "joint.lindy")
    assert again.predict(X) == model.predict(X)
    assert again.decision_function(X) == model.decision_function(X)
    assert [type(label) for label in again.predict(X)] == [type(label) for label in model.predict(X)]
    assert again.weights(3) == model.weights(3)
    with pytest.raises(ValueError, match="leave out candidates"):
        again.predict(X, candidates=labels[:1])


def test_products_without_attributes_are_blocks() -> None:
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(TEXTS)
    blocks = JointClassifier(JointMaxEnt(tol=1e-9), BlockMap()).fit(X, LABELS)
    products = JointClassifier(JointMaxEnt(tol=1e-9), ProductMap(CountVectorizer())).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(blocks.learner_.w_, products.learner_.w_)


def test_the_product_is_that_of_its_definition() -> None:
    maps = ProductMap(CountVectorizer(), attributes={"a": ["p", "q"], "b": ["q"]})
    data = maps.fit_transform(["xx yy yy", "zz"], ["a", "b"])
    g = {"xx yy yy": {"xx": 1, "yy": 2, "(bias)": 1}, "zz": {"zz": 1, "(bias)": 1}}
    rows = data.rows.to_dense()
    expected = [
        {f"{name} & {attribute}": value for name, value in g[x].items() for attribute in attributes}
        for x in g
        for attributes in (["p", "q"], ["q"])
    ]
    got = [{maps.feature_names_[j]: row[j] for j in np.flatnonzero(row)} for row in rows]
    assert got == expected
    assert data.labels == ["a", "b", "a", "b"]
    assert data.right.tolist() == [0, 3]


def test_a_function_is_not_saved_and_the_error_says_so(tmp_path: Path) -> None:
    def my_features(x: str, y: str) -> list[str]:
        return [f"{word} & {y}" for word in x.split()]

    model = JointClassifier(JointMaxEnt(), JointMap(my_features, candidates=["robin", "pike"])).fit(
        TEXTS, LABELS
    )
    assert model.predict(["flies"], candidates=["pike", "robin"]) == ["robin"]
    with pytest.raises(
        TypeError, match=r"the Python function 'my_features', which cannot be saved.*ProductMap"
    ):
        model.save(tmp_path / "joint.lindy")
    assert not list(tmp_path.iterdir())


def test_a_class_of_ones_own_is_not_saved_as_its_parent(tmp_path: Path) -> None:
    class Mine(JointPerceptron):
        pass

    model = JointClassifier(Mine(), ProductMap(CountVectorizer())).fit(TEXTS, LABELS)
    with pytest.raises(TypeError, match="Mine is not one of lindy's joint learners"):
        model.save(tmp_path / "joint.lindy")


def test_texts_and_joint_models_are_told_apart(tmp_path: Path) -> None:
    JointClassifier(JointPerceptron(), ProductMap(CountVectorizer())).fit(TEXTS, LABELS).save(
        tmp_path / "joint"
    )
    TextClassifier(learner="naive-bayes").fit(TEXTS, LABELS).save(tmp_path / "texts")
    with pytest.raises(ModelFileError, match="holds a joint classifier") as error:
        load(tmp_path / "joint")
    assert "JointClassifier.load" in str(error.value.hint)
    with pytest.raises(ModelFileError, match="holds a text classifier"):
        JointClassifier.load(tmp_path / "texts")


FORGERIES: dict[str, Any] = {
    "a learner of another name": lambda h, a: h["learner"].update(name="os.system"),
    "an option that is not one": lambda h, a: h["learner"]["params"].update(evil=1),
    "an option of another type": lambda h, a: h["learner"]["params"].update(C="rm"),
    "a cost": lambda h, a: h["learner"]["params"].update(cost="print"),
    "a cost that is a number": lambda h, a: h["learner"]["params"].update(cost=1.0),
    "no number but a truth": lambda h, a: h["learner"]["params"].update(C=True),
    "a map of another kind": lambda h, a: h["features"].update(kind="function"),
    "no map": lambda h, a: h.pop("features"),
    "a bias that is a number": lambda h, a: h["features"].update(bias=3),
    "one class": lambda h, a: h["features"].update(classes=["pike"]),
    "classes that are lists": lambda h, a: h["features"].update(classes=[[], []]),
    "a label without attributes": lambda h, a: h["features"]["attributes"].pop(0),
    "attributes twice": lambda h, a: h["features"]["attributes"].append(h["features"]["attributes"][0]),
    "attributes that are numbers": lambda h, a: h["features"]["attributes"][0].__setitem__(1, [1]),
    "attributes that are a text": lambda h, a: h["features"]["attributes"][0].__setitem__(1, "ab"),
    "another vectorizer": lambda h, a: h["features"]["vectorizer"].update(kind="evil"),
    "too few weights": lambda h, a: a.update({"learner.w": a["learner.w"][:-1]}),
    "weights of two dimensions": lambda h, a: a.update({"learner.w": a["learner.w"][:, None]}),
    "a further array": lambda h, a: a.update(more=np.zeros(3)),
    "training that is a list": lambda h, a: h.update(training=[1]),
    "a kind of its own": lambda h, a: h.update(kind="sequence labeller"),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_forged_files_are_refused(forge: Any, tmp_path: Path) -> None:
    path = tmp_path / "joint.lindy"
    JointClassifier(JointMira(), ProductMap(CountVectorizer(), attributes=KINDS)).fit(TEXTS, LABELS).save(
        path
    )
    file = read_model(path)
    header, arrays = file.header, {name: np.array(array) for name, array in file.arrays.items()}
    forge(header, arrays)
    write_model(path, header, arrays)
    with pytest.raises(ModelFileError):
        JointClassifier.load(path)


def test_features_of_an_unknown_kind_are_named(tmp_path: Path) -> None:
    path = tmp_path / "joint.lindy"
    JointClassifier(JointMaxEnt(lam=0.5), ProductMap(CountVectorizer())).fit(TEXTS, LABELS).save(path)
    assert JointClassifier.load(path).learner.lam == 0.5, "a number where the default is None"
    file = read_model(path)
    file.header["features"]["kind"] = "function"
    write_model(path, file.header, dict(file.arrays))
    with pytest.raises(ModelFileError, match="unknown kind of features 'function'; expected one of"):
        JointClassifier.load(path)


def test_every_damaged_byte_of_the_head_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "joint.lindy"
    JointClassifier(JointMira(), ProductMap(CountVectorizer())).fit(TEXTS, LABELS).save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 37):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ModelFileError):
            JointClassifier.load(path)


def test_bad_input_is_named() -> None:
    maps = ProductMap(CountVectorizer())
    with pytest.raises(TypeError, match="learner must be JointPerceptron"):
        JointClassifier("svm", maps).fit(TEXTS, LABELS)
    with pytest.raises(TypeError, match="features must be a ProductMap"):
        JointClassifier(JointMaxEnt(), CountVectorizer()).fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="there is only one class"):
        JointClassifier(JointMaxEnt(), maps).fit(TEXTS, ["a"] * 6)
    with pytest.raises(ValueError, match="'pike' has no attributes"):
        JointClassifier(JointMaxEnt(), ProductMap(CountVectorizer(), attributes={"robin": ["x"]})).fit(
            TEXTS, LABELS
        )
    with pytest.raises(ValueError, match="must be a list of at least one str"):
        JointClassifier(JointMaxEnt(), ProductMap(CountVectorizer(), attributes={"robin": "x"})).fit(
            TEXTS, LABELS
        )
    with pytest.raises(ValueError, match="requires y"):
        JointClassifier(JointMaxEnt(), maps).fit(TEXTS, None)
    with pytest.raises(NotFittedError):
        JointClassifier(JointMaxEnt(), maps).predict(TEXTS)
    with pytest.raises(NotFittedError):
        maps.transform(TEXTS)
    with pytest.raises(ValueError, match="5"):
        JointClassifier(JointMaxEnt(), maps).fit(TEXTS, LABELS[:5])
    with pytest.raises(DataError, match="no examples"):
        JointClassifier(JointMaxEnt(), maps).fit([], [])
    fitted = JointClassifier(JointPerceptron(), maps).fit(TEXTS, LABELS)
    with pytest.raises(AttributeError, match="JointPerceptron has no probabilities"):
        fitted.predict_proba(TEXTS)
    with pytest.raises(ValueError, match="'whale' has no attributes"):
        fitted.predict(TEXTS, candidates=["whale"])
    with pytest.raises(DataError, match="no candidates"):
        fitted.predict(TEXTS, candidates=[])
