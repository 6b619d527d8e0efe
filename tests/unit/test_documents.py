"""Documents agree with the code."""

import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from devnet import diagram
from mail_service import store as mail_store
from reminder_worker import __version__, schema
from reminder_worker.features import PASS_BY_NAME
from reminder_worker.outbox.messages import AlertKind

ROOT = Path(__file__).parents[2]
FOLDERS = [
    ROOT / folder
    for folder in ("", "docs", "docs/decisions", "deploy", "gift_page", "clients/erc7730", "clients/typescript")
]
PAGES = sorted(page for folder in FOLDERS for page in folder.glob("*.md"))
MAKEFILE = (ROOT / "Makefile").read_text()
PARTS_OF_TEST = {"tools"}
CODE = [
    *(ROOT / room for room in ("reminder_worker", "api", "assets", "pipelines", "mail_service", "devnet", "bench")),
    *(ROOT / room for room in ("clients", "gift_page", "deploy", "tests/golden")),
    *(ROOT / file for file in ("pyproject.toml", "Makefile", ".env.example", "dagster.yaml", "workspace.yaml")),
]
GENERATED = {"data.md"}  # and compared with the code by a test of its own
OTHERS_NAMES = {  # names in our pages that are not of this project
    "PostgreSQL": "DiskFull ReadOnlySqlTransaction ConfigurationLimitExceeded temp_file_limit pg_restore"
    " synchronous_standby_names target_session_attrs worker_before",
    "pydantic-settings, Python and its allocator": "NoDecode env_prefix PyGILState_Release SSL_CERT_FILE"
    " MALLOC_ARENA_MAX MALLOC_TRIM_THRESHOLD_",
    "Compose, Loki, Postfix and OpenDKIM": "COMPOSE_PROFILES retention_enabled retention_period recipient_delimiter"
    " SignHeaders",
    "OpenTelemetry": "OTEL_EXPORTER_OTLP_HEADERS OTEL_RESOURCE_ATTRIBUTES OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG"
    " parentbased_traceidratio",
    "Dagster": "AutomationCondition",
    "buckets": "AWS_ACCESS_KEY_ID AWS_ENDPOINT_URL GOOGLE_APPLICATION_CREDENTIALS",
    "files that an operator makes": "email_enc_keys_old",
}


def test_the_picture_of_the_rooms_is_the_codes() -> None:
    """`make diagram` draws it anew."""
    assert diagram.drawn() in diagram.PAGE.read_text()


def test_every_room_has_a_line_in_the_architecture() -> None:
    _, _, below = diagram.PAGE.read_text().partition(diagram.END)
    table = re.findall(r"^\| (`[^|]+`) \| ", below.partition("\n## ")[0], re.M)
    named = {name.strip("`/") for cell in table for name in cell.split(", ")}
    assert named == diagram.rooms().keys() | diagram.EVERYWHERE


def test_each_table_has_a_word_on_how_long_its_rows_stay() -> None:
    _, _, below = (ROOT / "docs" / "operating.md").read_text().partition("| rows of | stay |\n")
    cells = re.findall(r"^\| (`[^|]+) \| ", below.partition("\n\n")[0], re.M)
    named = Counter(table for cell in cells for table in re.findall(r"`(\w+)`", cell))
    tables = [*schema.metadata.sorted_tables, *mail_store.metadata.sorted_tables]
    assert named == Counter(table.name for table in tables)


def test_rooms_do_not_import_each_other_in_a_circle() -> None:
    assert diagram.circles(diagram.rooms()) == set()


def test_a_circle_is_seen_and_a_detour_left_out() -> None:
    assert diagram.circles({"a": {"b"}, "b": {"a"}, "c": {"a"}}) == {"a", "b"}
    assert diagram.without_detours({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": {"b"}, "b": {"c"}, "c": set()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_into_a_page_leads_to_a_place_in_it(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", page.read_text())
    assert [(to, place) for to, place in links if place not in _places(page.parent / to if to else page)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_named_file_exists(page: Path) -> None:
    """A page names a file from the root, from `reminder_worker` or from its own folder."""
    named = re.findall(r"`([\w.-]+(?:/[\w.-]+)+\.(?:py|sql|ts|md|json|ya?ml|graphql|sh))`", page.read_text())
    folders = (ROOT, ROOT / "reminder_worker", page.parent)
    assert [name for name in named if not any((folder / name).exists() for folder in folders)] == []


@pytest.fixture(scope="module")
def known_names() -> frozenset[str]:
    """Return every identifier of the code, and the names in `OTHERS_NAMES`."""
    names = set(" ".join(OTHERS_NAMES.values()).split())
    for part in CODE:
        for path in part.rglob("*") if part.is_dir() else [part]:
            skipped = {"node_modules", "dist", "__pycache__"} & set(path.parts)
            if path.is_file() and not skipped and path.suffix not in {".md", ".png", ".woff2"}:
                names.update(re.findall(r"[A-Za-z_]\w*", path.read_text(errors="ignore")))
    return frozenset(names | {name.removeprefix("reminder_worker_") for name in names})  # metrics, as pages name them


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in GENERATED], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_name_in_a_page_is_in_the_code(page: Path, known_names: frozenset[str]) -> None:
    """Names of classes, errors, settings, limits, metrics, events and tables: CamelCase, or with an underscore."""
    text = re.sub(r"^( *)```.*?^\1```", "", page.read_text(), flags=re.M | re.S)
    codes = [code.replace("CHAIN_<id>_", "") for code in re.findall(r"`([^`\n]+)`", text) if "test_" not in code]
    words = {word for code in codes for word in re.findall(r"(?<![\w<])[A-Za-z_]\w*(?![\w.…])", code)}
    named = {word for word in words if re.fullmatch(r"[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[A-Za-z]\w*_\w+", word)}
    assert {name for name in named if not {name, name.removesuffix("_FILE")} & known_names} == set()


def test_pages_name_passes_and_commands_that_exist() -> None:
    text = "\n".join(page.read_text() for page in PAGES if page.name != "CHANGELOG.md")
    rows = "".join(re.findall(r"the same of ((?:`\w+`(?: or )?)+)", text))
    passes = {*re.findall(r"`(\w+)`", rows), *re.findall(r"--pass (\w+)", text)}
    assert {"due", "forget", "signals"} <= passes <= {*PASS_BY_NAME, "settings"}
    golden = (ROOT / "tests" / "golden" / "commands.txt").read_text()
    commands = set(re.findall(r"^\$ reminder-worker (\w[\w -]*) --help$", golden, re.M))
    groups = {name.split()[0] for name in commands if " " in name}
    used = re.findall(r"(?:`|^)reminder-worker ([a-z][a-z-]*)(?: ([a-z]+))?", text, re.M)
    named = {f"{first} {second}" if first in groups else first for first, second in used}
    assert named <= commands


def _places(page: Path) -> set[str]:
    """Return the anchors of a page: GitHub's anchors of the headings, and explicit ones."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    headings = (re.sub(r"[^\w\- ]", "", title.lower()) for title in re.findall(r"^#+ (.+)$", text, re.M))
    return {title.replace(" ", "-") for title in headings} | set(re.findall(r'<a id="([\w-]+)">', text))


def test_every_decision_is_in_the_list_and_says_what_it_costs() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text())
    assert listed == sorted(path.name for path in folder.glob("0*.md"))
    for name in listed:
        text = (folder / name).read_text()
        assert all(part in text for part in ("**Why.**", "**So.**", "**The price.**")), name


def test_every_alert_is_in_the_runbook() -> None:
    runbook = (ROOT / "docs" / "runbook.md").read_text()
    assert [kind.value for kind in AlertKind if f"`{kind.value}`" not in runbook] == []


def test_the_table_of_passes_has_a_row_for_each_declared_pass() -> None:
    _, _, table = (ROOT / "docs" / "operating.md").read_text().partition("\n| pass | how often |")
    rows = re.findall(r"^\| (\w+) \| ", table.partition("\n\n")[0], re.M)
    assert sorted(rows) == sorted(PASS_BY_NAME)


@pytest.mark.parametrize("noun", ["metric", "alert", "check"])
def test_documents_name_no_metric_alert_or_check_that_is_not_declared(noun: str) -> None:
    golden = ROOT / "tests" / "golden"
    metrics = re.findall(r"^reminder_worker_(\w+)", (golden / "metrics.txt").read_text(), re.M)
    checks = re.findall(r"^check \w+:(\w+)", (golden / "dagster.txt").read_text(), re.M)
    declared = {"metric": metrics, "alert": [kind.value for kind in AlertKind], "check": checks}[noun]
    lists = [
        found for page in PAGES for found in re.findall(rf"\b{noun}s? (`\w+`(?:,? (?:and )?`\w+`)*)", page.read_text())
    ]
    named = {name.removeprefix("reminder_worker_") for words in lists for name in re.findall(r"`(\w+)`", words)}
    assert len(named) > 5, "the documents are read wrongly"
    assert named - set(declared) == set()


def test_make_help_names_every_target() -> None:
    targets = set(re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.M)[0].split()) - {"help"} - PARTS_OF_TEST
    shown = set(re.findall(r"make ([\w-]+)", "".join(re.findall(r"^\t@echo (.+)$", MAKEFILE, re.M))))
    assert targets - shown == set()
    assert shown - targets == set()


def test_the_node_that_is_asked_for_runs_what_builds_the_page() -> None:
    """An earlier one fails in the middle of `make install`, with words about a module."""
    built_by = json.loads((ROOT / "package-lock.json").read_text())["packages"]["node_modules/vite"]["engines"]["node"]
    assert json.loads((ROOT / "package.json").read_text())["engines"]["node"] == built_by
    versions = re.findall(r"(\d+\.\d+)\.0", built_by)
    for text in (MAKEFILE, (ROOT / "README.md").read_text(), (ROOT / "CONTRIBUTING.md").read_text()):
        assert all(version in text for version in versions)


def test_version_stands_in_one_place_and_deploy_files_and_changelog_name_it() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert configuration["project"]["dynamic"] == ["version"]
    assert configuration["tool"]["hatch"]["version"]["path"] == "reminder_worker/__init__.py"
    dated = r"^## (\S+) \((?:\d{4}-\d{2}-\d{2}|not released yet)\)$"
    releases = re.findall(dated, (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert releases[0] == __version__
    deploy = [path for path in (ROOT / "deploy").rglob("*") if path.is_file()]
    words = "".join(path.read_text() for path in deploy)
    tags = re.findall(r"reminder-worker(?:-[$\w]+)?(?::|, tag: )(\d[\w.]*)", words)
    assert len(tags) > 1
    assert set(tags) == {__version__}


def test_the_licence_is_the_same_everywhere() -> None:
    python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]
    assert python == json.loads((ROOT / "package.json").read_text())["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text()


def test_the_readme_counts_the_steps_of_the_story() -> None:
    steps = (ROOT / "devnet" / "demo.py").read_text().partition("def steps(")[2].partition("        )\n")[0]
    counted = len(re.findall(r'^            \("', steps, re.MULTILINE))
    assert f"plays {counted} steps" in (ROOT / "README.md").read_text()
