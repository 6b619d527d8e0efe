"""Refusals of a real SMTP server: each row is a reply from the wild, with the party that it blames."""

from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from devnet.scenarios import DAY, Scenario
from devnet.smtp import SmtpInbox
from tests.integration.mail_service_stack import environment, served
from tests.integration.reminder_world import open_world

OUTLOOK_LIMIT = (
    "550-Requested action not taken: mailbox unavailable\r\n550 Failure sending mail. Try again later (sending limit)"
)
EXIM_CALLBACK = (
    "550-Verification failed for <reminders@mail.example.org>\r\n550-Response: 550 5.1.1 user unknown\r\n"
    "550 Sender verify failed"
)
OF_THE_ADDRESS = [
    "550 5.1.1 <zoe.quillfeather@example.net>: Recipient address rejected: User unknown",
    "550-5.1.1 The email account that you tried to reach does not exist.\r\n550 5.1.1 Please check it for typos",
    "550 5.1.2 Bad destination system: no such domain",
    "553 5.1.3 bad address syntax",
    "551 5.1.6 the mailbox has moved",
    "556 5.1.10 RESOLVER.ADR.RecipientNotFound; null MX",
    "550 5.2.1 the account is disabled",
    "554 5.1.1 unknown or invalid",
    "550 sorry, no mailbox here by that name (#5.1.1)",
    "550 no such user",
    "550 5.1.0 <relay.sender@example.net>: no such user",
    "550 5.0.0 User unknown",
    "550 Mailbox not found",
    "550 5.1.1 <zoe@example.net>: Recipient address rejected: User unknown in relay recipient table",
]
OF_THE_PROVIDER = [
    "550 5.2.1 the recipient gets too many emails; the rate limit is reached",
    OUTLOOK_LIMIT,
    EXIM_CALLBACK,
    "550 5.4.5 Daily user sending limit exceeded",
    "550 5.4.6 Account suspended",
    "550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents delivery",
    "550 5.2.2 mailbox full",
    "552 5.2.2 over quota",
    "550 5.2.0 mailbox unavailable",
    "550 5.5.0 Requested action not taken: mailbox unavailable",
    "550 5.7.1 relaying denied",
    "550 5.7.1 no such user: your sending address has a poor reputation",
    "550 5.7.25 the sending address has no reverse name",
    "550 5.7.26 unauthenticated email is not accepted (SPF)",
    "550 5.1.7 <reminders@mail.example.org>: sender rejected",
    "550 5.1.8 <reminders@mail.example.org>: domain not found",
    "550 5.1.0 <reminders@mail.example.org>: Sender address rejected",
    "550 5.1.0 Address rejected",
    "550 5.3.0 temporary lookup failure, user unknown for now",
    "550 4.1.1 user unknown",
    "553 that domain isn't in my list of allowed rcpthosts (#5.7.1)",
    "550 Invalid recipient: <zoe@example.net>",
    "550 Unrouteable address",
    "550 relay not permitted",
    "550 no such user: relaying is not permitted",
    "550 authentication required",
    "550 Administrative prohibition",
    "550 Greylisted, please try again later",
    "550 too many messages, slow down",
    "554 5.5.1 Error: no valid recipients",
]


async def test_only_a_refusal_that_names_the_address_blames_it(mail_database: str, inbox: SmtpInbox) -> None:
    """The provider's own trouble is worth another try after a minute. No answer or log repeats the server's words."""
    refusals = [(reply, 422, "bad_address") for reply in OF_THE_ADDRESS]
    refusals += [(reply, 503, "smtp_refused") for reply in OF_THE_PROVIDER]
    refusals += [("450 5.1.1 user unknown in a table that cannot be read", 429, "smtp_deferred")]
    refusals += [("451 4.7.1 greylisted", 429, "smtp_deferred")]
    async with served(environment(mail_database, inbox)) as client:
        for number, (reply, status, code) in enumerate(refusals):
            inbox.faults.reply_to_rcpt = reply
            with capture_logs() as logs:
                answer = await client.send(f"key-{number}")
            assert (answer.status, answer.json["code"]) == (status, code), reply
            assert answer.headers.get("Retry-After") == (None if status == 422 else "60")
            assert "zoe" not in (str(answer.json) + str(logs)).lower()
            inbox.faults.reply_to_rcpt = None
            assert (await client.send(f"key-{number}")).json["duplicate"] is False


async def test_emails_outlast_the_limit_of_a_provider(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    """A limit that refuses every recipient with 550 for days drops no email."""
    database = engine.url.render_as_string(hide_password=False)
    async with served(environment(database, inbox)) as service, open_world(engine, chain_scenario, service) as world:
        legacy = world.legacy(inactivity=30 * DAY)
        await world.save(legacy, "owner", "anna", "ben")
        world.scenario.advance(24 * DAY)
        await world.look_at_chain()
        assert (await service.send("earlier")).status == 200
        inbox.faults.reply_to_rcpt = OUTLOOK_LIMIT
        for _ in range(8):
            await world.dispatch.run()
            await world.hurry()
        assert await world.states() == {"released:mail_unavailable": 3}
        inbox.faults.reply_to_rcpt = None
        await world.dispatch.run()
        assert await world.states() == {"sent": 3}


async def test_refusals_of_an_address_lie_hours_apart(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    """A mailbox that is away for an hour loses no email; the third refusal gives the email to the operators."""
    database = engine.url.render_as_string(hide_password=False)
    async with served(environment(database, inbox)) as service, open_world(engine, chain_scenario, service) as world:
        legacy = world.legacy(inactivity=30 * DAY)
        await world.save(legacy, "anna")
        world.scenario.advance(24 * DAY)
        await world.look_at_chain()
        inbox.faults.reply_to_rcpt = OF_THE_ADDRESS[0]
        for _ in range(2):
            await world.dispatch.run()
            assert await world.states() == {"released:rejected_422": 1}
            (waits,) = await world.sql("select next_try > now() + interval '2 hours' as long from worker.sent_ledger")
            assert waits.long
            await world.hurry()
        await world.dispatch.run()
        assert await world.states() == {"dead:rejected_422": 1}
