"""The TypeScript client makes and signs exactly what the server takes, by ethers and by viem."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.identity_provider_stand_in import FakeTime, IdentityProviderStandIn
from devnet.scenarios import DAY, Scenario
from tests.integration.api_world import ApiWorld, open_world
from tests.integration.gift_page_world import build_gift_page

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine) as opened:
        yield opened


async def _run(*command: str, stdin: str = "") -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(stdin.encode()), 60)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, out.decode(), err.decode()


async def _frontend(
    world: ApiWorld, legacy: str, *steps: dict[str, Any], library: str = "ethers", is_dry: bool = False
) -> list[Any]:
    """The answer of each call; of a dry run the bodies of the requests, which nothing random is in."""
    build_gift_page()
    given = {
        "library": library,
        "isDry": is_dry,
        "baseUrl": world.url,
        "chainId": world.chain_id,
        "legacy": legacy,
        "rpcUrl": world.scenario.anvil.url,
        "legacyRouter": world.scenario.deployment.transfer_eoa_legacy_router,
        "timeLockRouter": world.scenario.deployment.time_lock_router,
        "steps": steps,
    }
    code, out, err = await _run("node_modules/.bin/tsx", "tests/integration/signing_driver.ts", stdin=json.dumps(given))
    assert code == 0, err
    answers: list[Any] = json.loads(out)
    return answers


def _key(account: LocalAccount) -> str:
    return "0x" + bytes(account.key).hex()


@pytest.mark.parametrize("library", ["ethers", "viem"])
async def test_a_frontend_saves_reads_mails_and_erases(world: ApiWorld, library: str) -> None:
    """All messages are signed within a second, and the deadline rises from write to write."""
    owner, heir, scenario = world.owner(), world.scenario.account("heir"), world.scenario
    legacy = scenario.create_legacy(owner, {heir.address: 100})
    scenario.configure_reminders(owner, legacy)
    await world.parts.chain_indexes[world.chain_id].run()
    mine = {"recipient": owner.address, "role": "owner", "email": "owner@example.org", "name": "Özlem Ångström"}
    theirs = {"recipient": heir.address, "role": "beneficiary", "email": "Heir@BÜCHER.example", "name": "相続 人 👩‍👧"}
    people = [{**mine, "language": "de"}, {**theirs, "language": "ja"}]
    key = _key(owner)
    saved, read, queued, again, left, erased, empty = await _frontend(
        world,
        legacy.address,
        {"call": "ingest", "key": key, "recipients": people},
        {"call": "read", "key": key},
        {"call": "sendInstructions", "key": key},
        {"call": "sendInstructions", "key": key},
        {"call": "eraseRecipient", "key": _key(heir)},
        {"call": "erase", "key": key},
        {"call": "read", "key": key},
        library=library,
    )
    assert saved == {"saved": 2, "shredded": 0, "erasedThemselves": []}
    none_yet: dict[str, Any] = {"lastEmails": []}
    stored = [people[0] | none_yet, people[1] | none_yet | {"email": "heir@xn--bcher-kva.example"}]
    assert sorted(read["recipients"], key=lambda each: each["role"], reverse=True) == stored
    assert queued == {"queued": 2}
    assert again["refused"] == "cooldown"
    assert 86_000 < again["retryAfter"] <= 86_400
    assert (left, erased, empty["recipients"]) == ({"erased": 1}, {"shredded": 1}, [])


async def test_refusals_reach_the_frontend_as_problems(world: ApiWorld) -> None:
    owner, stranger = world.owner(), world.scenario.account("stranger")
    legacy = world.legacy(owner)
    answers = await _frontend(
        world,
        legacy.address,
        {"call": "read", "key": _key(stranger)},
        {"call": "read", "key": _key(owner), "deadline": 1},
        {"call": "ingest", "key": _key(owner), "recipients": [{"recipient": "0x12"}]},
    )
    assert [answer["refused"] for answer in answers] == ["signer_mismatch", "expired", "invalid_input"]


@pytest.mark.parametrize(("version", "library"), [("1", "ethers"), ("2", "viem")])
async def test_a_frontend_has_its_three_authorizations_relayed(
    chain_scenario: Scenario, engine: AsyncEngine, version: str, library: str
) -> None:
    """The heir has no ether: claims tokens and ether of a legacy, and withdraws a gift; the owner checks in. `version`:
    of the router of gifts; in the second a gift can be sent on."""
    scenario, usdc = chain_scenario, chain_scenario.deployment.usdc
    owner, heir, giver = (scenario.account(label) for label in ("owner", "heir", "giver"))
    scenario.subscribe_premium(owner, 10 * 365 * DAY)
    claimed, watched = (scenario.create_legacy(owner, {heir.address: 100}) for _ in range(2))
    scenario.mint(usdc, owner.address, 700)
    scenario.approve(owner, usdc, claimed.address, 700)
    scenario.anvil.set_balance(claimed.address, 5)
    gift = scenario.create_gift(giver, heir.address, eth=9, duration=DAY)
    scenario.advance(181 * DAY)
    relayer, exchange = scenario.account("relayer"), scenario.account("exchange").address
    scenario.become_version(scenario.deployment.time_lock_router, version)
    scenario.anvil.set_balance(heir.address, 0)
    async with open_world(scenario, engine, RELAYER_KEY=_key(relayer)) as world:
        status, claim, check_in, withdrawal, early, unknown = await _frontend(
            world,
            claimed.address,
            {"call": "status", "key": _key(heir)},
            {"call": "claim", "key": _key(heir), "id": str(claimed.id), "assets": [usdc]},
            {"call": "checkIn", "key": _key(owner), "id": str(watched.id)},
            {"call": "withdraw", "key": _key(heir), "id": str(gift)},
            {"call": "claim", "key": _key(heir), "id": str(watched.id), "assets": [usdc]},
            {"call": "request", "key": _key(heir), "id": "3f2b8f0e-6c1d-4b5a-9f57-0f6f2f0c9a11"},
            library=library,
        )
        assert (status["legacy"], status["gift"], status["giftEmail"]) == (True, True, False)
        for answer in (claim, check_in, withdrawal):
            scenario.anvil.receipt(answer["txHash"])
        assert scenario.balance(usdc, heir.address) == 700
        assert scenario.balance(None, heir.address) == 14
        assert (early["refused"], unknown["refused"]) == ("legacy_still_active", "not_found")
        assert status["chains"][0]["giftPayTo"] == (version == "2")
        if version == "2":
            more = scenario.create_gift(giver, heir.address, tokens=[(usdc, 7)], duration=0)
            send_on = {"call": "withdraw", "key": _key(heir), "id": str(more), "payTo": exchange}
            (sent,) = await _frontend(world, claimed.address, send_on, library=library)
            scenario.anvil.receipt(sent["txHash"])
            assert scenario.balance(usdc, exchange) == 7
        (told,) = await _frontend(world, claimed.address, {"call": "request", "key": _key(heir), "id": claim["id"]})
        assert (told["id"], told["lane"], told["txHash"]) == (claim["id"], "claim", claim["txHash"])


async def test_a_giver_asks_for_a_wallet_and_has_somebody_told(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """The email is written as a person writes it: both sides hash the same normal form."""
    scenario, origin = chain_scenario, "https://gifts.example.org"
    giver, heir = scenario.account("giver"), scenario.account("heir")
    gift = scenario.create_gift(giver, heir.address, tokens=[(scenario.deployment.usdc, 7)], duration=DAY)
    letter = "eyJ2IjoxLCJ0byI6IkFubmEiLCJmcm9tIjoiR3JhbmRwYSIsIm5vdGUiOiLwn46CIn0"
    notice = {
        "timelockId": str(gift),
        "recipientEmail": "Anna@BÜCHER.example",
        "recipientName": "Änna 相続",
        "giverName": "Grandpa",
        "claimLink": f"{origin}/gifts/{scenario.anvil.chain_id}/{gift}?o=birthday&email=1#g={letter}",
        "timing": "none",
    }
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(IdentityProviderStandIn(FakeTime(), a_second=99))
        environ = {"GIFT_ORIGINS": origin, **provider.settings()}
        world = await stack.enter_async_context(open_world(scenario, engine, **environ))
        await world.parts.chain_indexes[world.chain_id].run()
        wallet, told, erased, again, stolen = await _frontend(
            world,
            heir.address,
            {"call": "giftEmailWallet", "key": _key(giver), "email": " Anna@BÜCHER.example"},
            {"call": "giftNotify", "key": _key(giver), "notice": notice},
            {"call": "giftNotifyErase", "key": _key(giver), "id": str(gift)},
            {"call": "giftNotifyErase", "key": _key(giver), "id": str(gift)},
            {"call": "giftNotify", "key": _key(heir), "notice": notice},
        )
    assert wallet["address"].lower() == provider.only.accounts["wallet-1"][0]["address"]
    assert provider.only.users[0]["userEmail"] == "anna@xn--bcher-kva.example"
    assert (told["timing"], told["notifyAt"]) == ("none", None)
    assert (erased, again) == ({"erased": True}, {"erased": False})
    assert stolen["refused"] == "signer_mismatch"


async def test_ethers_and_viem_sign_the_same_bytes(world: ApiWorld) -> None:
    heir, scenario = world.scenario.account("heir"), world.scenario
    key, deadline, usdc = _key(heir), world.deadline(), scenario.deployment.usdc
    person = {"recipient": heir.address, "role": "owner", "email": "Ö@example.org", "name": "相続", "language": "ja"}
    notice = {"timelockId": "7", "recipientEmail": "a@example.org", "recipientName": "A", "giverName": "B"}
    notice |= {"claimLink": "https://gifts.example.org/gifts/1/7#g=e30", "timing": "none"}
    about_legacies = ("ingest", "read", "rehearse", "erase", "eraseRecipient", "sendInstructions")
    steps: list[dict[str, Any]] = [
        *({"call": call, "key": key, "recipients": [person], "deadline": deadline} for call in about_legacies),
        {"call": "claim", "key": key, "id": "5", "assets": [usdc, heir.address]},
        {"call": "checkIn", "key": key, "id": "5"},
        {"call": "withdraw", "key": key, "id": str(2**200)},
        {"call": "giftEmailWallet", "key": key, "email": " Ä@BÜCHER.example", "deadline": deadline},
        {"call": "giftNotify", "key": key, "notice": notice, "deadline": deadline},
        {"call": "giftNotifyErase", "key": key, "id": str(2**200), "deadline": deadline},
    ]
    by_ethers, by_viem = [
        await _frontend(world, usdc, *steps, library=library, is_dry=True) for library in ("ethers", "viem")
    ]
    assert by_ethers == by_viem
    assert len({body["signature"] for body in by_viem}) == len(steps)


async def test_the_client_and_the_examples_of_its_readme_are_well_typed() -> None:
    """`make` builds below `.cache` nothing that git keeps; packages are found from there."""
    build_gift_page()
    folder = ROOT / ".cache" / "readme"
    folder.mkdir(parents=True, exist_ok=True)
    examples = re.findall(r"^```ts\n(.+?)^```", (ROOT / "clients/typescript/README.md").read_text(), re.M | re.S)
    assert len(examples) == 4
    for number, example in enumerate(examples):
        (folder / f"example_{number}.ts").write_text(example + "export {};\n")
    config = {"extends": "../../tsconfig.json", "include": ["*.ts"]}
    (folder / "tsconfig.json").write_text(json.dumps(config))
    for project in (ROOT, folder):
        code, out, _ = await _run("node_modules/.bin/tsc", "--noEmit", "-p", str(project))
        assert code == 0, out
