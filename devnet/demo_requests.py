"""Requests whose gas the service pays, as a frontend makes and follows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from devnet.evidence import must
from devnet.local import CHAIN_ID
from devnet.sponsorship import Auth
from devnet.stack import LocalStack
from devnet.telling import DemoNarrator
from devnet.wallet import WalletAnswer, get, post

OTHER_ENDS = frozenset({"reverted", "expired", "satisfied_elsewhere", "superseded", "cancelled_by_user"})


@dataclass(frozen=True, slots=True)
class RelayedRequest:
    """A request as the API answered it."""

    id: str
    tx_hash: str


class DemoRequests(DemoNarrator):
    """`authorizations` keeps what was signed, for the search for leaks."""

    def __init__(self, stack: LocalStack) -> None:
        super().__init__(stack)
        self.authorizations: list[bytes] = []

    def sponsored(self, what: str, body: Mapping[str, Any], auth: Auth) -> RelayedRequest:
        """POST it, wait until it is in a block, and POST it again, as an impatient user does: that is no other."""
        answer = self.post(what, body, auth)
        must(answer.status == 202, f"the API answered {answer.status} {answer.body.get('code')}")
        must(answer.body["txHash"], f"accepted, but {answer.body['status']}")
        self.transaction(answer.body["txHash"])
        again = self.post(what, body, auth)
        must(again.body.get("id") == answer.body["id"], "the same signature, sent twice, became two requests")
        return RelayedRequest(answer.body["id"], answer.body["txHash"])

    def post(self, what: str, body: Mapping[str, Any], auth: Auth) -> WalletAnswer:
        *_, nonce, deadline, signature = auth
        self.authorizations.append(signature)
        terms = {"nonce": str(nonce), "deadline": deadline, "signature": "0x" + signature.hex()}
        return post(self.stack.at.api, f"/sponsor/{what}", {"chainId": CHAIN_ID, **body, **terms})

    def until_mined(self, requests: Sequence[RelayedRequest]) -> None:
        """By the API alone, as a frontend follows them."""
        self.wait_for_api(lambda: all(map(self._is_mined, requests)), "the API to say 'mined'")

    def _is_mined(self, request: RelayedRequest) -> bool:
        answer = get(self.stack.at.api, f"/sponsor/requests/{request.id}")
        must(answer.status == 200, f"the API answered {answer.status}")
        must(answer.body["status"] not in OTHER_ENDS, f"a request ended: {answer.body['status']}")
        if answer.body["status"] not in ("mined", "confirmed"):
            return False
        block = int(self.stack.anvil.receipt(request.tx_hash)["blockNumber"], 16)
        must((answer.body["txHash"], answer.body["blockNumber"]) == (request.tx_hash, block), "another transaction")
        return True

    # -- wallets

    def wallet_of(self, address: str) -> tuple[int, int]:
        """Wei and transactions sent."""
        return self.scenario.balance(None, address), self.count(address)

    def count(self, address: str) -> int:
        return int(self.stack.anvil.rpc("eth_getTransactionCount", address, "latest"), 16)
