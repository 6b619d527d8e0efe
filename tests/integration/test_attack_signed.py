"""Promises of every signed message: it is worth nothing anywhere but where it was made for, and nothing twice."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from api.schemas import EXAMPLE_TOKEN
from devnet.auth_proxy_stand_in import AuthProxyStandIn
from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.eip712 import recover_signer
from tests.integration.api_world import INGEST, ApiAnswer, ApiWorld, open_world, payload_of, person
from tests.integration.mail_stub import MailStub

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
FIELD = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F
ORIGIN = "https://gifts.example.org"
EMAIL = "someone@post.example"
LETTER = "eyJ2IjoxLCJ0byI6IkFubmEiLCJmcm9tIjoiR3JhbmRwYSIsIm5vdGUiOiJIYXBweSBiaXJ0aGRheSEifQ"
DEADLINE = {"name": "deadline", "type": "uint256"}
HASHED = [{"name": "payloadHash", "type": "bytes32"}, DEADLINE]
TYPES: dict[str, Any] = {
    "/ingest-legacy": ("IngestLegacy", INGEST),
    "/recipients": ("ReadRecipients", INGEST[::2]),
    "/rehearsal": ("RehearseLegacy", INGEST[::2]),
    "/erase-legacy": ("EraseLegacy", INGEST[::2]),
    "/send-instructions": ("SendInstructions", INGEST[::2]),
    "/erase-recipient": ("EraseRecipient", [{"name": "recipient", "type": "address"}, *INGEST[::2]]),
    "/gift/recipient-wallet": ("GiftEmailWallet", [{"name": "emailHash", "type": "bytes32"}, DEADLINE]),
    "/gift/notify": ("GiftNotify2", HASHED),
    "/gift/notify/erase": ("GiftNotifyErase", [{"name": "timelockId", "type": "uint256"}, DEADLINE]),
}
REFUSED = {400, 403, 404, 409, 410, 422}


class SignedRequests:
    """Requests of the rightful signers."""

    def __init__(self, world: ApiWorld, scenario: Scenario) -> None:
        self.world = world
        self.owner, self.giver = world.owner(), scenario.account("giver")
        self.legacies = [world.legacy(self.owner) for _ in range(2)]
        terms: dict[str, Any] = {"tokens": [(scenario.deployment.usdc, 10**6)], "duration": 30 * DAY}
        self.gifts = [scenario.create_gift(self.giver, scenario.account("heir").address, **terms) for _ in range(2)]

    def body(
        self, path: str, signer: LocalAccount | None = None, payload: str | None = None, **domain: Any
    ) -> dict[str, Any]:
        """Return a signed body. `domain` replaces fields of the EIP-712 domain; the message stays the same."""
        kind, fields = TYPES[path]
        deadline, legacy, gift = self.world.deadline(), self.legacies[0].address, self.gifts[0]
        payload = self.payload(path, gift) if payload is None else payload
        message = {
            "legacy": legacy,
            "timelockId": gift,
            "payloadHash": hashlib.sha256(payload.encode()).digest(),
            "emailHash": hashlib.sha256(EMAIL.encode()).digest(),
            "deadline": deadline,
        }
        message |= {"recipient": self.owner.address}
        message = {field["name"]: message[field["name"]] for field in fields}
        signer = signer or (self.giver if path.startswith("/gift") else self.owner)
        whole = {"name": "Reminder Worker", "version": "1", "chainId": self.world.chain_id} | domain
        signature = signer.sign_typed_data(whole, {kind: fields}, message).signature.to_0x_hex()
        about: dict[str, Any] = {"giver": self.giver.address} if path.startswith("/gift") else {"legacy": legacy}
        if "payloadHash" in message:
            about["payload"] = payload
        if "emailHash" in message:
            about["email"] = EMAIL
        if "timelockId" in message:
            about["timelockId"] = str(gift)
        if "recipient" in message:
            about["recipient"] = self.owner.address
        return {"chainId": self.world.chain_id, "deadline": deadline, "signature": signature, **about}

    def payload(self, path: str, gift: int) -> str:
        if path == "/ingest-legacy":
            return payload_of([person(1)])
        link = f"{ORIGIN}/gifts/{self.world.chain_id}/{gift}#g={LETTER}"
        about = {"timelockId": str(gift), "recipientEmail": EMAIL, "recipientName": "", "giverName": "Grandpa"}
        return json.dumps({"salt": "0x" + "ab" * 16, "claimLink": link, "timing": "none", **about})


@pytest.fixture
async def signed(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[SignedRequests]:
    more = {
        "GIFT_ORIGINS": ORIGIN,
        "GIFT_NOTIFY_PER_CLIENT_HOUR": "1000",
        "GIFT_WALLETS_PER_CLIENT_HOUR": "1000",
        "RATE_LIMIT_PER_MINUTE": "100000",
        "GIFT_NOTIFY_PER_GIVER": "1000",
    }
    async with (
        AuthProxyStandIn() as provider,
        MailStub() as mail,
        open_world(chain_scenario, engine, **more, **provider.settings(), MAIL_URL=mail.url) as world,
    ):
        made = SignedRequests(world, chain_scenario)
        await world.parts.chain_indexes[world.chain_id].run()
        yield made


def twins(signature: str) -> dict[str, str]:
    """Other bytes that a careless check takes for the same signature."""
    raw = bytes.fromhex(signature[2:])
    r, s, v = raw[:32], int.from_bytes(raw[32:64], "big"), raw[64]
    high = (ORDER - s).to_bytes(32, "big")
    return {
        "v of 0 or 1": "0x" + (raw[:64] + bytes([v - 27])).hex(),
        "upper case": "0x" + raw.hex().upper(),
        "high s": "0x" + (r + high + bytes([55 - v])).hex(),
        "high s, v of 0 or 1": "0x" + (r + high + bytes([28 - v])).hex(),
        "a byte more": "0x" + raw.hex() + "00",
        "compact": "0x" + (r + (s | (v - 27) << 255).to_bytes(32, "big")).hex(),
        "s beyond the order": "0x" + (r + ((s + ORDER) % (1 << 256)).to_bytes(32, "big") + bytes([v])).hex(),
        "doubled": "0x" + raw.hex() * 2,
    }


@pytest.mark.parametrize("path", list(TYPES))
@pytest.mark.core
async def test_a_message_counts_once_and_only_as_it_was_signed(signed: SignedRequests, path: str) -> None:
    """Not on another chain or contract, for another version, at another endpoint, by another signer, about anything
    else, in other bytes, or again."""
    world, stranger = signed.world, signed.world.scenario.account("stranger")
    other_domains: list[dict[str, Any]] = [
        {"chainId": world.chain_id + 1},
        {"chainId": 1},
        {"version": "2"},
        {"name": "Reminder worker"},
        {"verifyingContract": signed.legacies[0].router},
        {"verifyingContract": "0x" + "00" * 20},
    ]
    for domain in other_domains:
        assert_refused(await world.post(path, signed.body(path, **domain)), path, domain)
    assert_refused(await world.post(path, signed.body(path, stranger)), path, "another signer")
    for other in TYPES:
        if other != path:
            taken = signed.body(path) | {"signature": signed.body(other)["signature"]}
            assert_refused(await world.post(path, taken), path, other)
    whole = signed.body(path)
    for name, value in _changes(signed, whole):
        assert_refused(await world.post(path, whole | {name: value}), path, (name, value))
    done = await world.post(path, whole)
    assert done.status < 300, done.body
    for how, twin in twins(whole["signature"]).items():
        answer = await world.post(path, whole | {"signature": twin})
        assert answer.status in {403, 409}, (path, how, answer.status)
    for about in ("legacy", "giver"):
        if about in whole:
            assert (await world.post(path, whole | {about: whole[about].lower()})).code == "already_used"
    assert (await world.post(path, whole)).code == "already_used"


def assert_refused(answer: ApiAnswer, *what: Any) -> None:
    assert answer.status in REFUSED, (what, answer.status, answer.body)


def _changes(signed: SignedRequests, body: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return changes that an attacker would make to a captured message."""
    changes: list[tuple[str, Any]] = [("chainId", 1), ("deadline", body["deadline"] + 1), ("deadline", 2**53 - 1)]
    if "legacy" in body:
        changes += [("legacy", signed.legacies[1].address), ("legacy", EXAMPLE_TOKEN)]
    if "recipient" in body:
        changes += [("recipient", signed.world.scenario.account("stranger").address)]
    if "giver" in body:
        changes += [("giver", signed.world.scenario.account("stranger").address)]
    if "timelockId" in body:
        changes += [("timelockId", str(signed.gifts[1]))]
    if "email" in body:
        changes += [("email", "mallory@post.example")]
    if "payload" in body:
        changes += [("payload", body["payload"] + " "), ("payload", body["payload"].replace("@", "+x@"))]
    return changes


ODD_TEXTS = st.sampled_from(
    [
        "\r\nBcc: mallory@post.example", "a@b.example\nBcc: c@d.example", "\x1b[2J", "\u202egnp.exe", "\ud800",
        "\x00", '","recipients":[],"x":"', "<script>alert(1)</script>", "{{7*7}}", "%s%n",
        "'; drop table worker.recipient; --", "javascript:alert(1)", "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd", f"{ORIGIN}@evil.example/gifts/31337/1", f"{ORIGIN}/gifts/31337/1/../../2#g=x",
        "xn--a@xn--b.example", "\u0430nna@ex\u0430mple.org", '"quoted local"@example.org', "a@[127.0.0.1]",
        "a" * 5000, "\U0001f381" * 61,
    ]
)  # fmt: skip
ODD: st.SearchStrategy[Any] = (
    ODD_TEXTS
    | st.text(max_size=30)
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.just([])
    | st.just({})
)
GOOD = {
    "/ingest-legacy": person(1),
    "/gift/notify": {
        "salt": "0x" + "ab" * 16,
        "recipientEmail": EMAIL,
        "recipientName": "Anna",
        "giverName": "Grandpa",
        "timing": "scheduled",
        "notifyAt": "2027-03-03T09:00:00+01:00",
        "timelockId": "1",
        "claimLink": ORIGIN,
    },
}


NAME = {"/ingest-legacy": "name", "/gift/notify": "giverName"}


@pytest.mark.parametrize("path", list(GOOD))
async def test_any_request_of_a_rightful_signer_is_taken_or_refused_and_never_echoed(
    signed: SignedRequests, path: str
) -> None:
    """Line breaks, controls, markup, templates, other spellings of an address, addresses of our own network."""
    loop, world, seen = asyncio.get_running_loop(), signed.world, set[int]()

    known, odd_ones = st.sampled_from(sorted(GOOD[path])), st.dictionaries(st.text(max_size=8), ODD, max_size=1)
    harmless = st.text("ab \u00e9\u6f22", min_size=1, max_size=9).map(lambda text: {NAME[path]: "A" + text.strip()})

    @given(harmless | st.dictionaries(known, ODD, min_size=1, max_size=2) | odd_ones)
    @settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def attempt(changes: dict[str, Any]) -> None:
        if path == "/ingest-legacy":
            payload = payload_of([GOOD[path] | changes])
        else:
            payload = json.dumps(json.loads(signed.payload(path, signed.gifts[0])) | changes)
        body = signed.body(path, payload=payload)
        answer = asyncio.run_coroutine_threadsafe(world.post(path, body), loop).result(60)
        seen.add(answer.status)
        assert answer.status < 300 or answer.status in {400, 403, 422, 429}, answer.body
        told = json.dumps(answer.body, ensure_ascii=False)
        for name, value in changes.items():
            for text in (name, value):
                if isinstance(text, str) and len(text) > 6 and text not in GOOD[path] and text.isprintable():
                    assert text not in told

    await asyncio.to_thread(attempt)
    assert 422 in seen
    assert seen & {200, 201}, "some of it is harmless, and taken"


ACCOUNTS_DIGEST = b"\x05" * 32
EDGES = st.sampled_from([0, 1, 2, ORDER // 2, ORDER // 2 + 1, ORDER - 1, ORDER, ORDER + 1, FIELD, 2**256 - 1])
NUMBERS = EDGES | st.integers(0, 2**256 - 1)


@given(NUMBERS, NUMBERS, st.integers(0, 255), st.integers(0, 70))
@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_any_signature_values_recover_one_account_or_none(r: int, s: int, v: int, length: int) -> None:
    """Zero, the curve's order and what lies beyond it, points that are not on the curve, every v, every length."""
    raw = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([v])
    named = recover_signer(ACCOUNTS_DIGEST, raw)
    if named is not None:
        assert v in {0, 1, 27, 28}
        assert 0 < r < ORDER
        assert 0 < s <= ORDER // 2
        assert recover_signer(b"\x06" * 32, raw) != named, "it is of this digest only"
    assert length == 65 or recover_signer(ACCOUNTS_DIGEST, raw[:length] + bytes(max(0, length - 65))) is None
