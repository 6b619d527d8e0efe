"""The search for leaks finds what was planted, in every form it claims, and nothing else."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import pytest

from devnet.leaks import files_below, search, secrets_of

EMAIL = "quillonius.vantreese@post.example"
KEY = sha256(b"a key").digest()
SECRETS = secrets_of({"an email": EMAIL}, {"a key": KEY})
NOISE = bytes(range(256)) * 40

FORMS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda value: value,
    "upper case": lambda value: value.upper(),
    "hex": lambda value: value.hex().encode(),
    "upper case hex": lambda value: value.hex().upper().encode(),
    "percent": lambda value: quote(value, safe="").encode(),
    **{
        f"base64 after {before} bytes": lambda value, n=before: b64encode(b"!" * n + value + b"tail")  # type: ignore[misc]
        for before in range(4)
    },
    **{
        f"url base64 after {before} bytes": lambda value, n=before: urlsafe_b64encode(b"\xff" * n + value)  # type: ignore[misc]
        for before in range(3)
    },
}

OF_BYTES: dict[str, Callable[[bytes], bytes]] = {
    "python": lambda value: repr(value).encode(),
    "python in a longer text": lambda value: repr(b"to=" + value + b"\0").encode(),
    "python in JSON": lambda value: json.dumps({"key": repr(value)}).encode(),
    "a number": lambda value: str(int.from_bytes(value)).encode(),
}


def test_an_email_and_a_key_are_found_in_every_form_and_as_programs_show_bytes() -> None:
    of_key = {name: form for name, form in FORMS.items() if name != "upper case"} | OF_BYTES
    for value, what, forms in ((EMAIL.encode(), "an email", FORMS), (KEY, "a key", of_key)):
        for name, form in forms.items():
            leaks = search(SECRETS, [("a log", NOISE + form(value) + NOISE)])
            assert {(leak.what, leak.where) for leak in leaks} == {(what, "a log")}, name


def test_nothing_is_found_where_nothing_is() -> None:
    assert search(SECRETS, [("noise", NOISE), ("another email", b"somebody.else@post.example"), ("empty", b"")]) == []


def test_a_finding_never_shows_what_leaked() -> None:
    leak = search(SECRETS, [("a log", EMAIL.encode() + KEY)])
    shown = repr(leak) + repr(SECRETS) + "".join(map(str, leak))
    assert search(SECRETS, [("what is shown", shown.encode())]) == []


def test_what_chance_would_find_is_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        search(secrets_of({"a name": "Ada"}, {}), [])


def test_every_file_is_read_but_those_left_out(tmp_path: Path) -> None:
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "logs" / "deep" / "api.log").write_text(f"to={EMAIL}")
    (tmp_path / "secrets" / "key").write_bytes(KEY)
    leaks = search(SECRETS, files_below(tmp_path, leaving_out=[tmp_path / "secrets"]))
    assert [(leak.what, leak.where) for leak in leaks] == [("an email", "logs/deep/api.log")]
