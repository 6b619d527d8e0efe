"""Admission: one transaction in the database, and only committed bytes on the wire."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from eth_utils.crypto import keccak
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import ContractCall
from reminder_worker.database.engine import open_engine
from reminder_worker.errors import LimitReached, NonceMismatch, NotConfigured, RelayStopped
from reminder_worker.relay import store, waiting
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.attempts import ReservationTooSmall, add_attempt
from reminder_worker.relay.fees import GasFees
from reminder_worker.relay.models import RelayAuthorization, RelayLane, RequestState
from reminder_worker.relay.wallet import load_signer
from tests.integration.chain_proxy import Json, NodeProxy, chain_settings, proxy
from tests.integration.locks import blocked, frozen
from tests.integration.relay_authorizations import GAS, TARGET, authorization
from tests.integration.relay_world import CAPS, CHAIN_ID, GWEI, RelayWorld, open_world

# With gas at about 9 gwei it is this ceiling that bounds the first fee, so that every request reserves the same.
OURS = replace(CAPS, gas_price_ceiling_wei=25 * GWEI)
Nodes = tuple[RelayAdmission, NodeProxy, NodeProxy]


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[RelayWorld]:
    async with open_world(chain_scenario, engine, OURS) as opened:
        yield opened


@pytest.fixture
def database(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    """Read committed rows only, as another process does."""
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        yield connection


@pytest.fixture
async def two_nodes(world: RelayWorld) -> AsyncIterator[Nodes]:
    async with proxy(world.anvil.url) as one, proxy(world.anvil.url) as two:
        chain = Chain(chain_settings(world.scenario, one.url, two.url, RPC_TIMEOUT=1.0))
        yield with_caps(world, chain), one, two
        await chain.close()


def with_caps(
    world: RelayWorld, chain: Chain | None = None, engine: AsyncEngine | None = None, **caps: Any
) -> RelayAdmission:
    chains = {CHAIN_ID: chain or world.chain}
    return RelayAdmission(
        engine or world.engine, world.vault, chains, world.signer, replace(OURS, **caps), any_chain=True
    )


async def mark_mined(world: RelayWorld) -> None:
    await world.execute("update worker.nonce_slot set state = 'mined'")
    await world.execute("update worker.relay_request set state = 'mined' where state = 'broadcast'")


async def nonces(world: RelayWorld) -> list[int]:
    return [slot["nonce"] for slot in await world.slots()]


async def foreign_transaction(world: RelayWorld) -> None:
    fields = {"type": 2, "chainId": CHAIN_ID, "nonce": 0, "to": TARGET, "value": 0, "data": b"", "gas": 21_000}
    fees = {"maxFeePerGas": 100 * GWEI, "maxPriorityFeePerGas": GWEI}
    world.anvil.rpc("eth_sendRawTransaction", "0x" + (await world.signer.sign(fields | fees)).hex())


# -- one request -----------------------------------------------------------------------------------


async def test_an_accepted_request_is_on_the_wire_and_is_mined_as_it_was_asked_for(world: RelayWorld) -> None:
    view = await world.admission.admit_request(authorization(1))
    assert view.state is RequestState.BROADCAST
    world.mine()
    assert view.tx_hash is not None
    sent = world.anvil.rpc("eth_getTransactionByHash", view.tx_hash)
    assert (sent["from"], sent["to"], int(sent["gas"], 16)) == (world.wallet, TARGET, GAS)
    assert bytes.fromhex(sent["input"][2:]) == authorization(1).call_data
    found = await world.find(authorization(1).digest)
    assert found == await world.admission.read_request(view.id)
    assert found is not None
    assert (found.state, found.tx_hash) == (view.state, view.tx_hash)


async def test_100_concurrent_copies_at_two_replicas_are_one_request_and_one_transaction(
    world: RelayWorld, database_url: str
) -> None:
    other_engine = open_engine(database_url)
    replicas = world.admission, with_caps(world, engine=other_engine)
    views = await asyncio.gather(*(replicas[n % 2].admit_request(authorization(1)) for n in range(100)))
    await other_engine.dispose()
    assert len({view.id for view in views}) == 1
    assert await nonces(world) == [0]
    assert (await world.budget())["requests"] == 1
    world.mine()
    assert world.count() == 1


async def test_two_wallets_relay_one_authorization_once(world: RelayWorld) -> None:
    """While our wallet is replaced, a process with the old key and one with the new key may run at once."""
    signer = load_signer(SecretStr("0x" + keccak(text=f"other {world.tag}").hex()))
    world.anvil.set_balance(signer.address, 10**18)
    other = RelayAdmission(world.engine, world.vault, {CHAIN_ID: world.chain}, signer, OURS, any_chain=True)
    for admission in (world.admission, other):
        await admission.wallet.open(CHAIN_ID)
    async with world.engine.begin() as connection:
        await store.lock_wallet(connection, CHAIN_ID, world.wallet)
        await store.lock_wallet(connection, CHAIN_ID, signer.address)
        asked = [asyncio.create_task(each.admit_request(authorization(1))) for each in (world.admission, other)]
        await blocked(world.engine, 2)  # neither has found the other's request
    one, two = await asyncio.gather(*asked)
    assert one.id == two.id
    assert await nonces(world) == [0]


async def test_nothing_is_on_the_wire_before_its_bytes_are_committed(
    world: RelayWorld, database: psycopg.Connection[Any]
) -> None:
    committed: list[bool] = []
    async with proxy(world.anvil.url) as node:

        def look(request: Json) -> None:
            if request["method"] == "eth_sendRawTransaction":
                tx_hash = "0x" + keccak(bytes.fromhex(request["params"][0][2:])).hex()
                query = "select exists (select from worker.tx_attempt where tx_hash = %s and raw is not null)"
                committed.extend(found for (found,) in database.execute(query, (tx_hash,)))

        node.answer = look
        chain = Chain(chain_settings(world.scenario, node.url))
        behind = with_caps(world, chain)
        await asyncio.gather(*(behind.admit_request(authorization(n)) for n in range(5)))
        await chain.close()
    assert committed == [True] * 5


async def test_of_two_authorizations_of_one_nonce_only_the_first_is_relayed(world: RelayWorld) -> None:
    one_signer = [authorization(n, signer=TARGET, nonce=7) for n in range(10)]
    answers = await asyncio.gather(*map(world.admission.admit_request, one_signer), return_exceptions=True)
    assert sum(isinstance(answer, NonceMismatch) for answer in answers) == 9
    assert (await world.budget())["requests"] == 1
    assert await nonces(world) == [0]


# -- nonces ----------------------------------------------------------------------------------------


async def test_open_slots_are_bounded_and_the_others_follow_in_order(world: RelayWorld) -> None:
    admission = with_caps(world, max_open=2)
    views = [await admission.admit_request(authorization(n)) for n in range(4)]
    assert [view.state for view in views] == ["broadcast", "broadcast", "queued", "queued"]
    assert await admission.start_waiting(CHAIN_ID) == 0
    world.mine()
    await mark_mined(world)
    late = await admission.admit_request(authorization(9))
    assert late.state is RequestState.QUEUED  # does not pass those who wait
    assert await admission.start_waiting(CHAIN_ID) == 2
    assert [await world.state(view) for view in views] == ["mined", "mined", "broadcast", "broadcast"]
    assert await nonces(world) == [0, 1, 2, 3]
    assert (await world.budget())["requests"] == 5


async def test_two_concurrent_starters_give_each_request_one_nonce(world: RelayWorld) -> None:
    full = with_caps(world, max_open=1)
    for number in range(9):
        await full.admit_request(authorization(number))
    world.mine()
    await mark_mined(world)
    async with world.engine.begin() as connection:
        await store.lock_wallet(connection, CHAIN_ID, world.wallet)
        starting = [asyncio.create_task(with_caps(world).start_waiting(CHAIN_ID)) for _ in range(2)]
        await blocked(world.engine, 2)  # both have read then
    assert sorted(await asyncio.gather(*starting)) == [0, 8]
    assert await nonces(world) == list(range(9))
    assert sum(int(slot["reserved_wei"]) for slot in await world.slots()) == (await world.budget())["reserved"]
    world.mine()
    assert world.count() == 9


async def test_a_successor_waits_for_its_predecessor_and_then_goes(world: RelayWorld) -> None:
    """A later nonce, or a request at another router with its own nonces, does not count."""
    person = {"signer": TARGET, "creator": TARGET}
    first = await world.admission.admit_request(authorization(1, nonce=0, **person))
    second = await world.admission.admit_request(authorization(2, nonce=1, **person), waits=True)
    third = await world.admission.admit_request(authorization(3, nonce=2, **person), waits=True)
    assert second.state is RequestState.WAITING_PREDECESSOR
    assert await world.open_nonces(TARGET, TARGET) == [0, 1, 2]
    assert await world.admission.start_waiting(CHAIN_ID) == 0
    elsewhere = authorization(4, nonce=1, router="0x" + "7b" * 20, **person)
    await world.admission.admit_request(elsewhere, waits=True)
    assert await world.admission.start_waiting(CHAIN_ID) == 1
    world.mine()
    await mark_mined(world)
    assert await world.admission.start_waiting(CHAIN_ID) == 1
    states = [await world.state(each) for each in (first, second, third)]
    assert states == ["mined", "broadcast", "waiting_predecessor"]


async def test_request_that_would_revert_gets_no_nonce_and_delays_no_other(world: RelayWorld) -> None:
    admission = with_caps(world, max_open=1)
    router = world.scenario.deployment.time_lock_router.lower()
    await admission.admit_request(authorization(1))
    reverting = await admission.admit_request(authorization(2, router=router))
    fine = await admission.admit_request(authorization(3))
    assert await admission.start_waiting(CHAIN_ID) == 0
    assert await world.rows("select from worker.relay_request where reason is not null") == [], "no slot, no question"
    world.mine()
    await mark_mined(world)
    assert await admission.start_waiting(CHAIN_ID) == 1
    assert [await world.state(each) for each in (reverting, fine)] == ["queued", "broadcast"]
    passed_over = await admission.read_request(reverting.id)
    assert passed_over is not None
    assert passed_over.reason == "would_revert"
    await mark_mined(world)
    assert (await admission.admit_request(authorization(4))).state is RequestState.BROADCAST


async def test_passed_over_request_is_retried_among_many_hopeless_ones(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request is tried at a time. The first always reverts, the second only once."""
    monkeypatch.setattr(waiting, "STARTED_AT_ONCE", 1)
    router = world.scenario.deployment.time_lock_router.lower()
    never = await world.admission.admit_request(authorization(1, router=router), waits=True)
    later = await world.admission.admit_request(authorization(2), waits=True)
    await world.execute("update worker.relay_request set reason = 'would_revert'")
    for _ in range(60):
        await world.admission.start_waiting(CHAIN_ID)
        if await world.state(later) == "broadcast":
            break
    assert [await world.state(each) for each in (never, later)] == ["waiting_predecessor", "broadcast"]


async def test_frozen_admission_does_not_keep_the_wallet_locked(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.admission.admit_request(authorization(1))
    async with frozen(world.engine, monkeypatch) as stopped, stopped.connect() as connection:
        await store.lock_wallet(connection, CHAIN_ID, world.wallet)
        async with asyncio.timeout(60):
            assert (await world.admission.admit_request(authorization(2))).state is RequestState.BROADCAST
        await connection.invalidate()
    assert await nonces(world) == [0, 1]


async def test_another_wallet_on_the_chain_has_caps_places_and_turns_of_its_own(world: RelayWorld) -> None:
    """For example the attestor's wallet beside the relayer's."""
    person = {"signer": TARGET, "creator": TARGET}
    ours = with_caps(world, max_open=1)
    _, waiting = [await ours.admit_request(authorization(n, nonce=n, **person)) for n in range(2)]
    once = (await world.budget())["reserved"]
    signer = load_signer(SecretStr("0x" + keccak(text=f"other {world.tag}").hex()))
    world.anvil.set_balance(signer.address, 10**18)

    def theirs(max_open: int) -> RelayAdmission:
        caps = replace(OURS, max_open=max_open, daily_count=2, daily_wei=2 * once, per_creator=2, per_signer=2)
        return RelayAdmission(world.engine, world.vault, {CHAIN_ID: world.chain}, signer, caps, any_chain=True)

    other = theirs(max_open=1)
    views = [await other.admit_request(authorization(n, nonce=n, **person)) for n in (2, 3)]
    assert [view.state for view in views] == ["broadcast", "queued"]
    world.base_fee(60 * GWEI)
    world.mine()
    await mark_mined(world)
    assert await theirs(max_open=16).start_waiting(CHAIN_ID) == 0
    assert await world.state(waiting) == "queued"
    world.base_fee(GWEI)
    world.mine()
    assert await theirs(max_open=16).start_waiting(CHAIN_ID) == 1
    assert [await world.state(each) for each in (waiting, views[1])] == ["queued", "broadcast"]


# -- caps ------------------------------------------------------------------------------------------


@pytest.mark.core
async def test_32_concurrent_clients_never_pass_the_cap_in_wei(world: RelayWorld, database_url: str) -> None:
    await world.admission.admit_request(authorization(999))
    each = int((await world.slots())[0]["reserved_wei"])
    cap = 10 * each + each // 2
    engines = [open_engine(database_url, pool_size=20) for _ in range(2)]
    replicas = [with_caps(world, engine=engine, daily_wei=cap, max_open=1000) for engine in engines]
    work = iter(range(64))
    refused: list[tuple[str, bool]] = []

    async def client(number: int) -> None:
        for next_one in work:
            try:
                await replicas[number % 2].admit_request(authorization(next_one))
            except LimitReached as reached:
                refused.append((reached.code, 0 < reached.retry_after <= 1200))
            budget = await world.budget()
            assert budget["reserved"] + budget["spent"] <= cap

    await asyncio.gather(*(client(number) for number in range(32)))
    for engine in engines:
        await engine.dispose()
    assert refused == [("daily_cap_reserved", True)] * (64 - 9)
    assert await world.budget() == {"requests": 10, "reserved": 10 * each, "spent": 0}
    assert sum(int(slot["reserved_wei"]) for slot in await world.slots()) == 10 * each
    assert await nonces(world) == list(range(10))


async def test_reserved_cap_asks_to_retry_soon(world: RelayWorld) -> None:
    await world.admission.admit_request(authorization(1))
    full = with_caps(world, daily_wei=10**18)
    await world.execute("update worker.relay_budget set reserved_wei = 1e18")
    with pytest.raises(LimitReached, match="try again in twenty minutes") as refused:
        await full.admit_request(authorization(2))
    assert (refused.value.code, refused.value.retry_after <= 1200) == ("daily_cap_reserved", True)
    assert await full.wallet.read_readiness(CHAIN_ID) == "daily_cap_reserved"
    with pytest.raises(LimitReached, match="is used up"):  # who comes back in twenty minutes finds the count as full
        await with_caps(world, daily_wei=10**18, daily_count=1).admit_request(authorization(2))
    await world.execute("update worker.relay_budget set spent_wei = reserved_wei, reserved_wei = 0")
    with pytest.raises(LimitReached, match="is used up"):
        await full.admit_request(authorization(2))
    assert await full.wallet.read_readiness(CHAIN_ID) == "daily_cap_reached"
    await world.execute("update worker.relay_budget set spent_wei = 0")
    assert (await full.admit_request(authorization(2))).state is RequestState.BROADCAST


@pytest.mark.parametrize(
    ("cap", "same"),
    [
        ("daily_count", {}),
        ("per_legacy", {"subject_id": 5}),
        ("per_gift", {"subject_id": 5, "lane": RelayLane.GIFT_WITHDRAW}),
        ("per_signer", {"signer": TARGET}),
        ("per_creator", {"creator": TARGET}),
    ],
)
async def test_each_count_is_capped_for_concurrent_clients(world: RelayWorld, cap: str, same: dict[str, Any]) -> None:
    caps: dict[str, Any] = {"per_gift": None, cap: 3}
    admission = with_caps(world, **caps)
    answers = await asyncio.gather(
        *(admission.admit_request(authorization(n, nonce=n, **same)) for n in range(12)), return_exceptions=True
    )
    assert sum(isinstance(answer, LimitReached) for answer in answers) == 9
    assert (await world.budget())["requests"] == 3
    if same:  # nobody else is held up
        await admission.admit_request(authorization(100))


async def test_waiting_request_counts_but_reserves_wei_only_with_its_nonce(world: RelayWorld) -> None:
    admission = with_caps(world, max_open=1)
    await admission.admit_request(authorization(1))
    once = (await world.budget())["reserved"]
    await admission.admit_request(authorization(2))
    assert await world.budget() == {"requests": 2, "reserved": once, "spent": 0}
    await mark_mined(world)
    # No room in today's wei: it keeps waiting.
    assert await with_caps(world, daily_wei=2 * once - 1).start_waiting(CHAIN_ID) == 0
    assert await with_caps(world, daily_wei=2 * once).start_waiting(CHAIN_ID) == 1
    assert await world.budget() == {"requests": 2, "reserved": 2 * once, "spent": 0}


@pytest.mark.parametrize("short_of", ["balance", "cap"])
async def test_waiting_request_keeps_its_turn_until_open_slots_leave_it_enough_wei(
    world: RelayWorld, short_of: str
) -> None:
    """The balance owes the wei that an open slot reserves, and the cap counts them, until they are settled."""
    full = with_caps(world, max_open=1)
    await full.admit_request(authorization(1))
    once = (await world.budget())["reserved"]
    waits = await full.admit_request(authorization(2))

    async def start_with(wei: int) -> int:
        if short_of == "balance":
            world.anvil.set_balance(world.wallet, wei)
            return await with_caps(world).start_waiting(CHAIN_ID)
        return await with_caps(world, daily_wei=wei).start_waiting(CHAIN_ID)

    assert await start_with(2 * once - 1) == 0
    view = await full.read_request(waits.id)
    assert view is not None
    assert (view.state, view.reason) == (RequestState.QUEUED, None)
    assert await start_with(2 * once) == 1


async def test_slot_that_a_new_request_takes_meanwhile_is_not_given_to_a_waiting_one(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The waiting request was checked while the only slot was free."""
    world.base_fee(60 * GWEI)
    world.mine()
    waits = await world.admission.admit_request(authorization(1))
    world.base_fee(GWEI)
    world.mine()
    starter, other = with_caps(world, max_open=1), with_caps(world, max_open=1)
    check = waiting.RequestStarter._check_again

    async def admit_another(*check_these: Any) -> Any:
        ready = await check(*check_these)
        assert (await other.admit_request(authorization(2))).state is RequestState.BROADCAST
        return ready

    monkeypatch.setattr(waiting.RequestStarter, "_check_again", admit_another)
    assert await starter.start_waiting(CHAIN_ID) == 0
    assert await world.state(waits) == "deferred_fee"
    assert await nonces(world) == [0]


async def test_request_too_dear_for_today_delays_no_other_and_starts_tomorrow(world: RelayWorld) -> None:
    """While the cap is only reserved, the request keeps its turn."""
    admission = with_caps(world, max_open=1)
    await admission.admit_request(authorization(1))
    once = (await world.budget())["reserved"]
    dear = await admission.admit_request(authorization(2, gas_limit=3 * GAS))
    cheap = await admission.admit_request(authorization(3))
    world.mine()
    await mark_mined(world)
    tight = with_caps(world, daily_wei=3 * once)
    assert await tight.start_waiting(CHAIN_ID) == 0
    await world.execute("update worker.relay_budget set spent_wei = reserved_wei, reserved_wei = 0")
    assert await tight.start_waiting(CHAIN_ID) == 1
    assert [await world.state(each) for each in (dear, cheap)] == ["queued", "broadcast"]
    waits = await tight.read_request(dear.id)
    assert waits is not None
    assert waits.reason == "daily_cap_reached"
    assert (await tight.admit_request(authorization(4))).state is RequestState.BROADCAST
    await world.execute("update worker.relay_budget set day = day - 1")
    assert await tight.start_waiting(CHAIN_ID) == 1
    assert await world.state(dear) == "broadcast"


async def test_a_new_day_has_caps_of_its_own(world: RelayWorld) -> None:
    admission = with_caps(world, daily_count=1)
    await admission.admit_request(authorization(1))
    await world.execute("update worker.relay_budget set day = day - 1")
    await admission.admit_request(authorization(2))
    with pytest.raises(LimitReached):
        await admission.admit_request(authorization(3))


async def raise_to(world: RelayWorld, wei: int, daily_wei: int) -> bool:
    async with world.engine.begin() as connection:
        await store.lock_wallet(connection, CHAIN_ID, world.wallet)
        return await store.raise_reservation(connection, CHAIN_ID, world.wallet, 0, wei, daily_wei)


async def test_a_dearer_replacement_reserves_first_and_never_beyond_the_cap(world: RelayWorld) -> None:
    await world.admission.admit_request(authorization(1))
    once = (await world.budget())["reserved"]
    assert await raise_to(world, once, once)
    assert not await raise_to(world, once + 1, once)
    assert (await world.budget())["reserved"] == once
    assert await raise_to(world, 3 * once, 3 * once)
    assert (await world.budget())["reserved"] == 3 * once == int((await world.slots())[0]["reserved_wei"])
    await world.execute("update worker.relay_budget set spent_wei = 1 where scope = 'global'")
    assert not await raise_to(world, 4 * once, 4 * once)
    assert await raise_to(world, 4 * once, 4 * once + 1)
    await world.execute("update worker.nonce_slot set budget_day = budget_day - 1")
    await world.execute("update worker.relay_budget set day = day - 1")
    assert not await raise_to(world, 5 * once, 5 * once - 1), "all of it counts for the new day"
    assert await raise_to(world, 5 * once, 5 * once)


async def test_an_attempt_dearer_than_what_is_reserved_is_not_stored(world: RelayWorld) -> None:
    await world.admission.admit_request(authorization(1))
    (slot,) = await world.slots()
    most = int(slot["reserved_wei"]) // GAS

    async def store_one(max_fee: int) -> None:
        fees, call = GasFees(max_fee, GWEI), ContractCall(TARGET, b"")
        async with world.engine.begin() as connection:
            await add_attempt(connection, world.signer, CHAIN_ID, 0, world.vault.record_key(), fees, GAS, call=call)

    with pytest.raises(ReservationTooSmall):
        await store_one(most + 1)
    await store_one(most)
    assert len(await world.attempts()) == 2


# -- gas price -------------------------------------------------------------------------------------


async def test_request_above_the_ceiling_waits_without_a_nonce_until_fees_fall(world: RelayWorld) -> None:
    world.base_fee(60 * GWEI)
    world.mine()
    view = await world.admission.admit_request(authorization(1))
    assert view.state is RequestState.DEFERRED_FEE
    assert view.tx_hash is None
    assert not await world.slots()
    assert await world.admission.start_waiting(CHAIN_ID) == 0
    world.base_fee(GWEI)
    world.mine()
    world.restart()
    assert await world.admission.start_waiting(CHAIN_ID) == 1
    assert await world.state(view) == "broadcast"


async def test_as_many_waiting_requests_start_as_todays_cap_allows(world: RelayWorld) -> None:
    world.base_fee(60 * GWEI)
    world.mine()
    views = [await world.admission.admit_request(authorization(number)) for number in (1, 2, 3)]
    world.base_fee(GWEI)
    world.mine()
    world.restart()
    wallet = world.admission.wallet
    _, wei = wallet.offer_fees(await wallet.read_prices(CHAIN_ID), GAS)
    assert await with_caps(world, daily_wei=wei * 5 // 2).start_waiting(CHAIN_ID) == 2
    assert [await world.state(view) for view in views] == ["broadcast", "broadcast", "deferred_fee"]
    assert await world.budget() == {"requests": 3, "reserved": 2 * wei, "spent": 0}


# -- the wire --------------------------------------------------------------------------------------


async def test_every_endpoint_gets_the_bytes(two_nodes: Nodes) -> None:
    admission, *nodes = two_nodes
    assert (await admission.admit_request(authorization(1))).state is RequestState.BROADCAST
    assert [node.methods().count("eth_sendRawTransaction") for node in nodes] == [1, 1]


async def test_stored_request_is_accepted_even_if_the_database_fails_after_sending(
    world: RelayWorld, postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the signer would sign again, with a used nonce."""
    name, send = world.engine.url.database, Chain.send_raw

    def take(allowed: bool) -> None:
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            connection.execute(f"alter database {name} allow_connections {allowed}")
            if not allowed:
                connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [name])

    async def sent_last(self: Chain, transactions: Sequence[bytes]) -> Any:
        said = await send(self, transactions)
        take(False)
        return said

    monkeypatch.setattr(Chain, "send_raw", sent_last)
    view = await world.admission.admit_request(authorization(1))
    monkeypatch.undo()
    take(True)
    assert view.state is RequestState.BROADCAST
    assert (await world.admission.admit_request(authorization(1))).id == view.id
    world.mine()
    await world.run()
    assert await world.state(view) == "mined"


# -- the wallet ------------------------------------------------------------------------------------


async def test_foreign_nonce_is_found_before_the_first_admission(world: RelayWorld) -> None:
    await world.admission.wallet.open(CHAIN_ID)
    await foreign_transaction(world)
    world.mine()
    world.restart()
    with pytest.raises(RelayStopped):
        await world.admission.admit_request(authorization(1))
    assert await world.rows("select stopped from worker.relay_wallet") == [{"stopped": "foreign_nonce"}]


async def test_a_wallet_with_an_unknown_transaction_under_way_does_not_start(world: RelayWorld) -> None:
    await foreign_transaction(world)
    with pytest.raises(RelayStopped):
        await world.admission.admit_request(authorization(1))
    assert await world.admission.wallet.read_readiness(CHAIN_ID) == "not_reconciled"
    world.mine()
    assert (await world.admission.admit_request(authorization(1))).state is RequestState.BROADCAST
    assert await nonces(world) == [1]


def count_five(request: Json) -> Json | None:
    return {"result": "0x5"} if request["method"] == "eth_getTransactionCount" else None


@pytest.mark.parametrize("place", [0, 1])
async def test_endpoints_that_disagree_give_no_first_nonce(world: RelayWorld, two_nodes: Nodes, place: int) -> None:
    admission, *nodes = two_nodes
    nodes[place].answer = count_five
    with pytest.raises(RelayStopped):
        await admission.wallet.open(CHAIN_ID)
    assert not await world.rows("select from worker.relay_wallet")


@pytest.mark.parametrize("place", [0, 1])
async def test_one_lying_endpoint_of_two_stops_no_wallet(world: RelayWorld, two_nodes: Nodes, place: int) -> None:
    admission, *nodes = two_nodes
    await world.admission.wallet.open(CHAIN_ID)
    nodes[place].answer = count_five
    assert (await admission.admit_request(authorization(1))).state is RequestState.BROADCAST


async def test_rollups_are_refused(world: RelayWorld) -> None:
    rollup = RelayAdmission(world.engine, world.vault, {10: world.chain, 8453: world.chain}, world.signer, OURS)
    for chain_id in (10, 8453):
        elsewhere: RelayAuthorization = authorization(1, chain_id=chain_id)
        with pytest.raises(NotConfigured):
            await rollup.admit_request(elsewhere)
        assert await rollup.wallet.read_readiness(chain_id) == "chain_refused"


async def test_a_wallet_that_cannot_pay_admits_nothing_and_says_so(world: RelayWorld) -> None:
    assert await world.admission.wallet.read_readiness(CHAIN_ID) is None
    world.anvil.set_balance(world.wallet, 10**12)
    world.restart()
    with pytest.raises(RelayStopped):
        await world.admission.admit_request(authorization(1))
    assert await world.admission.wallet.read_readiness(CHAIN_ID) == "low_balance"
    assert await world.budget() == {"requests": 0, "reserved": 0, "spent": 0}
