"""When the worker's passes happen: Dagster definitions, jobs, sensors and schedules.

Texts of exceptions are kept out of Dagster's event log and out of its output, before any code of ours can fail. An
installation sets the variable for itself, too.
"""

import logging
import os
import warnings

os.environ.setdefault("DAGSTER_REDACT_USER_CODE_ERRORS", "1")
# Every run would print them; the version of Dagster is pinned.
warnings.filterwarnings("ignore", message="Parameter `(data_version|backfill_policy|freshness_policy)`")


def _without_texts(record: logging.LogRecord) -> bool:
    """Classes and our own frames instead of a traceback with its texts; nothing is dropped."""
    if record.exc_info and record.exc_info[1] is not None:
        from reminder_worker.privacy.redaction import describe_exception

        lines = describe_exception(record.exc_info[1]).splitlines()
        record.msg = " | ".join([record.getMessage(), *(line.strip() for line in lines)])
        record.args, record.exc_info, record.exc_text = None, None, None
    return True


logging.getLogger("dagster.redacted_errors").addFilter(_without_texts)
