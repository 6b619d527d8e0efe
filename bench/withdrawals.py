"""Sealed gifts whose recipients sign for their withdrawal, and our wallet that pays: what relay figures are made of."""

from dataclasses import dataclass
from typing import Any

from eth_utils.crypto import keccak
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.surroundings import CHAIN_ID
from devnet.deploy import named_account
from devnet.scenarios import Scenario
from devnet.sponsorship import Auth
from reminder_worker.relay.models import RelayAuthorization, RelayLane
from reminder_worker.relay.wallet import LocalSigner, load_signer

DAY = 86400
GWEI = 10**9
GAS = 500_000  # the default of RELAY_GIFT_GAS
_UNMINED = text("select exists (select from worker.relay_request where state not in ('mined', 'confirmed'))")
RELAYER_KEY = "0x" + keccak(text="the relayer of the benches").hex()


@dataclass(frozen=True, slots=True)
class SignedWithdrawal:
    """`body` is what POST /sponsor/gift-withdraw takes."""

    authorization: RelayAuthorization
    body: dict[str, Any]


def relayer(scenario: Scenario) -> LocalSigner:
    """With funds for all that is measured."""
    signer = load_signer(SecretStr(RELAYER_KEY))
    scenario.anvil.set_balance(signer.address, 10**24)
    return signer


def seal(scenario: Scenario, count: int) -> list[SignedWithdrawal]:
    """Seal unlocked gifts of ETH for different recipients, with signed authorizations."""
    giver = scenario.account("giver")
    recipients = [named_account(f"recipient {number}") for number in range(count)]
    ids = [scenario.create_gift(giver, each.address, eth=10**6, duration=1) for each in recipients]
    deadline = scenario.advance(2) + DAY
    made = []
    for recipient, timelock_id in zip(recipients, ids, strict=True):
        auth = scenario.withdraw_auth(recipient, timelock_id, nonce=0, deadline=deadline)
        made.append(_withdrawal(scenario, giver.address.lower(), timelock_id, auth))
    return made


async def unmined(engine: AsyncEngine) -> bool:
    """Return whether a request is not yet known as mined."""
    async with engine.connect() as connection:
        return bool(await connection.scalar(_UNMINED))


def _withdrawal(scenario: Scenario, giver: str, timelock_id: int, auth: Auth) -> SignedWithdrawal:
    recipient, nonce, deadline, signature = auth
    data = bytes.fromhex(scenario.contracts["TimeLockRouter"].encode("withdrawFor", timelock_id, False, auth)[2:])
    authorization = RelayAuthorization(
        chain_id=CHAIN_ID,
        lane=RelayLane.GIFT_WITHDRAW,
        digest=keccak(data),
        router=scenario.deployment.time_lock_router,
        subject_id=timelock_id,
        signer=recipient.lower(),
        creator=giver,
        nonce=nonce,
        deadline=deadline,
        call_data=data,
        gas_limit=GAS,
    )
    body = {
        "chainId": CHAIN_ID,
        "timelockId": str(timelock_id),
        "skipSwap": False,
        "recipient": recipient,
        "nonce": str(nonce),
        "deadline": deadline,
        "signature": "0x" + signature.hex(),
    }
    return SignedWithdrawal(authorization, body)
