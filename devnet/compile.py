"""The compiled contracts, built by `build.mjs` when the sources changed and kept in `.cache/contracts.json`."""

import fcntl
import functools
import hashlib
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eth_abi.abi import decode, encode, is_encodable
from eth_utils.abi import (
    abi_to_signature,
    event_abi_to_log_topic,
    function_signature_to_4byte_selector,
    get_abi_input_types,
    get_abi_output_types,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CACHE = ROOT / ".cache" / "contracts.json"


class BuildFailed(Exception):
    """The Solidity compiler refused the sources, or Node.js and its packages are not installed."""


@dataclass(frozen=True, slots=True)
class ContractArtifact:
    """One compiled contract; `bytecode` deploys the contract, `deployed_bytecode` is the code at its address."""

    abi: list[dict[str, Any]] = field(repr=False)
    bytecode: str = field(repr=False)
    deployed_bytecode: str = field(repr=False)

    def function(self, name: str) -> dict[str, Any]:
        return self._entry("function", name)

    def event_topic(self, name: str) -> str:
        """Topic 0 of an event, 0x-prefixed."""
        return "0x" + event_abi_to_log_topic(self._entry("event", name)).hex()  # type: ignore[arg-type]

    def event_topics(self, name: str) -> frozenset[str]:
        """The same, of every shape that it has had."""
        entries: list[Any] = [entry for entry in self.abi if entry["type"] == "event" and entry.get("name") == name]
        return frozenset("0x" + event_abi_to_log_topic(entry).hex() for entry in entries)

    def encode(self, name: str, *args: Any) -> str:
        """Call data, 0x-prefixed; structs are tuples in the order of their fields. Among functions with the same
        name, the first with fitting arguments counts."""
        named: list[Any] = [entry for entry in self.abi if entry["type"] == "function" and entry.get("name") == name]
        entry = next((each for each in named if len(named) > 1 and _takes(each, args)), named[0])
        selector = function_signature_to_4byte_selector(abi_to_signature(entry))
        return "0x" + (selector + encode(get_abi_input_types(entry), args)).hex()

    def decode(self, name: str, data: str) -> Any:
        """Return the answer of a call: a single value, or a tuple of several."""
        entry: Any = self.function(name)
        values = decode(get_abi_output_types(entry), bytes.fromhex(data.removeprefix("0x")))
        return values[0] if len(values) == 1 else values

    def deployment(self, *args: Any) -> str:
        """Creation code with its constructor arguments."""
        constructor: Any = next((entry for entry in self.abi if entry["type"] == "constructor"), {"inputs": []})
        return self.bytecode + encode(get_abi_input_types(constructor), args).hex() if args else self.bytecode

    def _entry(self, kind: str, name: str) -> dict[str, Any]:
        return next(entry for entry in self.abi if entry["type"] == kind and entry.get("name") == name)


def _takes(function: Any, args: Sequence[Any]) -> bool:
    return is_encodable(f"({','.join(get_abi_input_types(function))})", args)


def error_names(artifacts: Sequence[ContractArtifact]) -> dict[str, str]:
    """Selector (0x-prefixed, 4 bytes) to name of every custom error the contracts declare."""
    entries: list[Any] = [entry for item in artifacts for entry in item.abi if entry["type"] == "error"]
    return {
        "0x" + function_signature_to_4byte_selector(abi_to_signature(entry)).hex(): entry["name"] for entry in entries
    }


@functools.cache
def load_contracts() -> dict[str, ContractArtifact]:
    """Every contract by name. Compiles once when stale, also when several processes ask at the same time.

    Raises BuildFailed with the compiler's words.
    """
    CACHE.parent.mkdir(exist_ok=True)
    fingerprint = _fingerprint()
    with CACHE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = json.loads(CACHE.read_text()) if CACHE.exists() else {}
        if built.get("fingerprint") != fingerprint:
            built = {"fingerprint": fingerprint, **_build()}
            fresh = CACHE.with_suffix(".new")
            fresh.write_text(json.dumps(built))
            fresh.replace(CACHE)
    return {
        name: ContractArtifact(item["abi"], item["bytecode"], item["deployedBytecode"])
        for name, item in built["contracts"].items()
    }


def _fingerprint() -> str:
    digest = hashlib.sha256()
    packages = [ROOT / "node_modules" / name / "package.json" for name in ("solc", "@openzeppelin/contracts")]
    for path in [*sorted((HERE / "contracts").glob("*.sol")), HERE / "build.mjs", *packages]:
        digest.update(path.name.encode() + b"\0" + (path.read_bytes() if path.exists() else b""))
    return digest.hexdigest()


def _build() -> dict[str, Any]:
    output = CACHE.with_suffix(".build")
    try:
        done = subprocess.run(
            ["node", str(HERE / "build.mjs"), str(output)], capture_output=True, text=True, check=False, cwd=ROOT
        )
    except FileNotFoundError as missing:
        raise BuildFailed("node is not on the PATH") from missing
    if done.returncode != 0:
        raise BuildFailed(done.stderr)
    built: dict[str, Any] = json.loads(output.read_text())
    output.unlink()
    return built
