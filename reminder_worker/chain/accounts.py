"""eth-account, for digests of typed data and for transactions. Import this module inside the function that needs it.

eth-account imports py_ecc for keystores of validators. py_ecc computes pairings when imported, for 0.3 s. It raises the
recursion limit, with which a deeply nested answer ends the process.
"""

import sys

from eth_account import Account
from eth_account.messages import SignableMessage, encode_typed_data

sys.setrecursionlimit(1000)  # as when Python starts

__all__ = ["Account", "SignableMessage", "encode_typed_data"]
