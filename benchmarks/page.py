"""How fast the page of ``lindy serve`` answers: ``python -m benchmarks.page``.

A real browser types texts, one key after the other; a time runs from the keystroke to the changed page. It shall be
below 50 ms, and the first view below 200 kB.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from tests.chromium import Browser
from tests.web.servers import serving

from benchmarks.harness import corpus_folder
from lindy import TextClassifier
from lindy.data import read_examples

CORPORA = ("sms-spam", "clinc150", "20news-bydate")
TYPED = "please tell me whether I have won the free prize before we play hockey tonight"
BAR_MS, BAR_BYTES = 50, 200_000

# every measure of the page is replaced by the next one: an observer keeps them all
KEEP = """
window.kept = [];
new PerformanceObserver(list => kept.push(...list.getEntries().filter(e => e.name === "answer").map(e => e.duration)))
    .observe({type: "measure"});
"""
BYTES = """
return [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, e) => sum + e.decodedBodySize, 0);
"""


def typed(browser: Browser, address: str, before: str) -> tuple[list[float], int]:
    """Type behind a text, and return the milliseconds of every key, and the bytes that were loaded before."""
    browser.driver.get("about:blank")
    browser.show(address)
    field = browser.find("#text")
    size = browser.wait(BYTES)
    browser.run("arguments[0].value = arguments[1]", field, before)
    browser.run(KEEP)
    for key in TYPED:
        answers = browser.run("return kept.length")
        field.send_keys(key)
        browser.wait("return kept.length > arguments[0]", answers)
    return list(browser.run("return kept")), int(size)


def line(name: str, length: int, times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=20)
    return f"{name:16}{length:>12,}{statistics.median(times):>10.1f}{cuts[18]:>10.1f}{max(times):>10.1f}"


def main() -> None:
    browser: Any = Browser()
    print(f"{'model':16}{'characters':>12}{'median ms':>10}{'95 %':>10}{'most':>10}")
    try:
        browser.resize(1280)
        for name in CORPORA:
            folder = corpus_folder(name)
            if folder is None:
                print(f"{name}: the corpus is not there")
                continue
            (table,) = folder.glob("train.csv*")
            data = read_examples(table)
            with tempfile.TemporaryDirectory() as place:
                path = Path(place) / f"{name}.lindy"
                TextClassifier(fast=True).fit(data.texts, data.labels).save(path)
                with serving(path) as server:
                    address = f"http://{server.host}:{server.port}/"
                    for before in ("", "a text that is rather long goes on " * 150):
                        times, size = typed(browser, address, before)
                        print(line(name, len(before) + len(TYPED), times))
    finally:
        browser.driver.quit()
    print(f"\nbars: {BAR_MS} ms, and {BAR_BYTES:,} bytes for the first view, which has {size:,}")


if __name__ == "__main__":
    main()
