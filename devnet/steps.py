"""Parts of every scenario step: named accounts, signed transactions, reads, time."""

from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from devnet.chain import Anvil
from devnet.compile import ContractArtifact, load_contracts
from devnet.deploy import DEPLOYER, PERMIT2, Deployment, deploy_contract, named_account

FUNDS = 1_000 * 10**18
GWEI = 10**9
NOBODY = "0x" + "00" * 20


@dataclass(frozen=True, slots=True)
class Legacy:
    """`guard` only for a Safe legacy."""

    address: str
    id: int
    router: str
    guard: str | None = None


class DemoSteps:
    """Sends for accounts whose keys it holds, and for the deployer. Every failure raises Reverted with its reason."""

    def __init__(self, anvil: Anvil, deployment: Deployment) -> None:
        self.anvil = anvil
        self.deployment = deployment
        self.contracts: dict[str, ContractArtifact] = load_contracts()
        self._accounts: dict[str, LocalAccount] = {}

    def account(self, label: str) -> LocalAccount:
        """The same funded account for the same label, on every chain."""
        if label not in self._accounts:
            account = named_account(label)
            if self.balance(None, account.address) < FUNDS // 10:
                self.anvil.set_balance(account.address, FUNDS)
            self._accounts[label] = account
        return self._accounts[label]

    def advance(self, seconds: int) -> int:
        """Let time pass and mine a block; its timestamp."""
        self.anvil.increase_time(seconds)
        return self.anvil.now()

    def read(self, contract: str, address: str, function: str, *args: Any, block: str = "latest") -> Any:
        """Call a view function of `contract` (its name in devnet/contracts) at `address`."""
        artifact = self.contracts[contract]
        request = {"to": address, "data": artifact.encode(function, *args)}
        return artifact.decode(function, self.anvil.rpc("eth_call", request, block))

    def write(
        self, sender: LocalAccount, contract: str, address: str, function: str, *args: Any, value: int = 0
    ) -> str:
        """A signed transaction that calls `function`; its hash, once mined."""
        return self.send(sender, address, self.contracts[contract].encode(function, *args), value=value)

    def send(self, sender: LocalAccount, to: str | None, data: str = "0x", *, value: int = 0, **extra: Any) -> str:
        """Sign, send and wait until mined; the transaction hash. No `to` creates a contract, `extra` are more
        fields of the transaction."""
        call = {"from": sender.address, "to": to, "data": data, "value": hex(value)}
        gas = extra.pop("gas", None) or int(self.anvil.rpc("eth_estimateGas", call), 16) * 5 // 4
        transaction = {
            "to": to_checksum_address(to) if to else b"",
            "data": data,
            "value": value,
            "gas": gas,
            "chainId": self.anvil.chain_id,
            "nonce": int(self.anvil.rpc("eth_getTransactionCount", sender.address, "pending"), 16),
            "maxFeePerGas": 100 * GWEI,
            "maxPriorityFeePerGas": GWEI,
            **extra,
        }
        raw = sender.sign_transaction(transaction).raw_transaction.to_0x_hex()
        receipt = self.anvil.receipt(self.anvil.rpc("eth_sendRawTransaction", raw))
        sent: str = receipt["transactionHash"]
        return sent

    def whitelist(self, token: str) -> str:
        return self.write_as_deployer("TokenWhiteList", self.deployment.token_white_list, "addToken", token)

    def write_as_deployer(self, contract: str, address: str, function: str, *args: Any, gas: int | None = None) -> str:
        transaction = {"from": DEPLOYER, "to": address, "data": self.contracts[contract].encode(function, *args)}
        if gas is not None:
            transaction["gas"] = hex(gas)
        sent: str = self.anvil.transact(transaction)["transactionHash"]
        return sent

    def deploy(self, contract: str, *args: Any) -> str:
        """One more contract of devnet/contracts; its address."""
        return deploy_contract(self.anvil, self.contracts[contract], *args)

    def events(self, transaction_hash: str, contract: str, event: str) -> list[dict[str, Any]]:
        """Return the raw logs of a transaction with the topic of `event`, in any shape."""
        topics = self.contracts[contract].event_topics(event)
        logs: list[dict[str, Any]] = self.anvil.receipt(transaction_hash)["logs"]
        return [log for log in logs if log["topics"][0] in topics]

    def mint(self, token: str, to: str, amount: int) -> str:
        return self.write_as_deployer("TestERC20", token, "mint", to, amount)

    def approve(self, owner: LocalAccount, token: str, spender: str, amount: int) -> str:
        return self.write(owner, "TestERC20", token, "approve", spender, amount)

    def permit(self, owner: LocalAccount, token: str, spender: str, amount: int, expiration: int) -> str:
        """An allowance of Permit2, until a moment (unix seconds)."""
        return self.write(owner, "Permit2", PERMIT2, "approve", token, spender, amount, expiration)

    def balance(self, token: str | None, account: str) -> int:
        """In base units; of ETH (wei) when the token is None."""
        if token is None:
            return int(self.anvil.rpc("eth_getBalance", account, "latest"), 16)
        amount: int = self.read("TestERC20", token, "balanceOf", account)
        return amount

    def delegate_7702(self, account: LocalAccount, implementation: str | None = None) -> str:
        """Give the account EIP-7702 code: the delegate that checks the account's own key, or another contract."""
        sponsor = self.account("sponsor of delegations")
        nonce = int(self.anvil.rpc("eth_getTransactionCount", account.address, "latest"), 16)
        target = to_checksum_address(implementation or self.deployment.delegate_7702)
        signed = account.sign_authorization({"chainId": self.anvil.chain_id, "address": target, "nonce": nonce})
        return self.send(sponsor, sponsor.address, authorizationList=[signed], gas=200_000)
