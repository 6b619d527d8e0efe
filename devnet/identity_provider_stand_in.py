"""A stand-in for the identity provider's API on loopback: stamps, one request a second, activities; can be hostile."""

import hashlib
import itertools
import json
import secrets
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PARENT = "0f1e2d3c-parent-organization"
ROOT_USER = {"userName", "userEmail", "apiKeys", "authenticators", "oauthProviders"}
ACCOUNT = {
    "curve": "CURVE_SECP256K1",
    "pathFormat": "PATH_FORMAT_BIP32",
    "path": "m/44'/60'/0'/0/0",
    "addressFormat": "ADDRESS_FORMAT_ETHEREUM",
}


@dataclass
class FakeTime:
    """Passes only when somebody waits; the stand-in and the service read the same."""

    seconds: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@dataclass
class SubOrganization:
    id: str
    name: str
    users: list[dict[str, Any]]
    wallets: list[dict[str, Any]]
    accounts: dict[str, list[dict[str, Any]]]


@dataclass
class IdentityProviderStandIn:
    """`polls`: how often a new activity is still under way. `ends_as`: what becomes of a new creation."""

    now: Callable[[], float]
    port: int = 0
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    polls: int = 0
    ends_as: str = "ACTIVITY_STATUS_COMPLETED"
    a_second: int = 1
    breaks: int = 0  # creations whose answer never arrives
    answers: Counter[str] = field(default_factory=Counter)
    organizations: dict[str, SubOrganization] = field(default_factory=dict)
    activities: dict[str, dict[str, Any]] = field(default_factory=dict)
    _by_body: dict[bytes, str] = field(default_factory=dict)
    _in_second: Counter[int] = field(default_factory=Counter)
    _count: Any = field(default_factory=lambda: itertools.count(1))
    _runner: web.AppRunner | None = None
    url: str = ""

    @property
    def public_key(self) -> str:
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint).hex()

    @property
    def private_key(self) -> str:
        return f"{self.key.private_numbers().private_value:064x}"

    def settings(self) -> dict[str, str]:
        return {
            "TURNKEY_URL": self.url,
            "TURNKEY_ORGANIZATION_ID": PARENT,
            "TURNKEY_API_PUBLIC_KEY": self.public_key,
            "TURNKEY_API_PRIVATE_KEY": self.private_key,
        }

    @property
    def only(self) -> SubOrganization:
        (organization,) = self.organizations.values()
        return organization

    async def __aenter__(self) -> Self:
        self._runner = web.AppRunner(self._app())
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    def _app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/public/v1/{kind}/{name}", self._answer)
        return app

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        raw = await request.read()
        if not self._is_stamped(request.headers.get("X-Stamp", ""), raw):
            return web.json_response({"message": "bad stamp"}, status=401)
        second = int(self.now())
        self._in_second[second] += 1
        if self._in_second[second] > self.a_second:
            self.answers["429"] += 1
            return web.json_response({"message": "slow down"}, status=429, headers={"Retry-After": "1"})
        name = request.match_info["name"]
        self.answers[name] += 1
        body = json.loads(raw)
        steps: dict[str, Any] = {
            "create_sub_organization": self._create,
            "get_activity": self._get_activity,
            "list_suborgs": self._list_suborgs,
            "list_users": lambda body, _: {"users": self.organizations[body["organizationId"]].users},
            "list_wallets": lambda body, _: {"wallets": self.organizations[body["organizationId"]].wallets},
            "list_wallet_accounts": lambda body, _: {
                "accounts": self.organizations[body["organizationId"]].accounts[body["walletId"]]
            },
        }
        made = steps[name](body, raw)
        if name == "create_sub_organization" and self.breaks:
            self.breaks -= 1
            assert request.transport is not None
            request.transport.close()
        return web.json_response(made)

    def _is_stamped(self, header: str, raw: bytes) -> bool:
        try:
            stamp = json.loads(urlsafe_b64decode(header + "=" * (-len(header) % 4)))
            if (stamp["publicKey"], stamp["scheme"]) != (self.public_key, "SIGNATURE_SCHEME_TK_API_P256"):
                return False
            self.key.public_key().verify(bytes.fromhex(stamp["signature"]), raw, ec.ECDSA(SHA256()))
        except (ValueError, KeyError, InvalidSignature):
            return False
        return not header.endswith("=")

    def _create(self, body: dict[str, Any], raw: bytes) -> dict[str, Any]:
        fingerprint = hashlib.sha256(raw).digest()
        if fingerprint not in self._by_body:
            assert body["type"] == "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8"
            assert body["organizationId"] == PARENT
            assert isinstance(body["timestampMs"], str)
            id = f"activity-{next(self._count)}"
            self._by_body[fingerprint] = id
            self.activities[id] = {"polls": self.polls, "ends_as": self.ends_as, "parameters": body["parameters"]}
        return self._activity(self._by_body[fingerprint], "ACTIVITY_STATUS_CREATED")

    def _get_activity(self, body: dict[str, Any], _: bytes) -> dict[str, Any]:
        return self._activity(body["activityId"])

    def _activity(self, id: str, under_way: str = "ACTIVITY_STATUS_PENDING") -> dict[str, Any]:
        activity = self.activities[id]
        if activity["polls"]:
            activity["polls"] -= 1
            return {"activity": {"id": id, "status": under_way, "result": {}}}
        if activity["ends_as"] != "ACTIVITY_STATUS_COMPLETED":
            return {"activity": {"id": id, "status": activity["ends_as"], "result": {}}}
        if "made" not in activity:
            activity["made"] = self.add(activity["parameters"]).id
        result = {"createSubOrganizationResultV8": {"subOrganizationId": activity["made"]}}
        return {"activity": {"id": id, "status": "ACTIVITY_STATUS_COMPLETED", "result": result}}

    def add(self, parameters: dict[str, Any]) -> SubOrganization:
        id = f"sub-organization-{next(self._count)}"
        assert parameters["rootQuorumThreshold"] == 1
        assert parameters["disableOtpEmailAuth"] is False
        assert all(parameters[f"disable{way}"] for way in ("EmailRecovery", "EmailAuth", "SmsAuth"))
        assert [set(user) for user in parameters["rootUsers"]] == [ROOT_USER]
        assert not any(user[way] for user in parameters["rootUsers"] for way in ROOT_USER - {"userName", "userEmail"})
        wallet = parameters["wallet"]
        assert wallet["accounts"] == [ACCOUNT]
        accounts = [{**account, "address": "0x" + secrets.token_hex(20)} for account in wallet["accounts"]]
        users = [{"userId": f"user-{number}", **user} for number, user in enumerate(parameters["rootUsers"])]
        made = SubOrganization(
            id,
            parameters["subOrganizationName"],
            users,
            [{"walletId": "wallet-1", "walletName": wallet["walletName"], "imported": False}],
            {"wallet-1": accounts},
        )
        self.organizations[id] = made
        return made

    def _list_suborgs(self, body: dict[str, Any], _: bytes) -> dict[str, Any]:
        assert body["organizationId"] == PARENT
        assert body["filterType"] == "NAME", "an email's match proves nothing"
        return {
            "organizationIds": [each.id for each in self.organizations.values() if each.name == body["filterValue"]]
        }
