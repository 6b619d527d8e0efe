"""The whole story on real parts, the search for leaks over everything it stored, and that the search does find."""

import json
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Iterator

import psycopg
import pytest
from icalendar import Calendar, Event

from devnet.cast import FIRST, FRIEND, OWNER, SECOND
from devnet.evidence import NotSeen
from devnet.gift_to_open import PRINTABLES, find_chromium
from devnet.local import OPS_EMAIL
from devnet.parts import ask
from tests.e2e.plain_stack import PlainStack, TickedStory, free_ports, quiet_stack, reminder_worker

KINDS = (
    *("email of", "plain hash of the email of", "first name of", "last name of", "private key of"),
    *("signature 1 of the owner", "signature 1 of the giver", "authorization", "unsubscribe token"),
    *("number of email", "typed number of email", "forget token", "signature 1 of who erases herself"),
    *("message of", "fragment of"),
)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainStack]:
    directory = tmp_path_factory.mktemp("stack") / "local"
    with quiet_stack(directory, free_ports()).running() as running:
        yield running


@pytest.fixture(scope="module")
def story(stack: PlainStack) -> TickedStory:
    story = TickedStory(stack)
    told = story.play()
    assert told, (stack.directory.parent / "terminal.log").read_text()[-6000:]
    return story


def test_every_step_of_the_story_is_seen(story: TickedStory) -> None:
    """Emails of four kinds to the right people, none twice or missing; nothing left after the erase; no leak anywhere.

    In between gifts with their emails, each lane of the relay and a renewal: each authorization once, and paid for as
    the ledger says.
    """
    assert story.shown == 18


def test_each_letter_is_to_the_one_who_is_told_of_the_gift(story: TickedStory) -> None:
    """The page that the email's link opens greets its reader by name, and nobody else."""
    for link, person in story.links.items():
        letter = link.partition("#g=")[2]
        assert json.loads(urlsafe_b64decode(letter + "=" * (-len(letter) % 4)))["to"] == person.name


def test_the_story_leaves_the_papers_of_the_legacy_beside_the_printables_of_the_gift(
    story: TickedStory, stack: PlainStack
) -> None:
    if find_chromium() is None:
        pytest.skip("chromium is not installed: the demo's printables were not drawn")
    saved = {path.name for path in (stack.directory / "printables").iterdir()}
    assert saved == set(PRINTABLES.values())


def test_the_story_ends_with_its_summary(story: TickedStory, stack: PlainStack) -> None:
    """Nothing sends anybody to a page of a stack that may be gone: who stays is told where the last gift is."""
    told = (stack.directory.parent / "terminal.log").read_text()
    assert "story  " not in told.partition("steps were seen")[2]
    assert story.gift is not None
    assert story.gift.link not in told
    assert story.gift.key not in told


def test_planted_leaks_are_found(story: TickedStory, stack: PlainStack) -> None:
    """In a table (as bytes), in a log and in what Dagster would store: the step of the story that searches fails."""
    log, output = stack.directory / "logs" / "api.log", stack.directory / "dagster" / "storage" / "compute.out"
    before = log.read_bytes()
    output.parent.mkdir()
    with psycopg.connect(stack.at.databases["worker"], autocommit=True) as connection:
        connection.execute("create table worker.careless (note bytea)")
        connection.execute("insert into worker.careless values (%s)", [OWNER.email.encode()])
        careless = {"name": FIRST.name, "signature": story.authorizations[0].hex(), "link": story.fragments[FRIEND]}
        log.write_bytes(before + json.dumps(careless).encode() + b"\n")
        output.write_text(b64encode(b"key: " + bytes(story.accounts[SECOND].key)).decode())
        try:
            found = {(leak.what, leak.form, leak.where) for leak in story.found_leaks()}
            with pytest.raises(NotSeen, match=r"found .*email of the story owner"):
                story.no_leak()
        finally:
            connection.execute("drop table worker.careless")
            log.write_bytes(before)
            output.unlink()
    assert {
        ("email of the story owner", "hex", "dump of worker"),
        ("first name of the story first heir", "as it is", "logs/api.log"),
        ("authorization 1", "hex", "logs/api.log"),
        ("fragment of the story friend's claim links", "as it is", "logs/api.log"),
        ("message of the gifts", "base64", "logs/api.log"),
        ("private key of the story second heir", "base64", "dagster/storage/compute.out"),
    } <= found


def test_the_search_forgets_no_kind_of_secret_and_no_place(story: TickedStory, stack: PlainStack) -> None:
    log = stack.directory / "logs" / "api.log"
    before, secrets = log.read_bytes(), story._secrets()
    log.write_bytes(before + b"\n".join(secret.value for secret in secrets))
    try:
        found = {leak.what for leak in story.found_leaks() if leak.where == "logs/api.log"}
    finally:
        log.write_bytes(before)
    assert found == {secret.what for secret in secrets}
    for kind in (*KINDS, *(path.name for path in stack.secrets.iterdir())):
        assert any(what.startswith(kind) for what in found), kind
    places = {where for where, _ in story._everything()}
    assert {"traces", stack.at.metrics, *(f"dump of {name}" for name in stack.at.databases)} <= places
    for place in ("environ of api", "cmdline of api", "logs/", "postgres/pg_wal/", "postgres/base/"):
        assert any(where.startswith(place) for where in places), place


def test_searched_traces_are_of_all_parts(story: TickedStory, stack: PlainStack) -> None:
    services = stack.collector.services
    names = {span.name for span in services["reminder-worker"]}
    assert {"POST /ingest-legacy", "POST /gift/notify", "POST /sponsor/claim", "run dispatch", "run relay"} <= names
    assert "POST /send" in {span.name for span in services["reminder-worker-mail"]}


def test_no_secret_is_readable_by_others(stack: PlainStack) -> None:
    private = [stack.directory / "env", *stack.secrets.iterdir()]
    assert len(private) == 11
    assert {path.stat().st_mode & 0o077 for path in [stack.secrets, *private]} == {0}


def test_doctor_finds_everything_well(stack: PlainStack, story: TickedStory) -> None:
    # What the watchdog saw long ago counts for nothing.
    reminder_worker(stack.directory, "tick", "--pass", "watchdog", check=True)
    looked = reminder_worker(stack.directory, "doctor")
    assert looked.returncode == 0, looked.stdout + looked.stderr
    for part in ("database", "installation", "ledger", "passes", "chain 31337 contracts", "mail", "dagster"):
        assert f"ok {part}: ".replace(" ", "") in looked.stdout.replace(" ", "")
    for secret in stack.secrets.iterdir():
        assert secret.read_text() not in looked.stdout + looked.stderr


def test_the_inbox_is_readable_by_command(stack: PlainStack, story: TickedStory) -> None:
    listed = reminder_worker(stack.directory, "inbox", check=True).stdout
    assert listed.count(OWNER.email) == 4
    first = reminder_worker(stack.directory, "inbox", "1", check=True).stdout
    assert "never ask for" in first
    assert reminder_worker(stack.directory, "inbox", "99").returncode == 1


def test_the_owners_deadline_is_an_entry_that_a_calendar_reads(stack: PlainStack, story: TickedStory) -> None:
    """The check-in moves the entry of the reminder: same UID, later day, higher number."""
    emails = [email for email in story.evidence.emails() if email.to == OWNER.email]
    (reminder,) = [email for email in emails if "close to its deadline" in email.subject]
    (check_in,) = [email for email in emails if "Your activity was recorded" in email.subject]
    first, moved = (read_day(stack, email.number) for email in (reminder, check_in))
    assert str(first["SUMMARY"]).startswith("Deadline to check in: ")
    assert (first["UID"], first["SUMMARY"]) == (moved["UID"], moved["SUMMARY"])
    assert first.decoded("DTSTART") < moved.decoded("DTSTART")
    assert int(str(first["SEQUENCE"])) < int(str(moved["SEQUENCE"]))
    assert [alarm.decoded("TRIGGER").days for alarm in first.walk("VALARM")] == [-7, -1]


def read_day(stack: PlainStack, number: int) -> Event:
    """Return the event of the first attachment of an email in the inbox."""
    content = ask(f"{stack.at.inbox}/messages/{number}/attachments/0")[1]
    (event,) = Calendar.from_ical(content).events
    return event


def test_a_backfill_reads_the_same_and_mails_nobody(stack: PlainStack, story: TickedStory) -> None:
    query = "select count(*), sum(block_number) from worker.chain_event"
    reminder_worker(stack.directory, "tick", "--pass", "index", check=True)  # the last gift
    before = story.evidence.rows(query)
    done = reminder_worker(stack.directory, "backfill", "--from-block", "0")
    assert done.returncode == 0, done.stderr
    assert story.evidence.rows(query) == before
    reminder_worker(stack.directory, "tick", check=True)
    assert len([email for email in story.evidence.emails() if email.to != OPS_EMAIL]) == 18
