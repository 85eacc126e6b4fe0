"""Models and services that are not the usual ones: features with values, no probabilities, a token, one model alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from lindy import TextClassifier
from tests.chromium import Browser
from tests.web.page.conftest import LoadedModel
from tests.web.servers import Server, serving

pytestmark = pytest.mark.needs_system("chromium", "chromedriver")

LABEL = "return document.querySelector('[data-verdict=sure] .label')?.textContent"


def address(server: Server) -> str:
    return f"http://{server.host}:{server.port}"


def test_features_are_typed_with_their_values(browser: Browser, server: Server) -> None:
    browser.show(f"{address(server)}/#model=features&sure=0")
    browser.find("#text").send_keys("bad 3", Keys.ENTER, "good: 0.5", Keys.ENTER, "long")
    asked = {"model": "features", "record": {"bad": 3, "good": 0.5, "long": 1}}
    expected = server.ask("/v1/explain", asked).json()
    browser.wait(
        "return document.querySelector('.sum tbody tr:last-child td:last-child')?.textContent === arguments[0]",
        f"{expected['score']:+.3f}".replace("-", "−"),
    )
    assert browser.wait(LABEL) == expected["predicted"]


def test_a_model_without_probabilities_gives_labels(browser: Browser, server: Server) -> None:
    browser.show(f"{address(server)}/#model=hostile&text=good")
    assert browser.wait(LABEL) == "<script>alert(1)</script>"
    assert "no probabilities" in browser.text(".remark")
    assert not browser.find(".answer .bars").is_displayed()
    browser.show(f"{address(server)}/sure#model=hostile")
    browser.wait("return document.querySelector('.lead')?.textContent.includes('probabilities')")


def test_the_token_is_asked_for_once(browser: Browser, reviews: Path, tmp_path: Path) -> None:
    token = "correct-horse-battery-staple"
    (tmp_path / "token").write_text(token)
    with serving(reviews, "--token-file", tmp_path / "token") as server:
        browser.show(f"{address(server)}/#sure=0")
        browser.find("#token").send_keys("a-wrong-one-which-is-long", Keys.ENTER)
        assert "did not accept" in browser.wait(
            "return document.querySelector('dialog [role=alert]')?.textContent"
        )
        browser.find("#token").send_keys(token, Keys.ENTER)
        browser.find("#text").send_keys("wonderful")
        assert browser.wait(LABEL)
        assert not browser.find(".feedback").is_displayed()  # corrections would go nowhere
        assert "Authorization: Bearer $TOKEN" in browser.text(".program code")
        assert token not in browser.text("body")
        browser.show(f"{address(server)}/models/reviews")  # the tab remembers it
        assert browser.find("main dl.numbers").is_displayed()
        assert browser.run("return document.querySelector('dialog')") is None


def test_one_model_alone_is_not_compared(browser: Browser, reviews: Path) -> None:
    with serving(reviews) as server:
        browser.show(f"{address(server)}/compare")
        browser.wait(
            "return document.querySelector('main .lead')?.textContent.includes('has one model, reviews')"
        )
        assert not browser.find(".chooser").is_displayed()


@pytest.mark.parametrize("path", ["/compare", "/sure", "/models/perceptron"])
def test_no_view_tells_its_reader_to_type_options(browser: Browser, tmp_path: Path, path: str) -> None:
    """Who reads the page is not who runs the service."""
    model = TextClassifier(learner="perceptron", calibration="none").fit(["warm", "dull"], ["yes", "no"])
    model.save(tmp_path / "perceptron.lindy")
    with serving(tmp_path / "perceptron.lindy") as server:
        browser.show(f"{address(server)}{path}")
        said = browser.wait(
            "return document.querySelector('main h1') && document.querySelector('main').innerText"
        )
    assert "Whoever runs" in said
    assert not re.search(r"--[a-z]|lindy [a-z]+ ", said.split("From a program")[0])


def test_a_naive_bayes_card_calls_its_numbers_odds_ratios(browser: Browser, served: LoadedModel) -> None:
    heads = "return [...document.querySelectorAll('.words thead tr')].map(tr => tr.children[1].textContent)"
    browser.show(served.view("/models/counting"))
    assert set(browser.wait(f"const f = (() => {{ {heads} }})(); return f.length && f")) == {"odds ratio"}
    assert "how many times as probable the word is" in browser.text("main")
    browser.show(served.view("/models/reviews"))
    assert set(browser.wait(f"const f = (() => {{ {heads} }})(); return f.length && f")) == {"weight"}


def test_a_service_that_has_gone_is_told(browser: Browser, reviews: Path) -> None:
    with serving(reviews) as server:
        browser.show(f"{address(server)}/")
        field = browser.find("#text")
        browser.find(".program")
    field.send_keys("w")
    assert "does not answer" in browser.wait(
        "return document.querySelector('.problem:not([hidden])')?.textContent"
    )
    browser.driver.get_log("browser")  # the browser says so, too
