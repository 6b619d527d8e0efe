"""Promises of the one normal form of emails and of the rules for names."""

from unicodedata import category

import idna
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail_service.addresses import parse_address
from mail_service.rendering import check_display_name
from reminder_worker.privacy.emails import check_mailed_name, check_name, normalise_email

INVISIBLE = (
    "\r", "\n", "\t", "\0", "\x1b", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\x85", "\ue000", "\ud800",
)  # fmt: skip


def test_the_normal_form() -> None:
    for typed, normal in (
        ("  Anna@Example.ORG ", "anna@example.org"),
        ("anna+gift@example.org", "anna+gift@example.org"),
        ("ANNA@Bücher.example", "anna@xn--bcher-kva.example"),
        ("anna@xn--bcher-kva.example", "anna@xn--bcher-kva.example"),
        ("anna@faß.example", "anna@xn--fa-hia.example"),
        ("a\u0308nna@example.org", "\u00e4nna@example.org"),
        ("J\u030can@example.org", "\u01f0an@example.org"),  # composed in lower case only
        ("anna@\uff45xample\uff0eorg", "anna@example.org"),
        ("用户@例え.テスト", "用户@xn--r8jz45g.xn--zckzah"),
        ("o'brien@example.co.uk", "o'brien@example.co.uk"),
    ):
        assert normalise_email(typed) == normal


def test_what_is_no_single_deliverable_address_is_refused() -> None:
    for text in (
        "", "@", "anna", "anna@", "@example.org", "anna@localhost", "anna@127.0.0.1", "anna@[127.0.0.1]", "anna@[::1]",
        "anna@example..org", "anna@-example.org", "anna@example.org.", "anna@exa_mple.org", "anna@exam ple.org",
        "an na@example.org", ".anna@example.org", "anna.@example.org", "an..na@example.org", '"anna"@example.org',
        "anna@example.org, bob@example.org", "anna@example.org;bob@example.org", "Anna <anna@example.org>",
        "anna@b@example.org", "a" * 65 + "@example.org", "a@" + "b" * 64 + ".org", "a@" + "b.c" * 90 + ".org",
        "anna@example.org\r\nBcc: bob@example.org", "anna@exam\u200bple.org", "(x)anna@example.org", "anna@example.123",
        "=?utf-8?q?a=0d=0abcc=3ax?=@example.org", "ä" * 33 + "@example.org",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"^(is|has|holds) "):
            normalise_email(text)


def test_the_longest_address_that_fits() -> None:
    longest = "a" * 64 + "@" + ".".join(["b" * 61] * 3) + ".org"
    assert len(longest) == 254
    assert normalise_email(longest) == longest
    with pytest.raises(ValueError, match="too long"):
        normalise_email(longest[:64] + "@c" + longest[65:])


@given(
    st.one_of(st.emails(), st.text(max_size=80), st.tuples(st.text(max_size=40), st.text(max_size=40)).map("@".join))
)
def test_any_text_is_refused_or_brought_to_one_normal_form(text: str) -> None:
    """The form is a fixed point, holds nothing invisible, and the mail service takes it."""
    try:
        normal = normalise_email(text)
    except ValueError:
        return
    assert normalise_email(normal) == normal
    assert normal.count("@") == 1
    assert not any(character.isspace() or category(character)[0] in "CZ" for character in normal)
    assert str(parse_address(normal)) == normal


def test_names_people_have_are_kept() -> None:
    for typed, kept in (
        ("", ""),
        ("  Anna   Maria ", "Anna Maria"),
        ("J. R. R. Tolkien", "J. R. R. Tolkien"),
        ("O'Brien, Jr.", "O'Brien, Jr."),
        ("a\u0308", "\u00e4"),
        ("Müller-Lüdenscheidt (Papa)", "Müller-Lüdenscheidt (Papa)"),
        ("علی‌رضا", "علی‌رضا"),
        ("👩‍👧 Mum", "👩‍👧 Mum"),
        ("x" * 60, "x" * 60),
    ):
        assert check_name(typed) == kept


def test_names_of_many_scripts_are_kept() -> None:
    for name in (
        "John Smith 3rd", "Dr. No", "St. John", "Anna-Maria O'Neill Jr.", "J.R.R. Tolkien", "X Æ A-12", "Louis XIV",
        "Mr. T", "Prof. Dr. h. c. Ångström", "María-José Núñez y Ñ.", "Nguyễn Thị Minh Khai", "Владимир Вл. Маяковский",
        "Μαρία Π.", "محمد بن عبد الله", "דוד בן־גוריון", "प्रिया श्रीवास्तव", "তাহমিনা", "ஜெ. ஜெயலலிதா", "สมชาย ใจดี",
        "王小明", "相続 人", "김철수", "ქეთევან", "Հայկ", "አበበ", "The class of 1998", "Grandma & Grandpa, 2026",
        "…and all of us", "Bob (1. FC Köln)", "50/50 Ltd.", "Anna & Bob, 14.06.2025",
        "के.नरसिम्हा", "के.भारती", "டி.இந்திரா", "பி.சிதம்பரம்", "พ.ต.ท.ทักษิณ",
        "葛\U000e0100城", "❤\ufe0f Mum", "שָׁלוֹם", "ที่รัก", "ᠮᠠᠨ\u180b",
    ):  # fmt: skip
        assert check_mailed_name(name) == name


def test_names_that_call_a_reader_elsewhere_are_not_mailed() -> None:
    """A gift link may show such a name: the giver sends the link, not our service."""
    for name in (
        "evil .com/claim", "bit .ly/x", "evil\u2800.com", "evil\u00a0\uff0ecom", "evil .\u200dcom",
        "i\u2764\ufe0f.ws", "\U0001f600.com", "ดี.ไทย", "मे.com", "শ্রী.com", "ဦး.com", "ភ្នំ.com", "مُحَمَّدٌ.com", "राम .भारत",
        "PayPal Support +1 (888) 555-0199 call now re: $499", "call 0800 555 01", "\uff18\uff18\uff18 555 019",
        "\u0661" * 9, "\u2460" * 9, "\u277a" * 9,
    ):  # fmt: skip
        assert check_name(name)
        with pytest.raises(ValueError, match="reads as a"):
            check_mailed_name(name)


def test_a_web_address_of_any_script_that_has_top_level_domains_is_not_mailed() -> None:
    for domain in (
        "xn--11b4c3d", "xn--2scrj9c", "xn--3hcrj9c", "xn--42c2d9a", "xn--45br5cyl", "xn--45brj9c", "xn--54b7fta0cc",
        "xn--c2br7g", "xn--clchc0ea0b2g2a9gcd", "xn--fpcrj9c3d", "xn--fzc2c9e2c", "xn--gecrj9c", "xn--h2breg3eve",
        "xn--h2brj9c", "xn--h2brj9c8c", "xn--i1b6b1a6a2e", "xn--o3cw4h", "xn--q7ce6a", "xn--rvc1e0am3e",
        "xn--s9brj9c", "xn--xkc2al3hye2a", "xn--xkc2dl3a5ee0h", "xn--90ais", "xn--p1ai", "xn--qxam", "xn--y9a3aq",
        "xn--node", "xn--mgbbh1a71e", "xn--wgbh1c", "xn--4dbrk0ce", "xn--3e0b707e", "xn--fiqs8s", "xn--tckwe",
    ):  # fmt: skip
        label = idna.decode(domain)
        for name in (f"example.{label}", f"{label}.{label}", f"{label} {label}\uff0e{label}/x"):
            with pytest.raises(ValueError, match="web or email address"):
                check_mailed_name(name)


def test_a_family_name_that_is_a_top_level_domain_needs_a_space_before_it() -> None:
    """Directly after an initial, the name is a domain open to registration."""
    assert check_mailed_name("के. भारत") == "के. भारत"
    with pytest.raises(ValueError, match="web or email address"):
        check_mailed_name("के.भारत")


def test_of_what_our_tables_do_not_know_only_younger_ideographs_are_kept() -> None:
    """Ideographs of 2022, 2023, 2025 and a later year: Unicode reserves two planes, and most are parts of names."""
    for ideograph in "\U00031350\U0002ebf0\U000323b0\U0003fffd":
        assert check_mailed_name(f"王{ideograph}明") == f"王{ideograph}明"
    for character in "\u0378\U0001ffff\U000e0fff\U0002fffe\U00040000":
        with pytest.raises(ValueError, match="invisible"):
            check_name(f"Anna {character}")


def test_names_that_read_as_addresses_are_refused() -> None:
    for text in (
        "x" * 61, "https://evil.example", "evil.example", "see WWW.evil", "evil。example", "ev\uff49l\uff0ecom",
        "ev\u200dil.\u200dcom", "me\uff20home", "http\uff1ax",
        "mailto:x", "javascript:alert(1)", "me@home", "10.0.0.1", "//evil", "\\\\evil", "http : //x", "tel:123",
        "xn--.xn--p1ai", "evil\u034f.com", "evil\ufe0f.com", "evil.c\u034fom", "evil.\U000e0100com", "evil\u0335.com",
        "a\u200cwww. Bob", "evil\u17b4.com", "evil.\u17b5com", "evil.c\u180bom", "evil\u180f.com", "w\u115fww. Bob",
        "http\u3164: x", "evil\u2d7f.com", "evil.\u0487com", "evil.c\u0483\u064bom", "w\u0e49ww. Bob",
        "\u0435\u0432\u0456\u04cf\u2d7f.com",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"^(is|reads) "):
            check_name(text)


def test_a_name_whose_marks_would_cover_the_lines_around_it_is_refused() -> None:
    for mark in ("\u0337", "\u034f", "\u0300\u0489", "\u0e49"):
        with pytest.raises(ValueError, match="piles"):
            check_name(f"Anna{mark * 5}")


@pytest.mark.parametrize("character", INVISIBLE)
def test_invisible_characters_are_refused_everywhere(character: str) -> None:
    for place in (f"An{character}na", f"Anna{character}", f"{character}Anna"):
        with pytest.raises(ValueError, match="invisible"):
            check_name(place)
        with pytest.raises(ValueError, match="invisible"):
            normalise_email(place + "@example.org")


@given(st.text(max_size=80))
def test_any_name_that_is_kept_is_a_fixed_point_and_fit_for_the_mail_service(text: str) -> None:
    try:
        name = check_name(text)
    except ValueError:
        return
    assert check_name(name) == name
    assert check_display_name(name) is not None
