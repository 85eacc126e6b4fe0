"""For everybody: an audit by axe, telephones, dark and forced colours, and labels that would like to be code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import selenium_axe_python

from tests.chromium import CONTRAST, WIDER_THAN_THE_WINDOW, Browser
from tests.web.page.conftest import HOSTILE, LoadedModel

pytestmark = pytest.mark.needs_system("chromium", "chromedriver")

AXE = Path(selenium_axe_python.__file__).parent / "axe-core" / "axe.min.js"
TEXT = "word1 and2 wonderful <b>bold</b> \u202e " + "y" * 300
ROW = {"subject": "<b>lunch</b>", "body": "see you", "price": 1, "sender": "y" * 300}
VIEWS = {
    "try": ("/", {"text": TEXT, "record": json.dumps(ROW)}),
    "empty": ("/", {}),
    "compare": ("/compare", {"text": TEXT, "a": "hostile", "b": "reviews"}),
    "table": ("/table", {}),
    "sure": ("/sure", {}),
    "card": ("/models/{model}", {}),
    "docs": ("/docs", {}),
}
OF_ALL = [("compare", "hostile"), ("table", "hostile"), ("docs", "hostile")]
OF_EACH = [
    ("try", "hostile"),
    ("try", "columns"),
    ("try", "many"),
    ("sure", "hostile"),
    ("card", "hostile"),
    ("card", "many"),
]
SEEN = [*OF_ALL, *OF_EACH, ("empty", "reviews"), ("card", "reviews")]


def show(browser: Browser, served: LoadedModel, view: str, model: str) -> None:
    """Show a view with an answer in it, if it has one, and with all that is folded."""
    path, settings = VIEWS[view]
    browser.show(served.view(path.format(model=model), model=model, **settings))
    browser.find("main .program")
    if settings:
        browser.wait("return !document.querySelector('[data-verdict=none]')")
    browser.run("document.querySelectorAll('details').forEach(e => e.open = true)")


def audit(browser: Browser) -> list[str]:
    """Return what axe finds, in short."""
    browser.run(AXE.read_text(encoding="utf-8"))
    found: Any = browser.driver.execute_async_script("axe.run().then(arguments[0])")
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found["violations"] for node in rule["nodes"]]


@pytest.mark.parametrize(("view", "model"), SEEN)
def test_everybody_can_use_every_view(view: str, model: str, browser: Browser, served: LoadedModel) -> None:
    show(browser, served, view, model)
    assert audit(browser) == []
    browser.paint("dark")
    assert browser.run(CONTRAST) == []
    browser.resize(360)
    assert browser.run("return innerWidth") == 360
    assert browser.run(WIDER_THAN_THE_WINDOW) == []
    assert browser.run("return document.documentElement.scrollWidth") == 360


def test_labels_can_be_read(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view("/", model="hostile", text="word2 and2", sure="0"))
    browser.wait("return document.querySelector('[data-verdict=sure]')")
    shown = browser.run(
        "document.querySelector('button[aria-expanded]').click();"
        "return [...document.querySelectorAll('.answer .bars .of')].map(e => e.textContent)"
    )
    assert "right\\x202eto left" in shown
    assert HOSTILE[0] in shown
    assert "עברית" in shown
    assert any(label.startswith("x" * 20) and "…" in label and len(label) <= 40 for label in shown)
    assert len(shown) == len(HOSTILE)


def test_bars_are_seen_in_forced_colours(browser: Browser, served: LoadedModel) -> None:
    forced = [{"name": "forced-colors", "value": "active"}]
    browser.show(served.view("/", model="reviews", text="wonderful", sure="0"))
    browser.wait("return document.querySelector('[data-verdict=sure]')")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": forced})
    fill, track = browser.run(
        "return ['.fill', '.track'].map(e => getComputedStyle(document.querySelector(`.answer ${e}`)).backgroundColor)"
    )
    assert fill != track


def test_the_first_view_is_small(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view("/", model="many", text="about topic3"))
    browser.wait("return document.querySelector('.answer [aria-label=Probabilities] li')")
    sizes = browser.run(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map(e => e.decodedBodySize)"
    )
    assert 0 < sum(sizes) < 200_000
