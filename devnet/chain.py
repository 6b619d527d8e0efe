"""A local chain: the anvil binary as a child process, and its JSON-RPC."""

import http.client
import json
import platform
import random
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from devnet.compile import ROOT, error_names, load_contracts
from devnet.orphans import die_with_parent

GAS_LIMIT = 200_000_000  # of a block, and so of an eth_call


class ChainError(Exception):
    """anvil did not start, or answered a request with an error."""


class RevertedTransaction(ChainError):
    """A call or transaction reverts; `reason` is the custom error's name or the message, `data` what came back."""

    def __init__(self, reason: str, data: str) -> None:
        super().__init__(f"reverted: {reason}")
        self.reason = reason
        self.data = data


def anvil_binary() -> Path:
    """The platform's own binary: the wrapper in `.bin` would keep signals from it."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    packages = ROOT / "node_modules" / "@foundry-rs"
    path = packages / f"anvil-{platform.system().lower()}-{machine}" / "bin" / "anvil"
    if not path.exists():
        raise ChainError(f"no anvil binary at {path.relative_to(ROOT)}; run npm ci")
    return path


PORTS: Sequence[int] = range(20_000, 32_000)


def usable_port(port: int = 0) -> int:
    """This port of loopback, or any free one. Raises ChainError when it is in use.

    A free port is from `PORTS`, below the range of outgoing connections: a connection could take a port of that range
    before the listener does.
    """
    for tried in (port,) if port else random.sample(PORTS, 100):
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", tried))
            return tried
    raise ChainError(f"port {port} is in use" if port else "no port of loopback is free")


class Anvil:
    """One chain at a time, on loopback. On Linux the process ends with the thread that started it, even without a clean
    stop: start it from a thread that outlives the chain.

    Mines a block per transaction. `safe` is `slots_in_an_epoch` blocks behind latest and `finalized` twice that.
    Its files on disk, gigabytes within hours, are deleted at the stop.
    """

    def __init__(self, *, port: int = 0, chain_id: int = 31337, slots_in_an_epoch: int = 1) -> None:
        self.port = port
        self.chain_id = chain_id
        self.slots_in_an_epoch = slots_in_an_epoch
        self._process: subprocess.Popen[bytes] | None = None
        self._states: tempfile.TemporaryDirectory[str] | None = None
        self._local = threading.local()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, timeout: float = 60) -> Self:
        """Start and wait until it answers. Raises ChainError when it ends or stays silent."""
        self.port = usable_port(self.port)
        self._states = tempfile.TemporaryDirectory(prefix="rw-chain-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            self.command(self._states.name), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, preexec_fn=die_with_parent(), start_new_session=True,
        )  # fmt: skip
        give_up = time.monotonic() + timeout
        while True:
            if self._process.poll() is not None:
                raise ChainError(f"anvil ended at start: {self._complaint()}")
            try:
                if int(self.rpc("eth_chainId"), 16) == self.chain_id:
                    return self
                raise ChainError(f"port {self.port} serves another chain")
            except OSError:
                if time.monotonic() > give_up:
                    self.stop()
                    raise ChainError(f"anvil did not answer on port {self.port}") from None
                time.sleep(0.02)

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        self._process = None
        if self._states is not None:
            self._states.cleanup()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(self, *_: object) -> None:
        self.stop()

    def rpc(self, method: str, *params: Any) -> Any:
        """The result of one request. Raises Reverted or ChainError, and OSError when nothing answers."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        answer = json.loads(self._post(body))
        if "error" in answer:
            raise _failure(method, answer["error"])
        return answer["result"]

    def transact(self, transaction: dict[str, Any]) -> dict[str, Any]:
        """Send for an account of anvil (own or impersonated) and return the receipt. Raises Reverted."""
        if "gas" not in transaction:
            estimate = int(self.rpc("eth_estimateGas", transaction), 16)
            transaction = {**transaction, "gas": hex(estimate * 5 // 4)}
        return self.receipt(self.rpc("eth_sendTransaction", transaction))

    def receipt(self, transaction_hash: str) -> dict[str, Any]:
        """Wait until it is mined. Raises Reverted when it failed, ChainError when it is not mined in time."""
        give_up = time.monotonic() + 60
        while (found := self.rpc("eth_getTransactionReceipt", transaction_hash)) is None:
            if time.monotonic() > give_up:
                raise ChainError("the transaction was not mined")
            time.sleep(0.02)
        if int(found["status"], 16) == 0:
            raise RevertedTransaction("the mined transaction failed", "0x")
        receipt: dict[str, Any] = found
        return receipt

    # --- time and blocks

    def block_number(self) -> int:
        return int(self.rpc("eth_blockNumber"), 16)

    def now(self) -> int:
        """The head block's timestamp, unix seconds."""
        return int(self.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)

    def mine(self, blocks: int = 1) -> None:
        self.rpc("anvil_mine", hex(blocks))

    def increase_time(self, seconds: int) -> None:
        """Move the clock forward from the head block and mine one block there."""
        self.set_time(self.now() + seconds)

    def set_time(self, timestamp: int) -> None:
        """Mine one block with exactly this timestamp, which must be after the head's."""
        self.rpc("evm_setNextBlockTimestamp", timestamp)
        self.mine()

    def catch_up(self) -> None:
        """Mine a block of this machine's time. A chain that was put back has the time of its last block."""
        self.set_time(max(int(time.time()), self.now() + 1))

    def settle(self) -> None:
        """Wait for what is being mined: a transaction that was accepted is in a block only a moment later."""
        give_up = time.monotonic() + 60
        while self.rpc("anvil_getAutomine") and self.rpc("txpool_status")["pending"] != "0x0":
            if time.monotonic() > give_up:
                raise ChainError("a transaction is not mined")

    def snapshot(self) -> str:
        taken: str = self.rpc("evm_snapshot")
        return taken

    def revert(self, snapshot: str) -> None:
        """Return to a snapshot, which is then used up.

        Wait for a block in progress first: anvil would put the block on top of the snapshot, without its parent.
        """
        self.settle()
        if not self.rpc("evm_revert", snapshot):
            raise ChainError("no such snapshot")

    def reorg(self, depth: int) -> None:
        """Replace the last `depth` blocks by empty ones."""
        self.rpc("anvil_reorg", depth, [])

    def remine(self, depth: int, later: int, *, transactions: bool) -> None:
        """Replace the last `depth` blocks by new ones of the same times, after `later` more empty blocks.

        With `transactions` each removed transaction is mined again, in a block of its own with another number.
        """
        self.settle()
        head = self.block_number()
        first, *removed = [self.rpc("eth_getBlockByNumber", hex(head - back), False) for back in range(depth, -1, -1)]
        raw = [[self.rpc("eth_getRawTransactionByHash", sent) for sent in block["transactions"]] for block in removed]
        self.rpc("anvil_rollback", depth)
        self.rpc("anvil_setCoinbase", f"0x{head:040x}")  # an empty block of the same time gets another hash
        for block, sent in zip([first] * later + removed, [[]] * later + raw, strict=True):
            for each in (sent if transactions else []) or [None]:
                self.rpc("evm_setNextBlockTimestamp", int(block["timestamp"], 16))
                if each is None:
                    self.mine()
                else:
                    self.receipt(self.rpc("eth_sendRawTransaction", each))

    # --- state

    def set_balance(self, address: str, wei: int) -> None:
        self.rpc("anvil_setBalance", address, hex(wei))

    def set_code(self, address: str, code: str) -> None:
        self.rpc("anvil_setCode", address, code)

    def command(self, states: str) -> list[str]:
        """Return the command line; `states` is the directory of its files."""
        command = [str(anvil_binary()), "--silent", "--host", "127.0.0.1", "--port", str(self.port)]
        command += ["--cache-path", states]  # else in the home directory, where nobody deletes them
        command += ["--chain-id", str(self.chain_id), "--gas-limit", str(GAS_LIMIT), "--hardfork", "prague"]
        command += ["--slots-in-an-epoch", str(self.slots_in_an_epoch)]
        return command

    def _complaint(self) -> str:
        assert self._process is not None
        assert self._process.stderr is not None
        return self._process.stderr.read().decode(errors="replace").strip()

    def _post(self, body: str) -> bytes:
        """One kept connection per thread; a connection the server closed is opened anew once."""
        for last in (False, True):
            connection = getattr(self._local, "connection", None)
            if connection is None or connection.port != self.port:
                connection = self._local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            try:
                connection.request("POST", "/", body, {"Content-Type": "application/json"})
                answer: bytes = connection.getresponse().read()
                return answer
            except (http.client.HTTPException, OSError) as broken:
                connection.close()
                self._local.connection = None
                if last:
                    raise OSError("the chain does not answer") from broken
        raise AssertionError("unreachable")


def _failure(method: str, error: dict[str, Any]) -> ChainError:
    data = error.get("data")
    if error.get("code") == 3 or isinstance(data, str):
        data = data if isinstance(data, str) else "0x"
        names = error_names(list(load_contracts().values()))
        message = str(error.get("message", "")).removeprefix("execution reverted: ")
        return RevertedTransaction(names.get(data[:10], message), data)
    return ChainError(f"{method}: {error.get('message')}")
