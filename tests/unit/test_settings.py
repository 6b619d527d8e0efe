"""Settings: faults that stop the start, groups that switch a part off, and secrets, which never show."""

import json
import re
from base64 import b64encode
from dataclasses import fields
from pathlib import Path

import pytest

from devnet.auth_proxy_stand_in import AuthProxyStandIn
from devnet.local import StackPorts, port_variable
from mail_service.settings import MailServiceSettings
from reminder_worker.doctor.report import list_settings
from reminder_worker.errors import Misconfigured
from reminder_worker.monitoring.endpoints import CHAIN_SECONDS
from reminder_worker.passes import LOOK_SECONDS
from reminder_worker.settings import ChainSettings, Settings, find_misspelt, find_without_effect, list_setting_names
from reminder_worker.settings.chains import find_test_chains
from reminder_worker.settings.table import with_table
from reminder_worker.settings.values import PriceFeed

ROOT = Path(__file__).parents[2]
PATHS = json.loads((ROOT / "tests/golden/openapi.json").read_text())["paths"]
FIRST_PARTS = sorted({path.split("/")[1] for path in PATHS})
KEY = b64encode(b"k" * 32).decode()
MINIMAL = {
    "DATABASE_URL": "postgresql://user:pa55word@db/worker",
    "EMAIL_ENC_KEY": KEY,
    "HASH_KEY": b64encode(b"h" * 32).decode(),
    "APP_ORIGIN": "https://app.example.org/",
    "CHAINS": "1",
    "CHAIN_1_RPC_URLS": "https://a.example/key-one, https://b.example/key-two",
    "CHAIN_1_START_BLOCK": "20000000",
}


def _faults(**changes: str | None) -> str:
    environ = {name: value for name, value in {**MINIMAL, **changes}.items() if value is not None}
    with pytest.raises(Misconfigured) as refused:
        Settings.from_environ(environ)
    return str(refused.value)


def test_a_minimal_environment_is_enough() -> None:
    settings = Settings.from_environ(MINIMAL)
    chain = settings.chains[0]
    assert [url.get_secret_value() for url in chain.rpc_urls] == [
        "https://a.example/key-one",
        "https://b.example/key-two",
    ]
    assert chain.transfer_eoa_legacy_router == "0x4e81e1ed3f6684eb948f8956b8787967b1a6275b"
    assert settings.service.database_url.get_secret_value() == "postgresql+psycopg://user:pa55word@db/worker"
    assert settings.service.app_origin == "https://app.example.org"
    assert not settings.is_local
    assert not chain.is_test_chain


def test_every_missing_name_is_named_at_once() -> None:
    with pytest.raises(Misconfigured) as refused:
        Settings.from_environ({})
    for name in ("DATABASE_URL", "EMAIL_ENC_KEY", "HASH_KEY", "APP_ORIGIN", "CHAINS"):
        assert f"- {name}: missing" in str(refused.value)


def test_a_wrong_value_is_refused_by_name_and_never_echoed() -> None:
    for name, value in (
        ("EMAIL_ENC_KEY", b64encode(b"hunter2" * 3).decode()),
        ("EMAIL_ENC_KEY", "hunter2-is-not-base64"),
        ("HASH_KEY", "hunter2"),
        ("EMAIL_ENC_KEYS_OLD", f"{KEY},hunter2"),
        ("DATABASE_URL", "mysql://root:hunter2@db"),
        ("APP_ORIGIN", "hunter2"),
        ("ORGANISATION_CONTACT", "https://hunter2.example"),
        *(
            ("APP_LEGACY_PATH", path)
            for path in (
                "/hunter2/{legacy}",
                "/hunter2/{chainId}",
                "/hunter2/{chainId}/{legacy}/{id}",
                "//hunter2/{chainId}/{legacy}",  # another host
                "hunter2/{chainId}/{legacy}",
                "/hunter2/{chainId}/{legacy}/" + "x" * 200,  # longer than the mail service takes
            )
        ),
        ("ENVIRONMENT", "hunter2"),
        ("API_PORT", "hunter2"),
        ("CHAIN_1_RPC_TIMEOUT", "hunter2"),
        ("CHAIN_1_PREMIUM_SETTING", "hunter2"),
        ("DATABASE_URL", "postgresql://user:hunter2@db:port/worker"),
        ("DATABASE_URL", "postgresql://user:hunter2@db/worker?port=abc"),
        ("DATABASE_URL", "postgresql://user:hunter2@/worker?host=a,b&port=1,2,3"),
        ("DATABASE_URL", "postgresql://user:p@hunter2@db/worker"),  # name servers would be asked for a part of it
        ("APP_ORIGIN", "https://user:hunter2@app.example.org"),
        ("CHAIN_1_RPC_URLS", "https://a.example/hunter2,b.example/hunter2"),
        ("OPS_EMAIL", "hunter2@nowhere"),
        ("CHAIN_1_RPC_URLS", "https://a.example/hunter2\nhttps://b.example"),
        ("CHAIN_1_RPC_URLS", "https://[hunter2"),
        ("CHAIN_1_RPC_URLS", "https://a.example/key, https://b..example/hunter2"),
        ("CHAIN_1_SUBGRAPH_URL", "hunter2"),
        ("CHAIN_1_SUBGRAPH_URL", "https://a.example\\hunter2"),  # no host that a log may name
        ("CHAIN_1_EXPLORER_URL", "https://user:hunter2@a.example"),  # it is shown
        ("CHAIN_1_NAME", "see https://hunter2"),  # every email would be refused
        ("CHAIN_1_RPC_ALLOWANCE", "hunter2, 30000000"),
        ("CHAIN_1_RPC_ALLOWANCE", "30_000_000, 0"),
        ("HEARTBEAT_URL", "https:///hunter2"),
        ("HEARTBEAT_URL", "https://[hunter2/"),
        ("OPS_STATUS_SECRET", "hunter2"),
        ("OPERATOR_SECRET", "hunter2-hunter2-\nhunter2"),
        ("TRUSTED_PROXIES", "10.0.0.0/8, hunter2"),
        ("CHAIN_1_PRICE_FEEDS", f"ETH=0x{7:040x}@hunter2"),
        ("CHAIN_1_PRICE_FEEDS", f"ETH=0x{7:040x}@0"),  # no price would ever be fresh
        ("CHAIN_1_PRICE_FEEDS", f"ETH=0x{7:040x}@{7 * 86400 + 1}"),  # nor any stale, for longer than a feed may rest
        ("CHAIN_1_PRICE_FEEDS", f"ETH=0x{7:040x}@3600*stEthPerToken"),
        ("CHAIN_1_PRICE_FEEDS", f"0x{8:040x}=0x{7:040x}@3600*hunter2"),
    ):
        fault = _faults(**{name: value})
        assert f"- {name}: " in fault
        assert "hunter2" not in fault
        assert value not in fault


def test_an_allowance_has_a_place_for_each_endpoint() -> None:
    (chain,) = Settings.from_environ({**MINIMAL, "CHAIN_1_RPC_ALLOWANCE": ", 3000000"}).chains
    assert chain.rpc_allowance == (None, 3_000_000)


def test_a_timeout_that_no_lease_has_room_for_is_refused_as_nothing_would_ever_be_sent() -> None:
    mail = {"MAIL_URL": "https://mail.example", "MAIL_TOKEN": "t0ken"}
    assert Settings.from_environ({**MINIMAL, **mail, "MAIL_TIMEOUT": "60"}).problems == ()
    problems = Settings.from_environ({**MINIMAL, **mail, "MAIL_TIMEOUT": "180"}).problems
    assert any(problem.startswith("MAIL_TIMEOUT: ") for problem in problems)


def test_gift_email_is_not_tried_for_longer_than_it_is_remembered() -> None:
    """Otherwise a forgotten email would be sent a second time."""
    environ = {**MINIMAL, "GIFT_ORIGINS": "https://g.example", "GIFT_RETRY_WINDOW": str(90 * 86400 + 1)}
    assert any(problem.startswith("GIFT_RETRY_WINDOW: ") for problem in Settings.from_environ(environ).problems)


def test_a_timeout_that_no_look_has_room_for_is_refused_as_no_other_endpoint_would_ever_be_asked() -> None:
    """A cancelled request counts as no failure, so the next look would ask the hanging endpoint first again."""
    longest = Settings.from_environ({**MINIMAL, "CHAIN_1_RPC_TIMEOUT": "20"}).chains[0].rpc_timeout_seconds
    assert longest < CHAIN_SECONDS < LOOK_SECONDS
    assert "- CHAIN_1_RPC_TIMEOUT: " in _faults(CHAIN_1_RPC_TIMEOUT="21")


def test_a_bound_within_which_nothing_could_be_sent_turns_its_part_off_and_is_named() -> None:
    """With it all requests would be taken, and wait until they expire."""
    for name, value in (
        *((f"RELAY_{lane}_GAS", "20999") for lane in ("CLAIM", "CHECK_IN", "GIFT")),
        ("RELAY_GAS_PRICE_CEILING", "0"),
        ("AUTO_RENEW_GAS", "20999"),
        ("AUTO_RENEW_GAS_PRICE_CEILING", "0"),
        ("AUTO_RENEW_LARGEST_JUMP", "0"),
    ):
        settings = Settings.from_environ({**MINIMAL, "RELAYER_KEY": "0x1", "ATTESTOR_KEY": "0x2", name: value})
        assert (settings.relay is None, settings.auto_renew is None) == (name[:5] == "RELAY", name[:5] != "RELAY")
        assert any(problem.startswith(f"{name}: ") for problem in settings.problems)


@pytest.mark.parametrize("where", ["user:hunter2@mail.example", "mail.example/?key=hunter2", "mail.example/#hunter2"])
def test_the_address_of_the_mail_service_has_no_password_as_it_is_shown_and_the_token_is_sent(where: str) -> None:
    settings = Settings.from_environ({**MINIMAL, "MAIL_URL": f"http://{where}", "MAIL_TOKEN": "t0ken"})
    assert settings.mail is None
    assert settings.problems[0] == "MAIL_URL: not a base address: holds a user, a query or a fragment"


def test_a_setting_that_is_misspelt_is_named_and_nobody_elses_variable_is() -> None:
    wrong = {
        "RELAY_DAILY_WIE_CAP": "RELAY_DAILY_WEI_CAP",
        "OPS_EMIAL": "OPS_EMAIL",
        "CHAIN_1_RPC_URL": "CHAIN_1_RPC_URLS",
        "MAIL_TOKENFILE": "MAIL_TOKEN_FILE",
    }
    example = (ROOT / ".env.example").read_text().splitlines()
    documented = [match[1] for line in example if (match := re.match("#?([A-Z0-9_]+)=", line))]
    of_kubernetes = ["API_SERVICE_PORT", "API_PORT_8080_TCP", "MAIL_PORT", "MAIL_SERVICE_PORT_HTTP"]
    others = [*documented, *of_kubernetes, "PATH", "HOSTNAME", "CHAIN_5_RPC_URLS", "EMAIL_ENC_KEY_FILE"]
    assert find_misspelt({**MINIMAL, **dict.fromkeys([*wrong, *others], "1"), "CHAINS": "1"}) == sorted(wrong.items())


def test_the_allowlist_is_kept_as_addresses_are_compared_and_nonsense_in_it_is_named() -> None:
    mail = {"MAIL_URL": "https://mail.example", "MAIL_TOKEN": "t0ken"}
    settings = Settings.from_environ({**MINIMAL, **mail, "MAIL_ALLOWLIST": "Anna@Example.org, @b\u00fccher.example"})
    assert settings.mail is not None
    assert settings.mail.allowlist == ("anna@example.org", "@xn--bcher-kva.example")
    problems = Settings.from_environ({**MINIMAL, **mail, "MAIL_ALLOWLIST": "example.org"}).problems
    assert any(problem.startswith("MAIL_ALLOWLIST: holds what is neither an email address nor") for problem in problems)


def test_white_space_around_a_value_is_none_of_it_and_alone_it_is_nothing() -> None:
    spaced = {name: f" {value}\n" for name, value in MINIMAL.items()}
    assert Settings.from_environ(spaced) == Settings.from_environ(MINIMAL)
    assert "- HASH_KEY: missing" in _faults(HASH_KEY="  ")


def test_what_cannot_be_meant_is_refused_by_name() -> None:
    """An endpoint named twice would agree with itself; two feeds of a token would be kept in one row."""
    key, upper = "https://a.example/key", "HTTPS://A.example:443/key"
    no_origins = ("https://", f"{key}", "https://a.example:65536", "https://a.example?x", "http://a b")
    for name, values, words in (
        ("SIGNAL_MAX_AGE", ("9" * 12,), ""),  # no clock holds it, and no counter the next two
        ("INSTRUCTIONS_COOLDOWN", ("9" * 30,), ""),
        ("RATE_LIMIT_PER_MINUTE", ("9" * 30,), ""),
        ("CHAIN_1_RPC_TIMEOUT", ("inf",), ""),
        ("APP_ORIGIN", no_origins, ""),
        ("CORS_ORIGINS", no_origins, ""),
        ("CHAINS", ("1,1", "0", "01", "-1", "\u0663", "9" * 30, "9" * 5000), ""),
        ("CHAIN_1_RPC_URLS", (f"{key}, {key}", f"{key}, {key}/", f"{key}, {upper}"), "names one twice"),
        ("CHAIN_1_RPC_ALLOWANCE", ("1, 2, 3",), "needs a place for each of RPC_URLS: 2, not 3"),
        ("CHAIN_1_PRICE_FEEDS", (f"ETH=0x{7:040x}@3600,ETH=0x{8:040x}@3600",), ""),
    ):
        for value in values:
            assert f"- {name}: {words}" in _faults(**{name: value}), value


def test_an_origin_is_kept_as_browsers_send_it() -> None:
    given = "HTTPS://App.Example:443/, http://localhost:5173, http://a.example:80, http://b.example:443"
    kept = ("https://app.example", "http://localhost:5173", "http://a.example", "http://b.example:443")
    assert Settings.from_environ({**MINIMAL, "CORS_ORIGINS": given}).api.cors_origins == kept


def test_each_token_of_the_whitelist_has_a_preset_feed_but_safe() -> None:
    """wstETH has the feed of stETH. Each feed is written as it is read."""
    feeds = Settings.from_environ({**MINIMAL, "CHAINS": "1"}).chains[0].price_feeds
    assert len(feeds) == 9  # ether and eight of nine tokens
    assert [PriceFeed.from_text(str(each)) for each in feeds] == list(feeds)
    steth, wsteth = feeds[4:6]
    assert (wsteth.token, wsteth.feed) == ("0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0", steth.feed)
    assert [each for each in feeds if each.is_wrapped] == [wsteth]


def test_test_chains_are_told_apart_where_mainnet_is_served() -> None:
    for ids, apart in (("1", set()), ("11155111", set()), ("1,11155111", {11155111}), ("11155111,1", {11155111})):
        more = {"CHAIN_11155111_RPC_URLS": "http://x", "CHAIN_11155111_START_BLOCK": "0"}
        assert find_test_chains(Settings.from_environ({**MINIMAL, **more, "CHAINS": ids}).chains) == apart


def test_one_secret_does_not_open_both_the_status_and_what_erases_and_sends() -> None:
    same = "one-secret-for-both"
    fault = _faults(OPS_STATUS_SECRET=same, OPERATOR_SECRET=same)
    assert "- OPERATOR_SECRET: " in fault
    assert same not in fault


def test_a_stand_ins_key_is_refused_outside_the_local_stack() -> None:
    """Or codes could be read by whoever holds it."""
    stand_in = AuthProxyStandIn(url="https://provider.example").settings()
    provider = Settings.from_environ({**MINIMAL, **stand_in, "ENVIRONMENT": "local"}).identity_provider
    assert provider is not None
    assert provider.code_signing_key is not None
    assert "TURNKEY_CODE_SIGNING_KEY" in _faults(**stand_in, ENVIRONMENT="production")


def test_an_address_that_is_set_counts_more_than_the_published_one() -> None:
    own = f"0x{7:040x}"
    (chain,) = Settings.from_environ({**MINIMAL, "CHAIN_1_PREMIUM_SETTING": own}).chains
    assert chain.premium_setting == own


def test_a_chain_without_presets_needs_its_addresses() -> None:
    fault = _faults(CHAINS="1,777", CHAIN_777_RPC_URLS="http://x", CHAIN_777_START_BLOCK="0")
    assert "CHAIN_777_PREMIUM_SETTING: missing" in fault
    assert "CHAIN_1_" not in fault


@pytest.mark.parametrize("present", ["MAIL_URL", "MAIL_TOKEN"])
def test_mail_set_by_half_is_off_and_reported(present: str) -> None:
    settings = Settings.from_environ({**MINIMAL, present: "https://mail.example"})
    missing = ({"MAIL_URL", "MAIL_TOKEN"} - {present}).pop()
    assert settings.mail is None
    assert f"{missing}: missing" in settings.problems
    assert any("by half or wrongly: " in problem for problem in settings.problems)


@pytest.mark.parametrize("prefix", [*FIRST_PARTS, "legacy", "Gifts", "a/b", "..", "-x", ""])
def test_gift_pages_cannot_stand_in_the_way_of_the_api(prefix: str) -> None:
    """A prefix that is a path of the API, or no single plain part of a path, turns gifts off and is reported."""
    settings = Settings.from_environ({**MINIMAL, "GIFT_ORIGINS": "https://g.example", "GIFT_PREFIX": prefix})
    if prefix == "":  # as absent
        assert settings.gifts is not None
        assert settings.gifts.prefix == "gifts"
        return
    assert settings.gifts is None
    assert any(problem.startswith("GIFT_PREFIX: ") for problem in settings.problems)


def test_no_mail_at_all_is_simply_off() -> None:
    settings = Settings.from_environ(MINIMAL)
    assert settings.mail is None
    assert settings.problems == ()


def test_what_is_set_of_a_part_that_is_off_is_known_to_do_nothing(tmp_path: Path) -> None:
    """Switched off by its key alone, as in an incident, a part is off and no error."""
    idle = {"RELAY_PER_GIFT": "5", "RELAYER_KEY_PASSWORD_FILE": str(tmp_path / "password"), "RELAYER_KEY": " "}
    (tmp_path / "password").write_text("hunter2")
    of_mail = {"MAIL_ALLOWLIST": "@example.org"}
    assert Settings.from_environ({**MINIMAL, **idle, **of_mail}).problems == ()
    assert find_without_effect({**MINIMAL, **idle, **of_mail}) == [
        ("MAIL_ALLOWLIST", "MAIL_URL, MAIL_TOKEN"),
        ("RELAYER_KEY_PASSWORD_FILE", "RELAYER_KEY"),
        ("RELAY_PER_GIFT", "RELAYER_KEY"),
    ]


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://from-file/db\n")
    (tmp_path / "rpc").write_text("https://from-file.example\n")
    environ = {**MINIMAL, "DATABASE_URL_FILE": str(tmp_path / "url"), "CHAIN_1_RPC_URLS_FILE": str(tmp_path / "rpc")}
    del environ["DATABASE_URL"], environ["CHAIN_1_RPC_URLS"]
    settings = Settings.from_environ(environ)
    assert settings.service.database_url.get_secret_value() == "postgresql+psycopg://from-file/db"
    assert settings.chains[0].rpc_urls[0].get_secret_value() == "https://from-file.example"


def test_a_secret_file_that_is_no_text_stops_the_start_and_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"\xff\xfehunter2")
    fault = _faults(HASH_KEY=None, HASH_KEY_FILE=str(tmp_path / "key"))
    assert "- HASH_KEY_FILE: " in fault
    assert "hunter2" not in fault
    (tmp_path / "empty").write_text("\n")
    for name, why in (("absent", "the file cannot be read"), ("empty", "the file is empty")):
        assert f"- MAIL_TOKEN_FILE: {why}" in _faults(MAIL_TOKEN_FILE=str(tmp_path / name))


def test_a_secret_that_is_set_in_both_ways_stops_the_start_when_they_differ(tmp_path: Path) -> None:
    """Neither is passed over in silence: `rotate-key` would do nothing with the key that the file hides."""
    (tmp_path / "key").write_text(b64encode(bytes(32)).decode() + "\n")
    fault = _faults(HASH_KEY=b64encode(bytes(31) + b"1").decode(), HASH_KEY_FILE=str(tmp_path / "key"))
    assert "- HASH_KEY: is set in HASH_KEY_FILE too, to something else" in fault
    assert b64encode(bytes(31)).decode()[:20] not in fault
    same = {"HASH_KEY": b64encode(bytes(32)).decode(), "HASH_KEY_FILE": str(tmp_path / "key")}
    assert Settings.from_environ({**MINIMAL, **same}).service.hash_key.get_secret_value() == bytes(32)


def test_no_secret_shows_when_settings_are_printed() -> None:
    settings = Settings.from_environ({**MINIMAL, "MAIL_URL": "https://m.example", "MAIL_TOKEN": "t0ken-t0ken"})
    for shown in (repr(settings), str(settings), settings.model_dump_json()):
        for secret in ("pa55word", KEY, "key-one", "key-two", "t0ken", "kkkk", "hhhh"):
            assert secret not in shown


def test_doctor_shows_every_setting_there_is() -> None:
    groups = {
        "MAIL_URL": "https://m.example",
        "MAIL_TOKEN": "t0ken",
        "RELAYER_KEY": "0x1",
        "ATTESTOR_KEY": "0x2",
        "GIFT_ORIGINS": "https://gifts.example.org",
        "TURNKEY_ORGANIZATION_ID": "organization",
        "TURNKEY_API_PUBLIC_KEY": "02" + "00" * 32,
        "TURNKEY_API_PRIVATE_KEY": "00",
    }
    shown = [name for name, _ in list_settings(Settings.from_environ({**MINIMAL, **groups}))]
    assert {*shown, "CHAINS"} == {*list_setting_names(["1"])} | {"CHAINS"}


def test_the_example_environment_has_exactly_the_names_there_are() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    listed = [match[1] for line in lines if (match := re.match(r"#?([A-Z][A-Z0-9_]*)=", line))]
    ours = list_setting_names(["1"])
    mail_service = [str(field.alias) for field in MailServiceSettings.model_fields.values()]
    assert len(listed) == len(set(listed))
    rest = {name for name in listed if not name.startswith(("DEMO_", "DAGSTER_"))}
    assert rest == {*ours, *mail_service}


def test_the_index_of_the_example_environments_begins_at_the_block_that_the_table_names() -> None:
    (named,) = re.findall(r"on mainnet (\d+)", str(ChainSettings.model_fields["start_block"].description))
    for path in (".env.example", "deploy/env.example"):
        assert f"\nCHAIN_1_START_BLOCK={named}\n" in (ROOT / path).read_text(), path


def test_the_ports_of_the_local_stack_are_documented_with_their_defaults() -> None:
    defaults = {port_variable(field.name): field.default for field in fields(StackPorts)}
    for text in ((ROOT / ".env.example").read_text(), (ROOT / "Makefile").read_text()):
        listed = {name: int(port) for name, port in re.findall(r"(DEMO_[A-Z]+_PORT)=(\d+) *(?:\s|$)", text)}
        assert listed == defaults


def test_configuration_page_has_the_generated_tables() -> None:
    """If it fails, run `python -m reminder_worker.settings.table`."""
    page = (ROOT / "docs" / "configuration.md").read_text()
    assert with_table(page) == page
