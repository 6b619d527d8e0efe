"""Which executed calls explain a changed address."""

from dataclasses import replace

from eth_utils.crypto import keccak

from reminder_worker.chain.abi_codec import encode_address
from reminder_worker.upgrades.getters import GETTERS
from reminder_worker.upgrades.setters import NOBODY, ExecutedCall, SetterChange, SetterEvent, is_explained

ROUTER, ADMIN, SAFE, OTHER = ("0x" + digits * 20 for digits in ("a1", "b2", "c3", "d4"))


def changed(getter: str, now: str) -> SetterChange:
    watched = next(each for each in GETTERS if each.getter == getter)
    return SetterChange(watched, ROUTER, before=SAFE, now=now, since=100)


def call(function: str, *arguments: str, target: str = ROUTER, block: int = 101) -> ExecutedCall:
    return ExecutedCall(block, target, keccak(text=function)[:4] + b"".join(map(encode_address, arguments)))


def test_an_executed_call_explains_its_change() -> None:
    for change, by in (
        (changed("timelockERC721Contract", OTHER), call("setTimelock(address,address,address)", SAFE, OTHER, SAFE)),
        (changed("owner", OTHER), call("transferOwnership(address)", OTHER)),
        (changed("owner", NOBODY), call("renounceOwnership()")),
        (changed("uniswapRouter", OTHER), call("upgrade(address,address)", ROUTER, OTHER, target=ADMIN)),
    ):
        assert is_explained(change, [by])


def test_another_call_explains_nothing() -> None:
    for by in (
        call("setUniswapRouter(address)", SAFE),
        call("setUniswapRouter(address)", OTHER, target=ADMIN),
        call("setUniswapRouter(address)", OTHER, block=100),
        call("setUniswapRouter(address)"),
        call("setTokenWhitelist(address)", OTHER),
        call("renounceOwnership()"),
        call("upgrade(address,address)", ADMIN, OTHER, target=ADMIN),
        call("unknown(address)", OTHER),
    ):
        assert not is_explained(changed("uniswapRouter", OTHER), [by])


def transferred(new: str, block: int) -> SetterEvent:
    return SetterEvent(ROUTER, "OwnershipTransferred", new, block, "0x" + "ee" * 32)


def test_each_event_needs_a_call_in_its_block_and_the_answer_the_last_event() -> None:
    change = replace(changed("owner", OTHER), events=(transferred(ADMIN, 101), transferred(OTHER, 102)))
    calls = [call("transferOwnership(address)", ADMIN), call("transferOwnership(address)", OTHER, block=102)]
    assert is_explained(change, calls)
    assert not is_explained(change, calls[1:])
    assert not is_explained(replace(change, now=SAFE, before=ADMIN), calls)
    assert not is_explained(replace(change, before=OTHER), [])
