"""``TextClassifier`` with any number of labels per text: learned, decided, saved and loaded."""

from __future__ import annotations

import numpy as np
import pytest

import lindy
from lindy import TextClassifier
from lindy.errors import DataError, ModelFileError

WORDS = {
    "oven": "roast bake hot",
    "sauce": "tomato cream stir",
    "fish": "salmon trout sea",
    "spice": "pepper curry hot",
}


def recipes(n: int = 300, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Texts of words that belong to labels, and the labels; some have none."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        own = [name for name in WORDS if rng.random() < 0.35]
        words = [str(rng.choice(WORDS[name].split())) for name in own for _ in range(3)]
        words += [str(word) for word in rng.choice(["the", "dish", "with", "and", "cook"], 4)]
        texts.append(" ".join(rng.permutation(words)))
        labels.append(own)
    return texts, labels


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier().fit(*recipes())


def exactly_right(model: TextClassifier) -> float:
    texts, labels = recipes(200, seed=1)
    return float(
        np.mean([set(own) == set(true) for own, true in zip(model.predict(texts), labels, strict=True)])
    )


def test_most_texts_get_exactly_their_labels(model) -> None:
    assert model.several_labels
    assert model.classes_.tolist() == sorted(WORDS)
    assert exactly_right(model) > 0.9
    assert model.predict(["the dish with and cook"])[0] == ()


def test_the_score_is_the_share_of_texts_with_exactly_their_labels(model) -> None:
    texts, labels = recipes(200, seed=1)
    assert model.score(texts, labels) == exactly_right(model)
    only_first = np.arange(200) == 0
    assert model.score(texts, labels, sample_weight=only_first) == (
        set(model.predict(texts)[0]) == set(labels[0])
    )
    assert model.score([texts[0]], [["never seen"]]) == 0.0


@pytest.mark.parametrize(
    "learner",
    [
        "maxent",
        "naive-bayes",
        "bernoulli-naive-bayes",
        "complement-naive-bayes",
        "perceptron",
        "mira",
        "nb-svm",
        "least-squares",
    ],
)
def test_other_learners(learner) -> None:
    assert exactly_right(TextClassifier(learner=learner).fit(*recipes())) > 0.8


def test_probabilities_are_of_each_label_by_itself(model) -> None:
    p = model.predict_proba(["roast bake salmon trout", "the dish"])
    assert p.shape == (2, 4)
    assert ((p > 0) & (p < 1)).all()
    assert p[0, model.classes_.tolist().index("oven")] > 0.5
    assert p[0, model.classes_.tolist().index("sauce")] < 0.5
    np.testing.assert_allclose(p, model.predictions(["roast bake salmon trout", "the dish"] * 20).values[:2])


def test_a_saved_model_says_the_same(model, tmp_path) -> None:
    model.save(tmp_path / "m.lindy")
    loaded = lindy.load(tmp_path / "m.lindy")
    texts, _ = recipes(50, seed=2)
    assert loaded.several_labels
    assert loaded.predict(texts).tolist() == model.predict(texts).tolist()
    assert np.array_equal(loaded.predict_proba(texts), model.predict_proba(texts))
    assert loaded.metric == model.metric
    assert "one-vs-rest SVM" in loaded.recipe_


@pytest.mark.parametrize("learner", ["svm", "naive-bayes", "perceptron", "maxent"])
@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["aa bb"], [{"x"}]),
        (["aa bb", "cc dd"], [["x"], []]),
        (["aa bb", "cc dd"], [{"x"}, {"y"}]),
        (["aa bb", "cc dd", "aa cc"], [["x", "y"], ["x"], ["x"]]),
    ],
)
def test_tiny_tables_have_models_of_several_labels(tmp_path, learner, texts, labels) -> None:
    model = TextClassifier(learner=learner).fit(texts, labels)
    assert model.several_labels
    model.save(tmp_path / "m.lindy")
    loaded = lindy.load(tmp_path / "m.lindy")
    assert loaded.predict(texts).tolist() == model.predict(texts).tolist()
    assert "x" in str(loaded.explain(texts[0]))


@pytest.mark.parametrize("forged", [[], [0.5] * 3, ["a"] * 4, {"thresholds": 1}, 0.5], ids=repr)
def test_forged_thresholds_are_refused(model, tmp_path, forged) -> None:
    from lindy.modelfile import read_model, write_model

    model.save(tmp_path / "m.lindy")
    file = read_model(tmp_path / "m.lindy")
    write_model(tmp_path / "f.lindy", file.header | {"several_labels": forged}, dict(file.arrays))
    with pytest.raises(ModelFileError):
        lindy.load(tmp_path / "f.lindy")


def test_one_label_and_two_labels_in_all() -> None:
    texts, labels = recipes()
    for names in (["oven"], ["oven", "fish"]):
        own = [[label for label in row if label in names] for row in labels]
        model = TextClassifier().fit(texts, own)
        right = [set(p) == set(y) for p, y in zip(model.predict(texts), own, strict=True)]
        assert np.mean(right) > 0.9
        assert model.predict_proba(texts[:3]).shape == (3, len(names))
        few, many = (model.predictions(texts[:n], calibrated=False) for n in (3, 30))
        assert few.values.tolist() == model.decision_function(texts[:3]).tolist() == many.values[:3].tolist()
        assert few.chosen.rows() == many.chosen.rows()[:3]


def test_indicator_matrices_are_labels_too() -> None:
    texts, labels = recipes()
    matrix = np.array([[int(name in row) for name in sorted(WORDS)] for row in labels])
    model = TextClassifier().fit(texts, matrix)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.predict([texts[0]])[0] == tuple(
        sorted(np.flatnonzero(matrix[0]).tolist(), key=lambda k: -model.predict_proba([texts[0]])[0, k])
    )


def test_thresholds_follow_the_metric() -> None:
    texts, labels = recipes()
    for metric in ("macro-f1", "micro-f1", "f1:fish", "example-f1", "precision@3"):
        model = TextClassifier(metric=metric).fit(texts, labels)
        assert f"for {metric}" in model.why_[-1] or f"as {metric} depends" in model.why_[-1]
    plain = TextClassifier(calibration="none").fit(texts, labels)
    assert not plain.has_probabilities
    assert plain.predictions(texts[:3]).measure == "score"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": "log-loss"}, "one label per text, and these have several"),
        ({"metric": "f1:soup"}, "no label is called 'soup'"),
        ({"class_weight": "balanced"}, "class_weight is for one label per text"),
        ({"weighting": "log-count-ratio", "learner": "svm"}, "looks at the classes"),
        ({"learner": "word-votes"}, "no sums of weights"),
        ({"learner": "lexicon"}, "cannot learn several labels"),
        ({"learner": "kernel-svm"}, "no sums of weights"),
    ],
)
def test_options_of_one_label_are_refused(options, said) -> None:
    texts, labels = recipes(60)
    model = TextClassifier(**options)
    with pytest.raises((ValueError, DataError), match=said):
        model.fit(texts, labels)


def test_texts_without_any_label_teach_nothing() -> None:
    model = TextClassifier()
    with pytest.raises(DataError, match="no text has a label"):
        model.fit(["a", "b"], [[], []])


def test_the_same_bytes_for_any_number_of_threads(tmp_path) -> None:
    texts, labels = recipes()
    for n_jobs in (1, 2):
        TextClassifier(n_jobs=n_jobs).fit(texts, labels).save(tmp_path / f"{n_jobs}.lindy")
    assert (tmp_path / "1.lindy").read_bytes() == (tmp_path / "2.lindy").read_bytes()


def test_explanations_and_inspection_name_labels(model) -> None:
    found = model.explain("roast bake the salmon trout")
    assert found.label in ("oven", "fish")
    assert {"roast", "salmon"} <= {feature.name.rpartition("__")[2] for feature in found.features()}
    from lindy.explain import inspect

    facts = inspect(model)
    assert facts.several_labels
    assert list(facts.rule) == sorted(WORDS)


def test_commands_train_predict_evaluate_explain_and_inspect(tmp_path, capsys) -> None:
    from lindy.cli.app import run

    def lindy_command(*words: str) -> str:
        assert run([str(word) for word in words]) == 0
        return capsys.readouterr().out

    texts, labels = recipes()
    table, path = tmp_path / "recipes.csv", tmp_path / "m.lindy"
    rows = [f"{'|'.join(own)},{text}" for text, own in zip(texts, labels, strict=True)]
    table.write_text("\n".join(["labels,text", *rows]) + "\n", encoding="utf-8")
    said = lindy_command("train", table, "--label-separator", "|", "-o", path, "--json", "-q")
    assert '"examples": 300' in said
    lines = lindy_command("predict", path, table, "-q").splitlines()
    assert lines[0] == "label,probability"
    right = [
        set(line.split(",")[0].split("|")) - {""} == set(own)
        for line, own in zip(lines[1:], labels, strict=True)
    ]
    assert np.mean(right) > 0.95
    limited = lindy_command("predict", path, table, "--at-least-one", "--at-most", "1", "-q").splitlines()[1:]
    assert all(len(line.split(",")[0].split("|")) == 1 and line[0] != "," for line in limited)
    assert "micro F1" in lindy_command("evaluate", path, table, "-q")
    assert "speaks for" in lindy_command("explain", path, "roast bake salmon")
    assert "every label from a threshold on" in lindy_command("inspect", path)
