"""Metrics of our wallets and of alerts, as an operator's monitoring reads them."""

from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.monitoring.operations_relay import PayingWallet
from reminder_worker.privacy.vault import Vault
from tests.integration.api_world import open_world
from tests.integration.relay_rows import (
    RELAYER,
    ROUTER,
    SIGNER,
    connected,
    enter_budget,
    enter_request,
    enter_wallet,
)

SWITCHED_OFF = "0x" + "55" * 20  # its caps are 0


async def test_metrics_tell_what_our_wallets_hold_owe_and_may_spend(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    with connected(engine.url.render_as_string(hide_password=False)) as database:
        sql, vault = database.execute, Vault(b"v" * 32)
        enter_wallet(sql, stopped="foreign_nonce")
        enter_wallet(sql, "0x" + "99" * 20)  # of an earlier key
        enter_wallet(sql, SWITCHED_OFF)
        sql(
            "insert into worker.relay_wallet (chain_id, address, next_nonce, stopped) values (17000, %s, 1, 'x')",
            (RELAYER,),
        )  # of a chain that was taken out: nobody ends or resumes anything there
        enter_budget(sql, reserved=300, spent=200, requests=1)
        enter_budget(sql, reserved=9, spent=9, requests=9, days_ago=1)
        enter_request(sql, vault, "queued", nonce=None, age_seconds=9000)
        sql("update worker.relay_request set chain_id = 17000")  # likewise
        enter_request(sql, vault, "queued", nonce=None, age_seconds=9000, wallet="0x" + "99" * 20)
        enter_request(sql, vault, "broadcast", nonce=6, age_seconds=400)
        enter_request(sql, vault, "mined", nonce=5, lane="claim", age_seconds=900)
        enter_request(sql, vault, "reverted", nonce=4)
        sql(
            "insert into worker.pass_state (name, chain_id, checked_at, detail)"
            " values ('relay', 31337, now(), '{\"relayer\": {\"balance_eth\": 0.25}}')"
        )
        sql(
            "insert into worker.alert_state (chain_id, kind, subject, raised, changes)"
            " values (31337, 'relay_stuck', %s, true, 1), (31337, 'relayer_stopped', %s, false, 2)",
            (RELAYER, RELAYER),
        )
        sql(
            "insert into worker.alert (id, chain_id, kind, subject, stage, variables)"
            " values (gen_random_uuid(), 31337, 'relay_stuck', %s, 'raised 1', '{}')",
            (RELAYER,),
        )
    async with open_world(chain_scenario, engine, RELAYER_KEY="11" * 32) as world:
        world.parts.wallets.append(PayingWallet("relayer", RELAYER, daily_wei=1000, daily_count=10))
        world.parts.wallets.append(PayingWallet("attestor", SWITCHED_OFF, daily_wei=0, daily_count=0))
        async with world.session.get(world.metrics_url + "/metrics") as response:
            page = await response.text()
    told = dict(line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
    values = {name.removeprefix("reminder_worker_"): float(value) for name, value in told.items()}
    of = 'chain="31337",wallet="relayer"'
    assert values[f"relay_balance_wei{{{of}}}"] == 25 * 10**16
    assert values['relay_slots{chain="31337",state="open",wallet="relayer"}'] == 1
    assert values['relay_slots{chain="31337",state="mined",wallet="relayer"}'] == 1
    assert 390 < values[f"relay_oldest_slot_seconds{{{of}}}"] < 600
    assert (values[f"relay_reserved_wei{{{of}}}"], values[f"relay_spent_wei{{{of}}}"]) == (300, 200)
    assert values['relay_cap_used{cap="wei",chain="31337",wallet="relayer"}'] == 0.5
    assert values['relay_cap_used{cap="count",chain="31337",wallet="relayer"}'] == 0.1
    assert values['relay_spent_wei{chain="31337",wallet="attestor"}'] == 0
    assert not any("cap_used" in name and "attestor" in name for name in values), "an alert would never end"
    assert values[f"relay_stopped{{{of}}}"] == 1
    assert values['relay_requests_open{chain="31337",lane="gift_withdraw",state="broadcast"}'] == 1
    assert not any('state="queued"' in name for name in values if name.startswith("relay_requests"))
    assert values['relay_requests_ended_last_day{chain="31337",lane="gift_withdraw",state="reverted"}'] == 1
    assert values['conditions{chain="31337",kind="relay_stuck"}'] == 1
    assert not any('chain="17000"' in name for name in values)
    assert not any("relayer_stopped" in name for name in values)
    assert values['alerts_undelivered{state="queued"}'] == 1
    for private in (RELAYER, "0x" + "99" * 20, SIGNER, ROUTER):
        assert private not in page
