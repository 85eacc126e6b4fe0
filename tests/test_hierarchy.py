"""Hierarchies of labels: what stands above them, from separators, tables and SKOS; probabilities summed upwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lindy
from lindy import DataError, ModelFileError, TextClassifier, UpdateError
from lindy.core.hierarchy import MOST_PAIRS, Taxonomy
from lindy.data.taxonomy import read_taxonomy, taxonomy_of
from lindy.errors import RareClassWarning
from lindy.evaluation import Decision, LabelLists, Predictions
from lindy.evaluation.metrics.hierarchical import HierarchicalCounts
from lindy.modelfile import read_model, write_model

WORDS = {
    "science/physics/optics": "lens light mirror",
    "science/physics/mechanics": "force motion gear",
    "science/biology": "cell gene leaf",
    "arts/music": "song piano choir",
    "arts/painting": "canvas brush oil",
}
PAIRS = [
    ("optics", "physics"),
    ("mechanics", "physics"),
    ("physics", "science"),
    ("biology", "science"),
    ("science", ""),
    ("music", "arts"),
    ("painting", "arts"),
]
UNSURE = ["energy of nature", "energy"]


def corpus(last: bool = False) -> tuple[list[str], list[str]]:
    """Return texts, those of physics with a word of their own that does not say which, and their labels."""
    texts, labels = [], []
    for label, words in WORDS.items():
        own = words.split()
        for i in range(12):
            shared = ["energy of nature"] if "physics" in label else ["about it"]
            texts.append(" ".join([*(own[:2] if i % 2 else own[1:]), *shared] if i % 3 else shared * 2))
            labels.append(label.rpartition("/")[2] if last else label)
    return texts, labels


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier(learner="naive-bayes", hierarchy="/").fit(*corpus())


trees = st.lists(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=2, max_size=9, unique_by=tuple
)


@given(trees, st.integers(0, 99))
def test_probabilities_are_those_of_all_labels_at_or_below(levels: list[list[str]], seed: int) -> None:
    labels = ["/".join(own) for own in levels]
    hierarchy = Taxonomy("/").over(labels)
    p = np.random.default_rng(seed).dirichlet(np.ones(len(labels)), 3)
    inner = {"/".join(own[:depth]) for own in levels for depth in range(1, len(own))}
    below = {node: [own == node or own.startswith(f"{node}/") for own in labels] for node in inner}
    assert hierarchy.above_all == sorted(node for node, own in below.items() if all(own))
    assert hierarchy.names == sorted(node for node, own in below.items() if not all(own))
    for m, node in enumerate(hierarchy.names):
        own = p[:, below[node]]
        np.testing.assert_allclose(hierarchy.probabilities(p)[:, m], own.sum(axis=1), rtol=1e-12)
        any_of = hierarchy.probabilities(p, several=True)[:, m]
        np.testing.assert_allclose(any_of, 1 - np.prod(1 - own, axis=1), rtol=1e-9)
        assert (any_of >= own.max(axis=1) - 1e-12).all()
        assert (any_of <= own.sum(axis=1) + 1e-12).all()


def test_two_ways_up_count_a_label_once() -> None:
    taxonomy = Taxonomy.of_pairs(
        [("a", "x"), ("a", "y"), ("b", "y"), ("x", "top"), ("y", "top"), ("c", "other")]
    )
    hierarchy = taxonomy.over(["a", "b", "c"])
    assert hierarchy.names == ["other", "top", "x", "y"]
    np.testing.assert_allclose(hierarchy.probabilities(np.array([[0.5, 0.3, 0.2]])), [[0.2, 0.8, 0.5, 0.8]])


def test_the_lowest_node_that_is_sure_enough_is_given() -> None:
    labels = ["science/physics/optics", "science/physics/mechanics", "science/biology", "arts"]
    hierarchy = Taxonomy("/").over(labels)
    p = np.array(
        [[0.6, 0.3, 0.05, 0.05], [0.4, 0.3, 0.25, 0.05], [0.3, 0.1, 0.1, 0.5], [0.25, 0.25, 0.2, 0.3]]
    )
    made = Predictions(p.argmax(axis=1), p, True)

    def said(threshold: Any) -> list[str | None]:
        return (
            Decision(thresholds=threshold, hierarchy=hierarchy)(made)
            .labels(np.array(labels, object), hierarchy.names)
            .tolist()
        )

    optics, physics, science = "science/physics/optics", "science/physics", "science"
    assert said(0.0) == [optics, optics, "arts", "arts"]
    assert said(0.6) == [optics, physics, None, science]
    assert said(0.85) == [physics, science, None, None]
    of_classes = np.full(4, 0.9)
    assert said(of_classes) == [None] * 4  # no node has a threshold of its own
    assert said(np.append(of_classes, [0.5, 2.0])) == [science, science, science, science]
    made = Decision(thresholds=0.6, hierarchy=hierarchy)(made)
    np.testing.assert_allclose(made.confidence, [0.6, 0.7, 0.5, 0.7])
    assert made.rejected.tolist() == [False, False, True, False]
    assert Predictions.joined([made, made]).confidence.tolist() == [*made.confidence, *made.confidence]


def test_of_several_labels_those_that_are_not_sure_enough_are_replaced() -> None:
    labels = ["arts/music", "arts/painting", "science/biology", "science/optics"]
    hierarchy = Taxonomy("/").over(labels)
    p = np.array([[0.6, 0.6, 0.95, 0.7], [0.5, 0.1, 0.6, 0.6], [0.1, 0.1, 0.1, 0.1]])
    given = LabelLists(np.array([0, 4, 7, 7]), np.array([2, 3, 0, 1, 2, 3, 0]))
    made = Decision(thresholds=0.8, hierarchy=hierarchy)(Predictions(p.argmax(axis=1), p, True, None, given))
    told = made.labels(np.array(labels, object), hierarchy.names).tolist()
    # one science is sure already, and says more than what stands above both
    assert told == [("science/biology", "arts"), ("science",), ()]


def test_a_text_that_is_surely_physics_gets_physics(model: TextClassifier) -> None:
    assert model.predict(UNSURE, reject=0.8).tolist() == ["science/physics"] * 2
    told = model.predict(["light lens mirror", "about it", *UNSURE], reject=0.8)
    assert told.tolist() == ["science/physics/optics", None, "science/physics", "science/physics"]
    plain = TextClassifier(learner="naive-bayes").fit(*corpus())
    assert plain.predict(UNSURE, reject=0.8).tolist() == [None, None]
    np.testing.assert_array_equal(model.predict_proba(UNSURE), plain.predict_proba(UNSURE))
    frame = model.predict(UNSURE, reject=0.8, as_frame=True)
    assert frame["label"].tolist() == ["science/physics"] * 2
    physics = model.predict_proba(UNSURE)[:, ["physics" in label for label in model.classes_]].sum(axis=1)
    np.testing.assert_allclose(frame["probability"], physics)


def test_the_model_file_keeps_it(model: TextClassifier, tmp_path: Path) -> None:
    texts, labels = corpus(last=True)
    of_pairs = TextClassifier(learner="naive-bayes", hierarchy=PAIRS).fit(texts, labels)
    for own in (model, of_pairs):
        own.save(path := tmp_path / "model.lindy")
        again = lindy.load(path)
        assert again.taxonomy_ == own.taxonomy_
        assert again.predict(UNSURE, reject=0.8).tolist() == own.predict(UNSURE, reject=0.8).tolist()
        first = path.read_bytes()
        again.save(path)
        assert path.read_bytes() == first
    again.partial_fit(["star planet moon"] * 3, ["astronomy"] * 3)
    assert again.hierarchy_ is not None
    assert again.hierarchy_.unplaced == ["astronomy"]


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ({"names": ["a", "b"], "edges": [[0, 1], [1, 0]]}, "cycle"),
        ({"names": ["a", "b"], "edges": [[0, 2]]}, "numbers of its 2 names"),
        ({"names": ["a", "b"], "edges": [[0, -1]]}, "numbers of its 2 names"),
        ({"names": ["a", "b"], "edges": [[0, True]]}, "numbers of its 2 names"),
        ({"names": ["a", "b"], "edges": [[0, 1, 1]]}, "numbers of its 2 names"),
        ({"names": ["a", "a"], "edges": []}, "different words"),
        ({"names": ["a", 1], "edges": []}, "different words"),
        (
            {"names": ["arts/music", *map(str, range(10**5))], "edges": [[n, n + 1] for n in range(10**5)]},
            "too deep",
        ),
        ({"names": ["a"]}, "edges"),
        ("", "understands"),
        (3, "understands"),
    ],
)
def test_a_forged_taxonomy_is_refused(model: TextClassifier, tmp_path: Path, stored: Any, said: str) -> None:
    model.save(path := tmp_path / "model.lindy")
    file = read_model(path)
    write_model(path, {**file.header, "hierarchy": stored}, dict(file.arrays))
    with pytest.raises(ModelFileError, match=said):
        lindy.load(path)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("optics", "physics"), ("physics", "optics")], "'optics' is below 'physics' is below 'optics'"),
        ([("optics", "optics")], "'optics' is below 'optics'"),
        ([("a", "b")], "no label stands below another"),
        ([(f"n{i}", f"n{(i + 1) % 40}") for i in range(40)], "33 more"),
    ],
)
def test_pairs_that_are_no_hierarchy_of_the_labels(pairs: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(DataError, match=said):
        TextClassifier(learner="naive-bayes", hierarchy=pairs).fit(*corpus(last=True))


@pytest.mark.parametrize("label", ["/a", "a/", "a//b", "a/ /b"])
def test_empty_levels_are_refused(label: str) -> None:
    with pytest.raises(DataError, match="has an empty level"):
        taxonomy_of("/", ["a/b", label])


def test_a_chain_of_a_hundred_thousand_is_no_recursion() -> None:
    chain = Taxonomy.of_pairs((str(n), str(n + 1)) for n in range(10**5))
    with pytest.raises(DataError, match=f"{MOST_PAIRS:,} pairs"):
        chain.over(["0", "1"])
    with pytest.raises(DataError, match=r"cycle.* 99,993 more"):
        Taxonomy.of_pairs((str(n), str((n + 1) % 10**5)) for n in range(10**5))


def test_labels_that_are_missing_and_several_roots_are_documented() -> None:
    texts, labels = corpus(last=True)
    with pytest.warns(
        RareClassWarning, match="1 of 5 labels are not in the taxonomy, and stand by themselves: 'music'"
    ):
        made = TextClassifier(learner="naive-bayes", hierarchy=[*PAIRS[:-2], ("painting", "arts")]).fit(
            texts, labels
        )
    assert made.hierarchy_ is not None
    assert made.hierarchy_.names == ["arts", "physics", "science"]
    assert "'music' by themselves" in made.hierarchy_.said()


def write_pairs(path: Path, pairs: list[tuple[str, str]], header: str = "label,broader") -> str:
    path.write_text("\n".join([header, *map(",".join, pairs)]) + "\n", encoding="utf-8")
    return str(path)


def test_a_table_is_read_and_its_mistakes_are_named(tmp_path: Path) -> None:
    path = tmp_path / "taxonomy.csv"
    assert read_taxonomy(write_pairs(path, PAIRS)) == Taxonomy.of_pairs(PAIRS)
    wrong: list[tuple[list[tuple[str, str]], str, str]] = [
        ([*PAIRS, ("science", "optics")], "label,broader", r"taxonomy\.csv, line \d.*cycle"),
        ([("", "physics")], "label,broader", r"line 2.*first column is empty"),
        (PAIRS[1:], "optics,physics", r"line 1: 'physics' is the name of a column"),
        ([("a", "b,c")], "label,broader,more", "two columns; this one has 3"),
    ]
    for pairs, header, said in wrong:
        with pytest.raises(DataError, match=said):
            read_taxonomy(write_pairs(path, pairs, header))
    with pytest.raises(DataError, match="no such file"):
        read_taxonomy(str(tmp_path / "other.csv"))
    with pytest.raises(DataError, match="hierarchy is empty"):
        taxonomy_of("", ["a"])


TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/> .
:s a skos:Concept ; skos:prefLabel "science"@en , "tiede"@fi ; skos:narrower :p .
:p a skos:Concept ; skos:prefLabel "physics"@en , "fysiikka"@fi ; skos:notation "53" .
:o a skos:Concept ; skos:prefLabel "optics"@en , "optiikka"@fi ; skos:notation "535" ; skos:broader :p .
:b a skos:Concept ; skos:prefLabel "biology"@en ; skos:broader :s .
"""


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["optics", "biology"], ["physics"]),
        (["optiikka", "tiede"], ["fysiikka"]),
        (["535", "x"], ["53", "http://example.org/s"]),
        (["http://example.org/o", "http://example.org/b"], ["http://example.org/p"]),
    ],
)
def test_skos_is_named_as_the_labels_are(tmp_path: Path, labels: list[str], names: list[str]) -> None:
    rdflib = pytest.importorskip("rdflib")
    (turtle := tmp_path / "t.ttl").write_text(TURTLE, encoding="utf-8")
    taxonomy = read_taxonomy(str(turtle), labels)
    assert taxonomy.over(labels).names == names
    (xml := tmp_path / "t.rdf").write_text(
        rdflib.Graph().parse(turtle).serialize(format="xml"), encoding="utf-8"
    )
    assert read_taxonomy(str(xml), labels) == taxonomy


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (":s skos:broader :o .", "cycle"),
        (':x a skos:Concept ; skos:prefLabel "optics"@en .', "2 concepts are called 'optics'"),
        ("nonsense", "not turtle that rdflib understands"),
    ],
)
def test_skos_that_cannot_be_used(tmp_path: Path, more: str, said: str) -> None:
    (turtle := tmp_path / "t.ttl").write_text(TURTLE + more, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_taxonomy(str(turtle), ["optics", "biology"])
    turtle.write_text("@prefix : <http://example.org/> . :a :b :c .", encoding="utf-8")
    with pytest.raises(DataError, match="no concept stands above another"):
        read_taxonomy(str(turtle))
    with pytest.raises(DataError, match="No such file"):
        read_taxonomy(str(tmp_path / "none.ttl"))


def test_hierarchical_figures_are_those_of_the_definition() -> None:
    hierarchy = Taxonomy("/").over(["s/p/o", "s/p/m", "s/b", "a"])
    counts = HierarchicalCounts(hierarchy)
    counts.add([(["s/p/o"], ["s/p/m"]), (["s/p/o"], ["s/p/o"])])
    counts.add([(["s/b"], ["s/p/m"]), (["s/x"], ["a"])], [2, 1])
    both, called, actual = 2 + 3 + 2 * 1 + 0, 3 + 3 + 2 * 3 + 1, 3 + 3 + 2 * 2 + 2
    figures, intervals = counts.figures()
    assert figures["hierarchical_precision"] == pytest.approx(both / called)
    assert figures["hierarchical_recall"] == pytest.approx(both / actual)
    assert figures["hierarchical_f1"] == pytest.approx(2 * both / (called + actual))
    low, high = intervals["hierarchical_f1"]
    assert low < figures["hierarchical_f1"] < high
    rows = [(2, 3, 3), (3, 3, 3), (1, 3, 2), (1, 3, 2), (0, 1, 2)]
    f1 = figures["hierarchical_f1"]
    error = sum((2 * b - f1 * (c + a)) ** 2 for b, c, a in rows) ** 0.5 / (called + actual)
    from lindy.evaluation.metrics.intervals import wilson

    assert (low, high) == pytest.approx(wilson(f1, f1 * (1 - f1) / error**2))


def test_evaluations_have_them(model: TextClassifier) -> None:
    result = model.evaluate(*corpus())
    flat = TextClassifier(learner="naive-bayes").fit(*corpus()).evaluate(*corpus())
    assert "hierarchical_f1" not in flat.to_dict()
    told = result.to_dict()
    assert result.accuracy < told["hierarchical_f1"] < 1
    assert set(told["intervals"]) >= {"hierarchical_precision", "hierarchical_recall", "hierarchical_f1"}


def test_several_labels(tmp_path: Path) -> None:
    texts, labels = corpus()
    lists = [[label] if i % 4 else [label, "arts/music"] for i, label in enumerate(labels)]
    model = TextClassifier(learner="naive-bayes", hierarchy="/").fit(texts, lists)
    told = model.evaluate(texts, lists).to_dict()
    assert told["micro_f1"] < told["hierarchical_f1"] <= 1
    model.save(path := tmp_path / "model.lindy")
    given = lindy.load(path).predict(texts, reject=0.9)
    assert any("science/physics" in own for own in given)
    for own in given:
        assert not any(other.startswith(f"{label}/") for label in own for other in own)


def test_models_of_other_hierarchies_are_not_merged(model: TextClassifier) -> None:
    other = TextClassifier(learner="naive-bayes").fit(*corpus())
    with pytest.raises(UpdateError, match="hierarchy"):
        lindy.merge([model, other])
