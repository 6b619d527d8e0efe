"""`python -m mail_service.messages` writes every message into the catalogues; new ones wait for a translation."""

from collections.abc import Iterator
from importlib.resources import files
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from jinja2.ext import extract_from_ast

from mail_service import languages, rendering
from mail_service.catalogue import TEMPLATES
from mail_service.languages import LANGUAGES
from mail_service.rendering import make_environment
from mail_service.variables import ROLES


def extract_messages() -> Catalog:
    """Every message for people, in the order of the templates."""
    catalog = Catalog(project="reminder-worker", charset="utf-8")
    environment = make_environment("text")
    for place, source in _list_sources():
        for _, _, message in extract_from_ast(environment.parse(source), ("_", "gettext")):
            # With variables it is a tuple: the message, and None for each of them.
            text = message[0] if isinstance(message, tuple) else message
            if text is not None:
                catalog.add(text, locations=[(place, 0)])
    for label in ROLES.values():
        catalog.add(label, locations=[("roles", 0)])
    for module in (languages, rendering):
        with Path(str(module.__file__)).open("rb") as source_file:
            for _, found, _, _ in extract("python", source_file):
                catalog.add(found, locations=[(module.__name__, 0)])
    return catalog


def find_catalogue(code: str) -> Path:
    return Path(str(files("mail_service"))) / "catalogues" / f"{code}.po"


def read_catalogue(code: str) -> Catalog:
    """Read what was translated so far; nothing for a new language."""
    path, locale = find_catalogue(code), LANGUAGES[code].replace("-", "_")
    return read_po(BytesIO(path.read_bytes()), locale=locale) if path.exists() else Catalog(locale=locale)


def write_catalogues() -> None:
    """Old translations stay, messages that are gone go, and nothing is guessed."""
    extracted = extract_messages()
    for code in LANGUAGES:
        if code == "en":
            continue
        catalog = read_catalogue(code)
        catalog.update(extracted, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        written = BytesIO()
        write_po(written, catalog, width=100, omit_header=False, include_lineno=False, ignore_obsolete=True)
        lines = [line for line in written.getvalue().splitlines(keepends=True) if b"-Date: " not in line]
        find_catalogue(code).write_bytes(b"".join(lines))


def _list_sources() -> Iterator[tuple[str, str]]:
    for name, template in TEMPLATES.items():
        yield f"subject/{name}", template.subject
    folder = Path(str(files("mail_service"))) / "templates"
    for path in sorted(folder.rglob("*.*")):
        yield path.relative_to(folder).as_posix(), path.read_text("utf-8")


if __name__ == "__main__":
    write_catalogues()
