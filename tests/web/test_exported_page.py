"""The exported page in a real browser, from a file and without a network; and the module in one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

import lindy
from lindy import features, text
from lindy.data import samples
from lindy.evaluation.decisions import Decision
from lindy.web.export import module_text, page_text
from tests.hostile.strings import strings
from tests.report.test_browser import CONTRAST, LABELS, WIDER_THAN_THE_WINDOW, Browser
from tests.test_several_labels import WORDS, recipes
from tests.web.exported import as_javascript_has_it, number, require_same

pytestmark = pytest.mark.needs_system("chromium", "chromedriver")

HOSTILE = [label.strip() for label in LABELS]
TEXTS = [f"word{i % 12} and{i % 5} {HOSTILE[i % 12]}" for i in range(120)]
ROWS = [{"title": own, "price": i, "sender": HOSTILE[i % 3]} for i, own in enumerate(TEXTS)]
READY = "return document.body.dataset.ready"
SHOWN = "return document.getElementById(arguments[0]).innerText"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    opened = Browser()
    yield opened
    opened.driver.quit()


@pytest.fixture(scope="module")
def models() -> dict[str, lindy.TextClassifier]:
    """Models whose labels, words and columns would like to be code."""
    labels = [HOSTILE[i % 12] for i in range(120)]
    columns = {"text": ["title"], "numeric": ["price"], "category": ["sender"]}
    return {
        "texts": lindy.TextClassifier(learner="svm").fit(TEXTS, labels),
        "scores": lindy.TextClassifier(learner="perceptron", calibration="none").fit(
            TEXTS, ["no", "yes"] * 60
        ),
        "table": lindy.TextClassifier(learner="svm", columns=columns).fit(ROWS, labels),
        "tags": lindy.TextClassifier(learner="svm").fit(
            TEXTS, [{HOSTILE[i % 12], HOSTILE[i % 5]} if i % 4 else set() for i in range(120)]
        ),
    }


@pytest.fixture(scope="module")
def pages(
    models: dict[str, lindy.TextClassifier], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Return the addresses of the pages."""
    folder = tmp_path_factory.mktemp("pages")
    for name, model in models.items():
        page = page_text(model, title=HOSTILE[1] if name == "texts" else "")
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in models}


def type_in(browser: Browser, *texts: str) -> None:
    """Fill the inputs of the page, as one who pastes does."""
    fill = """
        const inputs = document.querySelectorAll("#inputs textarea, #inputs input");
        arguments[0].forEach((text, i) => {
            inputs[i].value = text;
            inputs[i].dispatchEvent(new InputEvent("input", { bubbles: true }));
        });
    """
    browser.driver.execute_script(fill, list(texts))


def shown(browser: Browser, address: str, scheme: str = "light") -> None:
    """Show a page and wait until the model in it is there."""
    from selenium.webdriver.support.wait import WebDriverWait

    browser.show(address, scheme)
    WebDriverWait(browser.driver, 60).until(lambda driver: driver.execute_script(READY))


EXAMPLES = {
    "texts": [f"word3 and2 {HOSTILE[0]} {'y' * 300} unheard"],
    "scores": ["word3 and4 something"],
    "table": [f"word3 {HOSTILE[1]}", "12.5", HOSTILE[0]],
    "tags": [f"word3 and2 {HOSTILE[0]} {'y' * 300} unheard"],
}


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_the_page_asks_for_nothing_and_runs_nothing_of_its_model(
    name: str, browser: Browser, pages: dict[str, str]
) -> None:
    browser.requests()
    browser.driver.get_log("browser")  # of pages that other tests have shown
    shown(browser, pages[name])
    type_in(browser, *EXAMPLES[name])
    assert browser.run("return document.hacked") is None
    assert browser.driver.get_log("browser") == []  # where violations of the policy would be
    assert browser.requests() == {pages[name]}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(EXAMPLES))
def test_the_page_can_be_read_on_a_telephone(
    name: str, scheme: str, browser: Browser, pages: dict[str, str]
) -> None:
    shown(browser, pages[name], scheme)
    type_in(browser, *EXAMPLES[name])
    assert browser.run(WIDER_THAN_THE_WINDOW) == []
    assert browser.run("return document.documentElement.scrollWidth") == 390
    assert browser.run(CONTRAST) == []


def test_every_input_has_a_name_and_the_answer_is_announced(browser: Browser, pages: dict[str, str]) -> None:
    shown(browser, pages["table"])
    named = "return [...document.querySelectorAll('#inputs textarea, #inputs input')].map(e => e.labels[0].innerText)"
    assert browser.run(named) == ["title", "price", "sender"]
    assert browser.run("return document.getElementById('label').getAttribute('role')") == "status"
    assert browser.run("return document.activeElement.id") == "input0"


def test_typing_shows_label_probabilities_and_words(
    browser: Browser, pages: dict[str, str], models: dict[str, lindy.TextClassifier]
) -> None:
    shown(browser, pages["texts"])
    assert browser.run("return document.getElementById('result').hidden") is True
    field = browser.driver.find_element("id", "input0")
    field.send_keys("word3 and3 unheard")
    model = models["texts"]
    best = model.predict(["word3 and3 unheard"])[0]
    p = model.predict_proba(["word3 and3 unheard"])[0].max()
    assert browser.driver.execute_script(SHOWN, "label") == best
    assert browser.run("return document.querySelector('#bars .best .value').innerText") == f"{100 * p:.1f} %"
    assert "word3" in browser.run("return document.querySelector('mark.for').innerText")
    assert browser.run("return document.querySelector('#text .unknown').innerText") == "unheard"
    type_in(browser, "")
    assert browser.run("return document.getElementById('result').hidden") is True


def test_no_known_word_and_unsure_are_answers_of_their_own(
    browser: Browser, models: dict[str, lindy.TextClassifier], tmp_path: Path
) -> None:
    page = page_text(models["texts"], Decision(thresholds=0.99))
    (tmp_path / "sure.html").write_text(page, encoding="utf-8")
    shown(browser, (tmp_path / "sure.html").as_uri())
    type_in(browser, "word1 and2")
    assert browser.driver.execute_script(SHOWN, "label") == "unsure (not sure enough)"
    type_in(browser, "unheard")
    assert "no known word" in browser.driver.execute_script(SHOWN, "label")


CHIPS = """return [...document.querySelectorAll("#chips button")].map(chip =>
    [chip.firstChild.innerText, !chip.className.includes("near"), chip.getAttribute("aria-pressed") === "true"])"""


def test_chips_say_which_label_is_explained(browser: Browser, tmp_path: Path) -> None:
    texts, labels = recipes()
    model = lindy.TextClassifier(learner="svm").fit(texts, labels)
    (tmp_path / "labels.html").write_text(page_text(model), encoding="utf-8")
    shown(browser, (tmp_path / "labels.html").as_uri())
    text = "roast bake the salmon dish"
    type_in(browser, text)
    said = model.explain(text)
    assert said.several is not None
    given = list(said.several.labels)
    found = browser.run(CHIPS)
    assert browser.driver.execute_script(SHOWN, "label") == ", ".join(given)
    assert [label for label, is_given, _ in found if is_given] == given
    assert [label for label, _, is_explained in found if is_explained] == [said.label]
    assert {label for label, *_ in found} == set(WORDS)
    near = browser.driver.find_element("css selector", "#chips .near")
    label = near.text.split(" ")[0]
    near.send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.getAttribute('aria-pressed')") == "true"
    assert [own for own, _, is_explained in browser.run(CHIPS) if is_explained] == [label]
    (threshold,) = (limit for own, _, limit in said.measured(label) if own == label)
    assert browser.driver.execute_script(SHOWN, "about").startswith(f"{label} is not given: ")
    assert f"its threshold is {100 * threshold:.1f} %" in browser.driver.execute_script(SHOWN, "about")
    marked = browser.run("return [...document.querySelectorAll('#text mark')].map(e => e.lastChild.data)")
    assert marked == [s.text for s in said.segments(label) if abs(s.share) >= 0.1]
    type_in(browser, "nothing heard")
    assert browser.driver.execute_script(SHOWN, "label") == "no known word"


def test_what_the_model_does_not_take_is_said(browser: Browser, pages: dict[str, str]) -> None:
    shown(browser, pages["table"])
    type_in(browser, "word1", "a lot")
    assert browser.driver.execute_script(SHOWN, "problem") == 'the column "price" is not a number'
    type_in(browser, "word1", "12")
    assert browser.driver.execute_script(SHOWN, "problem") == ""
    assert browser.driver.execute_script(SHOWN, "label") in [
        *HOSTILE,
        *(" ".join(own.split()) for own in HOSTILE),
    ]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and its address on this machine."""
    (tmp_path / "index.html").write_text("<!DOCTYPE html><title>x</title>", encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield tmp_path, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}

    def log_message(self, *_: Any) -> None:
        pass


def test_the_module_in_a_browser_answers_like_the_library(site: tuple[Path, str], browser: Browser) -> None:
    folder, address = site
    parts = [
        ("words", text.TfidfVectorizer(analyzer="unicode_words", ngram_range=(1, 2), punctuation=True)),
        ("chars", text.TfidfVectorizer(analyzer="char", ngram_range=(1, 3), sublinear_tf=True)),
        ("hash", text.HashingVectorizer(n_features=500, key=3)),
        ("", features.PatternVectorizer()),
    ]
    texts = [as_javascript_has_it(own) for _, own in strings(3000, seed=8)]
    whole = [own.encode("utf-8", "replace").decode() for own in texts[:300]]
    model = lindy.TextClassifier(learner="svm", vectorizer=text.UnionVectorizer(vectorizers=parts))
    model.fit(whole, ["a", "b", "c"] * 100)
    (folder / "module.mjs").write_text(module_text(model), encoding="utf-8")
    browser.driver.get(f"{address}/index.html")
    script = """
        const [texts, done] = [JSON.parse(arguments[0]), arguments[1]];
        import("./module.mjs").then((m) => done(JSON.stringify(texts.map((text) => m.predict(text)))));
    """
    browser.driver.set_script_timeout(100)
    told = json.loads(browser.driver.execute_async_script(script, json.dumps(texts)))
    scores, p = model.decision_function(texts).astype(np.float64), model.predict_proba(texts)
    for i, said in enumerate(told):
        require_same(texts[i], [number(said["scores"][name]) for name in "abc"], scores[i].tolist())
        require_same(texts[i], [number(said["probabilities"][name]) for name in "abc"], p[i].tolist())


def test_a_page_says_what_to_do_and_has_examples(browser: Browser, tmp_path: Path) -> None:
    train = samples.load("reviews-train")
    for learner in ("svm", "naive-bayes"):
        model = lindy.TextClassifier(learner=learner).fit_examples(train)
        page = tmp_path / "page.html"
        page.write_text(page_text(model), encoding="utf-8")
        shown(browser, page.as_uri())
        assert browser.run("return document.querySelector('h1').innerText") == "Is it negative or positive?"
        assert browser.run("return document.querySelector('.lead').innerText").startswith(
            "Type or paste a text."
        )
        assert browser.run("return document.querySelector('textarea').placeholder") == "Type or paste a text"
        said = []
        for button in browser.driver.find_elements("css selector", "#choices button"):
            button.click()
            assert browser.run("return document.querySelector('textarea').value") == button.text
            said.append(browser.run(SHOWN, "label"))
        assert said == ["negative", "positive"]


def test_examples_are_texts_or_records(
    browser: Browser, models: dict[str, lindy.TextClassifier], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    for name, examples, values in [
        ("texts", [HOSTILE[1], "x" * 300], [HOSTILE[1]]),
        ("table", [{"title": HOSTILE[1], "price": 2.5, "sender": None}], [HOSTILE[1], "2.5", ""]),
    ]:
        page.write_text(page_text(models[name], examples=examples), encoding="utf-8")
        shown(browser, page.as_uri())
        browser.driver.find_element("css selector", "#choices button").click()
        found = "return [...document.querySelectorAll('#inputs textarea, #inputs input')].map(i => i.value)"
        assert browser.run(found) == values
        assert browser.run(SHOWN, "label")
        assert browser.run(WIDER_THAN_THE_WINDOW) == []
    page.write_text(page_text(models["texts"], examples=[]), encoding="utf-8")
    shown(browser, page.as_uri())
    assert browser.run("return document.getElementById('examples').hidden")
