"""The gift page: a gift's public facts as one HTML document, which works without a script; nothing of a link's fragment
is in it. What was built of `gift_page/` adds the letter, the countdown and the ways to open the gift, and puts the
words into the language of its reader. It finds them by `data-phrase`, the name of a message in `gift_page/languages`.

Every word that is not ours is escaped. Colours come from the occasion; the one inline style is allowed by its hash.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import Literal
from urllib.parse import urlsplit

from eth_utils.address import to_checksum_address

from api.email_page import render_sender
from api.schemas import format_time
from reminder_worker.gifts.assets import ASSETS, CARD_SIZE, GiftOccasion, PageEntry, find_card_file
from reminder_worker.gifts.claim_link import ClaimLink
from reminder_worker.gifts.pages import GiftAsset, GiftFacts, GiftState
from reminder_worker.outbox.messages import format_amount, to_datetime

CARDS = "cards"  # the path below the prefix that images are served at
IN_PAPER_WALLET = (
    "in the wallet that the key on your sheet belongs to: keep the sheet until you have moved it to a wallet of your "
    "own."
)
IF_NAMED = "If you named a wallet when you opened the gift, what was in it went there. If you named none, it is"
ABOUT = "A sealed gift is waiting for you. It opens on its day."
_STYLE = """
:root{color-scheme:light dark;--ground:GROUND;--soft:SOFT;--accent:ACCENT;--page:PANEL;--card:#fff;--paper:PANEL;
--text:INK;--dim:#59636e;--line:#dfe3e6;--field:#7b858f;--mark:GROUND;--action:GROUND;--on-action:#fff;--bad:#a3201d;
--good:#1b6b3a}
@media(prefers-color-scheme:dark){:root{--page:color-mix(in srgb,GROUND 22%,#0d1013);
--card:color-mix(in srgb,GROUND 14%,#181c20);--paper:color-mix(in srgb,GROUND 30%,#1b2025);--text:#eef1f4;--dim:#b4bdc6;
--line:#39434c;--field:#8b969f;--mark:SOFT;--action:SOFT;--on-action:#15191c;--bad:#ffb1a9;--good:#9ddcb4}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:1.0625rem/1.55 system-ui,-apple-system,sans-serif;
overflow-wrap:break-word;-webkit-text-size-adjust:100%}
main{max-width:40rem;margin:0 auto;padding:1rem 1rem 3rem}
article{background:var(--card);border-radius:1rem;overflow:hidden;
box-shadow:0 1px 2px rgb(0 0 0/.08),0 8px 28px rgb(0 0 0/.08)}
article.plain{border-top:.6rem solid var(--ground)}
.card{display:block;width:100%;height:auto;aspect-ratio:1200/630;background:GROUND}
section{padding:1.5rem 1.25rem 1.75rem}
h1,h2{line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}h1{font-size:1.65rem}h2{font-size:1.2rem}
p{margin:.6rem 0}.dim{color:var(--dim);font-size:.95rem}
.when{border-inline-start:4px solid var(--mark);padding:.2rem .9rem;margin:1.1rem 0;font-weight:600}
.inside{display:flex;flex-wrap:wrap;gap:.15rem 1rem;align-items:baseline;margin:1.1rem 0}
.inside ul{font-size:1.3rem;font-weight:650;overflow-wrap:anywhere}.inside span{color:var(--dim)}
dl{margin:.5rem 0 0;border-top:1px solid var(--line)}
dl div{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.6rem 0;border-bottom:1px solid var(--line)}
dt{flex:0 1 8.5rem;color:var(--dim)}dd{flex:1 1 14rem;margin:0;overflow-wrap:anywhere}
#lines dt{flex-basis:100%}
ul{margin:0;padding:0;list-style:none}code{direction:ltr;unicode-bidi:isolate;font-size:.86em;overflow-wrap:anywhere}
details{margin:1.25rem 0 0}summary{cursor:pointer;font-weight:600;padding:.45rem 0;width:fit-content}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px;border-radius:.2rem}
footer{max-width:40rem;margin:0 auto;padding:0 1rem 2rem;color:var(--dim);font-size:.9rem;text-align:center}
[hidden]{display:none!important}
"""


def gift_page(
    link: ClaimLink, facts: GiftFacts, occasion: GiftOccasion, entry: PageEntry | None, no_script: str
) -> str:
    """`link` is the canonical one, without a fragment; `entry`: what was built, where it was. `no_script`: what a
    browser shows in which the script does not run, as HTML."""
    sealed_at, opened_at = facts.history.sealed_at, facts.history.opened_at
    number = render_phrase("span", "gift-number", f"number {facts.timelock_id} of", number=facts.timelock_id)
    ways = no_script if facts.state is GiftState.OPEN and entry else ""
    sealed = render_row("fact-sealed", "Sealed", render_time(sealed_at)) if sealed_at else ""
    opened = render_row("fact-opened", "Opened", render_time(opened_at)) if opened_at else ""
    words = [
        '<div id="letter" hidden></div>',
        f'<div id="state">{_render_state(facts)}</div>',
        _render_assets(facts),
        f'<div id="ways">{ways}</div>',
        '<div id="advice">',
        *_list_advice(link, facts, entry.sender if entry else ()),
        _render_forward(facts),
        '</div><div id="share"></div>',
        f'<details id="details">{render_phrase("summary", "about-gift", "About this gift")}<dl>',
        sealed,
        render_row("fact-opens", "Opens", render_time(facts.unlock_time)),
        opened,
        render_row("fact-sealed-for", "Sealed for", f"<code>{to_checksum_address(facts.recipient)}</code>"),
        render_row("fact-network", "Network", escape(facts.chain_name)),
        render_row("fact-gift", "Gift", f"{number} <code>{to_checksum_address(facts.router)}</code>"),
        "</dl>",
        render_phrase(
            'p class="dim"',
            "letter-stays",
            "A personal message, if there is one, is in the part of this link behind the # sign: it stays in your "
            "browser and is never sent to us.",
        ),
        "</details>",
    ]
    width, height = CARD_SIZE
    image = f'<img class="card" src="{_card_path(link.prefix, occasion)}" width="{width}" height="{height}" alt="">'
    tags = _render_tags(link, occasion) + render_loads(link.prefix, entry)
    now = {
        "kind": "gift",
        "state": facts.state.value,
        "unlock-at": format_time(to_datetime(facts.unlock_time)),
        "as-of": format_time(to_datetime(facts.now)),
        "occasion": occasion.id,
    }
    return render_document(
        occasion, f"greeting-{occasion.id}", occasion.greeting, "".join(words), tags, image=image, data=now, entry=entry
    )


def plain_page(
    occasion: GiftOccasion,
    notice: tuple[str, str, Sequence[str]],
    prefix: str,
    entry: PageEntry | None,
    link: ClaimLink | None = None,
    kind: Literal["waiting", "rewritten", "final"] = "final",
    about: str = ABOUT,
) -> str:
    """A page that says why no gift is shown. `notice`: the name of its phrase, title and lines.

    Of a link it has the preview: messengers remember what they see first. A script on a `waiting` page looks by itself
    whether the gift can be shown meanwhile, on a `rewritten` one it puts the link right.
    """
    name, title, lines = notice
    words = "".join(render_phrase("p", f"{name}-{number}", line) for number, line in enumerate(lines, 1))
    tags = (_render_tags(link, occasion) if link else "") + render_loads(prefix, entry)
    return render_document(
        occasion, name, title, f'{words}<div id="ways"></div>', tags, data={"kind": kind}, entry=entry, about=about
    )


def create_page(occasion: GiftOccasion, prefix: str, entry: PageEntry, setup: str, no_script: str) -> str:
    """The local stack's page for givers, made by its script, which takes away `no_script`. `setup` is JSON text: the
    chain and its contracts."""
    body = f'<div id="create" data-setup="{escape(setup)}">{no_script}</div>'
    return render_document(
        occasion, "seal-a-gift", "Seal a gift", body, render_loads(prefix, entry), data={"kind": "create"}, entry=entry
    )


def content_security_policy(occasion: GiftOccasion, foreign: Sequence[str] = ()) -> str:
    """Nothing is loaded but our own files (the icon, and those of wallets, are `data:`); `foreign` are the only other
    origins that the page may talk to."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' data: blob:; "
        f"connect-src {' '.join([chr(39) + 'self' + chr(39), *foreign])}; font-src 'self'; script-src 'self'; "
        f"style-src 'self' 'sha256-{_style_hash(occasion)}'"
    )


@cache
def _render_style(occasion: GiftOccasion) -> str:
    palette = occasion.palette
    style = _STYLE.replace("INK", palette.ink).replace("GROUND", palette.ground).replace("SOFT", palette.soft)
    style = style.replace("PANEL", palette.panel).replace("ACCENT", palette.accent)
    return re.sub(r"color-mix\(in srgb,(#\w{6}) (\d+)%,(#\w{6})\)", _mix_colours, style)


def _mix_colours(found: re.Match[str]) -> str:
    """The colour that browsers make of a `color-mix` since 2023. Older ones know none: their dark page had no
    grounds, and its light letters stood on none."""
    part = int(found[2]) / 100
    one, other = bytes.fromhex(found[1][1:]), bytes.fromhex(found[3][1:])
    return "#" + bytes(round(a * part + b * (1 - part)) for a, b in zip(one, other, strict=True)).hex()


@cache
def _style_hash(occasion: GiftOccasion) -> str:
    return b64encode(hashlib.sha256(_render_style(occasion).encode()).digest()).decode()


def _render_tags(link: ClaimLink, occasion: GiftOccasion) -> str:
    """Return the link preview of messengers and social sites (Open Graph, Twitter)."""
    width, height = CARD_SIZE
    greeting = escape(occasion.greeting)
    image = escape(f"{link.origin}{_card_path(link.prefix, occasion)}")
    return (
        f'<meta property="og:type" content="website"><meta property="og:title" content="{greeting}">'
        f'<meta property="og:description" content="{ABOUT}"><meta property="og:url" content="{escape(link.url)}">'
        f'<meta property="og:image" content="{image}"><meta property="og:image:type" content="image/png">'
        f'<meta property="og:image:width" content="{width}"><meta property="og:image:height" content="{height}">'
        f'<meta property="og:image:alt" content="{greeting}">'
        f'<meta name="twitter:card" content="summary_large_image"><meta name="twitter:title" content="{greeting}">'
        f'<meta name="twitter:description" content="{ABOUT}"><meta name="twitter:image" content="{image}">'
        f'<meta name="twitter:image:alt" content="{greeting}">'
    )


def render_loads(prefix: str, entry: PageEntry | None) -> str:
    """Return the elements that load what was built. The page is not painted before its script has run, which is small:
    nothing on it moves afterwards."""
    if entry is None:
        return ""
    at = f"/{prefix}/{ASSETS}"
    return (
        "".join(f'<link rel="stylesheet" href="{at}/{name}">' for name in entry.styles)
        + "".join(f'<link rel="modulepreload" href="{at}/{name}">' for name in entry.preloads)
        + f'<script type="module" blocking="render" src="{at}/{entry.script}"></script>'
    )


def render_document(
    occasion: GiftOccasion,
    name: str,
    title: str,
    words: str,
    tags: str,
    *,
    data: Mapping[str, str],
    entry: PageEntry | None,
    image: str = "",
    about: str = ABOUT,
) -> str:
    """Return a page. `name`: of the title's phrase. `data` is for the script, `about` for previews."""
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in data.items())
    sender = render_sender(entry.sender if entry else ())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{escape(title)}</title><link rel="icon" href="data:,"><meta name="robots" content="noindex">'
        f'<meta name="description" content="{about}"><style>{_render_style(occasion)}</style>{tags}</head>'
        f'<body><main id="page"{attributes}><article{"" if image else " class=plain"}>{image}'
        f"<section>{render_phrase('h1', name, title)}{words}</section></article></main>{sender}</body></html>"
    )


def _card_path(prefix: str, occasion: GiftOccasion) -> str:
    return f"/{prefix}/{CARDS}/{find_card_file(occasion.id)}"


def render_phrase(tag: str, name: str, english: str, **values: object) -> str:
    """An element whose script says it in another language. `values` stand in the sentence, as escaped text."""
    attributes = "".join(f' data-{key}="{escape(str(value))}"' for key, value in values.items())
    return f'<{tag} data-phrase="{name}"{attributes}>{escape(english)}</{tag.split()[0]}>'


def _render_state(facts: GiftFacts) -> str:
    line, opened_at = 'p class="when" role="status"', facts.history.opened_at
    if facts.state is GiftState.OPEN:
        return render_phrase(line, "when-open", "This gift can be opened now.")
    if facts.state is GiftState.SEALED:
        return render_day(line, "sealed-until", "This gift is sealed until {}.", facts.unlock_time)
    if opened_at:
        return render_day(line, "opened-on", "This gift was opened on {}.", opened_at)
    return render_phrase(line, "when-claimed", "This gift has been opened: its recipient has received it.")


def render_day(tag: str, name: str, english: str, at: int) -> str:
    return render_phrase(tag, name, english.format(_say_time(at)), moment=format_time(to_datetime(at)))


def _render_forward(facts: GiftFacts) -> str:
    """Return the way to give, for whoever was given something and where the page for givers is served."""
    if facts.create_path is None or facts.state is not GiftState.CLAIMED:
        return ""
    link = f'a class="button quiet" href="{escape(facts.create_path)}"'
    return f"<p>{render_phrase(link, 'seal-forward', 'Seal one forward')}</p>"


def _list_advice(link: ClaimLink, facts: GiftFacts, sender: Sequence[str]) -> list[str]:
    """Return the advice as elements. `sender`: lines at the foot of the page; more than one says how to reach us."""
    site = urlsplit(str(link.origin)).netloc
    moves_on = f"in an app of the people who run {site}: no other wallet app opens"
    marks, state = link.marks, facts.state
    if state is GiftState.CLAIMED:
        in_email_wallet = (
            "in the wallet of your email address, which the sign-in provider Turnkey keeps for you: "
            "only who reads your emails can use that wallet, so keep your mailbox safe. This page only opens gifts. To "
            "move it on, for a network fee in ETH, you sign in to that wallet "
            f"{moves_on} it. Ask them where that is, and never tell anybody a code from your emails."
        )
        is_sure = facts.domain.version == "1"
        suffix, start = ("", "What was in it is") if is_sure else ("-or-named", IF_NAMED)
        found = ((marks.paper, "paper", IN_PAPER_WALLET), (marks.email, "email", in_email_wallet))
        return [
            render_phrase("p", f"claimed-{way}{suffix}", f"{start} {where}", site=site)
            for marked, way, where in found
            if marked
        ]
    ways = [way for way, marked in (("paper", marks.paper), ("email", marks.email)) if marked] or ["wallet"]
    advice = [render_phrase("p", *line) for way in ways for line in _advise(way, state)]
    if marks.email and facts.domain.version == "1":
        moving = (
            "What is in it will arrive in a wallet of your email address, which the sign-in provider Turnkey keeps for "
            f"you. From there it can be moved only {moves_on} that wallet. Ask them where that is before you open the "
            "gift."
        )
        advice.append(render_phrase("p", "advice-email-moving", moving, site=site))
        if len(sender) > 1:
            advice.append(render_phrase("p", "ask-us", "Ask us: how to reach us is at the foot of this page."))
    return advice


def _advise(way: str, state: GiftState) -> list[tuple[str, str]]:
    """Return names and sentences of the advice about a way to open a gift."""
    nobody = "nobody can replace it, and neither can we."
    if way == "paper":
        opens = (
            "advice-paper",
            "Whoever has the printed sheet can open it. Keep it like cash: without it the gift is lost. Tell the key "
            "to nobody: no one who helps you needs to know it.",
        )
        check = ("check-paper", f"Please check now already that you still have the sheet: {nobody}")
    elif way == "email":
        opens = (
            "advice-email",
            "It was sealed for your email address: whoever reads your emails can open it, and nobody else can. To "
            "open it you will be sent a code there; tell the code to nobody.",
        )
        check = ("check-email", f"Please check now already that you can still open this mailbox: {nobody}")
    else:
        opens = (
            "advice-link",
            "Whoever has this link can see the gift. Only the wallet it was sealed for can open it.",
        )
        check = ("check-wallet", f"Please check now already that you still have this wallet: {nobody}")
    return [opens, check] if state is GiftState.SEALED else [opens]


def _render_assets(facts: GiftFacts) -> str:
    """Return the gift's assets; nothing when they are not known, as after a withdrawal."""
    assets = "".join(map(_render_asset, facts.assets))
    what = render_phrase('p class="dim"', "digital-money", "This is digital money.")
    return (
        f'<div class="inside">{render_phrase("span", "inside", "Inside")}<ul>{assets}</ul></div>{what}'
        if assets
        else ""
    )


def render_row(name: str, english: str, value: str) -> str:
    return f"<div>{render_phrase('dt', name, english)}<dd>{value}</dd></div>"


def render_time(at: int) -> str:
    return f'<time datetime="{format_time(to_datetime(at))}">{_say_time(at)}</time>'


def _say_time(at: int) -> str:
    moment = to_datetime(at)
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"


def _render_asset(asset: GiftAsset) -> str:
    """Return an asset in words, with its numbers for the script.

    Wrapped ether is called ETH only if it is, or was, paid out as ether.
    """
    metadata = asset.metadata
    symbol = "ETH" if asset.as_ether else metadata.symbol if metadata else None
    amount = format_amount(asset.units, metadata.decimals if metadata else None)
    words = f"{amount} {escape(symbol)}" if symbol else f"{amount} of <code>{to_checksum_address(asset.token)}</code>"
    numbers = ""
    if symbol and metadata:
        numbers = f' data-units="{asset.units}" data-decimals="{metadata.decimals}" data-symbol="{escape(symbol)}"'
    sold = " data-sold" if asset.sold_for_ether else ""
    return f"<li{numbers}{sold}>{words}{' (paid out in ETH)' if sold else ''}</li>"
