"""The pages in a real browser: as wide as a telephone, in light and in dark, with labels that would like to be code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from lindy import SVM, MultinomialNaiveBayes, TextClassifier
from lindy.core.targets import OneLabel
from lindy.evaluation import evaluate
from lindy.evaluation.compare import Comparison, Experiment, compare, vectorize
from lindy.explain.explanation_html import explanation_page
from lindy.report import comparison_report, report
from tests.chromium import CONTRAST, WIDER_THAN_THE_WINDOW, Browser

pytestmark = pytest.mark.needs_system("chromium", "chromedriver")

LABELS = [
    "<script>document.hacked = 1</script>",
    "\"'><img src=x onerror='document.hacked = 1'>",
    "right\u202eto left",
    "long name " * 30,
    "x" * 300,
    "</style><body onload='document.hacked = 1'>",
    "עברית",
    *(f"class {i}" for i in range(5)),
]
PAGES = ("report", "explanation", "comparison", "notebook")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of the pages, about a model that makes mistakes."""
    rng = np.random.default_rng(0)
    classes = np.arange(20 * len(LABELS)) % len(LABELS)
    said = np.where(rng.random(len(classes)) < 0.8, classes, rng.integers(len(LABELS), size=len(classes)))
    texts = [
        f"word{c} and{c} {LABELS[i % len(LABELS)]} {'y' * 300 if i % 30 == 0 else ''}"
        for i, c in enumerate(said)
    ]
    labels = [LABELS[c].strip() for c in classes]
    model = TextClassifier(learner="svm").fit(texts[::2], labels[::2])
    test, truth = texts[1::2], labels[1::2]
    compared = _comparison(texts, classes)
    made = {
        "report": report(
            model, test, truth, train=(texts[::2], labels[::2]), title=LABELS[0], facts={LABELS[1]: LABELS[4]},
            commands="lindy report " + "m" * 300, mistakes=2,
        ),
        "explanation": explanation_page(model.explain(f"word1 and2 {LABELS[0]} {'y' * 300}")),
        "comparison": comparison_report(compared, title=LABELS[0], facts={LABELS[1]: LABELS[4]}),
        "notebook": _notebook(
            model, model.explain(test[0]), compared, evaluate(truth, model.predict(test))
        ),
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("pages")
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in made}


def _comparison(texts: list[str], classes: Any) -> Comparison:
    train, test, _ = vectorize(texts, texts)
    learners = {"naive Bayes": MultinomialNaiveBayes(), LABELS[0]: SVM(), LABELS[4]: SVM(C=0.1)}
    return compare(
        learners, Experiment(train, OneLabel.of(classes), test, OneLabel.of(classes)), curve=(0.5, 1.0)
    )


def _notebook(*shown: Any) -> str:
    """Return a page that shows things as a notebook does, in its own colours."""
    style = "@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } }"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{style}</style>'
    return f"<!DOCTYPE html>{head}{''.join(thing._repr_html_() for thing in shown)}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    opened = Browser()
    yield opened
    opened.driver.quit()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_a_telephone(name: str, browser: Browser, pages: dict[str, str]) -> None:
    browser.show(pages[name])
    assert browser.run("return innerWidth") == 390
    assert browser.run(WIDER_THAN_THE_WINDOW) == []
    assert browser.run("return document.documentElement.scrollWidth") == 390


def test_the_figures_of_the_classes_need_no_scrolling(browser: Browser, pages: dict[str, str]) -> None:
    browser.show(pages["report"])
    boxes = browser.run(
        'return [...document.querySelectorAll(".side .scroll")].map(e => [e.scrollWidth, e.clientWidth])'
    )
    assert boxes
    assert all(needed <= given for needed, given in boxes)


@pytest.mark.parametrize("name", PAGES)
def test_labels_run_nothing_and_fetch_nothing(name: str, browser: Browser, pages: dict[str, str]) -> None:
    browser.requests()
    browser.show(pages[name])
    assert browser.run("return document.hacked") is None
    assert browser.driver.get_log("browser") == []
    assert browser.requests() == {pages[name]}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_text_can_be_read(name: str, scheme: str, browser: Browser, pages: dict[str, str]) -> None:
    browser.show(pages[name], scheme)
    assert browser.run(CONTRAST) == []


@pytest.mark.parametrize("name", ["report", "comparison"])
def test_plots_follow_dark_mode(name: str, browser: Browser, pages: dict[str, str]) -> None:
    colours = []
    for scheme in ("light", "dark"):
        browser.show(pages[name], scheme)
        colours.append(
            browser.run(
                'return [...document.querySelectorAll("svg text")].map(e => getComputedStyle(e).fill)'
            )
        )
    light, dark = colours
    assert len(light) == len(dark) > 10
    assert all(a != b for a, b in zip(light, dark, strict=True))


def test_what_is_folded_is_printed(browser: Browser, pages: dict[str, str]) -> None:
    folded = 'return [...document.querySelectorAll("details > :not(summary)")].map(e => e.checkVisibility())'
    browser.show(pages["report"])
    assert set(browser.run(folded)) == {False}
    browser.show(pages["report"], media="print")
    assert set(browser.run(folded)) == {True}
