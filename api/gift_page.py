"""The gift page: a gift's public facts as one HTML document, without a script; nothing of a link's fragment is in it.

Every word that is not ours is escaped. Colours come from the occasion; the one style sheet is allowed by its hash.
"""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from html import escape

from eth_utils.address import to_checksum_address

from api.gift_answers import unlock_moment
from reminder_worker.gifts.claim_link import ClaimLink, Marks
from reminder_worker.gifts.occasions import CARD_SIZE, Occasion, card_name
from reminder_worker.gifts.pages import GiftAsset, GiftFacts, GiftState
from reminder_worker.mail.messages import amount_words

CARDS = "cards"  # the path below the prefix that images are served at
ABOUT = "A sealed gift is waiting for you. It opens on its day, for its recipient alone."
_STYLE = """
:root{color-scheme:light dark;--ground:#eef0f2;--card:#fff;--text:INK;--dim:#59636e;--line:#dde2e7;--mark:GROUND}
@media(prefers-color-scheme:dark){:root{--ground:#101418;--card:#1a2027;--text:#e9edf1;--dim:#a1acb7;--line:#2e3741;
--mark:SOFT}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.55 system-ui,sans-serif}
main{max-width:40rem;margin:0 auto;padding:1rem 1rem 3rem}
article{background:var(--card);border-radius:1rem;overflow:hidden;box-shadow:0 1px 3px rgb(0 0 0/.12)}
img{display:block;width:100%;height:auto;background:GROUND}
section{padding:1.5rem 1.25rem 1.75rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
p{margin:.6rem 0}.dim{color:var(--dim);font-size:.95rem}
.when{border-left:4px solid var(--mark);padding:.2rem 0 .2rem .9rem;margin:1.1rem 0;font-weight:600}
dl{margin:1.25rem 0 0;border-top:1px solid var(--line)}
dl div{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.6rem 0;border-bottom:1px solid var(--line)}
dt{flex:0 0 8.5rem;color:var(--dim)}dd{flex:1 1 14rem;margin:0;overflow-wrap:anywhere}
ul{margin:0;padding:0;list-style:none}code{font-size:.86em}
"""


def gift_page(link: ClaimLink, facts: GiftFacts, occasion: Occasion) -> str:
    """`link` is the canonical one, without a fragment."""
    words = [
        f'<p class="when">{_state_words(facts)}</p>',
        *(f"<p>{line}</p>" for line in _advice(link.marks, facts.state)),
        "<dl>",
        _row("Inside", f"<ul>{''.join(f'<li>{_asset(asset)}</li>' for asset in facts.assets)}</ul>"),
        _row("Opens", _time(facts)),
        _row("Sealed for", f"<code>{to_checksum_address(facts.recipient)}</code>"),
        _row("Network", escape(facts.chain_name)),
        _row("Gift", f"number {facts.timelock_id} of <code>{to_checksum_address(facts.router)}</code>"),
        "</dl>",
        '<p class="dim">A personal message, if there is one, is in the part of this link behind the # sign: it stays '
        "in your browser and is never sent to us.</p>",
    ]
    width, height = CARD_SIZE
    image = f'<img src="{_card_path(link.prefix, occasion)}" width="{width}" height="{height}" alt="">'
    return _document(occasion, occasion.greeting, "".join(words), _tags(link, occasion), image)


def plain_page(occasion: Occasion, title: str, lines: Sequence[str], link: ClaimLink | None = None) -> str:
    """A page that says why no gift is shown; of a link it has the preview: messengers remember what they see first."""
    words = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return _document(occasion, title, words, _tags(link, occasion) if link else "")


def content_security_policy(occasion: Occasion, foreign: Sequence[str] = ()) -> str:
    """Nothing is loaded but our own images (the icon is an empty `data:`); `foreign` are the only other origins that
    the page may talk to."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' data:; "
        f"connect-src {' '.join([chr(39) + 'self' + chr(39), *foreign])}; style-src 'sha256-{_style_hash(occasion)}'"
    )


@cache
def _style(occasion: Occasion) -> str:
    palette = occasion.palette
    return _STYLE.replace("INK", palette.ink).replace("GROUND", palette.ground).replace("SOFT", palette.soft)


@cache
def _style_hash(occasion: Occasion) -> str:
    return b64encode(hashlib.sha256(_style(occasion).encode()).digest()).decode()


def _tags(link: ClaimLink, occasion: Occasion) -> str:
    """What messengers and social sites show of a link (Open Graph, Twitter)."""
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


def _document(occasion: Occasion, title: str, words: str, tags: str, image: str = "") -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{escape(title)}</title><link rel="icon" href="data:,"><meta name="robots" content="noindex">'
        f'<meta name="description" content="{ABOUT}">{tags}<style>{_style(occasion)}</style></head>'
        f"<body><main><article>{image}<section><h1>{escape(title)}</h1>{words}</section></article></main></body></html>"
    )


def _card_path(prefix: str, occasion: Occasion) -> str:
    return f"/{prefix}/{CARDS}/{card_name(occasion.id)}"


def _state_words(facts: GiftFacts) -> str:
    if facts.state is GiftState.CLAIMED:
        return "This gift has been opened: its recipient has received it."
    if facts.state is GiftState.OPEN:
        return "This gift can be opened now."
    return f"This gift is sealed until {_time(facts)}."


def _advice(marks: Marks, state: GiftState) -> list[str]:
    if state is GiftState.CLAIMED:
        return []
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


def _row(name: str, value: str) -> str:
    return f"<div><dt>{name}</dt><dd>{value}</dd></div>"


def _time(facts: GiftFacts) -> str:
    moment = unlock_moment(facts)
    words = f"{moment.day} {moment:%B %Y, %H:%M} UTC"
    return f'<time datetime="{moment:%Y-%m-%dT%H:%M:%SZ}">{words}</time>'


def _asset(asset: GiftAsset) -> str:
    metadata = asset.metadata
    symbol = "ETH" if asset.as_ether else (metadata.symbol if metadata else None)
    amount = amount_words(asset.units, metadata.decimals if metadata else None)
    return f"{amount} {escape(symbol)}" if symbol else f"{amount} of <code>{to_checksum_address(asset.token)}</code>"
