"""Settings that point at the wrong contract, feed or block: `doctor` names the setting and what to do."""

import re
import secrets
from base64 import b64encode
from collections.abc import Callable

import pytest
from click.testing import Result
from eth_account import Account

from devnet.deploy import DAY, HOUR, named_account
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.doctor.chain import check_start_block
from reminder_worker.settings.chains import PRESETS
from tests.integration.chain_proxy import chain_settings, proxy
from tests.integration.commands import CliRun

CHAIN = 31337
IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"  # ERC-1967
PRUNED = {"error": {"code": -32000, "message": "missing trie node"}}
Changes = Callable[[Scenario], dict[str, str]]


@pytest.fixture
def environ(database_url: str, chain_scenario: Scenario) -> dict[str, str]:
    """A complete installation without mail, with every contract and feed that can be set."""
    it = chain_scenario.deployment
    return {
        "DATABASE_URL": database_url.replace("postgresql+psycopg://", "postgresql://"),
        "EMAIL_ENC_KEY": b64encode(secrets.token_bytes(32)).decode(),
        "HASH_KEY": b64encode(secrets.token_bytes(32)).decode(),
        "APP_ORIGIN": "https://app.example.org",
        "CHAINS": str(CHAIN),
        f"CHAIN_{CHAIN}_SIGNAL_BLOCK": "latest",
        **it.settings_environ(CHAIN, chain_scenario.anvil.url),
        **it.upgrade_environ(CHAIN),
        **it.price_environ(CHAIN),
    }


def _found(looked: Result) -> str:
    """Leave out the table of settings."""
    return looked.stdout.partition("\nSettings")[0]


def _implementation(s: Scenario) -> str:
    word = str(s.anvil.rpc("eth_getStorageAt", s.deployment.premium_setting, IMPLEMENTATION_SLOT, "latest"))
    return "0x" + word[-40:]


def _exchanged(s: Scenario) -> dict[str, str]:
    return {"TIMELOCK_ERC20": s.deployment.timelock_erc721, "TIMELOCK_ERC721": s.deployment.timelock_erc20}


def _other_time_lock_router(s: Scenario) -> dict[str, str]:
    it = s.deployment
    vaults = (it.timelock_erc20, it.timelock_erc721, it.timelock_erc1155)
    return {"TIME_LOCK_ROUTER": s.deploy("TimeLockRouter", it.weth, it.weth, it.token_white_list, *vaults)}


def _feeds(token: str, feed: str, heartbeat: int) -> dict[str, str]:
    return {"PRICE_FEEDS": f"{token}={feed}@{heartbeat}"}


def _head(s: Scenario) -> dict[str, str]:
    s.anvil.mine(1)
    return {"START_BLOCK": str(s.anvil.block_number())}


def _legacy_before(s: Scenario) -> dict[str, str]:
    s.create_legacy(s.account("owner"), {named_account("heir").address: 100})
    return _head(s)


def _gift_before(s: Scenario) -> dict[str, str]:
    s.create_gift(s.account("giver"), named_account("heir").address, eth=10**15)
    return _head(s)


WRONG: tuple[tuple[Changes, str, str], ...] = (
    (
        lambda s: {"PREMIUM_SETTING": _implementation(s)},
        r"PREMIUM_REMINDER_VIEW names 0x\w{40} by setting\(\), and CHAIN_31337_PREMIUM_SETTING is 0x\w{40}:"
        r" correct the address of another deployment",
        "the implementation of the setting's proxy",
    ),
    (
        lambda s: {"PREMIUM_REMINDER_VIEW": s.deploy("PremiumReminderView", _implementation(s))},
        r"PREMIUM_REMINDER_VIEW names 0x\w{40} by setting\(\)",
        "the view of another setting",
    ),
    (
        lambda s: {"PREMIUM_REMINDER_VIEW": s.deployment.usdc},
        r"PREMIUM_REMINDER_VIEW does not answer setting\(\): correct the address",
        "a token as the view",
    ),
    (
        lambda s: {"MULTISIG_LEGACY_ROUTER": s.deployment.transfer_eoa_legacy_router},
        r"by multisigLegacyContractRouter\(\), and CHAIN_31337_MULTISIG_LEGACY_ROUTER is",
        "the router of wallets as the router of Safes",
    ),
    (
        lambda s: {"TRANSFER_EOA_LEGACY_ROUTER": s.deployment.multisig_legacy_router},
        r"by transferLegacyEOAContractRouter\(\), and CHAIN_31337_TRANSFER_EOA_LEGACY_ROUTER",
        "the router of Safes as the router of wallets",
    ),
    (
        lambda s: {"MULTISIG_LEGACY_ROUTER": s.deployment.usdc},
        r"by multisigLegacyContractRouter\(\), and CHAIN_31337_MULTISIG_LEGACY_ROUTER is",
        "a token as the router of Safes",
    ),
    (_exchanged, r"by timelockERC721Contract\(\), and CHAIN_31337_TIMELOCK_ERC721 is", "vaults exchanged"),
    (
        _other_time_lock_router,
        r"TIMELOCK_ERC20 names 0x\w{40} by routerAddresses\(\), and CHAIN_31337_TIME_LOCK_ROUTER is",
        "another router of the same vaults",
    ),
    (
        lambda s: {"LEGACY_PULL_VAULT": s.deployment.usdc},
        r"LEGACY_PULL_VAULT does not answer router\(\): correct the address",
        "a token as the vault of claims",
    ),
    (
        lambda s: {"LEGACY_PULL_VAULT": s.deploy("LegacyPullVault", s.deployment.multisig_legacy_router)},
        r"LEGACY_PULL_VAULT names 0x\w{40} by router\(\), and CHAIN_31337_TRANSFER_EOA_LEGACY_ROUTER is",
        "the vault of another router",
    ),
    (
        lambda s: {"LEGACY_PULL_VAULT": Account.create().address},
        "no contract at LEGACY_PULL_VAULT",
        "an account as the vault of claims",
    ),
    (
        lambda s: {"PREMIUM_REGISTRY": s.deployment.usdc},
        r"PREMIUM_SETTING names 0x\w{40} by premiumRegistry\(\), and CHAIN_31337_PREMIUM_REGISTRY is",
        "a token as the registry",
    ),
    (lambda s: {"PERMIT2": Account.create().address}, "no contract at PERMIT2", "an account as Permit2"),
    (
        lambda s: {"PERMIT2": s.deployment.usdc},
        r"LEGACY_PULL_VAULT names 0x\w{40} by PERMIT2\(\), and CHAIN_31337_PERMIT2 is",
        "a token as Permit2",
    ),
    (
        lambda s: {"TOKEN_WHITE_LIST": s.deploy("TokenWhiteList")},
        r"TIME_LOCK_ROUTER names 0x\w{40} by tokenWhitelist\(\), and CHAIN_31337_TOKEN_WHITE_LIST is",
        "an older whitelist",
    ),
    (
        _legacy_before,
        r"a legacy or a timelock is older than block \d+: its events are not read. Set CHAIN_31337_START_BLOCK",
        "a start block after the first legacy",
    ),
    (
        _gift_before,
        r"a legacy or a timelock is older than block \d+: its events are not read. Set CHAIN_31337_START_BLOCK",
        "a start block after the first gift",
    ),
    (
        lambda s: _feeds("ETH", s.deployment.usdc_usd_feed, DAY),
        r"not to be believed: ETH \(a feed of another asset\): check CHAIN_31337_PRICE_FEEDS",
        "ether priced by the feed of USDC",
    ),
    (
        lambda s: _feeds(s.deployment.usdc, s.deployment.eth_usd_feed, HOUR),
        r"not to be believed: 0x\w{40} \(a feed of another asset\): check CHAIN_31337_PRICE_FEEDS",
        "USDC priced by the feed of ether",
    ),
)


def test_doctor_names_a_setting_of_another_contract(command: CliRun, chain_scenario: Scenario) -> None:
    for changes, words, case in WRONG:
        given = {f"CHAIN_{CHAIN}_{name}": value for name, value in changes(chain_scenario).items()}
        looked = command("doctor", **given)
        assert looked.exit_code == 1, case
        assert re.search(f"wrong.*{words}", _found(looked)), (case, _found(looked))


def test_doctor_checks_every_contract_of_a_sound_installation(command: CliRun, chain_scenario: Scenario) -> None:
    _legacy_before(chain_scenario)
    looked = command("doctor")
    assert looked.exit_code == 0, _found(looked)
    assert "all have code and answer, and name each other as they should" in _found(looked)
    assert "not checked" not in _found(looked)


def test_contract_without_a_getter_is_not_called_wrong(command: CliRun, chain_scenario: Scenario) -> None:
    """A router of an older version may lack `premiumSetting()`."""
    s = chain_scenario
    code = str(s.anvil.rpc("eth_getCode", s.deployment.multisig_legacy_router, "latest"))
    selector = s.contracts["MultisigLegacyRouter"].encode("premiumSetting")[2:10]
    assert code.count("63" + selector) == 1
    s.anvil.set_code(s.deployment.multisig_legacy_router, code.replace("63" + selector, "6300000000"))
    looked = command("doctor")
    assert looked.exit_code == 0, _found(looked)
    assert "not checked: premiumSetting() of MULTISIG_LEGACY_ROUTER" in _found(looked)


def test_doctor_names_a_notice_that_helps_nobody_in_its_own_unit(command: CliRun, chain_scenario: Scenario) -> None:
    """Four bytes of the view's code push its seven days."""
    s = chain_scenario
    view, week = s.deployment.premium_reminder_view, f"62{7 * DAY:06x}"
    code = str(s.anvil.rpc("eth_getCode", view, "latest"))
    for seconds, words in (
        (7 * DAY, "ok     chain 31337 notice: emails go out 7 days before"),
        (DAY, "ok     chain 31337 notice: emails go out 24 hours before"),
        (150, "off    chain 31337 notice: emails go out 2 minutes before"),
        (42, "off    chain 31337 notice: emails go out 42 seconds before"),
        (0, "off    chain 31337 notice: emails go out 0 seconds before"),
        (194 * DAY, "ok     chain 31337 notice: emails go out 194 days before"),
    ):
        s.anvil.set_code(view, code.replace(week, f"62{seconds:06x}"))
        found = _found(command("doctor"))
        assert words in found, found
        assert ("check CHAIN_31337_PREMIUM_REMINDER_VIEW" in found) == words.startswith("off"), found


async def test_start_block_is_not_called_late_without_evidence(chain_scenario: Scenario) -> None:
    """A pruned node no longer has the state of an old block."""
    changes = _legacy_before(chain_scenario)
    async with proxy(chain_scenario.anvil.url) as node:
        node.answer = lambda request: PRUNED if request["method"] == "eth_call" else None
        async with Chain(chain_settings(chain_scenario, node.url, **changes)) as chain:
            finding = await check_start_block(chain)
    assert finding is not None
    assert (finding[0], finding[1]) == ("chain 31337 index", None)
    assert "not checked whether CHAIN_31337_START_BLOCK is too late" in finding[2]


def test_doctor_reports_a_configuration_unknown_to_the_index(command: CliRun, chain_scenario: Scenario) -> None:
    """The event is older than the start block: recipients are saved and never get an email."""
    s, owner = chain_scenario, chain_scenario.account("owner")
    legacies = [
        s.create_legacy(owner, {named_account("heir").address: 100}),
        s.create_legacy(owner, {named_account("heir").address: 100}),
    ]
    s.subscribe_premium(owner)
    s.configure_reminders(owner, legacies[0])
    for legacy in legacies:
        command.sql(
            "insert into worker.watch (chain_id, legacy, creator, legacy_type) values (31337, %s, %s, 3)",
            legacy.address,
            owner.address.lower(),
        )
    looked = command("doctor")
    assert looked.exit_code == 1
    assert re.search(
        r"wrong.*chain 31337 recipients.*1 of 2 legacies with saved recipients are configured on chain, and the index"
        r" does not know it.*CHAIN_31337_START_BLOCK.*backfill",
        _found(looked),
    ), _found(looked)
    assert re.search("1 of 2 legacies with saved recipients have no reminder settings on chain", _found(looked))


def test_sepolia_has_the_presets_of_mainnet() -> None:
    assert PRESETS[11155111].keys() == PRESETS[1].keys()
