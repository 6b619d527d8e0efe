"""Delivery reports in the forms of mail servers, in our own words, and a complaint in ARF."""

REPORTER_TEXT = "The person who reads this lives at 7 Plumtree Lane."


def postfix(message_id: str, address: str, status: str = "5.1.1", action: str = "failed") -> bytes:
    said = f"550 {status} <{address}>: Recipient address rejected: User unknown"
    return f"""\
Return-Path: <>
From: MAILER-DAEMON@mx.example.org (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: reports@mail.example.org
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="A1B2.1764240000/mx.example.org"
Message-Id: <20261127104000.A1B2@mx.example.org>

This is a MIME-encapsulated message.

--A1B2.1764240000/mx.example.org
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

{REPORTER_TEXT}
<{address}>: host mx.example.net[192.0.2.1] said: {said}

--A1B2.1764240000/mx.example.org
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org
X-Postfix-Queue-ID: A1B2
Arrival-Date: Fri, 27 Nov 2026 10:40:00 +0000 (UTC)

Final-Recipient: rfc822; {address}
Original-Recipient: rfc822;{address}
Action: {action}
Status: {status}
Remote-MTA: dns; mx.example.net
Diagnostic-Code: smtp; {said}

--A1B2.1764240000/mx.example.org
Content-Description: Undelivered Message
Content-Type: message/rfc822

Message-ID: {message_id}
From: Legacy reminders <reminders@mail.example.org>
To: {address}
Subject: A reminder

{REPORTER_TEXT}

--A1B2.1764240000/mx.example.org--
""".encode()


def exchange(message_id: str, address: str) -> bytes:
    """As Exchange Online: the email is named in the headers, and the returned headers may lack it."""
    return f"""\
From: <postmaster@example.onmicrosoft.com>
To: <reports@mail.example.org>
Subject: =?utf-8?B?VW5kZWxpdmVyYWJsZTogQSByZW1pbmRlcg==?=
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="a3-7f"
Message-ID: <b0f1@DB7PR05.eurprd05.prod.outlook.com>
References: <other@example.org> {message_id}
In-Reply-To: {message_id}

--a3-7f
Content-Type: multipart/alternative; differences=Content-Type; boundary="b4"

--b4
Content-Type: text/html; charset="utf-8"
Content-Transfer-Encoding: base64

PGh0bWw+PC9odG1sPg==

--b4--
--a3-7f
Content-Type: message/delivery-status

Reporting-MTA: dns;DB7PR05.eurprd05.prod.outlook.com
Received-From-MTA: dns;mail.example.org

Final-Recipient: rfc822;{address}
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient {address} not found by SMTP address lookup

--a3-7f
Content-Type: text/rfc822-headers

From: reminders@mail.example.org
Subject: A reminder

--a3-7f--
""".replace("\n", "\r\n").encode()


def gmail(message_id: str, address: str) -> bytes:
    return f"""\
From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>
To: reports@mail.example.org
Auto-Submitted: auto-replied
Subject: Delivery Status Notification (Failure)
References: {message_id}
In-Reply-To: {message_id}
X-Failed-Recipients: {address}
Message-ID: <6567.a0@mx.google.com>
MIME-Version: 1.0
Content-Type: multipart/report; boundary="000000000000"; report-type=delivery-status

--000000000000
Content-Type: multipart/related; boundary="000000000001"

--000000000001
Content-Type: text/plain; charset="UTF-8"

Address not found.

--000000000001--
--000000000000
Content-Type: message/delivery-status

Reporting-MTA: dns; googlemail.com
Arrival-Date: Fri, 27 Nov 2026 02:40:00 -0800 (PST)

Final-Recipient: rfc822; {address}
Action: failed
Status: 5.2.2
Remote-MTA: dns; gmail-smtp-in.l.google.com. (192.0.2.9, the server for the domain.)
Diagnostic-Code: smtp; 552-5.2.2 The recipient's inbox is out of storage space.
 552 5.2.2 https://support.google.com/mail/?p=OverQuotaPerm
Last-Attempt-Date: Fri, 27 Nov 2026 02:40:01 -0800 (PST)

--000000000000
Content-Type: message/rfc822

Message-ID: {message_id}
Subject: A reminder

--000000000000--
""".encode()


def exim(message_id: str, address: str) -> bytes:
    """The code is in the words only."""
    return f"""\
From: Mail Delivery System <Mailer-Daemon@exim.example.org>
Content-Type: multipart/report; report-type=delivery-status; boundary=1764-eximdsn-1
MIME-Version: 1.0
Subject: Mail delivery failed: returning message to sender

--1764-eximdsn-1
Content-type: text/plain; charset=us-ascii

This message was created automatically by mail delivery software.

--1764-eximdsn-1
Content-type: message/delivery-status

Reporting-MTA: dns; exim.example.org

Action: failed
Final-Recipient: rfc822;{address}
Status: 5.0.0
Remote-MTA: dns; mx.example.net
Diagnostic-Code: smtp; 550 5.7.1 Message rejected due to content

--1764-eximdsn-1
Content-type: text/rfc822-headers

Message-ID: {message_id}
Subject: A reminder

--1764-eximdsn-1--
""".encode()


def complaint(message_id: str, address: str) -> bytes:
    return f"""\
From: <feedback@fbl.example.net>
To: <reports@mail.example.org>
Subject: FW: A reminder
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="part1"

--part1
Content-Type: text/plain; charset="US-ASCII"

{REPORTER_TEXT} This is an email abuse report for {address}.

--part1
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: SomeGenerator/1.0
Version: 1
Original-Rcpt-To: <{address}>

--part1
Content-Type: message/rfc822
Content-Disposition: inline

Message-ID: {message_id}
Subject: A reminder

{REPORTER_TEXT}
--part1--
""".encode()


def ses(address: str) -> bytes:
    """As Amazon SES: it replaced the Message-ID, and names its own only."""
    report = postfix("<0100018c-provider@eu-west-1.amazonses.com>", address)
    return report.replace(b"mx.example.org", b"amazonses.com")


def qmail(message_id: str, address: str) -> bytes:
    """No MIME at all: a text, then the returned email."""
    return f"""\
From: MAILER-DAEMON@qmail.example.net
To: reports@mail.example.org
Subject: failure notice

Hi. This is the qmail-send program at qmail.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{address}>:
192.0.2.1 does not like recipient.
Remote host said: 550 5.1.1 no mailbox here by that name
Giving up on 192.0.2.1.

--- Below this line is a copy of the message.

Return-Path: <reports@mail.example.org>
Received: from mail.example.org by qmail.example.net (Exim 4.94.2) with ESMTPS; Fri, 27 Nov 2026 10:40:00 +0000
DKIM-Signature: v=1; a=rsa-sha256; d=mail.example.org; s=a
Message-ID: {message_id}
Subject: A reminder

{REPORTER_TEXT}
""".encode()


def old_exim(message_id: str, address: str) -> bytes:
    """As older versions of Exim: a text without delivery status."""
    return f"""\
From: Mail Delivery System <Mailer-Daemon@exim.example.org>
To: reports@mail.example.org
Subject: Mail delivery failed: returning message to sender
X-Failed-Recipients: {address}

This message was created automatically by mail delivery software.
A message that you sent could not be delivered to one or more of its recipients.

  {address}
    SMTP error from remote mail server after RCPT TO:<{address}>:
    host mx.example.net [192.0.2.1]: 550 5.1.1 User unknown

------ This is a copy of the message, including all the headers. ------

Message-ID: {message_id}
Subject: A reminder
""".encode()


def opensmtpd(message_id: str, address: str) -> bytes:
    """`multipart/mixed`, and an action of its own."""
    return mixed(message_id, address).replace(b"Action: failed", b"Action: error")


def workmail(message_id: str, address: str) -> bytes:
    """`multipart/mixed`, and an address without its type."""
    return mixed(message_id, address).replace(b"-Recipient: rfc822;", b"-Recipient: ")


def mixed(message_id: str, address: str) -> bytes:
    report = postfix(message_id, address)
    return report.replace(b"multipart/report; report-type=delivery-status;", b"multipart/mixed;")


def slow_to_read() -> bytes:
    """Costs Python's parser seconds: each of many lines is compared with each of many boundaries."""
    parts = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(250))
    return b"Subject: failure notice\n" + parts + b"a\n" * 120_000


READ_RECEIPT = b"""\
From: anna@example.net
Subject: Read: A reminder
MIME-Version: 1.0
Content-Type: multipart/report; report-type=disposition-notification; boundary="r1"
In-Reply-To: <00112233445566778899aabbccddeeff@mail.example.org>

--r1
Content-Type: text/plain

The email was displayed.

--r1
Content-Type: message/disposition-notification

Final-Recipient: rfc822;anna@example.net
Disposition: manual-action/MDN-sent-manually; displayed

--r1--
"""
