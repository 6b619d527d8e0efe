"""CPU and memory of each reader of foreign bytes, for its largest legal input and for hostile inputs.

A reader is measured in a process of its own. To add a reader, write a function that reads its input to the end, and a
row with the figures that it must stay below.
"""

import asyncio
import multiprocessing
import re
import time
import zlib
from base64 import encodebytes
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from aiohttp import web
from pydantic import SecretStr

import reminder_worker.chain.questions  # noqa: F401 - its import is not measured
from api.schemas import IngestBody
from bench.growth import stubbed_settings
from bench.surroundings import CHAIN_ID
from mail_service.refusals import classify_refusal
from mail_service.reports import parse_report
from mail_service.webhooks import SendgridBatch
from reminder_worker.chain.client import Chain
from reminder_worker.chain.logs import LogFilter
from reminder_worker.chain.rpc import find_longest
from reminder_worker.chain.types import MOST_GAS, BlockHeader, ContractCall, EventLog
from reminder_worker.errors import ChainUnavailable, IndexerUnavailable, Refused
from reminder_worker.indexer.log_reader import find_in_receipts
from reminder_worker.indexer.subgraph import SubgraphClient
from reminder_worker.reminders.recipients import read_recipient_set
from reminder_worker.strict_json import decode_json
from tests.delivery_reports import postfix

MIB = 1024 * 1024


@dataclass(frozen=True)
class ReaderCost:
    """`memory`: MiB at the peak, beside what the process held before it read."""

    cpu_seconds: float
    memory: float


async def measure_reader(read: Callable[..., object], *given: Any) -> ReaderCost:
    """Run `read(*given)` in a new process. `read` is a function of a module; its errors are raised here."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return await asyncio.get_running_loop().run_in_executor(pool, _measure, read, given)


def _measure(read: Callable[..., object], given: tuple[Any, ...]) -> ReaderCost:
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins again
    before, began = _read_peak(), time.process_time()
    read(*given)
    return ReaderCost(time.process_time() - began, _read_peak() - before)


def _read_peak() -> float:
    """Return the most memory that this process has held, in MiB."""
    (kib,) = re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(kib) / 1024


# -- answers of nodes ---------------------------------------------------------------------------------------

WORD, ADDRESS = "0x" + "11" * 32, "0x" + "22" * 20
BLOCK = {"number": "0x10", "hash": WORD, "parentHash": WORD, "timestamp": "0x6923"}
SMALL, MEDIUM, LARGE = 8, 50, 100
"""MiB for a short answer, for a long answer without use, and for a long answer with its values."""


def a_log(index: int, topics: int = 0) -> dict[str, Any]:
    """Return a log with the fields that nodes send."""
    block = {"blockNumber": "0x10", "blockHash": WORD, "blockTimestamp": "0x6923abcd"}
    place = {"transactionHash": WORD, "transactionIndex": "0x1", "logIndex": hex(index), "removed": False}
    return {"address": ADDRESS, "topics": [WORD] * topics, "data": "0x", **block, **place}


def a_receipt(logs: int) -> dict[str, Any]:
    place = {"transactionHash": WORD, "blockNumber": "0x10", "blockHash": WORD}
    cost = {"status": "0x1", "gasUsed": hex(MOST_GAS), "effectiveGasPrice": "0x1", "logsBloom": "0x" + "00" * 256}
    return place | cost | {"logs": [a_log(index) for index in range(logs)]}


def a_simulation(logs: int) -> list[Any]:
    call = {
        "returnData": "0x",
        "status": "0x1",
        "gasUsed": hex(MOST_GAS),
        "logs": [a_log(each) for each in range(logs)],
    }
    return [{"calls": [call]}]


def as_answer(result: object) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"result":' + msgspec.json.encode(result) + b"}"


def repeated(unit: bytes, size: int) -> bytes:
    """Return a list of the unit, so many bytes long."""
    return b"[" + b",".join([unit] * (size // (len(unit) + 1))) + b"]"


async def read_block(chain: Chain) -> object:
    return await chain.get_block("latest")


async def read_count(chain: Chain) -> object:
    return await chain.has_sent(ADDRESS)


async def read_price(chain: Chain) -> object:
    return await chain.get_fees()


async def read_call(chain: Chain) -> object:
    return await chain.call(ContractCall(ADDRESS, b""))


async def read_calls(chain: Chain) -> object:
    return await chain.call_many([ContractCall(ADDRESS, b"")] * 2)


async def read_receipt(chain: Chain) -> object:
    return await find_in_receipts(chain, [EventLog(ADDRESS, (), b"", 16, WORD, WORD, 0)])


async def find_logs(chain: Chain) -> object:
    """Look for logs in ten receipts, each as long as one may be."""
    places = ("0x" + f"{number:064x}" for number in range(10))
    return await find_in_receipts(chain, [EventLog(ADDRESS, (), b"", 16, WORD, place, 0) for place in places])


async def read_logs(chain: Chain) -> object:
    return await chain.logs.read_logs(LogFilter(frozenset({ADDRESS}), frozenset({WORD})), 16, 16)


async def read_simulation(chain: Chain) -> object:
    at = BlockHeader(16, WORD, WORD, 0)
    return await chain.simulate(ContractCall(ADDRESS, b""), at=at, sender=ADDRESS, gas=1, emitter=ADDRESS, payer=None)


def read_from_node(url: str, read: Callable[[Chain], Awaitable[object]], is_usable: bool) -> None:
    """Read as the worker does, from one endpoint, and check whether its answer is of use."""

    async def run() -> object:
        async with Chain(stubbed_settings("postgresql://-", url).chains[0]) as chain:
            try:
                return await read(chain)
            except ChainUnavailable:
                return None

    assert (asyncio.run(run()) is not None) is is_usable


@asynccontextmanager
async def node_with(answers: dict[str, bytes], **headers: str) -> AsyncIterator[str]:
    """Serve an answer for each method, as it is but for the request's id. A batch is a list of them."""
    answers = {"eth_chainId": as_answer(hex(CHAIN_ID)), "eth_getBlockByNumber": as_answer(BLOCK)} | answers

    async def serve(http: web.Request) -> web.Response:
        asked = msgspec.json.decode(await http.read())
        several = asked if isinstance(asked, list) else [asked]
        if "method" not in several[0]:  # a question to a subgraph
            return web.Response(body=answers[""])
        sent = [answers[each["method"]].replace(b"%d", b"%d" % each["id"], 1) for each in several]
        if several[0]["method"] == "eth_chainId":
            return web.Response(body=sent[0])
        return web.Response(body=b"[" + b",".join(sent) + b"]" if isinstance(asked, list) else sent[0], headers=headers)

    app = web.Application()
    app.router.add_post("/", serve)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@dataclass(frozen=True)
class NodeRow:
    """Answer to `method`, and a bound of the memory in MiB. `is_usable`: whether the reader returns a value."""

    method: str
    read: Callable[[Chain], Awaitable[object]]
    make: Callable[[], bytes]
    memory: float
    is_usable: bool = True


LEGAL = {
    "a block": NodeRow(
        "eth_getBlockByNumber", read_block, lambda: as_answer(BLOCK | {"transactions": [WORD] * 15_000}), 12
    ),
    "a call": NodeRow("eth_call", read_call, lambda: as_answer("0x" + "00" * 520_000), SMALL),
    "a receipt": NodeRow("eth_getTransactionReceipt", read_receipt, lambda: as_answer(a_receipt(38_000)), LARGE),
    "logs": NodeRow("eth_getLogs", read_logs, lambda: as_answer([a_log(each, 1) for each in range(36_000)]), LARGE),
    "a simulation": NodeRow("eth_simulateV1", read_simulation, lambda: as_answer(a_simulation(38_000)), LARGE),
}


@pytest.mark.parametrize("row", LEGAL.values(), ids=LEGAL)
async def test_largest_legal_answer_of_a_node_is_read_in_bounded_memory(row: NodeRow) -> None:
    answer = row.make()
    bound = find_longest(row.method)
    assert 0.8 * bound < len(answer) < bound, "it is near its bound"
    await check_node_row(row, answer)


async def test_receipts_of_strangers_are_not_in_memory_together() -> None:
    await check_node_row(NodeRow("eth_getTransactionReceipt", find_logs, bytes, 180), as_answer(a_receipt(38_000)))


HOSTILE = {
    "a block of lists": NodeRow(
        "eth_getBlockByNumber",
        read_block,
        lambda: b'{"id":%d,"result":' + repeated(b"[]", 60 * MIB) + b"}",
        SMALL,
        False,
    ),
    "a count without end": NodeRow(
        "eth_getTransactionCount", read_count, lambda: as_answer("0x" + "0" * 60 * MIB), SMALL, False
    ),
    "fees of lists": NodeRow(
        "eth_feeHistory", read_price, lambda: b'{"id":%d,"result":' + repeated(b"[]", MIB // 2) + b"}", SMALL, False
    ),
    "logs that are lists": NodeRow(
        "eth_getLogs", read_logs, lambda: b'{"id":%d,"result":' + repeated(b"[]", 15 * MIB) + b"}", MEDIUM, False
    ),
    "an error of lists": NodeRow(
        "eth_getTransactionReceipt",
        read_receipt,
        lambda: b'{"id":%d,"error":{"code":1,"message":"","data":' + repeated(b"[]", 15 * MIB) + b"}}",
        MEDIUM,
    ),
    "many answers to one question": NodeRow(
        "eth_getTransactionReceipt", read_receipt, lambda: repeated(b'{"id":1}', 15 * MIB), MEDIUM, False
    ),
    "a call of 60 MB counts as a revert": NodeRow(
        "eth_call", read_call, lambda: as_answer("0x" + "00" * 30 * MIB), SMALL
    ),
}


@pytest.mark.parametrize("row", HOSTILE.values(), ids=HOSTILE)
async def test_hostile_answer_of_a_node_costs_no_more_memory_than_a_legal_one(row: NodeRow) -> None:
    await check_node_row(row, row.make())


async def test_compressed_answer_is_bounded_by_its_length_afterwards() -> None:
    """A kilobyte may stand for a megabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(as_answer("0x" + "00" * 60 * MIB)) + packer.flush()
    row = NodeRow("eth_call", read_call, lambda: packed, SMALL)
    await check_node_row(row, packed, **{"Content-Encoding": "gzip"})


# -- answers of the subgraph --------------------------------------------------------------------------------


def read_subgraph(url: str) -> None:
    async def run() -> None:
        async with aiohttp.ClientSession() as session:
            with pytest.raises(IndexerUnavailable, match="GraphQL errors"):
                await SubgraphClient(SecretStr(url), session).read_head()

    asyncio.run(run())


async def test_errors_of_the_subgraph_are_not_decoded() -> None:
    async with node_with({"": b'{"errors":' + repeated(b"0", 15 * MIB) + b"}"}) as url:
        cost = await measure_reader(read_subgraph, url)
    assert cost.memory < MEDIUM, cost
    assert cost.cpu_seconds < 10, cost


async def check_node_row(row: NodeRow, answer: bytes, **headers: str) -> None:
    async with node_with({row.method: answer}, **headers) as url:
        cost = await measure_reader(read_from_node, url, row.read, row.is_usable)
    assert cost.memory < row.memory, cost
    assert cost.cpu_seconds < 10, cost


# -- delivery reports ---------------------------------------------------------------------------------------

LETTERS = b"a" * 250_000
INNER_PART = b"--A1B2.1764240000/mx.example.org\nContent-Type: message/delivery-status" + b";" * 3_900 + b"\n\nx: y\n\n"
BOUNCE = postfix("<0123@mail.example.org>", "anna@example.net")
REPORTS = {
    "words without end": BOUNCE.replace(b"Diagnostic-Code: smtp; ", b"Diagnostic-Code: smtp; " + LETTERS),
    "parameters without end": BOUNCE.replace(b"delivery-status;", b"delivery-status;" + b";" * 250_000),
    "parameters in folded lines": BOUNCE.replace(b"delivery-status;", b"delivery-status" + b";" * 900 + b"\n " * 280),
    "parameters of inner parts": BOUNCE.partition(b"\n\n")[0] + b"\n\n" + INNER_PART * 60,
    "recipients of parameters": BOUNCE.replace(b"rfc822;", b"rfc822" + b";" * 3_900),
    "an encoded list of headers": BOUNCE.replace(
        b"Content-Type: message/rfc822\n\n",
        b"Content-Type: text/rfc822-headers\nContent-Transfer-Encoding: base64\n\n"
        + encodebytes(b"References: " + b"<a@b> " * 25_000),
    ),
    "a text of addresses": b"From: mailer-daemon@x\nSubject: failure notice\n\n"
    + (b"<" + LETTERS[:70] + b"@b>\n") * 3_400,
    "groups without end": b"From: x@y\nContent-Type: message/delivery-status\n\n" + b"Action: failed\n\n" * 16_000,
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
async def test_largest_delivery_report_is_read_in_bounded_memory_and_time(report: bytes) -> None:
    cost = await measure_reader(parse_report, report)
    assert cost.memory < MEDIUM, cost
    assert cost.cpu_seconds < 3, cost


@pytest.mark.parametrize("words", ["a" * 250_000, "a@" * 125_000, "5.1.1 " * 40_000, "user " * 50_000])
async def test_longest_words_of_a_server_are_judged_in_bounded_time(words: str) -> None:
    """Words of a webhook's event and of the SMTP server's reply are judged while the service serves."""
    cost = await measure_reader(classify_refusal, "5.1.1", words)
    assert (cost.memory < SMALL, cost.cpu_seconds < 1) == (True, True), cost


# -- bodies of requests -------------------------------------------------------------------------------------

MARKS = "e" + "\u0323\u0301" * 30_000  # normalisation of marks takes quadratic time
PERSON = {"recipient": ADDRESS, "role": "beneficiary", "email": "anna@example.net", "name": "Anna"}


def as_set(recipients: list[Any]) -> str:
    return msgspec.json.encode({"salt": "0x" + "11" * 16, "recipients": recipients}).decode()[:60_000]


def read_refused_set(payload: str) -> None:
    with pytest.raises(Refused):
        read_recipient_set(payload)


def read_refused_body(body: bytes) -> None:
    with pytest.raises(Refused):
        decode_json(body, IngestBody)


def read_webhook_batch(body: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=SendgridBatch)


BODIES: dict[str, tuple[Callable[[Any], None], str | bytes]] = {
    "a set of thousands": (read_refused_set, as_set([PERSON] * 500)),
    "a set of lists": (read_refused_set, '{"recipients":' + repeated(b"[]", 59_000).decode() + "}"),
    "names of marks": (read_refused_set, as_set([PERSON | {"name": MARKS[:900], "email": MARKS[:900]}] * 30)),
    "a body of lists": (read_refused_body, b'{"payload":' + repeated(b"[]", 64_000) + b"}"),
    "a body in depth": (read_refused_body, b"[" * 65_000),
    "a batch of lists": (read_webhook_batch, repeated(b"[]", 2 * MIB)),
}


@pytest.mark.parametrize(("read", "body"), BODIES.values(), ids=BODIES)
async def test_largest_body_of_a_request_is_read_in_bounded_memory_and_time(
    read: Callable[[Any], None], body: str | bytes
) -> None:
    cost = await measure_reader(read, body)
    assert (cost.memory < MEDIUM, cost.cpu_seconds < 1) == (True, True), cost
