"""Claim links: ours are read back exactly, and nothing that a browser would open elsewhere is taken for one."""

from base64 import urlsafe_b64encode
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from reminder_worker.gifts.claim_link import (
    LIMITS,
    ClaimLink,
    GiftLetter,
    LinkFlags,
    LinkRules,
    ServedOrigin,
    check_claim_link,
    decode_letter,
    encode_letter,
    parse_claim_link,
    read_valid_flags,
    rebuild_link,
)
from reminder_worker.settings.values import Origins

RULES = LinkRules.from_origins(["https://gifts.example.org", "http://localhost:8080"], "gifts")
LETTER = GiftLetter("Zoë", "Grandma & Grandpa", "Happy birthday!\nOpen me 🎁")
G = encode_letter(LETTER)
GOOD = f"https://gifts.example.org/gifts/1/7?o=birthday#g={G}"

marks = st.builds(
    LinkFlags,
    occasion=st.none() | st.from_regex(r"[a-z][a-z0-9-]{0,31}", fullmatch=True),
    paper=st.booleans(),
    email=st.booleans(),
)
words = st.text(st.sampled_from("abcXYZ äöß漢字-'"), max_size=60).map(lambda text: " ".join(text.split()))
notes = st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]) | st.just("\n"), max_size=300)
letters = st.builds(GiftLetter, to=words, giver=words, note=notes)
ids = {"chain_id": st.integers(1, LIMITS.chain_id), "timelock_id": st.integers(1, LIMITS.timelock_id)}


@given(origin=st.sampled_from(RULES.origins), marks=marks, letter=letters, **ids)
def test_a_link_is_read_back_as_it_was_made_and_leads_to_the_same_gift_by_later_settings(
    origin: ServedOrigin, marks: LinkFlags, letter: GiftLetter, chain_id: int, timelock_id: int
) -> None:
    """Every part of every link, the letter among them. Its origin stays where it is one still."""
    link = ClaimLink(origin, "gifts", chain_id, timelock_id, marks, letter)
    assert link.url.isascii()
    assert check_claim_link(link.url, RULES, chain_id, timelock_id) == link
    assert rebuild_link(link.url, RULES) == link.url
    now = LinkRules.from_origins(["https://new.example.org", "http://localhost:8080"], "presents")
    kept = origin if origin in now.origins else now.origins[0]
    assert parse_claim_link(rebuild_link(link.url, now), now) == replace(link, prefix="presents", origin=kept)


def test_the_largest_link_is_not_too_long() -> None:
    """Whatever letter can be made can be read in any link, and fits a QR code of level M (2,331 bytes)."""
    letter = GiftLetter("ä" * 60, "ä" * 60, "n" * LIMITS.note_characters)
    full = GiftLetter(
        "x" * 30, "x" * (LIMITS.letter_bytes - 3 * LIMITS.note_characters - 65), "漢" * LIMITS.note_characters
    )
    assert len(encode_letter(full)) * 3 // 4 >= LIMITS.letter_bytes - 2
    marks = LinkFlags("o" * 32, True, True)
    rules = LinkRules.from_origins([f"https://{'h' * 40}.example.org:65535"], "g")
    for each in (letter, full):
        link = ClaimLink(rules.origins[0], "g", 1, 10**9, marks, each)
        assert parse_claim_link(link.url, rules) == link
        assert len(link.url) <= LIMITS.link_characters < 2331


def test_scheme_and_host_have_no_case_and_a_default_port_may_be_told() -> None:
    """As in a browser; what comes back is the one canonical spelling."""
    for spelling in ("HTTPS://Gifts.Example.ORG", "https://gifts.example.org:443"):
        assert parse_claim_link(GOOD.replace("https://gifts.example.org", spelling), RULES).url == GOOD


def test_another_origin_is_refused() -> None:
    """Compared after reading scheme, host and port: no prefix, no lookalike, no credentials, no repair."""
    for origin in (
        "https://gifts.example.org:444", "http://gifts.example.org", "https://gifts.example.org.",
        "https://gifts.example.org.evil.net", "https://evilgifts.example.org", "https://gifts.example.orgevil.net",
        "https://gifts.example.org@evil.net", "https://gifts.example.org:443@evil.net",
        "https://user@gifts.example.org", "https://user:secret@gifts.example.org", "https://:@gifts.example.org",
        "https://gifts.example.org\\@evil.net", "https://evil.net\\gifts.example.org", "https:\\\\gifts.example.org",
        "https:/gifts.example.org", "https:gifts.example.org", "https:///gifts.example.org", "//gifts.example.org",
        "javascript://gifts.example.org", "data:gifts.example.org", "https://g\u0456fts.example.org",
        "https://gifts\u3002example\u3002org", "https://gifts.example\uff0eorg", "http\u017f://gifts.example.org",
        "https://gifts.example.org\u2044evil.net", "https://gif\u00adts.example.org", "https://%67ifts.example.org",
        "https://gifts.example.org%00.evil.net", "https://gifts.example.org%2f", "https://gifts.example.org:",
        "https://gifts.example.org:0443", "https://gifts.example.org:65979", "https://gifts.example.org:443443",
        "https://[::1]", "http://localhost", "https://localhost:8080", "http://127.0.0.1:8080",
        "http://2130706433:8080", "", " https://gifts.example.org", "\thttps://gifts.example.org",
        "\x00https://gifts.example.org", "ht\ntps://gifts.example.org", "https://gifts.\texample.org",
        "blob:https://gifts.example.org", "view-source:https://gifts.example.org",
    ):  # fmt: skip
        with pytest.raises(ValueError):
            parse_claim_link(GOOD.replace("https://gifts.example.org", origin), RULES)


def test_whatever_is_not_exactly_a_link_of_this_gift_is_refused() -> None:
    """Another gift, another path, other query keys, repetitions, other fragments, anything to decode or to repair."""
    for rest in (
        "/gifts/1/8?o=birthday#g=LETTER", "/gifts/2/7?o=birthday#g=LETTER", "/gift/1/7#g=LETTER",
        "/Gifts/1/7#g=LETTER", "/gifts/1/7/#g=LETTER", "//gifts/1/7#g=LETTER", "/gifts//1/7#g=LETTER",
        "/gifts/1/7/..#g=LETTER", "/x/../gifts/1/7#g=LETTER", "/./gifts/1/7#g=LETTER", "/%67ifts/1/7#g=LETTER",
        "/gifts/1%2f7#g=LETTER", "/gifts%2f1/7#g=LETTER", "\\gifts\\1\\7#g=LETTER", "/gifts/01/7#g=LETTER",
        "/gifts/+1/7#g=LETTER", "/gifts/1/7.0#g=LETTER", "/gifts/1/-7#g=LETTER", "/gifts/1/0x7#g=LETTER",
        "/gifts/\u0661/7#g=LETTER", "/gifts/1/\uff17#g=LETTER", "/gifts/1/7;x#g=LETTER", "/gifts/1/7?#g=LETTER",
        "/gifts/1/7?&#g=LETTER", "/gifts/1/7?o=birthday&#g=LETTER", "/gifts/1/7?o=birthday&o=birthday#g=LETTER",
        "/gifts/1/7?paper=1&paper=1#g=LETTER", "/gifts/1/7?paper=0#g=LETTER", "/gifts/1/7?paper#g=LETTER",
        "/gifts/1/7?email=true#g=LETTER", "/gifts/1/7?next=evil#g=LETTER", "/gifts/1/7?o=birthday&utm=1#g=LETTER",
        "/gifts/1/7?o=#g=LETTER", "/gifts/1/7?o=Birthday#g=LETTER", "/gifts/1/7?o=%62irthday#g=LETTER",
        "/gifts/1/7?o==#g=LETTER", "/gifts/1/7?o=b;paper=1#g=LETTER", "/gifts/1/7?O=birthday#g=LETTER",
        "/gifts/1/7?g=LETTER", "/gifts/1/7", "/gifts/1/7#", "/gifts/1/7#LETTER", "/gifts/1/7#g=",
        "/gifts/1/7#g=LETTER#g=LETTER", "/gifts/1/7#g=LETTER&g=LETTER", "/gifts/1/7#g=LETTER&x=1",
        "/gifts/1/7#x=1&g=LETTER", "/gifts/1/7#g=LETTER=", "/gifts/1/7#g=LETTER%20", "/gifts/1/7#G=LETTER",
        "/gifts/1/7##g=LETTER", "/gifts/1/7#g=LETTER\n", "/gifts/1/7#g=LETTER ", "/gifts/1/7 #g=LETTER",
        "/gifts/1/7\t#g=LETTER", "/gifts/1/7\x00#g=LETTER", "/gifts/1/7\u202e#g=LETTER",
        f"/gifts/1/{LIMITS.timelock_id + 1}#g=LETTER", f"/gifts/{'1' * 5000}/7#g=LETTER",
    ):  # fmt: skip
        with pytest.raises(ValueError) as caught:
            check_claim_link("https://gifts.example.org" + rest.replace("LETTER", G), RULES, 1, 7)
        assert G not in str(caught.value)


@given(st.text(min_size=1, max_size=3), st.integers(0, len(GOOD)))
@example("\\", 8)
@example("@", 25)
@example("\n", len(GOOD))
def test_a_link_with_anything_put_into_it_is_refused_or_still_ours(dirt: str, position: int) -> None:
    """Whatever is inserted anywhere, what comes back is a link of an allowed origin and the right path."""
    try:
        link = parse_claim_link(GOOD[:position] + dirt + GOOD[position:], RULES)
    except ValueError:
        return
    assert link.origin in RULES.origins
    assert link.url.startswith(("https://gifts.example.org/gifts/", "http://localhost:8080/gifts/"))


@given(st.text())
def test_no_text_is_taken_for_a_link(text: str) -> None:
    """Only a ValueError comes out, whatever goes in."""
    with pytest.raises(ValueError):
        parse_claim_link(text, RULES)
    with pytest.raises(ValueError):
        ServedOrigin.parse(text + "/")


def wire(**fields: Any) -> str:
    whole = {"v": 1, "to": "Ann", "from": "Bob", "note": "Hi"} | fields
    return raw(msgspec.json.encode({key: value for key, value in whole.items() if value is not None}))


def raw(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def test_a_letter_is_read_in_its_one_form_or_not_at_all() -> None:
    """Another version, missing or unknown fields, text over the limits or that misleads, base64 in another spelling."""
    for text in (
        wire(v=2),
        wire(v=0),
        wire(v="1"),
        wire(v=True),
        wire(v=None),
        wire(to=None),
        wire(note=None),
        wire(note=5),
        wire(extra="x"),
        wire(to="x" * 61),
        wire(to="https://evil.net"),
        wire(**{"from": "a\u202eb"}),
        wire(note="n" * (LIMITS.note_characters + 1)),
        wire(note="a\u202eb"),
        wire(note="a\x00b"),
        wire(note="a\rb"),
        raw(b"[]"),
        raw(b"null"),
        raw(b"{"),
        raw(b"\xff\xfe"),
        raw(b"[" * 1500),
        raw(msgspec.json.encode({"v": 1, "to": "", "from": "", "note": ""}) + b" " * LIMITS.letter_bytes),
        raw(b'{"v":1,"to":"\\ud800","from":"","note":""}'),
        wire() + "=",
        wire() + "A",
        wire()[:-1] + "\n",
        "A" * 3000,
        "",
        "\u00e4",
    ):
        with pytest.raises(ValueError):
            decode_letter(text)


def test_marks_between_letters_are_part_of_a_message_and_what_turns_the_words_around_it_is_not() -> None:
    """Keyboards and pasted texts leave marks of direction, soft hyphens, the space of Khmer and the joiners; a name
    takes only these last two. Overrides and isolates reach beyond themselves: a message could read as another one."""
    for mark in "\u200e\u200f\u061c\u00ad\u200b\u200c\u200d":
        letter = GiftLetter("Ann", "Bob", f"{mark}Hi{mark}!{mark}")
        assert decode_letter(encode_letter(letter)) == letter, ascii(mark)
    for control in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u2060":
        with pytest.raises(ValueError, match="invisible"):
            encode_letter(GiftLetter("", "", f"a{control}b"))


def test_what_cannot_be_read_cannot_be_made() -> None:
    """The limits hold in both directions."""
    for letter in (
        GiftLetter("x" * 61, "", ""),
        GiftLetter("", "", "n" * 501),
        GiftLetter("", "", "漢" * 500 + "\n" * 200),
    ):
        with pytest.raises(ValueError):
            encode_letter(letter)
    with pytest.raises(ValueError, match="too long"):
        encode_letter(GiftLetter("", "", "\U0001f381" * 450))


def test_nothing_of_a_letter_shows_when_it_is_printed() -> None:
    """A link in a traceback or a log has no names and no note."""
    link = parse_claim_link(GOOD, RULES)
    for secret in ("Zoë", "Grandma", "birthday!", G):
        assert secret not in f"{link!r} {link} {link.letter!r}"


def test_only_known_marks_of_a_query_are_kept() -> None:
    """Nothing else of a request's query reaches a redirect."""
    for query, kept in (
        ([("o", "birthday"), ("paper", "1"), ("email", "1")], LinkFlags("birthday", True, True)),
        ([("o", "a"), ("o", "b"), ("paper", "1")], LinkFlags(paper=True)),
        ([("o", "../x"), ("g", "secret"), ("next", "//evil.net")], LinkFlags()),
        ([("o", "a\r\nLocation: x"), ("paper", "1"), ("paper", "1"), ("email", "yes")], LinkFlags()),
        ([("o", "a" * 33)], LinkFlags()),
    ):
        assert read_valid_flags(query) == kept


def test_an_allowed_origin_has_to_be_one() -> None:
    """A path, credentials or a host that is not ASCII in the setting would never match, or match too much."""
    for text in (
        "gifts.example.org",
        "https://gifts.example.org/",
        "https://a@b",
        "https://b\u00fccher.example",
        "ftp://x",
        "https://x:65536",
    ):
        with pytest.raises(ValueError):
            LinkRules.from_origins([text], "gifts")


@given(text=st.from_regex(r"(?i:https?)://[a-zA-Z0-9.-]{1,20}(:[0-9]{1,5})?/?", fullmatch=True))
@example("HTTPS://Gifts.Example.org:443/")
@example("http://x:65536")
def test_what_the_settings_take_as_an_origin_is_one_of_a_link(text: str) -> None:
    """So no start fails on it."""
    try:
        (kept,) = TypeAdapter(Origins).validate_python(text)
    except ValidationError:
        return
    assert str(*LinkRules.from_origins([kept], "gifts").origins) == kept
