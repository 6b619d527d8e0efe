"""Who may be written to: test chains mail nobody but a list, since being Premium there costs next to nothing."""

from collections.abc import Collection

from reminder_worker.settings import ChainSettings, Settings


def may_mail(email: str, chain: ChainSettings, settings: Settings) -> bool:
    """`email` in its normal form. A stranger could make us write to anybody from a test chain."""
    if settings.is_local or not chain.is_test_chain:
        return True
    return settings.mail is not None and is_allowed(email, settings.mail.allowlist)


def is_allowed(email: str, allowlist: Collection[str]) -> bool:
    """Whether an email is listed, itself or by its `@domain`; all in their normal form, as settings are read."""
    return email in allowlist or "@" + email.rpartition("@")[2] in allowlist
