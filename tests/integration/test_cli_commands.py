"""Commands that repair and look, on a real database and a real chain."""

import json
import os
import pty
import re
import secrets
import socket
import subprocess
import sys
import time
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from click.testing import CliRunner
from eth_account import Account
from sqlalchemy import make_url

from devnet.deploy import Deployment, named_account
from devnet.scenarios import Scenario
from reminder_worker.cli.main import main
from reminder_worker.doctor import report
from reminder_worker.indexer.projection import NOTIFY
from reminder_worker.passes import PASSES
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay.fees import EMPTY_GAS
from reminder_worker.relay.wallet_monitor import GAS_OF_A_RELAY
from reminder_worker.relaying import LOW_BALANCE_RENEWALS
from reminder_worker.reminders.recipients import seal_row
from reminder_worker.reminders.signals import OVERLAP
from tests.integration.commands import Command
from tests.integration.conftest import AnvilChain
from tests.integration.relay_rows import SIGNATURE, enter_budget, enter_request, enter_wallet

ENC_KEY, HASH_KEY, NEW_KEY = (secrets.token_bytes(32) for _ in range(3))
LEGACY, HEIR = "0x" + "a1" * 20, "0x" + "b2" * 20
PROVIDER = {
    "TURNKEY_ORGANIZATION_ID": "organization",
    "TURNKEY_API_PUBLIC_KEY": "02" + "00" * 32,
    "TURNKEY_API_PRIVATE_KEY": "11" * 32,
}
EMAIL = b"orpheline.quistgaard@post.example"


def _text(key: bytes) -> str:
    return b64encode(key).decode()


@pytest.fixture
def environ(database_url: str, anvil_chain: AnvilChain) -> dict[str, str]:
    """A complete installation without mail, on a migrated database."""
    return _environ(database_url, anvil_chain.anvil.url, anvil_chain.deployment)


def _environ(database_url: str, rpc_url: str, deployment: Deployment) -> dict[str, str]:
    return {
        "DATABASE_URL": database_url.replace("postgresql+psycopg://", "postgresql://"),
        "EMAIL_ENC_KEY": _text(ENC_KEY),
        "HASH_KEY": _text(HASH_KEY),
        "APP_ORIGIN": "https://app.example.org",
        "CHAINS": "31337",
        "CHAIN_31337_SIGNAL_BLOCK": "latest",
        **deployment.settings_environ(31337, rpc_url),
    }


def test_migrate_makes_the_tables_and_may_be_repeated(command: Command) -> None:
    command.sql("drop schema worker cascade")
    missing = command("doctor")
    assert missing.exit_code == 1
    assert "run `reminder-worker migrate`" in missing.output
    for made in (command("migrate"), command("migrate")):
        assert (made.exit_code, made.stdout, made.stderr) == (0, "the database's schema serves this version\n", "")
    assert command.sql("select count(*) from worker.recipient") == [(0,)]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_keep_every_character_is_named(
    command: Command, postgres_server: str, encoding: str
) -> None:
    """As `initdb` makes it where no locale is set."""
    name = f"other_{encoding.lower()}"
    command.sql(f"create database {name} template template0 encoding '{encoding}' lc_collate 'C' lc_ctype 'C'")
    url = postgres_server.replace("/postgres?", f"/{name}?")
    try:
        looked, made = command("doctor", DATABASE_URL=url), command("migrate", DATABASE_URL=url)
    finally:
        command.sql(f"drop database {name} with (force)")
    assert (looked.exit_code, made.exit_code) == (1, 1)
    assert "run `reminder-worker migrate`" not in looked.output
    for result in (looked, made):
        assert f"stores text as {encoding}" in result.output
        assert "create database … encoding 'UTF8' template template0" in result.output


def test_doctor_says_what_the_database_refuses(command: Command) -> None:
    role = f"guest_{secrets.token_hex(4)}"  # who may see nothing of the schema
    command.sql(f"create role {role} login")
    try:
        looked = command("doctor", DATABASE_URL=command.environ["DATABASE_URL"].replace("postgres:", f"{role}:"))
    finally:
        command.sql(f"drop role {role}")
    assert looked.exit_code == 1
    assert "refuses us (InsufficientPrivilege): see DATABASE_URL" in looked.output


def test_doctor_is_content_with_a_sound_installation(command: Command) -> None:
    looked = command("doctor")
    assert looked.exit_code == 0, looked.output
    for words in ("answers, serves this chain", "all have code and answer", "no email is dead"):
        assert words in looked.output
    assert "mail" in looked.output
    assert "not configured (MAIL_URL, MAIL_TOKEN)" in looked.output


def test_what_doctor_finds_stands_in_one_column_whatever_it_is(command: Command) -> None:
    looked = command("doctor", MAIL_URL="http://127.0.0.1:1")
    found = re.findall(r"(?m)^((ok|wrong|off) +)\w", looked.output)
    assert {word for _, word in found} == {"ok", "wrong", "off"}
    assert {len(before) for before, _ in found} == {7}


def test_what_is_logged_while_doctor_looks_is_no_part_of_what_it_finds(command: Command) -> None:
    looked = command("doctor", CHAIN_31337_RPC_URLS="http://127.0.0.1:1", LOG_FORMAT="json")
    assert "rpc_endpoint_fails" not in looked.stdout
    logged = [json.loads(line)["event"] for line in looked.stderr.splitlines()]
    assert set(logged) == {"rpc_endpoint_fails"}


def test_doctor_writes_nothing(command: Command) -> None:
    command("doctor")
    assert command.sql("select count(*) from worker.installation") == [(0,)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"MAIL_URL": "http://127.0.0.1:1"}, "the group of MAIL_URL is set by half"),
        ({"MAIL_URL": "http://127.0.0.1:1", "MAIL_TOKEN": "token-token"}, "is it running?"),
        ({"HASH_KEY": _text(ENC_KEY)}, "EMAIL_ENC_KEY and HASH_KEY are one key"),
        ({"CHAIN_31337_SUBGRAPH_URL": "http://127.0.0.1:1/graphql"}, "our own index answers meanwhile"),
        ({"CHAIN_31337_PREMIUM_SETTING": "0x" + "99" * 20}, "no contract at PREMIUM_SETTING"),
        ({"DAGSTER_PG_URL": "postgresql://localhost/dagster"}, "has to begin with postgresql+psycopg2://"),
        ({"DAGSTER_PG_URL": "postgresql+psycopg2://127.0.0.1:1/dagster"}, "its storage does not answer"),
        ({"DAGSTER_PG_URL": "postgresql+psycopg2://[127.0.0.1/dagster"}, "its storage does not answer"),
        ({"STATISTICS_FOLDER": "x" * 300}, "cannot be written: see STATISTICS_FOLDER"),
        ({"CHAIN_31337_START_BLOCK": "24589469"}, "nothing is read, see CHAIN_31337_START_BLOCK"),
        (PROVIDER, "TURNKEY_API_PRIVATE_KEY is not the key of TURNKEY_API_PUBLIC_KEY"),
    ],
    ids=[
        "mail by half",
        "mail down",
        "one key for two",
        "subgraph down",
        "wrong address",
        "wrong driver",
        "dagster's storage down",
        "dagster's address is none",
        "folder that cannot be",
        "another chain's first block",
        "provider's keys",
    ],
)
def test_doctor_names_what_is_wrong_and_what_to_do(command: Command, changes: dict[str, str], words: str) -> None:
    looked = command("doctor", **changes)
    assert looked.exit_code == 1
    assert words in looked.output


def test_doctor_tells_endpoints_apart_without_the_keys_in_their_hosts(
    command: Command, anvil_chain: AnvilChain
) -> None:
    keys = [secrets.token_hex(16) for _ in range(2)]
    urls = [anvil_chain.anvil.url, *(f"http://{key}.rpc.invalid" for key in keys)]
    looked = command("doctor", CHAIN_31337_RPC_URLS=",".join(urls))
    for position, key in enumerate(keys, 2):
        assert f"endpoint {position}:{key[:4]}….rpc.invalid does not answer" in looked.output
        assert key not in looked.output + looked.stderr


@pytest.mark.parametrize(
    ("zone", "sound"), [("America/New_York", False), ("Europe/London", False), ("Asia/Kathmandu", False), ("UTC", True)]
)
def test_doctor_says_when_dagster_reckons_in_another_time_zone_than_it_believes(
    command: Command, database_url: str, zone: str, sound: bool
) -> None:
    """Its runs would seem hours old as they begin, and be ended for that, or never be old enough."""
    url = database_url.replace("+psycopg:", "+psycopg2:")
    looked = command("doctor", DAGSTER_PG_URL=f"{url}&options=-c%20timezone%3D{zone}")
    assert ("another time zone than UTC" not in looked.output) is sound
    assert ("its storage answers" in looked.output) is sound


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, True),
        ({"MAIL_ALLOWLIST": "@example.org"}, False),
        ({"ENVIRONMENT": "local"}, False),
        ({"MAIL_URL": ""}, False),
    ],
    ids=["nobody", "a list", "the local stack", "no mail"],
)
def test_doctor_says_of_which_test_chain_nobody_is_written_to(
    command: Command, changes: dict[str, str], told: bool
) -> None:
    found = command("doctor", **{"MAIL_URL": "http://127.0.0.1:9", "MAIL_TOKEN": "token", **changes})
    assert ("chain 31337 mail: a test chain, and MAIL_ALLOWLIST is empty" in found.stdout) is told


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"SIGNAL_MAX_AGE": "86399"}, "SIGNAL_MAX_AGE is under a day"),
        ({"CHAINS": "1", "CHAIN_1_SIGNAL_BLOCK": "latest"}, "CHAIN_1_SIGNAL_BLOCK is latest"),
    ],
)
def test_doctor_names_settings_by_which_people_are_not_told_or_told_what_is_not_so(
    command: Command, changes: dict[str, str], words: str
) -> None:
    usual = {"MAIL_URL": "http://127.0.0.1:9", "MAIL_TOKEN": "token", "SIGNAL_MAX_AGE": "86400"}
    usual |= {"CHAIN_1_RPC_URLS": "http://127.0.0.1:9", "CHAIN_1_START_BLOCK": "24589469"}
    for given, told in ((changes, True), ({}, False)):
        assert (words in command("doctor", **usual | given).stdout) is told


def test_doctor_says_whose_recipients_nobody_is_told_of(command: Command) -> None:
    """Saved here, and not configured on chain: by design they are not written to, which nobody would notice."""
    legacies = [f"0x{number:040x}" for number in (1, 2)]
    for legacy in legacies:
        command.sql(
            "insert into worker.watch (chain_id, legacy, creator, legacy_type) values (31337, %s, %s, 3)",
            legacy,
            legacies[0],
        )
    command.sql(
        "insert into worker.reminder_config (chain_id, legacy, creator, cosigners, beneficiaries, updated_block)"
        " values (31337, %s, %s, '{}', '{}', 1)",
        *legacies,
    )
    looked = command("doctor")
    assert looked.exit_code == 0
    assert re.search("recipients.*1 of 2 legacies with saved recipients name nobody to remind on chain", looked.output)


def test_a_database_that_takes_no_writes_is_named(command: Command) -> None:
    """As after a failover to a standby, and as hosts make one whose disk is full."""
    command.sql(
        f"alter database {make_url(command.environ['DATABASE_URL']).database} set default_transaction_read_only = on"
    )
    looked = command("doctor")
    assert looked.exit_code == 1
    assert "takes no writes (ReadOnlySqlTransaction)" in looked.output
    for arguments in (("migrate",), ("tick",), ("serve",), ("requeue",), ("rotate-key",), ("relay", "list")):
        result = command(*arguments)
        assert (result.exit_code, isinstance(result.exception, SystemExit)) == (1, True), arguments
        assert "the database refuses (ReadOnlySqlTransaction): see DATABASE_URL" in result.output, arguments


def test_a_database_that_cannot_grow_is_named(command: Command) -> None:
    """As on a full disk, where rows still find room for a while."""
    command.sql(f"alter database {make_url(command.environ['DATABASE_URL']).database} set temp_file_limit = 0")
    looked = command("doctor")
    assert looked.exit_code == 1
    assert "takes no writes (ConfigurationLimitExceeded)" in looked.output


def test_what_failed_before_it_was_switched_off_is_not_wrong(command: Command) -> None:
    command.sql(
        "insert into worker.pass_state (name, chain_id, checked_at, error)"
        " values ('prices', 31337, now(), 'ChainUnavailable'), ('index', 1, now(), 'ChainUnavailable')"
    )
    assert command("doctor").exit_code == 0
    command.sql("insert into worker.pass_state (name, chain_id, error) values ('index', 31337, 'ChainUnavailable')")
    assert "the last try of index of chain 31337 (ChainUnavailable) failed" in command("doctor").output


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (
            -1800,
            [
                "database's is (29|30) minutes ahead of this machine's",
                r"block \d+ is \d+ minutes ahead of this machine's",
            ],
        ),
        (
            7200,
            ["database's is 2 hours behind this machine's", r"head block \d+, [23] hours old by this machine's clock"],
        ),
    ],
    ids=["slow", "fast"],
)
def test_doctor_shows_how_far_clocks_are_apart(
    command: Command, chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch, ahead: int, words: list[str]
) -> None:
    """By a wrong one what people sign is refused as expired, or as of a day too far ahead, and nothing else fails."""
    chain_scenario.anvil.mine(1)
    monkeypatch.setattr(report, "time", SimpleNamespace(time=lambda: time.time() + ahead))
    looked = command("doctor")
    assert looked.exit_code == 1
    for each in words:
        assert re.search(each, looked.output), each


@pytest.mark.parametrize(
    ("later", "since"), [(-1200, "for 20 minutes"), (1200, "since the database's clock was put back")]
)
def test_doctor_says_when_nothing_runs_any_more(command: Command, later: int, since: str) -> None:
    """Dagster's daemon ended, and nothing else of the database tells it."""
    assert command("tick").exit_code == command("doctor").exit_code == 0
    command.sql("update worker.pass_state set checked_at = checked_at + make_interval(secs => %s)", later)
    looked = command("doctor")
    assert looked.exit_code == 1
    assert re.search(f"wrong.*watchdog.*has not looked {since}.*start Dagster", looked.output)


def test_what_is_wrong_for_long_does_not_hide_from_doctor_that_nothing_runs(command: Command) -> None:
    assert command("tick").exit_code == 0
    columns = "(raised, changes, kind, subject, chain_id)"
    command.sql(f"insert into worker.alert_state {columns} values (true, 1, 'upgrade_delay_short', '0x', 31337)")
    command.sql("update worker.pass_state set checked_at = checked_at - interval '20 minutes'")
    assert re.search("wrong.*watchdog.*has not looked for 20 minutes", command("doctor").output)


def test_doctor_does_not_call_well_what_the_watchdog_could_not_look_at(command: Command) -> None:
    assert command("tick").exit_code == 0
    command.sql("update worker.pass_state set failed_at = now(), error = 'OperationalError' where name = 'watchdog'")
    looked = command("doctor")
    assert re.search(r"wrong.*watchdog.*its last look failed \(OperationalError\)", looked.output)
    assert "nothing is wrong" not in looked.output


def test_doctor_names_no_chain_of_what_is_of_none(command: Command) -> None:
    for kind, subject, chain in (("emails_late", "emails", 0), ("rpc_trouble", "no answer", 31337)):
        columns = "(raised, changes, kind, subject, chain_id)"
        command.sql(f"insert into worker.alert_state {columns} values (true, 1, %s, %s, %s)", kind, subject, chain)
    looked = command("doctor").output
    assert re.search(r"emails_late \(emails\) for \d", looked)
    assert re.search(r"rpc_trouble \(no answer, chain 31337\) for \d", looked)


def test_doctor_refuses_another_hash_key_than_the_database_was_made_with(command: Command) -> None:
    assert command("tick", "--pass", "index").exit_code == 0  # the first start records the keys
    looked = command("doctor", HASH_KEY=_text(secrets.token_bytes(32)))
    assert looked.exit_code == 1
    assert "made with other settings (HASH_KEY)" in looked.output


RELAYER_KEY, ATTESTOR_KEY = (Account.create().key.hex() for _ in range(2))


def _wallets(anvil_chain: AnvilChain, attestor: str = ATTESTOR_KEY) -> dict[str, str]:
    """Both wallets funded, the attestor the router's own."""
    for key in (RELAYER_KEY, attestor):
        anvil_chain.anvil.set_balance(Account.from_key(key).address, 10**18)
    return {"ENVIRONMENT": "local", "RELAYER_KEY": RELAYER_KEY, "ATTESTOR_KEY": attestor}


def test_doctor_warns_of_a_wallet_that_is_delegated(command: Command, anvil_chain: AnvilChain) -> None:
    """EIP-7702: the delegate's code may spend the wallet's ETH and its nonces."""
    wallet = Account.create()
    anvil_chain.anvil.set_balance(wallet.address, 10**18)
    keys = {"ENVIRONMENT": "local", "RELAYER_KEY": wallet.key.hex()}
    before = command("doctor", **keys)
    anvil_chain.anvil.set_code(wallet.address, "0xef0100" + anvil_chain.deployment.weth[2:])
    looked = command("doctor", **keys)
    assert "delegated" not in before.output
    assert f"{wallet.address} is delegated to a contract (EIP-7702)" in looked.output
    assert looked.exit_code == 1


def test_doctor_tells_of_our_wallets(command: Command, anvil_chain: AnvilChain) -> None:
    attestor = named_account("attestor").key.hex()
    looked = command("doctor", **_wallets(anvil_chain, attestor))
    assert looked.exit_code == 0, looked.output
    assert f"its address is {Account.from_key(RELAYER_KEY).address}" in looked.output
    assert looked.output.count("holds 1 ETH") == 2
    for key in (RELAYER_KEY, attestor):
        assert key not in looked.output


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"RELAYER_KEY": "0x1234"}, "neither a private key in hex nor a keystore"),
        ({"RELAYER_KEY": "{}"}, "a keystore JSON without its password"),
        ({"RELAYER_KEY": ATTESTOR_KEY}, "needs another wallet"),
        ({"RELAYER_KEY": Account.create().key.hex()}, "send ETH to"),
        ({"RELAY_DAILY_WEI_CAP": "1000"}, "RELAY_DAILY_WEI_CAP is less than one transaction"),
        ({"RELAY_DAILY_COUNT_CAP": "0"}, "RELAY_DAILY_COUNT_CAP is 0: nothing is ever sent"),
        ({"RELAY_PER_GIFT": "0"}, "RELAY_PER_GIFT is 0: no gift is ever opened for anybody"),
        ({"RELAY_PER_SIGNER": "0"}, "RELAY_PER_SIGNER is 0: nothing is ever sent"),
        ({"RELAY_CLAIM_GAS": "20000000"}, "RELAY_CLAIM_GAS is above what one transaction may use"),
        ({"RELAY_GAS_PRICE_CEILING": "1"}, "room below the ceiling: requests wait"),
        ({}, "the router's attestor is"),
        ({"OPS_EMAIL": "ops@example.org"}, "OPS_EMAIL is set, but no mail service"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value), "other attestor"),
)
def test_doctor_names_what_is_wrong_with_our_wallets(
    command: Command, anvil_chain: AnvilChain, changes: dict[str, str], words: str
) -> None:
    looked = command("doctor", **{**_wallets(anvil_chain), **changes})
    assert looked.exit_code == 1
    assert words in looked.output


def test_doctor_says_once_that_no_endpoint_of_a_chain_answers(command: Command, anvil_chain: AnvilChain) -> None:
    """Each part that asked it again would take the time-out of every endpoint, and seem to be wrong itself."""
    silent = {"CHAIN_31337_RPC_URLS": "http://127.0.0.1:1", "CHAIN_31337_UPGRADE_TIMELOCK": "0x" + "99" * 20}
    looked = command("doctor", **{**_wallets(anvil_chain), **silent})
    about = [line for line in looked.stdout.splitlines() if line.startswith("wrong") and "31337" in line]
    assert about == ["wrong  chain 31337 rpc: no endpoint of chain 31337 answers: see CHAIN_31337_RPC_URLS"]


def test_doctor_finds_an_attestor_poor_where_operators_are_told_so(command: Command, anvil_chain: AnvilChain) -> None:
    """It pays for a few renewals still."""
    attestor = named_account("attestor")
    wallets = _wallets(anvil_chain, attestor.key.hex())
    anvil_chain.anvil.set_balance(attestor.address, 10**16)
    looked = command("doctor", **wallets)
    assert looked.exit_code == 1
    assert f"fewer than {LOW_BALANCE_RENEWALS}: send ETH to {attestor.address}" in looked.output


@pytest.mark.parametrize(("relays", "enough"), [(100, True), (25, False)])
def test_doctor_counts_what_a_wallet_pays_for_as_the_alert_does(
    command: Command, anvil_chain: AnvilChain, relays: int, enough: bool
) -> None:
    """In relays as they are, not in the dearest that there may be."""
    wallets = _wallets(anvil_chain, named_account("attestor").key.hex())
    price = int(anvil_chain.anvil.rpc("eth_gasPrice"), 16)
    set_aside = EMPTY_GAS * 50 * 10**9  # below the ceiling, to free the nonce of one that is not mined
    anvil_chain.anvil.set_balance(Account.from_key(RELAYER_KEY).address, relays * GAS_OF_A_RELAY * price + set_aside)
    looked = command("doctor", **wallets)
    assert looked.exit_code == (0 if enough else 1), looked.output
    assert ("fewer than 50: send ETH" in looked.output) is not enough


def test_doctor_says_that_requests_wait_where_they_do_below_the_ceiling_already(
    command: Command, anvil_chain: AnvilChain
) -> None:
    """What is sent first leaves dearer offers room."""
    wallets = _wallets(anvil_chain, named_account("attestor").key.hex())
    ceiling = int(anvil_chain.anvil.rpc("eth_gasPrice"), 16) * 5 // 4
    looked = command("doctor", **wallets, RELAY_GAS_PRICE_CEILING=str(ceiling))
    assert looked.exit_code == 1, looked.output
    assert "requests wait" in looked.output


@pytest.mark.parametrize("router", ["TransferEOALegacyRouter", "TimeLockRouter"])
def test_doctor_names_a_router_that_was_upgraded(
    command: Command, anvil_chain: AnvilChain, chain_scenario: Scenario, router: str
) -> None:
    """Nothing can be relayed for it: what is signed there is not known here."""
    it = anvil_chain.deployment
    at = it.time_lock_router if router == "TimeLockRouter" else it.transfer_eoa_legacy_router
    chain_scenario.write_as_deployer("Sponsored", at, "becomeVersion", "3")
    looked = command("doctor", **_wallets(anvil_chain, named_account("attestor").key.hex()))
    assert looked.exit_code == 1
    assert looked.output.count("was upgraded") == 1
    assert f"{router} on chain {anvil_chain.anvil.chain_id}" in looked.output


@pytest.mark.parametrize(
    ("role", "key"), [("relayer", RELAYER_KEY), ("attestor", ATTESTOR_KEY)], ids=["relayer", "attestor"]
)
def test_doctor_knows_a_stopped_wallet_and_the_command_that_lets_it_go_on(
    command: Command, anvil_chain: AnvilChain, role: str, key: str
) -> None:
    ours = _wallets(anvil_chain)
    enter_wallet(command.enter, _address(key), next_nonce=0, stopped="foreign_nonce")
    looked = command("doctor", **ours)
    assert "stopped (foreign_nonce): see the runbook" in looked.output
    said = re.search("then `reminder-worker (relay resume .*)`", looked.output)
    assert said
    assert command(*said[1].split(), **ours).output == f"the {role} takes requests on chain 31337 again\n"


def test_doctor_knows_requests_that_a_changed_key_left_behind(command: Command, anvil_chain: AnvilChain) -> None:
    """Also when nothing is relayed any more."""
    enter_request(command.enter, Vault(ENC_KEY), "broadcast", nonce=6)
    for wallets in ({}, _wallets(anvil_chain)):
        looked = command("doctor", **wallets)
        assert looked.exit_code == 1
        assert "1 requests of it are open and its key is not configured: nobody follows them" in looked.output


def test_doctor_knows_requests_on_a_chain_that_was_taken_out(command: Command, anvil_chain: AnvilChain) -> None:
    enter_request(command.enter, Vault(ENC_KEY), "queued", nonce=None, wallet=_address(RELAYER_KEY))
    left = "are open and the chain is not among CHAINS: nobody follows them"
    assert left not in command("doctor", **_wallets(anvil_chain)).output
    command.sql("update worker.relay_request set chain_id = 17000")
    looked = command("doctor", **_wallets(anvil_chain))
    assert looked.exit_code == 1
    assert left in looked.output


def test_doctor_shows_a_setting_as_it_is(command: Command) -> None:
    """What stands in brackets is no style of a terminal."""
    given = {"MAIL_URL": "http://[fe80::1]:1", "MAIL_TOKEN": "token-token", "CHAIN_31337_NAME": "[/] [bold]"}
    looked = command("doctor", **given, RELAY_DAILY_WIE_CAP="1", AUTO_RENEW_DRY_RUN="true")
    assert given["MAIL_URL"] in looked.output
    assert given["CHAIN_31337_NAME"] in looked.output
    assert "RELAY_DAILY_WIE_CAP is no setting and does nothing: is RELAY_DAILY_WEI_CAP meant?" in looked.output
    assert "AUTO_RENEW_DRY_RUN does nothing without ATTESTOR_KEY" in looked.output


def test_doctor_shows_no_secret(command: Command) -> None:
    looked = command("doctor", MAIL_URL="http://127.0.0.1:1", MAIL_TOKEN="a-token-nobody-sees")
    assert "MAIL_TOKEN" in looked.output
    for secret in (_text(ENC_KEY), _text(HASH_KEY), "a-token-nobody-sees", command.environ["DATABASE_URL"]):
        assert secret not in looked.output


def test_tick_runs_every_pass_says_which_are_off_and_forgets_what_is_over(command: Command) -> None:
    command.sql("insert into worker.suppression values (%s, now() - interval '2 days')", b"h" * 32)
    ticked = command("tick")
    assert ticked.exit_code == 0, ticked.output
    rows = {line.split("│")[1].strip(): line for line in ticked.stdout.splitlines() if line.startswith("│")}
    assert set(rows) == {*(step.name for step in PASSES), "forget"}
    assert "done" in rows["index"]
    assert command.sql("select count(*) from worker.suppression") == [(0,)]
    assert "off" in rows["dispatch"]


def test_tick_says_why_it_takes_no_snapshot(command: Command, tmp_path: Path) -> None:
    """The index knows no block yet; then it does, and a second one in the hour is not due."""

    def ticked() -> str:
        shown = command("tick", "--pass", "statistics", STATISTICS_FOLDER=str(tmp_path / "statistics"))
        assert shown.exit_code == 0, shown.output
        (row,) = [line for line in shown.stdout.splitlines() if line.startswith("│")]
        return " ".join(cell.strip() for cell in row.strip("│").split("│"))

    assert ticked() == "statistics 31337 waiting the index has first to reach the head"
    assert command("tick", "--pass", "index").exit_code == 0
    assert "done block_number=" in ticked()
    assert ticked() == "statistics 31337 done this hour has its snapshot"


def test_a_group_set_by_half_is_an_error_in_the_log_of_every_start(command: Command) -> None:
    ticked = command("tick", "--pass", "alerts", MAIL_URL="http://127.0.0.1:1")
    assert ticked.exit_code == 0, ticked.output
    assert re.search(r'"MAIL_TOKEN: missing".*"settings_by_half", "level": "error"', ticked.output)


def test_a_failing_pass_is_exit_code_1_and_stops_no_other(command: Command) -> None:
    command.sql("alter table worker.index_cursor rename to index_cursor_away")
    ticked = command("tick")
    assert ticked.exit_code == 1
    rows = {line.split("│")[1].strip(): line for line in ticked.stdout.splitlines() if line.startswith("│")}
    assert "failed" in rows["index"]
    assert "off" in rows["dispatch"]


def test_tick_shows_on_a_terminal_which_pass_it_is_at(command: Command) -> None:
    """While it is at it: here one whose node takes the question and never answers. The table alone is for a pipe."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        node = {"CHAIN_31337_RPC_URLS": f"http://127.0.0.1:{silent.getsockname()[1]}", "CHAIN_31337_RPC_TIMEOUT": "1"}
        status, shown, table = _on_a_terminal(command.environ | node, "tick", "--pass", "index")
    at = re.findall(r"(\w+) +[^\s\w]+ (\d/\d) (\d:\d\d:\d\d)", shown)
    assert at[0] == ("index", "0/1", "0:00:00")
    assert any(place == "0/1" and seconds > "0:00:00" for _, place, seconds in at), "it says how long it took so far"
    assert (status, at[-1][:2]) == (1, ("index", "1/1"))
    assert "index" in table
    assert "/1" not in table
    assert "0/1" not in command("tick", "--pass", "index").output, "nothing where there is no terminal"


def _on_a_terminal(environ: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, what standard error showed on a terminal, without its colours, and standard output."""
    ours, theirs = pty.openpty()
    where = {"PATH": os.environ["PATH"], "TERM": "xterm", "COLUMNS": "120", **environ}
    run = [sys.executable, "-m", "reminder_worker.cli.main", *arguments]
    with subprocess.Popen(run, env=where, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # so Linux tells that the other end is closed
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
        assert process.stdout is not None
        table = process.stdout.read()
    return process.returncode, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()), table


def test_requeue_takes_dead_emails_only(command: Command) -> None:
    nothing = command("requeue")
    assert (nothing.exit_code, nothing.stdout) == (0, "nothing is dead or held\n")
    dead, other = uuid4(), uuid4()
    for key, state, address in ((dead, "dead", HEIR), (other, "held", LEGACY)):
        command.sql(
            "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state, rejections)"
            " values (%s, 31337, %s, %s, 'owner_reset', 'x', 'beneficiary', %s, 3)",
            key, LEGACY, address, state,
        )  # fmt: skip
    listed = command("requeue")
    assert listed.exit_code == 0
    assert f"{dead}  dead  owner_reset" in listed.output
    assert f"{other}  held  owner_reset" in listed.output
    refused = command("requeue", str(other))
    assert refused.exit_code == 1
    assert "1 of the ids: no dead email or alert has it" in refused.output
    assert command("requeue", str(dead), str(dead)).exit_code == 0, "named twice"
    states = {row[0]: row[1] for row in command.sql("select id, state from worker.sent_ledger")}
    assert states[dead] in ("queued", "released")
    assert states[other] == "held"


def test_requeue_takes_emails_of_gifts_too(command: Command) -> None:
    dead, held = uuid4(), uuid4()
    for key, state, timelock_id in ((dead, "dead", 7), (held, "held", 8)):
        command.sql(
            "insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, state, expires_at)"
            " values (%s, %s, 31337, %s, 'gift_waiting', %s, now())",
            key, b"h" * 32, timelock_id, state,
        )  # fmt: skip
    listed = command("requeue").output
    assert f"{dead}  dead  gift_waiting  chain 31337  gift 7" in listed
    assert f"{held}  held  gift_waiting  chain 31337  gift 8" in listed
    assert command("requeue", "--all").exit_code == 0
    assert dict(command.sql("select id, state from worker.gift_ledger")) == {dead: "queued", held: "held"}  # type: ignore[arg-type]
    found = command("settle", str(held), "--sent", "<8@mail.example.org>")
    assert (found.exit_code, found.stdout) == (0, "sent\n")
    row = command.sql("select state, message_id from worker.gift_ledger where id = %s", held)
    assert row == [("sent", "<8@mail.example.org>")]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--unsent"], 1, "no mail service is configured"),
        (["--sent", "<1@mail.example.org>"], 1, "no email with this id is held"),
        ([], 2, "give --sent or --unsent"),
        (["--unsent", "--sent", "<1@mail.example.org>"], 2, "give --sent or --unsent"),
        (["--sent", "two\nlines"], 2, "not a Message-ID"),
    ],
    ids=["unsent", "sent", "neither", "both", "no id"],
)
def test_settle_leaves_alone_what_is_not_held(command: Command, options: list[str], code: int, words: str) -> None:
    """Above all what may be on its way."""
    unknown = uuid4()
    command.sql(
        "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state)"
        " values (%s, 31337, %s, %s, 'owner_reset', 'x', 'beneficiary', 'unknown')",
        unknown, LEGACY, HEIR,
    )  # fmt: skip
    said = command("settle", str(unknown), *options)
    assert (said.exit_code, words in said.output) == (code, True), said.output
    assert command.sql("select id, state from worker.sent_ledger") == [(unknown, "unknown")]


def test_requeue_takes_refused_alerts_too(command: Command) -> None:
    dead, sent = uuid4(), uuid4()
    for key, state in ((dead, "dead"), (sent, "sent")):
        command.sql(
            "insert into worker.alert (id, chain_id, kind, subject, stage, variables, state)"
            " values (%s, 1, 'relay_stuck', 'x', %s, '{}', %s)",
            key, state, state,
        )  # fmt: skip
    assert f"{dead}  dead  alert relay_stuck" in command("requeue").output
    assert command("requeue", "--all").exit_code == 0
    assert dict(command.sql("select id, state from worker.alert")) == {dead: "queued", sent: "sent"}  # type: ignore[arg-type]


def _enter_recipient(command: Command) -> None:
    """Under the key that the command has."""
    sealed = seal_row(Vault(ENC_KEY).record(), (31337, LEGACY, HEIR), EMAIL, b"Orpheline")
    command.sql(
        "insert into worker.recipient (chain_id, legacy, recipient, role, key_id, salt, email, name, email_hash)"
        " values (31337, %s, %s, 'beneficiary', %s, %s, %s, %s, %s)",
        LEGACY, HEIR, sealed["key_id"], sealed["salt"], sealed["email"], sealed["name"], b"h" * 32,
    )  # fmt: skip


def test_doctor_misses_a_key_that_rows_still_need(command: Command) -> None:
    """The new one was accepted at a start, and `rotate-key` not run: the old one must not look dispensable."""
    assert command("tick", "--pass", "index").exit_code == 0
    _enter_recipient(command)
    new, old = {"EMAIL_ENC_KEY": _text(NEW_KEY)}, {"EMAIL_ENC_KEYS_OLD": _text(ENC_KEY)}
    assert command("tick", "--pass", "index", **new, **old).exit_code == 0
    assert command("doctor", **new, **old).exit_code == 0
    looked = command("doctor", **new)
    assert looked.exit_code == 1
    assert "1 encrypted rows open with no key that is configured" in looked.output
    assert command("rotate-key", **new, **old).exit_code == 0
    assert command("doctor", **new).exit_code == 0


def test_rotate_key_moves_every_row_to_the_new_key(command: Command) -> None:
    assert command("tick", "--pass", "index").exit_code == 0
    new = Vault(NEW_KEY)
    _enter_recipient(command)

    without_the_old_key = command("rotate-key", EMAIL_ENC_KEY=_text(NEW_KEY))
    assert without_the_old_key.exit_code == 1

    rotated = command("rotate-key", EMAIL_ENC_KEY=_text(NEW_KEY), EMAIL_ENC_KEYS_OLD=_text(ENC_KEY))
    assert rotated.exit_code == 0, rotated.output
    assert "1 recipients and gifts encrypted anew" in rotated.output
    [(key_id, salt, email)] = command.sql("select key_id, salt, email from worker.recipient")
    assert key_id == new.key_id
    opened = new.record(salt, key_id).open(email, f"recipient.email|31337|{LEGACY}|{HEIR}")  # type: ignore[arg-type]
    assert opened == EMAIL


def test_rotate_key_says_which_open_requests_still_need_the_old_key(command: Command) -> None:
    assert command("tick", "--pass", "index").exit_code == 0
    ours = _address(RELAYER_KEY)
    enter_request(command.enter, Vault(ENC_KEY), "broadcast", nonce=6, wallet=ours)
    enter_request(command.enter, Vault(ENC_KEY), "confirmed", nonce=5, wallet=ours)
    keys = {"EMAIL_ENC_KEY": _text(NEW_KEY), "EMAIL_ENC_KEYS_OLD": _text(ENC_KEY)}
    rotated = command("rotate-key", **keys, RELAYER_KEY=RELAYER_KEY)
    assert rotated.exit_code == 0, rotated.output
    assert "1 relay requests still need EMAIL_ENC_KEYS_OLD" in rotated.output
    assert "needs EMAIL_ENC_KEYS_OLD any more" not in rotated.output


@pytest.mark.parametrize("gone", ["wallet", "chain"])
def test_what_a_lost_wallet_or_chain_left_open_keeps_no_earlier_key_for_good(command: Command, gone: str) -> None:
    """Whoever broke in had all keys: nobody ends these requests, and the earlier master key is to be destroyed."""
    assert command("tick", "--pass", "index").exit_code == 0
    wallet = "0x" + "99" * 20 if gone == "wallet" else _address(RELAYER_KEY)
    enter_request(command.enter, Vault(ENC_KEY), "queued", nonce=None, age_seconds=8 * 86400, wallet=wallet)
    if gone == "chain":
        command.sql("update worker.relay_request set chain_id = 17000")
    new = {"EMAIL_ENC_KEY": _text(NEW_KEY), "RELAYER_KEY": RELAYER_KEY}
    rotated = command("rotate-key", **new, EMAIL_ENC_KEYS_OLD=_text(ENC_KEY))
    assert "1 relay requests whose wallet's key or chain is not configured" in rotated.output
    assert "nothing else needs EMAIL_ENC_KEYS_OLD any more" in rotated.output
    assert "rows open with no key" not in command("doctor", **new).output


def test_doctor_misses_a_key_for_as_long_as_somebody_may_end_what_it_opens(command: Command) -> None:
    assert command("tick", "--pass", "index").exit_code == 0
    enter_request(command.enter, Vault(ENC_KEY), age_seconds=8 * 86400, nonce=6, wallet=_address(RELAYER_KEY))
    enter_request(command.enter, Vault(ENC_KEY), age_seconds=86400)  # of a wallet whose key may be found
    new = {"EMAIL_ENC_KEY": _text(NEW_KEY), "RELAYER_KEY": RELAYER_KEY}
    assert command("rotate-key", **new, EMAIL_ENC_KEYS_OLD=_text(ENC_KEY)).exit_code == 0
    assert "2 encrypted rows open with no key that is configured" in command("doctor", **new).output


# -- relay ------------------------------------------------------------------------------------------


def test_relay_list_shows_what_is_open_or_what_has_ended_and_our_wallets(command: Command) -> None:
    vault = Vault(ENC_KEY)
    enter_wallet(command.enter, stopped="foreign_nonce")
    enter_budget(command.enter, reserved=0, spent=42 * 10**15, requests=3)
    opened = [
        enter_request(command.enter, vault, "broadcast", nonce=6),
        enter_request(command.enter, vault, "deferred_fee", nonce=None),
    ]
    ended = enter_request(command.enter, vault, "reverted", nonce=5)
    listed = command("relay", "list")
    assert listed.exit_code == 0, listed.output
    assert all(str(request_id) in listed.output for request_id in opened)
    assert str(ended) not in listed.output
    for words in ("foreign_nonce", "0.042 ETH", "gift_withdraw", "deferred_fee"):
        assert words in listed.output
    command.sql("update worker.relay_budget set spent_wei = 613846349211")
    assert "…" not in command("relay", "list", COLUMNS="80").output, "no cell is cut off"
    piped = {**command.environ, "COLUMNS": None}
    past = CliRunner().invoke(main, ["relay", "list", "--ended"], env=piped).output
    assert f"{ended} │ 31337 │ gift_withdraw │" in past
    assert not any(str(request_id) in past for request_id in opened)
    assert "There are more" not in listed.output + past
    assert "There are more than these 1:" in command("relay", "list", "--limit", "1").output


def test_where_there_is_nothing_a_list_says_so(command: Command) -> None:
    for listed, words in (
        (("relay", "list"), "No request is open.\nNo wallet of ours has paid for anything yet.\n"),
        (("relay", "list", "--ended"), "No request has ended."),
        (("upgrades", "list"), "No operation is waiting.\n"),
        (("upgrades", "list", "--ended"), "No operation has ended.\n"),
    ):
        assert words in command(*listed).output


def test_relay_show_tells_a_request_and_what_was_signed_for_it(command: Command) -> None:
    request_id = enter_request(command.enter, Vault(ENC_KEY), "broadcast")
    shown = command("relay", "show", str(request_id))
    assert shown.exit_code == 0, shown.output
    for words in ("gift_withdraw", "broadcast", "0x" + "3c" * 20, "30 gwei", "0x" + request_id.hex * 2):
        assert words in shown.output
    command.sql("update worker.relay_request set deadline = 0, reason = 'cancelled_by_operator'")
    given_up = command("relay", "show", str(request_id)).output
    assert re.search(r"deadline +│ given up", given_up)
    assert "1970" not in given_up
    unknown = command("relay", "show", str(uuid4()))
    assert unknown.exit_code == 1
    assert "there is no such request" in unknown.output


def _address(key: str) -> str:
    return str(Account.from_key(key).address).lower()


def test_a_wallet_whose_keystore_does_not_open_fails_its_pass_although_nothing_is_to_be_signed(
    command: Command, anvil_chain: AnvilChain
) -> None:
    """Or the first request would find out, and nobody be told."""
    keystore = json.dumps(Account.encrypt(RELAYER_KEY, "open sesame", kdf="pbkdf2", iterations=10))
    ours = {**_wallets(anvil_chain), "RELAYER_KEY": keystore}
    for password, code in (("open sesame", 0), ("wrong", 1)):
        ticked = command("tick", "--pass", "relay", **ours, RELAYER_KEY_PASSWORD=password)
        assert ticked.exit_code == code, ticked.output


def test_relay_cancel_ends_a_request_that_waits(command: Command, anvil_chain: AnvilChain) -> None:
    ours = _wallets(anvil_chain)
    waits = enter_request(command.enter, Vault(ENC_KEY), "deferred_fee", nonce=None, wallet=_address(RELAYER_KEY))
    others = enter_request(command.enter, Vault(ENC_KEY), "deferred_fee", nonce=None)
    cancelled = command("relay", "cancel", str(waits), **ours)
    assert cancelled.exit_code == 0, cancelled.output
    assert "it has ended" in cancelled.output
    assert command.sql("select state from worker.relay_request where id = %s", waits) == [("expired",)]
    for request_id, words in ((waits, "has ended"), (others, "is not configured"), (uuid4(), "no such request")):
        refused = command("relay", "cancel", str(request_id), **ours)
        assert refused.exit_code == 1
        assert words in refused.output


def test_what_a_changed_key_left_behind_is_ended_by_ticks_with_the_earlier_key(
    command: Command, anvil_chain: AnvilChain, chain_scenario: Scenario
) -> None:
    """As the runbook says; `doctor` with the new one tells when it is done."""
    with_the_new = _wallets(anvil_chain)
    earlier = Account.create().key.hex()
    enter_request(command.enter, Vault(ENC_KEY), "deferred_fee", nonce=None, wallet=_address(earlier))
    ours = enter_request(command.enter, Vault(ENC_KEY), "deferred_fee", nonce=None, wallet=_address(RELAYER_KEY))
    router = command.environ["CHAIN_31337_TIME_LOCK_ROUTER"]
    command.sql("update worker.relay_request set deadline = 1, router = %s", router)
    chain_scenario.anvil.mine(100)  # and so for good
    left = "its key is not configured: nobody follows them"
    assert left in command("doctor", **with_the_new).output
    ticked = command("tick", "--pass", "relay", **with_the_new | {"RELAYER_KEY": earlier, "ATTESTOR_KEY": ""})
    assert ticked.exit_code == 0, ticked.output
    assert left not in command("doctor", **with_the_new).output
    open_still = command.sql("select id from worker.relay_request where state = 'deferred_fee'")
    assert open_still == [(ours,)]


def test_relay_replace_refuses_what_has_no_transaction(command: Command, anvil_chain: AnvilChain) -> None:
    waits = enter_request(command.enter, Vault(ENC_KEY), "queued", nonce=None, wallet=_address(RELAYER_KEY))
    refused = command("relay", "replace", str(waits), **_wallets(anvil_chain))
    assert refused.exit_code == 1
    assert "no transaction under way" in refused.output


def test_relay_resume_lets_a_stopped_wallet_go_on(command: Command, anvil_chain: AnvilChain) -> None:
    ours = _wallets(anvil_chain)
    enter_wallet(command.enter, _address(RELAYER_KEY), next_nonce=0, stopped="foreign_nonce")
    resumed = command("relay", "resume", **ours)
    assert resumed.exit_code == 0, resumed.output
    assert command.sql("select stopped from worker.relay_wallet") == [(None,)]
    again = command("relay", "resume", **ours)
    assert again.exit_code == 1
    assert "the wallet is not stopped" in again.output
    unknown = command("relay", "resume", "--wallet", "attestor")
    assert unknown.exit_code == 1
    assert "no attestor is configured" in unknown.output


def test_no_relay_command_prints_a_signature(command: Command) -> None:
    request_id = enter_request(command.enter, Vault(ENC_KEY), "broadcast")
    for arguments in (("list",), ("list", "--ended"), ("show", str(request_id))):
        shown = command("relay", *arguments)
        printed = shown.output
        assert shown.exit_code == 0, printed
        assert SIGNATURE.hex() not in printed
        assert repr(SIGNATURE) not in printed


def test_backfill_reads_from_the_block_to_the_head(command: Command, anvil_chain: AnvilChain) -> None:
    assert command("tick", "--pass", "index").exit_code == 0
    done = command("backfill", "--from-block", "1", "--chain", "31337")
    assert done.exit_code == 0, done.output
    assert f"the index is at block {anvil_chain.anvil.block_number()}" in done.output


def test_a_block_that_was_not_read_yet_is_not_read_again(command: Command, anvil_chain: AnvilChain) -> None:
    """A digit too many would else look as if it had been done."""
    assert command("tick", "--pass", "index").exit_code == 0
    head = anvil_chain.anvil.block_number()
    refused = command("backfill", "--from-block", str(head + 2))
    assert refused.exit_code == 1
    assert f"the index is at block {head}: it has not read block {head + 2} yet" in refused.output
    assert command("backfill", "--from-block", str(head + 1)).exit_code == 0, "the next one is read anyway"


def test_backfill_reads_nothing_before_the_first_block_of_all(command: Command) -> None:
    """From 0 it would read a chain's whole past, thousands of questions, with an empty index meanwhile."""
    first = {"CHAIN_31337_START_BLOCK": "5"}
    assert command("tick", "--pass", "index", **first).exit_code == 0
    done = command("backfill", "--from-block", "0", **first)
    assert done.exit_code == 0, done.output
    assert '"first_block": 5,' in next(line for line in done.output.splitlines() if "index_read_again" in line)


def test_what_an_operator_wishes_to_be_read_again_is_no_warning(command: Command) -> None:
    """Nor is the whole chain the block before its first one."""
    assert command("tick", "--pass", "index").exit_code == 0
    done = command("backfill", "--from-block", "0")
    (said,) = (json.loads(line) for line in done.output.splitlines() if '"index_' in line)
    assert (said["level"], said["first_block"]) == ("info", 0)


def test_a_signal_that_was_hidden_from_the_index_is_found_by_a_backfill(
    command: Command, chain_scenario: Scenario
) -> None:
    """However far below the place up to which signals were read, if it is young enough to be acted on."""
    owner = chain_scenario.account("owner")
    legacy = chain_scenario.create_legacy(owner, {chain_scenario.account("heir").address: 100})
    chain_scenario.check_in(owner, legacy)
    chain_scenario.anvil.mine(2 * OVERLAP)
    for name in ("index", "signals"):
        assert command("tick", "--pass", name).exit_code == 0
    command.sql("delete from worker.chain_event where name = %s", NOTIFY)
    command.sql("delete from worker.notify_signal")
    done = command("backfill", "--from-block", "1")
    assert done.exit_code == 0, done.output
    for _ in range(2):
        assert command("tick", "--pass", "signals").exit_code == 0
        assert command.sql("select legacy, state from worker.notify_signal") == [(legacy.address, "new")]
