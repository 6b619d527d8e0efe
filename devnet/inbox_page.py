"""The inbox as pages and as JSON. Emails are other people's HTML: shown in a sandboxed frame, nothing is fetched."""

import re
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined

if TYPE_CHECKING:
    from devnet.smtp import ReceivedEmail, SmtpInbox

_environment = Environment(
    loader=PackageLoader("devnet", "inbox_templates"), autoescape=True, undefined=StrictUndefined
)
_PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
_SANDBOX = "allow-popups allow-popups-to-escape-sandbox"
_EMAIL_POLICY = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox {_SANDBOX}"
_DOCTYPE = re.compile(r"\A\s*<!doctype[^>]*>|", re.IGNORECASE)
_LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


def pages(inbox: "SmtpInbox") -> web.Application:
    app = web.Application(middlewares=[_only_from_here])
    app.add_routes(
        [
            web.get("/", partial(_list, inbox)),
            web.get("/refresh.js", _script),
            web.get(r"/messages/{number:\d+}", partial(_message, inbox)),
            web.get(r"/messages/{number:\d+}/body", partial(_body, inbox)),
            web.get(r"/messages/{number:\d+}/attachments/{place:\d+}", partial(_attachment, inbox)),
            web.get("/api/messages", partial(_messages, inbox)),
            web.get("/api/count", partial(_count, inbox)),
            web.delete("/api/messages", partial(_clear, inbox)),
        ]
    )
    return app


@web.middleware
async def _only_from_here(request: web.Request, handler: Any) -> web.StreamResponse:
    """Another site's page must not read the inbox through a name that points to loopback (DNS rebinding)."""
    if urlsplit(f"//{request.host}").hostname not in _LOCAL_HOSTS:
        raise web.HTTPForbidden(text="open the inbox by its loopback address")
    response: web.StreamResponse = await handler(request)
    response.headers.setdefault("Content-Security-Policy", _PAGE_POLICY)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response


def _html(template: str, **values: Any) -> web.Response:
    return web.Response(text=_environment.get_template(template).render(values), content_type="text/html")


async def _list(inbox: "SmtpInbox", _: web.Request) -> web.Response:
    return _html("list.html", messages=inbox.messages[::-1])


async def _messages(inbox: "SmtpInbox", _: web.Request) -> web.Response:
    return web.json_response([message.as_json() for message in inbox.messages])


async def _count(inbox: "SmtpInbox", _: web.Request) -> web.Response:
    return web.json_response({"last": inbox.messages[-1].number if inbox.messages else 0})


async def _script(_: web.Request) -> web.Response:
    return web.Response(text=_environment.get_template("refresh.js").render(), content_type="text/javascript")


def _found(inbox: "SmtpInbox", request: web.Request) -> "ReceivedEmail":
    message = inbox.find(int(request.match_info["number"]))
    if message is None:
        raise web.HTTPNotFound(text="no such message")
    return message


async def _message(inbox: "SmtpInbox", request: web.Request) -> web.Response:
    message = _found(inbox, request)
    parts = {"html": "HTML", "text": "Text", "headers": "Headers"}
    if not message.html:
        del parts["html"]
    part = request.query.get("part")
    if part not in parts:
        part = next(iter(parts))
    unsubscribe = re.match(r"<(https?://[^>]+)>", message.header("List-Unsubscribe") or "")
    address = unsubscribe.group(1) if unsubscribe else None
    return _html("message.html", message=message, parts=parts, part=part, unsubscribe=address, sandbox=_SANDBOX)


async def _body(inbox: "SmtpInbox", request: web.Request) -> web.Response:
    """The HTML part alone, for the frame; sandboxed also when it is opened by itself. A link opens in a tab of its own:
    the frame shows no other page."""
    html = _DOCTYPE.sub(r'\g<0><base target="_blank">', _found(inbox, request).html, count=1)
    response = _html("body.html", html=html)
    response.headers["Content-Security-Policy"] = _EMAIL_POLICY
    return response


async def _attachment(inbox: "SmtpInbox", request: web.Request) -> web.Response:
    """One file to save. A browser never shows it as a page of the inbox."""
    files = _found(inbox, request).attachments
    place = int(request.match_info["place"])
    if place >= len(files):
        raise web.HTTPNotFound(text="no such attachment")
    file = files[place]
    headers = {"Content-Disposition": "attachment", "Content-Type": file.content_type}
    return web.Response(body=file.content, headers=headers)


async def _clear(inbox: "SmtpInbox", _: web.Request) -> web.Response:
    inbox.clear()
    return web.Response(status=204)
