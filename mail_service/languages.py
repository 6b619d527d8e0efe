"""The languages of emails to people: catalogues of messages, dates and numbers.

A message that a catalogue lacks is shown in English, and so is a language that has none.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from types import MappingProxyType
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale
from babel.dates import format_date, get_timezone_gmt
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from mail_service.variables import parse_time

# By the first part of a BCP 47 tag; the value is what HTML and CLDR call it.
LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "en": "en",
        "es": "es",
        "fr": "fr",
        "de": "de",
        "pt": "pt",
        "it": "it",
        "ja": "ja",
        "ko": "ko",
        "zh": "zh-Hans",
        "ar": "ar",
    }
)


def find_language(tag: str) -> str:
    """A key of LANGUAGES: `pt-BR` is `pt`, and what is unknown is `en`. Never a refusal."""
    code = re.split("[-_]", tag.strip().lower(), maxsplit=1)[0]
    return code if code in LANGUAGES else "en"


def find_zone(name: str) -> ZoneInfo | None:
    """Return the time zone of an IANA name; None for an unknown name. Never a refusal."""
    return ZoneInfo(name) if name in _read_zone_names() else None


@lru_cache(maxsize=1)
def _read_zone_names() -> frozenset[str]:
    """Read the names from the disk once."""
    return frozenset(available_timezones()) - {"localtime", "Factory"}  # of this machine, of no place


def choose_language(header: str) -> str:
    """Take the first language of an Accept-Language header that we have. Browsers name the wanted one first."""
    tags = [part.split(";")[0] for part in header[:300].split(",")]
    known = (find_language(tag) for tag in tags if find_language(tag) != "en" or tag.strip().lower().startswith("en"))
    return next(known, "en")


@dataclass(frozen=True, slots=True)
class SpokenLanguage:
    """One language's messages and forms."""

    code: str
    tag: str
    rtl: bool
    translations: NullTranslations
    locale: Locale

    def format_time(self, text: str | None, zone: ZoneInfo | None = None) -> str | None:
        """Return a worker's `Tuesday, 24 November 2026, 15:04 UTC` in this language; other text stays as it is.

        With a zone, its day and time come first and UTC follows in brackets. UTC has its day, too, if the days differ.
        The zone is shown by its offset, since its name would be wrong for Ireland in summer and for Morocco. It and the
        time in UTC keep their own direction: they may hold Latin letters.
        """
        when = None if text is None else parse_time(text)
        if when is None:
            return text
        clock = self._isolate(f"{when:%H:%M} UTC")
        message = self.translations.gettext("%(date)s, %(time)s")
        utc = message % {"date": self._format_date(when), "time": clock}
        there = _move_to_zone(when, zone)
        if there is None:
            return utc
        return self.translations.gettext("%(date)s, %(time)s (%(zone)s; %(utc)s)") % {
            "date": self._format_date(there),
            "time": f"{there:%H:%M}",
            "zone": self._isolate(get_timezone_gmt(there, locale=self.locale)),
            "utc": clock if there.date() == when.date() else utc,
        }

    def _isolate(self, text: str) -> str:
        return f"\u2068{text}\u2069" if self.rtl else text  # as `bdi` does

    def _format_date(self, when: datetime) -> str:
        # In English as workers write it, with the day before the month.
        return format_date(when, "EEEE, d MMMM y" if self.code == "en" else "full", locale=self.locale)

    def format_amount(self, text: str) -> str:
        """A worker's `12,500.5` or `7 base units` with the marks of this language; no digit changes."""
        found = re.fullmatch(r"([0-9,]+(?:\.[0-9]+)?)( base units)?", text)
        if found is None or self.code == "en":
            return text
        symbols = self.locale.number_symbols["latn"]
        number = found[1].translate({ord(","): symbols["group"], ord("."): symbols["decimal"]})
        return self.translations.gettext("%(number)s base units") % {"number": number} if found[2] else number


def _move_to_zone(when: datetime, zone: ZoneInfo | None) -> datetime | None:
    """Return the moment in the zone; None where the zone has UTC's time, or the day is after the year 9999."""
    if zone is None:
        return None
    try:
        there = when.astimezone(zone)
    except OverflowError:
        return None
    return there if there.utcoffset() else None


@lru_cache(maxsize=len(LANGUAGES))
def load_language(code: str) -> SpokenLanguage:
    """Read at first use: a service that writes in one language keeps one."""
    locale = Locale.parse(LANGUAGES[code], sep="-")
    rtl = locale.text_direction == "rtl"
    return SpokenLanguage(code, LANGUAGES[code], rtl, _load_translations(code), locale)


def _load_translations(code: str) -> NullTranslations:
    source = files("mail_service").joinpath(f"catalogues/{code}.po")
    if not source.is_file():
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, read_po(BytesIO(source.read_bytes()), locale=LANGUAGES[code].replace("-", "_")))
    compiled.seek(0)
    return GNUTranslations(compiled)
