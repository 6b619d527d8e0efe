"""`python -m devnet.diagram`: draws docs/architecture.md's picture from what imports what.

Rooms are packages and modules at the top of `reminder_worker`, and the other packages. The picture leaves out rooms
used everywhere (errors, settings, logs), and arrows implied by other arrows.
"""

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms -->", "<!-- /rooms -->"
PACKAGES = ("reminder_worker", "api", "assets", "pipelines", "mail_service")
DOORS = {*PACKAGES, "cli", "doctor"} - {"reminder_worker"}
EVERYWHERE = {"declarations", "errors", "settings", "logging", "strict_json", "concurrency", "interrupts", "tracing"}
Rooms = Mapping[str, set[str]]


def rooms() -> dict[str, set[str]]:
    """Each room and those it imports."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    found: dict[str, set[str]] = defaultdict(set)
    for module in graph.modules:
        here = _room(module)
        there = {_room(each) for each in graph.find_modules_directly_imported_by(module)}
        found[here] |= there - {here}
    left_out = {*EVERYWHERE, "reminder_worker"}
    return {room: found[room] - left_out for room in sorted(found) if room not in left_out}


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if parts[0] == "reminder_worker" and len(parts) > 1 else parts[0]


def circles(found: Rooms) -> set[str]:
    """Rooms that reach themselves."""
    return {room for room in found if any(room in _reached(found, each) for each in found[room])}


def _reached(found: Rooms, start: str) -> set[str]:
    seen, ahead = set(), [start]
    while ahead:
        room = ahead.pop()
        if room not in seen:
            seen.add(room)
            ahead += found[room]
    return seen


def without_detours(found: Rooms) -> dict[str, set[str]]:
    """Leaves out what is reached through another room anyway. There must be no circles."""
    return {
        room: {each for each in there if not any(each in _reached(found, other) for other in there if other != each)}
        for room, there in found.items()
    }


def drawn() -> str:
    """The picture as Mermaid, between its markers."""
    found = without_detours(rooms())
    lines = [BEGIN, "", "```mermaid", "flowchart TD"]
    for group, words in _groups(found).items():
        lines += [f'  subgraph {group.replace(" ", "_")}["{group}"]', *(f"    {word}" for word in words), "  end"]
    lines += [f"  {room} --> {each}" for room in found for each in sorted(found[room])]
    return "\n".join([*lines, "```", "", END])


def _groups(found: Rooms) -> dict[str, list[str]]:
    """Return the rooms by group, read from the layers of the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    middle = next(number for number, layer in enumerate(layers) if layer.count("|") > 1)
    features = {"auto_renew", "statistics", *layers[middle].split(" | ")}
    shared = {room for layer in layers[middle + 1 :] for room in layer.split(" | ")}
    return {
        "doors": sorted(DOORS & found.keys()),
        "put together": sorted(found.keys() - features - shared - DOORS),
        "features": sorted(features & found.keys()),
        "shared": sorted(shared & found.keys()),
    }


def main() -> None:
    text = PAGE.read_text()
    PAGE.write_text(text[: text.index(BEGIN)] + drawn() + text[text.index(END) + len(END) :])


if __name__ == "__main__":
    main()
