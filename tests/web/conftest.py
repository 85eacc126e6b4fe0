"""Models and a server that the tests of the service share, and one process of Node for those of exported models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lindy import TextClassifier
from lindy.data import samples
from tests.web.exported import Node
from tests.web.servers import Server, serving

HOSTILE = "<script>alert(1)</script>"
TICKETS = {
    "subject": ["free prize", "lunch", "win money now", "minutes of the meeting"] * 5,
    "price": [9.0, 1.0, 8.0, 2.0] * 5,
    "sender": ["bank", "friend", "bank", "friend"] * 5,
}
KINDS = ["spam", "ham", "spam", "ham"] * 5


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service")


@pytest.fixture(scope="session")
def reviews(folder: Path) -> Path:
    """A model of texts, calibrated, with what it said of held-out examples."""
    path = folder / "reviews.lindy"
    TextClassifier(learner="svm").fit_examples(samples.load("reviews-train")).save(path)
    return path


@pytest.fixture(scope="session")
def tickets(folder: Path) -> Path:
    """A model of several columns."""
    path = folder / "tickets.lindy"
    columns = {"text": ["subject"], "numeric": ["price"], "category": ["sender"]}
    TextClassifier(learner="maxent", columns=columns).fit(TICKETS, KINDS, source={"label": "kind"}).save(path)
    return path


@pytest.fixture(scope="session")
def hostile(folder: Path) -> Path:
    """A model whose labels and words are HTML, and which has no probabilities."""
    path = folder / "hostile.lindy"
    texts = [f"good {HOSTILE}", "bad <img src=x onerror=alert(1)>"] * 10
    TextClassifier(learner="svm", calibration="none").fit(texts, [HOSTILE, "=cmd|'/c calc'!A0"] * 10).save(
        path
    )
    return path


@pytest.fixture(scope="session")
def features(folder: Path) -> Path:
    """A model of features with values."""
    path = folder / "features.lindy"
    features = [{"good": 2.0, "long": 1.0}, {"bad": 1.0}] * 10
    TextClassifier(learner="svm").fit(features, ["yes", "no"] * 10).save(path)
    return path


@pytest.fixture(scope="session")
def server(reviews: Path, tickets: Path, hostile: Path, features: Path, folder: Path) -> Iterator[Server]:
    """A server with all of them."""
    corrections = folder / "corrections.csv"
    examples = samples.path("reviews-test")
    with serving(
        reviews, tickets, hostile, features, "--examples", examples, "--feedback", corrections
    ) as running:
        yield running


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    """Return a process that answers for exported models."""
    opened = Node()
    yield opened
    opened.close()
