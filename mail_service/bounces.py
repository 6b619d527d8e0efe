"""Effects of a delivery report: an email of ours came back, or its recipient wants no more."""

import structlog

from mail_service.addresses import AddressHasher, parse_address
from mail_service.errors import MailProblem
from mail_service.refusals import BounceReason
from mail_service.report_store import MatchedEmail, ReportStore
from mail_service.reports import DeliveryReport

log = structlog.get_logger("mail_service")


class ReportBook:
    """Matches reports with sent emails, records and counts the outcome. A repeated report changes nothing else."""

    def __init__(self, store: ReportStore, hasher: AddressHasher, domain: str) -> None:
        """`domain`: of our Message-IDs."""
        self.store = store
        self._hasher = hasher
        self._domain = domain

    async def take_report(self, report: DeliveryReport) -> bool:
        """Return whether it changed or repeats something about an email of ours of the last 30 days.

        Raises `SQLAlchemyError`.
        """
        if report.event == "other_feedback":
            await self.store.count("other_feedback")
            return False
        sent = await self._find_email(report)
        if sent is None:
            await self.store.count("unmatched")
            return False
        if report.event == "bounced":
            reason = self._judge_reason(report, sent)
            await self.store.record_bounce(sent.key, reason)
            log.info("bounced", key=sent.key, reason=reason)
        else:
            await self._record_complaint(report, sent)
        await self.store.count("taken")
        return True

    async def _find_email(self, report: DeliveryReport) -> MatchedEmail | None:
        """Find it by our mark, else by a Message-ID, since some providers replace Message-IDs."""
        marked = [self._hasher.read_mark(mark, self._domain) for mark in report.marks]
        for message_id in dict.fromkeys([*marked, *report.message_ids]):
            sent = None if message_id is None else await self.store.find_email(message_id)
            if sent is not None:
                return sent
        return None

    async def _record_complaint(self, report: DeliveryReport, sent: MatchedEmail) -> None:
        named = self._names_recipient(report, sent)
        if named and sent.address_hash is not None:
            await self.store.suppress_address(sent.address_hash)
        log.info("complained", key=sent.key, names_recipient=named)

    def _judge_reason(self, report: DeliveryReport, sent: MatchedEmail) -> BounceReason:
        """A mailbox that its owner forwards to may be gone while the one we wrote to is well."""
        if report.reason != "mailbox_unknown" or self._names_recipient(report, sent):
            return report.reason
        return "other"

    def _names_recipient(self, report: DeliveryReport, sent: MatchedEmail) -> bool:
        """Return whether the report names the address that the email went to. Of an operator's no hash is kept."""
        if report.addresses is None or sent.address_hash is None:
            return True
        return sent.address_hash in self._hash_addresses(report.addresses)

    def _hash_addresses(self, addresses: tuple[str, ...]) -> set[bytes]:
        hashes = set()
        for address in addresses:
            try:
                hashes.add(self._hasher.hash_address(parse_address(address)))
            except MailProblem:  # an address that we would not write to
                continue
        return hashes
