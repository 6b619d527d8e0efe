"""Effects of a delivery report: an email of ours came back, or its recipient wants no more."""

import structlog

from mail_service.addresses import AddressHasher, parse_address
from mail_service.errors import MailProblem
from mail_service.reports import BounceReason, DeliveryReport
from mail_service.store import MailStore, MatchedEmail

log = structlog.get_logger("mail_service")


class ReportBook:
    """Matches reports with sent emails, and records the outcome. A repeated report changes nothing."""

    def __init__(self, store: MailStore, hasher: AddressHasher) -> None:
        self._store = store
        self._hasher = hasher

    async def take_report(self, report: DeliveryReport) -> bool:
        """Return whether it is about an email of ours of the last 30 days. Raises `SQLAlchemyError`."""
        for message_id in report.message_ids:
            sent = await self._store.find_by_message_id(message_id)
            if sent is not None:
                await self._record(report, sent)
                return True
        return False

    async def _record(self, report: DeliveryReport, sent: MatchedEmail) -> None:
        if report.event == "bounced":
            reason = self._judge_reason(report, sent)
            await self._store.record_bounce(sent.key, reason)
            log.info("bounced", key=sent.key, reason=reason)
            return
        if sent.address_hash is not None:
            await self._store.suppress_address(sent.address_hash)
        log.info("complained", key=sent.key)

    def _judge_reason(self, report: DeliveryReport, sent: MatchedEmail) -> BounceReason:
        """A mailbox that its owner forwards to may be gone while the one we wrote to is well."""
        if report.reason != "mailbox_unknown" or report.address is None or sent.address_hash is None:
            return report.reason
        try:
            named = self._hasher.hash_address(parse_address(report.address))
        except MailProblem:
            return "other"
        return "mailbox_unknown" if named == sent.address_hash else "other"
