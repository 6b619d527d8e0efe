"""The page's reading of a letter beside the server's: what one side takes the other takes, and reads the same."""

import json
import subprocess
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reminder_worker.gifts.claim_link import GiftLetter, decode_letter, encode_letter
from reminder_worker.outbox.messages import Language

NAMES = (
    "Ann", "", "O'Brien-Smith Jr.", "\u0646\u200c\u0647", "x" * 60, "x" * 61, "  A   B ", "www.evil", "evil.com", "//",
    "a\u2024com", "\uff48ttps:", "J. R. R.", "Dr.No", "1.2.3.4", "a@b", "<b>", "\u202eb", "A\nB", "\U0001f600", "x.y",
    "\u00e9", "e\u0301", "data:", "tel 5", "\u017fftp:", "x.yz", "x.\u4e2d\u6587", "\u2028", "\U000e0041", "\u0378",
    "=?utf-8?q?x?=", "a=?", "\U0001fa77", "\U0001fb00", "1.2.3.4.5", "x1.2.3.4", "awww.", "_tel:", "-tel:",
    "x\u034f.yz", "x\ufe0f.yz", "x.y\u034fz", "x.\U000e0100yz", "x\u0335.yz", "a\u200cwww. B", "a" + "\u0337" * 4,
    "a" + "\u0337" * 5, "\u0f40" + "\u0f90" * 5, "\u0915\u0947.\u0928\u0930", "\u2764\ufe0f", "1\ufe0f\u20e3",
    "\U00031350", "\U00031350.\U00031350x", "x.\U0002ebf0y", "\U0003fffd" * 61, "\U0002ffff", "\U00040000",
    "x\u17b5.yz", "x.y\u180bz", "x.\u180fyz", "http\u3164:", "w\uffa0ww.", "\u1820\u180b\u182d",
    "x\u2d7f.yz", "x.\u0487yz", "x.y\u0483\u064bz", "\u0e49x.\u0e49yz", "\u04cf\u2d7f.yz", "\u1e37\u2d7f.yz",
)  # fmt: skip
WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"
NOTES = (
    "", "Hi", "two\nlines", "tab\t", "x" * 500, "x" * 501, "\u202e", "\u200d", "http://ok.example", "\x7f", "\ufeff",
    "\U0001f468\u200d", "\u20ac" * 500, "\U0001f600" * 400, "\u2029", "\ue000", "\u0378", "\u200b", "\u200e", "\u200f",
    "\u061c", "a\u00adb", "\u2060", "\u202a", "\u202c", "\u2066", "\u2069", WALES, WALES[1:], WALES[:-1], WALES * 3,
    WALES[:4] + WALES, WALES[:6] + WALES[1:], "\u206a", "\u0600",
)  # fmt: skip
# Not what our Unicode tables do not know yet: Node.js may have younger ones.
characters = st.characters(exclude_categories=["Cs", "Cn"])
names = st.sampled_from(NAMES) | st.text(characters, max_size=62)
notes = st.sampled_from(NOTES) | st.text(characters, max_size=502)
languages = st.sampled_from(get_args(Language))
letters = st.fixed_dictionaries(
    {"to": names, "from": names, "note": notes}, optional={"language": languages | st.sampled_from(["", "tlh", "EN"])}
)


def _raw(text: str) -> str:
    return urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).rstrip(b"=").decode()


odd_values: st.SearchStrategy[object] = st.sampled_from([1, 2, 1.5, True, None, "1", [], {}])
odd = st.dictionaries(
    st.sampled_from(["v", "to", "from", "note", "language", "more", "V"]), odd_values | names, max_size=6
) | st.builds(lambda letter, v: {"v": v, **letter}, letters, odd_values)
fragments = (
    st.builds(lambda value: _raw(json.dumps(value, ensure_ascii=False)), odd)
    | st.builds(lambda letter: _raw(json.dumps({"v": 1, **letter}, ensure_ascii=True)), letters)
    | st.builds(lambda letter, cut: _raw(json.dumps({"v": 1, **letter}))[:-cut], letters, st.integers(1, 9))
    | st.builds(lambda raw: urlsafe_b64encode(raw).rstrip(b"=").decode(), st.binary(max_size=80))
    | st.text(alphabet="ABCdef019-_=+/ %.", max_size=40)
)


class LinkPage:
    """The page's own module in Node.js."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, given: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(given), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


@pytest.fixture(scope="module")
def page() -> Iterator[LinkPage]:
    command = ["node_modules/.bin/tsx", "tests/integration/link_driver.ts"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield LinkPage(process)
        assert process.stdin is not None
        process.stdin.close()


def _server_reads(fragment: str) -> dict[str, str] | None:
    try:
        letter = decode_letter(fragment)
    except ValueError:
        return None
    told = {"to": letter.to, "from": letter.giver, "note": letter.note}
    return told | ({} if letter.language is None else {"language": letter.language})


@given(fragment=fragments)
@example(fragment=_raw('{"v":1,"to":"A","from":"B","note":"C"}') + "=")
@example(fragment=_raw('{"v":1,"to":"A","from":"B","note":"C"}')[:-1] + "1")  # bits behind its end
@example(fragment=_raw('{"v":1,"to":"A","from":"B","note":"\\ud800"}'))
@example(fragment=_raw('\ufeff{"v":1,"to":"A","from":"B","note":"C"}'))
@example(fragment=_raw('{"v":1,"to":"A","from":"B","note":"C","__proto__":1}'))
@example(fragment=_raw('{"v":1,"to":"","from":"","note":"\\ud83d\\u200d\\ude00"}'))
@example(fragment=_raw('{"v":1,"to":"\\ud83d\\u200d\\ude00","from":"","note":""}'))
@example(fragment="A" * 2135)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_sides_read_the_same_letters(page: LinkPage, fragment: str) -> None:
    """Page and server read well-formed, odd, cut and random fragments alike."""
    assert page.ask(fragment) == _server_reads(fragment)


def test_each_of_our_odd_names_is_taken_by_both_or_by_none(page: LinkPage) -> None:
    for name in NAMES:
        fragment = _raw(json.dumps({"v": 1, "to": name, "from": "", "note": ""}))
        assert page.ask(fragment) == _server_reads(fragment), ascii(name)


def test_each_of_our_odd_messages_is_taken_by_both_or_by_none(page: LinkPage) -> None:
    for note in NOTES:
        fragment = _raw(json.dumps({"v": 1, "to": "", "from": "", "note": note}))
        assert page.ask(fragment) == _server_reads(fragment), ascii(note)


def test_an_emoji_that_is_younger_than_our_tables_or_a_phones_is_part_of_a_name(page: LinkPage) -> None:
    """Else the letter of a new phone would be damaged on an old one, and its gift could never be told of by email."""
    for emoji in ("\U0001fa77", "\U0001faff"):  # of 2022, and of some later year
        letter = {"to": f"Mum {emoji}", "from": emoji, "note": ""}
        written = page.ask(letter)
        assert page.ask(written) == _server_reads(written) == letter


def test_an_ideograph_that_is_younger_than_our_tables_is_part_of_a_name(page: LinkPage) -> None:
    """Two planes hold nothing else. Page and server refuse a name with them that reads like an address."""
    for ideograph in ("\U00031350", "\U000323b0", "\U0003fffd"):  # of 2022, of 2025, and of some later year
        letter = {"to": f"王{ideograph}明", "from": ideograph, "note": ""}
        written = page.ask(letter)
        assert page.ask(written) == _server_reads(written) == letter
        assert page.ask(letter | {"from": f"x.{ideograph * 2}"}) is None
        assert _server_reads(_raw(json.dumps({"v": 1, **letter, "from": f"x.{ideograph * 2}"}))) is None


@given(letter=st.fixed_dictionaries({"to": names, "from": names, "note": notes}, optional={"language": languages}))
@example(letter={"to": "Anna =?utf-8?q?x?=", "from": "", "note": ""})
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_sides_write_the_same_letters(page: LinkPage, letter: dict[str, Any]) -> None:
    """Byte for byte, or both refuse."""
    try:
        written = encode_letter(GiftLetter(letter["to"], letter["from"], letter["note"], letter.get("language")))
    except ValueError:
        written = None
    assert page.ask(letter) == written


def test_a_letter_without_a_language_is_written_as_it_ever_was(page: LinkPage) -> None:
    """Links on paper are compared and scanned for years."""
    letter = {"to": "A", "from": "B", "note": "C"}
    written = _raw('{"v":1,"to":"A","from":"B","note":"C"}')
    assert page.ask(letter) == written == encode_letter(GiftLetter("A", "B", "C"))
