"""Delivery reports as mail servers write them: Postfix, Exchange Online, Gmail, Exim, and a complaint in ARF."""

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

--part1
Content-Type: message/rfc822
Content-Disposition: inline

Message-ID: {message_id}
Subject: A reminder

{REPORTER_TEXT}
--part1--
""".encode()
