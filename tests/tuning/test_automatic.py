"""The automatic recipe: held-out scores are honest, the first candidate is preferred, the choice is reproducible."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lindy import TextClassifier, load
from lindy.core.csr import as_csr, side_by_side
from lindy.core.inputs import Texts
from lindy.core.targets import OneLabel
from lindy.data import read_examples, samples
from lindy.estimators.learners import learner_class
from lindy.evaluation.crossfit import out_of_fold
from lindy.text import TfidfVectorizer
from lindy.tuning.automatic import Limits, Record, best, choose, hopeful
from lindy.tuning.candidates import CANDIDATES, FIXED, candidates_for
from lindy.tuning.held_out import HeldOut, Task, class_scores
from lindy.tuning.recipe import Features, Recipe, part_vectorizer
from lindy.tuning.shared_rows import SharedRows


@pytest.fixture(scope="module")
def reviews() -> Any:
    examples = read_examples(samples.path("reviews-train"))
    labels = examples.labels.to_pylist()
    return examples.texts, np.array([label == "positive" for label in labels]).astype(np.int32)


@pytest.mark.parametrize("recipe", CANDIDATES, ids=str)
def test_held_out_scores_are_those_of_a_model_that_never_saw_the_fold(recipe: Recipe, reviews: Any) -> None:
    texts, y = reviews
    if "C" in recipe.params:
        recipe = replace(recipe, params={**recipe.params, "tol": 1e-8})
    train, test = np.arange(0, 240), np.arange(240, 300)
    bench = HeldOut(Task(Texts(texts), OneLabel.of(y)), [(train, test)], tol=0.0)
    ((_, found),) = bench.scores(recipe.features, recipe.learner, [recipe.params], 0)
    vectorizer = recipe.features.vectorizer()
    learner = recipe.make_learner()
    learner.fit(vectorizer.fit_csr(texts.take(train)), y[train])
    expected = class_scores(learner, vectorizer.transform_csr(texts.take(test)))
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_rows_without_weight_are_held_out_as_if_they_came_later(reviews: Any) -> None:
    texts, y = reviews
    splits = [(np.arange(60, 300), np.arange(60)), (np.arange(240), np.arange(240, 300))]
    bench = SharedRows(Task(Texts(texts), OneLabel.of(y), options={"min_df": 2}), splits, tol=1e-8)
    for recipe in CANDIDATES:
        assert bench.shares(recipe.features, recipe.learner)
        for number, (train, test) in enumerate(splits):  # the second begins where the first ended
            params = {**recipe.params, "tol": 1e-8}
            ((_, found),) = bench.scores(recipe.features, recipe.learner, [params], number)
            parts = [_without(texts, kind, lengths, train, test) for kind, lengths in recipe.features.parts]
            learner = recipe.make_learner().set_params(tol=1e-8)
            learner.fit(side_by_side([rows for rows, _ in parts]), y[train])
            expected = class_scores(learner, side_by_side([rows for _, rows in parts]))
            np.testing.assert_allclose(found, expected, atol=2e-3)


def _without(texts: Any, kind: str, lengths: tuple[int, int], train: Any, test: Any) -> tuple[Any, Any]:
    """Return rows with the terms that the others have, weighted by how rare these are in all texts."""
    everything = part_vectorizer(kind, lengths, "tfidf", None, min_df=2)
    everything.fit_csr(texts)
    known = part_vectorizer(kind, lengths, "counts", None, min_df=2)
    known.fit_csr(texts.take(train))
    column = everything.vocabulary_
    kept = np.array(sorted(column[term] for term in known.vocabulary_))
    rows = everything.transform_csr(texts.take(test)).to_scipy().toarray()
    mask = np.zeros(rows.shape[1])
    mask[kept] = 1.0
    rows = rows * mask
    rows /= np.maximum(np.sqrt((rows**2).sum(axis=1, keepdims=True)), 1e-30)
    return everything.transform_csr(texts.take(train)), as_csr(rows)


def test_labels_of_held_out_texts_have_no_part_in_their_scores(reviews: Any) -> None:
    texts, y = reviews
    train, test = np.arange(240), np.arange(240, 300)
    other = y.copy()
    other[test] = 1 - other[test]
    recipe = CANDIDATES[0]
    found = []
    for labels in (y, other):
        bench = SharedRows(Task(Texts(texts), OneLabel.of(labels)), [(train, test)])
        found += [scores for _, scores in bench.scores(recipe.features, recipe.learner, [recipe.params], 0)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("learner", ["nb-svm", "svm", "maxent"])
def test_calibration_takes_rows_out_of_the_model_that_is_there(learner: str, reviews: Any) -> None:
    texts, y = reviews
    rows = TfidfVectorizer().fit_csr(texts)
    cold = learner_class(learner)(tol=1e-7).fit(rows, y)
    warm = learner_class(learner)(tol=1e-7).fit_from(None, rows, y)
    assert warm.can_go_on
    assert not cold.can_go_on
    expected, found = out_of_fold(cold, rows, y), out_of_fold(warm, rows, y)
    np.testing.assert_array_equal(found.rows, expected.rows)
    # the copies of the one are fitted to 1e-7, those of the other to ROUGH
    np.testing.assert_allclose(found.scores, expected.scores, atol=0.1)
    assert np.mean(np.abs(found.scores - expected.scores)) < 0.02
    warm.drop_solution()
    assert not warm.can_go_on


def record(*right: int) -> Record:
    return Record(Recipe(), [], np.array(right, bool))


def test_the_first_stays_unless_another_leads_by_a_standard_error() -> None:
    first, little, much = record(1, 1, 0, 0), record(1, 0, 1, 1), record(1, 1, 1, 1)
    assert little.lead(first) == pytest.approx(1 / np.sqrt(3))
    assert much.lead(first) == pytest.approx(2 / np.sqrt(2))
    assert first.lead(first) == 0
    assert best([first, little]) is first
    assert best([first, little, much]) is much
    assert best([much, first]) is much


def test_who_is_behind_after_a_fold_takes_no_part_in_the_next() -> None:
    first, behind, level, ahead = record(1, 1, 0), record(1, 0, 0), record(1, 1, 0), record(1, 1, 1)
    assert hopeful([first, behind, level, ahead]) == [first, level, ahead]
    longer = record(1, 0, 0, 1, 1)
    assert hopeful([longer, behind]) == [longer, behind]  # compared on the rows of both


def test_the_choice_explains_itself_and_gives_scores_to_calibrate(reviews: Any) -> None:
    texts, y = reviews
    choice = choose(Task(Texts(texts), OneLabel.of(y)))
    assert len(choice.why) == 3
    assert str(choice.recipe) in choice.why[1]
    assert choice.held_out is not None
    assert sorted(choice.held_out.rows) == list(range(300))
    right = (choice.held_out.scores >= 0) == y[choice.held_out.rows]
    assert f"{100 * right.mean():.1f} %" in choice.why[1]


def test_a_recipe_that_was_left_out_is_shown_with_what_it_was_judged_by() -> None:
    """Beside the figure of all folds, that of one fold would seem better."""
    tables = [samples.load("opinions-train"), samples.load("reviews-train")]
    texts = [text for table in tables for text in table.texts.to_pylist()]
    model = TextClassifier().fit(texts, [label for table in tables for label in table.labels.to_pylist()])
    assert "(left out after 300, the first recipe " in model.why_[2]
    left_out, first = re.findall(r"(\d+\.\d) %", model.why_[2])[:2]
    assert float(left_out) <= float(first)


def test_large_data_are_sampled(reviews: Any) -> None:
    choice = choose(
        Task(Texts(reviews[0]), OneLabel.of(reviews[1])), limits=Limits(whole=40_000, size=40_000)
    )
    assert "of a sample of" in choice.why[0]
    assert choice.held_out is choice.fitted is choice.start is None


def test_many_classes_of_much_text_have_no_problem_of_their_own(reviews: Any) -> None:
    assert (
        choose(Task(Texts(reviews[0]), OneLabel.of(reviews[1])), limits=Limits(class_work=0)).recipe.learner
        != "nb-svm"
    )


def test_the_candidates_are_learners_whose_strength_is_declared() -> None:
    for recipe in CANDIDATES:
        declared = learner_class(recipe.learner).spec
        assert next(iter(declared.strengths)) in recipe.params
        assert declared.automatic


def test_given_options_limit_the_candidates() -> None:
    assert {r.features.words for r in candidates_for((1, 1), "auto")} == {(1, 1)}
    assert {r.features.weighting for r in candidates_for(None, "counts")} == {"counts"}
    assert len(candidates_for(None, "auto")) == len(CANDIDATES)
    with pytest.raises(ValueError, match="weighting"):
        candidates_for(None, "magic")


def test_the_model_file_holds_the_recipe_and_its_bytes_do_not_depend_on_threads(
    reviews: Any, tmp_path: Path
) -> None:
    texts, y = reviews
    for n in (1, 2):
        TextClassifier(n_jobs=n).fit(texts, y).save(tmp_path / f"{n}.lindy")
    assert (tmp_path / "1.lindy").read_bytes() == (tmp_path / "2.lindy").read_bytes()
    model = load(tmp_path / "1.lindy")
    assert model.recipe_ in model.why_[1]
    assert model.predict_proba(texts.slice(0, 3)).sum(axis=1) == pytest.approx(1)


def test_a_thorough_search_compares_more(reviews: Any) -> None:
    texts, y = reviews
    usual, thorough = candidates_for(None, "auto"), candidates_for(None, "auto", thorough=True)
    assert thorough[: len(usual)] == usual
    assert len(thorough) > 2 * len(usual)
    model = TextClassifier(thorough=True).fit(texts, y)
    assert f"compared {len(thorough)} recipes on 300 held-out texts" in model.why_[0]
    with pytest.raises(ValueError, match="leave one out"):
        TextClassifier(thorough=True, fast=True).fit(texts, y)


def test_fast_and_fixed_parts_do_without_a_search(reviews: Any) -> None:
    texts, y = reviews
    fast = TextClassifier(fast=True).fit(texts, y)
    assert (fast.why_, fast.recipe_) == ([], str(FIXED))
    own = TextClassifier(vectorizer=TfidfVectorizer()).fit(texts, y)
    assert isinstance(own.vectorizer_, TfidfVectorizer)
    recipe = Recipe(Features(None, (3, 4), "bm25"), "maxent", {"C": 5.0})
    given = TextClassifier(recipe=recipe).fit(texts, y)
    assert given.learner_.C == 5.0
    assert given.recipe_ == "characters 3-4, BM25; MaxEnt (C=5)"


def test_few_examples_take_the_first_candidate() -> None:
    model = TextClassifier().fit(iter(["a joy to read", "dull and long"]), ["good", "bad"])
    assert "too few examples" in model.why_[0]
    assert model.predict(["such a joy"]) == ["good"]


def test_the_size_of_texts_does_not_depend_on_their_form(tmp_path: Path) -> None:
    texts = ["a fine book", "dull", "ö"]
    path = tmp_path / "texts.csv"
    path.write_text("text,label\n" + "".join(f"{text},x\n" for text in texts), encoding="utf-8")
    column = read_examples(path).texts
    assert Texts(column).n_bytes == Texts(pa.array(texts, pa.string())).n_bytes
    assert Texts(column.slice(1, 2)).n_bytes == len("dullö".encode()) + 4 * 2
