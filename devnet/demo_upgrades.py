"""The story's chapter of the upgrade queue: operators hear what an upgrade would do, while it can still be stopped."""

from eth_utils.address import to_checksum_address

from devnet.evidence import FoundEmail, must
from devnet.local import OPS_EMAIL
from devnet.telling import DemoNarrator
from devnet.upgrades import DemoOperation


class UpgradeChapter(DemoNarrator):
    operation: DemoOperation

    def schedule_upgrade(self) -> str:
        new = self.scenario.deploy("PremiumSetting")
        self.operation = self.scenario.schedule_upgrade(new)
        self.transaction(self.operation.tx_hash)
        self.look_now("relay")
        email = self._heard("upgrade_scheduled")
        proxy = to_checksum_address(self.stack.deployment.premium_setting)
        for words in ("upgradeAndCall(address,address,bytes)", f"PremiumSetting {proxy}", to_checksum_address(new)):
            must("".join(words.split()) in "".join(email.text.split()), f"the operators do not read {words}")
        return f"in the log, and by email: {email.subject}; with the function, the proxy, the new code and its hash"

    def cancel_upgrade(self) -> str:
        self.transaction(self.scenario.cancel(self.operation))
        self.look_now("relay")
        email = self._heard("upgrade_cancelled")
        query = "select state from worker.upgrade_operation where operation_id = %(id)s"
        must(self.evidence.rows(query, id=self.operation.id) == [("cancelled",)], "the queue says otherwise")
        return f"in the log, and by email: {email.subject}"

    def _heard(self, kind: str) -> FoundEmail:
        """Return the operators' email, once the alert is in the service log and the email has arrived."""
        self.wait(lambda: self._in_the_log(kind), f"{kind} in the service log")
        query = "select message_id from worker.alert where kind = %(kind)s and state = 'sent'"
        self.wait(lambda: bool(self.evidence.rows(query, kind=kind)), "an email to the operators")
        ((message_id,),) = self.evidence.rows(query, kind=kind)
        found = [email for email in self.evidence.emails() if email.message_id == message_id]
        must(len(found) == 1 and found[0].to == OPS_EMAIL, "the email is not in the operators' inbox")
        return found[0]

    def _in_the_log(self, kind: str) -> bool:
        words = (f'"kind":"{kind}"', self.operation.id)
        logs = sorted((self.stack.directory / "logs").iterdir())
        lines = (line for path in logs for line in path.read_text(errors="replace").splitlines())
        return any(all(word in line.replace('": "', '":"') for word in words) for line in lines)
