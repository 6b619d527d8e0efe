"""The command line: help with examples, exit codes, sentences instead of tracebacks, no email off the local stack."""

import os
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from dotenv import dotenv_values

from reminder_worker import __version__
from reminder_worker.cli.main import main
from reminder_worker.cli.parts import words_of

ROOT = Path(__file__).parents[2]
KEY = b64encode(b"k" * 32).decode()
PRODUCTION = {
    "ENVIRONMENT": "production",
    "DATABASE_URL": "postgresql://nobody:pa55word@127.0.0.1:1/none",
    "EMAIL_ENC_KEY": KEY,
    "HASH_KEY": KEY,
    "APP_ORIGIN": "https://app.example.org",
    "CHAINS": "1",
    "CHAIN_1_RPC_URLS": "http://127.0.0.1:1",
    "CHAIN_1_START_BLOCK": "0",
}


def _commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name)


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)  # where no .env is
    for name in (*PRODUCTION, "MAIL_URL", "MAIL_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return CliRunner()


@pytest.mark.parametrize("command", [*_commands(main)], ids=" ".join)
def test_every_command_has_help_with_an_example(runner: CliRunner, command: tuple[str, ...]) -> None:
    shown = runner.invoke(main, [*command, "--help"])
    assert shown.exit_code == 0
    assert re.search(rf"Example:\n  .*reminder-worker .*{command[-1]}", shown.output)


def test_version_is_the_packages(runner: CliRunner) -> None:
    assert runner.invoke(main, ["--version"]).output == f"reminder-worker {__version__}\n"


def test_a_report_is_told_without_its_zeros_and_in_no_language_of_programs() -> None:
    report = {"good": 3, "late": 0, "since": None, "more": False}
    assert words_of(Counter(report)) == "(good=3)"
    nothing: tuple[object, ...] = ({}, {"late": 0}, Counter(), [], None)
    assert [words_of(each) for each in nothing] == ["none"] * 5
    assert [words_of(each) for each in (0, 1.5, True, False, "at_head")] == ["0", "1.5", "yes", "no", "at_head"]
    assert words_of({"relayer": {"failed": 1}, "blocks": [1, 2]}) == "(relayer=(failed=1) blocks=1,2)"


def test_help_says_the_exit_codes_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from reminder_worker.cli.main import main\n"
        "shown = CliRunner().invoke(main, ['--help'])\n"
        "assert shown.exit_code == 0 and 'Exit codes: 0' in shown.output\n"
        "heavy = {'sqlalchemy', 'web3', 'pydantic', 'litestar', 'dagster', 'aiohttp'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_documented_start_copies_the_example_before_it_adds_keys(runner: CliRunner) -> None:
    """In the other order the example would replace the keys."""
    page = (ROOT / "docs" / "operating.md").read_text()
    copied, added = (
        page.index(line) for line in ("install -m 600 .env.example .env", "reminder-worker keys new >> .env")
    )
    assert copied < added
    made = (ROOT / ".env.example").read_text() + runner.invoke(main, ["keys", "new"]).output
    values = dotenv_values(stream=StringIO(made))
    assert [len(b64decode(values[name] or "")) for name in ("EMAIL_ENC_KEY", "HASH_KEY")] == [32, 32]


@pytest.mark.parametrize("command", ["doctor", "migrate", "serve", "tick", "rotate-key", "inbox"])
def test_missing_settings_are_a_sentence_and_exit_code_1(runner: CliRunner, command: str) -> None:
    result = runner.invoke(main, [command])
    assert result.exit_code == 1
    assert "DATABASE_URL: missing" in result.output
    assert "No .env was read: this directory has none" in result.output
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_wrong_usage_is_exit_code_2(runner: CliRunner) -> None:
    for arguments in (
        "tick --pass lunch",
        "backfill",
        "backfill --from-block -1",
        "backfill --from-block 5 --chain 999",
        "requeue not-an-id",
        "requeue --all 00000000-0000-0000-0000-000000000001",
        "settle not-an-id --unsent",
        "relay show not-an-id",
        "relay list --limit 0",
        "no-such-command",
    ):
        assert runner.invoke(main, arguments.split(), env=PRODUCTION).exit_code == 2, arguments


def test_no_stored_email_is_shown_off_the_local_stack(runner: CliRunner) -> None:
    for arguments in (["inbox"], ["inbox", "1"]):
        result = runner.invoke(main, arguments, env=PRODUCTION)
        assert (result.exit_code, "local stack only" in result.output) == (1, True)


def test_an_env_file_that_is_no_text_is_a_sentence_and_not_shown(runner: CliRunner) -> None:
    Path(".env").write_bytes(b"HASH_KEY=hunter2\xff\xfe")
    result = runner.invoke(main, ["migrate"])
    words = "Error: .env cannot be read: it is not text, or not for this user\n"
    assert (result.exit_code, result.output) == (1, words)


def test_a_line_of_an_env_file_that_says_nothing_stops_every_command_and_is_not_shown(runner: CliRunner) -> None:
    """Else the default counts, which is more."""
    for line in ('RELAY_DAILY_WEI_CAP="5000', "RELAY_DAILY_WEI_CAP 5000", "RELAY_DAILY_WEI_CAP:5000", "'5000"):
        Path(".env").write_text(f"# caps\n\nLOG_LEVEL=info\n{line}\nHASH_KEY=key\n")
        result = runner.invoke(main, ["migrate"], env=PRODUCTION)
        words = "Error: .env: line 4 is no NAME=value, or its quotes do not end\n"
        assert (result.exit_code, result.output) == (1, words), line


def test_a_database_that_refuses_is_a_sentence(runner: CliRunner) -> None:
    """Examples: the user may not create a schema, or the address has an unknown option."""
    url = PRODUCTION["DATABASE_URL"] + "?option=hunter2"
    for command in (["migrate"], ["requeue"]):
        result = runner.invoke(main, command, env=PRODUCTION | {"DATABASE_URL": url})
        assert (result.exit_code, isinstance(result.exception, SystemExit)) == (1, True)
        assert "the database refuses (ProgrammingError): see DATABASE_URL" in result.output
        assert "hunter2" not in result.output
        assert "pa55word" not in result.output


def test_settings_come_from_the_env_file_and_the_environment_wins(runner: CliRunner) -> None:
    Path("mine.env").write_text("ENVIRONMENT=production\nDATABASE_URL='not-a-url'\n")
    result = runner.invoke(main, ["--env-file", "mine.env", "migrate"])
    assert "DATABASE_URL: needs postgresql://" in result.output
    assert "No .env" not in result.output
    Path(".env").write_text("DATABASE_URL='not-a-url'\n")
    assert "DATABASE_URL: needs" in runner.invoke(main, ["migrate"]).output
    given = runner.invoke(main, ["migrate"], env={"DATABASE_URL": "postgresql://127.0.0.1:1/none"})
    assert "DATABASE_URL" not in given.output
    assert "HASH_KEY: missing" in given.output


@pytest.mark.parametrize("arguments", [["--env-file", "piped"], []], ids=["named", "in this directory"])
def test_settings_come_from_a_pipe_too(runner: CliRunner, arguments: list[str]) -> None:
    """Examples: `--env-file <(sops decrypt ...)`, or a password manager with a pipe as `.env`."""
    end, other = os.pipe()
    os.write(other, b"ENVIRONMENT=production\nDATABASE_URL='not-a-url'\n")
    os.close(other)
    Path("piped" if arguments else ".env").symlink_to(f"/dev/fd/{end}")
    result = runner.invoke(main, [*arguments, "migrate"])
    os.close(end)
    assert "DATABASE_URL: needs postgresql://" in result.output
    assert "No .env" not in result.output
