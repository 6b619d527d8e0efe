"""The four endpoints of a legacy's creator, and the one of a recipient. Each is one call of a service."""

from collections.abc import Sequence

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody

from api.problems import OF_A_BODY, describe_responses
from api.schemas import (
    EmailReceiptAnswer,
    ErasedAnswer,
    EraseRecipientBody,
    IngestBody,
    QueuedAnswer,
    RecipientAnswer,
    RecipientsAnswer,
    SavedAnswer,
    SelfErasedAnswer,
    SignedBody,
    StrictJson,
    cut_fraction,
    describe_verdicts,
)
from reminder_worker.outbox.messages import checksum_address
from reminder_worker.reminders.authorization import SignedRequest
from reminder_worker.reminders.instructions import InstructionMailer
from reminder_worker.reminders.receipts import EmailReceipt
from reminder_worker.reminders.recipients import RecipientStore, RecipientWords, StoredRecipient
from reminder_worker.reminders.rehearsal import RehearsalStage
from reminder_worker.reminders.self_erasure import SelfErasure, SelfErasureRequest


def list_problems(**words: str) -> dict[int, ResponseSpec]:
    common = {
        **OF_A_BODY,
        "403": "`signer_mismatch`, `not_a_known_legacy`",
        "409": "`already_used`: this signed message was used before, or a later write was accepted",
        "410": "`expired`: the deadline has passed",
        "422": "`invalid_input`, `deadline_too_far`; `errors` names the bad fields",
        "429": "`rate_limited`; `Retry-After` says when to come back",
        "503": "`chain_unavailable`: creator() cannot be read; `unavailable`: the database; nothing was stored",
    }
    return describe_responses(common, words)


class RecipientsController(Controller):
    tags = ["Recipients"]  # noqa: RUF012 - read by the framework

    @post(
        "/ingest-legacy",
        status_code=200,
        dto=StrictJson[IngestBody],
        return_dto=None,
        operation_id="ingestLegacy",
        summary="Save a legacy's complete recipient set",
        responses=list_problems(
            on_403="`signer_mismatch`, `not_a_known_legacy`, `premium_required`",
            on_429="`rate_limited`, `daily_cap_reached`; `Retry-After` says when to come back",
        ),
    )
    async def register_recipients(
        self,
        data: JSONBody[IngestBody],
        recipients: NamedDependency[RecipientStore],
        rehearsals: NamedDependency[RehearsalStage],
    ) -> SavedAnswer:
        """Signed message `IngestLegacy(address legacy,bytes32 payloadHash,uint256 deadline)`, by creator().

        Recipients that are not in the set are deleted for good. Needs Premium. Of two writes the one with the later
        deadline wins: a message signed earlier is refused once a later one was accepted. A recipient who erased
        themself is not stored again with the same email, until a set without this recipient was saved.
        """
        saved = await recipients.save_set(make_request(data), data.payload)
        people = await rehearsals.judge_people(data.chain_id, data.legacy.lower(), saved.now)
        erased = [checksum_address(each) for each in saved.now.erased_themselves]
        return SavedAnswer(saved.saved, saved.shredded, erased, describe_verdicts(people))

    @post(
        "/recipients",
        status_code=200,
        dto=StrictJson[SignedBody],
        return_dto=None,
        operation_id="readRecipients",
        summary="Read a legacy's recipients",
        responses=list_problems(),
    )
    async def read_recipients(
        self,
        data: JSONBody[SignedBody],
        recipients: NamedDependency[RecipientStore],
        rehearsals: NamedDependency[RehearsalStage],
    ) -> RecipientsAnswer:
        """Signed message `ReadRecipients(address legacy,uint256 deadline)`, by the legacy's creator().

        Gives the outcome of the last emails to each recipient. Works after Premium has lapsed. The answer must not be
        stored.
        """
        found = await recipients.read_set(make_request(data))
        verdicts = await rehearsals.judge_people(data.chain_id, data.legacy.lower(), found)
        people = [_describe_recipient(each, found.receipts.get(each.recipient, ())) for each in found.recipients]
        words = found.recipients[0].words if found.recipients else RecipientWords()
        erased = [checksum_address(each) for each in found.erased_themselves]
        return RecipientsAnswer(people, words.owner_name, words.title, erased, describe_verdicts(verdicts))

    @post(
        "/erase-legacy",
        status_code=200,
        dto=StrictJson[SignedBody],
        return_dto=None,
        operation_id="eraseLegacy",
        summary="Delete a legacy's whole recipient set",
        responses=list_problems(),
    )
    async def erase_recipients(
        self, data: JSONBody[SignedBody], recipients: NamedDependency[RecipientStore]
    ) -> ErasedAnswer:
        """Signed message `EraseLegacy(address legacy,uint256 deadline)`, by the legacy's creator().

        Works after Premium has lapsed. Emails that are not sent yet are cancelled.
        """
        return ErasedAnswer(shredded=await recipients.erase_set(make_request(data)))

    @post(
        "/erase-recipient",
        status_code=200,
        dto=StrictJson[EraseRecipientBody],
        return_dto=None,
        operation_id="eraseRecipient",
        summary="Let a recipient erase themself",
        responses=list_problems(
            on_403="`signer_mismatch`",
            on_409="`already_used`: this signed message was used before",
            on_503="`chain_unavailable`: the wallet cannot be read; `unavailable`: the database; nothing was erased",
        ),
    )
    async def erase_recipient(
        self, data: JSONBody[EraseRecipientBody], self_erasure: NamedDependency[SelfErasure]
    ) -> SelfErasedAnswer:
        """Signed message `EraseRecipient(address recipient,address legacy,uint256 deadline)`, by the recipient.

        Deletes the email and name of one entry, or of all of this chain with the zero address as legacy. Unsent
        emails are cancelled. The creator sees the mark of it in `/recipients`.
        """
        request = SelfErasureRequest(
            data.chain_id,
            data.recipient.lower(),
            data.legacy.lower(),
            data.deadline,
            bytes.fromhex(data.signature[2:]),
        )
        return SelfErasedAnswer(await self_erasure.erase_recipient(request))

    @post(
        "/send-instructions",
        status_code=202,
        dto=StrictJson[SignedBody],
        return_dto=None,
        operation_id="sendInstructions",
        summary="Send the instructions to all recipients",
        responses=list_problems(
            on_403="`signer_mismatch` (also when creator() is not the owner), `not_a_known_legacy`, `premium_required`",
            on_422="`invalid_input`, `deadline_too_far`; `legacy_not_live`: it was deleted, or claimed from",
            on_429="`rate_limited`, `cooldown`; `Retry-After` says when to come back",
            on_503=(
                "`chain_unavailable`: creator() or the members cannot be read; `indexer_unavailable`: no index is up to"
                " date; `unavailable`: the database; `not_configured`: no email is sent here; nothing was stored"
            ),
        ),
    )
    async def send_instructions(
        self, data: JSONBody[SignedBody], instructions: NamedDependency[InstructionMailer]
    ) -> QueuedAnswer:
        """Signed message `SendInstructions(address legacy,uint256 deadline)`, by the owner, who is creator() too.

        Needs Premium. Once per owner and chain in the cooldown; the answer never names a recipient. `queued` 0: there
        is nobody to tell but the owner, and no cooldown begins.
        """
        return QueuedAnswer(queued=await instructions.queue_instructions(make_request(data)))


def _describe_recipient(each: StoredRecipient, receipts: Sequence[EmailReceipt]) -> RecipientAnswer:
    words = each.words
    last_emails = [EmailReceiptAnswer(receipt.kind, receipt.day, receipt.outcome, receipt.why) for receipt in receipts]
    answer = RecipientAnswer(
        checksum_address(each.recipient), each.role, each.email, each.name, words.language, last_emails, words.time_zone
    )
    if each.bounced is not None:
        answer.delivery, answer.bounce_reason = "bounced", each.bounced.reason
        answer.bounced_at = cut_fraction(each.bounced.since)
    return answer


def make_request(data: SignedBody) -> SignedRequest:
    return SignedRequest(data.chain_id, data.legacy.lower(), data.deadline, bytes.fromhex(data.signature[2:]))
