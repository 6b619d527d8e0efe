"""Claim links beside the URL parser that browsers have (WHATWG, as in Node.js): what we accept opens where we think."""

import json
import subprocess
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reminder_worker.gifts.claim_link import GiftLetter, LinkRules, encode_letter, parse_claim_link

RULES = LinkRules.from_origins(["https://gifts.example.org", "http://localhost:8080"], "gifts")
ORIGINS = {"https://gifts.example.org", "http://localhost:8080"}
G = encode_letter(GiftLetter("Ann", "Bob", "Hi"))
PARSER = """
require("node:readline").createInterface({input: process.stdin}).on("line", line => {
  try {
    const u = new URL(JSON.parse(line));
    console.log(JSON.stringify([u.origin, u.username + u.password, u.pathname, u.search, u.hash]));
  } catch { console.log("null"); }
});
"""
PARTS = (
    "https://", "http://", "HTTPS://", "https:", "//", "/", "\\", "\\\\", "@", ":", "?", "#", "&", "=", ".", "..", ";",
    "gifts.example.org", "Gifts.Example.ORG", "localhost", "evil.net", "gifts.example.org.", "g\u0456fts.example.org",
    "user:pass@", ":443", ":8080", ":80", ":", "%2f", "%5c", "%40", "%23", "%3f", "%00", "%0a", "\t", "\n", "\r", "\0",
    " ", "\u3002", "\uff0f", "\u2044", "\u202e", "\u00ad", "\ufeff", "\u017f", "[::1]", "127.1", "gifts", "GIFTS", "1",
    "7", "01", "/gifts/1/7", "?o=birthday", "paper=1", "email=1", "o=eid", "#g=", "g=", G, G[:8],
)  # fmt: skip
whole = st.builds(
    "{}{}/gifts/1/7{}#g={}".format,
    st.sampled_from(["https://", "http://", "hTTps://", "https:", "https:\\\\", "//"]),
    st.lists(st.sampled_from(["gifts.example.org", "localhost:8080", "@", ":443", "evil.net", ".", "\\", "%40"]),
             min_size=1, max_size=4).map("".join),
    st.sampled_from(["", "?o=eid", "?paper=1", "?o=eid&email=1", "?x=1", "?o=eid&o=eid", "/..", "%2f"]),
    st.sampled_from([G, G + "#g=" + G, G + "\n", ""]),
)  # fmt: skip
links = whole | st.lists(st.sampled_from(PARTS), max_size=10).map("".join)


@pytest.fixture(scope="module")
def browser_rules() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(["node", "-e", PARSER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@given(text=links)
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_accepted_opens_an_allowed_origin_in_every_browser(
    browser_rules: subprocess.Popen[str], text: str
) -> None:
    """Origin, no credentials, the path, the query and the fragment: a browser reads what we read."""
    try:
        link = parse_claim_link(text, RULES)
    except ValueError:
        return
    assert browser_rules.stdin is not None
    assert browser_rules.stdout is not None
    for url in (text, link.url):
        print(json.dumps(url), file=browser_rules.stdin, flush=True)
        origin, credentials, path, query, fragment = json.loads(browser_rules.stdout.readline())
        assert origin == str(link.origin)
        assert origin in ORIGINS
        assert credentials == ""
        assert path == f"/gifts/{link.chain_id}/{link.timelock_id}"
        assert sorted(query.lstrip("?").split("&")) == sorted(link.marks.format_query().lstrip("?").split("&"))
        assert fragment.startswith("#g=")
        assert quote(fragment, safe="#=") == fragment
