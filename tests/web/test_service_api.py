"""What the service answers: the library's own results, in the documented form."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lindy.evaluation.predictions import FIELDS
from lindy.textclassifier import TextClassifier, load
from lindy.web.messages import Result
from tests.web.conftest import HOSTILE
from tests.web.servers import Server

TEXTS = ["A wonderful book, I loved it.", "dull, long and badly written", "", "zzz qqq", "été 🎉 \u0000 book"]


@pytest.fixture(scope="module")
def model(reviews: Path) -> TextClassifier:
    return load(reviews)


def test_results_are_the_librarys_in_the_order_of_the_texts(server: Server, model: TextClassifier) -> None:
    many = TEXTS * 300  # also through the thread for long requests
    for texts in (TEXTS, many):
        reply = server.ask("/v1/predict", {"texts": texts}).json()
        answers = model.predictions(texts)
        assert reply["model"] == "reviews"
        assert [r["label"] for r in reply["results"]] == model.classes_[answers.best].tolist()
        for result, row in zip(reply["results"], answers.values, strict=True):
            assert result["probabilities"] == dict(zip(model.classes_.tolist(), row.tolist(), strict=True))
            assert result["probability"] == row.max()
            assert list(result["probabilities"].values()) == sorted(row.tolist(), reverse=True)
            assert not result["rejected"]
            assert "best" not in result
        assert [r["known"] for r in reply["results"]] == np.diff(
            model.vectorizer_.transform_csr(texts).indptr
        ).tolist()
    assert reply["results"][2]["known"] == 0


def test_results_have_the_fields_of_predictions() -> None:
    assert Result.__struct_fields__ == tuple(FIELDS)


def test_one_text_is_a_list_of_one(server: Server) -> None:
    one = server.ask("/v1/predict", {"text": TEXTS[0]}).json()
    assert one == server.ask("/v1/predict", {"texts": TEXTS[:1], "model": "reviews"}).json()


def test_the_best_labels_and_thresholds(server: Server) -> None:
    ask = {"text": TEXTS[0], "top_k": 1}
    (result,) = server.ask("/v1/predict", ask).json()["results"]
    assert list(result["probabilities"]) == [result["label"]]
    label, p = result["label"], result["probability"]
    for wish in (
        {"threshold": 1},
        {"thresholds": {label: 1}},
        {"threshold": 0.1, "thresholds": {label: 1.0}},
    ):
        (rejected,) = server.ask("/v1/predict", ask | wish).json()["results"]
        assert rejected["rejected"]
        assert rejected["label"] is None
        assert rejected["best"] == label
        assert rejected["probability"] == p
    (kept,) = server.ask("/v1/predict", ask | {"threshold": 1, "thresholds": {label: 0}}).json()["results"]
    assert kept["label"] == label


def test_a_coverage_asks_for_sets_of_labels(server: Server, model: TextClassifier) -> None:
    ask = {"texts": TEXTS, "coverage": 0.95}
    given = [result["label"] for result in server.ask("/v1/predict", ask).json()["results"]]
    assert given == [list(labels) for labels in model.predict_set(TEXTS, 0.95)]
    for wrong, said in (({"coverage": 1.0}, "less than 1"), ({"threshold": 0.5}, "without thresholds")):
        reply = server.ask("/v1/predict", ask | wrong)
        assert reply.status == 400
        assert said in reply.json()["error"]["message"]
    reply = server.ask("/v1/predict", ask | {"model": "hostile"})
    assert reply.status == 400
    assert "held out" in reply.json()["error"]["message"]


def test_a_model_without_probabilities_has_scores(server: Server, hostile: Path) -> None:
    (result,) = server.ask("/v1/predict", {"text": "good", "model": "hostile"}).json()["results"]
    assert result["label"] == HOSTILE
    assert result["probability"] is None
    assert result["probabilities"] is None
    values = load(hostile).predictions(["good"]).values[0].tolist()
    assert sorted(result["scores"].values()) == sorted(values)
    refused = server.ask("/v1/predict", {"text": "good", "model": "hostile", "threshold": 0.5})
    assert refused.status == 400
    assert refused.error["code"] == "no-probabilities"


def test_records_of_several_columns(server: Server, tickets: Path) -> None:
    records = [
        {"subject": "free prize", "price": 9, "sender": "bank"},
        {"sender": None, "price": "2.5", "subject": "lunch"},
    ]
    reply = server.ask("/v1/predict", {"records": records, "model": "tickets"}).json()
    table = {"subject": ["free prize", "lunch"], "price": [9.0, 2.5], "sender": ["bank", ""]}
    expected = load(tickets).predictions(table)
    assert [r["probability"] for r in reply["results"]] == pytest.approx(expected.values.max(axis=1).tolist())
    explained = server.ask("/v1/explain", {"record": records[0], "model": "tickets"}).json()
    assert explained["label"] == "spam"
    assert "free prize" in explained["text"]


def test_features_with_values(server: Server) -> None:
    asked = {"records": [{"good": 1.5}, {"bad": 1, "new": 2}], "model": "features"}
    assert [r["label"] for r in server.ask("/v1/predict", asked).json()["results"]] == ["yes", "no"]
    assert server.ask("/v1/explain", {"record": {"good": 1.5}, "model": "features"}).json()["known"] == 1


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("label", [None, "positive", "negative"])
def test_explanations_add_up(server: Server, model: TextClassifier, text: str, label: str | None) -> None:
    asked = {"text": text} | ({} if label is None else {"label": label})
    reply = server.ask("/v1/explain", asked).json()
    (predicted,) = model.predict([text]).tolist()
    assert reply["predicted"] == predicted
    assert reply["label"] == (label or predicted)
    assert {reply["label"], reply["against"]} == {"positive", "negative"}
    total = reply["bias"]
    for feature in reply["features"]:
        total += feature["addend"]
        assert feature["value"] * feature["weight"] == pytest.approx(feature["addend"])
    assert total == reply["score"]
    score = float(model.decision_function([text])[0])
    assert reply["score"] == pytest.approx(score if reply["label"] == "positive" else -score, abs=1e-5)
    sizes = [abs(feature["addend"]) for feature in reply["features"]]
    assert sizes == sorted(sizes, reverse=True)
    assert reply["text"] == text
    assert reply["known"] == len(sizes)
    ends = [0]
    for span in reply["spans"]:
        assert ends[-1] <= span["start"] < span["end"] <= len(text)
        ends.append(span["end"])
    assert sum(span["weight"] for span in reply["spans"]) == pytest.approx(
        reply["score"] - reply["bias"], abs=1e-9
    )


def test_models_side_by_side(server: Server) -> None:
    reply = server.ask("/v1/compare", {"texts": TEXTS[:2], "models": ["reviews", "hostile"]}).json()
    assert [part["model"] for part in reply["results"]] == ["reviews", "hostile"]
    alone = server.ask("/v1/predict", {"texts": TEXTS[:2], "model": "reviews"}).json()
    assert reply["results"][0] == alone
    assert reply["differs"] == [True, True]
    same = server.ask("/v1/compare", {"text": TEXTS[0], "models": ["reviews", "reviews"]}).json()
    assert same["differs"] == [False]


def test_the_list_of_models(server: Server) -> None:
    reply = server.ask("/v1/models").json()
    models = {entry["name"]: entry for entry in reply["models"]}
    assert list(models) == ["reviews", "tickets", "hostile", "features"]
    assert [entry["default"] for entry in reply["models"]] == [True, False, False, False]
    assert models["reviews"]["columns"] is None
    assert models["tickets"]["columns"] == {"text": ["subject"], "numeric": ["price"], "category": ["sender"]}
    assert [entry["takes"] for entry in reply["models"]] == ["texts", "records", "texts", "features"]
    assert reply["feedback"] is True


def test_a_card_shows_what_was_held_out(server: Server, model: TextClassifier, reviews: Path) -> None:
    card = server.ask("/v1/models/reviews").json()
    assert card["recipe"] == model.recipe_
    assert {entry["label"]: entry["count"] for entry in card["classes"]} == dict(
        zip(model.classes_.tolist(), model.class_counts_.tolist(), strict=True)
    )
    assert card["certificate"]["reached"]
    assert model.outcomes_ is not None
    assert card["held_out"] == model.outcomes_.n == 300
    assert card["tested_on"] == "held-out examples"
    metrics = {entry["name"]: entry for entry in card["metrics"]}
    counts = np.array(card["confusion"]["counts"])
    assert metrics["accuracy"]["value"] == pytest.approx(counts.trace() / counts.sum())
    assert metrics["recall of positive"]["value"] == pytest.approx(counts[1, 1] / counts[1].sum())
    for entry in card["metrics"]:
        assert entry["low"] <= entry["value"] <= entry["high"]
    assert all(words and words[0]["weight"] >= words[-1]["weight"] for words in card["words"].values())
    assert card["file"]["bytes"] == reviews.stat().st_size
    assert server.ask("/models/reviews.json").json() == card


def test_decisions_count_what_was_held_out(server: Server) -> None:
    card = server.ask("/v1/models/reviews").json()
    reply = server.ask("/v1/models/reviews/decisions").json()
    right, wrong = (np.array(reply["bins"][name]) for name in ("right", "wrong"))
    assert reply["bins"]["edges"] == [b / 100 for b in range(101)]
    assert right.shape == wrong.shape == (100, 2)
    assert (right + wrong).sum() == reply["n"] == 300
    assert right.sum(axis=0).tolist() == np.diag(card["confusion"]["counts"]).tolist()
    assert (right + wrong)[:50].sum() == 0  # a label that is taken has at least half
    assert server.ask("/sure.json?model=reviews").json() == reply
    nothing = server.ask("/v1/models/hostile/decisions").json()
    assert (nothing["n"], nothing["bins"]) == (None, None)


def test_views_have_their_data(server: Server) -> None:
    examples = server.ask("/v1/examples").json()["examples"]
    assert len(examples) == 12
    for path in ("/index.json", "/.json"):
        view = server.ask(path).json()
        assert view == {
            "models": server.ask("/v1/models").json()["models"],
            "examples": examples,
            "explanation": None,
        }
    text = server.ask("/index.json?text=a+wonderful%20book&model=reviews").json()["explanation"]
    assert text == server.ask("/v1/explain", {"text": "a wonderful book"}).json()
    both = server.ask("/compare.json?text=a+wonderful%20book&model=reviews&other=hostile").json()[
        "comparison"
    ]
    asked = {"text": "a wonderful book", "models": ["reviews", "hostile"]}
    assert both == server.ask("/v1/compare", asked).json()
    assert server.ask("/table.json").json() == server.ask("/v1/models").json()
    assert server.ask("/docs.json").json() == server.ask("/openapi.json").json()


def test_health_and_readiness(server: Server) -> None:
    assert server.ask("/health").json() == {"status": "ok"}
    assert server.ask("/ready").json() == {"status": "ready"}
    head = server.ask("/health", method="HEAD")
    assert (head.status, head.body) == (200, b"")


WRONG: list[tuple[str, Any, int, str]] = [
    ("/v1/predict", b"{", 400, "invalid-json"),
    ("/v1/predict", b"", 400, "invalid-json"),
    ("/v1/predict", b'{"text": "\xff"}', 400, "invalid-json"),
    ("/v1/predict", b"[" * 100_000, 400, "wrong-value"),
    ("/v1/predict", b'{"text": "a", "x": ' + b"[" * 100_000, 400, "wrong-value"),
    ("/v1/predict", {"text": 3}, 400, "wrong-value"),
    ("/v1/predict", {"texts": ["a", None]}, 400, "wrong-value"),
    ("/v1/predict", {"texts": []}, 400, "wrong-value"),
    ("/v1/predict", {"texts": ["a"] * 10_001}, 400, "wrong-value"),
    ("/v1/predict", {"text": "a", "top_k": 0}, 400, "wrong-value"),
    ("/v1/predict", {"text": "a", "threshold": 1.5}, 400, "wrong-value"),
    ("/v1/predict", {"text": "a", "surprise": 1}, 400, "wrong-value"),
    ("/v1/predict", {}, 400, "wrong-inputs"),
    ("/v1/predict", {"text": "a", "texts": ["b"]}, 400, "wrong-inputs"),
    ("/v1/predict", {"text": "a", "model": "tickets"}, 400, "wrong-inputs"),
    ("/v1/predict", {"records": [{"text": "a"}]}, 400, "wrong-inputs"),
    ("/v1/predict", {"records": [{"subject": "a", "price": 1}], "model": "tickets"}, 400, "missing-column"),
    (
        "/v1/predict",
        {"records": [{"subject": "a", "price": 1, "sender": "b", "x": 1}], "model": "tickets"},
        400,
        "unknown-column",
    ),
    (
        "/v1/predict",
        {"records": [{"subject": "a", "price": "dear", "sender": "b"}], "model": "tickets"},
        400,
        "wrong-value",
    ),
    ("/v1/predict", {"text": "a", "model": "review"}, 404, "unknown-model"),
    ("/v1/predict", {"text": "a", "thresholds": {"good": 0.5}}, 400, "unknown-label"),
    ("/v1/explain", {"text": "a", "label": "good"}, 400, "unknown-label"),
    ("/v1/explain", {"text": "a" * 100_001}, 413, "too-long"),
    ("/v1/compare", {"text": "a", "models": ["reviews"]}, 400, "wrong-value"),
    ("/v1/compare", {"text": "a", "models": ["reviews", "nope"]}, 404, "unknown-model"),
    ("/v1/models/nope", None, 404, "unknown-model"),
    ("/v1/nothing", None, 404, "not-found"),
    ("/static/../service.py", None, 404, "not-found"),
    ("/static/%2e%2e/service.py", None, 404, "not-found"),
    ("/v1/predict", None, 405, "wrong-method"),
]


@pytest.mark.parametrize(("path", "body", "status", "code"), WRONG)
def test_what_is_wrong_is_said(server: Server, path: str, body: Any, status: int, code: str) -> None:
    answer = server.ask(path, body)
    assert (answer.status, answer.error["code"]) == (status, code)
    assert answer.error["message"]


def test_a_wrong_name_is_corrected(server: Server) -> None:
    error = server.ask("/v1/predict", {"text": "a", "model": "review"}).error
    assert "Did you mean 'reviews'?" in error["message"]
    assert error["detail"]["models"][0] == "reviews"


def test_a_body_that_is_not_declared_as_json(server: Server) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = server.ask("/v1/predict", b"{}", headers=form)
    assert (answer.status, answer.error["code"]) == (415, "not-json")


def test_a_text_of_ten_megabytes_is_answered_and_more_is_refused(server: Server) -> None:
    (result,) = server.ask("/v1/predict", {"text": "wonderful " * 1_000_000}).json()["results"]
    assert result["label"] == "positive"
    answer = server.ask("/v1/predict", {"text": "x" * (17 << 20)})
    assert (answer.status, answer.error["code"]) == (413, "too-large")


def test_the_features_that_are_not_listed_are_one_number(server: Server) -> None:
    whole = server.ask("/v1/explain", {"text": "a wonderful but dull book"}).json()
    assert whole["others"] is None
    for top in (0, 1, 3):
        asked = {"text": "a wonderful but dull book", "top_features": top}
        short = server.ask("/v1/explain", asked).json()
        assert short["features"] == whole["features"][:top]
        rest = [feature["addend"] for feature in whole["features"][top:]]
        assert short["others"] == {"count": len(rest), "addend": pytest.approx(sum(rest))}
        assert short["score"] == whole["score"]
    assert server.ask("/v1/explain", {"text": "a", "top_features": -1}).status == 400


def test_every_answer_names_the_file_that_gave_it(server: Server, reviews: Path, tickets: Path) -> None:
    version, other = (hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in (reviews, tickets))
    entries = {entry["name"]: entry for entry in server.ask("/v1/models").json()["models"]}
    assert (entries["reviews"]["version"], entries["tickets"]["version"]) == (version, other)
    assert entries["reviews"]["file"] == "reviews.lindy"
    written = datetime.fromisoformat(entries["reviews"]["trained_at"]).timestamp()
    assert written == int(reviews.stat().st_mtime)
    record = {"subject": "a", "price": 1, "sender": "b"}
    for path, body in [
        ("/v1/predict", {"text": "a"}),
        ("/v1/predict", {"texts": ["a", "b"], "threshold": 0.5}),
        ("/v1/explain", {"text": "a"}),
        ("/v1/models/reviews/decisions", None),
    ]:
        assert server.ask(path, body).json()["model_version"] == version
    asked = {"records": [record], "model": "tickets"}
    assert server.ask("/v1/predict", asked).json()["model_version"] == other
    results = server.ask("/v1/compare", {"text": "a", "models": ["reviews", "hostile"]}).json()["results"]
    assert results[0]["model_version"] == version != results[1]["model_version"]
    card = server.ask("/v1/models/reviews").json()
    assert (card["version"], card["file"]["name"]) == (version, "reviews.lindy")
    figures = server.ask("/metrics").body.decode()
    assert f'lindy_model_info{{model="reviews",version="{version}",' in figures
    table = server.ask("/v1/table", b"text\na\n", headers={"Content-Type": "text/csv"})
    assert table.headers["lindy-model-version"] == version


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/v1/predict", {"texts": "a"}, "texts must be a list, not a string"),
        ("/v1/predict", {"texts": ["a", 1]}, "entry 2 of texts must be a string, not a whole number"),
        ("/v1/predict", {"texts": []}, "texts must have at least 1 entry"),
        ("/v1/predict", {"text": None}, "text must be a string, not null"),
        ("/v1/predict", {"text": "a", "top_k": 0}, "top_k must be at least 1"),
        ("/v1/predict", {"text": "a", "top_k": 1.5}, "top_k must be a whole number, not a number"),
        ("/v1/predict", {"text": "a", "threshold": 2}, "threshold must be at most 1"),
        ("/v1/predict", {"thresholds": {"a": "b"}}, "a value of thresholds must be a number, not a string"),
        (
            "/v1/predict",
            {"records": [{"a": []}]},
            "a value of entry 1 of records must be true or false, a whole number, a number, a string or null, not a",
        ),
        ("/v1/predict", [], "the body must be an object, not a list"),
        (
            "/v1/predict",
            {"txt": "a"},
            "there is no field 'txt'. Did you mean 'text'? The fields are text, texts,",
        ),
        ("/v1/feedback", {"text": "a"}, "the field 'label' is missing"),
        ("/v1/compare", {"text": "a", "models": ["x"]}, "models must have at least 2 entries"),
        ("/v1/predict", b'{"text": "a"', "the body is not JSON: it ends too early"),
        ("/v1/predict", b" ", "the body is empty, expected JSON"),
        ("/v1/predict", b"{'text': 1}", "the body is not JSON: JSON is malformed"),
        ("/v1/predict", b'{"text": "\xff"}', "the body is not in UTF-8"),
    ],
)
def test_json_errors_are_in_words(server: Server, path: str, body: Any, says: str) -> None:
    answer = server.ask(path, body)
    assert answer.status == 400
    assert says in answer.error["message"]
