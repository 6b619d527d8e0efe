"""The API's page, from its OpenAPI document."""

import re
from typing import Any

from api.schema_page import render_page


def test_the_contents_list_the_endpoints_in_the_order_of_the_page() -> None:
    def operation(tag: str) -> dict[str, Any]:
        return {"tags": [tag], "summary": "It does", "responses": {}}

    paths = {"/a": {"get": operation("One")}, "/b": {"get": operation("Two")}, "/c": {"get": operation("One")}}
    document = {"openapi": "3.1.0", "info": {"title": "It", "version": "1"}, "paths": paths}
    page = render_page(document, "/schema/openapi.json")
    assert re.findall(r'href="#(\w)"', page) == re.findall(r'<article id="(\w)"', page) == ["a", "c", "b"]


def test_what_has_no_body_is_an_answer_and_no_problem() -> None:
    responses = {"200": {}, "304": {"description": "You have `these` bytes"}, "404": {"description": "Not there"}}
    paths = {"/a": {"get": {"tags": ["One"], "summary": "It does", "responses": responses}}}
    document = {"openapi": "3.1.0", "info": {"title": "It", "version": "1"}, "paths": paths}
    page = render_page(document, "/schema/openapi.json")
    assert "<h4>Answer 304</h4><p>You have <code>these</code> bytes</p>" in page
    assert re.findall(r"<code>(\d+)</code>", page) == ["404"]


def cells(page: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(<td>.*?)</tr>", page)
    return [[re.sub("<.*?>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row)] for row in rows]


def test_each_field_and_parameter_is_listed_with_its_type() -> None:
    """Also what may be null, what is in another object, and what stands in the path or the query."""
    null = {"type": "null"}
    kind = {"type": "string", "enum": ["a", "b"], "description": "Which"}
    schemas = {
        "Part": {"type": "object", "properties": {"kind": kind}},
        "Answer": {
            "type": "object",
            "required": ["maybe", "part"],
            "properties": {
                "part": {"$ref": "#/components/schemas/Part"},
                "maybe": {"oneOf": [{"type": "integer"}, null], "description": "Null before"},
                "error": {"oneOf": [{"$ref": "#/components/schemas/Part"}, null]},
                "parts": {"oneOf": [{"type": "array", "items": {"$ref": "#/components/schemas/Part"}}, null]},
            },
        },
    }
    answer = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}}
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}, "description": "The number"},
        {"name": "at", "in": "query", "schema": {"oneOf": [{"type": "string"}, null]}, "description": "A moment"},
    ]
    operation = {"tags": ["One"], "summary": "It", "parameters": parameters, "responses": {"200": answer}}
    document = {"openapi": "3.1.0", "info": {"title": "It", "version": "1"}, "paths": {"/{id}": {"get": operation}}}
    page = render_page({**document, "components": {"schemas": schemas}}, "/schema/openapi.json")
    assert cells(page) == [
        ["id", "integer", "The number. In the path"],
        ["at", "string", "A moment. In the query; may be left out"],
        ["part", "object", ""],
        ["part.kind", "string", "Which. One of a, b. May be left out"],
        ["maybe", "integer or null", "Null before"],
        ["error", "object or null", "May be left out"],
        ["error.kind", "string", "Which. One of a, b. May be left out"],
        ["parts", "array of object or null", "May be left out"],
        ["parts[].kind", "string", "Which. One of a, b. May be left out"],
    ]
