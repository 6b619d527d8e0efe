"""Imports of the service, checked in a fresh process."""

import subprocess
import sys

QUESTIONS = """
import sys
import reminder_worker.passes, reminder_worker.runtime
assert not {"eth_account", "web3"} & set(sys.modules)
import api.server
assert {"eth_account", "web3"} <= set(sys.modules)
assert sys.getrecursionlimit() == 1000, sys.getrecursionlimit()
"""


def test_only_the_api_loads_web3_and_eth_account_at_start_and_no_process_gets_their_recursion_limit() -> None:
    fresh = subprocess.run([sys.executable, "-c", QUESTIONS], capture_output=True, text=True, check=False)
    assert fresh.returncode == 0, fresh.stderr
