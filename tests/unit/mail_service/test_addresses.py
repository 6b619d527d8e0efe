"""Addresses, the hashes that stand for them, and headers."""

import email
import email.policy
import re
from email.header import decode_header, make_header
from email.utils import getaddresses
from unicodedata import bidirectional

import pytest

from mail_service.addresses import AddressHasher, parse_address
from mail_service.errors import MailProblem
from mail_service.rendering import RenderedEmail, check_display_name, compose_message

HASHER = AddressHasher(bytes(32))
LONGEST = f"{'a' * 59}@{'b' * 60}.{'c' * 60}.{'d' * 60}.example.org"  # 254 characters: RFC 3696, erratum 1690


def test_one_person_is_one_address() -> None:
    for text, delivered, normalised in (
        (" Anna.Example@Example.ORG ", "Anna.Example@example.org", "anna.example@example.org"),
        ("zoe\u0308@EXÄMPLE.org", "zoë@xn--exmple-cua.org", "zoë@xn--exmple-cua.org"),
        ("a+b@sub.example.org", "a+b@sub.example.org", "a+b@sub.example.org"),
        ("a@\uff45xample\u3002org", "a@example.org", "a@example.org"),  # as keyboards set to wide letters write it
        (LONGEST, LONGEST, LONGEST),
    ):
        address = parse_address(text)
        assert (str(address), address.suppression_form) == (delivered, normalised)


def test_what_is_no_address_is_refused_without_repeating_it() -> None:
    for text in (
        "", "anna", "@example.org", "anna@", "anna@localhost", "an na@example.org", "anna@exa mple.org",
        "anna@example.org\r\nBcc: x@example.org", "anna\n@example.org", "<anna@example.org>", "a@b@example.org",
        ".anna@example.org", "anna@-example.org", "anna@example..org", "anna@example.org.", "anna@192.0.2.1",
        f"{'a' * 65}@example.org", f"{'ä' * 33}@example.org", f"a@{'a.' * 130}org", f"a{LONGEST}",
        '"anna"@example.org', "anna,bob@example.org", "=?utf-8?q?a=0d=0abcc=3ax=40example.org?=@example.org",
        "anna@=?utf-8?q?a=0d=0ab?=.org",
    ):  # fmt: skip
        with pytest.raises(MailProblem) as caught:
            parse_address(text)
        assert (caught.value.status, caught.value.code) == (422, "bad_address")
        assert not text or text not in caught.value.detail


def test_a_token_is_ours_and_for_one_address_and_its_key_is_not_in_a_repr() -> None:
    token = HASHER.make_unsubscribe_token(parse_address("Anna@example.org"))
    assert HASHER.read_unsubscribe_token(token) == HASHER.hash_address(parse_address("anna@Example.org"))
    assert AddressHasher(bytes(31) + b"x").read_unsubscribe_token(token) is None
    for place in range(0, len(token), 7):
        changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        assert HASHER.read_unsubscribe_token(changed) is None
    for rubbish in ("", "A", "é", "AAAA", "=" * 64, "A" * 1000):
        assert HASHER.read_unsubscribe_token(rubbish) is None
    assert repr(HASHER) == "Hasher(***)"


def test_a_name_unfit_for_a_header_is_refused() -> None:
    for name in (
        "a\r\nBcc: x@example.org", "a\nb", "a\n", "a\0", "a\u2028b", "https://evil.example",
        "https:\u200e//evil.example", "x" * 121,
    ):  # fmt: skip
        with pytest.raises(MailProblem) as caught:
            check_display_name(name)
        assert caught.value.status == 400


def test_no_name_turns_the_words_around_it_and_the_longest_is_taken() -> None:
    """All characters with Unicode's property Bidi_Control."""
    kinds = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    turning = [each for each in map(chr, range(0x11000)) if bidirectional(each) in kinds]
    assert check_display_name("A" + "".join([*turning, "\u061c", "\u200e", "\u200f"]) + "b") == "Ab"
    assert check_display_name("x" * 120) == "x" * 120


@pytest.mark.parametrize("subject", ["Your gift is waiting", "word " * 30 + "end", "=?utf-8?q?evil?=", "Zoë", "a\x7fb"])
def test_a_subject_is_read_as_it_was_written(subject: str) -> None:
    address = parse_address("anna@example.net")
    content = compose_message(
        sender=("", address),
        recipient=("", address),
        message_id="<1@example.org>",
        rendered=RenderedEmail(subject, "", ""),
        unsubscribe_url=None,
    )
    read = str(make_header(decode_header(email.message_from_bytes(content)["Subject"])))
    assert "".join(read.splitlines()) == subject
    is_plain = subject.replace(" ", "").isalpha() and subject.isascii()
    assert (b"Subject: =?" in content) != is_plain, "a filter reads what needs no encoding"


def test_any_name_gives_one_recipient() -> None:
    """With any name, a mail program reads one mailbox: the given address with this name."""
    for name in (
        "",
        "Anna Example",
        'Anna "Bobby" Example',
        "Example, Anna <evil@evil.example>",
        "Zoë Müller",
        "山田 太郎",
        "Anna (comment) \\ ; : [x]",
        "é" * 60,
        "=?utf-8?q?evil?=",
        "\\" * 27 + ', "Bank" <boss@bank.example>,',
        f"{'Anna' * 17}, boss@bank.example",
        f"{'é' * 70}, boss@bank.example",
        f'Zoë {chr(34) * 30}, "Bank" <boss@bank.example>',
        "Anna" * 30,
    ):
        for address in ("anna@example.net", "zoë@example.net"):
            content = compose_message(
                sender=("Reminders", parse_address("reminders@example.org")),
                recipient=(name, parse_address(address)),
                message_id="<1@example.org>",
                rendered=RenderedEmail("Subject", "<p>é</p>\n.\n", "é\n.\n..\n"),
                unsubscribe_url=f"https://mail.example.org/unsubscribe/{'A' * 64}",
            )
            assert b"\n" not in content.replace(b"\r\n", b"")
            assert content.replace(address.encode(), b"").isascii()
            assert all(len(line) <= 78 for line in content.partition(b"List-Unsubscribe")[0].splitlines())
            message = email.message_from_bytes(content, policy=email.policy.SMTPUTF8)
            assert len(message["To"].addresses) == 1
            to = re.search(rb"^To: (.*?)\r\n\S", content, re.DOTALL | re.MULTILINE)
            assert to is not None
            [(said, mailbox)] = getaddresses([to[1].decode()])
            assert (str(make_header(decode_header(said))), mailbox) == (name, address)
            assert message["List-Unsubscribe"] == f"<https://mail.example.org/unsubscribe/{'A' * 64}>"
            assert message["Bcc"] is None
            assert message.defects == []
            text = message.get_body(("plain",))
            assert text is not None
            assert text.get_content().replace("\r\n", "\n") == "é\n.\n..\n"


def test_what_an_encoded_word_hides_comes_out_in_no_header() -> None:
    """`email` would decode it while writing: a line break in a name would begin another header, or the body."""
    for hidden in ("a=0D=0ABcc=3A_x=40example.org", "a=0D=0A=0D=0AAnother_body", "=00", "=22_=3Cx=3E,"):
        for recipient in ("anna@example.org", "zoë@example.org"):
            word = f"=?utf-8?q?{hidden}?="
            for name in (word, f"Anna {word}", f"={word}", f'"{word}', f"==??utf-8?q?{hidden}?="):
                raw = compose_message(
                    sender=("Reminders", parse_address("reminders@example.org")),
                    recipient=(check_display_name(name), parse_address(recipient)),
                    message_id="<x@example.org>",
                    rendered=RenderedEmail(f"Subject {word}", "<p>html</p>\n", "text\n"),
                    unsubscribe_url=None,
                )
                headers = raw.partition(b"\r\n\r\n")[0]
                lines = headers.replace(b"\r\n ", b" ").split(b"\r\n")
                assert [line.partition(b":")[0].decode() for line in lines] == [
                    *("From", "To", "Subject", "Message-ID", "Date", "Auto-Submitted", "MIME-Version", "Content-Type")
                ]
                assert not set(b"".join(lines)) & {*b"\r\n\0"}
                assert lines[1].count(b"<") == 1
