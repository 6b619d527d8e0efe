"""Steps with the UpgradeTimelock: schedule, execute, cancel, as its proposer."""

from collections.abc import Sequence
from dataclasses import dataclass

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from devnet.deploy import UPGRADE_DELAY
from devnet.steps import DemoSteps

TIMELOCK = "TimelockController"
NONE = bytes(32)
CANCELLER_ROLE = keccak(text="CANCELLER_ROLE")


@dataclass(frozen=True, slots=True)
class DemoOperation:
    """`calls` are (target, wei, call data); more than one is a batch."""

    id: str
    calls: tuple[tuple[str, int, bytes], ...]
    salt: bytes
    batch: bool
    tx_hash: str


class UpgradeSteps(DemoSteps):
    @property
    def proposer(self) -> LocalAccount:
        """Return the account that may propose, cancel and execute."""
        return self.account("proposer")

    def schedule(
        self, target: str, data: bytes, *, value: int = 0, salt: bytes = NONE, delay: int = UPGRADE_DELAY
    ) -> DemoOperation:
        return self._schedule([(target, value, data)], salt, delay, batch=False)

    def schedule_batch(self, calls: Sequence[tuple[str, bytes]]) -> DemoOperation:
        return self._schedule([(target, 0, data) for target, data in calls], NONE, UPGRADE_DELAY, batch=True)

    def schedule_upgrade(self, implementation: str, *, salt: bytes = NONE, call: bytes = b"") -> DemoOperation:
        """Schedule an upgrade of PremiumSetting, which is behind a proxy."""
        return self.schedule(self.deployment.premium_proxy_admin, self.upgrade_data(implementation, call), salt=salt)

    def schedule_delay(self, seconds: int, *, salt: bytes = NONE) -> DemoOperation:
        return self.schedule(self.deployment.upgrade_timelock, self._data("updateDelay", seconds), salt=salt)

    def schedule_role(self, function: str, role: bytes, account: str) -> DemoOperation:
        """`grantRole` or `revokeRole`."""
        return self.schedule(self.deployment.upgrade_timelock, self._data(function, role, account))

    def execute(self, operation: DemoOperation) -> str:
        """Its delay has to be over; the transaction's hash."""
        name = "executeBatch" if operation.batch else "execute"
        return self._write(name, *_columns(operation), NONE, operation.salt)

    def execute_when_ready(self, operation: DemoOperation) -> str:
        self.advance(UPGRADE_DELAY)
        return self.execute(operation)

    def cancel(self, operation: DemoOperation) -> str:
        return self._write("cancel", bytes.fromhex(operation.id[2:]))

    def upgrade_data(self, implementation: str, call: bytes = b"") -> bytes:
        proxy = self.deployment.premium_setting
        return bytes.fromhex(self.contracts["ProxyAdmin"].encode("upgradeAndCall", proxy, implementation, call)[2:])

    def _schedule(
        self, calls: Sequence[tuple[str, int, bytes]], salt: bytes, delay: int, *, batch: bool
    ) -> DemoOperation:
        planned = DemoOperation("", tuple(calls), salt, batch, "")
        name, hashed = ("scheduleBatch", "hashOperationBatch") if batch else ("schedule", "hashOperation")
        arguments = (*_columns(planned), NONE, salt)
        timelock = self.deployment.upgrade_timelock
        operation_id = "0x" + self.read(TIMELOCK, timelock, hashed, *arguments).hex()
        return DemoOperation(operation_id, planned.calls, salt, batch, self._write(name, *arguments, delay))

    def _data(self, function: str, *args: object) -> bytes:
        return bytes.fromhex(self.contracts[TIMELOCK].encode(function, *args)[2:])

    def _write(self, function: str, *args: object) -> str:
        return self.write(self.proposer, TIMELOCK, self.deployment.upgrade_timelock, function, *args)


def _columns(operation: DemoOperation) -> tuple[object, ...]:
    """Targets, wei and call data, as the timelock's functions take them."""
    if not operation.batch:
        return operation.calls[0]
    return tuple([call[column] for call in operation.calls] for column in range(3))
