"""A real IMAP server (Dovecot) with one mailbox, on loopback with a certificate of its own."""

import asyncio
import imaplib
import os
import shutil
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.certificates import own_certificate

USER, PASSWORD = "reports", "a-password-of-the-mailbox"


@dataclass(frozen=True, slots=True)
class ImapServer:
    """`authority`: the file of the authority that signed the server's certificate."""

    port: int
    authority: Path

    @property
    def home(self) -> Path:
        return self.authority.parent / "home"

    def environ(self) -> dict[str, str]:
        return {
            "REPORT_IMAP_HOST": "127.0.0.1",
            "REPORT_IMAP_PORT": str(self.port),
            "REPORT_IMAP_USERNAME": USER,
            "REPORT_IMAP_PASSWORD": PASSWORD,
        }

    def open(self) -> imaplib.IMAP4:
        context = ssl.create_default_context(cafile=str(self.authority))
        client = imaplib.IMAP4_SSL("127.0.0.1", self.port, ssl_context=context, timeout=30)
        client.login(USER, PASSWORD)
        client.select("INBOX")
        return client

    def deliver(self, *messages: bytes, folder: str = "INBOX") -> None:
        with self.open() as client:
            for message in messages:
                assert client.append(folder, "", "", message)[0] == "OK"

    def make_folder(self, name: str) -> None:
        """Make an empty folder. An existing one is deleted first: UIDs begin again under another UIDVALIDITY."""
        with self.open() as client:
            client.delete(name)
            assert client.create(name)[0] == "OK"

    def subjects(self) -> list[tuple[str, bool]]:
        """Return the subjects of the emails there. True: it was read."""
        with self.open() as client:
            numbers = client.search(None, "ALL")[1][0].split()
            found = []
            for number in numbers:
                parts = client.fetch(number, "(FLAGS BODY.PEEK[HEADER.FIELDS (SUBJECT)])")[1]
                [(flags, header)] = [part for part in parts if isinstance(part, tuple)]
                found.append((header.decode().removeprefix("Subject: ").strip(), b"\\Seen" in flags))
            return found


@asynccontextmanager
async def imap_server(directory: Path, port: int) -> AsyncIterator[ImapServer]:
    program = shutil.which("dovecot", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None or os.geteuid() != 0:
        pytest.skip("needs dovecot (tests/install-tools.sh) and root")
    certificate = directory / "imap.pem"
    own_certificate(certificate)
    home = directory / "home"
    home.mkdir()
    for path in (directory, home):
        shutil.chown(path, "nobody", "nogroup")
    for path in (directory, *directory.parents):  # its processes are of another user
        path.chmod(path.stat().st_mode | 0o011)
    config = directory / "dovecot.conf"
    config.write_text(
        _CONFIG.format(directory=directory, port=port, certificate=certificate.with_suffix(".pair"), password=PASSWORD)
    )
    child = await asyncio.create_subprocess_exec(program, "-F", "-c", str(config))
    server = ImapServer(port, certificate)
    try:
        async with asyncio.timeout(30):
            while True:
                assert child.returncode is None, (directory / "log").read_text()
                try:
                    await asyncio.to_thread(server.subjects)
                    break
                except (OSError, imaplib.IMAP4.error):
                    await asyncio.sleep(0.05)
        yield server
    finally:
        child.terminate()
        await child.wait()


_CONFIG = """
base_dir = {directory}/run
log_path = {directory}/log
protocols = imap
ssl = required
ssl_cert = <{certificate}
ssl_key = <{certificate}
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid=nobody gid=nogroup home={directory}/home
}}
mail_location = maildir:{directory}/home/mail
service imap-login {{
  chroot =
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
"""
