"""The emails of gifts: their words, where their link may lead, and that no name is in a subject."""

import html
import re
from email import message_from_bytes
from email.policy import default
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from gift_page.tools import draw_cards
from mail_service import occasion_card
from mail_service.addresses import parse_address
from mail_service.catalogue import TEMPLATES, EmailTemplate
from mail_service.errors import MailProblem
from mail_service.languages import LANGUAGES, load_language
from mail_service.messages import extract_messages
from mail_service.occasion_card import OCCASIONS, read_card
from mail_service.rendering import CARD_ID, EmailRenderer, RenderedEmail, compose_message
from mail_service.variables import VariableKind
from reminder_worker.gifts.assets import load_occasions
from tests.unit.mail_service.test_catalogue import HOSTILE, Page

APP, GIFTS = "https://app.example.org", "https://gifts.example.org"
LINK = f"{GIFTS}/gifts/1/42?o=birthday#g=eyJ2IjoxfQ"
RENDERER = EmailRenderer(APP, [GIFTS, APP])
GIFTS_OF_ALL = [each for each in TEMPLATES.values() if each.category == "gift"]
EACH = pytest.mark.parametrize("template", [each for each in GIFTS_OF_ALL if not each.name.startswith("giver_")])
TO_GIVERS = pytest.mark.parametrize("template", [each for each in GIFTS_OF_ALL if each.name.startswith("giver_")])
ALSO_TO_GIVERS = pytest.mark.parametrize("template", GIFTS_OF_ALL)


def render(template: EmailTemplate, **changes: Any) -> RenderedEmail:
    given = {**template.sample, "claimUrl": LINK, **changes}
    return RENDERER.render_email(template, {name: value for name, value in given.items() if value is not ...})


def names_no_giver(template: EmailTemplate) -> bool:
    """A reminder knows no names: they were deleted on opening day."""
    return template.name.startswith("gift_reminder")


@EACH
def test_both_parts_say_what_a_recipient_needs(template: EmailTemplate) -> None:
    rendered = render(template)
    for part in (rendered.text, html.unescape(Page(rendered.html).words)):
        words = " ".join(part.split())
        assert f"We never ask for a key, a password or a signature by email. Sign only at {GIFTS}." in words
        assert ("Grandpa" in words) != names_no_giver(template)
        for known in ("Gift 42 on Ethereum", template.sample["unlockAt"], template.sample["routerAddress"]):
            assert known in words
        assert "next step" in words.lower()
        assert "nobody will ever ask you to pay first" in words
    assert set(re.findall(r"[a-z]{4,}", Page(rendered.html).words.lower())) <= set(
        re.findall(r"[a-z]{4,}", rendered.text.lower())
    )
    assert rendered.text.count(LINK) == 1
    assert "Ethereum" in rendered.subject


@TO_GIVERS
def test_giver_reads_which_gift_for_whom_and_no_name_is_in_the_subject(template: EmailTemplate) -> None:
    """A name is text, whatever it holds; without names nothing is missing."""
    rendered = render(template)
    for part in (rendered.text, html.unescape(Page(rendered.html).words)):
        words = " ".join(part.split())
        for known in ("Hello Grandpa,", "Anna", "Gift 42 on Ethereum", template.sample["unlockAt"]):
            assert known in words
    assert "Ethereum" in rendered.subject
    assert not {"Grandpa", "Anna"} & set(rendered.subject.split())
    page = Page(render(template, name=HOSTILE, recipientName=HOSTILE).html)
    assert "script" not in {tag for tag, _ in page.tags}
    assert page.words.count(HOSTILE) == 2
    text = render(template, name="", recipientName="").text
    assert "\nHello,\n" in text
    assert "This is about your gift" not in text


@ALSO_TO_GIVERS
def test_the_only_link_is_the_claim_link_and_nothing_is_fetched(template: EmailTemplate) -> None:
    rendered = render(template)
    page = Page(rendered.html)
    assert [attributes["href"] for tag, attributes in page.tags if tag == "a"] == [LINK]
    assert not {"script", "link", "form", "iframe"} & {tag for tag, _ in page.tags}
    assert [attributes["src"] for tag, attributes in page.tags if tag == "img"] == [f"cid:{CARD_ID}"]


@ALSO_TO_GIVERS
@pytest.mark.parametrize(
    ("marks", "occasion"),
    [("?o=birthday", "birthday"), ("?o=wedding&paper=1", "wedding"), ("", "gift"), ("?o=../app", "gift")],
)
def test_the_card_of_the_occasion_is_one_inline_part(template: EmailTemplate, marks: str, occasion: str) -> None:
    rendered = render(template, claimUrl=f"{GIFTS}/gifts/1/42{marks}#g=eyJ2IjoxfQ")
    address = parse_address("anna@example.org")
    raw = compose_message(
        sender=("", address), recipient=("", address), message_id="<1@x>", rendered=rendered, unsubscribe_url=None
    )
    message = message_from_bytes(raw, policy=default)
    (related,) = [part for part in message.walk() if part.get_content_type() == "multipart/related"]
    page, card = related.iter_parts()
    assert page.get_content_type() == related.get_param("type") == "text/html"
    assert (card["Content-ID"], card.get_content_disposition()) == (f"<{CARD_ID}>", "inline")
    assert card.get_content() == (Path("mail_service/cards") / f"{occasion}.png").read_bytes()
    (shown,) = [attributes for tag, attributes in Page(rendered.html).tags if tag == "img"]
    assert shown["alt"] == "The card of your gift"
    plain = message.get_body(("plain",))
    assert plain is not None
    assert plain.get_content().replace("\r\n", "\n") == rendered.text


@ALSO_TO_GIVERS
def test_the_email_goes_without_a_card_that_cannot_be_read(
    template: EmailTemplate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_card = render(template)
    monkeypatch.setattr(occasion_card, "files", lambda _: tmp_path)
    occasion_card._read_file.cache_clear()
    rendered = render(template)
    assert rendered.card is None
    assert "img" not in {tag for tag, _ in Page(rendered.html).tags}
    assert (rendered.subject, rendered.text) == (with_card.subject, with_card.text)


def test_cards_of_emails_have_no_words_and_at_most_30_kilobytes() -> None:
    """Words would be English in every language, and "waiting" is false once the gift is open. See `make cards`."""
    for name, occasion in load_occasions().items():
        card = read_card(name)
        assert card is not None
        assert len(card) <= 30_000
        stored, drawn = (Image.open(BytesIO(each)) for each in (card, draw_cards.draw_without_words(occasion)))
        assert stored.convert("RGB").tobytes() == drawn.convert("RGB").tobytes()
    assert frozenset(load_occasions()) == OCCASIONS


@EACH
@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ("?o=eid&paper=1", "Whoever has the printed sheet can open it"),
        ("?email=1", "Whoever reads your emails can open it."),
        ("", "Only the key of the wallet "),
        ("?paper=1&email=1", "Only the key of the wallet "),
        ("?paper=0", "Only the key of the wallet "),
    ],
)
def test_a_gift_says_who_can_open_it_and_what_cannot_be_replaced(
    template: EmailTemplate, code: str, marks: str, words: str
) -> None:
    """Whoever has the sheet, the mailbox or the wallet can open it. The claim link says which."""
    (message,) = [str(each.id) for each in extract_messages() if str(each.id).startswith(words)]
    variables = {**template.sample, "claimUrl": f"{GIFTS}/gifts/1/42{marks}#g=eyJ2IjoxfQ"}
    email = RENDERER.render_email(template, variables, language=code)
    for part in (email.text, html.unescape(Page(email.html).words)):
        joined = "".join(part.translate(dict.fromkeys([0x2066, 0x2069])).split())
        said = load_language(code).translations.gettext(message)
        for piece in said.split("%(address)s"):
            assert "".join(piece.split()) in joined


@EACH
def test_hostile_and_unknown_names_stay_text_and_no_name_is_in_the_subject(template: EmailTemplate) -> None:
    """A giver chooses that name: "Wallet Support 0800 123 456" would be whom our own advice names for help."""
    page = Page(render(template, name=HOSTILE, giverName=HOSTILE).html)
    assert "script" not in {tag for tag, _ in page.tags}
    assert [attributes["src"] for tag, attributes in page.tags if tag == "img"] == [f"cid:{CARD_ID}"]
    assert HOSTILE in page.words
    assert not {"Grandpa", "Anna"} & set(render(template).subject.split())
    text = render(template, giverName="Wallet Support 0800 123").text
    assert text.count("Wallet Support 0800 123") == (0 if names_no_giver(template) else 1)
    assert "in person" in " ".join(text.partition("CHECK IT YOURSELF")[2].split())
    text = render(template, name="", giverName="").text
    assert "\nHello,\n" in text
    assert "omebody" in text


@ALSO_TO_GIVERS
def test_a_claim_link_leads_to_an_allowed_origin(template: EmailTemplate) -> None:
    """Without origins of gifts the app's own is the only one."""
    for url in (
        "https://gifts.example.org.evil.example/gifts/1/42",
        "http://gifts.example.org/gifts/1/42",
        "https://user@gifts.example.org/gifts/1/42",
        "https://evil.example/?https://gifts.example.org/",
        "javascript:alert(1)",
    ):
        with pytest.raises(MailProblem) as caught:
            render(template, claimUrl=url)
        assert caught.value.code == "foreign_url"
    render(template, claimUrl=f"{APP}/gifts/1/42#g=e30")
    plain = EmailRenderer(APP)
    plain.render_sample(template)
    with pytest.raises(MailProblem):
        plain.render_email(template, {**template.sample, "claimUrl": LINK})


@ALSO_TO_GIVERS
def test_where_gifts_have_an_origin_of_their_own_no_link_leads_to_the_others(template: EmailTemplate) -> None:
    """No gift is claimed at the app, and nothing of a legacy is done where gifts are opened."""
    apart, reminder = EmailRenderer(APP, [GIFTS]), TEMPLATES["owner_reset"]
    apart.render_sample(template)
    apart.render_sample(reminder)
    for other, link in (
        (template, {"claimUrl": f"{APP}/gifts/1/42"}),
        (reminder, {"actionUrl": f"{GIFTS}/legacy/1/42"}),
    ):
        with pytest.raises(MailProblem) as caught:
            apart.render_email(other, {**other.sample, **link})
        assert caught.value.code == "foreign_url"


@ALSO_TO_GIVERS
def test_every_variable_is_checked(template: EmailTemplate) -> None:
    for variable in template.variables:
        longer = LINK + "x" * 2500 if variable.kind is VariableKind.GIFT_LINK else "x" * 301
        for wrong in (..., {"x": 1}, "two\r\nlines", longer):
            with pytest.raises(MailProblem):
                render(template, **{variable.name: wrong})
        if variable.kind is VariableKind.TEXT:
            with pytest.raises(MailProblem):
                render(template, **{variable.name: "see https://evil.example"})
