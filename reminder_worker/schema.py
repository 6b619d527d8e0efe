"""Every table of the service on one `metadata`: each room declares its own in `<room>/tables.py`."""

from reminder_worker.auto_renew import tables as _auto_renew
from reminder_worker.database.tables import SCHEMA, metadata
from reminder_worker.gifts import tables as _gifts
from reminder_worker.indexer import tables as _indexer
from reminder_worker.monitoring import tables as _monitoring
from reminder_worker.outbox import tables as _outbox
from reminder_worker.relay import tables as _relay
from reminder_worker.reminders import tables as _reminders
from reminder_worker.statistics import tables as _statistics
from reminder_worker.upgrades import tables as _upgrades

OWNED_BY_ROOM = (
    _auto_renew,
    _gifts,
    _indexer,
    _monitoring,
    _outbox,
    _relay,
    _reminders,
    _statistics,
    _upgrades,
)
__all__ = ["OWNED_BY_ROOM", "SCHEMA", "metadata"]
