"""Off-chain helper of a legacy protocol: everything the processes of the service share.

web3 imports the keystores of validators, and those import py_ecc. Its import computes pairings, which takes as long as
the rest of web3, and sets a recursion limit of 100,000, with which a deeply nested answer ends the process. No
validator's key is read here, so the three names that are asked for stand in its place, and the package stays unread.
"""

import sys
from types import ModuleType
from typing import Final

__version__ = "0.1.0"  # the only place: the package, the command, the API and the metrics take it from here

_IN_PLACE_OF: Final[dict[str, dict[str, int | None]]] = {
    "py_ecc.bls": {"G2ProofOfPossession": None},
    # The orders of both curves, which bound a private key.
    "py_ecc.bls12_381": {"curve_order": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001},
    "py_ecc.secp256k1": {"N": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141},
}

if "py_ecc" not in sys.modules:
    for _name, _values in _IN_PLACE_OF.items():
        sys.modules[_name] = ModuleType(_name)
        sys.modules[_name].__dict__.update(_values)
