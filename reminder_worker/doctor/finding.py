"""What each part of `doctor` yields."""

Finding = tuple[str, bool | None, str]
"""A part; whether it is good, None where it is switched off; words, which end with what to do when it is not good."""
