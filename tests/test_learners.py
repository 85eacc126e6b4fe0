"""What learners declare is true, and every one of them goes from fit to save, load, prediction and explanation."""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lindy
from lindy import TextClassifier, load
from lindy.estimators.base import Classifier
from lindy.estimators.learners import (
    OFFERS,
    REGISTRY,
    SUMS,
    WANTS,
    canonical_name,
    learner_class,
    learner_classes,
    learner_name,
    options_of,
)

NAMES = list(REGISTRY)
ROOMS = ("linear", "kernels", "bayes", "baselines")
TEXTS = [
    "a good and lovely book",
    "bad, boring, bad",
    "good fun",
    "an awful and boring end",
    "a lovely film",
    "an awful mess",
] * 3
LABELS = ["pos", "neg"] * 9
THREE = ["pos", "neg", "so-so"] * 6
METHODS = {
    "probabilities": "predict_proba",
    "examples": "influences",
    "joint": "joint_log_proba",
    "merging": "__add__",
    "streaming": "partial_fit",
}


def test_every_public_classifier_is_registered() -> None:
    public = set()
    for room in ROOMS:
        module = importlib.import_module(f"lindy.{room}")
        for name in module.__all__:
            found = getattr(module, name)
            if not (isinstance(found, type) and issubclass(found, Classifier)):
                continue
            if getattr(found.spec, "name", ""):  # a one-vs-rest model has that of its learner
                public.add((f"lindy.{room}", name))
    assert public == set(REGISTRY.values())
    assert {attribute for _, attribute in REGISTRY.values()} <= set(lindy.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_says_how_its_scores_are_sums_or_why_not(name: str) -> None:
    model = TextClassifier(learner=name).fit(TEXTS, LABELS)
    sums = model.learner_.weight_sums()
    if sums is None:
        assert model.learner_.spec.not_sums
    else:
        assert sums.kind in SUMS


@pytest.mark.parametrize("name", NAMES)
def test_a_class_says_what_the_table_says(name: str) -> None:
    kind = learner_class(name)
    assert kind.spec.name == name
    assert "spec" in vars(kind)
    assert learner_name(kind()) == name
    assert kind.spec.input_kind in WANTS
    assert kind().capabilities <= set(OFFERS)
    assert kind.spec.title


@pytest.mark.parametrize("name", NAMES)
def test_what_is_offered_is_there_and_nothing_else(name: str) -> None:
    learner = learner_class(name)()
    for offer, method in METHODS.items():
        assert (offer in learner.capabilities) == hasattr(learner, method), offer
    own = type(learner).contributions is not Classifier.contributions
    assert ("contributions" in learner.capabilities) == own


@pytest.mark.parametrize("name", NAMES)
def test_every_option_has_a_line_of_help(name: str) -> None:
    kind = learner_class(name)
    options = options_of(kind)
    assert list(options) == list(inspect.signature(kind).parameters)
    assert all(options.values()), [option for option, says in options.items() if not says]
    assert not any("\n" in says for says in options.values())


@pytest.mark.parametrize("name", NAMES)
def test_strengths_are_options(name: str) -> None:
    kind = learner_class(name)
    assert set(kind.spec.strengths) <= set(options_of(kind))


@pytest.mark.parametrize("labels", [LABELS, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", NAMES)
def test_fit_save_load_predict_explain(name: str, labels: list[str], tmp_path: Path) -> None:
    learner: Any = learner_class(name)()
    if learner.input_kind == "words" and labels is THREE:
        learner.set_params(words={"pos": ["good", "lovely"], "neg": ["bad", "awful"], "so-so": ["fun"]})
    model = TextClassifier(learner=learner, n_jobs=1).fit(TEXTS, labels)
    path = tmp_path / "model.lindy"
    model.save(path)
    again = load(path, n_jobs=1)
    assert type(again.learner_) is type(model.learner_)
    assert again.learner_.capabilities == model.learner_.capabilities
    unseen = [*TEXTS, "a good mess", "", "nothing known"]
    np.testing.assert_array_equal(again.predict(unseen), model.predict(unseen))
    np.testing.assert_array_equal(again.decision_function(unseen), model.decision_function(unseen))
    assert again.has_probabilities
    P = again.predict_proba(unseen)
    np.testing.assert_array_equal(P, model.predict_proba(unseen))
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    for text in unseen[:3]:
        explanation = again.explain(text)
        assert explanation.label == again.predict([text])[0]
        np.testing.assert_array_equal(explanation.probabilities, again.predict_proba([text])[0])
        assert explanation.to_dict() == model.explain(text).to_dict()
    again.save(tmp_path / "again.lindy")
    assert (tmp_path / "again.lindy").read_bytes() == path.read_bytes()


def test_learners_that_do_not_look_at_the_text_cannot_explain_it_by_words() -> None:
    for name, kind in learner_classes().items():
        if not kind().capabilities & {"contributions", "examples"}:
            model = TextClassifier(learner=name).fit(TEXTS, LABELS)
            assert not np.any(model.explain(TEXTS[0]).added)


def test_a_lexicon_gets_the_words_of_its_lists_also_those_that_no_training_text_has() -> None:
    words = {"pos": ["splendid", "Straße"], "neg": ["dreadful"]}
    model = TextClassifier(learner=lindy.Lexicon(words=words)).fit(TEXTS, LABELS)
    assert model.predict(["Splendid!", "how DREADFUL", "eine straße"]).tolist() == ["pos", "neg", "pos"]
    alone = lindy.Lexicon(words=words).fit(TEXTS, LABELS)
    assert model.predict(TEXTS).tolist() == alone.predict(TEXTS).tolist()


def test_a_lexicon_without_words_for_the_labels_is_refused() -> None:
    with pytest.raises(ValueError, match="no words for the labels \\['spam', 'work'\\]"):
        TextClassifier(learner="lexicon").fit(["a", "b"], ["spam", "work"])


def test_priors_and_weights_are_given_by_label() -> None:
    even = TextClassifier(learner=lindy.MultinomialNaiveBayes(), calibration="none").fit(TEXTS, LABELS)
    prior = lindy.MultinomialNaiveBayes(class_prior={"pos": 0.9, "neg": 0.1})
    model = TextClassifier(learner=prior, calibration="none").fit(TEXTS, LABELS)
    assert model.predict_proba([""])[0].tolist() == pytest.approx([0.1, 0.9])
    assert even.predict_proba([""])[0].tolist() == pytest.approx([0.5, 0.5])


def test_texts_that_are_kept_go_only_to_learners_of_texts() -> None:
    kept, words = lindy.text.SequenceVectorizer(), lindy.text.CountVectorizer()
    for name, kind in learner_classes().items():
        with pytest.raises(
            ValueError, match=f"{kind.__name__} needs columns, and SequenceVectorizer keeps texts"
        ):
            TextClassifier(learner=name, vectorizer=kept).fit(TEXTS, LABELS)
    with pytest.raises(
        ValueError, match="compares texts as they are, and CountVectorizer makes columns of them"
    ):
        TextClassifier(learner=lindy.KernelSVM(kernel="spectrum"), vectorizer=words).fit(TEXTS, LABELS)
    own = TextClassifier(learner=lindy.KernelSVM(kernel="spectrum"), vectorizer=kept).fit(TEXTS, LABELS)
    assert own.predict(["good good"]).tolist() == ["pos"]


def test_a_class_of_ones_own_is_not_saved_as_its_parent(tmp_path: Path) -> None:
    class Mine(lindy.SVM):
        pass

    model = TextClassifier(learner=Mine()).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="Mine is not one of lindy's learners"):
        model.save(tmp_path / "model.lindy")


def test_categories_refuse_numbers() -> None:
    rows = {"a": [1.5, 2.5, 3.5, 4.5]}
    model = TextClassifier(learner="categorical-naive-bayes", columns={"numeric": ["a"]})
    with pytest.raises(ValueError, match="takes categories, not measured numbers"):
        model.fit([{"a": value} for value in rows["a"]], ["x", "y", "x", "y"])


def test_the_table_of_learners_costs_no_import() -> None:
    unwanted = "{'numpy', 'lindy.linear', 'dataclasses'}"
    code = f"import sys, lindy.estimators.learners; assert not {unwanted} & set(sys.modules)"
    unmeasured = {name: value for name, value in os.environ.items() if name != "COVERAGE_PROCESS_START"}
    subprocess.run(
        [sys.executable, "-c", code], check=True, env=unmeasured
    )  # coverage.py imports some of them


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("logistic-regression", "maxent"),
        ("LogisticRegression", "maxent"),
        ("logreg", "maxent"),
        ("nb", "naive-bayes"),
        ("Naive_Bayes", "naive-bayes"),
        ("MultinomialNB", "naive-bayes"),
        ("linear-svc", "svm"),
        ("SVM", "svm"),
        ("NBSVM", "nb-svm"),
        ("kernelsvm", "kernel-svm"),
        ("Auto", "auto"),
        ("something else", "something else"),
    ],
)
def test_what_people_call_a_learner_leads_to_it(said: str, name: str) -> None:
    assert canonical_name(said) == name


def test_every_name_and_class_leads_to_its_learner() -> None:
    for name, (_, attribute) in REGISTRY.items():
        assert canonical_name(name.upper()) == canonical_name(attribute) == name
        assert canonical_name(name.replace("-", "_")) == name


@pytest.mark.parametrize("said", ["LogReg", "linear-svc", "nb"])
def test_a_model_of_an_alias_is_that_of_the_name(said: str, tmp_path: Path) -> None:
    own, other = tmp_path / "own.lindy", tmp_path / "other.lindy"
    TextClassifier(learner=said).fit(TEXTS, LABELS).save(own)
    TextClassifier(learner=canonical_name(said)).fit(TEXTS, LABELS).save(other)
    assert own.read_bytes() == other.read_bytes()


def test_a_wrong_name_suggests_one() -> None:
    with pytest.raises(ValueError, match="no learner is called 'logistc'; did you mean 'maxent'"):
        TextClassifier(learner="logistc").fit(TEXTS, LABELS)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'c'\. Did you mean 'C'"):
        lindy.SVM(c=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"'ngram_range'\. Did you mean 'ngrams'"):
        TextClassifier(ngram_range=(1, 2))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"'C'\. It is an option of learners: .*\(learner=NaiveBayesSVM\(C=…"):
        TextClassifier(C=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"'sublinear'\. It takes: learner, .*ngrams"):
        TextClassifier(sublinear=True)  # type: ignore[call-arg]
    with pytest.raises(
        TypeError, match=r"TextClassifier\(\) takes its parameters by name, such as .*\(learner='nb'\)"
    ):
        TextClassifier("nb")  # type: ignore[misc]
