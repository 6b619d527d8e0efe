"""The page that answers for the number of an email. It never says that an email is real: a copy can carry a number."""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Literal

from babel.dates import format_date
from litestar import Response

from api.email_page_words import WORDS, PageWords
from api.languages import find_language
from reminder_worker.monitoring.email_numbers import WrittenEmail

_TAGS = {"zh": "zh-Hans"}
_SCRIPT = (
    'const number=location.hash.slice(1);if(number){document.getElementById("number").value=number.slice(0,40);'
    'history.replaceState(null,"",location.pathname)}'
)
_STYLE = """
:root{color-scheme:light dark;--page:#f2f4f5;--card:#fff;--ink:#17212b;--soft:#56616d;--rule:#7b858f;--accent:#14655f;
--on:#fff}
@media(prefers-color-scheme:dark){:root{--page:#10151a;--card:#1a2128;--ink:#e9edf1;--soft:#a9b4bf;--rule:#8b969f;
--accent:#6cc9c0;--on:#06201e}}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem 1rem;background:var(--page);color:var(--ink);font:1.0625rem/1.6 system-ui,sans-serif;
overflow-wrap:anywhere}
main{max-width:32rem;margin:0 auto;padding:1.5rem 1.25rem;background:var(--card);border-radius:.75rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.3}p{margin:0 0 1rem}.found{font-weight:600}
label{display:block;margin:0 0 .25rem}input,button{font:inherit;min-height:3rem;border-radius:.5rem;width:100%}
input{padding:.5rem .75rem;border:1px solid var(--rule);background:var(--card);color:var(--ink)}
button{margin:.75rem 0 1rem;border:0;background:var(--accent);color:var(--on);font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
ul{margin:0 0 1rem;padding-inline-start:1.25rem}
footer{max-width:32rem;margin:1rem auto 0;color:var(--soft);font-size:.9rem;text-align:center}
"""


def _hash_source(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; script-src {_hash_source(_SCRIPT)}; style-src {_hash_source(_STYLE)}; img-src data:; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Language",
}


def choose_language(header: str) -> str:
    """Return the first language of an Accept-Language header that the page has, otherwise English."""
    return find_language(header[:300], WORDS) or "en"


def email_page(
    language: str,
    answer: Literal["ask", "unknown", "limited", "later"] | WrittenEmail,
    links: Sequence[str],
    sender: Sequence[str],
    status: int = 200,
) -> Response[str]:
    """Return the page.

    `links`: all addresses that our emails link to, or none if not all are known. `sender`: lines about the
    organisation.
    """
    words, tag = WORDS[language], _TAGS.get(language, language)
    direction = "rtl" if language == "ar" else "ltr"
    page = (
        f'<!doctype html><html lang="{tag}" dir="{direction}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">'
        f'<title>{escape(words.title)}</title><link rel="icon" href="data:,"><style>{_STYLE}</style></head><body><main>'
        f"<h1>{escape(words.title)}</h1>{_render_answer(words, language, answer)}"
        f"{_render_links(words, links)}<form method=post>"
        f'<label for="number">{escape(words.label)}</label><input id="number" name="number" required maxlength="40" '
        'autocomplete="off" autocapitalize="characters" spellcheck="false" dir="ltr" '
        f'placeholder="0123-4567-89AB-CDEF"><button>{escape(words.button)}</button></form></main>'
        f"{render_sender(sender)}<script>{_SCRIPT}</script></body></html>"
    )
    return Response(page, status_code=status, media_type="text/html", headers=dict(_HEADERS))


def render_sender(lines: Sequence[str]) -> str:
    """Return the place of a page that says who runs this service; empty without lines."""
    shown = "<br>".join(f"<bdi>{escape(line)}</bdi>" for line in lines)
    return f"<footer>{shown}</footer>" if lines else ""


def _render_answer(words: PageWords, language: str, answer: str | WrittenEmail) -> str:
    if isinstance(answer, str):
        said = {"ask": words.ask, "unknown": words.unknown, "limited": words.limited, "later": words.later}
        return f'<p role="status">{escape(said[answer])}</p>'
    place = words.gift if answer.is_gift else words.legacy
    about = place.format(number=answer.number, chain=answer.chain_name)
    day = format_date(answer.day, "long", locale=_TAGS.get(language, language).replace("-", "_"))
    kind = getattr(words, answer.sort)
    found = words.found.format(day=f"{day} (UTC)", about=about, kind=kind)
    return f'<p class="found" role="status">{escape(found)}</p><p>{escape(words.no_proof)}</p>'


def _render_links(words: PageWords, links: Sequence[str]) -> str:
    if not links:
        return ""
    listed = "".join(f'<li><bdi dir="ltr">{escape(link)}</bdi></li>' for link in links)
    return f"<p>{escape(words.links)}</p><ul>{listed}</ul><p>{escape(words.copy)}</p>"
