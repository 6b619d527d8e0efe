"""One chain through several endpoints: a real node, and in front of it endpoints that fail in every way."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
import structlog
from aiohttp import web

from devnet.chain import usable_port
from devnet.scenarios import LegacyMode, Scenario
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.client import Chain
from reminder_worker.chain.events import TRANSFER_TOPIC
from reminder_worker.chain.logs import LogFilter
from reminder_worker.chain.types import NODE_POLICY, ContractCall, RevertedCall
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.settings.values import BlockTag
from tests.integration.chain_proxy import Json, NodeProxy, chain_settings, limited_by_second, proxy

pytestmark = pytest.mark.one_order("endpoints are asked in turn, and the one that is asked first fails")

DEAD_KEY = "dead-endpoint-key"
SECRET = "api-key-of-the-endpoint"
UNKNOWN_HASH = "0x" + "5a" * 32
DEAD_ADDRESS = "0x" + "de" * 20


class Clock:
    """Time that moves only while the chain sleeps. Tasks may sleep side by side."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        end = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, end)


@pytest.fixture
def clock() -> Clock:
    return Clock()


Connect = Callable[..., Chain]


@pytest.fixture
async def connect(chain_scenario: Scenario, clock: Clock) -> AsyncIterator[Connect]:
    """A chain over these endpoints, with a clock of its own; closed after the test."""
    opened: list[Chain] = []

    def made(*urls: str, **more: Any) -> Chain:
        settings = chain_settings(chain_scenario, *urls, **more)
        opened.append(Chain(settings, clock=clock, sleep=clock.sleep, jitter=lambda: 1.0))
        return opened[-1]

    yield made
    for chain in opened:
        await chain.close()


@pytest.fixture
async def first(chain_scenario: Scenario) -> AsyncIterator[NodeProxy]:
    async with proxy(chain_scenario.anvil.url, SECRET) as opened:
        yield opened


@pytest.fixture
async def second(chain_scenario: Scenario) -> AsyncIterator[NodeProxy]:
    async with proxy(chain_scenario.anvil.url) as opened:
        yield opened


def error(code: int, message: str, data: Any = None) -> Json:
    return {"error": {"code": code, "message": message, "data": data}}


def only(method: str, told: Json) -> Callable[[Json], Json | None]:
    return lambda request: told if request["method"] == method else None


def replying(body: Any, status: int = 200) -> Callable[[], web.Response]:
    return lambda: web.json_response(body, status=status)


def dead_url() -> str:
    return f"http://127.0.0.1:{usable_port()}/{DEAD_KEY}"


# -- failover -------------------------------------------------------------------------------------


FAILURES: dict[str, Callable[[NodeProxy], None]] = {
    "429": lambda p: setattr(p, "reply", lambda: web.Response(status=429)),
    "500": lambda p: setattr(p, "reply", lambda: web.Response(status=500, text="oops")),
    "redirect": lambda p: setattr(
        p, "reply", lambda: web.Response(status=302, headers={"Location": "http://127.0.0.1/"})
    ),
    "HTML": lambda p: setattr(p, "reply", lambda: web.Response(text="<html>")),
    "empty": lambda p: setattr(p, "reply", lambda: web.Response(text="")),
    "number": lambda p: setattr(p, "reply", lambda: web.Response(text="7")),
    "not UTF-8": lambda p: setattr(p, "reply", lambda: web.Response(body=b'{"result": "\xff"}')),
    "nested without end": lambda p: setattr(p, "reply", lambda: web.Response(body=b"[" * 100_000)),
    "list": lambda p: setattr(p, "reply", lambda: web.Response(text="[1]")),
    "no result": lambda p: setattr(p, "answer", only("eth_getBlockByNumber", {})),
    "wrong type": lambda p: setattr(p, "answer", only("eth_getBlockByNumber", {"result": {"number": 5}})),
    "error": lambda p: setattr(p, "answer", only("eth_getBlockByNumber", error(-32603, "internal"))),
    "error without shape": lambda p: setattr(p, "answer", only("eth_getBlockByNumber", {"error": "no"})),
    "rate limit": lambda p: setattr(p, "answer", only("eth_getBlockByNumber", error(-32005, "rate limit reached"))),
}

LIMITS = [
    (-32005, "daily request count exceeded, request rate limited"),
    (-32005, "project ID request rate exceeded"),
    (-32007, "50/second request limit reached - reduce calls per second or upgrade your account"),
    (-32012, "credits limited to 6000/sec"),
    (-32016, "over rate limit"),
    (-32090, "Too many requests, reason: call rate limit exhausted, retry in 10s"),
    (15, "Too many request, try again later"),
    (429, "Your app has exceeded its compute units per second capacity."),
    (-32005, "You've exceeded the RPS limit available on the current plan."),
]


async def test_a_failing_endpoint_is_passed_over(connect: Connect, first: NodeProxy, chain_scenario: Scenario) -> None:
    for fail in FAILURES.values():
        first.well()
        fail(first)
        chain = connect(first.url, chain_scenario.anvil.url)
        block = await chain.get_block("latest")
        assert block is not None
        assert block.number == chain_scenario.anvil.block_number()
        assert [health.errors for health in chain.endpoints.list_health()] == [1, 0]
        assert chain.endpoints.list_health()[1].head == block.number


async def test_a_rate_limited_endpoint_rests_whatever_its_words(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """Providers say so inside an HTTP 200, too, and of each request of a batch. Asked on, in smaller and more requests,
    it would stay at its limit."""
    for code, message in LIMITS:
        chain = connect(first.url, chain_scenario.anvil.url)
        await chain.endpoints.check_chain_ids()
        first.answer = only("eth_getBlockByNumber", error(code, message))
        first.posts.clear()
        assert None not in await chain.get_blocks([0, 1])
        assert chain.endpoints.members[0].rest.is_resting
        assert len(first.posts) == 1


async def test_an_endpoint_that_hangs_is_passed_over(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    first.hang = True
    chain = connect(first.url, chain_scenario.anvil.url, RPC_TIMEOUT=0.2)
    assert await chain.get_block("latest") is not None


async def test_after_one_that_hung_others_are_asked_first_for_four_times_as_long(
    connect: Connect, first: NodeProxy, second: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    """Its rests are short at first: it would take all the time that a run has for a chain."""
    chain_scenario.anvil.catch_up()  # after an old block the next endpoint is asked, too
    chain = connect(first.url, second.url)
    await chain.endpoints.check_chain_ids()

    def hang() -> web.Response:
        clock.now += 15
        return web.Response(status=504)

    first.reply = hang
    first.posts.clear()
    for seconds, asked in ((0, 1), (1, 1), (58, 1), (2, 2)):
        clock.now += seconds
        await chain.get_block("latest")
        assert len(first.posts) == asked
    second.reply = lambda: web.Response(status=500)
    first.reply = None
    clock.now += 1
    assert await chain.get_block("latest") is not None, "who is asked last is asked"
    second.reply = None
    clock.now += 1
    await chain.get_block("latest")
    assert len(first.posts) == 4, "and first again when it is well"


async def test_a_failing_endpoint_rests_longer_each_time_and_is_used_again_when_well(
    connect: Connect, first: NodeProxy, second: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    chain_scenario.anvil.catch_up()
    first.reply = lambda: web.Response(status=503)
    chain = connect(first.url, second.url)
    rests = []
    for _ in range(3):
        before = len(first.posts)
        await chain.get_block("latest")
        await chain.get_block("latest")  # while it rests
        assert len(first.posts) == before + 1
        rests.append(chain.endpoints.members[0].rest.until - clock.now)
        clock.now += rests[-1]
    assert rests == [0.25, 0.5, 1.0]
    first.well()
    used = len(second.posts)
    await chain.get_block("latest")
    assert len(second.posts) == used
    assert [health.ok for health in chain.endpoints.list_health()] == [True, True]


async def test_when_all_fail_the_chain_is_unavailable_and_after_a_while_without_asking(
    connect: Connect, first: NodeProxy, clock: Clock
) -> None:
    first.reply = lambda: web.Response(status=500)
    chain = connect(first.url, dead_url())
    for _ in range(3):
        with pytest.raises(ChainUnavailable):
            await chain.get_block("latest")
    asked = len(first.posts)
    with pytest.raises(ChainUnavailable):
        await chain.get_block("latest")
    assert len(first.posts) == asked


async def test_no_error_log_or_health_names_an_endpoints_key(
    connect: Connect, first: NodeProxy, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    first.reply = lambda: web.Response(status=401)
    chain = connect(dead_url(), first.url, f"http://user:{SECRET}@127.0.0.1:1/")
    with structlog.testing.capture_logs() as lines, pytest.raises(ChainUnavailable) as caught:
        await chain.get_block("latest")
    seen: list[str] = [caplog.text, repr(lines), repr(chain.endpoints.list_health()), repr(chain)]
    failure: BaseException | None = caught.value
    while failure is not None:
        seen.append(repr(failure))
        failure = failure.__context__
    assert lines
    assert not [text for text in seen if SECRET in text or DEAD_KEY in text]


# -- the right chain ------------------------------------------------------------------------------


async def test_check_names_an_endpoint_of_another_chain(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    first.answer = only("eth_chainId", {"result": "0x1"})
    with pytest.raises(Misconfigured, match=r"2:127\.0\.0\.1 serves chain 1"):
        await connect(chain_scenario.anvil.url, first.url).endpoints.check_chain_ids()


async def test_an_endpoint_that_was_down_at_the_start_is_verified_before_its_answers_count(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario, clock: Clock
) -> None:
    first.reply = lambda: web.Response(status=503)
    chain = connect(first.url, chain_scenario.anvil.url)
    await chain.endpoints.check_chain_ids()
    first.well()
    first.answer = lambda request: (
        {"result": "0x1"} if request["method"] == "eth_chainId" else error(-32000, "must not be asked")
    )
    clock.now += 100
    assert await chain.get_block("latest") is not None
    assert set(first.methods()) == {"eth_chainId"}
    assert chain.endpoints.list_health()[0].ok is False


# -- nodes that lag -------------------------------------------------------------------------------


def lagging(method: str) -> Callable[[Json], Json | None]:
    return only(method, {"result": None})


async def test_the_next_endpoint_is_asked_for_what_a_lagging_one_lacks(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    anvil = chain_scenario.anvil
    sent = chain_scenario.mint(chain_scenario.deployment.usdc, chain_scenario.account("a").address, 5)
    latest = anvil.rpc("eth_getBlockByNumber", "latest", False)
    number = int(latest["number"], 16)
    first.answer = lambda request: (
        {"result": None}
        if request["method"] in ("eth_getBlockByHash", "eth_getTransactionByHash")
        or (request["method"] == "eth_getBlockByNumber" and request["params"][0] == latest["number"])
        else None
    )
    chain = connect(first.url, anvil.url)
    by_hash = await chain.get_block_by_hash(latest["hash"])
    assert by_hash is not None
    assert by_hash.number == number
    assert [block.number for block in await chain.get_blocks([number, 0, number - 1]) if block] == [
        number,
        0,
        number - 1,
    ]
    assert await chain.get_senders([sent]) == [anvil.rpc("eth_getTransactionByHash", sent)["from"]]
    assert chain.endpoints.list_health()[0].ok


@pytest.mark.parametrize("tag", ["latest", "safe", "finalized"])
async def test_an_endpoint_that_stopped_importing_blocks_does_not_stop_the_time(
    tag: BlockTag, connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """It answers as ever, with a block of long ago. While its block is young nobody else is asked."""
    anvil = chain_scenario.anvil
    chain_scenario.anvil.catch_up()
    anvil.mine(100)
    newest = int(anvil.rpc("eth_getBlockByNumber", tag, False)["number"], 16)
    frozen = {**anvil.rpc("eth_getBlockByNumber", "0x1", False), "timestamp": hex(int(time.time()) - 7200)}
    chain = connect(first.url, anvil.url)
    for heads in ([newest, None], [newest, newest]):
        block = await chain.get_block(tag)
        assert block is not None
        assert block.number == newest
        assert [health.head for health in chain.endpoints.list_health()] == heads
        first.answer = only("eth_getBlockByNumber", {"result": frozen})
    block = await connect(first.url).get_block(tag)
    assert block is not None
    assert block.number == 1


async def test_a_poll_knows_the_head_that_another_one_asked_for_and_a_run_asks(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    chain_scenario.anvil.catch_up()
    chain, local = connect(first.url), connect(first.url)
    chain.shares_heads = True
    head = await chain.get_known_head()
    first.posts.clear()
    assert await chain.get_known_head() == head
    assert not first.posts
    chain_scenario.anvil.mine()
    assert (await chain.get_head()).number == head.number + 1
    assert (await chain.get_known_head()).number == head.number + 1, "what a run asked for serves, too"
    first.posts.clear()
    for _ in range(2):
        await local.get_known_head()
    assert first.asked["eth_getBlockByNumber"] == 2, "a local chain makes blocks on demand"


@pytest.mark.parametrize("tag", ["latest", "safe"])
async def test_an_endpoint_that_is_ahead_of_time_is_not_believed_while_another_is_not(
    tag: BlockTag, connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """By its time every signal that waits would be too old, for good, and no legacy due for a look for years."""
    anvil = chain_scenario.anvil
    chain_scenario.anvil.catch_up()
    anvil.mine(100)
    true = anvil.rpc("eth_getBlockByNumber", tag, False)
    years = {**true, "number": hex(10**6), "timestamp": hex(int(time.time()) + 10**8)}
    first.answer = only("eth_getBlockByNumber", {"result": years})
    block = await connect(first.url, anvil.url).get_block(tag)
    assert block is not None
    assert block.hash == true["hash"]
    assert block.number == int(true["number"], 16)
    block = await connect(first.url).get_block(tag)
    assert block is not None
    assert block.number == 10**6  # a chain of one's own may be set ahead


async def test_an_endpoint_that_stopped_importing_blocks_tells_no_price_and_no_balance(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """Its price is old: our transactions would not be mined, without a visible reason."""
    anvil, wallet = chain_scenario.anvil, chain_scenario.account("wallet").address
    chain_scenario.anvil.catch_up()
    anvil.set_balance(wallet, 7)
    chain = connect(first.url, anvil.url)
    now = await chain.get_fees()
    assert await chain.get_balance(wallet) == 7
    long_ago = {**anvil.rpc("eth_getBlockByNumber", "0x1", False), "timestamp": hex(int(time.time()) - 7200)}
    told = {
        "eth_getBlockByNumber": long_ago,
        "eth_feeHistory": {"baseFeePerGas": [hex(now[0] * 9)], "reward": []},
        "eth_getBalance": "0x1",
    }
    first.answer = lambda request: {"result": told[request["method"]]} if request["method"] in told else None
    assert await chain.get_fees() == now
    assert await chain.get_balance(wallet) == 7
    alone = connect(first.url)
    assert (await alone.get_fees(), await alone.get_balance(wallet)) == ((now[0] * 9, 0), 1), "nobody knows better"


async def test_a_call_at_a_block_that_an_endpoint_lacks_goes_to_the_next(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """Also from a provider that says so with HTTP 403, because old state is for who pays."""
    for message in (
        "header not found",
        "header for hash not found",
        "block not found: 0x12",
        "Unknown block",
        "missing trie node 1f (path )",
        "state histories haven't been fully indexed yet",
        "old data not available due to pruning",
        "project ID does not have access to archive state",
        "Archive requests require a personal token. Get yours",
        "no state found for block number 49107280",
        "0x5a5a could not be found",
    ):
        for status in (200, 403):
            told = error(-32000, message)
            first.answer = only("eth_call", told)
            chain = connect(first.url, chain_scenario.anvil.url)
            block = await chain.get_block("latest")
            assert block is not None
            call = ContractCall(chain_scenario.deployment.usdc, find_selector("ERC20", "decimals"))
            if status == 403:
                first.reply = replying({"jsonrpc": "2.0", "id": 1, **told}, status)
            assert await chain.call(call, at=block.hash) == (6).to_bytes(32, "big")
            first.reply = None
            assert chain.endpoints.list_health()[0].errors == 0  # it lags, it does not fail
            with pytest.raises(ChainUnavailable):
                await chain.call(call, at=UNKNOWN_HASH)
            with pytest.raises(ChainUnavailable):
                await chain.call_many([call] * 40, at=UNKNOWN_HASH)


# -- calls ----------------------------------------------------------------------------------------


async def test_a_revert_is_a_value_of_the_first_endpoint_that_is_well(
    connect: Connect, first: NodeProxy, second: NodeProxy, chain_scenario: Scenario
) -> None:
    chain = connect(first.url, second.url)
    deployment = chain_scenario.deployment
    user = chain_scenario.account("a").address
    transfer = ContractCall(deployment.usdc, bytes.fromhex("a9059cbb" + "00" * 12 + user[2:] + "00" * 31 + "01"))
    answer = await chain.call(transfer)
    assert isinstance(answer, RevertedCall)
    assert answer.data[:4] == bytes.fromhex("4e487b71")  # Panic(uint256): arithmetic underflow
    assert second.posts == []
    assert chain.endpoints.list_health()[0].errors == 0


async def test_reverts_are_known_in_every_nodes_words(connect: Connect, first: NodeProxy) -> None:
    """Also from nodes that send a JSON-RPC error with HTTP 500."""
    for told, data in (
        (error(3, "execution reverted", "0x08c379a0"), "08c379a0"),
        (error(-32000, "execution reverted"), ""),
        (error(-32015, "VM execution error.", "Reverted 0x1234"), "1234"),
        (error(-32603, "reverted", {"data": "0x1234"}), "1234"),
        (error(-32000, "out of gas"), ""),
        (error(-32000, "invalid opcode: INVALID"), ""),
        (error(-32000, "execution aborted (timeout = 5s)"), ""),
        (error(-32000, "Transaction processing could not be completed due to an exception: INVALID_OPERATION"), ""),
        (error(-32015, "BadInstruction"), ""),
        (error(-32015, "invalid instruction"), ""),
        (error(-32015, "StaticCallViolation"), ""),
        (error(3, "execution reverted: rate limit, header not found", "0x"), ""),
    ):
        for status in (200, 500):
            first.well()
            chain = connect(first.url)
            await chain.endpoints.check_chain_ids()
            first.answer = only("eth_call", told)
            if status == 500:
                first.reply = replying({"jsonrpc": "2.0", "id": 1, **told}, status)
            assert await chain.call(ContractCall("0x" + "11" * 20, b"")) == RevertedCall(bytes.fromhex(data))


async def test_a_node_that_stalls_over_a_small_read_is_no_revert(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """A refusal for good would follow from it: of a signal, as if its legacy were not genuine."""
    chain = connect(first.url, chain_scenario.anvil.url)
    await chain.endpoints.check_chain_ids()
    first.answer = only("eth_call", error(-32000, "execution aborted (timeout = 5s)"))
    call = ContractCall(chain_scenario.deployment.usdc, find_selector("ERC20", "decimals"))
    assert await chain.call(call, gas=NODE_POLICY.read_gas) == (6).to_bytes(32, "big")
    assert await connect(first.url).call(call) == RevertedCall()  # it may have been asked for too much
    with pytest.raises(ChainUnavailable):
        await connect(first.url).call_many([call] * 2)


async def test_many_calls_keep_their_order_and_are_isolated(connect: Connect, chain_scenario: Scenario) -> None:
    deployment = chain_scenario.deployment
    decimals = find_selector("ERC20", "decimals")
    calls = [
        ContractCall(deployment.usdc, decimals),
        ContractCall(deployment.no_metadata_token, decimals),  # reverts
        ContractCall(deployment.dai, decimals),
        ContractCall("0x" + "77" * 20, decimals),  # no contract
    ] * 300
    answers = await connect(chain_scenario.anvil.url).call_many(calls)
    assert answers == [(6).to_bytes(32, "big"), RevertedCall(), (18).to_bytes(32, "big"), b""] * 300


async def test_a_neighbour_that_burns_the_gas_takes_no_one_down(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """The first call leaves 1/64 of the gas to the later calls, which fail inside Multicall3 without a fault of their
    own. Repeated alone, the first call may burn only a little."""
    owner = chain_scenario.account("owner")
    heir: dict[str, int] = {chain_scenario.account("heir").address: 100}
    burner, other = (chain_scenario.create_reverting_legacy(owner, heir) for _ in range(2))
    chain_scenario.set_mode(burner, LegacyMode.BURNS_GAS)
    triggers = find_selector("Legacy", "getTriggerActivationTimestamp")
    calls = [ContractCall(burner.address, triggers)] + [ContractCall(other.address, triggers)] * 499
    answers = await connect(first.url).call_many(calls)
    assert isinstance(answers[0], RevertedCall)
    assert not [answer for answer in answers[1:] if isinstance(answer, RevertedCall)]
    alone = [request for request in first.requests if request["params"][:1] and "from" in request["params"][0]]
    assert alone
    assert {request["params"][0]["gas"] for request in alone} == {hex(NODE_POLICY.read_gas)}


async def test_a_chunk_that_nodes_refuse_is_halved(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    def most(request: Json) -> Json | None:
        if request["method"] == "eth_call" and len(request["params"][0]["data"]) > 2 * 20 * 200:
            return error(-32000, "request too large")
        return None

    first.answer = most
    call = ContractCall(chain_scenario.deployment.usdc, find_selector("ERC20", "decimals"))
    assert await connect(first.url).call_many([call] * 100) == [(6).to_bytes(32, "big")] * 100


async def test_a_missing_multicall_is_the_installations_fault(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    calls = [ContractCall(chain_scenario.deployment.usdc, find_selector("ERC20", "decimals"))] * 2
    with pytest.raises(Misconfigured, match="MULTICALL3"):
        await connect(chain_scenario.anvil.url, MULTICALL3="0x" + "77" * 20).call_many(calls)
    first.answer = only("eth_call", {"result": "0x" + "00" * 64})
    with pytest.raises(Misconfigured, match="MULTICALL3"):
        await connect(first.url).call_many(calls)


# -- answers beyond their bound -------------------------------------------------------------------


def padded(method: str) -> Callable[[Json, Json], Json]:
    """As `alter` of a proxy: make the answers to `method` longer than a short answer may be."""
    return lambda request, response: (
        response | {"result": pad(response["result"])} if request["method"] == method else response
    )


def pad(result: str) -> str:
    more = "00" * (NODE_POLICY.answer_bytes // 2)
    return result + more


SHORT_READS: dict[str, Callable[[Chain], Any]] = {
    "eth_getBlockByNumber": lambda chain: chain.get_blocks([0, 1]),
    "eth_getBlockByHash": lambda chain: chain.get_block_by_hash(UNKNOWN_HASH),
    "eth_getTransactionCount": lambda chain: chain.has_sent(DEAD_ADDRESS),
    "eth_feeHistory": lambda chain: chain.get_fees(),
    "eth_getBalance": lambda chain: chain.get_balance(DEAD_ADDRESS),
    "eth_getCode": lambda chain: chain.get_code(DEAD_ADDRESS),
}


@pytest.mark.parametrize("method", SHORT_READS)
async def test_answer_beyond_its_bound_is_the_endpoints_failure(
    method: str, connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """The endpoint rests, and the next one is asked."""
    chain_scenario.anvil.catch_up()
    read = SHORT_READS[method]
    first.alter = lambda request, response: (
        response | {"result": "0x" + "0" * NODE_POLICY.answer_bytes} if request["method"] == method else response
    )
    chain = connect(first.url, chain_scenario.anvil.url)
    await chain.endpoints.check_chain_ids()
    assert await read(chain) == await read(connect(chain_scenario.anvil.url))
    assert chain.endpoints.members[0].rest.is_resting
    assert [health.errors for health in chain.endpoints.list_health()] == [1, 0]


async def test_long_answer_to_a_call_is_a_revert_if_every_endpoint_gives_it_and_else_the_endpoints_failure(
    connect: Connect, first: NodeProxy, second: NodeProxy, chain_scenario: Scenario
) -> None:
    """A stranger's contract must not make endpoints rest, and an endpoint must not hide a contract's answer."""
    call = ContractCall(chain_scenario.deployment.usdc, find_selector("ERC20", "decimals"))
    first.alter = second.alter = padded("eth_call")
    chain = connect(first.url, second.url)
    await chain.endpoints.check_chain_ids()
    assert await chain.call(call) == RevertedCall()
    assert await chain.call_many([call] * 3) == [b""] * 3  # cut, as other long answers: no list is empty by it
    assert [(health.ok, health.errors) for health in chain.endpoints.list_health()] == [(True, 0)] * 2
    second.well()
    assert await chain.call(call) == (6).to_bytes(32, "big")
    assert [(health.ok, health.errors) for health in chain.endpoints.list_health()] == [(False, 1), (True, 0)]


async def test_long_answer_to_a_call_waits_for_an_endpoint_that_rests_for_a_moment(
    connect: Connect, first: NodeProxy, second: NodeProxy, chain_scenario: Scenario
) -> None:
    """An endpoint that is silent for longer must not let a stranger's contract stop all reading."""
    call = ContractCall(chain_scenario.deployment.usdc, find_selector("ERC20", "decimals"))
    chain = connect(first.url, second.url)
    await chain.endpoints.check_chain_ids()

    def fail_once() -> web.Response:
        second.well()
        return web.Response(status=500)

    first.alter = padded("eth_call")
    second.reply = fail_once
    assert await chain.call(call) == (6).to_bytes(32, "big")
    second.reply = lambda: web.Response(status=500)
    assert await chain.call(call) == RevertedCall()
    assert await chain.call_many([call] * 3) == [b""] * 3


async def test_long_answer_to_one_call_of_a_batch_costs_the_other_calls_nothing(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    usdc, dai = (ContractCall(each, find_selector("ERC20", "decimals")) for each in tokens(chain_scenario))
    first.alter = lambda request, response: (
        response | {"result": pad(response["result"])} if dai.to in str(request).lower() else response
    )
    chain = connect(first.url)
    head = await chain.get_head()
    answers = await chain.call_each([(usdc, 10**6), (dai, 10**6), (usdc, 10**6)], at=head.hash, sender=DEAD_ADDRESS)
    assert answers == [(6).to_bytes(32, "big"), None, (6).to_bytes(32, "big")]


def tokens(scenario: Scenario) -> tuple[str, str]:
    return scenario.deployment.usdc.lower(), scenario.deployment.dai.lower()


async def test_batch_with_too_long_answers_is_asked_again_in_halves(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """Each of them is within its bound. The next batches are as large as before."""
    chain_scenario.anvil.mine(20)
    long = ["0x" + "11" * 32] * 14_000
    first.alter = lambda request, response: (
        response | {"result": response["result"] | {"transactions": long}}
        if request["method"] == "eth_getBlockByNumber"
        else response
    )
    chain = connect(first.url)
    assert [block.number for block in await chain.get_blocks(range(20)) if block] == list(range(20))
    assert [len(post) for post in first.posts if isinstance(post, list)] == [20, 10, 10]
    first.well()
    first.posts.clear()
    await chain.get_blocks(range(20))
    assert [len(post) for post in first.posts] == [20]


async def test_range_with_too_many_logs_is_asked_for_in_smaller_ranges(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    sent = mints(chain_scenario, 6)
    most = NODE_POLICY.long_answer_bytes

    def widen(request: Json, response: Json) -> Json:
        wide = request["method"] == "eth_getLogs" and len(response["result"]) > 2
        return response | {"result": [*response["result"], "0" * most]} if wide else response

    first.alter = widen
    chain = connect(first.url)
    assert (await usdc_logs(chain, chain_scenario))[-6:] == sent
    assert chain.endpoints.list_health()[0].ok


# -- batches -------------------------------------------------------------------------------------


async def test_an_endpoint_that_refuses_batches_is_asked_in_smaller_ones(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    chain_scenario.anvil.mine(20)
    for most in (1, 3):
        first.most_in_a_batch = most
        blocks = await connect(first.url).get_blocks(range(20))
        assert [block.number for block in blocks if block] == list(range(20))


async def test_a_batch_answered_in_part_is_the_endpoints_failure(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """One is missing, one is doubled, or none has an id."""
    one: Json = {"jsonrpc": "2.0", "id": 1, "result": None}
    for answers in ([one], [one, one], [{**one, "id": None}, {**one, "id": None}]):
        first.well()
        chain = connect(first.url, chain_scenario.anvil.url)
        await chain.endpoints.check_chain_ids()
        first.reply = replying(answers)
        assert None not in await chain.get_blocks([0, 1])
        assert chain.endpoints.list_health()[0].errors == 1


# -- limits of providers ----------------------------------------------------------------------------


def answered(node: NodeProxy) -> Counter[str]:
    """Count the blocks that the proxy gives, by number; refusals count for nothing."""
    found: Counter[str] = Counter()

    def count(request: Json, response: Json) -> Json:
        if request["method"] == "eth_getBlockByNumber":
            found[request["params"][0]] += 1
        return response

    node.alter = count
    return found


@pytest.mark.core
@pytest.mark.parametrize("code", [429, -32012, -32005])
async def test_blocks_beyond_a_limit_by_the_second_are_read_and_no_answer_is_paid_for_twice(
    code: int, connect: Connect, first: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    chain_scenario.anvil.mine(20)
    first.answer = limited_by_second(12, clock, error(code, "rate limit exceeded"))
    given = answered(first)
    chain = connect(first.url)
    await chain.endpoints.check_chain_ids()
    clock.now += 1
    first.posts.clear()
    assert [block.number for block in await chain.get_blocks(range(20)) if block] == list(range(20))
    assert given == {hex(number): 1 for number in range(20)}
    assert [len(post) for post in first.posts] == [20, 8]
    assert chain.endpoints.list_health()[0].ok, "a limit is no failure as long as answers come"


async def test_learned_limit_by_the_second_paces_later_batches_until_it_is_forgotten(
    connect: Connect, first: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    chain_scenario.anvil.mine(60)
    first.answer = limited_by_second(12, clock, error(429, "compute units per second"))
    chain = connect(first.url)
    await chain.endpoints.check_chain_ids()
    clock.now += 1
    await chain.get_blocks(range(60))
    first.posts.clear()
    assert None not in await chain.get_blocks(range(60))
    assert [len(post) for post in first.posts] == [12] * 5, "nothing is refused any more"
    first.well()
    first.posts.clear()
    clock.now += NODE_POLICY.larger_batches_again_seconds
    await chain.get_blocks(range(60))
    assert [len(post) for post in first.posts] == [60]


async def learn_limit(chain: Chain, node: NodeProxy, clock: Clock) -> None:
    """Let the chain learn that the node allows 12 requests a second. The node refuses nothing afterwards."""
    await chain.endpoints.check_chain_ids()
    clock.now += 1
    node.answer = limited_by_second(12, clock, error(429, "rate limit exceeded"))
    await chain.get_blocks(range(20))
    node.well()
    clock.now += 1
    clock.slept.clear()


@pytest.mark.parametrize("most", [0, 1])
async def test_refusal_of_a_small_batch_is_no_limit_of_later_requests(
    most: int, connect: Connect, first: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    """The node refuses one of two requests, or both."""
    chain_scenario.anvil.mine(20)
    chain = connect(first.url)
    await chain.endpoints.check_chain_ids()
    clock.now += 1
    first.answer = limited_by_second(most, lambda: 0, error(429, "rate limit exceeded"))
    with suppress(ChainUnavailable):
        await chain.get_blocks([0, 1])
    first.well()
    clock.now += 1
    clock.slept.clear()
    found = await asyncio.gather(*(chain.get_blocks([number]) for number in range(20)))
    assert [block.number for blocks in found for block in blocks if block] == list(range(20))
    assert clock.slept == []


async def test_small_batches_that_are_always_refused_become_single_requests(connect: Connect, first: NodeProxy) -> None:
    first.most_in_a_batch = 1
    first.refuses_batches = lambda batch, refusal: web.Response(status=429)
    chain = connect(first.url)
    with pytest.raises(ChainUnavailable):
        await chain.get_blocks([0, 1])
    assert None not in await chain.get_blocks([0, 1])


async def test_next_endpoint_is_asked_when_too_many_requests_wait_for_the_first(
    connect: Connect, first: NodeProxy, second: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    chain_scenario.anvil.mine(60)
    chain = connect(first.url, second.url)
    await learn_limit(chain, first, clock)
    second.posts.clear()
    found = await asyncio.gather(*(chain.get_blocks([number]) for number in range(60)))
    assert [block.number for blocks in found for block in blocks if block] == list(range(60))
    assert max(clock.slept) <= NODE_POLICY.longest_wait_seconds
    assert second.posts


async def test_cancelled_request_gives_its_place_in_the_queue_back(
    connect: Connect, first: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    chain = connect(first.url)
    await learn_limit(chain, first, clock)
    waiting = asyncio.gather(*(chain.get_blocks([0]) for _ in range(24)))
    await asyncio.sleep(0)  # each of them takes its place
    assert len(clock.slept) == 23
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    clock.now += 1
    clock.slept.clear()
    await chain.get_blocks([0])
    assert clock.slept == []


async def test_answers_before_a_failure_are_kept_and_the_next_endpoint_is_asked_for_the_rest(
    connect: Connect, first: NodeProxy, second: NodeProxy, chain_scenario: Scenario
) -> None:
    """The proxy answers 12 requests and then refuses all: another process uses up the limit of each second."""
    chain_scenario.anvil.mine(20)
    chain = connect(first.url, second.url)
    await chain.endpoints.check_chain_ids()
    first.answer = limited_by_second(12, lambda: 0, error(429, "too many requests"))
    second.posts.clear()
    assert None not in await chain.get_blocks(range(20))
    assert [request["params"][0] for request in second.requests] == [hex(number) for number in range(12, 20)]


async def test_batch_that_is_refused_as_a_whole_is_smaller_next_time(
    connect: Connect, first: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    """By HTTP 429, by one error for the batch, or by the same error and id for each of its requests."""
    chain_scenario.anvil.mine(20)
    refusal = {"jsonrpc": "2.0", "id": "1", **error(-32012, "credits limited to 6000/sec")}
    refusals: list[Callable[[list[Json], Json], web.Response]] = [
        lambda batch, _: web.Response(status=429),
        lambda batch, _: web.json_response(refusal),
        lambda batch, _: web.json_response([refusal] * len(batch)),
    ]
    first.most_in_a_batch = 5
    for refuse in refusals:
        first.refuses_batches = refuse
        first.posts.clear()
        chain = connect(first.url)
        assert None not in await chain.get_blocks(range(20))
        assert [len(post) for post in first.posts if isinstance(post, list)][:3] == [20, 10, 5]


@pytest.mark.parametrize("shared", [None, "7", 7])
async def test_answers_beside_refusals_without_an_id_of_their_own_are_kept(
    shared: object, connect: Connect, first: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    """The refusals have no id, a text, or share the id of an answer."""
    chain_scenario.anvil.mine(20)
    chain = connect(first.url)
    await chain.endpoints.check_chain_ids()
    clock.now += 1
    limit = limited_by_second(12, clock, error(-32012, "credits limited to 6000/sec"))

    def answer(request: Json) -> Json | None:
        refusal = limit(request)
        return refusal and refusal | {"id": shared}

    first.answer = answer
    given = answered(first)
    assert [block.number for block in await chain.get_blocks(range(20)) if block] == list(range(20))
    assert given == {hex(number): 1 for number in range(20)}
    assert chain.endpoints.list_health()[0].ok


@pytest.mark.parametrize("status", [429, 503])
async def test_endpoint_rests_for_as_long_as_it_asks_for(
    status: int, connect: Connect, first: NodeProxy, clock: Clock, chain_scenario: Scenario
) -> None:
    chain = connect(first.url, chain_scenario.anvil.url)
    await chain.endpoints.check_chain_ids()
    first.reply = lambda: web.Response(status=status, headers={"Retry-After": "30"})
    await chain.get_block("latest")
    assert chain.endpoints.members[0].rest.until - clock.now == 30
    assert not chain.endpoints.members[0].rest.is_spent


async def test_allowance_that_is_used_up_by_the_words_of_an_answer_ends_the_asking(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """Providers say so with HTTP 200, 403 or 429, alone or in a batch."""
    words = "Monthly capacity limit exceeded. Visit https://dashboard.example to upgrade your scaling policy"
    for code in (429, -32000, -32600):
        for status in (200, 403):
            first.well()
            chain = connect(first.url, chain_scenario.anvil.url)
            await chain.endpoints.check_chain_ids()
            told = {"jsonrpc": "2.0", "id": 1, **error(code, words)}
            first.reply = replying(told, status)
            assert None not in await chain.get_blocks([0, 1])
            assert chain.endpoints.members[0].rest.is_spent


async def test_words_of_a_contract_use_up_no_allowance(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """Some nodes put the reason of a revert into the message, and a stranger wrote it."""
    call = ContractCall(chain_scenario.deployment.usdc, find_selector("ERC20", "decimals"))
    chain = connect(first.url, chain_scenario.anvil.url)
    await chain.endpoints.check_chain_ids()
    first.answer = only("eth_call", error(-32000, "monthly capacity limit exceeded"))
    assert await chain.call(call) == (6).to_bytes(32, "big")
    assert not chain.endpoints.members[0].rest.is_spent
    first.answer = only("eth_call", error(-32000, "Reverted: monthly capacity limit exceeded"))
    assert await connect(first.url).call(call) == RevertedCall()


# -- logs -------------------------------------------------------------------------------------------


def mints(scenario: Scenario, count: int) -> list[str]:
    user = scenario.account("a").address
    return [scenario.mint(scenario.deployment.usdc, user, amount) for amount in range(1, count + 1)]


async def usdc_logs(chain: Chain, scenario: Scenario, last: int | None = None) -> list[str]:
    last = scenario.anvil.block_number() if last is None else last
    logs, _ = await chain.logs.read_logs(
        LogFilter(frozenset({scenario.deployment.usdc}), frozenset({TRANSFER_TOPIC})), 0, last
    )
    return [log.tx_hash for log in logs]


async def test_logs_are_found_in_order_by_a_node_that_refuses_wide_ranges(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    sent = mints(chain_scenario, 12)

    def narrow(request: Json) -> Json | None:
        span = request["params"][0] if request["method"] == "eth_getLogs" else None
        if span and int(span["toBlock"], 16) - int(span["fromBlock"], 16) > 4:
            return error(-32005, "query returned more than 10000 results")
        return None

    first.answer = narrow
    assert (await usdc_logs(connect(first.url), chain_scenario))[-12:] == sent


async def test_an_endpoint_without_the_last_block_is_not_believed_to_have_no_logs(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    """A lagging node answers with an empty list, not with an error."""
    sent = mints(chain_scenario, 2)
    head = chain_scenario.anvil.block_number()

    def behind(request: Json) -> Json | None:
        if request["method"] == "eth_getLogs":
            return {"result": []}
        if request["method"] == "eth_getBlockByNumber" and request["params"][0] == hex(head):
            return {"result": None}
        return None

    first.answer = behind
    assert (await usdc_logs(connect(first.url, chain_scenario.anvil.url), chain_scenario))[-2:] == sent
    with pytest.raises(ChainUnavailable):
        await usdc_logs(connect(first.url), chain_scenario)


async def test_logs_beyond_the_head_are_unavailable_not_empty(connect: Connect, chain_scenario: Scenario) -> None:
    with pytest.raises(ChainUnavailable):
        await usdc_logs(connect(chain_scenario.anvil.url), chain_scenario, chain_scenario.anvil.block_number() + 1)


async def test_an_endpoint_that_answers_with_other_logs_is_passed_over(
    connect: Connect, first: NodeProxy, chain_scenario: Scenario
) -> None:
    sent = mints(chain_scenario, 2)

    def forge(forged: Json, request: Json, response: Json) -> Json:
        if request["method"] != "eth_getLogs":
            return response
        return {**response, "result": [{**log, **forged} for log in response["result"]]}

    for forged in ({"address": "0x" + "12" * 20}, {"blockNumber": "0xffff"}, {"removed": True}, {"data": "0xabc"}):
        first.alter = partial(forge, forged)
        assert (await usdc_logs(connect(first.url, chain_scenario.anvil.url), chain_scenario))[-2:] == sent
