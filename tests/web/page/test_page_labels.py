"""The page of models of several labels: chips that say which label is explained, corrections, the other views."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from selenium.webdriver.common.keys import Keys

from lindy import TextClassifier
from tests.chromium import CONTRAST, WIDER_THAN_THE_WINDOW, Browser
from tests.test_several_labels import WORDS, recipes
from tests.web.page.conftest import HOSTILE
from tests.web.servers import serving

pytestmark = pytest.mark.needs_system("chromium", "chromedriver")

TEXT = "roast bake the salmon dish"
CHIPS = """return [...document.querySelectorAll('.chip')].map(chip =>
    [chip.value, !chip.classList.contains('near'), chip.getAttribute('aria-pressed') === 'true'])"""


class Page:
    """A service of models of several labels."""

    def __init__(self, address: str, folder: Path, models: dict[str, TextClassifier]) -> None:
        self.address, self.folder, self.models = address, folder, models

    def view(self, path: str = "/", **settings: str) -> str:
        return f"{self.address}{path}#{urlencode(settings)}"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("labels")
    texts, labels = recipes()
    called = dict(zip(WORDS, HOSTILE, strict=False))
    models = {
        "tags": TextClassifier(learner="svm").fit(texts, labels),
        "scores": TextClassifier(learner="svm", calibration="none").fit(texts, labels),
        "hostile": TextClassifier(learner="svm").fit(
            texts, [[called[own].strip() for own in row] for row in labels]
        ),
    }
    for name, model in models.items():
        model.save(folder / f"{name}.lindy")
    rows = [f"{text},{'|'.join(own)}" for text, own in zip(*recipes(60, seed=7), strict=True)]
    (folder / "test.csv").write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")
    files = [folder / f"{name}.lindy" for name in models]
    options = ["--test", folder / "test.csv", "--feedback", folder / "corrections.csv"]
    with serving(*files, *options) as server:
        yield Page(f"http://{server.host}:{server.port}", folder, models)


def chips(browser: Browser) -> list[Any]:
    """Return the chips, once there are some: the label, whether it is given, whether it is explained."""
    browser.wait("return document.querySelector('.chip')")
    return list(browser.run(CHIPS))


@pytest.mark.parametrize("name", ["tags", "scores"])
def test_chips_are_the_labels_given_and_the_nearest_others(name: str, browser: Browser, page: Page) -> None:
    model = page.models[name]
    browser.show(page.view(model=name, text=TEXT))
    found, said = chips(browser), model.explain(TEXT)
    assert said.several is not None
    assert [label for label, is_given, _ in found if is_given] == list(said.several.labels)
    measures = said.measured(said.label, most=len(WORDS))
    missing = {label: threshold - value for label, value, threshold in measures}
    others = sorted((label for label in WORDS if label not in said.several.labels), key=missing.__getitem__)
    assert [label for label, is_given, _ in found if not is_given] == others
    assert [label for label, _, is_explained in found if is_explained] == [said.label]
    assert browser.text(".answer .label") == "2 labels"
    browser.wait(
        "return document.querySelector('[role=status].unseen')?.textContent.startsWith('2 labels: ')"
    )


def test_a_chip_explains_its_label_by_keyboard_too(browser: Browser, page: Page) -> None:
    model = page.models["tags"]
    browser.show(page.view(model="tags", text=TEXT))
    chips(browser)
    near = browser.find(".chip.near")
    label = near.get_attribute("value")
    near.send_keys(Keys.ENTER)
    browser.wait("return document.querySelector('.chip[aria-pressed=true]')?.value === arguments[0]", label)
    assert browser.run("return document.activeElement.value") == label
    said = model.explain(TEXT)
    (threshold,) = (limit for own, _, limit in said.measured(label) if own == label)
    assert browser.text(".about").startswith(f"{label} is not given: ")
    assert f"given from {100 * threshold:.0f}\xa0% on" in browser.text(".about")
    browser.wait("return document.querySelector('.why .legend')?.textContent.includes('speaks against it')")
    marked = browser.run(
        "return [...document.querySelectorAll('.why mark')].map(e => [e.lastChild.data, e.className])"
    )
    strong = [s for s in said.segments(label) if s.is_word and s.is_known and abs(s.share) >= 0.1]
    assert marked == [[s.text, "for" if s.credit > 0 else "against"] for s in strong]
    browser.find("#text").send_keys(" tomato cream stir tomato")
    browser.wait("return document.querySelectorAll('.chip:not(.near)').length === 3")


def test_nothing_known_and_no_label_are_answers_of_their_own(browser: Browser, page: Page) -> None:
    for text, verdict, headline in (
        ("qqq zzz", "unknown", "No known word"),
        ("the dish", "unsure", "No label"),
    ):
        browser.show(page.view(model="tags", text=text))
        browser.wait(f"return document.querySelector('[data-verdict={verdict}] .chip')")
        assert browser.text(".answer .label") == headline


def test_a_correction_names_all_right_labels(browser: Browser, page: Page) -> None:
    browser.show(page.view(model="tags", text=TEXT))
    chips(browser)
    browser.find(".feedback button").click()
    given = page.models["tags"].predict([TEXT])[0]
    checked = "return [...document.querySelectorAll('.boxes :checked')].map(box => box.value)"
    assert browser.run(checked) == list(given)
    browser.find(".boxes input[value=fish]").click()
    browser.find(".boxes input[value=spice]").click()
    browser.find(".feedback form .main").click()
    browser.wait(
        "return document.querySelector('.feedback [role=status]')?.textContent.startsWith('Thank you')"
    )
    with (page.folder / "corrections.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert set(row["lindy_label"].split("|")) == {"oven", "spice"}
    assert row["lindy_predicted"] == "|".join(given)
    assert row["text"] == TEXT


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_on_a_telephone(scheme: str, browser: Browser, page: Page) -> None:
    browser.resize(390)
    browser.show(page.view(model="hostile", text=TEXT), scheme)
    chips(browser)
    browser.find(".chip.near").click()
    browser.find(".feedback button").click()
    assert browser.run(CONTRAST) == []
    assert browser.run(WIDER_THAN_THE_WINDOW) == []
    assert browser.run("return document.documentElement.scrollWidth") == 390


def test_the_other_views(browser: Browser, page: Page) -> None:
    browser.show(page.view("/compare", a="tags", b="scores", text=TEXT))
    browser.wait("return document.querySelector('.agreement')?.textContent.startsWith('Both take it for ')")
    browser.wait("return document.querySelectorAll('.side .chips').length === 2")
    browser.find(".side .chip.near").click()
    browser.wait("return document.querySelector('.side .chip.near[aria-pressed=true]')")
    browser.show(page.view("/sure", model="tags"))
    rows = browser.wait("return document.querySelectorAll('main tbody tr').length")
    assert rows == len(WORDS)
    browser.show(page.view("/models/tags"))
    assert "micro F1" in str(browser.wait("return document.querySelector('.numbers')?.textContent"))
    assert "300texts it learned from" in browser.run(
        "return [...document.querySelectorAll('.numbers > div')].map(e => e.querySelector('dd').textContent +"
        " e.querySelector('dt').textContent).join()"
    )
    browser.show(page.view("/table", model="tags"))
    browser.wait("return document.querySelector('.drop input')")
    browser.find(".drop input[type=file]").send_keys(str(page.folder / "test.csv"))
    said = browser.wait("return document.querySelector('.bars.sorted')?.textContent")
    counts = page.models["tags"].predict(recipes(60, seed=7)[0])
    oven = sum("oven" in own for own in counts)
    browser.wait(f"return document.querySelector('.bars.sorted')?.textContent.includes('oven{oven} (')")
    assert said
