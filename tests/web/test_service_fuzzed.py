"""The OpenAPI document holds: requests made from it are answered as it says, and none is a mistake of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lindy.web.http.addresses import document
from lindy.web.http.routes import Route
from tests.web import fuzzing
from tests.web.servers import Server


@pytest.fixture(scope="module")
def openapi(server: Server) -> Mapping[str, Any]:
    made: dict[str, Any] = server.ask("/openapi.json").json()
    return made


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_request_is_too_much(server: Server, openapi: Mapping[str, Any], data: st.DataObject) -> None:
    method, address, body, headers = data.draw(fuzzing.requests(openapi))
    fuzzing.survive(server, method, address, body, headers)
    assert server.ask("/health").status == 200


@pytest.mark.parametrize(
    ("path", "address", "body"),
    [
        ("/v1/predict", "/v1/predict", {"texts": ["a good book", "zzz"], "threshold": 0.9}),
        ("/v1/predict", "/v1/predict", {"text": "good", "model": "hostile"}),
        ("/v1/predict", "/v1/predict", {"text": 1}),
        ("/v1/explain", "/v1/explain", {"text": "a good book"}),
        ("/v1/compare", "/v1/compare", {"text": "a", "models": ["reviews", "hostile"]}),
        ("/v1/feedback", "/v1/feedback", {"text": "a", "label": "positive"}),
        ("/v1/models", "/v1/models", None),
        ("/v1/models/{name}", "/v1/models/reviews", None),
        ("/v1/models/{name}", "/v1/models/tickets", None),
        ("/v1/models/{name}", "/v1/models/nope", None),
        ("/v1/models/{name}/decisions", "/v1/models/reviews/decisions", None),
        ("/v1/models/{name}/decisions", "/v1/models/hostile/decisions", None),
        ("/v1/examples", "/v1/examples", None),
        ("/index.json", "/index.json?text=a", None),
        ("/compare.json", "/compare.json?text=a&other=hostile", None),
        ("/table.json", "/table.json", None),
        ("/sure.json", "/sure.json", None),
        ("/models/{name}.json", "/models/reviews.json", None),
        ("/health", "/health", None),
        ("/ready", "/ready", None),
        ("/metrics", "/metrics", None),
    ],
)
def test_answers_are_what_the_document_says(
    server: Server, openapi: Mapping[str, Any], path: str, address: str, body: Any
) -> None:
    answer = server.ask(address, body)
    fuzzing.check(
        openapi, path, "get" if body is None else "post", answer.status, answer.headers, answer.body
    )


def test_every_address_of_the_document_is_there(server: Server, openapi: Mapping[str, Any]) -> None:
    assert openapi["openapi"].startswith("3.1")
    for path, operations in openapi["paths"].items():
        for method in operations:
            answer = server.ask(
                path.replace("{name}", "reviews"), None if method == "get" else b"", method=method.upper()
            )
            assert answer.status not in (404, 405) or answer.error["code"] == "no-feedback", path


def test_a_document_lists_only_what_is_shown() -> None:
    async def nothing(*_: Any) -> Any:
        return None

    made = document(
        [
            Route("GET", "/a/{name}/b", nothing, "One.", gives=dict[str, int]),
            Route("GET", "/hidden", nothing, "Two.", is_shown=False),
        ]
    )
    assert list(made["paths"]) == ["/a/{name}/b"]
    (parameter,) = made["paths"]["/a/{name}/b"]["get"]["parameters"]
    assert (parameter["name"], parameter["in"], parameter["required"]) == ("name", "path", True)
