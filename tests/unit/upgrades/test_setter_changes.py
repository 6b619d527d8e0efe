"""Which executed calls explain a changed address."""

import pytest
from eth_utils.crypto import keccak

from reminder_worker.chain.abi_codec import encode_address
from reminder_worker.upgrades.setters import GETTERS, NOBODY, ExecutedCall, SetterChange, is_explained

ROUTER, ADMIN, SAFE, OTHER = ("0x" + digits * 20 for digits in ("a1", "b2", "c3", "d4"))


def changed(getter: str, now: str) -> SetterChange:
    watched = next(each for each in GETTERS if each.getter == getter)
    return SetterChange(watched, ROUTER, before=SAFE, now=now, since=100)


def call(function: str, *arguments: str, target: str = ROUTER, block: int = 101) -> ExecutedCall:
    return ExecutedCall(block, target, keccak(text=function)[:4] + b"".join(map(encode_address, arguments)))


@pytest.mark.parametrize(
    ("change", "by"),
    [
        (changed("timelockERC721Contract", OTHER), call("setTimelock(address,address,address)", SAFE, OTHER, SAFE)),
        (changed("owner", OTHER), call("transferOwnership(address)", OTHER)),
        (changed("owner", NOBODY), call("renounceOwnership()")),
        (changed("uniswapRouter", OTHER), call("upgrade(address,address)", ROUTER, OTHER, target=ADMIN)),
    ],
    ids=["setter of three", "new owner", "no owner", "upgrade"],
)
def test_an_executed_call_explains_its_change(change: SetterChange, by: ExecutedCall) -> None:
    assert is_explained(change, [by])


@pytest.mark.parametrize(
    "by",
    [
        call("setUniswapRouter(address)", SAFE),
        call("setUniswapRouter(address)", OTHER, target=ADMIN),
        call("setUniswapRouter(address)", OTHER, block=100),
        call("setUniswapRouter(address)"),
        call("setTokenWhitelist(address)", OTHER),
        call("renounceOwnership()"),
        call("upgrade(address,address)", ADMIN, OTHER, target=ADMIN),
        call("unknown(address)", OTHER),
    ],
    ids=["address", "contract", "earlier", "cut", "setter", "owner", "other proxy", "unknown"],
)
def test_another_call_explains_nothing(by: ExecutedCall) -> None:
    assert not is_explained(changed("uniswapRouter", OTHER), [by])
