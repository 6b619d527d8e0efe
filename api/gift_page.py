"""The gift page: a gift's public facts as one HTML document, which works without a script; nothing of a link's fragment
is in it. What was built of `gift_page/` adds the letter, the countdown and the ways to open the gift.

Every word that is not ours is escaped. Colours come from the occasion; the one inline style is allowed by its hash.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

from eth_utils.address import to_checksum_address

from api.schemas import format_time
from reminder_worker.gifts.assets import ASSETS, CARD_SIZE, GiftOccasion, PageEntry, find_card_file, find_occasion
from reminder_worker.gifts.claim_link import ClaimLink, LinkFlags
from reminder_worker.gifts.pages import GiftAsset, GiftFacts, GiftState
from reminder_worker.outbox.messages import format_amount, to_datetime

CARDS = "cards"  # the path below the prefix that images are served at
KEEP_THE_SHEET = (
    "What was in it is in the wallet that the key on your sheet belongs to: keep the sheet until you have moved it to "
    "a wallet of your own."
)
_WHEN_OPEN = "This gift can be opened now."
_WHEN_CLAIMED = "This gift has been opened: its recipient has received it."
SEAL_ONE_FORWARD = "Seal one forward"
ABOUT = "A sealed gift is waiting for you. It opens on its day, for its recipient alone."
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
img.card{display:block;width:100%;height:auto;aspect-ratio:1200/630;background:GROUND}
section{padding:1.5rem 1.25rem 1.75rem}
h1,h2{line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}h1{font-size:1.65rem}h2{font-size:1.2rem}
p{margin:.6rem 0}.dim{color:var(--dim);font-size:.95rem}
.when{border-left:4px solid var(--mark);padding:.2rem 0 .2rem .9rem;margin:1.1rem 0;font-weight:600}
.inside{display:flex;flex-wrap:wrap;gap:.15rem 1rem;align-items:baseline;margin:1.1rem 0}
.inside ul{font-size:1.3rem;font-weight:650;overflow-wrap:anywhere}.inside span{color:var(--dim)}
dl{margin:.5rem 0 0;border-top:1px solid var(--line)}
dl div{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.6rem 0;border-bottom:1px solid var(--line)}
dt{flex:0 1 8.5rem;color:var(--dim)}dd{flex:1 1 14rem;margin:0;overflow-wrap:anywhere}
ul{margin:0;padding:0;list-style:none}code{font-size:.86em;overflow-wrap:anywhere}
details{margin:1.25rem 0 0}summary{cursor:pointer;font-weight:600;padding:.45rem 0;width:fit-content}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px;border-radius:.2rem}
[hidden]{display:none!important}
"""


def gift_page(link: ClaimLink, facts: GiftFacts, occasion: GiftOccasion, entry: PageEntry | None) -> str:
    """`link` is the canonical one, without a fragment; `entry`: what was built, where it was."""
    no_script = (
        "<p>To open the gift on this page, please allow scripts in your browser, or take a newer one: your key or your "
        "wallet signs on your own device. If you did, a part of this page may have been lost on its way: please load "
        "it again.</p>"
    )
    words = [
        '<div id="letter" hidden></div>',
        f'<div id="state"><p class="when" role="status">{_state_words(facts)}</p></div>',
        _render_assets(facts),
        f'<div id="ways">{no_script if facts.state is GiftState.OPEN and entry else ""}</div>',
        '<div id="advice">',
        *(f"<p>{line}</p>" for line in _list_advice(link.marks, facts.state)),
        _render_forward(facts),
        '</div><div id="share"></div>',
        '<details id="details"><summary>About this gift</summary><dl>',
        _render_row("Sealed", _render_time(facts.history.sealed_at)) if facts.history.sealed_at else "",
        _render_row("Opens", _render_time(facts.unlock_time)),
        _render_row("Opened", _render_time(facts.history.opened_at)) if facts.history.opened_at else "",
        _render_row("Sealed for", f"<code>{to_checksum_address(facts.recipient)}</code>"),
        _render_row("Network", escape(facts.chain_name)),
        _render_row("Gift", f"number {facts.timelock_id} of <code>{to_checksum_address(facts.router)}</code>"),
        '</dl><p class="dim">A personal message, if there is one, is in the part of this link behind the # sign: it '
        "stays in your browser and is never sent to us.</p></details>",
    ]
    width, height = CARD_SIZE
    image = f'<img class="card" src="{_card_path(link.prefix, occasion)}" width="{width}" height="{height}" alt="">'
    tags = _render_tags(link, occasion) + _render_loads(link.prefix, entry)
    now = {
        "kind": "gift",
        "state": facts.state.value,
        "unlock-at": format_time(to_datetime(facts.unlock_time)),
        "as-of": format_time(to_datetime(facts.now)),
        "when-open": _WHEN_OPEN,
        "when-claimed": _WHEN_CLAIMED,
        "advice-when-claimed": " ".join(_list_advice(link.marks, GiftState.CLAIMED)),
    }
    return _render_document(occasion, occasion.greeting, "".join(words), tags, image=image, data=now)


def plain_page(
    occasion: GiftOccasion,
    title: str,
    lines: Sequence[str],
    link: ClaimLink | None = None,
    entry: PageEntry | None = None,
) -> str:
    """A page that says why no gift is shown; of a link it has the preview: messengers remember what they see first.

    With `entry` it looks by itself whether the gift can be shown meanwhile.
    """
    words = "".join(f"<p>{escape(line)}</p>" for line in lines) + '<div id="ways"></div>'
    tags = _render_tags(link, occasion) + _render_loads(link.prefix, entry) if link else ""
    return _render_document(occasion, title, words, tags, data={"kind": "waiting"})


def rewritten_page(prefix: str, entry: PageEntry | None) -> str:
    """Return the page of a link whose signs were rewritten. The script puts the link right; the words say how."""
    lines = (
        "A mail program or a filter changed the signs in it. Nothing is lost: the gift is safe where it is.",
        "In the address bar, change %23 back to #, and %3F back to ?. Or open the link as it was given to you, in "
        "another mail program or browser.",
    )
    words = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return _render_document(
        find_occasion(None),
        "This link was changed on its way",
        words,
        _render_loads(prefix, entry),
        data={"kind": "rewritten"},
    )


def create_page(occasion: GiftOccasion, prefix: str, entry: PageEntry, setup: str) -> str:
    """The local stack's page for givers, made by its script. `setup` is JSON text: the chain and its contracts."""
    body = f'<div id="create" data-setup="{escape(setup)}"></div><noscript><p>This page needs a script.</p></noscript>'
    return _render_document(occasion, "Seal a gift", body, _render_loads(prefix, entry), data={"kind": "create"})


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


def _render_loads(prefix: str, entry: PageEntry | None) -> str:
    """The page is not painted before its script has run, which is small: nothing on it moves afterwards."""
    if entry is None:
        return ""
    at = f"/{prefix}/{ASSETS}"
    return (
        "".join(f'<link rel="stylesheet" href="{at}/{name}">' for name in entry.styles)
        + "".join(f'<link rel="modulepreload" href="{at}/{name}">' for name in entry.preloads)
        + f'<script type="module" blocking="render" src="{at}/{entry.script}"></script>'
    )


def _render_document(
    occasion: GiftOccasion, title: str, words: str, tags: str, *, data: Mapping[str, str], image: str = ""
) -> str:
    """`data` is for the script."""
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in data.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{escape(title)}</title><link rel="icon" href="data:,"><meta name="robots" content="noindex">'
        f'<meta name="description" content="{ABOUT}"><style>{_render_style(occasion)}</style>{tags}</head>'
        f'<body><main id="page"{attributes}><article{"" if image else " class=plain"}>{image}'
        f"<section><h1>{escape(title)}</h1>{words}</section></article></main></body></html>"
    )


def _card_path(prefix: str, occasion: GiftOccasion) -> str:
    return f"/{prefix}/{CARDS}/{find_card_file(occasion.id)}"


def _state_words(facts: GiftFacts) -> str:
    if facts.state is GiftState.CLAIMED:
        opened_at = facts.history.opened_at
        return f"This gift was opened on {_render_time(opened_at)}." if opened_at else _WHEN_CLAIMED
    if facts.state is GiftState.OPEN:
        return _WHEN_OPEN
    return f"This gift is sealed until {_render_time(facts.unlock_time)}."


def _render_forward(facts: GiftFacts) -> str:
    """Return the way to give, for whoever was given something and where the page for givers is served."""
    if facts.create_path is None or facts.state is not GiftState.CLAIMED:
        return ""
    return f'<p><a class="button quiet" href="{escape(facts.create_path)}">{SEAL_ONE_FORWARD}</a></p>'


def _list_advice(marks: LinkFlags, state: GiftState) -> list[str]:
    if state is GiftState.CLAIMED:
        in_email_wallet = (
            "What was in it is in the wallet of your email address, which the sign-in provider Turnkey keeps for you: "
            "only who reads your emails can use that wallet, so keep your mailbox safe. This page only opens gifts. To "
            "move it on, for a network fee in ETH, you sign in to that wallet elsewhere: ask whoever gave it to you "
            "where, and tell a code from your emails to no person."
        )
        return [words for marked, words in ((marks.paper, KEEP_THE_SHEET), (marks.email, in_email_wallet)) if marked]
    lines = ["Whoever has this link can see the gift. Only the wallet it was sealed for can ever receive it."]
    if marks.paper:
        lines.append(
            "The key to it is printed on the sheet that came with it. Keep the sheet safe, and tell the key to nobody: "
            "no one who helps you needs to know it."
        )
    if marks.email:
        lines.append(
            "It was sealed for your email address. To open it you will be sent a code there; tell the code to nobody."
        )
    return lines


def _render_assets(facts: GiftFacts) -> str:
    """Return the gift's assets; nothing when they are not known, as after a withdrawal."""
    assets = "".join(f"<li>{_render_asset(asset)}</li>" for asset in facts.assets)
    return f'<div class="inside"><span>Inside</span><ul>{assets}</ul></div>' if assets else ""


def _render_row(name: str, value: str) -> str:
    return f"<div><dt>{name}</dt><dd>{value}</dd></div>"


def _render_time(at: int) -> str:
    moment = to_datetime(at)
    words = f"{moment.day} {moment:%B %Y, %H:%M} UTC"
    return f'<time datetime="{format_time(moment)}">{words}</time>'


def _render_asset(asset: GiftAsset) -> str:
    """Return an asset in words. Wrapped ether is called ETH only if it is, or was, paid out as ether."""
    metadata = asset.metadata
    symbol = "ETH" if asset.as_ether else metadata.symbol if metadata else None
    amount = format_amount(asset.units, metadata.decimals if metadata else None)
    words = f"{amount} {escape(symbol)}" if symbol else f"{amount} of <code>{to_checksum_address(asset.token)}</code>"
    return f"{words} (paid out in ETH)" if asset.sold_for_ether else words
