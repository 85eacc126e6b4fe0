"""A service with several models, a browser that shows its page, and the same models for comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pytest

from lindy import TextClassifier
from lindy.data import samples
from tests.chromium import Browser
from tests.web.servers import serving

HOSTILE = [
    "<script>document.hacked = 1</script>",
    "\"'><img src=x onerror='document.hacked = 1'>",
    "right\u202eto left",
    "long name " * 30,
    "x" * 300,
    "__proto__",
    "עברית",
]
MANY = 150
COLUMNS = {"text": ["subject", "body"], "numeric": ["price"], "category": ["sender"]}


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A running service and what it serves."""

    address: str
    models: dict[str, TextClassifier]
    corrections: Path
    test_file: Path

    def view(self, path: str = "/", **settings: str) -> str:
        """Return the address of a view with settings."""
        return f"{self.address}{path}" + (f"#{urlencode(settings)}" if settings else "")


def _models() -> dict[str, TextClassifier]:
    """Return the models: two that can be compared, and those that pages find hard."""
    reviews = samples.load("reviews-train")
    rng = np.random.default_rng(0)
    hostile = np.arange(8 * len(HOSTILE)) % len(HOSTILE)
    many = np.arange(4 * MANY) % MANY
    rows = pd.DataFrame(
        {
            "subject": ["win a prize", "lunch on friday"] * 20,
            "body": ["free cash now", "see you at home"] * 20,
            "price": rng.normal([10.0, 1.0] * 20),
            "sender": ["stranger", "friend"] * 20,
        }
    )
    return {
        "reviews": TextClassifier(learner="maxent").fit(reviews.texts, reviews.labels),
        "counting": TextClassifier(learner="naive-bayes").fit(reviews.texts, reviews.labels),
        "hostile": TextClassifier(learner="svm").fit(  # which keeps what it said of held-out texts
            [f"word{c} and{c} {HOSTILE[c][:40]}" for c in hostile], [HOSTILE[c].strip() for c in hostile]
        ),
        "many": TextClassifier(learner="maxent").fit(
            [f"about topic{c} and matter{c % 7}" for c in many], [f"topic_{c}_of_{MANY}" for c in many]
        ),
        "columns": TextClassifier(learner="maxent", columns=COLUMNS).fit(rows, ["spam", "ham"] * 20),
    }


def _write_test(path: Path) -> None:
    """Write labelled reviews, with the columns of all models beside them."""
    reviews = samples.load("reviews-test")
    assert reviews.labels is not None
    table = {"text": reviews.texts.to_pylist(), "label": reviews.labels.to_pylist()}
    other = {"subject": "lunch", "body": "see you at home", "price": 1.0, "sender": "friend"}
    pd.DataFrame(table | other).to_csv(path, index=False)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoadedModel]:
    """A real service on loopback."""
    folder = tmp_path_factory.mktemp("served")
    models = _models()
    for name, model in models.items():
        model.save(folder / f"{name}.lindy")
    corrections, test_file = folder / "corrections.csv", folder / "test.csv"
    _write_test(test_file)
    options: list[str | Path] = ["--test", test_file, "--examples", test_file, "--feedback", corrections]
    with serving(*(folder / f"{name}.lindy" for name in models), *options) as server:
        yield LoadedModel(f"http://{server.host}:{server.port}", models, corrections, test_file)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    opened = Browser()
    yield opened
    opened.driver.quit()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """A wide window without memories.

    Whatever happens in it, no label may run or fetch anything, and the browser may not complain, for example that the
    page breaks its own policy.
    """
    chromium.resize(1280)
    chromium.driver.get("about:blank")
    chromium.driver.get_log("browser")
    chromium.requests()
    yield chromium
    complaints = [entry for entry in chromium.driver.get_log("browser") if _is_complaint(entry)]
    hacked = chromium.run("return document.hacked || document.querySelector('img, main script')?.outerHTML")
    others = [a for a in chromium.requests() if not a.startswith(("http://127.0.0.1:", "blob:", "about:"))]
    chromium.run("if (location.protocol === 'http:') sessionStorage.clear()")
    assert (complaints, hacked, others) == ([], None, [])


def _is_complaint(entry: dict[str, Any]) -> bool:
    """Whether an entry of the log is more than the browser's note that a request was refused."""
    return "Failed to load resource: the server responded with a status of 4" not in entry["message"]
