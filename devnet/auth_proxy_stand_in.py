"""Stand-in for the identity provider from a page's view: the auth proxy, and the API with a session's stamps.

Codes, encryption (HPKE), tokens, client signatures and stamps are real; addresses and keys are ours. `sign_ups` counts
forbidden events. As at the original, the email of a sub-organization is unknown before the first login.
"""

import json
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.bindings._rust import openssl
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_typing import Hash32

from devnet.identity_provider_stand_in import (
    ACCOUNT,
    PARENT,
    FakeTime,
    IdentityProviderStandIn,
    SubOrganization,
)

CONFIG = "5a1b7c1e-config-of-the-auth-proxy"
ALLOWED = "Content-Type, X-Auth-Proxy-Config-ID, X-Stamp"
SUITE = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
MOST_TRIES = 3
LOGIN_KEYS = {"publicKey", "scheme", "message", "signature"}


class ProxyRefusal(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class OneTimeCode:
    email: str
    code: str
    target: ec.EllipticCurvePrivateKey
    tries: int = 0
    is_over: bool = False


@dataclass
class AuthProxyStandIn(IdentityProviderStandIn):
    """`origin` is the only one it answers (None: none). `mailbox` has the codes sent to each address, oldest first.

    `forges_bundles`: an attacker in the middle signs the encryption key with their own named key. `signs_with`: a key
    other than the wallet's.
    """

    now: Callable[[], float] = field(default_factory=FakeTime)
    a_second: int = 1000
    origin: str | None = None
    code_key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    forges_bundles: bool = False
    signs_with: LocalAccount | None = None
    refuses: dict[str, int] = field(default_factory=dict)
    mailbox: dict[str, list[str]] = field(default_factory=dict)
    sign_ups: int = 0
    logins: list[dict[str, Any]] = field(default_factory=list)
    keys: dict[str, LocalAccount] = field(default_factory=dict)
    verified: set[str] = field(default_factory=set)
    otps: dict[str, OneTimeCode] = field(default_factory=dict)
    _used_tokens: set[str] = field(default_factory=set)
    _sessions: dict[str, str] = field(default_factory=dict)
    _signing: dict[str, dict[str, Any]] = field(default_factory=dict)

    def settings(self) -> dict[str, str]:
        return super().settings() | {
            "TURNKEY_AUTH_PROXY_URL": self.url,
            "TURNKEY_AUTH_PROXY_CONFIG_ID": CONFIG,
            "TURNKEY_CODE_SIGNING_KEY": _point(self.code_key).hex(),
        }

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._cors])
        app.router.add_get("/health", self._healthy)
        app.router.add_post("/public/v1/{kind}/{name}", self._answer)
        app.router.add_post("/v1/{name}", self._proxy)
        return app

    async def _healthy(self, _: web.Request) -> web.Response:
        return web.Response()

    def add(self, parameters: dict[str, Any]) -> SubOrganization:
        """As the original makes it, with a wallet whose key is in `keys`."""
        made = super().add(parameters)
        wallet = Account.create()
        self.keys[wallet.address.lower()] = wallet
        made.accounts["wallet-1"][0]["address"] = wallet.address
        return made

    def wallet(self, email: str, name: str) -> tuple[SubOrganization, LocalAccount]:
        """Create the sub-organization of an email like the service."""
        user = {"userName": "Gift recipient", "userEmail": email, "apiKeys": [], "authenticators": []}
        made = self.add(
            {
                "subOrganizationName": name,
                "rootQuorumThreshold": 1,
                "rootUsers": [user | {"oauthProviders": []}],
                "wallet": {"walletName": "Gift", "accounts": [dict(ACCOUNT)]},
                "disableEmailRecovery": True,
                "disableEmailAuth": True,
                "disableSmsAuth": True,
                "disableOtpEmailAuth": False,
            }
        )
        return made, self.keys[made.accounts["wallet-1"][0]["address"].lower()]

    def expire(self, email: str) -> None:
        """Every code sent to this address."""
        for otp in self.otps.values():
            otp.is_over = otp.is_over or otp.email == email

    @web.middleware
    async def _cors(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if request.method == "OPTIONS":
            answer: web.StreamResponse = web.Response(status=204)
        else:
            try:
                answer = await handler(request)
            except ProxyRefusal as refused:
                answer = web.json_response({"code": 3, "message": str(refused), "details": []}, status=refused.status)
        if self.origin is not None and request.headers.get("Origin") == self.origin:
            answer.headers["Access-Control-Allow-Origin"] = self.origin
            answer.headers["Access-Control-Allow-Headers"] = ALLOWED
            answer.headers["Access-Control-Allow-Methods"] = "POST"
        return answer

    # -- the auth proxy -------------------------------------------------------------------------------

    async def _proxy(self, request: web.Request) -> web.Response:
        if request.headers.get("X-Auth-Proxy-Config-ID") != CONFIG:
            raise ProxyRefusal(401, "unknown auth proxy config")
        name = request.match_info["name"]
        self.answers[name] += 1
        if name in self.refuses:
            raise ProxyRefusal(self.refuses[name], "refused")
        steps = {
            "otp_init_v2": self._init,
            "otp_verify_v2": self._verify,
            "otp_login_v2": self._login,
            "account": self._account_of,
            "signup": self._sign_up,
            "signup_v2": self._sign_up,
        }
        return web.json_response(steps[name](await request.json()))

    def _init(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if set(body) != {"otpType", "contact"} or body["otpType"] != "OTP_TYPE_EMAIL":
            raise ProxyRefusal(400, "bad request")
        email = body["contact"]
        otp = OneTimeCode(email, f"{secrets.randbelow(10**6):06d}", ec.generate_private_key(ec.SECP256R1()))
        id = secrets.token_hex(16)
        self.otps[id] = otp
        self.mailbox.setdefault(email, []).append(otp.code)
        return {"otpId": id, "otpEncryptionTargetBundle": self._bundle(otp)}

    def _bundle(self, otp: OneTimeCode) -> str:
        data = json.dumps({"targetPublic": _point(otp.target).hex()}).encode()
        signer = ec.generate_private_key(ec.SECP256R1()) if self.forges_bundles else self.code_key
        signed = {"data": data.hex(), "dataSignature": signer.sign(data, ec.ECDSA(SHA256())).hex()}
        return json.dumps({"version": "v1.0.0", **signed, "enclaveQuorumPublic": _point(signer).hex()})

    def _verify(self, body: Mapping[str, Any]) -> dict[str, Any]:
        otp = self.otps.get(body["otpId"])
        if set(body) != {"otpId", "encryptedOtpBundle"} or otp is None:
            raise ProxyRefusal(400, "bad request")
        otp.tries += 1
        if otp.is_over or otp.tries > MOST_TRIES:
            raise ProxyRefusal(400, "OTP code has expired")
        told = _decrypted(otp.target, json.loads(body["encryptedOtpBundle"]))
        if set(told) != {"otp_code", "public_key"} or told["otp_code"] != otp.code:
            raise ProxyRefusal(400, "Invalid OTP code")
        otp.is_over = True
        claims = {
            "id": secrets.token_hex(16),
            "verification_type": "OTP_TYPE_EMAIL",
            "contact": otp.email,
            "organization_id": PARENT,
            "public_key": told["public_key"],
            "exp": str(int((time.time() + 900) * 1000)),
        }
        return {"verificationToken": self._token(claims)}

    def _token(self, claims: Mapping[str, str]) -> str:
        start = ".".join(_base64(json.dumps(part).encode()) for part in ({"alg": "ES256", "typ": "JWT"}, claims))
        r, s = decode_dss_signature(self.code_key.sign(start.encode(), ec.ECDSA(SHA256())))
        return f"{start}.{_base64(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def _claims(self, token: str) -> dict[str, str]:
        start, _, signature = token.rpartition(".")
        raw = urlsafe_b64decode(signature + "==")
        der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        try:
            self.code_key.public_key().verify(der, start.encode(), ec.ECDSA(SHA256()))
        except InvalidSignature:
            raise ProxyRefusal(401, "verification token is not ours") from None
        claims: dict[str, str] = json.loads(urlsafe_b64decode(start.split(".")[1] + "=="))
        return claims

    def _login(self, body: Mapping[str, Any]) -> dict[str, Any]:
        self.logins.append(dict(body))
        claims, client = self._claims(body["verificationToken"]), body["clientSignature"]
        if claims["id"] in self._used_tokens or set(client) != LOGIN_KEYS:
            raise ProxyRefusal(401, "verification token was used")
        about = {"login": {"publicKey": body["publicKey"]}, "tokenId": claims["id"], "type": "USAGE_TYPE_LOGIN"}
        is_ours = client["scheme"] == "CLIENT_SIGNATURE_SCHEME_API_P256" and client["publicKey"] == claims["public_key"]
        if not is_ours or json.loads(client["message"]) != about or not _is_signed(client):
            raise ProxyRefusal(401, "client signature does not fit")
        found = body.get("organizationId") or self._by_email(claims["contact"])
        if found not in self.organizations:
            raise ProxyRefusal(404, "no sub-organization")
        if [user["userEmail"] for user in self.organizations[found].users] != [claims["contact"]]:
            raise ProxyRefusal(403, "this user is not in the sub-organization")
        self._used_tokens.add(claims["id"])
        self.verified.add(found)
        self._sessions[body["publicKey"]] = found
        return {"session": self._token({"organization_id": found, "public_key": body["publicKey"]})}

    def _account_of(self, body: Mapping[str, Any]) -> dict[str, Any]:
        claims = self._claims(body["verificationToken"])
        if (body["filterType"], body["filterValue"]) != ("EMAIL", claims["contact"]):
            raise ProxyRefusal(403, "token of another contact")
        return {"organizationId": self._by_email(claims["contact"])}

    def _by_email(self, email: str) -> str | None:
        found = (each for each in self.organizations.values() if each.users[0]["userEmail"] == email)
        return next((each.id for each in found if each.id in self.verified), None)

    def _sign_up(self, _: Mapping[str, Any]) -> dict[str, Any]:
        self.sign_ups += 1
        raise ProxyRefusal(400, "the page must not sign anybody up")

    # -- the API, with a session's stamps -------------------------------------------------------------

    async def _answer(self, request: web.Request) -> web.Response:
        raw = await request.read()
        stamp = _stamp(request.headers.get("X-Stamp", ""))
        session = self._sessions.get(stamp.get("publicKey", ""))
        if session is None:
            return await super()._answer(request)
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(stamp["publicKey"]))
        try:
            key.verify(bytes.fromhex(stamp["signature"]), raw, ec.ECDSA(SHA256()))
        except InvalidSignature:
            raise ProxyRefusal(401, "bad stamp") from None
        name, body = request.match_info["name"], json.loads(raw)
        self.answers[name] += 1
        if name in self.refuses:
            raise ProxyRefusal(self.refuses[name], "refused")
        if body["organizationId"] != session:
            raise ProxyRefusal(403, "another organization")
        steps: dict[str, Any] = {
            "list_wallet_accounts": lambda body: {"accounts": self.organizations[session].accounts["wallet-1"]},
            "sign_raw_payload": self._sign,
            "get_activity": lambda body: {"activity": self._signed(body["activityId"])},
        }
        return web.json_response(steps[name](body))

    def _sign(self, body: Mapping[str, Any]) -> dict[str, Any]:
        wanted = body["parameters"]
        if (
            body["type"] != "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
            or abs(int(body["timestampMs"]) / 1000 - time.time()) > 60
        ):
            raise ProxyRefusal(400, "stale or of another type")
        if (wanted["encoding"], wanted["hashFunction"]) != ("PAYLOAD_ENCODING_HEXADECIMAL", "HASH_FUNCTION_NO_OP"):
            raise ProxyRefusal(400, "not a digest")
        addresses = {
            each["address"].lower() for each in self.organizations[body["organizationId"]].accounts["wallet-1"]
        }
        if wanted["signWith"].lower() not in addresses:
            raise ProxyRefusal(404, "no such account")
        wallet = self.signs_with or self.keys[wanted["signWith"].lower()]
        made = wallet.unsafe_sign_hash(Hash32(bytes.fromhex(wanted["payload"])))
        result = {"r": f"{made.r:064x}", "s": f"{made.s:064x}", "v": f"{made.v - 27:02x}"}
        id = secrets.token_hex(16)
        self._signing[id] = {"polls": self.polls, "result": {"signRawPayloadResult": result}}
        return {"activity": self._signed(id)}

    def _signed(self, id: str) -> dict[str, Any]:
        activity = self._signing[id]
        if activity["polls"]:
            activity["polls"] -= 1
            return {"id": id, "status": "ACTIVITY_STATUS_PENDING", "result": {}}
        return {"id": id, "status": self.ends_as, "result": activity["result"]}


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _decrypted(target: ec.EllipticCurvePrivateKey, bundle: Mapping[str, str]) -> dict[str, str]:
    sender, ciphertext = bytes.fromhex(bundle["encappedPublic"]), bytes.fromhex(bundle["ciphertext"])
    try:
        told = openssl.hpke._decrypt_with_aad(
            SUITE, sender + ciphertext, target, info=b"turnkey_hpke", aad=sender + _point(target)
        )
    except InvalidTag:
        raise ProxyRefusal(400, "cannot be decrypted") from None
    words: dict[str, str] = json.loads(told)
    return words


def _is_signed(client: Mapping[str, str]) -> bool:
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(client["publicKey"]))
    raw = bytes.fromhex(client["signature"])
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    try:
        key.verify(der, client["message"].encode(), ec.ECDSA(SHA256()))
    except InvalidSignature:
        return False
    return len(raw) == 64


def _stamp(header: str) -> dict[str, str]:
    try:
        stamp: dict[str, str] = json.loads(urlsafe_b64decode(header + "=" * (-len(header) % 4)))
    except ValueError:
        return {}
    return stamp if stamp.get("scheme") == "SIGNATURE_SCHEME_TK_API_P256" and not header.endswith("=") else {}


def _base64(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()
