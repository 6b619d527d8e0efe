"""Tables of docs/configuration.md, generated from the settings."""

from pathlib import Path

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from reminder_worker.settings import GROUPS, ChainSettings, SettingsGroup, is_secret_field, list_fields
from reminder_worker.settings.chains import PRESETS


def configuration_table() -> str:
    """Return Markdown with a table for each group."""
    return "\n\n".join(_make_group_table(group) for group in GROUPS)


def with_table(page: str) -> str:
    """Return the page with new tables between its two markers."""
    begin, end = "<!-- settings -->\n", "<!-- /settings -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{configuration_table()}\n\n{end}{after}"


def _make_group_table(group: type[SettingsGroup]) -> str:
    chains = ("`CHAINS`", "**required**", "chain ids, comma separated, for example `1,11155111`")
    rows = [chains] if group is ChainSettings else []
    prefix = "CHAIN_<id>_" if group is ChainSettings else ""
    for name, field in list_fields(group).items():
        rows.append((f"`{prefix}{name}`", _format_default(name, field), field.description or ""))
    lines = [f"| {name} | {default} | {description} |" for name, default, description in rows]
    title = (group.__doc__ or "").strip()
    return "\n".join([f"**{title}**", "", "| variable | default | what it is |", "|---|---|---|", *lines])


def _format_default(name: str, field: FieldInfo) -> str:
    secret = " (secret)" if is_secret_field(field) else ""
    if any(name in values for values in PRESETS.values()):
        return "preset for known chains"
    if field.default is PydanticUndefined:
        return "**required**" + secret
    if field.default in (None, "", ()):
        return secret.strip()
    text = str(field.default).lower() if isinstance(field.default, bool) else f"{field.default}"
    return f"`{text.removesuffix('.0')}`{secret}"


if __name__ == "__main__":
    page = Path(__file__).parents[2] / "docs" / "configuration.md"
    page.write_text(with_table(page.read_text("utf-8")), "utf-8")
