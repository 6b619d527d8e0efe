"""Checks of `reminder-worker doctor`. They read only and show no secret."""

Finding = tuple[str, bool | None, str]
"""Part, verdict (None: switched off) and words; the words of a bad finding end with the remedy."""
