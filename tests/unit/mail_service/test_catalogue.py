"""Every email of the catalogue: words, safety and permitted values of variables."""

import html
import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from mail_service.catalogue import LINES, TEMPLATES, EmailTemplate
from mail_service.errors import MailProblem
from mail_service.rendering import EmailRenderer, RenderedEmail
from mail_service.sending import SendRequest, _encode_canonically
from mail_service.variables import ROLES, VariableKind

ORIGIN = "https://app.example.org"
RENDERER = EmailRenderer(ORIGIN)
HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(2)>{{ 7*7 }}'
REMINDERS = {name: template for name, template in TEMPLATES.items() if template.category == "reminder"}
ALERTS = {name: template for name, template in TEMPLATES.items() if template.category == "ops"}
EACH = pytest.mark.parametrize("template", REMINDERS.values(), ids=REMINDERS)
EACH_ALERT = pytest.mark.parametrize("template", ALERTS.values(), ids=ALERTS)
EACH_STATUS = pytest.mark.parametrize("status", ["raised", "cleared", "unwatched", "event"])
EACH_ROLE = pytest.mark.parametrize("role", ROLES)
KINDS = {
    "owner_reset",
    "activated_multisig",
    "activated_transfer",
    "before_activation",
    "ready_to_activate",
    "before_layer2",
    "layer2_ready",
    "before_layer3",
    "layer3_ready",
    "instructions",
    "auto_renew_budget",
    "premium_ending",
    "premium_lapsed",
    "guard_removed",
    "module_disabled",
    "recipients_gap",
}


def variables(template: EmailTemplate, **changes: Any) -> dict[str, Any]:
    sample = {**template.sample, "actionUrl": f"{ORIGIN}/legacy/1/42", **changes}
    return {name: value for name, value in sample.items() if value is not ...}


def render(template: EmailTemplate, **changes: Any) -> RenderedEmail:
    return RENDERER.render_email(template, variables(template, **changes))


def refusal(template: EmailTemplate, **changes: Any) -> str:
    with pytest.raises(MailProblem) as caught:
        render(template, **changes)
    assert caught.value.status == 400
    return caught.value.code


class Page(HTMLParser):
    """Tags, attributes and text of a rendered email."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self._inside = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside not in ("style", "title"):
            self.words += data


def test_every_kind_of_this_service_has_a_template() -> None:
    assert set(REMINDERS) == KINDS


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_no_line_of_the_text_reads_as_a_quotation(template: EmailTemplate) -> None:
    """Mail programs fold, grey out or hide lines that begin so, and the safety sentence must be seen."""
    assert not re.search(r"(?m)^\s*[>|]", RENDERER.render_sample(template).text)


@EACH
@EACH_ROLE
def test_both_parts_say_what_every_email_says(template: EmailTemplate, role: str) -> None:
    """The safety sentence, one link to the app, the legacy, its chain, its contract and the deadline."""
    rendered = render(template, role=role)
    for part in (rendered.text, html.unescape(Page(rendered.html).words)):
        assert f"We never ask for a key, a password or a signature by email. Sign only at {ORIGIN}." in part
        assert template.sample["legacyAddress"] in part
        assert "Legacy 42 on Ethereum" in part
        assert "chain id 1" in part
        assert template.sample["deadline"] is None or template.sample["deadline"] in part
        assert "next step" in part.lower()
    assert rendered.text.count(f"{ORIGIN}/legacy/1/42") == 1
    assert "legacy 42 on Ethereum" in rendered.subject
    assert len(rendered.subject) <= 100


@EACH
@EACH_ROLE
def test_both_parts_have_the_same_words(template: EmailTemplate, role: str) -> None:
    """Nobody is told less by a mail program that shows text only."""
    rendered = render(template, role=role)
    words = set(re.findall(r"[a-z]{4,}", Page(rendered.html).words.lower()))
    text_words = set(re.findall(r"[a-z]{4,}", rendered.text.lower()))
    assert words - text_words <= set()


@EACH
@EACH_ROLE
def test_nothing_is_fetched_and_links_lead_to_the_app(template: EmailTemplate, role: str) -> None:
    """No image, script, form, frame, font or style from anywhere; every link has the app's origin."""
    rendered = render(template, role=role)
    page = Page(rendered.html)
    forbidden = {"img", "script", "link", "form", "iframe", "object", "embed", "video", "audio", "base", "svg"}
    assert not forbidden & {tag for tag, _ in page.tags}
    assert not re.search(r"url\(|@import|background=|src=", rendered.html)
    links = [attributes["href"] or "" for tag, attributes in page.tags if tag == "a"]
    assert links
    for link in (*links, *re.findall(r"\w+://\S+", rendered.text)):
        assert urlsplit(link.rstrip(".")).netloc == "app.example.org"


@EACH
@EACH_ROLE
def test_a_hostile_name_stays_text(template: EmailTemplate, role: str) -> None:
    rendered = render(template, role=role, name=HOSTILE, legacyName=HOSTILE)
    page = Page(rendered.html)
    assert {"script", "img"}.isdisjoint(tag for tag, _ in page.tags)
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert HOSTILE in page.words
    assert HOSTILE in rendered.text


@EACH
@EACH_ROLE
def test_no_name_is_in_a_subject(template: EmailTemplate, role: str) -> None:
    rendered = render(template, role=role, name="Quillfeather", legacyName="Brackenridge", ownerName="Thistlewood")
    assert not any(name in template.subject for name in ("name", "legacyName", "giverName", "ownerName"))
    assert "Quillfeather" not in rendered.subject
    assert "Brackenridge" not in rendered.subject
    assert "Quillfeather" in rendered.text


@EACH
@EACH_ROLE
def test_a_legacy_is_called_by_its_title_and_its_heirs_read_who_made_it(template: EmailTemplate, role: str) -> None:
    email = render(template, role=role, legacyTitle="House & savings", ownerName="Grandpa Joe")
    assert "“House & savings” on Ethereum" in email.subject
    assert "legacy 42" not in email.subject
    whose = "the plan that Grandpa Joe made for the people they care about. You are one of them."
    for part in (" ".join(email.text.split()), " ".join(html.unescape(Page(email.html).words).split())):
        assert "House & savings · Ethereum" in part
        assert "42 · House & savings" in part
        assert (whose in part) is (LINES[role] > 0)
        assert ("Grandpa Joe" in part) is (role != "owner")
        assert ("We have not checked them." in part) is (role != "owner")


@EACH
@EACH_ROLE
def test_an_owners_words_stay_text(template: EmailTemplate, role: str) -> None:
    email = render(template, role=role, legacyTitle=HOSTILE, ownerName=HOSTILE)
    page = Page(email.html)
    assert {"script", "img"}.isdisjoint(tag for tag, _ in page.tags)
    assert HOSTILE in page.words
    assert refusal(template, legacyTitle="see www.evil.example") == "foreign_url"
    assert refusal(template, ownerName="see www.evil.example") == "foreign_url"


@EACH
def test_a_name_may_be_unknown(template: EmailTemplate) -> None:
    rendered = render(template, name="", legacyName="")
    assert "\nHello,\n" in rendered.text


def test_a_transfer_shows_each_amount_and_that_eth_may_be_missing() -> None:
    rendered = render(TEMPLATES["activated_transfer"])
    for part in (rendered.text, Page(rendered.html).words):
        assert "12,500.00" in part
        assert "USDC" in part
        assert "3.25" in part
        assert "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2" in part
        assert "may be missing here" in " ".join(part.split())


@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("owner_reset", "owner", "Your activity was recorded"),
        ("owner_reset", "beneficiary", "The timer starts anew"),
        ("before_activation", "owner", "Please check in now"),
        ("before_activation", "beneficiary", "Nothing to do yet"),
        ("before_activation", "beneficiary", "you may be able to claim"),
        ("ready_to_activate", "beneficiary", "You can now claim"),
        ("ready_to_activate", "owner", "check in with your wallet now"),
        ("before_layer2", "beneficiary", "the person named second in line can claim too"),
        ("before_layer2", "second_line", "Nothing to do yet"),
        ("layer2_ready", "second_line", "You can now claim"),
        ("layer2_ready", "beneficiary", "You can still claim"),
        ("before_layer3", "second_line", "the person named third in line can claim too"),
        ("before_layer3", "third_line", "Nothing to do yet"),
        ("layer3_ready", "third_line", "You can now claim"),
        ("instructions", "owner", "Beneficiary: 2"),
        ("instructions", "beneficiary", "If this service is gone"),
        ("auto_renew_budget", "owner", "Auto-renew is about to end"),
        ("premium_ending", "owner", "From then on we send no reminders"),
        ("premium_ending", "owner", "Premium cannot be renewed before that date"),
        ("module_disabled", "owner", "While it is off, every claim fails"),
        ("recipients_gap", "owner", "reminders are not switched on for this wallet"),
        ("recipients_gap", "owner", "emails to the saved address come back"),
        ("recipients_gap", "owner", "will not be reminded by us"),
        ("premium_lapsed", "owner", "We send no reminders any more"),
        ("guard_removed", "owner", "Without it we send no reminders about this legacy"),
    ],
)
def test_words_differ_by_role(name: str, role: str, words: str) -> None:
    text = " ".join(render(TEMPLATES[name], role=role).text.split())
    assert words.lower() in text.lower()


@pytest.mark.parametrize("role", ["owner", "cosigner", "beneficiary"])
def test_before_the_second_line_nobody_is_told_that_the_first_can_claim_already(role: str) -> None:
    """The window opens at t2 less the notice: with a notice longer than the time between the lines, before t1."""
    email = render(TEMPLATES["before_layer2"], role=role)
    text = " ".join(email.text.split()).partition("WHAT IS A LEGACY")[0].lower()
    assert not [words for words in ("has passed", "you can claim", "can be claimed", "claim soon") if words in text]
    assert "claim soon" not in email.subject.lower()


@pytest.mark.parametrize("role", [role for role in ROLES if role not in ("owner", "cosigner")])
def test_of_a_timer_that_has_run_out_again_nobody_is_told_that_nothing_can_be_claimed(role: str) -> None:
    """One that waited for the next day, or for the mail service, has no deadline then."""
    email = render(TEMPLATES["owner_reset"], role=role, deadline=None)
    text = " ".join(email.text.split())
    assert "may have run out again" in text
    assert not [words for words in ("nothing can be claimed", "nothing to do", "starts anew") if words in text]
    assert "is active" not in email.subject


@pytest.mark.parametrize("name", ["before_activation", "before_layer2", "before_layer3"])
@EACH_ROLE
def test_a_reminder_before_a_day_calls_nobody_inactive(name: str, role: str) -> None:
    """With a notice longer than the period the window never closes: it is sent right after a check-in, too."""
    text = " ".join(render(TEMPLATES[name], role=role).text.split()).partition("WHAT IS A LEGACY")[0]
    said = ("has not been active", "shown no activity", "seen no activity", "for a long time", "for some time")
    assert not [words for words in said if words in text]


def test_who_was_told_is_for_the_owner_only() -> None:
    for role in ROLES:
        assert ("Beneficiary: 2" in render(TEMPLATES["instructions"], role=role).text) == (role == "owner")


def test_an_owner_is_not_told_that_instructions_arrived() -> None:
    """The owner's copy does not wait for the others; who has unsubscribed at the mail service gets none."""
    email = render(TEMPLATES["instructions"], role="owner")
    text = " ".join(email.text.split())
    assert not [
        words for words in ("were sent", "have written", "We told them", "Told,") if words in email.subject + text
    ]
    assert "whether it arrived" in text


@EACH_ALERT
@EACH_STATUS
def test_an_alert_says_in_both_parts_what_where_and_what_to_do(template: EmailTemplate, status: str) -> None:
    """The same words in both, every fact, a next step, the safety sentence, and no link to click."""
    rendered = RENDERER.render_email(template, {**template.sample, "status": status})
    page = Page(rendered.html)
    words = html.unescape(page.words)
    for part in (" ".join(rendered.text.split()), " ".join(words.split())):
        assert f"We never ask for a key, a password or a signature by email. Sign only at {ORIGIN}." in part
        assert "next step" in part.lower()
        assert "OPS_EMAIL" in part
        for known in (template.sample["at"], template.sample["about"], *template.sample["facts"][0].values()):
            assert known.lower() in part.lower()
    assert set(re.findall(r"[a-z]{4,}", words.lower())) <= set(re.findall(r"[a-z]{4,}", rendered.text.lower()))
    assert "`" not in words  # a page has no code by backticks
    assert not {"a", "img", "script", "form", "link"} & {tag for tag, _ in page.tags}
    assert len(rendered.subject) <= 100
    assert rendered.subject.startswith("Over: ") == (status == "cleared")


@EACH_ALERT
def test_what_is_no_longer_configured_is_not_said_to_be_well(template: EmailTemplate) -> None:
    """A timelock that is not asked any more may have any delay, and a stopped wallet takes no requests again."""
    email = RENDERER.render_email(template, {**template.sample, "status": "unwatched"})
    over = RENDERER.render_email(template, {**template.sample, "status": "cleared"})
    told = email.text.partition("\nSeen:")[0]
    assert "Whether it is well by now is not known." in " ".join(told.split())
    assert over.text.splitlines()[0] not in told
    assert email.subject.startswith("Not watched any more: ")


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("worker_stalled", "due", "index"),
        ("index_lagging", "index", "signals"),
        ("rpc_trouble", "no answer", "no new block"),
        ("rpc_trouble", "no answer", "none answers"),
        ("rpc_trouble", "no answer", "allowance of endpoint 1:rpc.example.org"),
        ("rpc_trouble", "no new safe block", "a block of the future"),
    ],
)
def test_alerts_of_one_kind_that_may_come_together_are_told_apart_by_their_subjects(
    name: str, one: str, other: str
) -> None:
    """Also which of them is over."""
    for about in (one, other):
        for status in ("raised", "cleared"):
            known = {**TEMPLATES[name].sample, "about": about, "chainName": "Sepolia", "status": status}
            subject = RENDERER.render_email(TEMPLATES[name], known).subject
            assert about in subject
            assert "Sepolia" in subject


@pytest.mark.parametrize("name", [name for name in ALERTS if name.startswith("upgrade_")])
def test_the_subject_says_that_an_operation_gives_control_away(name: str) -> None:
    template = ALERTS[name]
    facts = [*template.sample["facts"], {"name": "beware", "value": "it leaves a contract without an owner"}]
    email = RENDERER.render_email(template, {**template.sample, "facts": facts})
    assert email.subject == "Graver than an upgrade: " + RENDERER.render_sample(template).subject
    assert len(email.subject) <= 100


@EACH_ALERT
def test_facts_of_an_alert_stay_text(template: EmailTemplate) -> None:
    rendered = RENDERER.render_email(template, {**template.sample, "facts": [{"name": HOSTILE, "value": HOSTILE}]})
    assert {"script", "img"}.isdisjoint(tag for tag, _ in Page(rendered.html).tags)
    assert HOSTILE in rendered.text
    for text in ("https://evil.example", "two\r\nlines"):
        with pytest.raises(MailProblem):
            RENDERER.render_email(template, {**template.sample, "facts": [{"name": "fee", "value": text}]})


@EACH
def test_every_variable_is_checked(template: EmailTemplate) -> None:
    """Missing, unknown, of the wrong type, longer than may be: refused by name."""
    wrong: dict[VariableKind, list[Any]] = {
        VariableKind.TEXT: ["x" * 301],
        VariableKind.ADDRESS: ["nobody", "0x12", "0x" + "12" * 20 + "0"],
        VariableKind.ROLE: ["stranger"],
        VariableKind.INTEGER: ["-1", -1, "1.5", "", True, "9" * 79],
    }
    for variable in template.variables:
        if variable.required:
            assert refusal(template, **{variable.name: ...}) == "missing_variable"
            assert refusal(template, **{variable.name: None}) == "missing_variable"
        many = [template.sample[variable.name][:1] * 501] if variable.kind is VariableKind.ROWS else []
        for value in [{"x": 1}, *wrong.get(variable.kind, many)]:
            assert refusal(template, **{variable.name: value}) == "bad_variable"
        if variable.kind is VariableKind.TEXT and not variable.blank:
            assert refusal(template, **{variable.name: " "}) == "missing_variable"
        if variable.kind is not VariableKind.ROWS:
            assert refusal(template, **{variable.name: "two\r\nlines"}) in ("bad_variable", "foreign_url")
    assert refusal(template, surprise="x") == "unknown_variable"


@EACH
def test_no_variable_smuggles_a_link(template: EmailTemplate) -> None:
    for variable in template.variables:
        if variable.kind is VariableKind.ROWS:
            rows = template.sample[variable.name]
            assert refusal(template, **{variable.name: [{**rows[0], "extra": "x"}]}) == "unknown_variable"
            text_columns = [column.name for column in variable.columns if column.kind is VariableKind.TEXT]
            for column in text_columns:
                assert (
                    refusal(template, **{variable.name: [{**rows[0], column: "https://evil.example"}]}) == "foreign_url"
                )
        elif variable.kind is VariableKind.TEXT:
            for link in ("see https://evil.example", "www.evil.example", "mailto:x@evil.example", f"{ORIGIN}/x"):
                assert refusal(template, **{variable.name: link}) == "foreign_url"


@pytest.mark.parametrize(
    "url",
    [
        "https://app.example.org.evil.example/",
        "https://app.example.orgevil.example/",
        "http://app.example.org/",
        "https://app.example.org:8443/",
        "https://user@app.example.org/",
        "https://app.example.org@evil.example/",
        "https://app.example.org\\@evil.example/",
        "//evil.example/",
        "/legacy/1/42",
        "javascript:alert(1)",
        "https://evil.example/?https://app.example.org/",
        "https://app.example.org/ x",
        "https://app.example.org/\u00e4",
        'https://app.example.org/"x',
        "https://app.example.org/<x>",
        "https://app.example.org/\\evil.example",
        "https://äpp.example.org/",
        "https://app.example.org:x/",
    ],
)
def test_the_button_leads_to_the_app_only(url: str) -> None:
    """Compared after parsing: scheme, host, port, no credentials."""
    assert refusal(TEMPLATES["owner_reset"], actionUrl=url) == "foreign_url"


def test_the_default_port_is_the_same_origin() -> None:
    render(TEMPLATES["owner_reset"], actionUrl="https://APP.example.org:443/legacy/1/42?x=1#y")


def test_characters_that_turn_the_reading_direction_are_dropped() -> None:
    rendered = render(TEMPLATES["owner_reset"], name="Anna\u202egnp.exe")
    assert "\u202e" not in rendered.text + rendered.html
    assert "Annagnp.exe" in rendered.text


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(MailProblem) as caught:
        RENDERER.find_template("owner_reset", 2)
    assert caught.value.code == "unknown_template"


def test_content_is_not_in_a_repr() -> None:
    assert "Anna" not in repr(render(TEMPLATES["owner_reset"]))


@pytest.mark.parametrize("name", REMINDERS)
@pytest.mark.parametrize("role", ["beneficiary", "second_line", "third_line"])
def test_an_heir_reads_which_of_their_wallets_is_named(name: str, role: str) -> None:
    own = "0x4E81E1Ed3F6684EB948F8956b8787967b1a6275b"
    email = render(REMINDERS[name], role=role, recipientAddress=own)
    for part in (" ".join(email.text.split()), Page(email.html).words):
        assert "your wallet 0x4E81…275b, the one that ends in 275b" in part
        assert own in part


@pytest.mark.parametrize("name", REMINDERS)
def test_an_email_of_the_previous_release_names_no_wallet(name: str) -> None:
    text = " ".join(render(REMINDERS[name], recipientAddress=...).text.split())
    assert "Your wallet:" not in text
    assert "ends in" not in text


def test_a_body_of_the_previous_release_keeps_its_hash() -> None:
    """It names no language, and an email in doubt is posted again with the bytes it had."""
    body = (
        b'{"category":"ops","template":"x","templateVersion":1,"to":{"email":"a@example.org","name":""},"variables":{}}'
    )
    request = msgspec.json.decode(body, type=SendRequest)
    assert request.language == "en"
    assert _encode_canonically(request) == body
    named = msgspec.json.decode(body[:-1] + b',"language":"zh-Hans"}', type=SendRequest)
    assert _encode_canonically(named) != body
    assert request.time_zone == ""
