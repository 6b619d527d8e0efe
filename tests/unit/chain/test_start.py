"""Imports of the service, checked in a fresh process."""

import subprocess
import sys

QUESTIONS = """
import sys
import reminder_worker.passes, reminder_worker.runtime
import api.server
assert sys.getrecursionlimit() == 1000, sys.getrecursionlimit()
assert "py_ecc" not in sys.modules
from eth_keyfile import keyfile
bounds = keyfile.MAX_V3_PRIVATE_KEY, keyfile.MAX_V4_PRIVATE_KEY
for name in [name for name in sys.modules if name.startswith("py_ecc.")]:
    del sys.modules[name]
from py_ecc import bls12_381, secp256k1
assert bounds == (secp256k1.N - 1, bls12_381.curve_order - 1)
"""


def test_pairings_of_validators_are_neither_computed_nor_raise_the_recursion_limit() -> None:
    fresh = subprocess.run([sys.executable, "-c", QUESTIONS], capture_output=True, text=True, check=False)
    assert fresh.returncode == 0, fresh.stderr
