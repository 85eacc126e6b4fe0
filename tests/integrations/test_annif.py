"""``backend=lindy`` of Annif, tried with Annif itself: a small vocabulary is loaded, learned and suggested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lindy import load
from lindy.cli.app import run as run_lindy
from tests.annif_environment import run

PROJECTS = """
[small]
name=Small
language=en
backend=lindy
vocab=small
learner=svm
ngrams=1-2
allow_learn=1

[wrong]
name=Wrong
language=en
backend=lindy
vocab=small
learner=nonsense
"""
SUBJECTS = {
    "optics": "lens light mirror prism",
    "mechanics": "force motion gear lever",
    "biology": "cell gene leaf animal",
    "music": "song piano choir violin",
    "painting": "canvas brush oil portrait",
    "chemistry": "acid salt bond flask",
    "history": "king war treaty empire",
    "sports": "ball goal race medal",
}
URI = "http://example.org/{}"


def documents() -> list[tuple[str, list[str]]]:
    """Return texts with the words of one or two subjects, and these."""
    names, made = list(SUBJECTS), []
    for i in range(96):
        own = sorted({names[i % 8], names[(i // 5) % 8]})
        words = [word for name in own for word in SUBJECTS[name].split()]
        made.append((" ".join(["about", *words[i % 3 :: 2], f"number{i % 7}"]), own))
    return made


def tsv(rows: list[tuple[str, list[str]]]) -> str:
    return "".join(f"{text}\t{' '.join(f'<{URI.format(name)}>' for name in own)}\n" for text, own in rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which Annif has learned from the documents."""
    home = tmp_path_factory.mktemp("annif")
    (home / "projects.cfg").write_text(PROJECTS, encoding="utf-8")
    names = [*SUBJECTS, "astronomy"]
    (home / "small.tsv").write_text(
        "".join(f"<{URI.format(own)}>\t{own}\n" for own in names), encoding="utf-8"
    )
    (home / "train.tsv").write_text(tsv(documents()[:72]), encoding="utf-8")
    (home / "test.tsv").write_text(tsv(documents()[72:]), encoding="utf-8")
    run("load-vocab", "--language", "en", "small", "small.tsv", folder=home)
    assert "error" not in run("train", "small", "train.tsv", folder=home)
    return home


def suggested(folder: Path, text: str) -> dict[str, float]:
    """Return the subjects that are suggested for a text, with their scores."""
    lines = run("suggest", "--limit", "3", "small", folder=folder, stdin=text).splitlines()
    return {label: float(score) for _, label, score in (line.split("\t") for line in lines)}


def test_suggestions_are_the_probabilities_of_the_model(folder: Path) -> None:
    text = "a prism of light in a cell"
    model = load(folder / "data" / "projects" / "small" / "model.lindy")
    p = dict(zip(model.classes_.tolist(), model.predict_proba([text])[0].tolist(), strict=True))
    told = suggested(folder, text)
    assert set(list(told)[:2]) == {"optics", "biology"}
    assert len(told) == 3
    for name, score in told.items():
        assert score == pytest.approx(p[URI.format(name)], abs=1e-3)
    assert suggested(folder, "zzz qqq") == {}


def test_figures_are_those_of_annif(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("eval", "--limit", "100", "--metrics-file", "told.json", "small", "test.tsv", folder=folder)
    annif = json.loads((folder / "told.json").read_text("utf-8"))
    rows = [f"{text},{'|'.join(URI.format(name) for name in own)}" for text, own in documents()[72:]]
    (folder / "test.csv").write_text("text,labels\n" + "\n".join(rows) + "\n", encoding="utf-8")
    model = folder / "data" / "projects" / "small" / "model.lindy"
    words = ["evaluate", str(model), str(folder / "test.csv"), "--label", "labels", "--json"]
    capsys.readouterr()
    assert run_lindy([*words, "--label-separator", "|"]) == 0
    ours = json.loads(capsys.readouterr().out)
    for name, theirs in (
        ("f1_at_5", "F1@5"),
        ("ndcg_at_5", "NDCG@5"),
        ("ndcg_at_10", "NDCG@10"),
        ("precision_at_1", "Precision@1"),
        ("precision_at_3", "Precision@3"),
    ):
        assert ours[name] == pytest.approx(annif[theirs], abs=1e-6), name


def test_further_documents_and_a_new_subject_are_learned(folder: Path) -> None:
    text = "a comet and a planet near the moon"
    assert "astronomy" not in suggested(folder, text)
    rows = [(f"planet moon comet star {i % 3}", ["astronomy"]) for i in range(12)]
    (folder / "more.tsv").write_text(tsv(rows), encoding="utf-8")
    assert "error" not in run("learn", "small", "more.tsv", folder=folder)
    assert next(iter(suggested(folder, text))) == "astronomy"


def test_what_cannot_be_used_is_said_as_annif_says_it(folder: Path) -> None:
    assert "not trained" in run("suggest", "wrong", folder=folder, stdin="light")
    assert "no learner is called" in run("train", "wrong", "train.tsv", folder=folder).replace(
        "'nonsense' ", ""
    )
    assert "without --cached" in run("train", "--cached", "small", folder=folder)
    (folder / "none.tsv").write_text("a text without subjects\t\n", encoding="utf-8")
    assert "no document with a subject" in run("train", "small", "none.tsv", folder=folder)
