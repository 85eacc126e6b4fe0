"""The first view: texts are answered and explained as they are typed."""

from __future__ import annotations

import csv
import json
import shlex
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest
from selenium.webdriver.common.keys import Keys

from lindy import TextClassifier
from tests.chromium import Browser
from tests.web.page.conftest import LoadedModel
from tests.web.servers import serving

pytestmark = pytest.mark.needs_system("chromium", "chromedriver")

PRAISE = "A wonderful book, the best that I have read"
BLAME = "dull and boring, a waste of money"


def answer(browser: Browser, verdict: str = "sure") -> str:
    """Return the headline of the answer, as soon as it is one of this kind."""
    return str(browser.wait(f"return document.querySelector('[data-verdict={verdict}] .label')?.textContent"))


def probabilities(browser: Browser) -> dict[str, str]:
    return dict(
        browser.run(
            "return [...document.querySelectorAll('.answer .bars li')].map("
            "li => [li.querySelector('.of').textContent, li.querySelector('.number').textContent])"
        )
    )


def test_what_is_typed_is_answered_as_the_library_does(browser: Browser, served: LoadedModel) -> None:
    model = served.models["reviews"]
    browser.show(served.view())
    browser.find("#text").send_keys(PRAISE)
    assert answer(browser) == model.predict([PRAISE])[0] == "positive"
    browser.wait("return performance.getEntriesByName('answer').length")
    shown = {
        label: round(100 * p)
        for label, p in zip(model.classes_, model.predict_proba([PRAISE])[0], strict=True)
    }
    browser.wait(
        "return document.querySelector('.answer .bars').textContent.includes(arguments[0])",
        f"{shown['positive']}\xa0%",
    )
    assert probabilities(browser) == {label: f"{p}\xa0%" for label, p in shown.items()}
    browser.find("#text").send_keys(Keys.CONTROL, "a")
    browser.press(BLAME)
    browser.wait("return document.querySelector('.label').textContent === 'negative'")
    browser.find("#text").send_keys(Keys.CONTROL, "a", Keys.BACKSPACE)
    assert answer(browser, "none") == "No text yet"
    assert not browser.find(".why").is_displayed()


@pytest.mark.parametrize(
    "text", [PRAISE, "😀😀 wonderful 👍🏽 but dull,\n\ndull", "e\u0301tude wonderful\u200d🧑‍🚀"]
)
def test_words_are_marked_by_what_they_add(text: str, browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(text=text, model="reviews"))
    browser.wait("return document.querySelector('.why .text')?.textContent")
    browser.run(
        "document.querySelectorAll('.text mark').forEach(e =>"
        " e.dispatchEvent(new PointerEvent('pointerover', {bubbles: true})))"
    )
    pieces = browser.run(
        "return [...document.querySelector('.why .text').childNodes].map(e => e.nodeName === 'MARK'"
        " ? [e.lastChild.data, e.className, e.title] : [e.textContent, '', ''])"
    )
    assert "".join(piece for piece, *_ in pieces) == text
    strong = [
        s for s in served.models["reviews"].explain(text).segments() if s.is_word and abs(s.share) >= 0.1
    ]
    marked = [piece for piece in pieces if piece[1]]
    assert [(piece, kind) for piece, kind, _ in marked] == [
        (s.text, "for" if s.credit > 0 else "against") for s in strong
    ]
    assert [title.replace("−", "-") for *_, title in marked] == [f"{s.credit:+.3f}" for s in strong]


EDITS = [
    "A wonderful, warm book",
    "A wonderful, warm book and dull, dull, dull",
    "A wonderful, dull, dull",
    "dull, dull",
    "dull wonderful dull, qwxyz dull",
    "qwxyz, dull wonderful dull",
    "wonderful",
    "a" * 20_100 + " wonderful",
    "a" * 20_101 + " wonderful",
    "wonderful wonderful",
]


def put(browser: Browser, text: str) -> str:
    """Put a text into the field as a paste does, and return its marked words when they are shown."""
    field = browser.find("#text")
    script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
    browser.run(script, field, text)
    left = len(text) - 20_000
    expected = text if left <= 0 else f"{text[:20_000]} … {left} more characters"
    marked = browser.wait(
        "const e = document.querySelector('.why .text');"
        "return e?.textContent.replace(/[+−]/g, '') === arguments[0] && e.innerHTML",
        expected,
    )
    return str(marked)


def test_a_text_that_changes_looks_like_one_that_was_there_at_once(
    browser: Browser, served: LoadedModel
) -> None:
    browser.show(served.view(model="reviews"))
    changed = [put(browser, text) for text in EDITS]
    for text, marked in zip(EDITS, changed, strict=True):
        browser.driver.get("about:blank")
        browser.show(served.view(model="reviews"))
        assert put(browser, text) == marked


def test_unsure_and_unknown_are_answers_of_their_own(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(text="A book", model="reviews", sure="0.99"))
    assert answer(browser, "unsure") == "Unsure"
    assert "at least 99\xa0% sure" in browser.text(".remark")
    browser.find("#text").send_keys(Keys.CONTROL, "a")
    browser.press("qwxyz vvvrrr")
    assert answer(browser, "unknown") == "No known word"
    browser.wait("return document.querySelector('.text').textContent.includes('vvvrrr')")  # the last key
    assert browser.run("return [...document.querySelectorAll('.text .unknown')].map(e => e.textContent)") == [
        "qwxyz",
        "vvvrrr",
    ]


def test_an_answer_is_read_out_when_typing_ends(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(model="reviews"))
    browser.find("#text").send_keys(PRAISE)
    said = browser.wait(
        "return document.querySelector('section[aria-label=Answer] > [aria-live]').textContent"
    )
    assert said.startswith("positive, ")


def test_the_address_holds_the_text(browser: Browser, served: LoadedModel) -> None:
    text = "wonderful & “dull” 100 % #1"
    browser.show(served.view(model="reviews", sure="0"))
    browser.find("#text").send_keys(text)
    fragment = browser.wait("return location.hash.includes('100') && location.hash")
    assert parse_qs(fragment[1:])["text"] == [text]
    address = browser.driver.current_url
    browser.run("sessionStorage.clear()")
    browser.driver.get("about:blank")
    browser.show(address)
    assert answer(browser)
    assert browser.find("#text").get_attribute("value") == text


def test_examples_can_be_clicked(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(model="reviews", sure="0"))
    button = browser.find(".examples button")
    example = button.text
    button.click()
    assert answer(browser)
    assert browser.find("#text").get_attribute("value").startswith(example[:40])
    with served.test_file.open(encoding="utf-8") as file:
        assert example[:40] in file.read()


def test_another_model_answers_when_it_is_chosen(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(model="reviews"))
    browser.find("#text").send_keys(PRAISE)
    assert answer(browser) == "positive"
    before = probabilities(browser)
    browser.find("#model").send_keys("counting")
    browser.wait("return document.querySelector('h1').textContent.includes('counting')")
    assert answer(browser) == served.models["counting"].predict([PRAISE])[0]
    assert probabilities(browser) != before
    assert browser.focused() == "Model"
    browser.wait("return location.hash.includes('model=counting')")


def test_another_label_can_be_explained(browser: Browser, served: LoadedModel) -> None:
    text = "about topic3 and matter3"
    browser.show(served.view(text=text, model="many", sure="0"))
    assert answer(browser) == "topic_3_of_150"
    assert len(probabilities(browser)) == 6
    browser.find("#why-label").send_keys("topic_7_of_150")
    browser.wait("return document.querySelector('.legend .for').textContent.includes('topic_7_of_150')")
    assert answer(browser) == "topic_3_of_150"
    browser.find("button[aria-expanded]").click()
    assert len(probabilities(browser)) == 150


def test_all_that_was_added_up_is_the_score(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(text=PRAISE, model="reviews"))
    answer(browser)
    rows = browser.run(
        "return [...document.querySelectorAll('.sum tbody tr')].map(tr => tr.lastChild.textContent.replace('−', '-'))"
    )
    explanation = served.models["reviews"].explain(PRAISE)
    added, bias = explanation.against()
    assert float(rows[-1]) == pytest.approx(added.sum() + bias, abs=6e-4)
    assert sum(map(float, rows[:-1])) == pytest.approx(float(rows[-1]), abs=6e-4 * len(rows))


def test_corrections_are_kept(browser: Browser, served: LoadedModel) -> None:
    text = 'wonderful, said "nobody",\never'
    browser.show(served.view(text=text, model="reviews", sure="0"))
    given = answer(browser)
    browser.find(".feedback button").click()
    assert browser.focused() == "The right label is"
    right = ({"negative", "positive"} - {given}).pop()
    browser.press(right, Keys.TAB, Keys.ENTER)
    browser.wait(
        "return document.querySelector('.feedback [role=status]').textContent.startsWith('Thank you')"
    )
    with served.corrections.open(encoding="utf-8", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["text"] == text)
    assert (row["lindy_label"], row["lindy_predicted"]) == (right, given)


def test_a_new_label_can_be_typed_where_it_is_taken(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "corrections.csv"
    TextClassifier(learner="naive-bayes").fit(["warm", "dull"], ["yes", "no"]).save(tmp_path / "a.lindy")
    with serving(tmp_path / "a.lindy", "--feedback", path, "--new-labels") as server:
        browser.show(f"http://{server.host}:{server.port}/#{urlencode({'text': 'warm', 'sure': '0'})}")
        answer(browser)
        browser.find(".feedback button").click()
        browser.press("another", Keys.TAB)
        browser.find("#new-label").send_keys("perhaps", Keys.ENTER)
        browser.wait(
            "return document.querySelector('.feedback [role=status]').textContent.startsWith('Thank you')"
        )
    with path.open(encoding="utf-8", newline="") as file:
        assert [row["lindy_label"] for row in csv.DictReader(file)] == ["perhaps"]


def test_models_of_several_columns_have_a_field_for_each(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(model="columns"))
    labels = browser.wait(
        "const found = [...document.querySelectorAll('.columns label bdi')].map(e => e.textContent);"
        "return found.length && found"
    )
    assert labels == ["subject", "body", "price", "sender"]
    for number, value in enumerate(["lunch on friday", "see you at home", "1", "friend"]):
        browser.find(f"#column-{number}").send_keys(value)
    browser.wait("return document.querySelector('[data-verdict=sure] .label')?.textContent === 'ham'")
    browser.find("#column-2").send_keys(" euros")
    assert "price" in browser.wait("return document.querySelector('.problem:not([hidden])')?.textContent")


def test_the_command_asks_for_what_is_shown(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(text="it's “wonderful” $HOME", model="reviews", sure="0"))
    label = answer(browser)
    browser.find(".program summary").click()
    words = shlex.split(browser.text(".program code"))
    assert words[0] == "curl"
    options = dict(zip(words[1:-1:2], words[2:-1:2], strict=True))
    request = urllib.request.Request(words[-1], options["-d"].encode(), dict([options["-H"].split(": ")]))
    with urllib.request.urlopen(request) as response:
        assert json.load(response)["label"] == label
    with urllib.request.urlopen(browser.find(".program a").get_attribute("href")) as response:
        assert json.load(response)


def test_everything_can_be_done_by_keyboard(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(model="reviews", sure="0"))
    browser.wait("return document.activeElement.id === 'text'")
    browser.press("wonderful", Keys.TAB)
    answer(browser)
    seen = [browser.focused()]
    for _ in range(30):
        browser.press(Keys.TAB)
        seen.append(browser.focused())
    assert "This is wrong" in seen
    assert "Explain" in seen
    assert "From a program" in seen
    browser.run("document.activeElement.blur(); document.querySelector('.skip').focus()")
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "main"
    assert browser.run("return location.hash.includes('text=wonderful')")


def test_a_text_too_long_to_be_explained_is_answered(browser: Browser, served: LoadedModel) -> None:
    browser.show(served.view(model="reviews"))
    browser.run(
        "const field = arguments[0]; field.value = 'wonderful '.repeat(15000); field.dispatchEvent(new Event('input'))",
        browser.find("#text"),
    )
    assert answer(browser) == "positive"
    assert "too long" in browser.text(".why .note")
    browser.wait("return location.hash.includes('model=reviews')")
    assert "text=" not in browser.driver.current_url


def test_letters_are_told_from_words(browser: Browser, served: LoadedModel) -> None:
    names = ["words__prize", "chars__ 08", "prize", "chars__<b>"]
    script = """
    const done = arguments[arguments.length - 1];
    import("/static/dom.js").then(dom => done(arguments[0].map(label => dom.feature(label).textContent)));
    """
    browser.show(served.view(model="reviews"))
    shown = browser.driver.execute_async_script(script, names)
    assert shown == ["prize", "␣08 letters", "prize", "<b> letters"]
