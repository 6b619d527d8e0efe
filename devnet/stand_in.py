"""The local stack's identity provider is a STAND-IN: wallets' keys lie in this process's memory, codes go to the inbox.

It speaks the original's protocols (see `auth_proxy_stand_in.py`) to the service and to the gift page.
"""

import asyncio
import smtplib
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import click
from cryptography.hazmat.primitives.asymmetric import ec

from devnet.auth_proxy_stand_in import AuthProxyStandIn

SENDER = "codes@identity-provider.example"
KEYS = ("provider_api_p256", "provider_code_p256")  # files of `.local/secrets`, hex
_HOST = "127.0.0.1"


@dataclass
class MailingStandIn(AuthProxyStandIn):
    """Sends each code by email, as the original does."""

    smtp_port: int = 0

    def _init(self, body: Mapping[str, Any]) -> dict[str, Any]:
        answer, to = super()._init(body), body["contact"]
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = SENDER, to, "Your sign-in code"
        message.set_content(
            f"Your code is {self.mailbox[to][-1]}. Type it on the page that asked for it, and tell it to nobody.\n\n"
            "This is the local stack's stand-in for the identity provider: no real wallet is behind it.\n"
        )
        with smtplib.SMTP(_HOST, self.smtp_port) as server:
            server.send_message(message)
        click.echo("a one-time code was mailed")
        return answer


def stand_in(port: int, secrets: Path, origin: str | None = None, smtp_port: int = 0) -> MailingStandIn:
    """With the keys of a local stack, not yet listening; `origin` is the gift page's."""
    url = f"http://{_HOST}:{port}"
    api, code = (ec.derive_private_key(int((secrets / name).read_text(), 16), ec.SECP256R1()) for name in KEYS)
    return MailingStandIn(now=time.time, key=api, code_key=code, origin=origin, url=url, port=port, smtp_port=smtp_port)


async def _serve(provider: MailingStandIn) -> None:
    async with provider:
        click.echo(f"a STAND-IN for the identity provider, at {provider.url}: for trying things only")
        click.echo("it keeps the keys of wallets in memory, and mails one-time codes to the inbox")
        await asyncio.Event().wait()


@click.command(help=__doc__)
@click.option("--port", type=int, required=True)
@click.option("--origin", required=True, help="of the gift page, the only one it answers in a browser")
@click.option("--smtp-port", type=int, required=True)
@click.option("--secrets", type=click.Path(path_type=Path), required=True, help="directory of the stack's keys")
def main(port: int, origin: str, smtp_port: int, secrets: Path) -> None:
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(stand_in(port, secrets, origin, smtp_port)))


if __name__ == "__main__":
    main()
