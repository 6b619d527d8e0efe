"""Our processes heed SIGINT and end by SIGTERM, also in the background of a script."""

import os
import signal
import socket
import subprocess
import sys
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from devnet.scenarios import Scenario
from devnet.smtp import SmtpInbox
from tests.background import ignore_interrupts, is_interruptible
from tests.integration.api_world import ENC_KEY, HASH_KEY
from tests.integration.mail_service_stack import environment

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 120  # ends a hang
TERMINATED = -signal.SIGTERM
A_TEST = """
import os, socket, tests.conftest
socket.create_connection(("127.0.0.1", int(os.environ["REPORT_IMAP_PORT"]))).recv(1)
"""
# The words after `python`, and the exit code after SIGTERM. Each asks a server that never answers, once it is ready.
PROCESSES: dict[str, tuple[Sequence[str], int]] = {
    "the API": (("-m", "reminder_worker.cli.main", "serve"), 0),
    "a command of the worker": (("-m", "reminder_worker.cli.main", "tick", "--pass", "index"), TERMINATED),
    "the mail service and its reader": (("-m", "mail_service"), TERMINATED),
    "the reader of reports": (("-m", "mail_service", "reports"), 0),
    "a process of tests": (("-c", A_TEST), TERMINATED),
}


@pytest.fixture
def silent_server() -> socket.socket:
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(PATIENCE_SECONDS)
    return server


@pytest.fixture
def environ(
    chain_scenario: Scenario, database_url: str, mail_database: str, inbox: SmtpInbox, silent_server: socket.socket
) -> dict[str, str]:
    """Return settings of all our processes, with the silent server as node and as mailbox."""
    chain_id, port = chain_scenario.anvil.chain_id, str(silent_server.getsockname()[1])
    mailbox = {"HOST": "127.0.0.1", "PORT": port, "USERNAME": "reports", "PASSWORD": "a-password"}
    return {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": database_url,
        "EMAIL_ENC_KEY": b64encode(ENC_KEY).decode(),
        "HASH_KEY": b64encode(HASH_KEY).decode(),
        "CHAINS": str(chain_id),
        "API_PORT": "0",
        "METRICS_PORT": "0",
        **chain_scenario.deployment.settings_environ(chain_id, f"http://127.0.0.1:{port}"),
        **environment(mail_database, inbox, REPORT_ADDRESS="reports@mail.example.org"),
        **{f"REPORT_IMAP_{name}": value for name, value in mailbox.items()},
    }


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which signals a process ignores")
@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_in_the_background_ends_by_sigterm_with_all_that_it_started(
    environ: dict[str, str], silent_server: socket.socket, name: str
) -> None:
    words, code = PROCESSES[name]
    process = subprocess.Popen([sys.executable, *words], cwd=ROOT, env=environ, preexec_fn=ignore_interrupts)
    try:
        asked, _ = silent_server.accept()
        tree = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        assert [each.cmdline() for each in tree if not is_interruptible(each.pid)] == []
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == code
        assert psutil.wait_procs(tree, PATIENCE_SECONDS)[1] == []
        asked.close()
    finally:
        process.kill()
