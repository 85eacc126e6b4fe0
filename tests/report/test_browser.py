"""The pages in a real browser: as wide as a telephone, in light and in dark, with labels that would like to be code."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from lindy import SVM, MultinomialNaiveBayes, TextClassifier
from lindy.evaluation import evaluate
from lindy.evaluation.compare import Comparison, Experiment, compare, vectorize
from lindy.explain.html import explanation_page
from lindy.labels import as_labels
from lindy.report import comparison_report, report

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

WIDER_THAN_THE_WINDOW = """
document.querySelectorAll("details").forEach(e => e.open = true);
return [...document.querySelectorAll("body, body *")].filter(e => {
    const box = e.getBoundingClientRect(), inside = e.parentElement.closest(".scroll");
    return !inside && box.width > 0 && (box.left < -0.5 || box.right > innerWidth + 0.5);
}).map(e => e.outerHTML.slice(0, 100));
"""

# WCAG's contrast of every text with what is below it; half transparent backgrounds are laid over each other
CONTRAST = """
const parts = colour => colour.match(/[\\d.]+/g).map(Number);
const over = (top, below) => { const a = top[3] ?? 1; return below.map((c, i) => a * top[i] + (1 - a) * c); };
const light = rgb => { const [r, g, b] = rgb.map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = e => !e ? [255, 255, 255] : over(parts(getComputedStyle(e).backgroundColor), ground(e.parentElement));
document.querySelectorAll("details").forEach(e => e.open = true);
return [...document.querySelectorAll("main *, .lindy *")].filter(
    e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) && e.checkVisibility()
).map(e => {
    const below = ground(e), style = getComputedStyle(e);
    const [a, b] = [light(over(parts(e.tagName == "text" ? style.fill : style.color), below)), light(below)];
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML.slice(0, 100)];
}).filter(([contrast, _]) => contrast < 4.5);
"""


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
    return compare(learners, Experiment(train, as_labels(classes), test, classes), curve=(0.5, 1.0))


def _notebook(*shown: Any) -> str:
    """Return a page that shows things as a notebook does, in its own colours."""
    style = "@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } }"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{style}</style>'
    return f"<!DOCTYPE html>{head}{''.join(thing._repr_html_() for thing in shown)}"


class Browser:
    """One browser for all tests, with a window as small as a telephone's."""

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    def show(self, address: str, scheme: str = "light", media: str = "screen") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
        self.driver.get(address)

    def run(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def requests(self) -> set[str]:
        """Return the addresses that were asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}


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
