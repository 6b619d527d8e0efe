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
