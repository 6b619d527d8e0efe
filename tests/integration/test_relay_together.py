"""Requests at the same time are admitted one after the other, and do not affect each other."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.errors import LimitReached
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.attempts import broadcast_attempts, hash_transaction
from reminder_worker.relay.models import RelayAuthorization, RequestState, RequestView
from tests.integration.chain_proxy import chain_settings, proxy
from tests.integration.relay_authorizations import TARGET, authorization
from tests.integration.relay_world import CHAIN_ID, RelayWorld, open_world, stored_attempts

Answers = Sequence[RequestView | BaseException]


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[RelayWorld]:
    async with open_world(chain_scenario, engine) as opened:
        yield opened


class WalletLocks:
    """Count locks of the wallet's row: one for each transaction of an admission."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.count = 0
        event.listen(engine.sync_engine, "before_cursor_execute", self._look)

    def _look(self, _connection: object, _cursor: object, statement: str, *_: object) -> None:
        self.count += "from worker.relay_wallet" in statement and statement.endswith("for update")


async def together(admission: RelayAdmission, *asked: RelayAuthorization) -> Answers:
    """Admit all at once, with prices that are read already."""
    await admission.wallet.read_readiness(CHAIN_ID)
    return await asyncio.gather(*map(admission.admit_request, asked), return_exceptions=True)


def kinds(answers: Answers) -> list[str]:
    return [each.state.value if isinstance(each, RequestView) else type(each).__name__ for each in answers]


async def calls_mined(world: RelayWorld) -> list[bytes]:
    """Return the requests in the order of nonces, without a gap."""
    world.mine()
    hashes = [each["tx_hash"] for each in await world.attempts()]
    found = [world.anvil.rpc("eth_getTransactionByHash", tx_hash) for tx_hash in hashes]
    assert [int(each["nonce"], 16) for each in found] == list(range(len(found))) == list(range(world.count()))
    return [bytes.fromhex(each["input"][2:]) for each in found]


async def test_concurrent_requests_have_a_transaction_each_and_share_one_price_read(world: RelayWorld) -> None:
    async with proxy(world.anvil.url) as node:
        chain = Chain(chain_settings(world.scenario, node.url))
        admission = RelayAdmission(
            world.engine, world.vault, {CHAIN_ID: chain}, world.signer, world.caps, any_chain=True
        )
        locks = WalletLocks(world.engine)
        asked = [authorization(number) for number in range(8)]
        answers = await together(admission, *asked)
        await chain.close()
    assert kinds(answers) == ["broadcast"] * 8
    assert locks.count == 8
    assert node.methods().count("eth_feeHistory") == 1
    assert await calls_mined(world) == [each.call_data for each in asked]


async def test_request_over_a_cap_is_refused_and_those_beside_it_are_not(world: RelayWorld) -> None:
    """The third request of a signer is refused. Earlier requests, and requests of other signers, are admitted."""
    world.caps = replace(world.caps, per_signer=2)
    world.restart()
    same = [authorization(number, signer=TARGET, nonce=number) for number in (1, 2, 3)]
    answers = await together(world.admission, *same, authorization(4))
    assert kinds(answers) == ["broadcast", "broadcast", "LimitReached", "broadcast"]
    assert isinstance(answers[2], LimitReached)
    assert answers[2].code == "daily_cap_reached"
    assert await world.rows("select from worker.relay_request where nonce = 3") == []
    assert (await world.budget())["requests"] == 3
    assert await calls_mined(world) == [each.call_data for each in (*same[:2], authorization(4))]


async def test_a_replay_beside_its_original_is_the_same_request(world: RelayWorld) -> None:
    answers = await together(world.admission, *(authorization(number) for number in (1, 2, 1, 1)))
    first, other, *replays = [answer.id for answer in answers if isinstance(answer, RequestView)]
    assert [first, first] == replays
    assert first != other
    assert (await world.budget())["requests"] == 2
    assert await calls_mined(world) == [authorization(number).call_data for number in (1, 2)]


async def test_marking_sent_attempts_does_not_wait_for_row_locks(world: RelayWorld) -> None:
    """A reconciler with several rows may want a row of ours: it must not end in a deadlock."""
    await world.admission.wallet.read_readiness(CHAIN_ID)
    answers = await together(world.admission, *map(authorization, (1, 2, 3)))
    await world.execute("update worker.relay_request set state = 'signed'")
    async with world.engine.connect() as connection:
        attempts = await stored_attempts(connection, world.vault, CHAIN_ID, world.wallet)
    held = hash_transaction(attempts[1])
    for table in ("relay_request", "tx_attempt"):
        async with world.engine.begin() as connection, asyncio.timeout(60):
            hold = text(f"select from worker.{table} where tx_hash = :held for update")
            await connection.execute(hold, {"held": held})
            await broadcast_attempts(world.engine, world.chain, attempts)
    rows = await world.rows("select tx_hash, state from worker.relay_request")
    assert {each["tx_hash"]: each["state"] for each in rows} == {
        view.tx_hash: "signed" if view.tx_hash == held else "broadcast"
        for view in answers
        if isinstance(view, RequestView)
    }
    await broadcast_attempts(world.engine, world.chain, attempts)
    assert await world.rows("select distinct state from worker.relay_request") == [{"state": "broadcast"}]


async def test_request_that_cannot_be_signed_fails_alone_without_a_nonce_gap(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = world.signer.sign

    async def refuses_one(transaction: Mapping[str, Any]) -> bytes:
        if transaction["data"] == authorization(2).call_data:
            raise ConnectionError("the key is out of reach")
        return await sign(transaction)

    monkeypatch.setattr(world.signer, "sign", refuses_one)
    answers = await together(world.admission, *map(authorization, (1, 2, 3)))
    assert kinds(answers) == ["broadcast", "ConnectionError", "broadcast"]
    assert (await world.budget())["requests"] == 2
    assert sorted(await calls_mined(world)) == [authorization(number).call_data for number in (1, 3)]


async def test_request_refused_by_the_database_fails_alone_without_a_nonce_gap(world: RelayWorld) -> None:
    answers = await together(world.admission, authorization(1), authorization(2, deadline=2**63), authorization(3))
    assert kinds(answers) == ["broadcast", "DataError", "broadcast"]
    assert (await world.budget())["requests"] == 2
    assert sorted(await calls_mined(world)) == [authorization(number).call_data for number in (1, 3)]


async def test_request_of_a_client_that_is_gone_is_relayed(world: RelayWorld) -> None:
    assert await world.admission.wallet.read_readiness(CHAIN_ID) is None
    gone, stays = (asyncio.create_task(world.admission.admit_request(authorization(number))) for number in (1, 2))
    await asyncio.sleep(0)
    gone.cancel()
    assert (await stays).state is RequestState.BROADCAST
    assert gone.cancelled()
    assert await calls_mined(world) == [authorization(number).call_data for number in (1, 2)]
