"""Rules of the repository that an attacker would like to see broken: secrets in files, unhashed packages, redirects."""

import ast
import json
import re
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import TypeGuard

from eth_account import Account

from devnet.compile import ROOT

SERVICE = ("reminder_worker", "api", "mail_service", "assets", "pipelines")
TEXT = {
    *(".py", ".ts", ".md", ".json", ".yaml", ".yml", ".toml", ".sh", ".sol", ".conf", ".template", ".example", ".html")
}

KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
CREDENTIALS = (
    KEY_BLOCK,
    re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}\b"),
    re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    re.compile(r"\bsk_live_[A-Za-z0-9]{16,}"),
    re.compile(r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    re.compile(r"\beyJhbGciOi[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"),
    re.compile(r"(?:infura\.io/v3|alchemy\.com/v2|quiknode\.pro)/[A-Za-z0-9_-]{20,}"),
)
"""A name that says secret, and beside it 32 bytes in hex or base64."""
NAMED_KEY = re.compile(
    r"(?i)(?:key|secret|password|token|mnemonic|seed)\w*[\"']?\s*[:=]\s*[\"']?(0x[0-9a-f]{64}|[0-9a-f]{64}|[A-Za-z0-9+/]{43}=)"
)
DEPLOYED = ("deploy/locks/api.lock", "deploy/locks/mail.lock", "deploy/locks/passes.lock")
REVIEWED = re.compile(r"MIT|BSD|Apache|PSF|Python Software Foundation|MPL|Mozilla Public License 2|Lesser|LGPL|DFSG")
LESSER = {"psycopg", "psycopg-binary", "psycopg2-binary"}  # used unchanged, as libraries
WELL_KNOWN = {
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",  # anvil's first account
    "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",  # the example of many manuals
    "feffe9928665731c6d6a8f9467308308" * 2,  # NIST's test vectors of AES-GCM
    "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2",  # the base point of P-256
}
WELL_KNOWN_BYTES = {bytes(range(32)), b"01234567890123456789012345678901"}


def committed() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file() and path.suffix != ".lock" and (path.suffix in TEXT or not path.suffix):
            yield path


def secrets_in(text: str) -> list[str]:
    found = [match.group() for pattern in CREDENTIALS for match in pattern.finditer(text)]
    for match in NAMED_KEY.finditer(text):
        key = match.group(1).removeprefix("0x")
        raw = b64decode(key) if key.endswith("=") else bytes.fromhex(key)
        if key.lower() not in WELL_KNOWN and raw not in WELL_KNOWN_BYTES and len(set(raw)) > 2:  # one byte repeated
            found.append(match.group())
    return found


def test_no_file_holds_a_secret() -> None:
    found = {str(path.relative_to(ROOT)): secrets for path in committed() if (secrets := secrets_in(_read(path)))}
    assert not found


def test_no_secret_was_ever_committed() -> None:
    """As far back as this clone goes: what is deleted from a file is still in every clone."""
    shown = ["git", "log", "--all", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--format="]
    kinds = [f"*{suffix}" for suffix in sorted(TEXT)]
    done = subprocess.run([*shown, "--", *kinds, ":!package-lock.json"], cwd=ROOT, capture_output=True, check=True)
    changed = done.stdout.decode(errors="replace").splitlines()
    assert not secrets_in("\n".join(line[1:] for line in changed if line.startswith("+")))


def test_a_secret_would_be_seen() -> None:
    key = Account.create().key.hex()
    for text in (
        f"RELAYER_KEY=0x{key}",
        f'"private_key": "{key}"',
        "EMAIL_ENC_KEY: " + "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k" + "=",
        "-----BEGIN " + "EC PRIVATE KEY-----",
        "https://mainnet.infura.io/v3/" + "0123456789abcdef" * 2,
        "ghp_" + "a1B2" * 9,
    ):
        assert secrets_in(text), text


def test_what_is_kept_locally_with_secrets_in_it_is_never_committed() -> None:
    ignored = ("deploy/secrets/relayer_key", ".env", ".local/data", "deploy/.env")
    for name in ignored:
        done = subprocess.run(["git", "check-ignore", "-q", name], cwd=ROOT, check=False)
        assert done.returncode == 0, name


def test_every_python_package_is_pinned_with_its_hashes() -> None:
    for lock in ("requirements.lock", "devnet/requirements.lock", *DEPLOYED):
        entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text().replace("\\\n", " "))
        pinned = [entry for entry in entries if entry and not entry.startswith("#")]
        assert len(pinned) > 50
        for entry in pinned:
            assert re.match(r"[a-z0-9._-]+(\[[a-z0-9,._-]+\])?==[^\s;]+", entry, re.IGNORECASE), entry[:80]
            assert "--hash=sha256:" in entry, entry[:80]
        assert not re.search(r"(?m)^-|://", "\n".join(pinned)), "no other index, no address"


def test_what_is_tested_is_what_is_deployed_and_under_a_licence_that_was_reviewed() -> None:
    """Packages of other systems than this one are not installed, and so not looked at."""
    locked, looked_at = "\n".join(_read(ROOT / lock) for lock in DEPLOYED), 0
    for name, version in re.findall(r"(?m)^([A-Za-z0-9._-]+)(?:\[.*\])?==([^\s;\\]+)", locked):
        try:
            package = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        looked_at += 1
        assert package["Version"] == version, name
        classifiers = [each for each in package.get_all("Classifier") or [] if each.startswith("License")]
        told = [*(package.get_all("License-Expression") or []), *classifiers, *(package.get_all("License") or [])]
        licence = (told or [_licence_file(name)])[0].partition("\n")[0]
        assert REVIEWED.search(licence), (name, licence)
        assert "GPL" not in licence or name in LESSER, (name, licence)
    assert looked_at > 50


def _licence_file(package: str) -> str:
    """Return the licence of a package without licence metadata."""
    (file,) = [each for each in metadata.files(package) or [] if each.name == "LICENSE"]
    return file.read_text().strip()


def test_every_npm_package_is_pinned_with_its_hash() -> None:
    """But the local chain's program for other machines than those the lock was made and tested on."""
    locked = json.loads(_read(ROOT / "package-lock.json"))["packages"]
    ours = {"", "clients/typescript", "node_modules/reminder-worker-client"}
    entries = {name: entry for name, entry in locked.items() if name not in ours}
    unhashed = {name for name, entry in entries.items() if not entry.get("integrity", "").startswith("sha512-")}
    assert all(name.startswith("node_modules/@foundry-rs/anvil-") for name in unhashed)
    assert all(entries[name]["optional"] and "linux-amd64" not in name for name in unhashed)
    assert not any("://" in entry.get("resolved", "") for entry in entries.values()), "no other index"


def test_no_request_of_the_service_follows_a_redirect() -> None:
    """Whoever answers in the place of a node, a subgraph, the mail service or the identity provider cannot send our
    request, with its token, to an address of their choice. `test_mail_client.py` tries the one that is built."""
    sent = 0
    built = [path.name for room in SERVICE for path in (ROOT / room).rglob("*.py") if "ClientBuilder()" in _read(path)]
    assert built == ["mail_client.py"]
    for room in SERVICE:
        for path in sorted((ROOT / room).rglob("*.py")):
            tree = ast.parse(path.read_text())
            if not any(_imports_aiohttp(node) for node in ast.walk(tree)):
                continue
            for node in ast.walk(tree):
                if not _is_request(node) or path.parent.name == "cli":  # the inbox of the local stack
                    continue
                sent += 1
                given = {keyword.arg: keyword.value for keyword in node.keywords}
                refused = given.get("allow_redirects")
                assert isinstance(refused, ast.Constant), f"{path.name}:{node.lineno}"
                assert refused.value is False, f"{path.name}:{node.lineno}"
    assert sent >= 4


def _imports_aiohttp(node: ast.AST) -> bool:
    return isinstance(node, ast.Import) and any(name.name == "aiohttp" for name in node.names)


def _is_request(node: ast.AST) -> TypeGuard[ast.Call]:
    """`session.post(...)` and the like, by the name of what it is called on."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    on = ast.unparse(node.func.value)
    return node.func.attr in {"get", "post", "put", "request"} and ("session" in on.lower() or on.endswith("._open"))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
