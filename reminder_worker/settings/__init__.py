"""Settings of the service, read once from the environment into frozen objects.

If none of a group's required variables is set, its part is off. An incomplete or invalid group is off, too, and is
reported in `Settings.problems` (`reminder-worker doctor` prints them and exits with 1). Missing basic settings raise
`Misconfigured`. A secret may be given as `NAME` or as `NAME_FILE`, a path to a file.
"""

import os
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo

from reminder_worker.errors import Misconfigured
from reminder_worker.settings.chains import PRESETS, ChainSettings
from reminder_worker.settings.groups import (
    ApiSettings,
    AutoRenewSettings,
    GiftSettings,
    IdentityProviderSettings,
    MailSettings,
    OpsSettings,
    RelaySettings,
    ReminderSettings,
    ServiceSettings,
    SettingsGroup,
    StatisticsSettings,
)
from reminder_worker.settings.values import split_list

G = TypeVar("G", bound="SettingsGroup")


class Settings(SettingsGroup):
    """All groups. Build with `Settings.from_environ`."""

    service: ServiceSettings
    chains: tuple[ChainSettings, ...]
    mail: MailSettings | None
    reminders: ReminderSettings
    api: ApiSettings
    relay: RelaySettings | None = None
    auto_renew: AutoRenewSettings | None = None
    ops: OpsSettings = Field(default_factory=lambda: OpsSettings.model_validate({}))
    gifts: GiftSettings | None = None
    identity_provider: IdentityProviderSettings | None = None
    statistics: StatisticsSettings = Field(default_factory=lambda: StatisticsSettings.model_validate({}))
    problems: tuple[str, ...] = ()

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read all groups. Raises `Misconfigured` with every fault that prevents a start."""
        values, problems = _read_secret_files(environ)
        faults: list[str] = list(problems)
        half: list[str] = []
        service = _read_group(ServiceSettings, values, "", faults)
        chains = _read_chains(values, faults)
        reminders = _read_group(ReminderSettings, values, "", faults)
        api = _read_group(ApiSettings, values, "", faults)
        ops = _read_group(OpsSettings, values, "", faults)
        statistics = _read_group(StatisticsSettings, values, "", faults)
        mail = _read_optional_group(MailSettings, "no email is sent", values, half)
        relay = _read_optional_group(RelaySettings, "nothing is relayed", values, half)
        auto_renew = _read_optional_group(AutoRenewSettings, "no timer is renewed", values, half)
        gifts = _read_optional_group(GiftSettings, "no gift is served", values, half)
        provider = _read_optional_group(IdentityProviderSettings, "no wallet is found by email", values, half)
        is_local = service is None or service.environment == "local"
        if not is_local and provider and provider.code_signing_key:
            faults.append("TURNKEY_CODE_SIGNING_KEY: is for a stand-in on the local stack only")
        if ops and ops.operator_secret and ops.operator_secret == ops.status_secret:
            faults.append("OPERATOR_SECRET: is OPS_STATUS_SECRET too, which is to open the status and nothing else")
        if faults:  # a missing group is one
            raise Misconfigured("settings are not usable:\n" + "\n".join(f"- {fault}" for fault in faults))
        return cls.model_validate(
            {
                "service": service,
                "chains": chains,
                "mail": mail,
                "reminders": reminders,
                "api": api,
                "relay": relay,
                "auto_renew": auto_renew,
                "ops": ops,
                "gifts": gifts,
                "identity_provider": provider,
                "statistics": statistics,
                "problems": tuple(half),
            }
        )

    @property
    def is_local(self) -> bool:
        return self.service.environment == "local"


def _read_secret_files(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Replace every `NAME_FILE` by `NAME` with the file's text. Values are stripped; empty values count as absent."""
    stripped = {name: value.strip() for name, value in environ.items()}
    values = {name: text for name, text in stripped.items() if text}
    problems = []
    for name in list(values):
        plain = name.removesuffix("_FILE")
        if plain == name or not _is_secret(plain):
            continue
        try:
            text = Path(values[name]).read_text(encoding="utf-8").strip()
            if not text:
                problems.append(f"{name}: the file is empty")
            if values.get(plain, text) != text:
                problems.append(f"{plain}: is set in {name} too, to something else")
            values[plain] = text
        except OSError as error:
            problems.append(f"{name}: the file cannot be read ({error.strerror})")
        except UnicodeDecodeError:  # the error would show the content
            problems.append(f"{name}: the file holds something that is not text")
    return values, problems


def _read_chains(values: Mapping[str, str], faults: list[str]) -> tuple[ChainSettings, ...]:
    ids = split_list(values.get("CHAINS", ""))
    if not ids:
        faults.append("CHAINS: missing (chain ids, comma separated, for example 1)")
    chains = []
    if len(set(ids)) < len(ids):
        faults.append("CHAINS: names a chain twice")
    for text in dict.fromkeys(ids):
        if not re.fullmatch("[1-9][0-9]{0,15}", text):
            faults.append("CHAINS: holds something that is not a chain id")
            continue
        prefix = f"CHAIN_{text}_"
        preset = {prefix + key: value for key, value in PRESETS.get(int(text), {}).items()}
        chain = _read_group(ChainSettings, {**preset, **values}, prefix, faults, chain_id=int(text))
        if chain is not None:
            chains.append(chain)
    return tuple(chains)


def _read_group(group: type[G], values: Mapping[str, str], prefix: str, faults: list[str], **fixed: Any) -> G | None:
    given = {name: values[prefix + name] for name in list_fields(group) if prefix + name in values}
    fields: dict[str, Any] = {**fixed, **given}
    try:
        return group.model_validate(fields)
    except ValidationError as error:
        first_faults: dict[str, str] = {}  # one per variable: a list without its invalid parts is also too short
        for fault in error.errors(include_input=False, include_url=False, include_context=False):
            message = "missing" if fault["type"] == "missing" else fault["msg"].removeprefix("Value error, ")
            first_faults.setdefault(prefix + str(fault["loc"][0]), message)
        faults.extend(f"{name}: {message}" for name, message in first_faults.items())
        return None


def _read_optional_group(group: type[G], off: str, values: Mapping[str, str], half: list[str]) -> G | None:
    """Return None if no required variable is set, or if the group is invalid; faults are added to `half`."""
    required = _list_required(group)
    if not any(name in values for name in required):
        return None
    faults: list[str] = []
    found = _read_group(group, values, "", faults)
    if faults:
        half.extend([*faults, f"the group of {required[0]} is set by half or wrongly: {off}"])
    return found


def list_fields(group: type[SettingsGroup]) -> dict[str, FieldInfo]:
    """Return the fields by their variables, a chain's without the prefix."""
    return {field.alias: field for field in group.model_fields.values() if field.alias}


def _list_required(group: type[SettingsGroup]) -> list[str]:
    """Return the variables that turn the group's part on."""
    return [name for name, field in list_fields(group).items() if field.is_required()]


GROUPS: tuple[type[SettingsGroup], ...] = (
    ServiceSettings,
    ChainSettings,
    MailSettings,
    ReminderSettings,
    ApiSettings,
    RelaySettings,
    AutoRenewSettings,
    OpsSettings,
    StatisticsSettings,
    GiftSettings,
    IdentityProviderSettings,
)


def list_setting_names(chain_ids: Sequence[str]) -> list[str]:
    """Return every environment variable with these chains; a secret has one with `_FILE`, too."""
    names = ["CHAINS"]
    for group in GROUPS:
        prefixes = [f"CHAIN_{id}_" for id in chain_ids] if group is ChainSettings else [""]
        names += [prefix + name for prefix in prefixes for name in list_fields(group)]
    return names


def find_misspelt(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (variable, setting) of unread variables that resemble a setting; variables of other chains are fine."""
    ids = split_list(environ.get("CHAINS", ""))
    names = list_setting_names(ids)
    known = {*names, *(f"{name}_FILE" for name in names if _is_secret(name))}
    served = tuple(f"CHAIN_{id}_" for id in ids)
    found = []
    for name in sorted(environ.keys() - known):
        if name.startswith("CHAIN_") and not name.startswith(served):
            continue
        near = get_close_matches(name, known, 1, cutoff=0.85)
        if near:
            found.append((name, near[0]))
    return found


def find_without_effect(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (variable, required settings) of variables whose part is off for lack of a required setting."""
    found = []
    optional = (MailSettings, RelaySettings, AutoRenewSettings, GiftSettings, IdentityProviderSettings)
    for group in optional:
        required = _list_required(group)
        names = [name for variable, field in list_fields(group).items() for name in _list_names(variable, field)]
        given = [name for name in names if environ.get(name, "").strip()]
        if not {name.removesuffix("_FILE") for name in given} & set(required):
            found += [(name, ", ".join(required)) for name in given]
    return found


def _list_names(variable: str, field: FieldInfo) -> list[str]:
    return [variable, f"{variable}_FILE"] if is_secret_field(field) else [variable]


def is_secret_field(field: FieldInfo) -> bool:
    return any(secret in str(field.annotation) for secret in ("SecretStr", "SecretBytes"))


_SECRET_NAMES = frozenset(
    name for group in GROUPS for name, field in list_fields(group).items() if is_secret_field(field)
)


def _is_secret(name: str) -> bool:
    return name in _SECRET_NAMES or (name.startswith("CHAIN_") and name.split("_", 2)[-1] in _SECRET_NAMES)
