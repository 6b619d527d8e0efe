"""Tests of two endpoints let the first one and the second one misbehave, or give the reason for a single place.

With a liar in the second place, a test may pass although the service asks only the first endpoint.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.prose import ROOT

FAULTS = ("alter", "answer")
FIXED_PLACES = {"first": "first", "second": "second", "0": "first", "1": "second"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_place(node: ast.expr) -> str | None:
    """Return the fixed place of an endpoint such as `first`, `nodes.second` or `nodes[1]`; None for any other name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return FIXED_PLACES.get(name)
        case ast.Subscript(value=ast.Name() | ast.Attribute(), slice=ast.Constant(value=number)):
            return FIXED_PLACES.get(str(number))
    return None


def list_targets(function: Function) -> Iterator[ast.expr]:
    """Return whatever the function assigns to, also within a tuple."""
    for node in ast.walk(function):
        for target in node.targets if isinstance(node, ast.Assign) else []:
            yield from target.elts if isinstance(target, ast.Tuple) else [target]


def find_places(function: Function, fault: str) -> set[str]:
    """Return the fixed places of the endpoints that the function lets misbehave by this attribute."""
    targets = [each for each in list_targets(function) if isinstance(each, ast.Attribute) and each.attr == fault]
    places = {name_place(each.value) for each in targets}
    return {place for place in places if place is not None}


def has_one_place(function: Function) -> bool:
    """Return whether a liar, or a silent endpoint, has one place only."""
    return any(len(find_places(function, fault)) == 1 for fault in FAULTS)


def list_urls(node: ast.AST) -> list[str]:
    """Return the URLs of a text with a comma, or of a call of `chain_settings`."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.JoinedStr):
        commas = [part for part in node.values if isinstance(part, ast.Constant) and part.value == ","]
        parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)] if commas else []
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "chain_settings":
        parts = node.args
    return [ast.unparse(part) for part in parts if ast.unparse(part).endswith("url")]


def names_bare_node(function: Function) -> bool:
    """Return whether one of several endpoints is the node itself, in a fixed place: that one cannot misbehave."""
    for node in ast.walk(function):
        urls = list_urls(node)
        if len(urls) > 1 and any(url == "url" or url.endswith("anvil.url") for url in urls):
            return True
    return False


def gives_reason(marks: list[ast.expr]) -> bool:
    return any("mark.one_order(" in ast.unparse(mark) for mark in marks)


def find_one_order(source: str) -> list[str]:
    """Return the names of the functions that have their misbehaving endpoint in one place only."""
    module = ast.parse(source)
    marks = [node.value for node in module.body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node)]
    if gives_reason(marks):
        return []
    functions = [node for node in module.body if isinstance(node, Function) and not gives_reason(node.decorator_list)]
    return [each.name for each in functions if has_one_place(each) or names_bare_node(each)]


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "integration").glob("*.py")), ids=lambda path: path.stem)
def test_misbehaving_endpoint_has_both_places_or_a_reason(path: Path) -> None:
    assert find_one_order(path.read_text()) == []


ONE_ORDER = (
    "async def test_it(nodes):\n    first, _ = nodes\n    first.alter = lie",
    "async def test_it(nodes):\n    nodes.second.answer = silence",
    "async def test_it(first, second):\n    first.alter = lie\n    second.answer = silence",
    "async def test_it(nodes):\n    nodes[1].alter, more = lie, 1",
    "@pytest.fixture\nasync def nodes(node):\n    yield open_world(URLS=f'{scenario.anvil.url},{node.url}')",
    "async def test_it(node):\n    Chain(chain_settings(s, node.url, s.anvil.url))",
)
BOTH_ORDERS = (
    "async def test_it(nodes, place):\n    nodes[place].alter = lie",
    "async def test_it(nodes):\n    nodes.first.alter = nodes.second.alter = lie",
    "async def test_it(nodes):\n    for order in nodes.each_order(lie):\n        assert order",
    "@pytest.mark.one_order('the first is believed')\nasync def test_it(nodes):\n    nodes.first.alter = lie",
    "pytestmark = pytest.mark.one_order('asks in turn')\nasync def test_it(first):\n    first.alter = lie",
)


def test_fixture_in_one_order_only_is_refused_and_in_both_orders_or_with_a_reason_accepted() -> None:
    assert [source for source in ONE_ORDER if len(find_one_order(source)) != 1] == []
    assert [source for source in BOTH_ORDERS if find_one_order(source)] == []
