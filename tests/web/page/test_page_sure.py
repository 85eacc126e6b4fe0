"""The slider that says how sure a label must be, and the card of a model."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.chromium import Browser
from tests.web.page.conftest import LoadedModel

pytestmark = pytest.mark.needs_system("chromium", "chromedriver")


def asked(served: LoadedModel, path: str) -> Any:
    with urllib.request.urlopen(served.address + path) as response:
        return json.load(response)


def counted(decisions: Any, least: float, k: int | None = None) -> tuple[int, int]:
    """Return how many of the answers that are at least so sure are right and wrong, of one label or of all."""

    def total(kind: str) -> int:
        rows = zip(decisions["bins"]["edges"], decisions["bins"][kind], strict=False)
        return sum(sum(row) if k is None else row[k] for edge, row in rows if edge >= least - 1e-9)

    return total("right"), total("wrong")


def numbers(browser: Browser) -> list[str]:
    return list(browser.run("return [...document.querySelectorAll('.numbers dd')].map(e => e.textContent)"))


def test_the_slider_counts_held_out_answers(browser: Browser, served: LoadedModel) -> None:
    decisions = asked(served, "/v1/models/reviews/decisions")
    browser.show(served.view("/sure", model="reviews", sure="0.5"))
    slider = browser.find("#sure")
    for presses in (0, 5, 8, 42):
        slider.send_keys(Keys.ARROW_RIGHT * presses)
        least = decisions["bins"]["edges"][int(slider.get_attribute("value"))]
        right, wrong = counted(decisions, least)
        n = decisions["n"]
        per_thousand = [f"{1000 * x / n:,.0f}" for x in (right, wrong, n - right - wrong)]
        assert numbers(browser)[:3] == per_thousand
        given = right + wrong
        assert numbers(browser)[3] == (f"{100 * right / given:.1f}\xa0%" if given else "–")
        assert browser.text("output") == f"{100 * least:.0f}\xa0%"
        rows = browser.run(
            "return [...document.querySelectorAll('.classes tbody tr')]"
            ".map(tr => [...tr.children].map(e => e.textContent))"
        )
        for row in rows:
            own, other = counted(decisions, least, decisions["labels"].index(row[0]))
            assert row[1].startswith(f"{100 * least:.0f}\xa0%")
            assert row[4:6] == [f"{1000 * own / n:,.0f}", f"{1000 * other / n:,.0f}"]
    browser.wait("return location.hash.includes('sure=')")
    assert browser.run(
        "return document.querySelector('#sure').getAttribute('aria-valuetext')"
    ) == browser.text("output")


def test_a_wanted_precision_is_found(browser: Browser, served: LoadedModel) -> None:
    decisions = asked(served, "/v1/models/reviews/decisions")
    browser.show(served.view("/sure", model="reviews", sure="0"))
    field = browser.find("#target")
    field.send_keys(Keys.CONTROL, "a")
    browser.press("97", Keys.ENTER)
    shares = [(edge, *counted(decisions, edge)) for edge in decisions["bins"]["edges"]]
    wanted = next(edge for edge, right, wrong in shares if right + wrong and right / (right + wrong) >= 0.97)
    assert browser.text("output") == f"{100 * wanted:.0f}\xa0%"


def class_cells(browser: Browser) -> dict[str, list[str]]:
    """Return the table of labels as it is read: precision, coverage, right, wrong and left."""
    rows = browser.run(
        "return [...document.querySelectorAll('.classes tbody tr')]"
        ".map(tr => [...tr.children].map(e => e.textContent))"
    )
    return {label: cells for label, _, *cells in rows}


def test_a_label_has_a_threshold_of_its_own(browser: Browser, served: LoadedModel) -> None:
    decisions = asked(served, "/v1/models/reviews/decisions")
    edges, labels, n = decisions["bins"]["edges"], decisions["labels"], decisions["n"]
    browser.show(served.view("/sure", model="reviews", sure="0.5"))
    before = browser.wait("return document.querySelector('.classes tbody tr') && true") and class_cells(
        browser
    )
    own = browser.find("input[aria-label='At least this sure for positive']")
    own.send_keys(Keys.ARROW_RIGHT * 12)
    least = edges[int(own.get_attribute("value"))]
    after = class_cells(browser)
    assert after["negative"] == before["negative"]
    parts = {
        label: counted(decisions, least if label == "positive" else 0.5, k) for k, label in enumerate(labels)
    }
    right, wrong = parts["positive"]
    whole = sum(counted(decisions, 0, labels.index("positive")))
    assert after["positive"][0].startswith(f"{100 * right / (right + wrong):.0f}\xa0%")
    assert after["positive"][1].replace(">", "") == f"{100 * (right + wrong) / whole:.0f}\xa0%"
    assert after["positive"][2:] == [f"{1000 * x / n:,.0f}" for x in (right, wrong, whole - right - wrong)]
    all_right, all_wrong = (sum(part[i] for part in parts.values()) for i in range(2))
    assert numbers(browser)[:2] == [f"{1000 * all_right / n:,.0f}", f"{1000 * all_wrong / n:,.0f}"]
    assert f'"thresholds":{{"positive":{least:g}}}' in browser.text(".program code").replace(" ", "")
    # the other views go by it, and the address holds it
    browser.wait("return decodeURIComponent(location.hash).includes('positive')")
    browser.show(served.view("/", text="wonderful", model="reviews", sure="0", own='[["positive",1]]'))
    browser.driver.refresh()
    browser.wait("return document.querySelector('[data-verdict=unsure]')")
    browser.show(served.view("/sure", model="reviews", sure="0.5", own='[["positive",0.9]]'))
    browser.driver.refresh()
    browser.find("button[aria-label='Treat positive like the other labels']").click()
    assert class_cells(browser) == before


@pytest.mark.parametrize("own", ["[", "{}", '[["positive", 7]]', "[1]", '[["nobody", 0.5]]', '"x"', "null"])
def test_an_address_that_somebody_changed_is_no_problem(
    browser: Browser, served: LoadedModel, own: str
) -> None:
    browser.driver.get("about:blank")
    browser.show(served.view("/sure", model="reviews", sure="0.5", own=own))
    assert browser.text("h1") == "How sure must an answer be?"
    assert browser.text("output") == "50\xa0%"


def test_a_wanted_precision_is_found_for_each_label(browser: Browser, served: LoadedModel) -> None:
    decisions = asked(served, "/v1/models/reviews/decisions")
    browser.show(served.view("/sure", model="reviews", sure="0"))
    field = browser.find("#target")
    field.send_keys(Keys.CONTROL, "a")
    browser.press("90")
    browser.find(".target button[type=button]").click()
    for k, label in enumerate(decisions["labels"]):
        shares = [(edge, *counted(decisions, edge, k)) for edge in decisions["bins"]["edges"]]
        wanted = next(
            edge for edge, right, wrong in shares if right + wrong and right / (right + wrong) >= 0.9
        )
        shown = browser.find(f"input[aria-label='At least this sure for {label}']").get_attribute(
            "aria-valuetext"
        )
        assert shown == f"{100 * wanted:.0f}\xa0%"


def test_what_is_sure_enough_holds_for_the_other_views(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view("/sure", model="reviews", sure="0.5"))
    browser.find("#sure").send_keys(Keys.END)
    browser.wait("return location.hash.includes('sure=1')")
    browser.find("nav a[href='/']").click()
    browser.find("#text").send_keys("wonderful")
    browser.wait("return document.querySelector('[data-verdict=unsure]')")


def test_the_card_shows_what_the_service_knows(browser: Browser, served: LoadedModel) -> None:
    card = asked(served, "/v1/models/reviews")
    browser.show(served.view("/models/reviews"))
    text = browser.run("return arguments[0].textContent", browser.find("main:has(h2)"))
    figures = {metric["name"]: metric for metric in card["metrics"]}
    rows = browser.run(
        "return [...document.querySelectorAll('[aria-label=\"Precision and recall\"] tbody tr')]"
        ".map(tr => [...tr.children].map(e => e.textContent.split('\\xa0')[0]))"
    )
    assert rows == [
        [label, *(f"{100 * figures[f'{kind} of {label}']['value']:.0f}" for kind in ("precision", "recall"))]
        for label in served.models["reviews"].classes_
    ]
    assert all(name in text for name in figures if " of " not in name)
    accuracy = next(m for m in card["metrics"] if m["name"] == "accuracy")
    for value in (accuracy["value"], accuracy["low"], accuracy["high"]):
        assert f"{100 * value:.1f}\xa0%" in text
    counts = browser.run(
        "return [...document.querySelectorAll('.matrix td')].map(e => Number(e.textContent))"
    )
    assert counts == [n for row in card["confusion"]["counts"] for n in row]
    for label, words in card["words"].items():
        shown = browser.run(
            "return [...document.querySelectorAll(`section[aria-label='Words of ${arguments[0]}'] tbody th`)]"
            ".map(e => e.textContent)", label,
        )  # fmt: skip
        assert shown == [word["name"] for word in words[:10]]
    errors = card["label_errors"][:12]
    listed = browser.run("return [...document.querySelectorAll('.cases small')].map(e => e.textContent)")
    assert [line.split(":")[0] for line in listed] == [f"row {error['row']}" for error in errors]
    assert card["certificate"]["reached"]
    assert "Certified" in text
    assert card["file"]["fingerprint"] in text


def test_a_model_that_is_not_there_is_told(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view("/models/nobody"))
    assert browser.text("h1") == "There is no such page"
