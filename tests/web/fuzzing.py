"""Requests made from the service's own OpenAPI document: some as it asks for, some with one thing wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import jsonschema
from hypothesis import strategies as st

from tests.web.servers import Server

Document = Mapping[str, Any]

_TEXTS = st.one_of(
    st.text(max_size=50),
    st.sampled_from(
        ["", "a good book", "\x00", "🎉", "=1+1", "<script>", "reviews", "tickets", "positive", "../x"]
    ),
)
_ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)),
    max_leaves=8,
)


def values(document: Document, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return values of a schema, as far as the document's types go."""
    if "$ref" in schema:
        return values(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return st.one_of([values(document, one) for one in schema["anyOf"]])
    kind = schema.get("type")
    if kind == "object":
        return _objects(document, schema)
    if kind == "array":
        item = values(document, schema.get("items", {}))
        least = schema.get("minItems", 0)
        return st.lists(item, min_size=least, max_size=least + 3)
    simple: dict[Any, st.SearchStrategy[Any]] = {
        "string": _TEXTS,
        "integer": st.integers(schema.get("minimum", -(10**20)), 10**20),
        "number": st.floats(
            schema.get("minimum"), schema.get("maximum"), allow_nan=False, allow_infinity=False
        ),
        "boolean": st.booleans(),
        "null": st.none(),
    }
    return simple.get(kind, _ANYTHING)


def _objects(document: Document, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "properties" not in schema:
        return st.dictionaries(_TEXTS, values(document, schema.get("additionalProperties", {})), max_size=4)
    made = {name: values(document, own) for name, own in schema["properties"].items()}
    required = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: own for name, own in made.items() if name in required},
        optional={name: own for name, own in made.items() if name not in required},
    )


@st.composite
def requests(draw: Any, document: Document) -> tuple[str, str, bytes | None, dict[str, str]]:
    """Return method, address, body and headers of a request."""
    path = draw(st.sampled_from(sorted(document["paths"])))
    method = draw(st.sampled_from(sorted(document["paths"][path])))
    operation = document["paths"][path][method]
    names = st.one_of(st.sampled_from(["reviews", "tickets", "features"]), _TEXTS)
    address = re.sub(r"\{\w+\}", lambda _: quote(draw(names), safe=""), path)
    query = {
        parameter["name"]: draw(names)
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query" and draw(st.booleans())
    }
    address += f"?{urlencode(query, errors='replace')}" if query else ""
    if draw(st.integers(0, 9)) == 0:
        method = draw(st.sampled_from(["put", "delete", "patch", "options", "get", "post"]))
    body, headers = None, {}
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]
        kind = draw(st.sampled_from(sorted(content)))
        headers["Content-Type"] = kind if draw(st.integers(0, 19)) else "text/plain"
        body = draw(_bodies(document, kind, content[kind]["schema"]))
    return method.upper(), address, body, headers


@st.composite
def _bodies(draw: Any, document: Document, kind: str, schema: Mapping[str, Any]) -> bytes:
    if kind != "application/json":
        lines = draw(st.lists(st.lists(_TEXTS, min_size=1, max_size=3), max_size=4))
        separator = "," if "csv" in kind else "\t"
        rows = [separator.join(line) for line in lines]
        objects = [json.dumps(draw(_ANYTHING)) for _ in range(2)]
        return "\n".join(draw(st.sampled_from([["text", *rows], rows, ['{"text": "a"}', *objects]]))).encode(
            "utf-8", "surrogatepass"
        )
    value = draw(st.one_of(values(document, schema), values(document, schema), _ANYTHING))
    if isinstance(value, dict) and draw(st.integers(0, 4)) == 0:
        value = value | {draw(st.sampled_from([*value, "surprise"])): draw(_ANYTHING)}
    body = json.dumps(value, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 9)) == 0:
        cut = draw(st.integers(0, len(body)))
        body = body[:cut] + draw(st.binary(max_size=4)) + body[cut + draw(st.integers(0, 3)) :]
    return body


def survive(server: Server, method: str, address: str, body: bytes | None, headers: dict[str, str]) -> int:
    """Send a request, whose answer must be no mistake of the service and say in its one shape what is wrong."""
    answer = server.ask(address, body, method=method, headers=headers)
    assert answer.status < 500, (method, address, body, headers, answer.body)
    if answer.status >= 400 and method != "HEAD":
        assert answer.error["message"]
    return answer.status


def check(
    document: Document, path: str, method: str, status: int, headers: Mapping[str, str], body: bytes
) -> None:
    """Compare an answer with the document: its status, its type and its contents."""
    operation = document["paths"][path][method]
    assert str(status) in operation["responses"], (path, status, body[:300])
    content = operation["responses"][str(status)]["content"]
    kind = headers["content-type"].partition(";")[0]
    assert kind in content
    if kind == "application/json":
        schema = content[kind]["schema"] | {"components": document["components"]}
        jsonschema.validate(json.loads(body), schema)
