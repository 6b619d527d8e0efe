"""Commands that repair and look, on a real database and a real chain."""

import json
import re
import secrets
import time
from base64 import b64encode
from types import SimpleNamespace
from uuid import uuid4

import psycopg
import pytest
from click.testing import CliRunner
from eth_account import Account
from sqlalchemy import make_url

from devnet.deploy import Deployment, named_account
from devnet.scenarios import Scenario
from reminder_worker.cli.main import main
from reminder_worker.database.migrate import NEWEST
from reminder_worker.doctor import chain as doctor_chain
from reminder_worker.doctor import encryption, report
from reminder_worker.doctor.encryption import DatabaseLink
from reminder_worker.features import PASS_BY_NAME
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders.recipients import seal_row
from tests.integration.commands import CliRun
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


def test_migrate_makes_the_tables_and_may_be_repeated(command: CliRun) -> None:
    command.sql("drop schema worker cascade")
    missing = command("doctor")
    assert missing.exit_code == 1
    assert "run `reminder-worker migrate`" in missing.output
    for done in (f"created the tables, at revision {NEWEST}", f"there was nothing to do, at revision {NEWEST}"):
        made = command("migrate")
        told = f"{done}: the database's schema serves this version\n"
        assert (made.exit_code, made.stdout, made.stderr) == (0, told, "")
    assert command.sql("select count(*) from worker.recipient") == [(0,)]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_keep_every_character_is_named(
    command: CliRun, postgres_server: str, encoding: str
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


def test_doctor_is_content_with_a_sound_installation(command: CliRun) -> None:
    looked = command("doctor")
    assert looked.exit_code == 0, looked.output
    for words in ("answers, serves this chain", "all have code and answer", "no email is dead"):
        assert words in looked.output
    assert "mail" in looked.output
    assert "not configured (MAIL_URL, MAIL_TOKEN)" in looked.output


def test_doctor_ends_with_a_line_that_names_each_part_that_is_wrong(command: CliRun) -> None:
    assert command("doctor").stdout.splitlines()[-1].startswith("all is well: ")
    looked = command("doctor", MAIL_URL="http://127.0.0.1:1", DAGSTER_PG_URL="postgresql://localhost/dagster")
    assert looked.stdout.splitlines()[-1] == "2 wrong: dagster, settings"
    assert looked.stdout.index("DAGSTER_PG_URL has to begin with") < looked.stdout.index("CHAIN_31337_RPC_URLS")


def test_doctor_says_the_same_as_json_without_a_secret(command: CliRun) -> None:
    told = json.loads(command("doctor", "--json").stdout)
    assert told["well"] is True
    looked = command("doctor", "--json", HASH_KEY=_text(ENC_KEY))
    told = json.loads(looked.stdout)
    assert (looked.exit_code, told["well"]) == (1, False)
    (wrong,) = (each for each in told["findings"] if each["verdict"] == "wrong" and "same key" in each["words"])
    assert wrong["part"] == "settings"
    assert told["settings"]["HASH_KEY"] == "(set, not shown)"
    assert _text(ENC_KEY) not in looked.output


def test_doctor_logs_no_line_between_its_findings(command: CliRun) -> None:
    looked = command("doctor", CHAIN_31337_RPC_URLS="http://127.0.0.1:1", LOG_LEVEL="debug")
    assert looked.exit_code == 1
    assert looked.stderr == ""


def test_doctor_writes_nothing(command: CliRun) -> None:
    command("doctor")
    assert command.sql("select count(*) from worker.installation") == [(0,)]


def test_doctor_names_what_is_wrong_and_what_to_do(command: CliRun) -> None:
    for changes, words in (
        ({"MAIL_URL": "http://127.0.0.1:1"}, "the group of MAIL_URL is set by half"),
        ({"MAIL_URL": "http://127.0.0.1:1", "MAIL_TOKEN": "token-token"}, "is it running?"),
        ({"HASH_KEY": _text(ENC_KEY)}, "EMAIL_ENC_KEY and HASH_KEY are the same key"),
        ({"CHAIN_31337_SUBGRAPH_URL": "http://127.0.0.1:1/graphql"}, "our own index answers meanwhile"),
        ({"CHAIN_31337_PREMIUM_SETTING": "0x" + "99" * 20}, "no contract at PREMIUM_SETTING"),
        ({"DAGSTER_PG_URL": "postgresql://localhost/dagster"}, "has to begin with postgresql+psycopg2://"),
        ({"DAGSTER_PG_URL": "postgresql+psycopg2://127.0.0.1:1/dagster"}, "its storage does not answer"),
        ({"DAGSTER_PG_URL": "postgresql+psycopg2://[127.0.0.1/dagster"}, "its storage does not answer"),
        ({"STATISTICS_FOLDER": "x" * 300}, "cannot be written: see STATISTICS_FOLDER"),
        ({"CHAIN_31337_START_BLOCK": "24589469"}, "nothing is read, see CHAIN_31337_START_BLOCK"),
        (PROVIDER, "TURNKEY_API_PRIVATE_KEY is not the key of TURNKEY_API_PUBLIC_KEY"),
    ):
        looked = command("doctor", **changes)
        assert looked.exit_code == 1
        assert words in looked.output


def test_doctor_judges_the_encryption_of_each_database(command: CliRun, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_far_link(url: str) -> DatabaseLink:
        if "silent" in url:
            raise psycopg.OperationalError
        return DatabaseLink("db.example.org", "8.8.8.8", "prefer", encrypted=False)

    monkeypatch.setattr(encryption, "open_link", open_far_link)
    others = {"MAIL_SERVICE_DATABASE_URL": "postgresql://far/mail", "DAGSTER_PG_URL": "postgresql+psycopg2://silent/d"}
    found = json.loads(command("doctor", "--json", **others).stdout)["findings"]
    wrong = {each["part"]: each["words"] for each in found if "is not encrypted" in each["words"]}
    assert wrong.keys() == {"database", "mail database"}
    assert "put sslmode=verify-full and sslrootcert into MAIL_SERVICE_DATABASE_URL" in wrong["mail database"]


def test_doctor_tells_endpoints_apart_without_the_keys_in_their_hosts(command: CliRun, anvil_chain: AnvilChain) -> None:
    keys = [secrets.token_hex(16) for _ in range(2)]
    urls = [anvil_chain.anvil.url, *(f"http://{key}.rpc.invalid" for key in keys)]
    looked = command("doctor", CHAIN_31337_RPC_URLS=",".join(urls))
    for position, key in enumerate(keys, 2):
        assert f"endpoint {position}:{key[:4]}….rpc.invalid does not answer" in looked.output
        assert key not in looked.output + looked.stderr


def test_doctor_forecasts_what_nodes_are_asked_and_warns_of_an_allowance(command: CliRun) -> None:
    """Ticks count requests; as if the first had come some hours ago."""
    assert command("tick").exit_code == 0
    earlier = "(now() - interval '6 hours')"
    command.sql(f"update worker.node_request set since = {earlier}, day = cast({earlier} at time zone 'utc' as date)")
    asked = int(str(command.sql("select sum(count) * 4 * 30 from worker.node_request")[0][0]))
    looked = command("doctor")
    assert looked.exit_code == 0
    assert f"requests a day by the last 6 hours, {asked:,.0f} a month" in looked.output
    looked = command("doctor", CHAIN_31337_RPC_ALLOWANCE=str(asked // 2))
    assert looked.exit_code == 1
    assert f"CHAIN_31337_RPC_ALLOWANCE of {asked // 2:,} would be used up after 15.0 days" in looked.output


def test_doctor_says_of_which_test_chain_nobody_is_written_to(command: CliRun) -> None:
    for changes, told in (
        ({}, True),
        ({"MAIL_ALLOWLIST": "@example.org"}, False),
        ({"ENVIRONMENT": "local"}, False),
        ({"MAIL_URL": ""}, False),
    ):
        found = command("doctor", **{"MAIL_URL": "http://127.0.0.1:9", "MAIL_TOKEN": "token", **changes})
        assert ("chain 31337 mail: a test chain, and MAIL_ALLOWLIST is empty" in found.stdout) is told


def test_doctor_says_whose_recipients_nobody_is_told_of(command: CliRun) -> None:
    """Recipients that are saved here and not configured on chain get no email, by design. Only `doctor` shows it."""
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
    assert re.search("recipients.*1 of 2 legacies with saved .* have no reminder settings on chain", looked.output)


def test_a_database_that_takes_no_writes_is_named(command: CliRun) -> None:
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


def test_what_failed_before_it_was_switched_off_is_not_wrong(command: CliRun) -> None:
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
                "database's clock is (29|30) minutes ahead of this machine's",
                r"block \d+ is \d+ minutes ahead of this machine's",
            ],
        ),
        (
            7200,
            [
                "database's clock is 2 hours behind this machine's",
                r"head block \d+, [23] hours old by this machine's clock",
            ],
        ),
    ],
    ids=["slow", "fast"],
)
def test_doctor_shows_how_far_clocks_are_apart(
    command: CliRun, chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch, ahead: int, words: list[str]
) -> None:
    """By a wrong one what people sign is refused as expired, or as of a day too far ahead, and nothing else fails."""
    chain_scenario.anvil.catch_up()
    for module in (report, doctor_chain):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: time.time() + ahead))
    looked = command("doctor")
    assert looked.exit_code == 1
    for each in words:
        assert re.search(each, looked.output), each


def test_doctor_says_when_nothing_runs_any_more(command: CliRun) -> None:
    """Dagster's daemon ended, and nothing else of the database tells it."""
    assert command("tick").exit_code == command("doctor").exit_code == 0
    command.sql("update worker.pass_state set checked_at = checked_at - interval '20 minutes'")
    looked = command("doctor")
    assert looked.exit_code == 1
    assert re.search("wrong.*watchdog.*has not looked for 20 minutes.*start Dagster", looked.output)


def test_doctor_refuses_another_hash_key_than_the_database_was_made_with(command: CliRun) -> None:
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


def test_doctor_warns_of_a_wallet_that_is_delegated(command: CliRun, anvil_chain: AnvilChain) -> None:
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


def test_doctor_tells_of_our_wallets(command: CliRun, anvil_chain: AnvilChain) -> None:
    attestor = named_account("attestor").key.hex()
    looked = command("doctor", **_wallets(anvil_chain, attestor))
    assert looked.exit_code == 0, looked.output
    assert f"its address is {Account.from_key(RELAYER_KEY).address}" in looked.output
    assert looked.output.count("holds 1 ETH") == 2
    for key in (RELAYER_KEY, attestor):
        assert key not in looked.output


def test_doctor_names_what_is_wrong_with_our_wallets(command: CliRun, anvil_chain: AnvilChain) -> None:
    for changes, words in (
        ({"RELAYER_KEY": "0x1234"}, "neither a private key in hex nor a keystore"),
        ({"RELAYER_KEY": "{}"}, "a keystore JSON without its password"),
        ({"RELAYER_KEY": ATTESTOR_KEY}, "set ATTESTOR_KEY to another wallet's key"),
        ({"RELAYER_KEY": Account.create().key.hex()}, "send ETH to"),
        ({"RELAY_DAILY_WEI_CAP": "1000"}, "RELAY_DAILY_WEI_CAP is less than one transaction"),
        ({"RELAY_DAILY_COUNT_CAP": "0"}, "RELAY_DAILY_COUNT_CAP is 0: nothing is ever sent"),
        ({"RELAY_PER_GIFT": "0"}, "RELAY_PER_GIFT is 0: no gift is ever opened for anybody"),
        ({"RELAY_PER_SIGNER": "0"}, "RELAY_PER_SIGNER is 0: nothing is ever sent"),
        ({"RELAY_CLAIM_GAS": "20000000"}, "RELAY_CLAIM_GAS is above the most gas of one transaction"),
        ({"RELAY_GAS_PRICE_CEILING": "1"}, "room below the ceiling: requests wait"),
        ({}, "the router's attestor is"),
        ({"OPS_EMAIL": "ops@example.org"}, "OPS_EMAIL is set, but no mail service"),
    ):
        looked = command("doctor", **{**_wallets(anvil_chain), **changes})
        assert looked.exit_code == 1
        assert words in looked.output


def test_doctor_says_once_that_no_endpoint_of_a_chain_answers(command: CliRun, anvil_chain: AnvilChain) -> None:
    """A further question would wait for the time-out of every endpoint, and its part would look wrong, too."""
    silent = {"CHAIN_31337_RPC_URLS": "http://127.0.0.1:1", "CHAIN_31337_UPGRADE_TIMELOCK": "0x" + "99" * 20}
    looked = command("doctor", **{**_wallets(anvil_chain), **silent})
    about = [line for line in looked.stdout.splitlines() if line.startswith("wrong") and "31337" in line]
    assert about == ["wrong  chain 31337 rpc: no endpoint of chain 31337 answers: see CHAIN_31337_RPC_URLS"]


@pytest.mark.parametrize("router", ["TransferEOALegacyRouter", "TimeLockRouter"])
def test_doctor_names_a_router_that_was_upgraded(
    command: CliRun, anvil_chain: AnvilChain, chain_scenario: Scenario, router: str
) -> None:
    """Nothing can be relayed for it: what is signed there is not known here."""
    it = anvil_chain.deployment
    at = it.time_lock_router if router == "TimeLockRouter" else it.transfer_eoa_legacy_router
    chain_scenario.write_as_deployer("Sponsored", at, "becomeVersion", "3")
    looked = command("doctor", **_wallets(anvil_chain, named_account("attestor").key.hex()))
    assert looked.exit_code == 1
    assert looked.output.count("was upgraded") == 1
    assert f"{router} on chain {anvil_chain.anvil.chain_id}" in looked.output


def test_doctor_knows_a_stopped_wallet_and_the_command_that_lets_it_go_on(
    command: CliRun, anvil_chain: AnvilChain
) -> None:
    for role, key in (("relayer", RELAYER_KEY), ("attestor", ATTESTOR_KEY)):
        ours = _wallets(anvil_chain)
        enter_wallet(command.enter, _address(key), next_nonce=0, stopped="foreign_nonce")
        looked = command("doctor", **ours)
        assert "stopped (foreign_nonce): see the runbook" in looked.output
        said = re.search("then `reminder-worker (relay resume .*)`", looked.output)
        assert said
        assert command(*said[1].split(), **ours).output == f"the {role} takes requests on chain 31337 again\n"


def test_doctor_knows_requests_that_a_changed_key_left_behind(command: CliRun, anvil_chain: AnvilChain) -> None:
    """Also when nothing is relayed any more."""
    enter_request(command.enter, Vault(ENC_KEY), "broadcast", nonce=6)
    for wallets in ({}, _wallets(anvil_chain)):
        looked = command("doctor", **wallets)
        assert looked.exit_code == 1
        assert "1 requests of it are open and its key is not configured: nothing follows them" in looked.output


def test_doctor_shows_no_secret(command: CliRun) -> None:
    looked = command("doctor", MAIL_URL="http://127.0.0.1:1", MAIL_TOKEN="a-token-nobody-sees")
    assert "MAIL_TOKEN" in looked.output
    for secret in (_text(ENC_KEY), _text(HASH_KEY), "a-token-nobody-sees", command.environ["DATABASE_URL"]):
        assert secret not in looked.output


def test_tick_runs_every_pass_says_which_are_off_and_forgets_what_is_over(command: CliRun) -> None:
    command.sql("insert into worker.suppression values (%s, now() - interval '2 days')", b"h" * 32)
    ticked = command("tick")
    assert ticked.exit_code == 0, ticked.output
    rows = {line.split("│")[1].strip(): line for line in ticked.stdout.splitlines() if line.startswith("│")}
    assert set(rows) == PASS_BY_NAME.keys()
    assert "done" in rows["index"]
    recorded = "select endpoints -> 0 ->> 'ok' from worker.pass_state where name = 'index' and chain_id = 31337"
    assert command.sql(recorded) == [("true",)]
    assert command.sql("select count(*) from worker.suppression") == [(0,)]
    assert "off" in rows["dispatch"]


def test_a_group_set_by_half_is_an_error_in_the_log_of_every_start(command: CliRun) -> None:
    ticked = command("tick", "--pass", "alerts", MAIL_URL="http://127.0.0.1:1")
    assert ticked.exit_code == 0, ticked.output
    assert re.search(r'"MAIL_TOKEN: missing".*"settings_by_half", "level": "error"', ticked.output)


def test_a_failing_pass_is_exit_code_1_and_stops_no_other(command: CliRun) -> None:
    command.sql("alter table worker.index_cursor rename to index_cursor_away")
    ticked = command("tick")
    assert ticked.exit_code == 1
    rows = {line.split("│")[1].strip(): line for line in ticked.stdout.splitlines() if line.startswith("│")}
    assert "failed" in rows["index"]
    assert "off" in rows["dispatch"]


def test_requeue_takes_dead_emails_only(command: CliRun) -> None:
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


def test_requeue_takes_emails_of_gifts_too(command: CliRun) -> None:
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


def test_settle_leaves_alone_what_is_not_held(command: CliRun) -> None:
    """Above all what may be on its way."""
    unknown = uuid4()
    command.sql(
        "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state)"
        " values (%s, 31337, %s, %s, 'owner_reset', 'x', 'beneficiary', 'unknown')",
        unknown, LEGACY, HEIR,
    )  # fmt: skip
    for options, code, words in (
        (["--unsent"], 1, "no mail service is configured"),
        (["--sent", "<1@mail.example.org>"], 1, "no email with this id is held"),
        ([], 2, "give --sent or --unsent"),
        (["--unsent", "--sent", "<1@mail.example.org>"], 2, "give --sent or --unsent"),
        (["--sent", "two\nlines"], 2, "not a Message-ID"),
    ):
        said = command("settle", str(unknown), *options)
        assert (said.exit_code, words in said.output) == (code, True), said.output
        assert command.sql("select id, state from worker.sent_ledger") == [(unknown, "unknown")]


def test_requeue_takes_refused_alerts_too(command: CliRun) -> None:
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


def _enter_recipient(command: CliRun) -> None:
    """Under the key that the command has."""
    sealed = seal_row(Vault(ENC_KEY).record_key(), (31337, LEGACY, HEIR), EMAIL, b"Orpheline")
    command.sql(
        "insert into worker.recipient (chain_id, legacy, recipient, role, key_id, salt, email, name, email_hash)"
        " values (31337, %s, %s, 'beneficiary', %s, %s, %s, %s, %s)",
        LEGACY, HEIR, sealed["key_id"], sealed["salt"], sealed["email"], sealed["name"], b"h" * 32,
    )  # fmt: skip


def test_doctor_misses_a_key_that_rows_still_need(command: CliRun) -> None:
    """The new one was accepted at a start, and `rotate-key` not run: the old one must not look dispensable."""
    assert command("tick", "--pass", "index").exit_code == 0
    _enter_recipient(command)
    new, old = {"EMAIL_ENC_KEY": _text(NEW_KEY)}, {"EMAIL_ENC_KEYS_OLD": _text(ENC_KEY)}
    assert command("tick", "--pass", "index", **new, **old).exit_code == 0
    assert command("doctor", **new, **old).exit_code == 0
    looked = command("doctor", **new)
    assert looked.exit_code == 1
    assert "no configured key opens 1 encrypted rows" in looked.output
    assert command("rotate-key", **new, **old).exit_code == 0
    assert command("doctor", **new).exit_code == 0


def test_rotate_key_moves_every_row_to_the_new_key(command: CliRun) -> None:
    assert command("tick", "--pass", "index").exit_code == 0
    new = Vault(NEW_KEY)
    _enter_recipient(command)

    without_the_old_key = command("rotate-key", EMAIL_ENC_KEY=_text(NEW_KEY))
    assert without_the_old_key.exit_code == 1

    rotated = command("rotate-key", EMAIL_ENC_KEY=_text(NEW_KEY), EMAIL_ENC_KEYS_OLD=_text(ENC_KEY))
    assert rotated.exit_code == 0, rotated.output
    assert "1 recipients and gifts encrypted again" in rotated.output
    [(key_id, salt, email)] = command.sql("select key_id, salt, email from worker.recipient")
    assert key_id == new.key_id
    opened = new.record_key(salt, key_id).open(email, f"recipient.email|31337|{LEGACY}|{HEIR}")  # type: ignore[arg-type]
    assert opened == EMAIL


def test_old_key_of_an_open_relay_request_does_not_look_dispensable(command: CliRun) -> None:
    """`rotate-key` leaves signed bytes as they are, so only the old key opens them until the request ends."""
    assert command("tick", "--pass", "index").exit_code == 0
    enter_request(command.enter, Vault(ENC_KEY), age_seconds=8 * 86400, nonce=6, wallet=_address(RELAYER_KEY))
    enter_request(command.enter, Vault(ENC_KEY), age_seconds=86400)  # of a wallet without a configured key
    new = {"EMAIL_ENC_KEY": _text(NEW_KEY), "RELAYER_KEY": RELAYER_KEY}
    rotated = command("rotate-key", **new, EMAIL_ENC_KEYS_OLD=_text(ENC_KEY)).output
    assert "1 relay requests still need EMAIL_ENC_KEYS_OLD" in rotated
    assert "1 relay requests belong to a wallet's key or a chain that is not configured here" in rotated
    assert "needs EMAIL_ENC_KEYS_OLD any more" not in rotated
    assert "no configured key opens 2 encrypted rows" in command("doctor", **new).output


# -- relay ------------------------------------------------------------------------------------------


def test_relay_list_shows_what_is_open_or_what_has_ended_and_our_wallets(command: CliRun) -> None:
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


def test_where_there_is_nothing_a_list_says_so(command: CliRun) -> None:
    for listed, words in (
        (("relay", "list"), "No request is open.\nNo wallet of ours has paid for anything yet.\n"),
        (("relay", "list", "--ended"), "No request has ended."),
        (("upgrades", "list"), "No operation is waiting.\n"),
        (("upgrades", "list", "--ended"), "No operation has ended.\n"),
    ):
        assert words in command(*listed).output


def test_relay_show_tells_a_request_and_what_was_signed_for_it(command: CliRun) -> None:
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


def test_relay_cancel_ends_a_request_that_waits(command: CliRun, anvil_chain: AnvilChain) -> None:
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


def test_relay_resume_lets_a_stopped_wallet_go_on(command: CliRun, anvil_chain: AnvilChain) -> None:
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


def test_no_relay_command_prints_a_signature(command: CliRun) -> None:
    request_id = enter_request(command.enter, Vault(ENC_KEY), "broadcast")
    for arguments in (("list",), ("list", "--ended"), ("show", str(request_id))):
        shown = command("relay", *arguments)
        printed = shown.output
        assert shown.exit_code == 0, printed
        assert SIGNATURE.hex() not in printed
        assert repr(SIGNATURE) not in printed


def test_backfill_reads_from_the_block_to_the_head(command: CliRun, anvil_chain: AnvilChain) -> None:
    """Prices are asked for again, too: the index may find a gift that it lacked."""
    assert command("tick", "--pass", "index").exit_code == 0
    command.enter("insert into worker.price_past (chain_id, feed, until) values (31337, 'feed', 5)")
    done = command("backfill", "--from-block", "1", "--chain", "31337")
    assert done.exit_code == 0, done.output
    assert f"the index is at block {anvil_chain.anvil.block_number()}" in done.output
    assert command.sql("select until from worker.price_past") == [(-1,)]


def test_backfill_does_not_show_the_address_of_its_endpoint(command: CliRun, anvil_chain: AnvilChain) -> None:
    assert command("tick", "--pass", "index").exit_code == 0
    key = "0123456789abcdef"
    done = command("backfill", "--from-block", "1", "--rpc-url", f"{anvil_chain.anvil.url}/?key={key}")
    assert done.exit_code == 0, done.output
    assert key not in done.output
    assert f"the index is at block {anvil_chain.anvil.block_number()}" in done.output
    other = {name.replace("31337", "31338"): value for name, value in command.environ.items()}
    for address, words, environ in (
        (f"ftp://node.example/{key}", "--rpc-url", {}),
        (f"{anvil_chain.anvil.url}/?key={key}", "does not serve chain 31338", {**other, "CHAINS": "31338"}),
    ):
        refused = command("backfill", "--from-block", "1", "--rpc-url", address, **environ)
        assert refused.exit_code == 2
        assert words in refused.output
        assert key not in refused.output
