"""Languages of emails to people: whole catalogues, and every email in each of them."""

import html
import re
from dataclasses import replace

import pytest
from babel.messages.catalog import Message

from mail_service.catalogue import LINES, TEMPLATES
from mail_service.languages import LANGUAGES, choose_language, find_language, find_zone, load_language
from mail_service.messages import extract_messages, find_catalogue, read_catalogue
from mail_service.rendering import EmailRenderer
from mail_service.variables import ROLES
from mail_service.wrapping import measure_width, wrap_text

RENDERER = EmailRenderer("https://app.example.org")
TRANSLATED = [code for code in LANGUAGES if find_catalogue(code).exists()]
PEOPLE = {name: template for name, template in TEMPLATES.items() if template.category != "ops"}
EACH = pytest.mark.parametrize("code", TRANSLATED)


# By what has happened: claims are still closed, are open, somebody has claimed, or this person has received.
OPEN = ("ready_to_activate", "layer2_ready", "layer3_ready", "before_layer3")
NAMED_WALLET = "The owner named %(wallet)s, the one that ends in %(ending)s. No other wallet of yours can claim."
LOST_WALLET = {
    "ahead": (
        "If you have lost this wallet, or know of none, ask the owner today: while they can use their own wallet, they "
        "can name another one for you.",
    ),
    "open": (
        "Have you lost this wallet? Can you reach the owner? As long as nobody has claimed, they can still check in "
        "and name another wallet for you.",
        "If not, look for its recovery phrase: only the person who has it can claim. We cannot name another wallet for "
        "you.",
    ),
    "made": (
        "If you have lost this wallet, look for its recovery phrase: only the person who has it can use the wallet. We "
        "cannot name another one for you.",
    ),
    "received": ("What you received is now in this wallet. Keep its recovery phrase, and show it to nobody.",),
}
RESTORE = (
    "Enter the phrase only in a wallet app on your own phone, to restore the wallet. Never on a website, never in an "
    "email."
)
LATER = (
    "When the owner can no longer do that, only the person who has the key or the recovery phrase of this wallet can "
    "claim. Nobody can name another wallet then, and neither can we."
)
WALLET = (
    "A wallet is an app for digital money, such as MetaMask. Its recovery phrase is 12 or 24 words written down when "
    "it was set up."
)


def find_claims(name: str) -> str:
    if name in OPEN:
        return "open"
    return {"activated_multisig": "made", "activated_transfer": "received"}.get(name, "ahead")


def list_variables(text: str) -> set[str]:
    return set(re.findall(r"%\((\w+)\)s", text))


@EACH
def test_catalogue_has_every_message_with_its_variables(code: str) -> None:
    found: dict[str, Message] = {str(message.id): message for message in read_catalogue(code) if message.id}
    assert set(found) == {str(message.id) for message in extract_messages() if message.id}
    for text, message in found.items():
        assert message.string, text
        assert not message.fuzzy, text
        assert list_variables(str(message.string)) == list_variables(text)


@EACH
@pytest.mark.parametrize("name", PEOPLE)
def test_every_email_is_written_in_the_language(code: str, name: str) -> None:
    for role in ROLES:
        email = RENDERER.render_sample(PEOPLE[name], role, code)
        english = RENDERER.render_sample(PEOPLE[name], role)
        assert f'lang="{LANGUAGES[code]}"' in email.html
        assert email.subject != english.subject
        assert load_language(code).translations.gettext("Check it yourself") in email.html
        assert "November 2026" not in email.text or code in ("de", "fr")
        assert max(map(measure_width, re.sub(r"\S*://\S+|0x\S+", "", email.text).splitlines())) <= 120
        assert ('dir="rtl"' in email.html) == (code == "ar")


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", PEOPLE)
def test_an_heir_reads_what_to_do_without_the_wallet(code: str, name: str) -> None:
    """Until the first claim the owner can name another wallet. Afterwards only the recovery phrase helps.

    An email that says to look for the phrase also says where to enter it. After a transfer nothing is said about
    other wallets.
    """
    if PEOPLE[name].category == "gift":
        return
    gettext = load_language(code).translations.gettext
    claims = find_claims(name)
    wanted = {*LOST_WALLET[claims], WALLET}
    if claims in ("open", "made"):
        wanted.add(RESTORE)
    if name == "instructions":
        wanted.add(LATER)
    no_other_wallet = "".join(gettext(NAMED_WALLET).rpartition("%(ending)s")[2].split())
    known = {each for state in LOST_WALLET.values() for each in state} | {RESTORE, LATER, WALLET}
    for role, line in LINES.items():
        email = RENDERER.render_sample(PEOPLE[name], role, code)
        for text in (html.unescape(email.html), email.text):
            # CJK text is wrapped between any two characters.
            joined = "".join(text.split())
            said = {words for words in known if "".join(gettext(words).split()) in joined}
            assert said == (wanted if line > 0 else set())
            assert (no_other_wallet in joined) is (line > 0 and claims != "received")


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_email_to_an_heir_names_the_router_and_the_function_to_claim_with(code: str) -> None:
    """The email of an earlier release has neither, and is written without them."""
    gettext = load_language(code).translations.gettext
    for name in (name for name, template in PEOPLE.items() if template.category == "reminder"):
        template = PEOPLE[name]
        rows = {"Router": template.sample["routerAddress"], "Function": template.sample["claimFunction"]}
        for role, line in LINES.items():
            email = RENDERER.render_sample(template, role, code)
            for text in (html.unescape(email.html), " ".join(email.text.split())):
                shown = [label for label, value in rows.items() if gettext(label) in text and value in text]
                assert shown == list(rows) or line == 0, (name, role)
                assert rows["Function"] not in text or line > 0, (name, role)
        before = replace(template, sample={k: v for k, v in template.sample.items() if v not in rows.values()})
        assert gettext("Function") not in RENDERER.render_sample(before, "beneficiary", code).text


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", PEOPLE)
def test_a_short_address_stays_on_one_line(code: str, name: str) -> None:
    """A break after its dots would put them on the wrong side in Arabic."""
    email = RENDERER.render_sample(PEOPLE[name], None, code)
    shown = email.html.partition("<table")[2]  # without the hidden line for lists of emails
    short = re.findall(r"(<[^>]*>)?0x[0-9a-fA-F]{4}…", shown)
    assert set(short) <= {'<bdi dir="ltr" style="white-space:nowrap">'}
    assert len(re.findall(r"0x[0-9a-fA-F]{4}…[0-9a-fA-F]{4}", email.text)) == len(short)
    if code == "ar":
        assert len(re.findall(r"\u20660x[0-9a-fA-F]{4}…[0-9a-fA-F]{4}\u2069", email.text)) == len(short)


def test_unknown_language_is_english_as_is_an_email_to_operators_and_pages_take_the_browsers_first_known() -> None:
    for name, language in (("gift_waiting", "tlh"), ("relayer_low_balance", "es")):
        of_another, english = (RENDERER.render_sample(TEMPLATES[name], None, each) for each in (language, "en"))
        assert replace(of_another, files=english.files) == english  # calendar files name the second they were made in
    assert [find_language(tag) for tag in ("pt-BR", "zh-Hans-CN", "ES", "en-GB", "")] == ["pt", "zh", "es", "en", "en"]
    for accepted, language in (("tlh,es-MX;q=0.9,en;q=0.8", "es"), ("en-US,ar;q=0.5", "en"), ("", "en")):
        assert choose_language(accepted) == language


def test_lines_of_chinese_end_within_72_columns() -> None:
    text = "如果所有者在下面的日期之前没有活动，您就可以领取留给您的资产。" * 4  # noqa: RUF001
    lines = wrap_text(text, "1. ").splitlines()
    assert max(map(measure_width, lines)) <= 74
    assert "".join(line.strip() for line in lines) == "1. " + text
    assert not any(line.strip()[0] in "，。" for line in lines)  # noqa: RUF001


def test_a_day_is_shown_in_the_persons_zone_with_utc_beside() -> None:
    for zone, moment, shown in (
        ("Europe/Berlin", "Tuesday, 24 November 2026, 15:04 UTC", "24. November 2026, 16:04 (GMT+01:00; 15:04 UTC)"),
        ("Europe/Berlin", "Friday, 24 July 2026, 15:04 UTC", "24. Juli 2026, 17:04 (GMT+02:00; 15:04 UTC)"),
        ("Europe/Dublin", "Friday, 24 July 2026, 15:04 UTC", "24. Juli 2026, 16:04 (GMT+01:00; 15:04 UTC)"),
        ("localtime", "Friday, 24 July 2026, 15:04 UTC", "24. Juli 2026, 15:04 UTC"),
        (
            "Asia/Tokyo",
            "Tuesday, 24 November 2026, 15:04 UTC",
            "25. November 2026, 00:04 (GMT+09:00; Dienstag, 24. November 2026, 15:04 UTC)",
        ),
        ("Europe/London", "Tuesday, 24 November 2026, 15:04 UTC", "24. November 2026, 15:04 UTC"),
        ("Asia/Tokyo", "Friday, 31 December 9999, 23:59 UTC", "31. Dezember 9999, 23:59 UTC"),
        ("../etc/passwd", "Tuesday, 24 November 2026, 15:04 UTC", "24. November 2026, 15:04 UTC"),
    ):
        assert shown in (load_language("de").format_time(moment, find_zone(zone)) or "")


def test_in_arabic_zone_and_utc_each_keep_their_own_direction() -> None:
    """In a language from left to right no invisible character stands in the day."""
    for zone, pieces in (
        ("Europe/Berlin", ["غرينتش+01:00", "15:04 UTC"]),
        ("Asia/Tokyo", ["غرينتش+09:00", "15:04 UTC"]),
        ("", ["15:04 UTC"]),
    ):
        moment = "Tuesday, 24 November 2026, 15:04 UTC"
        arabic = load_language("ar").format_time(moment, find_zone(zone)) or ""
        assert re.findall("\u2068([^\u2068\u2069]+)\u2069", arabic) == pieces
        assert not re.search("[\u2066-\u2069]", load_language("de").format_time(moment, find_zone(zone)) or "")


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_email_shows_its_day_in_the_zone_and_its_calendar_file_in_utc(code: str) -> None:
    zone = "Asia/Tokyo"
    for template in PEOPLE.values():
        variables = {
            name: value.format(origin="https://app.example.org", gift_origin="https://app.example.org")
            if name in ("actionUrl", "claimUrl")
            else value
            for name, value in template.sample.items()
        }
        email = RENDERER.render_email(template, variables, language=code, time_zone=zone)
        in_utc = RENDERER.render_email(template, variables, language=code)
        day = variables.get("unlockAt", variables.get("deadline"))
        if day is not None:
            there = load_language(code).format_time(day, find_zone(zone)) or ""
            utc = load_language(code).format_time(day) or ""
            assert (there in email.html, there in in_utc.html) == (utc in in_utc.html, False)
        assert all("T150400Z" in file.content for file in email.files if file.method == "PUBLISH")


def test_amounts_and_days_keep_every_digit() -> None:
    spanish = load_language("es")
    assert spanish.format_amount("12,500.50") == "12.500,50"
    assert spanish.format_amount("a token") == "a token"
    assert spanish.format_time("Tuesday, 24 November 2026, 15:04 UTC") == "martes, 24 de noviembre de 2026, 15:04 UTC"
    assert spanish.format_time("soon") == "soon"
