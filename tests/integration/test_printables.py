"""The printed pages as Chromium draws them: their contents, their secrets, and codes that phones read."""

import asyncio
import json
import os
import re
import subprocess
from base64 import b64decode
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest
import pytest_asyncio
from eth_account import Account
from PIL import Image, ImageChops, ImageFilter, ImageStat
from playwright.async_api import Page, Route, async_playwright

from devnet.compile import ROOT
from reminder_worker.gifts.assets import load_occasions
from reminder_worker.gifts.claim_link import GiftLetter, encode_letter
from reminder_worker.outbox.messages import Language
from tests.integration.gift_page_browser import find_chromium
from tests.qr import qr_codes
from tests.unit.gifts.test_page_languages import read_messages

pytestmark = pytest.mark.asyncio(loop_scope="module")

ORIGIN = "http://printables.test"
KEY, OTHER_KEY = "0x" + "4f3c2a1b" * 8, "0x" + "9d8e7c60" * 8
LETTER = GiftLetter("Wilhelmina Ångström", "Grandma Zoë", "A little something, sealed for you until the day it opens.")
OPENS = datetime(2027, 12, 24, 9, tzinfo=UTC)
SEALED = datetime(2026, 11, 20, 15, 30, tzinfo=UTC)
SIZE = (1700, 2200)
SECRET, COVER, BACK = (0, 0, 1700, 728), (0, 728, 1700, 1464), (0, 1464, 1700, 2200)
PRICE = {"chainId": 1, "symbol": "ETH", "decimals": 8, "roundId": "7", "stale": False}
TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
BUILD = """
import { build } from "vite";
const [root, input, outDir] = process.argv.slice(1);
await build({ configFile: false, root, base: "./", publicDir: false, logLevel: "warn", build: {
  outDir, target: "es2022", assetsInlineLimit: 0, cssCodeSplit: false, modulePreload: { polyfill: false },
  rolldownOptions: { input, output: { entryFileNames: "driver.js", assetFileNames: "[name][extname]" } } } });
"""
RECORD_WORDS = """
window.words = [];
window.outside = [];
window.boxes = [];
const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
  window.words.push(text);
  const { width, actualBoundingBoxAscent: above, actualBoundingBoxDescent: below } = this.measureText(text);
  window.boxes.push([text, more[1] - above, more[1] + below]);
  const left = more[0] - (this.textAlign === "right" ? width : this.textAlign === "center" ? width / 2 : 0);
  if (left < 40 || left + width > this.canvas.width - 40) window.outside.push(text);
  return draw.call(this, text, ...more);
};
"""


@dataclass
class PrintStudio:
    """A page with the drawing code. `answers` are what the service says to a path with its query, a status and JSON."""

    page: Page
    files: Path
    asked: list[str] = field(default_factory=list)
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    fonts: bool = True

    async def open(self) -> None:
        await self.page.goto(f"{ORIGIN}/")
        await self.page.wait_for_function("window.printables !== undefined")

    async def draw(self, kind: str, given: dict[str, Any]) -> Image.Image:
        return Image.open(BytesIO(await self.png(kind, given)))

    async def png(self, kind: str, given: dict[str, Any]) -> bytes:
        drawn = await self._draw(kind, given)
        assert not drawn.startswith("refused"), drawn
        return b64decode(drawn)

    async def refusal(self, kind: str, given: dict[str, Any]) -> str:
        drawn = await self._draw(kind, given)
        assert drawn.startswith("refused: ")
        return drawn.removeprefix("refused: ")

    async def words(self) -> str:
        """All that was written since the last drawing began."""
        return " ".join(await self.page.evaluate("window.words"))

    async def _draw(self, kind: str, given: dict[str, Any]) -> str:
        call = """([kind, given]) => {
          window.words = [], window.outside = [], window.boxes = [];
          return printables.draw(kind, given);
        }"""
        return str(await self.page.evaluate(call, [kind, given]))

    async def serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        self.asked.append(route.request.url)
        file = self.files / path.lstrip("/")
        if path == "/":
            styles = "".join(f'<link rel="stylesheet" href="{each.name}">' for each in self.files.glob("*.css"))
            page = (
                f'<!doctype html><link rel="icon" href="data:,">{styles}<script type="module" src="driver.js"></script>'
            )
            await route.fulfill(body=page, content_type="text/html")
        elif path in self.answers:
            status, body = self.answers[path]
            await route.fulfill(status=status, json=body)
        elif not file.is_file() or (file.suffix == ".woff2" and not self.fonts):
            await route.abort()
        else:
            await route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser_page(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Page, Path]]:
    chromium, files = find_chromium(), tmp_path_factory.mktemp("printables")
    driver = ROOT / "tests" / "integration" / "printables_driver.ts"
    command = ["node", "--input-type=module", "-e", BUILD, str(ROOT), str(driver), str(files)]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("VITE_")}
    await asyncio.to_thread(subprocess.run, command, cwd=ROOT, env=environ, check=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium)
        page = await browser.new_page(timezone_id="UTC")
        await page.add_init_script(RECORD_WORDS)
        yield page, files
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def studio(browser_page: tuple[Page, Path]) -> AsyncIterator[PrintStudio]:
    page, files = browser_page
    found = PrintStudio(page, files)
    await page.unroute_all()
    await page.route("**/*", found.serve)
    await found.open()
    yield found


def sheet(occasion: str = "birthday", key: str = KEY, address: str | None = None, **letter: str) -> dict[str, Any]:
    """As `drawKeySheet` takes it; `letter` changes the letter."""
    words = {"to": LETTER.to, "giver": LETTER.giver, "note": LETTER.note} | letter
    said = GiftLetter(words["to"], words["giver"], words["note"])
    address = address or Account.from_key(key).address
    entry = f"https://gifts.example.org/gifts/for/{address}?o={occasion}&paper=1#g={encode_letter(said)}"
    groups = re.findall("....", key[2:])
    names = {"to": said.to, "from": said.giver, "opensOn": OPENS.timestamp() * 1000}
    return {"key": key, "groups": groups, "address": address, "entry": entry, "occasion": occasion, **names}


def gift_card(occasion: str = "birthday", letter: GiftLetter = LETTER) -> dict[str, Any]:
    link = f"https://gifts.example.org/gifts/1/1234?o={occasion}&paper=1#g={encode_letter(letter)}"
    said = {"to": letter.to, "from": letter.giver, "note": letter.note}
    return {"link": link, "occasion": occasion, "opensOn": OPENS.timestamp() * 1000, **said}


def record(**value: Any) -> dict[str, Any]:
    return {
        "chainName": "Ethereum",
        "chainId": 1,
        "timelockId": "1234",
        "router": "0x2B947E3c348c81409f8e8fc5ef8F65d9dFf76A42",
        "giver": Account.from_key(OTHER_KEY).address,
        "recipient": Account.from_key(KEY).address,
        "transaction": "0x" + "ab" * 32,
        "explorerUrl": "https://etherscan.io",
        "assets": [{"symbol": "ETH", "units": str(25 * 10**16), "decimals": 18}],
        "sealedAt": SEALED.timestamp() * 1000,
        "opensOn": OPENS.timestamp() * 1000,
        "to": LETTER.to,
        "from": LETTER.giver,
        "occasion": "gift",
        "value": value,
    }


def legacy(**changes: Any) -> dict[str, Any]:
    """As `drawClaimCard` and `drawEstateSheet` take it."""
    whole = {
        "chainName": "Ethereum",
        "chainId": 1,
        "router": "0x4E81E1Ed3F6684EB948F8956b8787967b1a6275b",
        "contract": "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
        "legacyId": "42",
        "isOfSafe": False,
        "explorerUrl": "https://etherscan.io/",
    }
    return whole | changes


def priced(source: str, updated: datetime = SEALED) -> dict[str, Any]:
    price = {"symbol": "ETH", "usd": "3423.50000000", "updatedAt": updated.timestamp() * 1000, "roundId": "42"}
    return record(source=source, usdCents="85588", prices=[price])


def codes(image: Image.Image) -> list[str]:
    """As a phone reads them from paper: half as fine, soft, a little askew, grey."""
    small = image.convert("L").resize((image.width // 2, image.height // 2), Image.Resampling.BILINEAR)
    seen = small.filter(ImageFilter.GaussianBlur(0.5)).rotate(1.5, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    return [each.text for each in qr_codes(seen)]


def difference(one: Image.Image, other: Image.Image) -> float:
    """Mean, over all channels, 0 to 255."""
    return max(ImageStat.Stat(ImageChops.difference(one.convert("RGB"), other.convert("RGB"))).mean)


def changed(one: Image.Image, other: Image.Image) -> tuple[int, int, int, int] | None:
    """The box of all pixels that differ."""
    return ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox()


async def test_every_occasion_has_a_sheet_and_a_card_whose_codes_are_read_from_paper(studio: PrintStudio) -> None:
    for occasion in load_occasions():
        given, shown = sheet(occasion), gift_card(occasion)
        page = await studio.draw("sheet", given)
        assert codes(page.crop(SECRET)) == [KEY]
        assert codes(page.crop(COVER)) == [given["entry"]]
        assert codes(page.crop(BACK)) == []
        assert codes(await studio.draw("card", shown)) == [shown["link"]]
    assert {url.removeprefix(ORIGIN).rpartition(".")[2] for url in studio.asked} <= {"/", "js", "css", "woff2"}


PRICES = {"de": "3.423,50", "es": "3423,50", "fr": "3\u202f423,50", "it": "3423,50", "pt": "3.423,50"}
LETTERS = {"ja": "Noto Sans JP", "ko": "Noto Sans KR", "zh-Hans": "Noto Sans SC", "ar": "Noto Sans Arabic"}


@pytest.mark.parametrize("language", get_args(Language))
async def test_each_language_is_printed_with_letters_of_its_own_within_the_page(
    studio: PrintStudio, language: str
) -> None:
    """Codes are read from paper, every line is inside the edges, and only the fonts that are needed are fetched."""
    own = read_messages(language)
    said = {"language": language}
    page = await studio.draw("sheet", sheet() | said)
    assert codes(page.crop(SECRET)) == [KEY]
    assert len(codes(page.crop(COVER))) == 1
    on_sheet, outside = await studio.words(), await studio.page.evaluate("window.outside")
    assert own["sheet-how"] in on_sheet
    assert " ".join(re.findall("....", KEY[2:])) in on_sheet
    boxes = await studio.page.evaluate("window.boxes")
    key = next(place for place, (text, *_) in enumerate(boxes) if text == KEY[2:6])
    assert boxes[key][1] - boxes[key - 1][2] >= 12, "the warning's last line stands clear of the key"
    assert codes(await studio.draw("card", gift_card() | said)) == [gift_card()["link"]]
    outside += await studio.page.evaluate("window.outside")
    assert own["greeting-birthday"] in await studio.words()
    await studio.draw("record", priced("live") | said)
    assert own["record-title"] in await studio.words()
    said_price = f"US$ {PRICES.get(language, '3,423.50')}"
    assert said_price in (await studio.words()).replace("\u2068", "")
    assert outside + await studio.page.evaluate("window.outside") == []
    fonts = await studio.page.evaluate("printables.fonts()")
    eastern = {name.strip('"').removesuffix(" Variable") for name in fonts if "Noto" in name}
    assert eastern == ({LETTERS[language]} if language in LETTERS else set())


@pytest.mark.parametrize("language", get_args(Language))
async def test_the_claim_card_and_the_estate_sheet_say_in_each_language_where_and_how_to_claim(
    studio: PrintStudio, language: str
) -> None:
    """Chain, router, contract, number and function; of a wallet and of a Safe. The code leads to the router."""
    own = read_messages(language)
    functions = ("activeLegacy(uint256 legacyId, address[] assets, bool isETH)", "activeLegacy(uint256 legacyId)")
    for kind, title in (("claim card", "estate-card-title"), ("estate sheet", "estate-title")):
        for is_of_safe, function in enumerate(functions):
            given = legacy(language=language, isOfSafe=bool(is_of_safe))
            page = await studio.draw(kind, given)
            assert codes(page) == [f"https://etherscan.io/address/{given['router']}"]
            assert page.size == SIZE
            written = await studio.page.evaluate("window.words")
            assert {own[title], given["router"], given["contract"], given["legacyId"], function} <= set(written)
            assert ("isETH" in written) is (kind == "claim card" and not is_of_safe)
            said = "".join("".join(written).split())
            day = own["estate-day-words"] if kind == "claim card" else own["estate-disclaimer"]
            call = own["estate-how-call-safe" if is_of_safe else "estate-how-call"].partition("{")[0]
            sentences = [day] if kind == "claim card" else [day, call]
            for sentence in sentences:
                assert "".join(sentence.split()) in re.sub("[\u200e\u200f]", "", said)
            assert await studio.page.evaluate("window.outside") == []
            assert max(bottom for *_, bottom in await studio.page.evaluate("window.boxes")) < SIZE[1] - 80


async def test_neither_the_owner_nor_a_person_can_be_on_the_pages_of_a_legacy(studio: PrintStudio) -> None:
    """Facts of people change no pixel. Without an explorer the code is the router's address."""
    people = {"owner": Account.from_key(KEY).address, "to": "Ada", "recipients": [Account.from_key(OTHER_KEY).address]}
    for kind in ("claim card", "estate sheet"):
        assert await studio.png(kind, legacy()) == await studio.png(kind, legacy(**people))
        assert codes(await studio.draw(kind, legacy(explorerUrl=None))) == [legacy()["router"]]


async def test_codes_have_a_margin_of_two_and_error_correction_m(studio: PrintStudio) -> None:
    for given, shown in ((sheet(), "sheet"), (gift_card(), "card")):
        page = await studio.draw(shown, given)
        assert {found.ec_level for found in qr_codes(page)} == {"M"}
    modules = await studio.page.evaluate("printables.qrModules('the same text')")
    rows = ["".join("#" if dark else "." for dark in row) for row in modules]
    assert [set(row) for row in (rows[0], rows[1], rows[-1], rows[-2])] == [{"."}] * 4
    assert rows[2].startswith("..#######.")
    assert rows[2].endswith(".#######..")


async def test_pages_are_letter_at_200_dots_an_inch(studio: PrintStudio) -> None:
    for kind, given in (("sheet", sheet()), ("card", gift_card()), ("record", record(source="none"))):
        raw = await studio.png(kind, given)
        page = Image.open(BytesIO(raw))
        assert page.size == SIZE
        assert [round(dots, 1) for dots in page.info["dpi"]] == [200.0, 200.0]
        names = [raw[start + 4 : start + 8] for start, _ in pairwise(chunk_starts(raw))]
        assert names[:2] == [b"IHDR", b"pHYs"]


def chunk_starts(raw: bytes) -> Sequence[int]:
    starts, place = [], 8
    while place < len(raw):
        starts.append(place)
        place += 12 + int.from_bytes(raw[place : place + 4])
    return [*starts, place]


async def test_the_secret_panel_is_pure_white_and_alone_carries_the_key(studio: PrintStudio) -> None:
    """Sheets of two keys with the same gift differ on the secret panel only."""
    address = Account.from_key(KEY).address
    one = await studio.draw("sheet", sheet(address=address))
    other = await studio.draw("sheet", sheet(address=address, key=OTHER_KEY))
    box = changed(one, other)
    assert box is not None
    assert box[3] < SECRET[3]
    panel = one.convert("RGB").crop(SECRET)
    colours: Any = panel.getcolors(maxcolors=panel.width * panel.height)
    counts = {colour: count for count, colour in colours}
    assert counts[(255, 255, 255)] / (panel.width * panel.height) > 0.8
    assert max(counts, key=lambda colour: counts[colour]) == (255, 255, 255)
    assert all(max(colour) - min(colour) <= 24 for colour in counts)  # ink is grey: nothing of the occasion is here
    edges = Image.new("RGB", SIZE, "white")
    edges.paste(panel.crop((60, 60, 1640, 710)), (60, 60))
    assert changed(panel, edges.crop(SECRET)) is None  # and nothing of it is where printers cut


async def test_neither_key_nor_amount_can_be_on_the_card_nor_the_key_on_the_record(studio: PrintStudio) -> None:
    """Facts of another artifact change no pixel and are written nowhere."""
    secrets = {"key": KEY, "groups": [KEY[2:6]], "amount": "98765", "units": "98765"}
    assert await studio.png("card", gift_card()) == await studio.png("card", gift_card() | secrets)
    words = await studio.words()
    assert KEY[2:6] not in words
    assert "98765" not in words
    kept = {"key": KEY, "groups": [KEY[2:6]]}
    assert await studio.png("record", priced("live")) == await studio.png("record", priced("live") | kept)
    assert KEY[2:6] not in (await studio.words()).replace(Account.from_key(KEY).address, "")


async def test_the_longest_letters_fit_the_card_and_its_code_is_read(studio: PrintStudio) -> None:
    for letter in ("W" * 500, "mmmm " * 100, "愛" * 490, "👩‍👩‍👧‍👦" * 55):
        given = gift_card(letter=GiftLetter("To" * 15, "From" * 10, letter))
        assert codes(await studio.draw("card", given)) == [given["link"]]


async def test_a_message_of_too_many_lines_is_refused_with_the_limit(studio: PrintStudio) -> None:
    most = await most_lines(studio)
    assert most >= 10
    drawn = gift_card(letter=GiftLetter("", "", "\n".join("x" * most)))
    assert codes(await studio.draw("card", drawn)) == [drawn["link"]]


async def most_lines(studio: PrintStudio) -> int:
    said = await studio.refusal("card", gift_card(letter=GiftLetter("", "", "\n".join("x" * 60))))
    (most,) = re.findall(r"holds (\d+) of them", said)
    return int(most)


async def test_a_letter_too_long_for_the_sheets_code_is_refused_with_the_limit(studio: PrintStudio) -> None:
    """To the byte: what is within the limit that is shown is read from paper, one byte more is refused."""
    given = sheet(note="")
    before = given["entry"].partition("#g=")[0] + "#g="
    room = await studio.page.evaluate("(before) => printables.roomForLetter(before)", before)
    assert room > 700
    empty = len(b64decode(given["entry"].partition("#g=")[2] + "==", altchars="-_"))
    accented = "ä" * (room - empty - 480) + "x" * (480 - (room - empty - 480))
    longest = sheet(note=accented)
    assert codes((await studio.draw("sheet", longest)).crop(COVER)) == [longest["entry"]]
    said = await studio.refusal("sheet", sheet(note=accented + "x" * 3))
    assert f"holds {room} bytes" in said


async def test_the_record_says_what_the_gift_was_worth_and_how_it_is_known(studio: PrintStudio) -> None:
    drawn = await studio.draw("record", priced("live"))
    live = await studio.words()
    assert codes(drawn) == [f"https://etherscan.io/tx/0x{'ab' * 32}"]
    assert "US$ 855.88" in live
    assert "on the same day" in live
    assert "1 ETH = US$ 3,423.50" in live
    assert "20 November 2026" in live
    assert "0.25 ETH" in live
    await studio.draw("record", priced("live", SEALED - timedelta(days=1)))
    older = await studio.words()
    assert "Price at the time of printing, of another day: 1 ETH" in older
    assert "19 November 2026" in older
    await studio.draw("record", priced("historical"))
    assert "Price recorded for that day" in await studio.words()
    await studio.draw("record", priced("historical", SEALED - timedelta(days=1)))
    older = await studio.words()
    assert "Newest price when it was sealed, of another day" in older
    assert "recorded for that day" not in older
    await studio.draw("record", record(source="none"))
    none = await studio.words()
    assert "No price source" in none
    assert "US$" not in none
    for words in (live, none):
        assert "not tax advice" in words


async def test_the_value_is_live_on_the_day_historical_later_and_none_without_a_good_price(studio: PrintStudio) -> None:
    """Never a sum of some of the assets, never a stale price."""
    said: dict[str, Any] = PRICE | {"usd": "2000.125", "updatedAt": SEALED.isoformat()}
    ether = {"symbol": "ETH", "units": str(3 * 10**17), "decimals": 18}
    past = "/stats/prices?at=2026-11-20T15%3A30%3A00.000Z"

    async def value(days: int, assets: Sequence[Any] = (ether,), chain_id: int = 1) -> str:
        moment = SEALED.timestamp() * 1000
        arguments = json.dumps([chain_id, list(assets), moment, moment + days * 86_400_000])
        return str(await studio.page.evaluate(f"printables.value(...{arguments})"))

    assert await value(0) == await value(1) == "none"  # nothing answers
    studio.answers["/stats/prices"] = (200, {"prices": [said]})
    assert await value(0) == "live 60004"  # 600.0375, a half up
    assert await value(1) == "none"
    studio.answers[past] = (200, {"prices": [said | {"usd": "1000"}]})
    assert await value(1) == "historical 30000"
    assert await value(1, [ether, ether | {"symbol": "DAI"}]) == "none"
    assert await value(1, chain_id=5) == "none"
    studio.answers[past] = (200, {"prices": [said | {"stale": True}]})
    assert await value(1) == "none"
    studio.answers[past] = (404, {"code": "not_found", "detail": "no history", "status": 404})
    assert await value(1) == "none"


async def test_price_of_another_time_gives_the_gift_no_value(studio: PrintStudio) -> None:
    """The service may have read its newest price before the chain's clock was moved."""
    sealed, assets = SEALED.timestamp() * 1000, [{"symbol": "ETH", "units": str(10**18), "decimals": 18}]
    for updated, is_known in ((0, True), (-1, True), (-3, False), (-365, False), (3, False)):
        price = PRICE | {"usd": "1000", "updatedAt": (SEALED + timedelta(days=updated)).isoformat()}
        for path in ("/stats/prices", "/stats/prices?at=2026-11-20T15%3A30%3A00.000Z"):
            studio.answers[path] = (200, {"prices": [price]})
        for days in (0, 1):  # live, historical
            arguments = [1, assets, sealed, sealed + days * 86_400_000]
            value = await studio.page.evaluate(f"printables.value(...{json.dumps(arguments)})")
            assert (value != "none") is is_known


async def test_live_price_of_another_day_is_not_used_for_a_gift_of_today(studio: PrintStudio) -> None:
    """Sealed today; the newest round is of the day before, or was written after the sealing, past midnight."""
    sealed, ether = SEALED.timestamp() * 1000, {"symbol": "ETH", "units": str(10**18), "decimals": 18}
    earlier = PRICE | {"usd": "900", "updatedAt": (SEALED - timedelta(hours=2)).isoformat()}
    studio.answers["/stats/prices?at=2026-11-20T15%3A30%3A00.000Z"] = (200, {"prices": [earlier]})
    for hours, value in ((0, "live 100000"), (-16, "historical 90000"), (9, "historical 90000")):
        live = PRICE | {"usd": "1000", "updatedAt": (SEALED + timedelta(hours=hours)).isoformat()}
        studio.answers["/stats/prices"] = (200, {"prices": [live]})
        arguments = json.dumps([1, [ether], sealed, sealed + 60_000])
        assert await studio.page.evaluate(f"printables.value(...{arguments})") == value


async def test_nothing_is_drawn_in_another_font_when_ours_does_not_come(studio: PrintStudio) -> None:
    """The fonts are there before the first word, from our own files; without them there is no page to misread."""
    await studio.draw("sheet", sheet())
    assert set(await studio.page.evaluate("printables.fonts()")) == {"Lora", "Source Sans 3", "JetBrains Mono"}
    studio.fonts = False
    await studio.open()
    assert "font" in (await studio.refusal("sheet", sheet())).lower()


async def test_a_build_without_the_switch_never_offers_gifts_to_an_email_address(studio: PrintStudio) -> None:
    """The frontend's kill switch: off unless it is on, and then the service is not even asked."""
    studio.answers["/sponsor/status"] = (200, {"giftEmail": True})
    assert await studio.page.evaluate("printables.offersEmailGifts()") is False
    assert f"{ORIGIN}/sponsor/status" not in studio.asked
