"""Generated examples: no time limits, because a busy machine is no fault, and nothing kept on disk."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "upgrades", max_examples=40, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("upgrades")
