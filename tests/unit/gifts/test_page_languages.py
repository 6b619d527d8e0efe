"""The messages of the gift page: each language has them all, and the server's English is the catalogue's."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from typing import get_args

import pytest

from api.controllers.gift_pages import GiftNotice
from api.controllers.legacy_pages import LegacyNotice
from api.gift_page import gift_page, plain_page
from api.legacy_page import choice_page, legacy_page
from api.no_script import render_no_script
from api.problem_codes import ProblemCode
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyMembers
from reminder_worker.chain.contracts.tokens import ETHER_METADATA
from reminder_worker.chain.eip712 import TypedDataDomain
from reminder_worker.gifts.assets import PageEntry, find_occasion, load_occasions
from reminder_worker.gifts.claim_link import ClaimLink, LinkFlags, ServedOrigin
from reminder_worker.gifts.pages import GiftAsset, GiftFacts, GiftState
from reminder_worker.indexer.models import TimelockHistory
from reminder_worker.outbox.messages import Language
from reminder_worker.relay.legacy_pages import LegacyPageFacts, PageState

ROOT = Path(__file__).parents[3]
CATALOGUES = ("claim", "give", "estate", "legacy")
VARIABLE = re.compile(r"\{ \$([a-z]+) \}")
WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
FACTS = GiftFacts(
    chain_name="Ethereum",
    timelock_id=12,
    state=GiftState.CLAIMED,
    recipient="0x" + "11" * 20,
    unlock_time=1_900_000_000,
    assets=(GiftAsset(WETH, 10**17, ETHER_METADATA, True, False),),
    router="0x" + "22" * 20,
    contracts=("0x" + "22" * 20,),
    domain=TypedDataDomain("TimeLockRouter", "2", 1, "0x" + "22" * 20),
    sponsor_nonce=0,
    sponsored=True,
    now=1_800_000_000,
    explorer_url=None,
    history=TimelockHistory(sealed_at=1_700_000_000, opened_at=1_900_000_001),
    create_path="/gifts/create",
)
SPOKEN = re.compile(r'<(\w+)[^>]* data-phrase="([a-z0-9-]+)"((?: data-[a-z]+="[^"]*")*)>([^<]*)</\1>')


@cache
def read_catalogue(language: str, name: str) -> dict[str, str]:
    """Each message stands on one line."""
    found: dict[str, str] = {}
    for line in (ROOT / f"gift_page/languages/{language}/{name}.ftl").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            message = re.fullmatch(r"([a-z][a-z0-9-]*) = (\S.*)", line)
            assert message, line
            assert message[1] not in found, message[1]
            found[message[1]] = message[2]
    return found


def read_messages(language: str) -> dict[str, str]:
    """Return the messages of all catalogues. The page of a legacy says some of claim.ftl's in words of its own."""
    claim, give, estate, legacy = (read_catalogue(language, name) for name in CATALOGUES)
    assert give.keys().isdisjoint(claim.keys() | legacy.keys())
    assert estate.keys().isdisjoint(claim.keys() | give.keys() | legacy.keys())
    return legacy | estate | give | claim


def test_there_is_a_catalogue_of_each_language_a_link_can_name() -> None:
    assert {folder.name for folder in (ROOT / "gift_page/languages").iterdir()} == set(get_args(Language))


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("name", CATALOGUES)
def test_each_language_has_the_same_messages_with_the_same_variables(language: str, name: str) -> None:
    english, own = read_catalogue("en", name), read_catalogue(language, name)
    assert own.keys() == english.keys()
    assert find_variables(own) == find_variables(english)
    assert [id for id, text in own.items() if set("{}") & set(VARIABLE.sub("", text))] == []


def test_a_message_that_two_pages_say_differently_has_the_same_variables() -> None:
    claim, legacy = read_catalogue("en", "claim"), read_catalogue("en", "legacy")
    both = claim.keys() & legacy.keys()
    assert {id: find_variables(claim)[id] for id in both} == {id: find_variables(legacy)[id] for id in both}
    assert all(claim[id] != legacy[id] for id in both)


def find_variables(messages: Mapping[str, str]) -> dict[str, list[str]]:
    return {id: sorted(VARIABLE.findall(text)) for id, text in messages.items()}


def test_each_message_is_said_somewhere_and_each_that_is_said_exists() -> None:
    folders = (ROOT / "gift_page/src", ROOT / "clients/typescript/src")
    sources = [path for folder in folders for path in folder.rglob("*.ts")]
    sources += [ROOT / "api/gift_page.py", ROOT / "api/legacy_page.py"]
    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    said = set(re.findall(r'"([a-z][a-z0-9-]+)"', text))
    families = [rf"(greeting|occasion)-({'|'.join(load_occasions())})", rf"({'|'.join(load_occasions())})-[123]"]
    families += [rf"{notice.words[0]}(-[1-9])?" for notice in (*GiftNotice, *LegacyNotice)]
    families += [
        "claimed-(paper|email)(-or-named)?",
        r"sheet-(look|wait|open|keep)-words",
        "letter-(long-name|long-note|marks|hidden)",
    ]
    families += ["letter-(address|too-long)"]
    english = read_messages("en")
    assert {name for name in english.keys() - said if not re.fullmatch("|".join(families), name)} == set()
    called = set(re.findall(r'\b(?:phrase|say|around)\(\s*"([a-z0-9-]+)"', text))
    assert called - english.keys() == set()
    assert len(called) > 100


def _pages() -> Iterator[str]:
    link = ClaimLink(ServedOrigin("https", "gifts.example.org", 443), "gifts", 1, 12, LinkFlags("birthday", True, True))
    for state in GiftState:
        yield gift_page(link, replace(FACTS, state=state), find_occasion("birthday"), None, "")
    first = replace(FACTS, domain=replace(FACTS.domain, version="1"))
    yield gift_page(link, first, find_occasion("birthday"), None, "")
    yield gift_page(link, _without_history(), find_occasion("birthday"), None, "")
    for notice in (*GiftNotice, *LegacyNotice):
        yield plain_page(find_occasion(None), notice.words, "gifts", None)
    yield from _legacy_pages()


def _legacy_pages() -> Iterator[str]:
    nobody = LegacyMembers("0x" + "11" * 20, "0x" + "11" * 20, (), None, None)
    place = ("0x" + "33" * 20, nobody.creator, nobody.owner, "0x" + "22" * 20, 12, 3)
    known = LegacyFacts(*place, nobody, True, (0, 0, 0), "")
    for state in PageState:
        for is_safe in (True, False):
            for day in (1_900_000_000, None):
                facts = LegacyPageFacts(
                    chain_name="Ethereum",
                    explorer_url=None,
                    legacy=known.legacy,
                    router=known.router,
                    legacy_id=12,
                    is_safe=is_safe,
                    state=state,
                    opens_at=day,
                    second_line_at=day,
                    third_line_at=day,
                    claimed_at=1_900_000_001,
                    now=1_800_000_000,
                    claims_sponsored=True,
                    check_ins_sponsored=True,
                    known=known,
                )
                yield legacy_page(facts, 1, None, "")
    yield choice_page(1, [known.legacy], None)


def _without_history() -> GiftFacts:
    history = replace(FACTS.history, opened_at=None)
    return replace(FACTS, state=GiftState.CLAIMED, history=history)


def test_what_the_server_says_in_english_is_what_the_catalogue_says() -> None:
    """A script puts the one in the place of the other, before the eyes of who reads English."""
    english, seen = read_messages("en"), set[str]()
    for page in _pages():
        for _, name, data, text in SPOKEN.findall(page):
            values = dict(re.findall(r'data-([a-z]+)="([^"]*)"', data))
            pattern = re.escape(english[name])
            for variable in VARIABLE.findall(english[name]):
                value = ".+" if variable == "moment" else re.escape(values[variable])
                pattern = pattern.replace(re.escape(f"{{ ${variable} }}"), value)
            assert re.fullmatch(pattern, unescape(text)), (name, text)
            seen.add(name)
    assert {name for notice in GiftNotice for name in (notice.words[0], f"{notice.words[0]}-1")} <= seen
    assert {"when-open", "when-claimed", "opened-on", "sealed-until", "advice-paper", "inside"} <= seen
    assert {f"claimed-{way}{suffix}" for way in ("paper", "email") for suffix in ("", "-or-named")} <= seen
    assert {"check-paper", "check-email", "digital-money"} <= seen
    assert {f"legacy-{name}" for name in ("opens-on", "open-since", "claimed-on", "ended", "no-day", "several")} <= seen


@pytest.mark.parametrize(
    ("flags", "advice"),
    [
        (LinkFlags("birthday"), ["advice-link", "check-wallet"]),
        (LinkFlags("birthday", paper=True), ["advice-paper", "check-paper"]),
        (LinkFlags("birthday", email=True), ["advice-email", "check-email", "advice-email-moving"]),
    ],
)
def test_the_page_says_who_can_open_the_gift_and_before_its_day_what_to_check(
    flags: LinkFlags, advice: list[str]
) -> None:
    """With more than the organisation's name at its foot, it says where to ask for the app that moves the gift."""
    link = ClaimLink(ServedOrigin("https", "gifts.example.org", 443), "gifts", 1, 12, flags)
    facts = replace(FACTS, domain=TypedDataDomain("TimeLockRouter", "1", 1, FACTS.router))

    def list_advice(state: GiftState, *sender: str) -> list[str]:
        entry = PageEntry("claim.js", (), (), sender)
        page = gift_page(link, replace(facts, state=state), find_occasion("birthday"), entry, "")
        return re.findall(r'data-phrase="([^"]+)"', page.partition('<div id="advice">')[2].partition("</div>")[0])

    asked = ["ask-us"] if flags.email else []
    assert list_advice(GiftState.SEALED, "Example & Heirs") == advice
    assert list_advice(GiftState.SEALED, "Example & Heirs", "help@example.org") == [*advice, *asked]
    assert list_advice(GiftState.OPEN) == [name for name in advice if not name.startswith("check-")]


def test_the_occasions_of_the_catalogue_are_those_of_links() -> None:
    english = read_messages("en")
    for occasion in load_occasions().values():
        assert english[f"greeting-{occasion.id}"] == occasion.greeting
        assert english[f"occasion-{occasion.id}"] == occasion.name
        assert [english[f"{occasion.id}-{number}"] for number in (1, 2, 3)] == list(occasion.messages)


@pytest.mark.parametrize("language", get_args(Language))
def test_messages_to_start_from_fit_a_letter_in_each_language(language: str) -> None:
    messages = read_messages(language)
    for occasion in load_occasions():
        assert all(len(messages[f"{occasion}-{number}"].encode()) < 500 for number in (1, 2, 3))


# Their refusals are not shown: the list and the record have words of their own for each.
ANSWERED_OTHERWISE = {("get", "/timelocks"), ("get", "/stats/prices")}


def _read_modules(page: str) -> str:
    """Return the text of a page's script and of each module that it imports, also from the client."""
    sources: dict[Path, str] = {}
    awaited = [ROOT / "gift_page/src" / page, *(ROOT / "clients/typescript/src").glob("*.ts")]
    while awaited:
        path = awaited.pop()
        if path.suffix == ".ts" and path not in sources and path.exists():
            sources[path] = path.read_text(encoding="utf-8")
            awaited += [path.parent / name for name in re.findall(r'(?:from |import\()"(\./[^"]+)"', sources[path])]
    return "\n".join(sources.values())


def _read_possible_codes(page: str) -> set[str]:
    """Return the problem codes that the OpenAPI document lists for the operations that a page calls."""
    document = json.loads((ROOT / "tests/golden/openapi.json").read_text(encoding="utf-8"))
    called = set(re.findall(r'\b(?:worker|this)\.(get|post)\("(/[^"]+)"', _read_modules(page)))
    assert ("get", "/gift/{chain_id}/{timelock_id}") in called
    found = {"internal"}  # of each operation, and listed for none
    for method, path in called - ANSWERED_OTHERWISE:
        for status, response in document["paths"][path][method]["responses"].items():
            if int(status) >= 400:
                found |= set(re.findall(r"`(\w+)`", response["description"])) & set(get_args(ProblemCode))
    return found


@pytest.mark.parametrize(("page", "phrases"), [("claim.ts", "CLAIM_PROBLEMS"), ("create.ts", "GIVER_PROBLEMS")])
def test_each_problem_that_a_page_can_meet_has_a_sentence_in_each_language(page: str, phrases: str) -> None:
    """And no sentence is kept for a problem that cannot come."""
    source = (ROOT / "gift_page/src/problems.ts").read_text(encoding="utf-8")
    both, own = (source.partition(f"const {name}")[2].partition("\n}")[0] for name in ("BOTH", phrases))
    told = dict(re.findall(r'^  (\w+): "([a-z-]+)",$', f"{both}\n{own}", re.MULTILINE))
    assert told.keys() == _read_possible_codes(page)
    for language in get_args(Language):
        messages = read_messages(language)
        assert [name for name in [*told.values(), "problem-unknown"] if name not in messages] == []
        assert {name for text in map(messages.get, told.values()) for name in VARIABLE.findall(text or "")} <= {
            "wait",
            "time",
        }


def test_words_without_a_script_are_in_the_readers_language() -> None:
    """The first known one of several; all ten in short when none is known."""
    assert render_no_script("xx, de-AT;q=0.9, en").count("<p") == 1
    assert 'lang="de"' in render_no_script("xx, de-AT;q=0.9, en")
    assert 'lang="ar" dir="rtl"' in render_no_script("ar")
    assert render_no_script("").count("<p") == render_no_script("xx").count("<p") == 10
