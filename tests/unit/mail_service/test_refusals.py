"""Refusals in words of many servers, one row for each form: an unknown mailbox is told from every other cause."""

from mail_service.refusals import classify_refusal


def test_a_mailbox_that_does_not_exist_is_recognised() -> None:
    for status, words in (
        ("5.1.1", ""),
        ("5.1.2", ""),
        ("5.2.1", ""),
        ("5.0.0", "550 no such user here"),
        ("", "550 5.1.1 unknown"),
        ("5.1.1", "smtp; 550 5.1.1 User unknown in relay recipient table"),  # Postfix
        ("5.0.0", "smtp; 550-5.1.1 The email account that you tried to reach does not exist."),  # Gmail
        ("5.1.10", "smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup"),
        ("5.1.351", "550 5.1.351 Remote server returned unknown recipient or mailbox unavailable"),
        ("5.4.1", "550 5.4.1 Recipient address rejected: Access denied. [AM7EUR03FT042.example.net]"),
        ("5.0.0", "smtp; 554 delivery error: dd This user doesn't have a yahoo.com account"),
        ("", "554 30 Sorry, your message cannot be delivered. This mailbox is disabled (554.30)"),
        ("5.5.0", "smtp; 550 Not a valid recipient"),
        ("5.1.1", "smtp; 550 5.1.1 no such user at 5.7.1.9"),  # an IP address is no code
        ("5.7.1", "smtp; 550 5.1.1 user unknown"),  # the relay's own guess stands in front
        ("5.1.1", "550 5.1.1 <no-later-limit-policy@example.net>: unknown"),
        ("", "550 5.7.1 No such user!"),  # Yandex
        ("5.0.0", "Sorry, no mailbox here by that name"),  # qmail
        ("", "550 This account has been disabled"),
        ("5.1.1", "smtp; 550 user unknown; please contact the sender's postmaster"),
    ):
        assert classify_refusal(status, words) == "mailbox_unknown"


def test_words_about_something_else_blame_no_mailbox() -> None:
    for status, words, reason in (
        ("5.1.1", "smtp; 550 5.7.1 IP address blacklisted by recipient", "blocked"),
        ("5.1.3", "smtp; 550 see https://www.spamhaus.org/query/ip/192.0.2.7", "blocked"),
        ("", "550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.7 is blacklisted using a list", "blocked"),
        ("5.1.1", "smtp; 550 user unknown; your IP has a poor reputation", "blocked"),
        ("5.1.1", "smtp; 550 5.1.1 Sender verify failed: no such user", "blocked"),
        ("5.1.1", "smtp; 554 Relay access denied", "blocked"),
        ("5.4.1", "550 5.4.1 Relay Access Denied", "blocked"),
        ("5.7.1", "550 user unknown or blocked by policy", "blocked"),
        ("", "554 5.7.1 <a@example.net>: Recipient address rejected: Access denied", "blocked"),
        ("5.1.1", "550 5.1.1 rejected: SPF check failed", "blocked"),
        ("4.7.0", "", "blocked"),
        ("5.2.1", "450 The user receives mail at a rate that is too high", "other"),  # Gmail's limit
        ("5.4.4", "host not found", "other"),
        ("4.1.1", "450 greylisted", "other"),
        ("5.4.7", "smtp; 450 4.1.1 unknown user, try again", "other"),
        ("5.0.0", "smtp; 450 unknown user", "other"),
        ("5.3.0", "smtp; 550 no such user here", "other"),
        ("", "550 Requested action not taken: mailbox unavailable", "other"),  # GMX says it of a poor sender
        ("nonsense", "", "other"),
        # Sendmail makes 5.1.1 of 550, and 5.1.3 of 553, whatever the words say.
        ("5.1.1", "smtp; 550 Message rejected", "other"),
        ("5.1.1", "smtp; 550 Access denied", "other"),
        ("5.1.1", "smtp; 550 Requested action not taken: mailbox unavailable", "other"),
        ("5.1.1", "smtp; 550 Greylisted, please try again in 5 minutes", "other"),
        ("5.1.1", "smtp; 550 Mail content denied", "blocked"),
        ("5.1.1", "smtp; 550 Reverse lookup failed for 192.0.2.7", "blocked"),
        ("5.1.1", "smtp; 550 Client host [192.0.2.7] blocked using zen", "blocked"),
        ("5.1.3", "smtp; 553 http://www.spamcop.net/bl.shtml?192.0.2.7", "blocked"),
        (
            "5.1.351",
            "550 5.1.351 returned unknown recipient or mailbox unavailable (user@example.net:blocked)",
            "blocked",
        ),
        ("5.1.0", "5.1.0 - Unknown address error 550-'Mail content denied'", "blocked"),  # IronPort
        ("", "553 Invalid address in MAIL FROM", "blocked"),
        ("", "521 5.2.1 : AOL will not accept delivery of this message", "blocked"),
        ("", "550 5.1.1 unverified address: Connection timed out", "other"),
        ("5.2.1", "smtp; 550 5.2.1 mailbox is full", "mailbox_full"),
        ("4.2.2", "452 mailbox full", "mailbox_full"),
        ("5.1.1", "smtp; 552 5.2.2 over quota", "mailbox_full"),
    ):
        assert classify_refusal(status, words) == reason


def test_words_beyond_the_first_thousand_characters_are_not_read() -> None:
    assert classify_refusal("", "x " * 500 + "550 5.1.1 user unknown") == "other"
