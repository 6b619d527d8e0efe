"""Settings: every fault at once, by name, never by value."""

import re
from pathlib import Path

import pytest

from mail_service.settings import MailMisconfigured, MailServiceSettings

ROOT = Path(__file__).parents[3]

GOOD = {
    "MAIL_SERVICE_DATABASE_URL": "postgresql://u:databasesecret@db/mail",
    "MAIL_SERVICE_TOKEN": "a-token-of-some-length",
    "MAIL_SERVICE_HASH_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "MAIL_SERVICE_PUBLIC_URL": "https://mail.example.org/",
    "APP_ORIGIN": "https://app.example.org",
    "MAIL_FROM": "Legacy reminders <reminders@mail.example.org>",
    "SMTP_HOST": "smtp.example.org",
}


def test_the_environment_is_read() -> None:
    settings = MailServiceSettings.from_environ(GOOD)
    assert settings.public_url == "https://mail.example.org"
    assert settings.database_url.get_secret_value().startswith("postgresql+psycopg://")
    assert (settings.sender[0], str(settings.sender[1])) == ("Legacy reminders", "reminders@mail.example.org")
    assert settings.smtp_tls == "starttls"
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1


def test_its_page_names_each_setting_with_its_default() -> None:
    page = (ROOT / "docs" / "mail-service.md").read_text()
    listed = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", page, re.MULTILINE))
    expected = {}
    for field in MailServiceSettings.model_fields.values():
        default = "**required**" if field.is_required() else f"`{field.default}`" if field.default else ""
        secret = " (secret)" if "Secret" in str(field.annotation) else ""
        expected[field.alias] = f"{default}{secret}".strip()
    assert listed == expected


def test_the_port_that_begins_with_tls_takes_no_starttls() -> None:
    """Neither side would say the first word: every email would time out."""
    with pytest.raises(MailMisconfigured, match="SMTP_TLS: port 465 takes tls"):
        MailServiceSettings.from_environ({**GOOD, "SMTP_PORT": "465"})
    assert MailServiceSettings.from_environ({**GOOD, "SMTP_PORT": "465", "SMTP_TLS": "tls"}).smtp_port == 465


def test_no_secret_is_shown() -> None:
    shown = repr(MailServiceSettings.from_environ({**GOOD, "SMTP_USERNAME": "u", "SMTP_PASSWORD": "smtpsecret"}))
    assert not any(secret in shown for secret in ("databasesecret", "a-token", "smtpsecret", "\\x01\\x02"))


def test_a_secret_may_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a-token-from-a-file\n")
    environ = {key: value for key, value in GOOD.items() if key != "MAIL_SERVICE_TOKEN"}
    settings = MailServiceSettings.from_environ({**environ, "MAIL_SERVICE_TOKEN_FILE": str(tmp_path / "token")})
    assert settings.token.get_secret_value() == "a-token-from-a-file"


def test_a_secret_file_that_cannot_be_what_is_meant_stops_the_start(tmp_path: Path) -> None:
    for content, fault in (
        (b"another-token-in-a-file\n", "MAIL_SERVICE_TOKEN: is set in MAIL_SERVICE_TOKEN_FILE too, to something else"),
        (b"\n", "MAIL_SERVICE_TOKEN_FILE: the file is empty"),
        (b"hunter2\xff", "MAIL_SERVICE_TOKEN_FILE: the file holds something that is not text"),
    ):
        (tmp_path / "token").write_bytes(content)
        with pytest.raises(MailMisconfigured) as caught:
            MailServiceSettings.from_environ({**GOOD, "MAIL_SERVICE_TOKEN_FILE": str(tmp_path / "token")})
        assert f"- {fault}" in str(caught.value)
        assert "hunter2" not in str(caught.value)


def test_nothing_has_a_default_that_is_unsafe() -> None:
    with pytest.raises(MailMisconfigured) as caught:
        MailServiceSettings.from_environ({})
    assert all(name in str(caught.value) for name in GOOD)


def test_a_bad_value_is_named_and_not_repeated() -> None:
    for name, value in (
        ("MAIL_SERVICE_DATABASE_URL", "sqlite:///x-secretvalue"),
        ("MAIL_SERVICE_DATABASE_URL", "postgresql://u:p@db:secretvalue/mail"),
        ("MAIL_SERVICE_DATABASE_URL", "postgresql://u:secretvalue@db/mail?port=abc"),
        ("MAIL_SERVICE_DATABASE_URL", "postgresql://u:p@secretvalue@db/mail"),
        ("MAIL_SERVICE_TOKEN", "secretvalue"),
        ("ORGANISATION_CONTACT", "https://secretvalue.example.org"),
        ("MAIL_SERVICE_HASH_KEY", "c2VjcmV0dmFsdWU="),
        ("MAIL_SERVICE_PUBLIC_URL", "http://mail.example.org"),
        ("MAIL_SERVICE_PUBLIC_URL", "https://mail.example.org/?secretvalue"),
        ("MAIL_SERVICE_PUBLIC_URL", "https://u:secretvalue@mail.example.org"),
        ("APP_ORIGIN", "https://app.example.org/secretvalue"),
        ("MAIL_FROM", "secretvalue"),
        ("MAIL_FROM", "R <sécretvalue@example.org>"),
        ("MAIL_FROM", "x\r\nBcc: y <reminders@mail.example.org>"),
        ("SMTP_TLS", "secretvalue"),
        ("SMTP_POOL_SIZE", "0"),
    ):
        with pytest.raises(MailMisconfigured) as caught:
            MailServiceSettings.from_environ({**GOOD, name: value})
        assert name in str(caught.value)
        assert "secretvalue" not in str(caught.value)


def test_a_password_never_travels_in_clear() -> None:
    login = {**GOOD, "SMTP_USERNAME": "u", "SMTP_PASSWORD": "p"}
    with pytest.raises(MailMisconfigured, match="never sent in clear"):
        MailServiceSettings.from_environ({**login, "SMTP_TLS": "none"})
    with pytest.raises(MailMisconfigured, match="both or neither"):
        MailServiceSettings.from_environ({**GOOD, "SMTP_USERNAME": "u"})
    with pytest.raises(MailMisconfigured, match="both or neither"):
        MailServiceSettings.from_environ({**GOOD, "SMTP_PASSWORD": "p"})
    MailServiceSettings.from_environ({**login, "SMTP_TLS": "none", "SMTP_HOST": "127.0.0.1"})
