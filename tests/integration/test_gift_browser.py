"""A recipient's browser on the gift pages: the letter in the fragment arrives, and no request ever carries it."""

import json
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.gifts.claim_link import Letter, decode_letter, encode_letter
from reminder_worker.gifts.occasions import card_name
from tests.integration.api_world import World, open_world
from tests.integration.browser import Recorder, browse, find_chromium
from tests.integration.gift_page_world import build_gift_page

HOST = "gifts.example.org"
ORIGIN = f"http://{HOST}"
LETTER = Letter("Canary Quintessa", "Grandma Zzyzx", "Sealed words, for your eyes only")


@pytest.fixture(autouse=True)
def chromium() -> str:
    return find_chromium()


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[World]:
    build_gift_page()
    async with open_world(chain_scenario, engine, GIFT_ORIGINS=ORIGIN, GIFT_PREFIX="sealed") as opened:
        yield opened


async def test_the_letter_arrives_through_the_redirect_and_no_request_carries_it(world: World) -> None:
    """From the sheet's address to the gift's page: the browser keeps the fragment, and every byte it sent has none."""
    scenario, ada = world.scenario, world.scenario.account("ada")
    gift = scenario.create_gift(scenario.account("giver"), ada.address, eth=1)
    await world.parts.chain_indexes[world.chain_id].advance()
    fragment = f"g={encode_letter(LETTER)}"
    recorder = Recorder(HOST, urlsplit(world.url).port or 0)
    async with recorder.serve() as proxy, browse(proxy) as tab:
        await tab.visit(f"{ORIGIN}/sealed/for/{ada.address}?o=birthday&paper=1&drop=this#{fragment}")
        arrived = await tab.value("location.href")
        heading = await tab.value("document.querySelector('h1').textContent")
        shown = await tab.value("document.querySelector('img').naturalWidth")
        styled = await tab.value("getComputedStyle(document.querySelector('article')).overflow")
        page = f"{ORIGIN}/sealed/{world.chain_id}/{gift}?o=birthday&paper=1"
        assert arrived == f"{page}#{fragment}"
        assert decode_letter(arrived.partition("#g=")[2]) == LETTER
        assert (heading, shown, styled) == (f"Happy birthday, {LETTER.to}", 1200, "hidden")

        lines = [request.split(b"\r\n")[0].decode() for request in recorder.requests]
        asked = [line.split()[1] for line in lines if HOST in line]  # others are the browser's own, and refused
        image = f"{ORIGIN}/sealed/cards/{card_name('birthday')}"
        entry = f"{ORIGIN}/sealed/for/{ada.address}?o=birthday&paper=1&drop=this"
        files = [url for url in asked if url.startswith(f"{ORIGIN}/sealed/assets/")]
        assert asked[:2] == [entry, page]
        assert sorted(asked) == sorted([entry, page, image, *files])
        sent = b"".join(recorder.requests).decode("latin-1")
        seen = [event["request"] for event in tab.told("Network.requestWillBeSent")]
        for request in seen:  # DevTools tells the fragment beside the request: what is sent has none
            request.pop("urlFragment", None)
        assert {request["url"] for request in seen} == {entry, page, image, *files}
        for carried in (sent, json.dumps(seen), json.dumps(tab.told("Network.requestWillBeSentExtraInfo"))):
            for secret in (fragment, fragment[2:22], fragment[-20:], "#", "%23", "Canary", "Zzyzx", "Sealed words"):
                assert secret not in carried
        assert "\r\nreferer:" not in sent.lower()
        assert tab.told("Log.entryAdded") == []  # nothing was refused by the page's policy


async def test_the_record_would_show_a_fragment_that_is_sent(world: World) -> None:
    """The same words in the query are on the record: its silence about the fragment means something."""
    recorder = Recorder(HOST, urlsplit(world.url).port or 0)
    async with recorder.serve() as proxy, browse(proxy) as tab:
        await tab.visit(f"{ORIGIN}/sealed/for/nobody?g={encode_letter(LETTER)}")
        assert await tab.value("document.querySelector('h1').textContent") == "No gift was found for this sheet"
    assert encode_letter(LETTER) in b"".join(recorder.requests).decode("latin-1")
